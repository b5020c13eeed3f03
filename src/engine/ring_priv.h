/*
 * struct ring: one io_uring, mapped into user space. Made by the thread that will use it, and
 * used by it alone. ring_open() finds out what this kernel offers and takes the best of it; the
 * hot path in uring.c then works on the pointers here directly, with no library in between.
 *
 * liburing gives the structs and the three system calls. The constants of newer kernels than its
 * 2.3 knows are below.
 */
#pragma once

#include <liburing.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* uapi/linux/io_uring.h and uapi/linux/blkdev.h; the release that brought each. */
#define RING_SETUP_NO_SQARRAY  (1U << 16)   /* 6.6 */
#define RING_BLOCK_CMD_DISCARD _IO(0x12, 0) /* 6.12 */

struct ring_wish {
	unsigned entries; /* requests in flight at most */
	bool iopoll, sqpoll;
	int sqpoll_cpu; /* -1: any */
};

struct ring {
	int fd;		      /* -1: none */
	int owner;	      /* thread that made it: only there is enter_fd known */
	int enter_fd;	      /* what io_uring_enter takes: fd, or its registered index */
	unsigned enter_flags; /* IORING_ENTER_REGISTERED_RING, or 0 */
	unsigned setup_flags; /* as granted */
	unsigned features;    /* IORING_FEAT_ */
	unsigned entries;     /* of the submission queue: a power of two */
	unsigned sq_mask, cq_mask;
	unsigned sq_tail, cq_head; /* ours; the kernel's copies are behind the pointers */
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	unsigned *sq_khead, *sq_ktail, *sq_kflags, *cq_khead, *cq_ktail;
	uint64_t ops[4]; /* bit per IORING_OP_ that the kernel knows */
	void *rings;
	size_t rings_bytes, sqes_bytes;
};

/* Largest submission queue that the kernel gives (IORING_MAX_ENTRIES). */
#define RING_ENTRIES_MAX 32768

/* The error names the likely cause and the way out. */
int ring_open(struct ring *ring, const struct ring_wish *wish, struct err *err);
void ring_close(struct ring *ring);

/* Would ring_open() work here? */
int ring_check(struct err *err);

static inline bool ring_knows(const struct ring *ring, unsigned op)
{
	return op < 256 && (ring->ops[op / 64] >> (op % 64) & 1);
}
