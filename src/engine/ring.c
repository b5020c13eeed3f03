#include "engine/ring_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"

/*
 * Set-up flags, newest kernel first; each row is one that the rows below it lack. A kernel that
 * does not know a flag says EINVAL. Completions that are handed over only when this thread asks
 * (DEFER_TASKRUN) cost neither interrupts nor cache lines of others; TASKRUN_FLAG tells from user
 * space that some wait. SUBMIT_ALL: one bad request does not hold up those behind it.
 */
static const unsigned ring_tiers[] = {
	/* 6.6 */ IORING_SETUP_SUBMIT_ALL | IORING_SETUP_TASKRUN_FLAG |
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | RING_SETUP_NO_SQARRAY,
	/* 6.1 */ IORING_SETUP_SUBMIT_ALL | IORING_SETUP_TASKRUN_FLAG |
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
	/* 6.0 */ IORING_SETUP_SUBMIT_ALL | IORING_SETUP_TASKRUN_FLAG |
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
	/* 5.19 */ IORING_SETUP_SUBMIT_ALL | IORING_SETUP_TASKRUN_FLAG |
		IORING_SETUP_COOP_TASKRUN,
	/* 5.18 */ IORING_SETUP_SUBMIT_ALL,
	/* 5.1 */ 0,
};

/* The kernel's thread submits: nobody is to be interrupted, and it refuses these. */
#define RING_NOT_WITH_SQPOLL \
	(IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN)

static int ring_setup(const struct ring_wish *wish, struct io_uring_params *params)
{
	unsigned wanted = 0;
	int fd = -EINVAL;

	if (wish->iopoll)
		wanted |= IORING_SETUP_IOPOLL;
	if (wish->sqpoll)
		wanted |= IORING_SETUP_SQPOLL;
	if (wish->sqpoll && wish->sqpoll_cpu >= 0)
		wanted |= IORING_SETUP_SQ_AFF;
	for (unsigned i = 0; i < ARRAY_SIZE(ring_tiers) && fd == -EINVAL; i++) {
		unsigned flags = ring_tiers[i];

		if (wish->sqpoll)
			flags &= ~(unsigned)RING_NOT_WITH_SQPOLL;
		*params = (struct io_uring_params){.flags = flags | wanted};
		if (wanted & IORING_SETUP_SQ_AFF)
			params->sq_thread_cpu = (unsigned)wish->sqpoll_cpu;
		fd = io_uring_setup(wish->entries, params);
	}
	return fd;
}

static int ring_explain_eperm(struct err *err)
{
	char text[32];
	int disabled = 0;

	if (!file_read_line("/proc/sys/kernel/io_uring_disabled", text, sizeof(text)))
		disabled = text[0] - '0';
	if (disabled == 2)
		return err_env(err, -EPERM,
			       "io_uring is switched off here (kernel.io_uring_disabled = 2): "
			       "set it to 0, or use ioengine=libaio");
	if (disabled == 1)
		return err_env(err, -EPERM,
			       "io_uring is for the administrator only here "
			       "(kernel.io_uring_disabled = 1): run as root, join the group of "
			       "kernel.io_uring_group, or use ioengine=libaio");
	return err_env(
		err, -EPERM,
		"io_uring is forbidden here, most likely by a seccomp filter (containers "
		"have one): allow its system calls, or use ioengine=libaio");
}

static int ring_explain(const struct ring_wish *wish, int code, struct err *err)
{
	switch (-code) {
	case ENOSYS:
		return err_env(
			err, code,
			"this kernel has no io_uring (it came with 5.1 and can be left out, "
			"or a seccomp filter hides it): use ioengine=libaio");
	case EPERM:
	case EACCES:
		return ring_explain_eperm(err);
	case ENOMEM:
		return err_env(
			err, code,
			"no memory for an io_uring of %u entries: raise the limit of locked "
			"memory (ulimit -l; kernels before 5.12 count the ring there), "
			"lower iodepth, or use ioengine=libaio",
			wish->entries);
	case EMFILE:
	case ENFILE:
		return err_env(
			err, code,
			"no file descriptor left for an io_uring: raise ulimit -n, or use "
			"fewer jobs or files");
	case EINVAL:
		if (wish->sqpoll && wish->sqpoll_cpu >= 0)
			return err_env(
				err, code,
				"io_uring refuses sqthread_poll_cpu=%d: is that CPU there, "
				"and allowed to this process?",
				wish->sqpoll_cpu);
		break;
	default:
		break;
	}
	return err_env(err, code,
		       "cannot set up an io_uring of %u entries: %s; ioengine=libaio may do",
		       wish->entries, err_name(code));
}

