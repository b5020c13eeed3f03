/*
 * The io_uring engine. queue() writes one submission entry, submit() hands the new ones over
 * without waiting, reap() takes completions from the shared ring and enters the kernel only if
 * fewer than asked are visible there.
 *
 * With DEFER_TASKRUN a completion becomes visible only when this thread enters with GETEVENTS;
 * the flag SQ_TASKRUN tells, from user space, that some wait for that.
 */
#include "engine/done_priv.h"
#include "engine/engines_priv.h"
#include "engine/ring_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include "base/assert.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/lang.h"

/* How a target is trimmed. */
enum uring_trim {
	URING_TRIM_IOCTL,   /* by target_trim(), there and then in queue() */
	URING_TRIM_COMMAND, /* a discard command to a block device; Linux 6.12 */
	URING_TRIM_PUNCH,   /* FALLOCATE of a file */
};

/* What the ring knows of a target; made by start(). */
struct uring_target {
	int fd; /* for the entry: the descriptor, or its registered index */
	enum uring_trim trim;
};

struct uring {
	struct engine engine;
	struct ring ring;
	struct uring_target *targets;
	struct req *reqs;     /* the worker's; an entry carries the slot */
	unsigned unsubmitted; /* entries written, not yet handed over */
	unsigned inflight;    /* entries written, not yet reaped */
	uint8_t opcode[2];    /* for OP_READ and OP_WRITE */
	uint8_t sqe_flags;
	uint16_t buffer_mask; /* slot & mask is the registered buffer */
	bool unusual;	      /* iovecs or async_every: uring_adapt() has a look */
	bool sqpoll, iopoll;
	bool yields;	      /* the kernel's threads do the requests: let them before a wait */
	struct done done;     /* done in queue(): what this ring cannot do */
	struct iovec *iovecs; /* one a slot for the vectored form and for registering */
	uint32_t async_every, async_count;
	struct engine_setup setup;
};

/* The kernel writes into the buffer where no compiler sees it: ask ASan before it does. */
static inline void uring_check_buffer(const struct req *req)
{
#if defined(__SANITIZE_ADDRESS__)
	assert(!__asan_region_is_poisoned(req->buf, req->len));
#else
	(void)req;
#endif
}

/* READV and WRITEV take their buffer by an iovec; force_async sends each N-th to a thread. */
static __attribute__((noinline)) int uring_adapt(struct uring *u, struct io_uring_sqe *sqe,
						 const struct req *req)
{
	if (u->opcode[OP_READ] == IORING_OP_READV) {
		struct iovec *iov = &u->iovecs[req->slot];

		*iov = (struct iovec){.iov_base = req->buf, .iov_len = req->len};
		sqe->addr = (uint64_t)(uintptr_t)iov;
		sqe->len = 1;
	}
	if (u->async_every && ++u->async_count == u->async_every) {
		u->async_count = 0;
		sqe->flags |= IOSQE_ASYNC;
	}
	return 0;
}

/* The entry of a sync or a trim; false if the ring cannot do it. */
static bool uring_other(const struct uring *u, struct io_uring_sqe *sqe, const struct req *req)
{
	const struct uring_target *target = &u->targets[req->target];

	*sqe = (struct io_uring_sqe){
		.flags = u->sqe_flags, .fd = target->fd, .user_data = req->slot};
	if (u->iopoll)
		return false;
	if (req->op != OP_TRIM) {
		sqe->opcode = IORING_OP_FSYNC;
		sqe->fsync_flags = req->op == OP_FDATASYNC ? IORING_FSYNC_DATASYNC : 0;
		return true;
	}
	switch (target->trim) {
	case URING_TRIM_IOCTL:
		return false;
	case URING_TRIM_COMMAND:
		sqe->opcode = IORING_OP_URING_CMD;
		sqe->cmd_op = RING_BLOCK_CMD_DISCARD;
		sqe->addr = req->offset;
		sqe->addr3 = req->len;
		return true;
	case URING_TRIM_PUNCH:
		sqe->opcode = IORING_OP_FALLOCATE;
		sqe->off = req->offset;
		sqe->addr = req->len;
		sqe->len = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
		return true;
	}
	return false;
}

