/*
 * sprandom: one pass over an empty SSD leaves what random writes converge to. Held on the simulated
 * translation layer, for greedy and FIFO collection; seed 1.
 */
#include "load/onepass.h"

#include <math.h>
#include <stdlib.h>

#include "base/bits.h"
#include "sim/ftl.h"
#include "unit.h"

#define BLOCK_PAGES UINT64_C(64)
#define UNITS	    (1024 * BLOCK_PAGES)

struct drive {
	struct ftl ftl;
	struct arena arena;
	struct rng rng;
};

static void drive_init(struct drive *drive, double spare, enum gc_policy policy)
{
	struct ftl_config config = {.user_pages = UNITS,
				    .pages_per_block = (uint32_t)BLOCK_PAGES,
				    .policy = policy,
				    .seed = 1};

	config.blocks = ftl_blocks_for(UNITS, (uint32_t)BLOCK_PAGES, (uint32_t)(spare * 1e6));
	arena_init(&drive->arena);
	ftl_init(&drive->ftl, &drive->arena, &config);
	rng_seed(&drive->rng, 1, 0);
}

/* Write amplification of `units` uniform random writes. */
static double amplification(struct drive *drive, uint64_t units)
{
	uint64_t before = drive->ftl.counts.moved_pages;

	for (uint64_t i = 0; i < units; i++)
		ftl_write(&drive->ftl, (uint32_t)rng_below(&drive->rng, UNITS));
	return 1 + (double)(drive->ftl.counts.moved_pages - before) / (double)units;
}

static uint64_t write_one_pass(struct drive *drive, double spare)
{
	struct onepass pass;
	uint64_t unit, count = 0;

	onepass_init(&pass, UNITS, spare, 7);
	for (; onepass_next(&pass, &unit); count++)
		ftl_write(&drive->ftl, (uint32_t)unit);
	return count;
}

/* Two full random passes, and then until nothing moves any more: 10 passes more. */
static double converged(double spare, enum gc_policy policy)
{
	struct drive drive;
	double last;

	drive_init(&drive, spare, policy);
	for (uint64_t turn = 0; turn < 2; turn++) {
		struct permute order;

		permute_init(&order, UNITS, turn);
		for (uint64_t i = 0; i < UNITS; i++)
			ftl_write(&drive.ftl, (uint32_t)permute_next(&order));
	}
	(void)amplification(&drive, 8ULL * UNITS);
	last = amplification(&drive, 2ULL * UNITS);
	arena_done(&drive.arena);
	return last;
}

static void one_pass_is_as_good_as_full_passes_without_end(void **state)
{
	static const double spares[] = {.07, .125, .2, .28, .5};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(spares); i++) {
		double spare = spares[i / 2], wanted, got;
		enum gc_policy policy = i % 2 ? GC_FIFO : GC_GREEDY;
		struct drive drive;
		uint64_t count;

		drive_init(&drive, spare, policy);
		count = write_one_pass(&drive, spare);
		assert_true(fabs((double)count / (double)onepass_total(UNITS, spare) - 1) <
			    .005);
		/* The empty blocks lasted to the pass's end: next to nothing was moved. */
		assert_true((double)drive.ftl.counts.moved_pages < .01 * UNITS);
		got = amplification(&drive, UNITS / 2);
		wanted = converged(spare, policy);
		if (fabs(got / wanted - 1) > .02)
			fail_msg("spare %.3f, policy %d: %.4f after one pass, %.4f for ever",
				 spare, (int)policy, got, wanted);
		assert_null(ftl_broken(&drive.ftl));
		arena_done(&drive.arena);
	}
}

/* Two full passes, which it stands for, are further off, the more the larger the spare space. */
static void two_full_passes_are_no_better(void **state)
{
	struct drive drive;
	double wanted = converged(.28, GC_GREEDY), one, two;

	(void)state;
	drive_init(&drive, .28, GC_GREEDY);
	(void)write_one_pass(&drive, .28);
	one = amplification(&drive, UNITS / 2);
	arena_done(&drive.arena);
	drive_init(&drive, .28, GC_GREEDY);
	for (uint64_t turn = 0; turn < 2; turn++) {
		struct permute order;

		permute_init(&order, UNITS, turn);
		for (uint64_t i = 0; i < UNITS; i++)
			ftl_write(&drive.ftl, (uint32_t)permute_next(&order));
	}
	two = amplification(&drive, UNITS / 2);
	arena_done(&drive.arena);
	assert_true(fabs(one / wanted - 1) < fabs(two / wanted - 1));
}

static void every_unit_is_written_and_nothing_else(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 97, 4096, 100003};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned char *seen = calloc(sizes[i], 1);
		struct onepass pass, again;
		uint64_t unit, same, all = 0;

		assert_non_null(seen);
		onepass_init(&pass, sizes[i], .15, 3);
		onepass_init(&again, sizes[i], .15, 3);
		while (onepass_next(&pass, &unit)) {
			assert_true(onepass_next(&again, &same));
			assert_int_equal(unit, same);
			assert_true(unit < sizes[i]);
			all += !seen[unit];
			seen[unit] = 1;
		}
		assert_int_equal(all, sizes[i]);
		free(seen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_pass_is_as_good_as_full_passes_without_end),
		cmocka_unit_test(two_full_passes_are_no_better),
		cmocka_unit_test(every_unit_is_written_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
