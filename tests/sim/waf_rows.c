/* Rows of write amplification: d choices, trimmed, hot and cold. Seed 1. */
#include "sim/waf_check.h"

#include "base/bits.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choices_follow_the_simulated_rows),
		cmocka_unit_test(trimmed_space_is_spare_space),
		cmocka_unit_test(hot_and_cold_data_follow_theory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
