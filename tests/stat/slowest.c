/* The slowest requests: the same as sorting all of them. */
#include "stat/slowest.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "unit.h"

#define SEED	 50
#define REQUESTS 5000

/* Slowest first; of equal ones the earlier. */
static int slower(const void *a, const void *b)
{
	const struct slow_request *x = a, *y = b;

	if (x->latency_ns != y->latency_ns)
		return x->latency_ns > y->latency_ns ? -1 : 1;
	return x->time_ns < y->time_ns ? -1 : 1;
}

static void the_slowest_are_those_that_sorting_finds(void **state)
{
	struct slow_request *all = calloc(REQUESTS, sizeof(*all));
	struct slowest slowest = {0};
	struct rng rng;

	(void)state;
	assert_non_null(all);
	rng_seed(&rng, SEED, 0);
	for (unsigned i = 0; i < REQUESTS; i++) {
		all[i].time_ns = i;
		all[i].latency_ns = (uint64_t)(rng_unit(&rng) * 1000); /* many are equal */
		slowest_add(&slowest, &all[i]);
		assert_int_equal(slowest.count, i < SLOWEST_MAX ? i + 1 : SLOWEST_MAX);
	}
	qsort(all, REQUESTS, sizeof(*all), slower);
	for (unsigned i = 0; i < SLOWEST_MAX; i++) {
		assert_int_equal(slowest.request[i].latency_ns, all[i].latency_ns);
		assert_int_equal(slowest.request[i].time_ns, all[i].time_ns);
	}
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slowest_are_those_that_sorting_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
