/*
 * Memory: none is allocated between the start and the end of the worker's loop, by nobody in the
 * process; and what a worker takes beyond its buffers has a limit.
 */
#include "unit.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "budget/bench.h"

#define WORKER_BYTES_MAX (320 * KiB)
#define WORKERS		 16

/* --- every way to the heap, counted ---------------------------------------------------------- */

static unsigned long allocations;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* glibc's own names of what we put ourselves before: libraries come through here as well. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

void *malloc(size_t bytes)
{
	allocations++;
	return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	allocations++;
	return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
	allocations++;
	return __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
	allocations++;
	return __libc_memalign(align, bytes);
}

int posix_memalign(void **ret, size_t align, size_t bytes)
{
	allocations++;
	*ret = __libc_memalign(align, bytes);
	return *ret ? 0 : 12;
}
#endif

/* --- the tests ------------------------------------------------------------------------------- */

/* posixaio is left out: glibc's threads allocate as they like. */
static const char *const loops[] = {
	"--ioengine=null --rw=randrw --size=8g --number_ios=200000",
	"--ioengine=null --rw=randrw --size=8g --number_ios=200 --rate_iops=5000",
	"--ioengine=null --rw=randwrite --size=1g --number_ios=5000 --refill_buffers=1",
	"--ioengine=io_uring --size=1m --rw=randrw --fsync=8",
	"--ioengine=libaio --size=1m --rw=randrw",
	"--ioengine=psync --size=1m --rw=randrw",
	"--ioengine=pvsync2 --size=1m --rw=randrw",
	"--ioengine=mmap --size=1m --rw=randrw",
};

static void open_bench(struct bench *bench, const char *loop)
{
	char options[512];

	(void)snprintf(options, sizeof(options), "--name=b --bs=4k --iodepth=32 %s", loop);
	bench_open(bench, options, NS_PER_MS);
}

static void loop_allocates_nothing(void **state)
{
	(void)state;
	if (bench_why_not()) {
		print_message("%s\n", bench_why_not());
		skip();
	}
	for (unsigned i = 0; i < ARRAY_SIZE(loops); i++) {
		struct bench bench;
		unsigned long before;

		open_bench(&bench, loops[i]);
		assert_true(allocations > 0); /* else the counting does not work */
		arena_seal(&bench.arena);     /* an allocation from it aborts */
		assert_true(bench_start(&bench));
		before = allocations;
		bench_go(&bench);
		worker_loop(bench.worker);
		assert_int_equal(allocations, before);
		assert_true(bench_ios(&bench) > 0);
		bench_close(&bench);
	}
}

/* Of the arena and the heap; buffers are a mapping of their own. */
static size_t worker_bytes(const char *loop)
{
	struct bench bench;
	size_t heap, arena, bytes;
	struct worker *more[WORKERS];

	open_bench(&bench, loop);
	heap = mallinfo2().uordblks;
	arena = bench.arena.given_bytes;
	for (unsigned i = 0; i < WORKERS; i++)
		more[i] = bench_add_worker(&bench, i + 1);
	bytes = bench.arena.given_bytes - arena + mallinfo2().uordblks - heap;
	for (unsigned i = 0; i < WORKERS; i++)
		worker_close(more[i]);
	bench_close(&bench);
	return bytes / WORKERS;
}

static void worker_is_small(void **state)
{
	(void)state;
	static const char *const jobs[] = {
		"--ioengine=null --rw=randrw --size=8g",
		"--ioengine=io_uring --rw=randrw --size=1m",
		"--ioengine=libaio --rw=randrw --size=1m",
		"--ioengine=psync --rw=randrw --size=1m",
	};

	for (unsigned i = 0; i < ARRAY_SIZE(jobs); i++) {
		size_t bytes = worker_bytes(jobs[i]);

		print_message("%s: %zu KiB a worker\n", jobs[i], bytes / (size_t)KiB);
		assert_true(bytes <= WORKER_BYTES_MAX);
	}
}

/* A histogram that no request of the job can fill is not there. */
static void worker_has_only_its_jobs_histograms(void **state)
{
	size_t mixed = worker_bytes("--ioengine=null --rw=randrw --size=8g");
	size_t reads = worker_bytes("--ioengine=null --rw=randread --size=8g");
	size_t untimed =
		worker_bytes("--ioengine=null --rw=randread --size=8g --gtod_reduce=1");

	(void)state;
	print_message("mixed %zu, reads %zu, untimed %zu KiB a worker\n", mixed / (size_t)KiB,
		      reads / (size_t)KiB, untimed / (size_t)KiB);
	assert_true(reads < mixed * 2 / 3);
	assert_true(untimed < reads / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loop_allocates_nothing),
		cmocka_unit_test(worker_is_small),
		cmocka_unit_test(worker_has_only_its_jobs_histograms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
