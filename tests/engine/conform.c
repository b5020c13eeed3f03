/*
 * Every engine keeps the same promises: what is written is read back, each request comes back
 * exactly once with its length, reap honours min, max and its time. Seed of the orders: 1.
 */
#include "bed.h"

#include "job/job.h"

#define BLOCKS 160u
#define BYTES  ((off_t)BLOCKS * BED_BLOCK)

/* An engine and how it is set. */
struct variant {
	const char *engine, *name;
	void (*set)(struct job_spec *spec);
};

static void set_direct(struct job_spec *spec)
{
	spec->direct = true;
}

static void set_fixed(struct job_spec *spec)
{
	spec->direct = true;
	spec->fixedbufs = true;
}

static void set_plain_files(struct job_spec *spec)
{
	spec->registerfiles_given = true;
}

static void set_vectored(struct job_spec *spec)
{
	spec->nonvectored_given = true;
	spec->force_async = 3;
}

static void set_sqpoll(struct job_spec *spec)
{
	spec->sqthread_poll = true;
}

static void set_sync(struct job_spec *spec)
{
	spec->sync = SYNC_DSYNC;
}

static const struct variant variants[] = {
	{"io_uring", "buffered", NULL},
	{"io_uring", "direct", set_direct},
	{"io_uring", "fixed buffers", set_fixed},
	{"io_uring", "plain files", set_plain_files},
	{"io_uring", "vectored, some async", set_vectored},
	{"io_uring", "sqpoll", set_sqpoll},
	{"libaio", "buffered", NULL},
	{"libaio", "direct", set_direct},
	{"psync", "buffered", NULL},
	{"psync", "direct", set_direct},
	{"psync", "dsync", set_sync},
	{"pvsync", "direct", set_direct},
	{"pvsync2", "direct", set_direct},
	{"sync", "direct", set_direct},
	{"vsync", "buffered", NULL},
	{"posixaio", "direct", set_direct},
	{"mmap", "buffered", NULL},
	{"mmap", "direct", set_direct},
};

static uint64_t block_word(uint64_t block, unsigned word)
{
	uint64_t state = block << 20 | word;

	return rng_splitmix(&state);
}

static void block_fill(void *buf, uint64_t block)
{
	uint64_t *words = buf;

	for (unsigned i = 0; i < BED_BLOCK / 8; i++)
		words[i] = block_word(block, i);
}

static bool block_is(const void *buf, uint64_t block)
{
	const uint64_t *words = buf;

	for (unsigned i = 0; i < BED_BLOCK / 8; i++)
		if (words[i] != block_word(block, i))
			return false;
	return true;
}

static void shuffle(unsigned *order, struct rng *rng)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		order[i] = i;
	for (unsigned i = BLOCKS - 1; i; i--) {
		unsigned j = (unsigned)rng_below(rng, i + 1), swap = order[i];

		order[i] = order[j];
		order[j] = swap;
	}
}

/* All blocks once in random order, keeping `depth` in flight, with random batches and minima. */
static void move_all(struct bed *bed, enum op op, struct rng *rng)
{
	const struct engine_ops *ops = bed->engine->ops;
	struct req *free_reqs[BED_DEPTH_MAX], *done[BED_DEPTH_MAX];
	unsigned order[BLOCKS], nfree = bed->setup.depth, next = 0, reaped = 0;
	unsigned early = 0;

	shuffle(order, rng);
	for (unsigned i = 0; i < nfree; i++)
		free_reqs[i] = &bed->reqs[i];
	while (reaped < BLOCKS) {
		unsigned batch = 1 + (unsigned)rng_below(rng, bed->setup.depth);
		unsigned max = 1 + (unsigned)rng_below(rng, bed->setup.depth), min, inflight;
		int n;

		for (; batch && nfree && next < BLOCKS; batch--, next++) {
			struct req *req = bed_req(bed, free_reqs[--nfree]->slot, op,
						  (uint64_t)order[next] * BED_BLOCK);

			if (op == OP_WRITE)
				block_fill(req->buf, order[next]);
			else
				memset(req->buf, 0, BED_BLOCK);
			assert_int_equal(ops->queue(bed->engine, req), 0);
		}
		assert_int_equal(bed_submit(bed), 0);
		inflight = next - reaped;
		min = (unsigned)rng_below(rng, max + 1);
		n = ops->reap(bed->engine, done, min, max, BED_FOREVER);
		assert_true(n <= (int)max);
		assert_true(n >= 0);
		/* Fewer than `min` come only when the wait was interrupted: by the kernel's work
		 * on the ring of the variant before, and no more than that. */
		if (n < (int)(min < inflight ? min : inflight))
			assert_true(++early <= 2);
		for (int i = 0; i < n; i++) {
			assert_int_equal(done[i]->res, BED_BLOCK);
			assert_true(done[i]->flags & BED_IN_FLIGHT); /* never twice */
			done[i]->flags = 0;
			if (op == OP_READ && !(ops->caps & ENGINE_FAKE))
				assert_true(
					block_is(done[i]->buf, done[i]->offset / BED_BLOCK));
			free_reqs[nfree++] = done[i];
		}
		reaped += (unsigned)n;
	}
	assert_int_equal(nfree, bed->setup.depth);
	assert_int_equal(ops->reap(bed->engine, done, 1, 1, BED_FOREVER), 0);
}

