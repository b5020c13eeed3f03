/* Which drive is not like the others. */
#include "unit.h"

#include <math.h>

#include "base/bits.h"
#include "base/rng.h"
#include "stat/outlier.h"

/* Rosner-like values: two of ten lie far away. Each score is the definition worked by hand. */
static void scores_are_those_of_the_definition(void **state)
{
	static const double values[] = {2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3};
	/* median 2.45, MAD 0.15 of {.35 .15 .05 .05 .15 .35 .15 .15 5.75 5.85} */
	struct outlier found[ARRAY_SIZE(values)];

	(void)state;
	outliers_find(values, ARRAY_SIZE(values), found);
	for (unsigned i = 0; i < ARRAY_SIZE(values); i++) {
		assert_true(fabs(found[i].score - 0.6745 * (values[i] - 2.45) / 0.15) < 1e-9);
		assert_int_equal(found[i].marked, i >= 8);
	}
	assert_true(fabs(found[8].share - (8.2 / 2.45 - 1)) < 1e-12);
}

static void nobody_is_odd_among_two_or_equals(void **state)
{
	static const double two[] = {100, 1}, equals[] = {5, 5, 5, 5};
	struct outlier found[4];

	(void)state;
	outliers_find(two, 2, found);
	assert_false(found[0].marked || found[1].marked);
	outliers_find(equals, 4, found);
	for (unsigned i = 0; i < 4; i++)
		assert_false(found[i].marked);
}

static void one_among_equals_is_found_without_a_mad(void **state)
{
	static const double values[] = {100, 100, 100, 100, 100, 100, 50};
	struct outlier found[ARRAY_SIZE(values)];

	(void)state;
	outliers_find(values, ARRAY_SIZE(values), found);
	for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
		assert_int_equal(found[i].marked, i == 6);
	assert_true(found[6].score < -OUTLIER_SCORE);
}

/* 3.5 deviations of drives that are alike to a thousandth are nothing that anybody buys. */
static void small_differences_are_never_marked(void **state)
{
	static const double values[] = {1000, 1001, 999, 1000.5, 1040};
	struct outlier found[ARRAY_SIZE(values)];

	(void)state;
	outliers_find(values, ARRAY_SIZE(values), found);
	assert_true(found[4].score > OUTLIER_SCORE);
	assert_false(found[4].marked);
}

static void what_is_unknown_takes_no_part(void **state)
{
	const double values[] = {100, (double)NAN, 101, 99, (double)INFINITY, 40};
	struct outlier found[ARRAY_SIZE(values)];

	(void)state;
	outliers_find(values, ARRAY_SIZE(values), found);
	assert_false(found[1].marked || found[4].marked);
	assert_true(found[5].marked);
}

/* Order and unit of the values change nothing. Seed 7. */
static void order_and_unit_do_not_matter(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 7, 0);
	for (unsigned trial = 0; trial < 200; trial++) {
		double values[9], turned[9];
		struct outlier a[9], b[9];

		for (unsigned i = 0; i < 9; i++) {
			values[i] = 1 + (double)rng_below(&rng, 1000);
			turned[8 - i] = 8 * values[i];
		}
		outliers_find(values, 9, a);
		outliers_find(turned, 9, b);
		for (unsigned i = 0; i < 9; i++)
			assert_int_equal(a[i].marked, b[8 - i].marked);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scores_are_those_of_the_definition),
		cmocka_unit_test(nobody_is_odd_among_two_or_equals),
		cmocka_unit_test(one_among_equals_is_found_without_a_mad),
		cmocka_unit_test(small_differences_are_never_marked),
		cmocka_unit_test(what_is_unknown_takes_no_part),
		cmocka_unit_test(order_and_unit_do_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