/* Counts the entry at `tail` as written. */
static inline void uring_push(struct uring *u, unsigned tail)
{
	u->ring.sq_tail = tail + 1;
	u->unsubmitted++;
	u->inflight++;
}

static __attribute__((noinline)) int uring_queue_other(struct uring *u, struct req *req)
{
	unsigned tail = u->ring.sq_tail;

	if (uring_other(u, &u->ring.sqes[tail & u->ring.sq_mask], req))
		uring_push(u, tail);
	else
		done_add(&u->done, req, target_other(&u->engine.targets[req->target], req));
	return 0;
}

/* Calls stand at the end only, so that nothing is saved on the stack before: 58 -> 48
 * instructions. */
static int uring_queue(struct engine *engine, struct req *req)
{
	struct uring *u = container_of(engine, struct uring, engine);
	unsigned tail = u->ring.sq_tail;
	struct io_uring_sqe *sqe = &u->ring.sqes[tail & u->ring.sq_mask];

	/* Pairs with the kernel's release of the head: entries before it are free again. */
	if (unlikely(tail - __atomic_load_n(u->ring.sq_khead, __ATOMIC_ACQUIRE) >=
		     u->ring.entries))
		return -EAGAIN;
	if (unlikely(req->op > OP_WRITE))
		return uring_queue_other(u, req);
	uring_check_buffer(req);
	*sqe = (struct io_uring_sqe){
		.opcode = u->opcode[req->op],
		.flags = u->sqe_flags,
		.fd = u->targets[req->target].fd,
		.off = req->offset,
		.addr = (uint64_t)(uintptr_t)req->buf,
		.len = req->len,
		.user_data = req->slot,
		.buf_index = (uint16_t)(req->slot & u->buffer_mask),
	};
	uring_push(u, tail);
	return unlikely(u->unusual) ? uring_adapt(u, sqe, req) : 0;
}

static int uring_enter(const struct uring *u, unsigned submit, unsigned min, unsigned flags)
{
	return io_uring_enter((unsigned)u->ring.enter_fd, submit, min,
			      flags | u->ring.enter_flags, NULL);
}

/* The kernel's thread takes entries by itself; it is woken if it has gone to sleep. */
static int uring_submit_sqpoll(struct uring *u)
{
	int rc = 0;

	/* Our store of the tail before our look at its flag, as it looks at the tail after
	 * setting the flag: one of the two sees the other. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(u->ring.sq_kflags, __ATOMIC_RELAXED) & IORING_SQ_NEED_WAKEUP)
		rc = uring_enter(u, u->unsubmitted, 0, IORING_ENTER_SQ_WAKEUP);
	if (rc < 0 && rc != -EINTR)
		return rc;
	u->unsubmitted = 0;
	return 0;
}

static int uring_submit(struct engine *engine)
{
	struct uring *u = container_of(engine, struct uring, engine);

	/* Pairs with the kernel's acquire of the tail: it sees the entries before it. */
	__atomic_store_n(u->ring.sq_ktail, u->ring.sq_tail, __ATOMIC_RELEASE);
	if (u->sqpoll)
		return u->unsubmitted ? uring_submit_sqpoll(u) : 0;
	while (u->unsubmitted) {
		int n = uring_enter(u, u->unsubmitted, 0, 0);

		/* Short of memory, or of room for completions: reap() tries again. */
		if (n == 0 || n == -EAGAIN || n == -EBUSY || n == -EINTR)
			return 0;
		if (n < 0)
			return n;
		u->unsubmitted -= (unsigned)n;
	}
	return 0;
}

static unsigned uring_visible(const struct uring *u)
{
	/* Pairs with the kernel's release of the tail: the completions before it are written. */
	return __atomic_load_n(u->ring.cq_ktail, __ATOMIC_ACQUIRE) - u->ring.cq_head;
}

