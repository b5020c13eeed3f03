/* A rank of unsorted values is the one that sorting gives. Seed 20270. */
#include "stat/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "unit.h"

#define MOST 400

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Orders that selection is known to be slow with, and values that are equal. */
static void fill(struct rng *rng, unsigned kind, double *values, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const double of_kind[] = {(double)rng_below(rng, 1000000),
					  (double)rng_below(rng, 3),
					  i,
					  -(double)i,
					  fabs((double)i - count / 2.0),
					  -fabs((double)i - count / 2.0),
					  7};

		values[i] = of_kind[kind];
	}
}

static void the_nth_is_the_sorted_ones(void **state)
{
	double values[MOST], sorted[MOST];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 20270, 0);
	for (unsigned round = 0; round < 7000; round++) {
		unsigned count = 1 + (unsigned)rng_below(&rng, MOST);
		unsigned nth = (unsigned)rng_below(&rng, count);

		fill(&rng, round % 7, values, count);
		memcpy(sorted, values, sizeof(values));
		qsort(sorted, count, sizeof(*sorted), ascending);
		assert_true(select_nth(values, count, nth) == sorted[nth]);
		for (unsigned i = 0; i < count; i++)
			assert_true(i < nth ? values[i] <= sorted[nth]
					    : values[i] >= sorted[nth]);
		qsort(values, count, sizeof(*values), ascending);
		assert_memory_equal(values, sorted, count * sizeof(*values)); /* none is lost */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nth_is_the_sorted_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
