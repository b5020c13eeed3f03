/* Bounds against values that a few lines of Python find by bisection of the distributions' own
 * sums; Student's t and the incomplete functions against printed tables. */
#include "unit.h"

#include <math.h>

#include "base/bits.h"
#include "stat/confidence.h"

#define assert_near(a, b, relative) assert_true(fabs((a) - (b)) <= (relative)*fabs(b))

static void poisson_bounds_are_garwoods(void **state)
{
	static const double table[][3] = {
		{1, 0.025317808, 5.5716434}, {2, 0.24220928, 7.2246877},
		{5, 1.6234864, 11.668332},   {10, 4.7953887, 18.390356},
		{50, 37.110964, 65.918767},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
		struct bounds bounds = poisson_bounds(table[i][0]);

		assert_near(bounds.low, table[i][1], 1e-6);
		assert_near(bounds.high, table[i][2], 1e-6);
	}
	assert_near(poisson_bounds(0).high, 2.995732, 1e-6); /* the rule of three */
}

static void poisson_bounds_go_on_smoothly(void **state)
{
	(void)state;
	for (double k = 9000; k < 12000; k += 500) {
		struct bounds bounds = poisson_bounds(k);

		assert_near(bounds.low, k - 1.96 * sqrt(k), 2e-3);
		assert_near(bounds.high, k + 1.96 * sqrt(k), 2e-3);
	}
}

static void share_bounds_are_clopper_pearsons(void **state)
{
	struct bounds bounds = share_bounds(5, 100);

	(void)state;
	assert_near(bounds.low, 0.01643188, 1e-6);
	assert_near(bounds.high, 0.1128349, 1e-6);
	bounds = share_bounds(95, 100); /* the same from the other side */
	assert_near(bounds.low, 1 - 0.1128349, 1e-6);
	assert_near(bounds.high, 1 - 0.01643188, 1e-6);
	assert_near(share_bounds(0, 59).high, 0.0495, 0.02);
	assert_true(share_bounds(59, 59).low > 0.95);
	assert_true(share_bounds(58, 58).low < 0.95);
}

static void students_quantiles_are_the_tables(void **state)
{
	(void)state;
	assert_near(student_quantile(1, 0.95), 12.7062, 1e-5);
	assert_near(student_quantile(9, 0.95), 2.262157, 1e-6);
	assert_near(student_quantile(1e6, 0.95), 1.959966, 1e-5);
	assert_near(student_tails(2.262157, 9), 0.05, 1e-6);
}

static void incomplete_functions_are_the_tables(void **state)
{
	(void)state;
	assert_near(incomplete_beta(2, 3, 0.4), 0.5248, 1e-9);
	assert_near(incomplete_gamma(3, 2), 0.3233235838, 1e-8);
	assert_near(incomplete_gamma(1, 5), 1 - exp(-5), 1e-12);
}

/* What is asked for is enough, and a tenth less is not. */
static void needs_are_sufficient_and_not_excessive(void **state)
{
	static const double cases[][3] = {
		{0, 1000, 1e-6}, {3, 10000, 1e-3}, {12, 10000, 1e-3}, {40, 50, 0.9}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		double hits = cases[i][0], trials = cases[i][1], limit = cases[i][2];
		double n = (double)share_needs(hits, trials, limit);
		struct bounds now = share_bounds(hits, trials);
		struct bounds then = share_bounds(hits * n / trials, n);
		struct bounds less = share_bounds(hits * n / trials * 0.9, n * 0.9);

		if (now.low <= limit && now.high >= limit)
			assert_true(less.high >= limit && less.low <= limit);
		assert_true(then.high < limit || then.low > limit);
	}
	assert_near((double)share_needs(0, 1, 1e-6), 2995732.0, 1e-3);
	assert_true(share_needs(50, 100, 0.5) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(poisson_bounds_are_garwoods),
		cmocka_unit_test(poisson_bounds_go_on_smoothly),
		cmocka_unit_test(share_bounds_are_clopper_pearsons),
		cmocka_unit_test(students_quantiles_are_the_tables),
		cmocka_unit_test(incomplete_functions_are_the_tables),
		cmocka_unit_test(needs_are_sufficient_and_not_excessive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