/* One entry into the kernel for `need` completions, at most until `until_ns`. */
static int uring_wait_once(const struct uring *u, unsigned need, uint64_t until_ns)
{
	struct __kernel_timespec left = {0};
	struct io_uring_getevents_arg arg = {.ts = (uint64_t)(uintptr_t)&left};
	uint64_t now_ns;

	if (until_ns == UINT64_MAX || !need)
		return uring_enter(u, 0, need, IORING_ENTER_GETEVENTS);
	now_ns = clock_monotonic_ns();
	if (now_ns >= until_ns) {
		(void)uring_enter(u, 0, 0, IORING_ENTER_GETEVENTS); /* a last look */
		return -ETIME;
	}
	left.tv_sec = (int64_t)((until_ns - now_ns) / NS_PER_S);
	left.tv_nsec = (int64_t)((until_ns - now_ns) % NS_PER_S);
	return io_uring_enter2((unsigned)u->ring.enter_fd, 0, need,
			       IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG |
				       u->ring.enter_flags,
			       (sigset_t *)(void *)&arg, sizeof(arg));
}

static int uring_wait(const struct uring *u, unsigned need, uint64_t until_ns)
{
	int rc;

	do
		rc = uring_wait_once(u, need, until_ns);
	while (rc >= 0 && uring_visible(u) < need);
	/* The time is up, a signal came, or completions must be taken first: what is there. */
	return rc == -ETIME || rc == -EINTR || rc == -EBUSY || rc == -EAGAIN || rc > 0 ? 0 : rc;
}

/* With fewer than `need` visible; or with none, when the kernel holds some back. */
static bool uring_must_enter(const struct uring *u, unsigned need)
{
	unsigned visible = uring_visible(u);

	if (visible < need)
		return true;
	if (visible || !u->inflight)
		return false;
	return u->iopoll || (__atomic_load_n(u->ring.sq_kflags, __ATOMIC_RELAXED) &
			     (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW));
}

/* The result of a trim in bytes. A device that knows the command may still refuse it (zram
 * can't take it without waiting): then this one and all later ones go by ioctl. */
static void uring_trimmed(struct uring *u, struct req *req)
{
	struct uring_target *target = &u->targets[req->target];

	if (req->res == -EOPNOTSUPP && target->trim == URING_TRIM_COMMAND)
		target->trim = URING_TRIM_IOCTL;
	if (req->res == -EOPNOTSUPP && target->trim == URING_TRIM_IOCTL)
		req->res = target_other(&u->engine.targets[req->target], req);
	else if (!req->res)
		req->res = done_all(req);
}

static unsigned uring_take(struct uring *u, struct req **done, unsigned max)
{
	unsigned head = u->ring.cq_head, n = uring_visible(u);

	if (n > max)
		n = max;
	for (unsigned i = 0; i < n; i++) {
		const struct io_uring_cqe *cqe = &u->ring.cqes[(head + i) & u->ring.cq_mask];
		struct req *req = &u->reqs[cqe->user_data];

		req->res = cqe->res;
		if (unlikely(req->op == OP_TRIM))
			uring_trimmed(u, req);
		done[i] = req;
	}
	u->ring.cq_head = head + n;
	/* Pairs with the kernel's acquire of the head: it may write over what we have read. */
	__atomic_store_n(u->ring.cq_khead, head + n, __ATOMIC_RELEASE);
	u->inflight -= n;
	return n;
}

static int uring_reap(struct engine *engine, struct req **done, unsigned min, unsigned max,
		      uint64_t until_ns)
{
	struct uring *u = container_of(engine, struct uring, engine);
	unsigned n = done_take(&u->done, done, max), need;
	int rc = 0;

	if (unlikely(u->unsubmitted))
		rc = uring_submit(engine);
	if (unlikely(rc < 0))
		return rc;
	need = min > n ? min - n : 0;
	if (need > u->inflight - u->unsubmitted)
		need = u->inflight - u->unsubmitted;
	/* The threads may well share this core: woken for each completion this thread would
	 * push them off it each time. On zram: 0.8 -> 0.2 switches a request, 240 k -> 335 k a
	 * second. */
	if (unlikely(u->yields) && uring_visible(u) < need)
		(void)sched_yield(); /* cannot fail */
	if (uring_must_enter(u, need))
		rc = uring_wait(u, need, until_ns);
	if (unlikely(rc < 0))
		return rc;
	return (int)(n + uring_take(u, done + n, max - n));
}