/* The rings are one mapping since 5.4; older kernels lack the plain READ that we need too. */
static int ring_map(struct ring *ring, const struct io_uring_params *p)
{
	size_t sq_bytes = p->sq_off.array + p->sq_entries * sizeof(unsigned);
	size_t cq_bytes = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	char *at;

	if (!(p->features & IORING_FEAT_SINGLE_MMAP))
		return -EOPNOTSUPP;
	ring->rings_bytes = sq_bytes > cq_bytes ? sq_bytes : cq_bytes;
	at = mmap(NULL, ring->rings_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		  ring->fd, IORING_OFF_SQ_RING);
	if (at == MAP_FAILED)
		return -errno;
	ring->rings = at;
	ring->sqes_bytes = p->sq_entries * sizeof(struct io_uring_sqe);
	ring->sqes = mmap(NULL, ring->sqes_bytes, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
	if (ring->sqes == MAP_FAILED) {
		ring->sqes = NULL;
		return -errno;
	}
	ring->sq_khead = (unsigned *)(void *)(at + p->sq_off.head);
	ring->sq_ktail = (unsigned *)(void *)(at + p->sq_off.tail);
	ring->sq_kflags = (unsigned *)(void *)(at + p->sq_off.flags);
	ring->cq_khead = (unsigned *)(void *)(at + p->cq_off.head);
	ring->cq_ktail = (unsigned *)(void *)(at + p->cq_off.tail);
	ring->cqes = (struct io_uring_cqe *)(void *)(at + p->cq_off.cqes);
	ring->entries = p->sq_entries;
	ring->sq_mask = p->sq_entries - 1;
	ring->cq_mask = p->cq_entries - 1;
	if (!(p->flags & RING_SETUP_NO_SQARRAY)) {
		/* Slot i always holds entry i: written once, never again. */
		unsigned *array = (unsigned *)(void *)(at + p->sq_off.array);

		for (unsigned i = 0; i < p->sq_entries; i++)
			array[i] = i;
	}
	return 0;
}

#define RING_PROBE_OPS 256

static int ring_probe(struct ring *ring)
{
	size_t bytes = sizeof(struct io_uring_probe) +
		       RING_PROBE_OPS * sizeof(struct io_uring_probe_op);
	struct io_uring_probe *probe = calloc(1, bytes);
	int rc;

	if (!probe)
		return -ENOMEM;
	rc = io_uring_register((unsigned)ring->fd, IORING_REGISTER_PROBE, probe,
			       RING_PROBE_OPS);
	for (unsigned i = 0; !rc && i < probe->ops_len && i < RING_PROBE_OPS; i++)
		if (probe->ops[i].flags & IO_URING_OP_SUPPORTED)
			ring->ops[probe->ops[i].op / 64] |= 1ULL << (probe->ops[i].op % 64);
	free(probe);
	return rc < 0 ? rc : 0;
}

/* The ring's own descriptor, known to the kernel by index: an enter takes no reference (5.18). */
static void ring_register_fd(struct ring *ring)
{
	struct io_uring_rsrc_update update = {.offset = -1U, .data = (uint64_t)ring->fd};
	int n = io_uring_register((unsigned)ring->fd, IORING_REGISTER_RING_FDS, &update, 1);

	if (n != 1)
		return; /* an older kernel: the plain descriptor works as well */
	ring->owner = (int)gettid();
	ring->enter_fd = (int)update.offset;
	ring->enter_flags = IORING_ENTER_REGISTERED_RING;
}

int ring_open(struct ring *ring, const struct ring_wish *wish, struct err *err)
{
	struct io_uring_params params;
	int rc = ring_setup(wish, &params);

	*ring = (struct ring){.fd = -1, .enter_fd = -1};
	if (rc < 0)
		return ring_explain(wish, rc, err);
	ring->fd = ring->enter_fd = rc;
	ring->setup_flags = params.flags;
	ring->features = params.features;
	rc = ring_map(ring, &params);
	if (!rc)
		rc = ring_probe(ring);
	if (!rc &&
	    !(ring_knows(ring, IORING_OP_READ) && (ring->features & IORING_FEAT_EXT_ARG)))
		rc = -EOPNOTSUPP;
	if (!rc) {
		ring_register_fd(ring);
		return 0;
	}
	ring_close(ring);
	if (rc == -EOPNOTSUPP || rc == -EINVAL)
		return err_env(
			err, rc,
			"this kernel's io_uring is too old (5.11 is the first that serves): "
			"use ioengine=libaio");
	return ring_explain(wish, rc, err);
}

/* A thread's end does the same; another thread's table is none of ours. */
static void ring_unregister_fd(const struct ring *ring)
{
	struct io_uring_rsrc_update update = {.offset = (unsigned)ring->enter_fd};

	if (ring->enter_flags && ring->owner == (int)gettid())
		(void)io_uring_register((unsigned)ring->fd, IORING_UNREGISTER_RING_FDS, &update,
					1);
}

void ring_close(struct ring *ring)
{
	ring_unregister_fd(ring);
	if (ring->sqes)
		(void)munmap(ring->sqes, ring->sqes_bytes);
	if (ring->rings)
		(void)munmap(ring->rings, ring->rings_bytes);
	if (ring->fd >= 0)
		(void)close(ring->fd);
	*ring = (struct ring){.fd = -1, .enter_fd = -1};
}

int ring_check(struct err *err)
{
	const struct ring_wish wish = {.entries = 1, .sqpoll_cpu = -1};
	struct ring ring;
	int rc = ring_open(&ring, &wish, err);

	if (!rc)
		ring_close(&ring);
	return rc;
}
