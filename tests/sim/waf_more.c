/* The other rows: d choices, trimmed, hot and cold, sequential, and what is refused. Seed 1. */
#include "sim/waf_check.h"

#include "base/bits.h"
#include "base/str.h"

static void choices_follow_the_simulated_rows(void **state)
{
	/* Rows d = 2, 4, 8, 16; 128 pages a block. */
	static const struct {
		uint32_t op_ppm;
		double wanted[4];
	} rows[] = {
		{70000, {10.433, 8.462, 7.732, 7.490}}, {125000, {6.260, 5.130, 4.720, 4.584}},
		{200000, {4.229, 3.505, 3.240, 3.155}}, {280000, {3.262, 2.725, 2.530, 2.467}},
		{500000, {2.194, 1.869, 1.752, 1.714}},
	};
	struct waf_setup setup;

	(void)state;
	waf_setup_init(&setup);
	setup.policy = GC_CHOICES;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (uint32_t j = 0; j < 4; j++) {
			setup.op_ppm = rows[i].op_ppm;
			setup.choices = 2u << j;
			(void)assert_waf(&setup, rows[i].wanted[j], 2);
		}
	}
}

static void trimmed_space_is_spare_space(void **state)
{
	/* 10, 25 and 50 % trimmed. */
	static const struct {
		uint32_t op_ppm;
		double wanted[3];
	} rows[] = {
		{70000, {3.334, 1.881, 1.203}},	 {125000, {2.693, 1.716, 1.172}},
		{200000, {2.201, 1.558, 1.138}}, {280000, {1.893, 1.441, 1.111}},
		{500000, {1.480, 1.255, 1.063}},
	};
	static const uint32_t trims_ppm[] = {100000, 250000, 500000};
	struct waf_setup setup;

	(void)state;
	waf_setup_init(&setup);
	setup.policy = GC_FIFO;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(trims_ppm); j++) {
			setup.op_ppm = rows[i].op_ppm;
			setup.trim_ppm = trims_ppm[j];
			(void)assert_waf(&setup, rows[i].wanted[j], 3);
		}
	}
}

static void hot_and_cold_data_follow_theory(void **state)
{
	/* 80/20, 90/10, 95/5. */
	static const struct {
		uint32_t op_ppm;
		double wanted[3];
	} rows[] = {
		{70000, {8.182, 8.866, 9.958}},	 {125000, {5.037, 5.651, 6.505}},
		{200000, {3.536, 4.075, 4.717}}, {280000, {2.820, 3.296, 3.788}},
		{500000, {2.029, 2.384, 2.659}},
	};
	static const uint32_t hot_ppm[] = {800000, 900000, 950000};
	struct waf_setup setup;

	(void)state;
	waf_setup_init(&setup);
	setup.policy = GC_FIFO;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(hot_ppm); j++) {
			setup.op_ppm = rows[i].op_ppm;
			setup.hot_writes_ppm = hot_ppm[j];
			setup.hot_space_ppm = 1000000 - hot_ppm[j];
			(void)assert_waf(&setup, rows[i].wanted[j], 5);
		}
	}
}

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
		cmocka_unit_test(choices_follow_the_simulated_rows),
		cmocka_unit_test(trimmed_space_is_spare_space),
		cmocka_unit_test(hot_and_cold_data_follow_theory),
		cmocka_unit_test(a_stream_for_collection_helps_hot_data),
		cmocka_unit_test(sequential_writes_move_nothing),
		cmocka_unit_test(the_same_seed_gives_the_same_figures),
		cmocka_unit_test(what_cannot_work_is_one_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
