/* Greedy and FIFO collection against theory: 2,048 blocks, seed 1. */
#include "sim/waf_check.h"

#include "base/bits.h"

static const uint32_t ops_ppm[] = {70000, 125000, 200000, 280000, 500000};

static void greedy_follows_theory_and_falls_with_space(uint32_t pages_per_block,
						       const double *wanted)
{
	struct waf_setup setup;
	double last = 1e9;

	waf_setup_init(&setup);
	setup.pages_per_block = pages_per_block;
	for (size_t i = 0; i < ARRAY_SIZE(ops_ppm); i++) {
		struct waf_result result;

		setup.op_ppm = ops_ppm[i];
		result = assert_waf(&setup, wanted[i], 1.5);
		assert_steady(&result);
		assert_true(result.measured < last);
		last = result.measured;
	}
}

static void greedy_64(void **state)
{
	static const double wanted[] = {7.001, 4.384, 3.053, 2.402, 1.681};

	(void)state;
	greedy_follows_theory_and_falls_with_space(64, wanted);
}

static void greedy_128(void **state)
{
	static const double wanted[] = {7.386, 4.527, 3.119, 2.441, 1.698};

	(void)state;
	greedy_follows_theory_and_falls_with_space(128, wanted);
}

static void greedy_256(void **state)
{
	static const double wanted[] = {7.595, 4.602, 3.153, 2.461, 1.707};

	(void)state;
	greedy_follows_theory_and_falls_with_space(256, wanted);
}

static void fifo_follows_theory(void **state)
{
	static const double wanted[] = {7.817, 4.680, 3.188, 2.481, 1.716};
	struct waf_setup setup;
	double last = 1e9;

	(void)state;
	waf_setup_init(&setup);
	setup.policy = GC_FIFO;
	for (size_t i = 0; i < ARRAY_SIZE(ops_ppm); i++) {
		struct waf_result result;

		setup.op_ppm = ops_ppm[i];
		result = assert_waf(&setup, wanted[i], 1);
		assert_steady(&result);
		assert_true(result.measured < last);
		last = result.measured;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(greedy_64),
		cmocka_unit_test(greedy_128),
		cmocka_unit_test(greedy_256),
		cmocka_unit_test(fifo_follows_theory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
