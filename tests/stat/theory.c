/* Theory against the published values: reference tables to their last digit. */
#include "stat/theory.h"

#include <math.h>

#include "base/bits.h"
#include "unit.h"

static void assert_near(double value, double wanted, double tolerance)
{
	if (fabs(value - wanted) > tolerance)
		fail_msg("%.5f, wanted %.5f within %.5f", value, wanted, tolerance);
}

static void fifo_and_greedy_are_the_published_ones(void **state)
{
	static const struct {
		double op, fifo, greedy64, greedy128, greedy256;
	} rows[] = {
		{.07, 7.817, 7.001, 7.386, 7.595}, {.125, 4.680, 4.384, 4.527, 4.602},
		{.20, 3.188, 3.053, 3.119, 3.153}, {.28, 2.481, 2.402, 2.441, 2.461},
		{.50, 1.716, 1.681, 1.698, 1.707},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_near(theory_fifo(rows[i].op), rows[i].fifo, .0006);
		assert_near(theory_greedy(rows[i].op, 64), rows[i].greedy64, .0006);
		assert_near(theory_greedy(rows[i].op, 128), rows[i].greedy128, .0006);
		assert_near(theory_greedy(rows[i].op, 256), rows[i].greedy256, .0006);
	}
}

static void hot_and_trimmed_are_the_published_ones(void **state)
{
	(void)state;
	assert_near(theory_hot(.07, .8, .2), 8.182, .0006);
	assert_near(theory_hot(.20, .9, .1), 4.075, .0006);
	assert_near(theory_hot(.50, .95, .05), 2.659, .0006);
	assert_near(theory_fifo(theory_trimmed_op(.07, .1)), 3.334, .0006);
	assert_near(theory_fifo(theory_trimmed_op(.28, .5)), 1.111, .0006);
}

/* Hot data that are not hot are uniform; one choice is a block at random. */
static void special_cases_agree(void **state)
{
	(void)state;
	assert_near(theory_hot(.2, .3, .3), theory_fifo(.2), 1e-6);
	assert_true(theory_choices(.2, 64, 1) > theory_choices(.2, 64, 2));
	assert_near(theory_choices(.2, 64, 4096), theory_greedy(.2, 64), .01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fifo_and_greedy_are_the_published_ones),
		cmocka_unit_test(hot_and_trimmed_are_the_published_ones),
		cmocka_unit_test(special_cases_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
