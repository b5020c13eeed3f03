/*
 * The floor: the plainest loop that keeps `depth` random reads in flight and a histogram of
 * their latencies, and nothing else. What a full test bench reaches is set beside it.
 *
 * usage: bare uring|aio|pread FILE BLOCK_BYTES DEPTH BATCH LEAST SECONDS [direct] [fixed]
 *
 * BATCH requests are sent at a time at most, and LEAST completions are waited for. `fixed`
 * registers the buffers; the file and the ring of io_uring are registered always. Stamps are taken
 * once a batch, before it is sent and after it was reaped. Prints one line of JSON: ios, seconds,
 * p50_ns, p99_ns.
 */
#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <linux/fs.h>

#define SUB_BITS 7
#define BUCKETS	 ((64 - SUB_BITS) << SUB_BITS)

struct bare {
	int fd;
	uint32_t block_bytes;
	unsigned depth, batch, least;
	bool fixed;
	uint64_t blocks, end_ns, ios;
	uint64_t random;
	char *buffers;
	uint64_t *start_ns; /* of each slot */
	unsigned *free;	    /* a stack of slots */
	unsigned nfree;
	uint64_t hist[BUCKETS];
};

static void quit(const char *what, int code)
{
	fprintf(stderr, "bare: %s: %s\n", what, strerror(code));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* xorshift64*, and a multiply instead of a division. */
static uint64_t next_offset(struct bare *b)
{
	b->random ^= b->random >> 12;
	b->random ^= b->random << 25;
	b->random ^= b->random >> 27;
	return (uint64_t)(((__uint128_t)(b->random * 0x2545f4914f6cdd1d) * b->blocks) >> 64) *
	       b->block_bytes;
}

static char *buffer(const struct bare *b, unsigned slot)
{
	return b->buffers + (size_t)slot * b->block_bytes;
}

/* Logarithmic with 128 linear parts: as wide as the bench's own. */
static void hist_add(struct bare *b, uint64_t ns)
{
	unsigned exponent = ns >> SUB_BITS ? 63 - SUB_BITS - __builtin_clzll(ns) : 0;

	b->hist[(exponent << SUB_BITS) + (ns >> exponent)]++;
	b->ios++;
}

static uint64_t percentile(const struct bare *b, double share)
{
	uint64_t want = (uint64_t)(share * (double)b->ios), seen = 0;
	unsigned i = 0;

	while (i < BUCKETS - 1 && (seen += b->hist[i]) < want)
		i++;
	if (i < 2 << SUB_BITS)
		return i;
	return (uint64_t)((i & ((1 << SUB_BITS) - 1)) | (1 << SUB_BITS))
	       << ((i >> SUB_BITS) - 1);
}

static void loop_uring(struct bare *b)
{
	struct io_uring_params params = {.flags = IORING_SETUP_SINGLE_ISSUER |
						  IORING_SETUP_DEFER_TASKRUN};
	struct iovec all = {.iov_base = b->buffers,
			    .iov_len = (size_t)b->depth * b->block_bytes};
	struct io_uring ring;
	uint64_t now;
	int rc = io_uring_queue_init_params(b->depth, &ring, &params);

	if (rc || (rc = io_uring_register_files(&ring, &b->fd, 1)) ||
	    (rc = io_uring_register_ring_fd(&ring)) < 0 ||
	    (b->fixed && (rc = io_uring_register_buffers(&ring, &all, 1))))
		quit("io_uring", -rc);
	while ((now = now_ns()) < b->end_ns) {
		struct io_uring_cqe *cqe;
		unsigned head, seen = 0;

		for (unsigned n = 0; n < b->batch && b->nfree > 0; n++) {
			struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
			unsigned slot = b->free[--b->nfree];

			if (b->fixed)
				io_uring_prep_read_fixed(sqe, 0, buffer(b, slot),
							 b->block_bytes, next_offset(b), 0);
			else
				io_uring_prep_read(sqe, 0, buffer(b, slot), b->block_bytes,
						   next_offset(b));
			sqe->flags |= IOSQE_FIXED_FILE;
			sqe->user_data = slot;
			b->start_ns[slot] = now;
		}
		rc = io_uring_submit_and_wait(&ring, b->nfree ? 0 : b->least);
		if (rc < 0)
			quit("io_uring", -rc);
		now = now_ns();
		io_uring_for_each_cqe(&ring, head, cqe)
		{
			if (cqe->res != (int)b->block_bytes)
				quit("read", cqe->res < 0 ? -cqe->res : EIO);
			hist_add(b, now - b->start_ns[cqe->user_data]);
			b->free[b->nfree++] = (unsigned)cqe->user_data;
			seen++;
		}
		io_uring_cq_advance(&ring, seen);
	}
	io_uring_queue_exit(&ring);
}

static void loop_aio(struct bare *b)
{
	struct iocb *blocks = calloc(b->depth, sizeof(*blocks));
	struct iocb **send = calloc(b->depth, sizeof(*send));
	struct io_event *events = calloc(b->depth, sizeof(*events));
	io_context_t context = NULL;
	uint64_t now;
	int rc;

	if (!blocks || !send || !events)
		quit("memory", ENOMEM);
	if ((rc = io_setup((int)b->depth, &context)))
		quit("io_setup", -rc);
	while ((now = now_ns()) < b->end_ns) {
		int n = 0;

		for (; n < (int)b->batch && b->nfree > 0; n++) {
			unsigned slot = b->free[--b->nfree];

			send[n] = &blocks[slot];
			io_prep_pread(send[n], b->fd, buffer(b, slot), b->block_bytes,
				      (long long)next_offset(b));
			b->start_ns[slot] = now;
		}
		if (n && (rc = io_submit(context, n, send)) != n)
			quit("io_submit", rc < 0 ? -rc : EAGAIN);
		if (b->nfree)
			continue;
		rc = io_getevents(context, (long)b->least, (long)b->depth, events, NULL);
		if (rc < 0)
			quit("io_getevents", -rc);
		now = now_ns();
		for (int i = 0; i < rc; i++) {
			unsigned slot = (unsigned)(events[i].obj - blocks);

			if (events[i].res != b->block_bytes)
				quit("read", EIO);
			hist_add(b, now - b->start_ns[slot]);
			b->free[b->nfree++] = slot;
		}
	}
	io_destroy(context);
	free(blocks);
	free(send);
	free(events);
}

static void loop_pread(struct bare *b)
{
	uint64_t now = now_ns();

	while (now < b->end_ns) {
		uint64_t start = now;
		ssize_t n = pread(b->fd, b->buffers, b->block_bytes, (off_t)next_offset(b));

		if (n != (ssize_t)b->block_bytes)
			quit("read", n < 0 ? errno : EIO);
		now = now_ns();
		hist_add(b, now - start);
	}
}

/* A device's size by ioctl; one without a size (/dev/zero) is taken for 1 GiB. */
static uint64_t size_bytes(int fd)
{
	struct stat st;
	uint64_t bytes = 0;

	if (fstat(fd, &st))
		quit("stat", errno);
	if (S_ISREG(st.st_mode))
		return (uint64_t)st.st_size;
	if (S_ISBLK(st.st_mode) && ioctl(fd, BLKGETSIZE64, &bytes))
		quit("BLKGETSIZE64", errno);
	return bytes ? bytes : 1 << 30;
}

static void prepare(struct bare *b, char **argv)
{
	int direct = 0;

	b->block_bytes = (uint32_t)strtoul(argv[3], NULL, 10);
	b->depth = (unsigned)strtoul(argv[4], NULL, 10);
	b->batch = (unsigned)strtoul(argv[5], NULL, 10);
	b->least = (unsigned)strtoul(argv[6], NULL, 10);
	for (char **word = argv + 8; *word; word++) {
		direct |= strcmp(*word, "direct") == 0 ? O_DIRECT : 0;
		b->fixed |= strcmp(*word, "fixed") == 0;
	}
	if (!b->block_bytes || !b->depth || !b->batch || b->batch > b->depth || !b->least ||
	    b->least > b->depth)
		quit("BLOCK_BYTES, DEPTH, BATCH, LEAST", EINVAL);
	b->fd = open(argv[2], O_RDONLY | O_CLOEXEC | direct);
	if (b->fd < 0)
		quit(argv[2], errno);
	b->blocks = size_bytes(b->fd) / b->block_bytes;
	b->random = 88172645463325252;
	b->buffers = mmap(NULL, (size_t)b->depth * b->block_bytes, PROT_READ | PROT_WRITE,
			  MAP_ANONYMOUS | MAP_PRIVATE | MAP_POPULATE, -1, 0);
	b->start_ns = calloc(b->depth, sizeof(*b->start_ns));
	b->free = calloc(b->depth, sizeof(*b->free));
	if (b->buffers == MAP_FAILED || !b->start_ns || !b->free)
		quit("memory", ENOMEM);
	while (b->nfree < b->depth) {
		b->free[b->nfree] = b->nfree;
		b->nfree++;
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct bare *b);
	} loops[] = {{"uring", loop_uring}, {"aio", loop_aio}, {"pread", loop_pread}};
	static struct bare b;
	uint64_t begin_ns;
	unsigned loop = 0;

	while (argc >= 8 && loop < 3 && strcmp(argv[1], loops[loop].name) != 0)
		loop++;
	if (argc < 8 || loop == 3) {
		fputs("usage: bare uring|aio|pread FILE BLOCK_BYTES DEPTH BATCH LEAST SECONDS "
		      "[direct] [fixed]\n",
		      stderr);
		return 2;
	}
	prepare(&b, argv);
	begin_ns = now_ns();
	b.end_ns = begin_ns + (uint64_t)(strtod(argv[7], NULL) * 1e9);
	loops[loop].run(&b);
	printf("{\"ios\": %llu, \"seconds\": %.6f, \"p50_ns\": %llu, \"p99_ns\": %llu}\n",
	       (unsigned long long)b.ios, (double)(now_ns() - begin_ns) / 1e9,
	       (unsigned long long)percentile(&b, 0.5),
	       (unsigned long long)percentile(&b, 0.99));
	return 0;
}
