/*
 * The fault engine does what its rules say, to the number, and the same for the same seed (7).
 */
#include "engine/fault.h"

#include "bed.h"

#include <errno.h>

#define REQUESTS 2000

static struct bed bed;

static struct fault_ops faulty;

static void begin(const char *inner, const char *path, unsigned depth,
		  const struct fault_plan *plan)
{
	memset(&bed, 0, sizeof(bed));
	bed_spec(&bed.spec);
	fault_ops_init(&faulty, engine_find(inner), plan);
	bed_open(&bed, &faulty.ops, path, depth);
}

/* The results of REQUESTS reads, one at a time. */
static void run_results(const struct fault_plan *plan, const char *path, int32_t *ret_results)
{
	begin("psync", path, 1, plan);
	for (unsigned i = 0; i < REQUESTS; i++)
		ret_results[i] = bed_one(&bed, OP_READ, (uint64_t)(i % 4) * BED_BLOCK);
	bed_close(&bed);
}

static void the_same_seed_gives_the_same_faults(void **state)
{
	static const struct fault_rule rules[] = {
		{.kind = FAULT_ERROR, .per_million = 100000, .code = EIO},
		{.kind = FAULT_SHORT, .per_million = 200000},
	};
	struct fault_plan plan = {.seed = 7, .rules = rules, .nrules = 2};
	static int32_t first[REQUESTS], second[REQUESTS];
	unsigned errors = 0, shorts = 0;
	char path[256];

	(void)state;
	bed_file(".", path, sizeof(path), 4 * BED_BLOCK);
	run_results(&plan, path, first);
	run_results(&plan, path, second);
	assert_memory_equal(first, second, sizeof(first));
	plan.seed = 8;
	run_results(&plan, path, second);
	assert_memory_not_equal(first, second, sizeof(first));
	for (unsigned i = 0; i < REQUESTS; i++) {
		errors += first[i] == -EIO;
		shorts += first[i] == BED_BLOCK / 2;
		assert_true(first[i] == -EIO || first[i] == BED_BLOCK / 2 ||
			    first[i] == BED_BLOCK);
	}
	assert_in_range(errors, 150, 250); /* 200 expected, deviation 13 */
	assert_in_range(shorts, 290, 430); /* 360 expected, deviation 17 */
	assert_int_equal(unlink(path), 0);
}

static void a_rule_hits_exactly_its_numbers(void **state)
{
	static const struct fault_rule rules[] = {
		{.kind = FAULT_ERROR, .first = 10, .count = 3, .code = ENOSPC},
		{.kind = FAULT_ERROR, .ops = 1u << OP_WRITE, .first = 20, .code = EROFS},
	};
	const struct fault_plan plan = {.rules = rules, .nrules = 2};
	char path[256];

	(void)state;
	bed_file(".", path, sizeof(path), 4 * BED_BLOCK);
	begin("psync", path, 1, &plan);
	for (int i = 0; i < 40; i++) {
		enum op op = i % 2 ? OP_WRITE : OP_READ;
		int32_t expected = BED_BLOCK;

		if (i >= 10 && i < 13)
			expected = -ENOSPC;
		else if (i >= 20 && op == OP_WRITE)
			expected = -EROFS;
		assert_int_equal(bed_one(&bed, op, 0), expected);
		assert_int_equal(bed.reqs[0].len, BED_BLOCK);
	}
	bed_close(&bed);
	assert_int_equal(unlink(path), 0);
}

/* A write that came short has moved no more than it says. */
static void what_a_short_write_leaves_out_is_not_written(void **state)
{
	static const struct fault_rule rule = {.kind = FAULT_SHORT, .first = 1};
	const struct fault_plan plan = {.rules = &rule, .nrules = 1};
	static char found[BED_BLOCK];
	char path[256];
	int fd;

	(void)state;
	bed_file(".", path, sizeof(path), BED_BLOCK);
	begin("io_uring", path, 4, &plan);
	memset(bed.reqs[0].buf, 'a', BED_BLOCK);
	assert_int_equal(bed_one(&bed, OP_WRITE, 0), BED_BLOCK);
	memset(bed.reqs[0].buf, 'b', BED_BLOCK);
	assert_int_equal(bed_one(&bed, OP_WRITE, 0), BED_BLOCK / 2);
	bed_close(&bed);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, found, sizeof(found)), sizeof(found));
	assert_int_equal(found[BED_BLOCK / 2 - 1], 'b');
	assert_int_equal(found[BED_BLOCK / 2], 'a');
	assert_int_equal(close(fd), 0);
	assert_int_equal(unlink(path), 0);
}

/* One of four comes 50 ms late; the others are not held up by it, and no limit is overrun. */
static void a_late_request_holds_up_no_other(void **state)
{
	static const struct fault_rule rule = {
		.kind = FAULT_DELAY, .first = 1, .count = 1, .delay_ns = 50 * NS_PER_MS};
	static const char *const engines[] = {"io_uring", "libaio", "null"};
	const struct fault_plan plan = {.rules = &rule, .nrules = 1};
	char path[256];

	(void)state;
	bed_file(".", path, sizeof(path), 4 * BED_BLOCK);
	for (unsigned i = 0; i < ARRAY_SIZE(engines); i++) {
		const struct engine_ops *ops;
		uint64_t start_ns = clock_monotonic_ns();
		struct req *done[4];
		unsigned got = 0;

		begin(engines[i], path, 4, &plan);
		ops = bed.engine->ops;
		start_ns = clock_monotonic_ns();
		for (unsigned slot = 0; slot < 4; slot++)
			assert_int_equal(
				ops->queue(bed.engine, bed_req(&bed, slot, OP_READ,
							       (uint64_t)slot * BED_BLOCK)),
				0);
		assert_int_equal(bed_submit(&bed), 0);
		while (got < 3) {
			int n = ops->reap(bed.engine, done, 1, 4, BED_FOREVER);

			for (int k = 0; k < n; k++)
				assert_int_not_equal(done[k]->slot, 1);
			got += (unsigned)n;
		}
		assert_int_equal(ops->reap(bed.engine, done, 1, 4, start_ns + 10 * NS_PER_MS),
				 0);
		assert_int_equal(ops->reap(bed.engine, done, 1, 4, BED_FOREVER), 1);
		assert_int_equal(done[0]->slot, 1);
		assert_int_equal(done[0]->res, BED_BLOCK);
		assert_true(clock_monotonic_ns() - start_ns >= 50 * NS_PER_MS);
		assert_int_equal(ops->reap(bed.engine, done, 1, 4, BED_FOREVER), 0);
		bed_close(&bed);
	}
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_seed_gives_the_same_faults),
		cmocka_unit_test(a_rule_hits_exactly_its_numbers),
		cmocka_unit_test(what_a_short_write_leaves_out_is_not_written),
		cmocka_unit_test(a_late_request_holds_up_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
