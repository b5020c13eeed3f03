/*
 * The libaio engine: Linux's native asynchronous I/O. queue() fills the request's iocb, submit()
 * hands all new ones over, reap() reads finished ones from the ring that the kernel keeps in
 * user space, and calls it only to wait.
 *
 * The ring's layout is the kernel's (fs/aio.c, struct aio_ring) and has a magic number; where it
 * is not as known, io_getevents does all of it. Buffered I/O blocks in io_submit: that is the
 * kernel's nature, and the report's to say.
 */
#include "engine/done_priv.h"
#include "engine/engines_priv.h"

#include <errno.h>
#include <libaio.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/lang.h"

struct aio_ring {
	unsigned id, nr, head, tail, magic, compat_features, incompat_features, header_length;
	struct io_event events[];
};
#define AIO_RING_MAGIC 0xa10a10a1

struct aio {
	struct engine engine;
	io_context_t context;
	struct aio_ring *ring; /* NULL: not readable from here */
	struct iocb *iocbs;    /* one a slot */
	struct iocb **pending; /* queued, not yet handed over, oldest first */
	unsigned npending;
	unsigned submitted;	 /* in the kernel's hands */
	struct done done;	 /* done in queue(), or refused by submit */
	bool sync_inline;	 /* this kernel's aio knows no fsync (before 4.18) */
	struct io_event *events; /* of io_getevents */
	unsigned depth;
};

static int aio_queue(struct engine *engine, struct req *req)
{
	static const short opcodes[] = {[OP_READ] = IO_CMD_PREAD,
					[OP_WRITE] = IO_CMD_PWRITE,
					[OP_FSYNC] = IO_CMD_FSYNC,
					[OP_FDATASYNC] = IO_CMD_FDSYNC};
	struct aio *a = container_of(engine, struct aio, engine);
	struct iocb *iocb = &a->iocbs[req->slot];

	if (unlikely(req->op >= OP_TRIM) && (req->op == OP_TRIM || a->sync_inline)) {
		done_add(&a->done, req, target_other(&engine->targets[req->target], req));
		return 0;
	}
	*iocb = (struct iocb){
		.data = req,
		.aio_lio_opcode = opcodes[req->op],
		.aio_fildes = engine->targets[req->target].fd,
		.u.c = {.buf = req->buf, .nbytes = req->len, .offset = (long long)req->offset},
	};
	if (unlikely(req->op > OP_TRIM))
		memset(&iocb->u, 0, sizeof(iocb->u)); /* the kernel wants no bytes of a sync */
	a->pending[a->npending++] = iocb;
	return 0;
}

/* The kernel refused the oldest pending request, and takes it never: it is over. */
static void aio_refused(struct aio *a, int code)
{
	struct req *req = a->pending[0]->data;

	if (code == -EINVAL && req->op > OP_TRIM) {
		a->sync_inline = true;
		code = target_other(&a->engine.targets[req->target], req);
	}
	done_add(&a->done, req, code);
}

static int aio_submit(struct engine *engine)
{
	struct aio *a = container_of(engine, struct aio, engine);
	unsigned gone = 0;
	int rc = 0;

	while (a->npending > gone) {
		rc = io_submit(a->context, (long)(a->npending - gone), a->pending + gone);
		if (rc == -EAGAIN || rc == -EINTR || rc == 0)
			break; /* reap() makes room and tries again */
		if (rc > 0) {
			a->submitted += (unsigned)rc;
			gone += (unsigned)rc;
			continue;
		}
		a->pending[0] = a->pending[gone];
		aio_refused(a, rc);
		gone++;
	}
	a->npending -= gone;
	for (unsigned i = 0; gone && i < a->npending; i++)
		a->pending[i] = a->pending[gone + i];
	return 0;
}

static struct req *aio_finish(const struct io_event *event)
{
	struct req *req = event->data;

	req->res = (int32_t)event->res;
	return req;
}

/* What the kernel has put into the ring, without calling it. */
static unsigned aio_take(struct aio *a, struct req **done, unsigned max)
{
	struct aio_ring *ring = a->ring;
	unsigned n = 0, head, tail;

	if (unlikely(!ring))
		return 0;
	head = ring->head;
	/* Pairs with the kernel's barrier between writing the events and the tail. */
	tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	while (head != tail && n < max) {
		done[n++] = aio_finish(&ring->events[head]);
		if (++head == ring->nr)
			head = 0;
	}
	if (n) /* Pairs with the kernel's look at the head before it writes there again. */
		__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	a->submitted -= n;
	return n;
}

