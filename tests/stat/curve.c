/* Knees and areas of load curves whose answer is known. */
#include "unit.h"

#include <math.h>

#include "base/bits.h"
#include "stat/curve.h"

static void a_closed_loop_bends_where_the_drive_is_full(void **state)
{
	/* IOPS over depth: 10 each up to depth 16, then none more. */
	static const double depth[] = {1, 2, 4, 8, 16, 32, 64};
	double iops[ARRAY_SIZE(depth)];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(depth); i++)
		iops[i] = 10 * fmin(depth[i], 16);
	assert_int_equal(curve_knee(depth, iops, ARRAY_SIZE(depth), CURVE_SATURATES), 4);
	iops[6] = 120; /* and falls again */
	assert_int_equal(curve_knee(depth, iops, ARRAY_SIZE(depth), CURVE_SATURATES), 4);
}

static void an_open_loop_bends_before_it_is_full(void **state)
{
	/* M/M/1: latency 1 / (1 - load). The chord from 0.1 to 0.99 is farthest away where the
	 * slope is its own: (1 - load)^2 = 0.9 x 0.01, that is at 0.905. */
	double load[90], latency[90];

	(void)state;
	for (unsigned i = 0; i < 90; i++) {
		load[i] = 0.1 + 0.01 * i;
		latency[i] = 1 / (1 - load[i]);
	}
	assert_true(fabs(load[curve_knee(load, latency, 90, CURVE_TAKES_OFF)] - 0.905) < 0.011);
}

static void a_straight_line_has_no_knee(void **state)
{
	static const double x[] = {1, 2, 3, 4}, y[] = {10, 20, 30, 40}, flat[] = {5, 5, 5, 5};

	(void)state;
	assert_int_equal(curve_knee(x, y, 4, CURVE_SATURATES), -1);
	assert_int_equal(curve_knee(x, y, 4, CURVE_TAKES_OFF), -1);
	assert_int_equal(curve_knee(x, flat, 4, CURVE_SATURATES), -1);
	assert_int_equal(curve_knee(flat, y, 4, CURVE_SATURATES), -1);
	assert_int_equal(curve_knee(x, y, 2, CURVE_SATURATES), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_closed_loop_bends_where_the_drive_is_full),
		cmocka_unit_test(an_open_loop_bends_before_it_is_full),
		cmocka_unit_test(a_straight_line_has_no_knee),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
