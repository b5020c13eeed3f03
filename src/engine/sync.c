/*
 * The sync engines: one system call at a time, in the caller's thread. They differ in that call
 * alone, so they are one file and a table. It is made by syscall(): glibc's own functions are
 * points of cancellation, which in a program with threads costs two locked instructions each (40
 * of 290 ns on /dev/zero).
 *
 * queue() does the I/O there and then; the request rests on a list until reap(), because no
 * engine may complete one in queue(). The worker gives one at a time (ENGINE_DEPTH_1): a batch
 * of preads would book the first one's time on the second.
 *
 * sync and vsync move the file's position, which all users of an open file share. So they open
 * their targets once more in start() and remember where each stands; a seek to where it is
 * already is left out.
 */
#include "engine/done_priv.h"
#include "engine/engines_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/lang.h"

/* A descriptor of our own and its position. */
struct sync_file {
	int fd;	  /* -1: none */
	off_t at; /* -1: unknown */
};

struct sync {
	struct engine engine;
	struct done done;
	struct sync_file *files; /* one a target; sync and vsync only */
	int rwf;		 /* pvsync2: RWF_ flags of every read and write */
};

typedef ssize_t sync_move(struct sync *s, const struct req *req);

/* The kernel takes an offset in two halves of a long: the upper one is empty where the lower
 * holds all. */
#define UPPER_HALF 0L
_Static_assert(sizeof(long) >= sizeof(uint64_t), "offsets fit the lower half");

static ssize_t move_psync(struct sync *s, const struct req *req)
{
	int fd = s->engine.targets[req->target].fd;

	return syscall(req->op == OP_READ ? SYS_pread64 : SYS_pwrite64, fd, req->buf,
		       (size_t)req->len, req->offset);
}

static ssize_t move_pvsync(struct sync *s, const struct req *req)
{
	int fd = s->engine.targets[req->target].fd;
	struct iovec iov = {.iov_base = req->buf, .iov_len = req->len};

	return syscall(req->op == OP_READ ? SYS_preadv : SYS_pwritev, fd, &iov, 1UL,
		       req->offset, UPPER_HALF);
}

static ssize_t move_pvsync2(struct sync *s, const struct req *req)
{
	int fd = s->engine.targets[req->target].fd;
	struct iovec iov = {.iov_base = req->buf, .iov_len = req->len};

	return syscall(req->op == OP_READ ? SYS_preadv2 : SYS_pwritev2, fd, &iov, 1UL,
		       req->offset, UPPER_HALF, (long)s->rwf);
}

/* Puts the file's position at `offset`; false with errno set if it cannot be. */
static bool sync_seek(struct sync_file *file, off_t offset)
{
	if (file->at != offset)
		file->at = lseek(file->fd, offset, SEEK_SET);
	return file->at == offset;
}

static ssize_t sync_moved(struct sync_file *file, ssize_t n)
{
	file->at = n < 0 ? -1 : file->at + n;
	return n;
}

static ssize_t move_sync(struct sync *s, const struct req *req)
{
	struct sync_file *file = &s->files[req->target];

	if (!sync_seek(file, (off_t)req->offset))
		return -1;
	return sync_moved(file, syscall(req->op == OP_READ ? SYS_read : SYS_write, file->fd,
					req->buf, (size_t)req->len));
}

static ssize_t move_vsync(struct sync *s, const struct req *req)
{
	struct sync_file *file = &s->files[req->target];
	struct iovec iov = {.iov_base = req->buf, .iov_len = req->len};

	if (!sync_seek(file, (off_t)req->offset))
		return -1;
	return sync_moved(file, syscall(req->op == OP_READ ? SYS_readv : SYS_writev, file->fd,
					&iov, 1UL));
}

/*
 * Inlined into five queue functions, so that `move` costs no indirect call. A call that a
 * signal interrupted has done nothing: it is made again, and its time counts.
 */
static inline __attribute__((always_inline)) int sync_queue(struct engine *engine,
							    struct req *req, sync_move *move)
{
	struct sync *s = container_of(engine, struct sync, engine);
	ssize_t n;

	if (unlikely(req->op > OP_WRITE)) {
		done_add(&s->done, req, target_other(&engine->targets[req->target], req));
		return 0;
	}
	do
		n = move(s, req);
	while (unlikely(n < 0) && errno == EINTR);
	done_add(&s->done, req, likely(n >= 0) ? (int32_t)n : -errno);
	return 0;
}

static int queue_psync(struct engine *engine, struct req *req)
{
	return sync_queue(engine, req, move_psync);
}

