/* Write amplification where no table is needed, and what is refused. Seed 1. */
#include "sim/waf_check.h"

#include "base/bits.h"
#include "base/str.h"

/* Streams kept apart are the remedy for hot and cold data: much less is moved. */
static void a_stream_for_collection_helps_hot_data(void **state)
{
	struct waf_setup setup;
	double together;

	(void)state;
	waf_setup_init(&setup);
	setup.hot_writes_ppm = 900000;
	setup.hot_space_ppm = 100000;
	setup.blocks = 1024;
	together = waf_of(&setup).measured;
	setup.gc_stream = true;
	assert_true(waf_of(&setup).measured < .9 * together);
}

/* The uniform rows in small, for every day; the whole tables are in waf.c and waf_rows.c. */
static void each_policy_follows_theory(void **state)
{
	struct waf_setup setup;

	(void)state;
	waf_setup_init(&setup);
	setup.blocks = 1024;
	setup.pages_per_block = 64;
	(void)assert_waf(&setup, 3.053, 1.5);
	setup.policy = GC_FIFO;
	(void)assert_waf(&setup, 3.188, 1);
	setup.policy = GC_CHOICES;
	setup.choices = 16;
	(void)assert_waf(&setup, waf_of(&setup).theory, 2);
}

static void sequential_writes_move_nothing(void **state)
{
	struct waf_setup setup;

	(void)state;
	waf_setup_init(&setup);
	setup.turns = 8;
	assert_true(fabs(waf_of(&setup).sequential - 1) <= .005);
	setup.policy = GC_FIFO;
	assert_true(fabs(waf_of(&setup).sequential - 1) <= .005);
}

static void the_same_seed_gives_the_same_figures(void **state)
{
	struct waf_setup setup;
	struct waf_result one, two;

	(void)state;
	waf_setup_init(&setup);
	setup.blocks = 256;
	setup.policy = GC_CHOICES;
	setup.choices = 3;
	one = waf_of(&setup);
	two = waf_of(&setup);
	assert_true(one.measured == two.measured);
	assert_true(one.last == two.last);
	setup.seed = 2;
	assert_true(waf_of(&setup).measured != one.measured);
}

static void what_cannot_work_is_one_error(void **state)
{
	struct waf_setup good, setup;
	struct waf_result result;

	(void)state;
	waf_setup_init(&good);
	for (int i = 0; i < 7; i++) {
		struct err err = {0};

		setup = good;
		setup.op_ppm = i == 0 ? 0 : good.op_ppm;
		setup.pages_per_block = i == 1 ? 0 : good.pages_per_block;
		setup.trim_ppm = i == 2 ? 1000000 : 0;
		setup.hot_writes_ppm = i == 3 ? 800000 : 0;
		setup.turns = i == 4 ? 9 : good.turns;
		setup.blocks = i == 5 ? UINT32_MAX - 9 : good.blocks;
		setup.policy = i == 6 ? GC_CHOICES : GC_GREEDY;
		assert_int_equal(waf_run(&setup, &result, &err), -EINVAL);
		assert_true(err.text[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_for_collection_helps_hot_data),
		cmocka_unit_test(each_policy_follows_theory),
		cmocka_unit_test(sequential_writes_move_nothing),
		cmocka_unit_test(the_same_seed_gives_the_same_figures),
		cmocka_unit_test(what_cannot_work_is_one_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