static int uring_check(const struct job_spec *spec, struct err *err)
{
	if (spec->iodepth > RING_ENTRIES_MAX)
		return err_input(err, "iodepth: %u is more than an io_uring takes (%d)",
				 spec->iodepth, RING_ENTRIES_MAX);
	if (spec->hipri && !spec->direct)
		return err_input(err, "hipri: the page cache cannot be polled: set direct=1");
	return ring_check(err);
}

static int uring_open(struct engine *engine, const struct engine_setup *setup, struct err *err)
{
	struct uring *u = container_of(engine, struct uring, engine);
	const struct job_spec *spec = setup->spec;

	(void)err; /* what can fail is start()'s: a ring belongs to the thread that made it */
	u->ring.fd = -1;
	u->setup = *setup;
	u->reqs = setup->reqs;
	u->targets = arena_array(setup->arena, struct uring_target, setup->ntargets);
	u->iovecs = arena_array(setup->arena, struct iovec, setup->depth);
	u->async_every = spec->force_async;
	u->iopoll = spec->hipri;
	u->sqpoll = spec->sqthread_poll;
	u->opcode[OP_READ] = IORING_OP_READ;
	u->opcode[OP_WRITE] = IORING_OP_WRITE;
	if (spec->fixedbufs) {
		u->opcode[OP_READ] = IORING_OP_READ_FIXED;
		u->opcode[OP_WRITE] = IORING_OP_WRITE_FIXED;
	} else if (spec->nonvectored_given && !spec->nonvectored) {
		u->opcode[OP_READ] = IORING_OP_READV;
		u->opcode[OP_WRITE] = IORING_OP_WRITEV;
	}
	u->unusual = u->opcode[OP_READ] == IORING_OP_READV || u->async_every;
	return 0;
}

/* Adds ", word" to engine->about. */
static void uring_tell(struct uring *u, const char *word)
{
	char *about = u->engine.about;
	size_t used = strlen(about);

	(void)snprintf(about + used, sizeof(u->engine.about) - used, "%s%s", used ? ", " : "",
		       word);
}