static int queue_pvsync(struct engine *engine, struct req *req)
{
	return sync_queue(engine, req, move_pvsync);
}

static int queue_pvsync2(struct engine *engine, struct req *req)
{
	return sync_queue(engine, req, move_pvsync2);
}

static int queue_sync(struct engine *engine, struct req *req)
{
	return sync_queue(engine, req, move_sync);
}

static int queue_vsync(struct engine *engine, struct req *req)
{
	return sync_queue(engine, req, move_vsync);
}

static int sync_reap(struct engine *engine, struct req **done, unsigned min, unsigned max,
		     uint64_t until_ns)
{
	struct sync *s = container_of(engine, struct sync, engine);

	(void)min, (void)until_ns; /* what was queued is over: there is nothing to wait for */
	return (int)done_take(&s->done, done, max);
}

static int open_pvsync2(struct engine *engine, const struct engine_setup *setup,
			struct err *err)
{
	struct sync *s = container_of(engine, struct sync, engine);

	(void)err; /* nothing to acquire */
	s->rwf = setup->spec->hipri ? RWF_HIPRI : 0;
	if (s->rwf)
		(void)snprintf(engine->about, sizeof(engine->about), "RWF_HIPRI");
	return 0;
}

static int open_files(struct engine *engine, const struct engine_setup *setup, struct err *err)
{
	struct sync *s = container_of(engine, struct sync, engine);

	(void)err; /* the files are opened by start(), where the worker runs */
	s->files = arena_array(setup->arena, struct sync_file, setup->ntargets);
	for (unsigned i = 0; i < setup->ntargets; i++)
		s->files[i] = (struct sync_file){.fd = -1, .at = -1};
	return 0;
}

static int start_files(struct engine *engine, struct err *err)
{
	struct sync *s = container_of(engine, struct sync, engine);

	for (unsigned i = 0; i < engine->ntargets; i++) {
		const struct target *target = &engine->targets[i];
		char path[40]; /* our descriptor's link: reaches unlinked files too */
		int flags;

		if (target->fd < 0)
			continue;
		flags = fcntl(target->fd, F_GETFL);
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", target->fd);
		s->files[i].fd =
			open(path, (flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_CLOEXEC);
		if (s->files[i].fd < 0)
			return err_env(err, -errno,
				       "cannot open \"%s\" a second time for engine %s: %s",
				       target->path, engine->ops->name, err_name(errno));
	}
	return 0;
}

static void close_files(struct engine *engine)
{
	struct sync *s = container_of(engine, struct sync, engine);

	for (unsigned i = 0; s->files && i < engine->ntargets; i++)
		if (s->files[i].fd >= 0)
			(void)close(s->files[i].fd); /* its errors were its requests' */
	s->files = NULL;
}

#define SYNC_CAPS (ENGINE_READ | ENGINE_WRITE | ENGINE_TRIM | ENGINE_SYNC | ENGINE_DEPTH_1)

const struct engine_ops engine_psync = {
	.name = "psync",
	.help = N_("pread and pwrite, one at a time; the plainest yardstick"),
	.caps = SYNC_CAPS,
	.size_bytes = sizeof(struct sync),
	.queue = queue_psync,
	.reap = sync_reap,
};

const struct engine_ops engine_pvsync = {
	.name = "pvsync",
	.help = N_("preadv and pwritev, one at a time"),
	.caps = SYNC_CAPS,
	.size_bytes = sizeof(struct sync),
	.queue = queue_pvsync,
	.reap = sync_reap,
};

const struct engine_ops engine_pvsync2 = {
	.name = "pvsync2",
	.help = N_("preadv2 and pwritev2, one at a time; polls with hipri=1"),
	.caps = SYNC_CAPS,
	.size_bytes = sizeof(struct sync),
	.open = open_pvsync2,
	.queue = queue_pvsync2,
	.reap = sync_reap,
};

const struct engine_ops engine_sync = {
	.name = "sync",
	.help = N_("lseek where needed, then read and write, one at a time"),
	.caps = SYNC_CAPS,
	.size_bytes = sizeof(struct sync),
	.open = open_files,
	.start = start_files,
	.queue = queue_sync,
	.reap = sync_reap,
	.close = close_files,
};

const struct engine_ops engine_vsync = {
	.name = "vsync",
	.help = N_("lseek where needed, then readv and writev, one at a time"),
	.caps = SYNC_CAPS,
	.size_bytes = sizeof(struct sync),
	.open = open_files,
	.start = start_files,
	.queue = queue_vsync,
	.reap = sync_reap,
	.close = close_files,
};
