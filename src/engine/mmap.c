/*
 * The mmap engine: targets are mapped whole, a read or write is a memcpy. Page faults do the
 * I/O, one at a time.
 *
 * A page that cannot be read, or that a shrunken file or a full disk no longer backs, raises
 * SIGBUS in the memcpy. The handler jumps back into queue(), and that request fails with EIO. The
 * jump's target is the only thing of this program that is one per thread and not in a struct: a
 * signal handler has no argument of ours.
 *
 * The page cache cannot be passed by. With direct=1 each request writes its pages through and
 * drops them, so that the next one meets the device again.
 */
#include "engine/done_priv.h"
#include "engine/engines_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/lang.h"

struct mapping {
	char *base; /* NULL: none */
	uint64_t bytes;
};

struct mmap_engine {
	struct engine engine;
	struct done done;
	struct mapping *maps; /* one a target */
	bool direct;
	int advice;
	size_t page_bytes;
};

static _Thread_local sigjmp_buf *mmap_guard; /* NULL: no copy is under way */

static void mmap_sigbus(int signal_number)
{
	if (mmap_guard)
		siglongjmp(*mmap_guard, 1);
	/* Not ours: the instruction is tried again, and ends the process as it should. */
	(void)signal(signal_number, SIG_DFL);
}

/* 0, or -EIO when the mapping gave way under the copy. */
static int mmap_copy(void *to, const void *from, size_t bytes)
{
	sigjmp_buf guard;

	/* Without the signal mask (SA_NODEFER needs none): no system call. */
	if (sigsetjmp(guard, 0)) {
		mmap_guard = NULL;
		return -EIO;
	}
	mmap_guard = &guard;
	memcpy(to, from, bytes);
	/* The compiler must not move the copy out of the guarded stretch. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	mmap_guard = NULL;
	return 0;
}

/* Writes the pages of a range through and forgets them. */
static int mmap_drop(const struct mmap_engine *m, char *at, uint32_t bytes, bool wrote)
{
	uintptr_t head = (uintptr_t)at & (m->page_bytes - 1);
	int rc = 0;

	if (wrote)
		rc = msync(at - head, bytes + head, MS_SYNC);
	if (!rc)
		rc = madvise(at - head, bytes + head, MADV_DONTNEED);
	return rc ? -errno : 0;
}

static int32_t mmap_move(struct mmap_engine *m, const struct req *req)
{
	const struct mapping *map = &m->maps[req->target];
	int fd = m->engine.targets[req->target].fd;
	uint32_t len = req->len;
	char *at = map->base + req->offset;
	int rc;

	if (req->offset >= map->bytes)
		return req->op == OP_READ ? 0 : -EFBIG; /* as a read at the end of a file */
	if (len > map->bytes - req->offset)
		len = (uint32_t)(map->bytes - req->offset);
	rc = req->op == OP_READ ? mmap_copy(req->buf, at, len) : mmap_copy(at, req->buf, len);
	if (!rc && unlikely(m->direct)) {
		rc = mmap_drop(m, at, len, req->op == OP_WRITE);
		if (!rc && posix_fadvise(fd, (off_t)req->offset, len, POSIX_FADV_DONTNEED))
			rc = -EIO;
	}
	return rc ? rc : (int32_t)len;
}

static int mmap_queue(struct engine *engine, struct req *req)
{
	struct mmap_engine *m = container_of(engine, struct mmap_engine, engine);
	const struct mapping *map = &m->maps[req->target];

	if (likely(req->op <= OP_WRITE))
		done_add(&m->done, req, mmap_move(m, req));
	else if (req->op == OP_TRIM)
		done_add(&m->done, req, target_other(&engine->targets[req->target], req));
	else
		done_add(&m->done, req, msync(map->base, map->bytes, MS_SYNC) ? -errno : 0);
	return 0;
}

static int mmap_reap(struct engine *engine, struct req **done, unsigned min, unsigned max,
		     uint64_t until_ns)
{
	struct mmap_engine *m = container_of(engine, struct mmap_engine, engine);

	(void)min, (void)until_ns; /* what was queued is over: there is nothing to wait for */
	return (int)done_take(&m->done, done, max);
}

static int mmap_open(struct engine *engine, const struct engine_setup *setup, struct err *err)
{
	struct mmap_engine *m = container_of(engine, struct mmap_engine, engine);

	(void)err; /* mapped by start(), when the files have their size */
	m->maps = arena_array(setup->arena, struct mapping, setup->ntargets);
	m->direct = setup->spec->direct;
	m->advice = setup->spec->rw.random ? MADV_RANDOM : MADV_SEQUENTIAL;
	if (setup->spec->fadvise_hint != 1)
		m->advice = MADV_NORMAL;
	m->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	return 0;
}

static int mmap_map(struct mmap_engine *m, unsigned i, struct err *err)
{
	const struct target *target = &m->engine.targets[i];
	uint64_t bytes = target->size_bytes;
	int prot = PROT_READ;
	void *base;

	if (target->kind == TARGET_CHAR)
		bytes = target->start_bytes + target->region_bytes;
	if (!bytes)
		return err_input(err, "mmap: \"%s\" has no bytes to map: give it a size",
				 target->path);
	if ((fcntl(target->fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
		prot |= PROT_WRITE;
	base = mmap(NULL, bytes, prot, MAP_SHARED, target->fd, 0);
	if (base == MAP_FAILED)
		return err_env(err, -errno, "mmap: cannot map %llu bytes of \"%s\": %s",
			       (unsigned long long)bytes, target->path, err_name(errno));
	(void)madvise(base, bytes, m->advice); /* advice: the run is right without it */
	m->maps[i] = (struct mapping){.base = base, .bytes = bytes};
	return 0;
}

static int mmap_start(struct engine *engine, struct err *err)
{
	struct mmap_engine *m = container_of(engine, struct mmap_engine, engine);
	struct sigaction action = {.sa_handler = mmap_sigbus, .sa_flags = SA_NODEFER};
	int rc = 0;

	if (sigaction(SIGBUS, &action, NULL)) /* the same for every worker, whoever is first */
		return err_env(err, -errno, "mmap: cannot catch SIGBUS: %s", err_name(errno));
	for (unsigned i = 0; i < engine->ntargets && !rc; i++)
		if (engine->targets[i].fd >= 0)
			rc = mmap_map(m, i, err);
	if (m->direct)
		(void)snprintf(engine->about, sizeof(engine->about),
			       N_("pages written through and dropped after each request"));
	return rc;
}

static void mmap_close(struct engine *engine)
{
	struct mmap_engine *m = container_of(engine, struct mmap_engine, engine);

	for (unsigned i = 0; m->maps && i < engine->ntargets; i++)
		if (m->maps[i].base)
			(void)munmap(m->maps[i].base, m->maps[i].bytes);
	m->maps = NULL;
}

const struct engine_ops engine_mmap = {
	.name = "mmap",
	.help = N_("memcpy from and to the mapped target; the I/O is the page faults'"),
	.caps = ENGINE_READ | ENGINE_WRITE | ENGINE_TRIM | ENGINE_SYNC | ENGINE_DEPTH_1,
	.size_bytes = sizeof(struct mmap_engine),
	.open = mmap_open,
	.start = mmap_start,
	.queue = mmap_queue,
	.reap = mmap_reap,
	.close = mmap_close,
};