static void uring_tell_setup(struct uring *u)
{
	static const struct {
		unsigned flag;
		const char *word;
	} words[] = {
		{IORING_SETUP_SINGLE_ISSUER, "SINGLE_ISSUER"},
		{IORING_SETUP_DEFER_TASKRUN, "DEFER_TASKRUN"},
		{IORING_SETUP_COOP_TASKRUN, "COOP_TASKRUN"},
		{RING_SETUP_NO_SQARRAY, "NO_SQARRAY"},
		{IORING_SETUP_IOPOLL, "IOPOLL"},
		{IORING_SETUP_SQPOLL, "SQPOLL"},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (u->ring.setup_flags & words[i].flag)
			uring_tell(u, words[i].word);
	if (u->ring.enter_flags & IORING_ENTER_REGISTERED_RING)
		uring_tell(u, N_("registered ring"));
	if (u->opcode[OP_READ] == IORING_OP_READV)
		uring_tell(u, "vectored");
	if (u->async_every)
		uring_tell(u, "IOSQE_ASYNC");
}

/* Largest piece of memory that can be registered as one buffer, and how many can. */
#define URING_BUFFER_MAX  GiB
#define URING_BUFFERS_MAX (1U << 14)

/* One registered buffer for all slots where it fits: one entry of the kernel's table that
 * stays in the cache. Else one a slot. */
static int uring_register_buffers(struct uring *u, struct err *err)
{
	size_t each = u->setup.buffer_bytes, total = each * u->setup.depth;
	unsigned count = total <= URING_BUFFER_MAX ? 1 : u->setup.depth;
	int rc;

	if (each > URING_BUFFER_MAX || count > URING_BUFFERS_MAX)
		return err_input(err,
				 "fixedbufs: io_uring registers at most %u buffers of 1 GiB: "
				 "lower bs or iodepth, or leave fixedbufs out",
				 URING_BUFFERS_MAX);
	if (count == 1)
		each = total;
	for (unsigned i = 0; i < count; i++)
		u->iovecs[i] = (struct iovec){.iov_base = (char *)u->setup.buffers + i * each,
					      .iov_len = each};
	rc = io_uring_register((unsigned)u->ring.fd, IORING_REGISTER_BUFFERS, u->iovecs, count);
	if (rc)
		return err_env(
			err, rc,
			"fixedbufs: cannot register %zu bytes of buffers: %s; %s, or "
			"leave fixedbufs out",
			total, err_name(rc),
			rc == -EFAULT || rc == -EOPNOTSUPP
				? N_("the kernel registers no memory of a file on a disk: take "
				     "another mem")
				: N_("raise the limit of locked memory (ulimit -l)"));
	u->buffer_mask = count == 1 ? 0 : UINT16_MAX;
	uring_tell(u, N_("registered buffers"));
	return 0;
}

/* Files that are opened and closed during the run cannot be registered before it. Where the
 * kernel refuses (too many) the plain descriptors serve. */
static void uring_register_files(struct uring *u)
{
	const struct job_spec *spec = u->setup.spec;
	bool wanted = spec->registerfiles || !spec->registerfiles_given;
	int fds[256]; /* enough for what gains by it */
	unsigned n = u->engine.ntargets;

	for (unsigned i = 0; i < n; i++) {
		u->targets[i].fd = u->engine.targets[i].fd;
		if (u->targets[i].fd < 0 || n > ARRAY_SIZE(fds))
			wanted = false;
		else
			fds[i] = u->targets[i].fd;
	}
	if (!wanted || !n ||
	    io_uring_register((unsigned)u->ring.fd, IORING_REGISTER_FILES, fds, n))
		return;
	for (unsigned i = 0; i < n; i++)
		u->targets[i].fd = (int)i;
	u->sqe_flags |= IOSQE_FIXED_FILE;
	uring_tell(u, N_("registered files"));
}

/* Asks the ring itself, once, before the run: the result of one entry. */
static int uring_try(struct uring *u, const struct io_uring_sqe *sqe)
{
	int res;

	u->ring.sqes[u->ring.sq_tail & u->ring.sq_mask] = *sqe;
	u->ring.sq_tail++;
	u->unsubmitted++;
	res = uring_submit(&u->engine);
	while (!res && !uring_visible(u))
		res = uring_enter(u, 0, 1, IORING_ENTER_GETEVENTS);
	if (res < 0)
		return res;
	res = u->ring.cqes[u->ring.cq_head & u->ring.cq_mask].res;
	u->ring.cq_head++;
	__atomic_store_n(u->ring.cq_khead, u->ring.cq_head, __ATOMIC_RELEASE);
	return res;
}

/* A discard of no bytes says whether the kernel and the device know the command: it is EINVAL
 * where they do. */
static enum uring_trim uring_probe_trim(struct uring *u, unsigned target)
{
	const struct io_uring_sqe nothing = {.opcode = IORING_OP_URING_CMD,
					     .flags = u->sqe_flags,
					     .fd = u->targets[target].fd,
					     .cmd_op = RING_BLOCK_CMD_DISCARD};

	if (u->iopoll || u->targets[target].fd < 0)
		return URING_TRIM_IOCTL;
	if (u->engine.targets[target].kind == TARGET_FILE)
		return URING_TRIM_PUNCH;
	if (u->engine.targets[target].kind != TARGET_BLOCK ||
	    !ring_knows(&u->ring, IORING_OP_URING_CMD) || uring_try(u, &nothing) != -EINVAL)
		return URING_TRIM_IOCTL;
	return URING_TRIM_COMMAND;
}

/* Polling asks something of the device as well: one read tells, before the run starts. */
static int uring_probe_poll(struct uring *u, struct err *err)
{
	const struct target *target = &u->engine.targets[0];
	struct io_uring_sqe read = {.opcode = IORING_OP_READ,
				    .flags = u->sqe_flags,
				    .fd = u->targets[0].fd,
				    .off = target->start_bytes,
				    .addr = (uint64_t)(uintptr_t)u->setup.buffers,
				    .len = (unsigned)u->setup.buffer_bytes};

	if (target->fd < 0 || (fcntl(target->fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
		return 0;
	if (uring_try(u, &read) != -EOPNOTSUPP)
		return 0;
	return err_env(
		err, -EOPNOTSUPP,
		"hipri: \"%s\" has no queues that can be polled (for NVMe load the module "
		"with nvme.poll_queues=N): leave hipri out",
		target->path);
}

#define URING_BEYOND ((off_t)1 << 62)

/*
 * True where the target cannot be asked without waiting, so that io_uring leaves each request to
 * a thread of its own (io-wq). A read far beyond the end finds out and reads nothing; one that
 * is written only is opened once more for it.
 */
static bool uring_needs_threads(const struct target *target)
{
	struct iovec iov = {.iov_base = (void *)&(char){0}, .iov_len = 1};
	int flags = target->fd < 0 ? -1 : fcntl(target->fd, F_GETFL), fd = target->fd;
	char path[40];
	ssize_t n;
	int code;

	if (flags < 0 || (target->kind != TARGET_FILE && target->kind != TARGET_BLOCK))
		return false;
	if ((flags & O_ACCMODE) == O_WRONLY) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", target->fd);
		fd = open(path, O_RDONLY | O_CLOEXEC | (flags & O_DIRECT));
	}
	n = fd < 0 ? 0 : preadv2(fd, &iov, 1, URING_BEYOND, RWF_NOWAIT);
	code = errno;
	if (fd >= 0 && fd != target->fd)
		(void)close(fd); /* opened to read: no data to lose */
	return n < 0 && code == EOPNOTSUPP;
}

/* Worth it only where several are in flight. */
#define URING_YIELD_DEPTH 8

static void uring_look_for_threads(struct uring *u)
{
	if (!u->engine.ntargets || u->sqpoll || u->iopoll ||
	    !uring_needs_threads(&u->engine.targets[0]))
		return;
	u->yields = u->setup.depth >= URING_YIELD_DEPTH;
	uring_tell(u, N_("io-wq threads"));
}

static int uring_start(struct engine *engine, struct err *err)
{
	struct uring *u = container_of(engine, struct uring, engine);
	/* The kernel's thread gives entries back once a whole batch is started, when the first of
	 * it may be reaped and followed by as many new ones: room for both. */
	unsigned room = u->sqpoll ? 2 * u->setup.depth : u->setup.depth;
	const struct ring_wish wish = {.entries = (unsigned)min_u64(room, RING_ENTRIES_MAX),
				       .iopoll = u->iopoll,
				       .sqpoll = u->sqpoll,
				       .sqpoll_cpu = u->setup.spec->sqthread_poll_cpu};
	int rc = ring_open(&u->ring, &wish, err);

	if (rc)
		return rc;
	engine->about[0] = '\0';
	uring_tell_setup(u);
	uring_look_for_threads(u);
	uring_register_files(u);
	if (u->setup.spec->fixedbufs)
		rc = uring_register_buffers(u, err);
	if (!rc && u->iopoll && engine->ntargets)
		rc = uring_probe_poll(u, err);
	if (rc)
		return rc;
	for (unsigned i = 0; i < engine->ntargets && u->setup.spec->rw.does[OP_TRIM]; i++)
		u->targets[i].trim = uring_probe_trim(u, i);
	if (engine->ntargets && u->targets[0].trim == URING_TRIM_COMMAND)
		uring_tell(u, N_("discard command"));
	return 0;
}

static void uring_close(struct engine *engine)
{
	struct uring *u = container_of(engine, struct uring, engine);

	if (u->ring.fd >= 0)
		ring_close(&u->ring);
}

const struct engine_ops engine_uring = {
	.name = "io_uring",
	.help = N_("Linux io_uring: many requests in flight, few system calls"),
	.caps = ENGINE_READ | ENGINE_WRITE | ENGINE_TRIM | ENGINE_SYNC | ENGINE_FIXED_BUFFERS |
		ENGINE_POLLED,
	.size_bytes = sizeof(struct uring),
	.check = uring_check,
	.open = uring_open,
	.start = uring_start,
	.queue = uring_queue,
	.submit = uring_submit,
	.reap = uring_reap,
	.close = uring_close,
};
