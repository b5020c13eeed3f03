/*
 * The POSIX aio engine (aio(7)): a thread pool of the C library. glibc hands the requests of one
 * descriptor to one thread in turn, so one file gives a depth of one however many are queued; the
 * achieved depth in the report shows it. glibc also allocates for each request: a cost of this
 * engine that nothing here can avoid.
 */
#include "engine/done_priv.h"
#include "engine/engines_priv.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/lang.h"

/* A request in the library's hands; aiocb first, so that one pointer is both. */
struct posixaio_slot {
	struct aiocb cb;
	struct req *req;
};

struct posixaio {
	struct engine engine;
	struct posixaio_slot *slots; /* one a slot of the worker */
	struct aiocb **flying;	     /* oldest first: what aio_suspend waits for */
	unsigned nflying;
	struct done done; /* done in queue(), or refused there */
};

static int posixaio_give(struct aiocb *cb, enum op op)
{
	switch (op) {
	case OP_READ:
		return aio_read(cb);
	case OP_WRITE:
		return aio_write(cb);
	case OP_FSYNC:
		return aio_fsync(O_SYNC, cb);
	case OP_FDATASYNC:
		return aio_fsync(O_DSYNC, cb);
	case OP_TRIM:
		break;
	}
	errno = EOPNOTSUPP;
	return -1;
}

static int posixaio_queue(struct engine *engine, struct req *req)
{
	struct posixaio *p = container_of(engine, struct posixaio, engine);
	struct posixaio_slot *slot = &p->slots[req->slot];

	if (req->op == OP_TRIM) {
		done_add(&p->done, req, target_other(&engine->targets[req->target], req));
		return 0;
	}
	*slot = (struct posixaio_slot){
		.cb = {.aio_fildes = engine->targets[req->target].fd,
		       .aio_buf = req->buf,
		       .aio_nbytes = req->len,
		       .aio_offset = (off_t)req->offset,
		       .aio_sigevent = {.sigev_notify = SIGEV_NONE}},
		.req = req,
	};
	if (!posixaio_give(&slot->cb, (enum op)req->op)) {
		p->flying[p->nflying++] = &slot->cb;
		return 0;
	}
	/* No room in the library: later, if something in flight will make some. */
	if (errno == EAGAIN && p->nflying)
		return -EAGAIN;
	done_add(&p->done, req, -errno);
	return 0;
}

/* Takes the finished ones out of flight; the others keep their order. */
static unsigned posixaio_take(struct posixaio *p, struct req **done, unsigned max)
{
	unsigned n = 0, kept = 0;

	for (unsigned i = 0; i < p->nflying; i++) {
		struct posixaio_slot *slot =
			container_of(p->flying[i], struct posixaio_slot, cb);
		int code = n < max ? aio_error(&slot->cb) : EINPROGRESS;

		if (code == EINPROGRESS) {
			p->flying[kept++] = &slot->cb;
			continue;
		}
		slot->req->res = (int32_t)aio_return(&slot->cb);
		if (code)
			slot->req->res = -code;
		done[n++] = slot->req;
	}
	p->nflying = kept;
	return n;
}

/* Until one in flight is over: true; the time is up or a signal came: false. */
static bool posixaio_wait(struct posixaio *p, uint64_t until_ns)
{
	const struct aiocb *const *flying = (const struct aiocb *const *)p->flying;
	struct timespec left = {0};
	uint64_t now_ns;

	if (until_ns == UINT64_MAX)
		return !aio_suspend(flying, (int)p->nflying, NULL);
	now_ns = clock_monotonic_ns();
	if (now_ns >= until_ns)
		return false;
	left.tv_sec = (time_t)((until_ns - now_ns) / NS_PER_S);
	left.tv_nsec = (long)((until_ns - now_ns) % NS_PER_S);
	return !aio_suspend(flying, (int)p->nflying, &left);
}

static int posixaio_reap(struct engine *engine, struct req **done, unsigned min, unsigned max,
			 uint64_t until_ns)
{
	struct posixaio *p = container_of(engine, struct posixaio, engine);
	unsigned n = done_take(&p->done, done, max);

	n += posixaio_take(p, done + n, max - n);
	while (n < min && p->nflying && posixaio_wait(p, until_ns))
		n += posixaio_take(p, done + n, max - n);
	return (int)n;
}

static int posixaio_open(struct engine *engine, const struct engine_setup *setup,
			 struct err *err)
{
	struct posixaio *p = container_of(engine, struct posixaio, engine);

	(void)err; /* the library's threads start with the first request */
	p->slots = arena_array(setup->arena, struct posixaio_slot, setup->depth);
	p->flying = arena_array(setup->arena, struct aiocb *, setup->depth);
	return 0;
}

const struct engine_ops engine_posixaio = {
	.name = "posixaio",
	.help = N_(
		"POSIX aio of the C library: a thread, and so one request at a time, per file"),
	.caps = ENGINE_READ | ENGINE_WRITE | ENGINE_TRIM | ENGINE_SYNC,
	.size_bytes = sizeof(struct posixaio),
	.open = posixaio_open,
	.queue = posixaio_queue,
	.reap = posixaio_reap,
};