static void trim_all(struct bed *bed)
{
	static const char zeros[BED_BLOCK];

	for (unsigned block = 0; block < 8; block++) {
		assert_int_equal(bed_one(bed, OP_TRIM, (uint64_t)block * BED_BLOCK), BED_BLOCK);
		memset(bed->reqs[0].buf, 0xff, BED_BLOCK);
		assert_int_equal(bed_one(bed, OP_READ, (uint64_t)block * BED_BLOCK), BED_BLOCK);
		assert_memory_equal(bed->reqs[0].buf, zeros, BED_BLOCK);
	}
}

static void conform(const struct variant *v, const char *path, unsigned depth)
{
	static struct bed bed;
	struct rng rng;

	rng_seed(&rng, 1, depth);
	memset(&bed, 0, sizeof(bed));
	bed_spec(&bed.spec);
	if (v->set)
		v->set(&bed.spec);
	bed_open(&bed, engine_find(v->engine), path, depth);
	print_message("%s, %s, depth %u on %s: %s\n", v->engine, v->name, depth, path,
		      bed.engine->about);
	move_all(&bed, OP_WRITE, &rng);
	assert_int_equal(bed_one(&bed, OP_FDATASYNC, 0), 0);
	move_all(&bed, OP_READ, &rng);
	assert_int_equal(bed_one(&bed, OP_FSYNC, 0), 0);
	trim_all(&bed);
	bed_close(&bed);
}

static void conform_all(const char *path)
{
	for (unsigned i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		conform(&variants[i], path, 1);
		if (!(engine_find(variants[i].engine)->caps & ENGINE_DEPTH_1))
			conform(&variants[i], path, 37);
	}
}

static void written_blocks_are_read_back_on_a_file(void **state)
{
	char path[256];

	(void)state;
	bed_file(".", path, sizeof(path), BYTES);
	conform_all(path);
	assert_int_equal(unlink(path), 0);
}

static void written_blocks_are_read_back_on_tmpfs(void **state)
{
	char path[256];

	(void)state;
	bed_file("/dev/shm", path, sizeof(path), BYTES);
	conform_all(path);
	assert_int_equal(unlink(path), 0);
}

static void written_blocks_are_read_back_on_a_loop_device(void **state)
{
	struct bed_loop loop;

	(void)state;
	if (!bed_loop_open(&loop, BYTES, false))
		skip();
	conform_all(loop.path);
	bed_loop_close(&loop);
}

static void null_returns_each_request_once(void **state)
{
	static struct bed bed;
	char path[256];
	struct rng rng;

	(void)state;
	bed_file(".", path, sizeof(path), 0);
	for (unsigned depth = 1; depth < 100; depth += 31) {
		rng_seed(&rng, 1, depth);
		memset(&bed, 0, sizeof(bed));
		bed_spec(&bed.spec);
		bed_open(&bed, engine_find("null"), path, depth);
		move_all(&bed, OP_READ, &rng);
		bed_close(&bed);
	}
	assert_int_equal(unlink(path), 0);
}

/* A name that is found is the engine's own; the job language knows the same names. */
static void engines_are_found_by_name(void **state)
{
	unsigned nnames = 0, nengines = 0;

	(void)state;
	for (; job_engine_names[nnames]; nnames++)
		assert_non_null(engine_find(job_engine_names[nnames]));
	while (engine_all[nengines])
		nengines++;
	assert_int_equal(nengines, nnames);
	for (unsigned i = 0; engine_all[i]; i++)
		assert_ptr_equal(engine_find(engine_all[i]->name), engine_all[i]);
	assert_null(engine_find("nosuch"));
	assert_null(engine_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engines_are_found_by_name),
		cmocka_unit_test(null_returns_each_request_once),
		cmocka_unit_test(written_blocks_are_read_back_on_a_file),
		cmocka_unit_test(written_blocks_are_read_back_on_tmpfs),
		cmocka_unit_test(written_blocks_are_read_back_on_a_loop_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