/* Waits in the kernel for `min` more. */
static int aio_wait(struct aio *a, struct req **done, unsigned min, unsigned max,
		    uint64_t until_ns)
{
	struct timespec left = {0};
	uint64_t now_ns;
	int n;

	if (until_ns != UINT64_MAX && min) {
		now_ns = clock_monotonic_ns();
		if (now_ns < until_ns) {
			left.tv_sec = (time_t)((until_ns - now_ns) / NS_PER_S);
			left.tv_nsec = (long)((until_ns - now_ns) % NS_PER_S);
		}
	}
	n = io_getevents(a->context, min, (long)max, a->events,
			 until_ns == UINT64_MAX && min ? NULL : &left);
	if (n == -EINTR)
		return 0;
	for (int i = 0; i < n; i++)
		done[i] = aio_finish(&a->events[i]);
	if (n > 0)
		a->submitted -= (unsigned)n;
	return n;
}

static int aio_reap(struct engine *engine, struct req **done, unsigned min, unsigned max,
		    uint64_t until_ns)
{
	struct aio *a = container_of(engine, struct aio, engine);
	unsigned n, need;
	int rc;

	if (unlikely(a->npending))
		(void)aio_submit(engine); /* never negative: errors are the requests' */
	n = done_take(&a->done, done, max);
	n += aio_take(a, done + n, max - n);
	need = min > n ? min - n : 0;
	if (need > a->submitted)
		need = a->submitted;
	if (!need && (a->ring || n == max))
		return (int)n;
	rc = aio_wait(a, done + n, need, max - n, until_ns);
	return rc < 0 ? rc : (int)n + rc;
}

static int aio_open(struct engine *engine, const struct engine_setup *setup, struct err *err)
{
	struct aio *a = container_of(engine, struct aio, engine);

	(void)err; /* what can fail is start()'s: a context belongs to the process */
	a->depth = setup->depth;
	a->iocbs = arena_array(setup->arena, struct iocb, setup->depth);
	a->pending = arena_array(setup->arena, struct iocb *, setup->depth);
	a->events = arena_array(setup->arena, struct io_event, setup->depth);
	return 0;
}

static int aio_start(struct engine *engine, struct err *err)
{
	struct aio *a = container_of(engine, struct aio, engine);
	int rc = io_setup((int)a->depth, &a->context);
	struct aio_ring *ring = (struct aio_ring *)(void *)a->context;

	if (rc == -EAGAIN)
		return err_env(
			err, rc,
			"libaio: a queue of %u requests is more than the system has left: "
			"raise fs.aio-max-nr (sysctl), lower iodepth or numjobs, or use "
			"ioengine=io_uring",
			a->depth);
	if (rc == -ENOSYS)
		return err_env(
			err, rc,
			"this kernel has no asynchronous I/O, or a seccomp filter forbids "
			"it: use ioengine=psync");
	if (rc < 0)
		return err_env(err, rc, "libaio: cannot set up a queue of %u requests: %s",
			       a->depth, err_name(rc));
	if (ring->magic == AIO_RING_MAGIC && !ring->incompat_features &&
	    ring->header_length == sizeof(*ring))
		a->ring = ring;
	(void)snprintf(engine->about, sizeof(engine->about), "%s",
		       a->ring ? N_("reaps in user space") : N_("reaps by io_getevents"));
	return 0;
}

static void aio_close(struct engine *engine)
{
	struct aio *a = container_of(engine, struct aio, engine);

	/* It would wait for what is in flight: a drive that hangs must not hold up the report.
	 * The kernel does it when the process ends. */
	if (a->context && !a->submitted)
		(void)io_destroy(a->context);
	a->context = NULL;
	a->ring = NULL;
}

const struct engine_ops engine_aio = {
	.name = "libaio",
	.help = N_("Linux's native asynchronous I/O; needs direct=1 to be asynchronous"),
	.caps = ENGINE_READ | ENGINE_WRITE | ENGINE_TRIM | ENGINE_SYNC,
	.size_bytes = sizeof(struct aio),
	.open = aio_open,
	.start = aio_start,
	.queue = aio_queue,
	.submit = aio_submit,
	.reap = aio_reap,
	.close = aio_close,
};
