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

static void check_against_sorting(struct rng *rng, unsigned most)
{
	struct slow_request *all = calloc(REQUESTS, sizeof(*all));
	unsigned kept = most < REQUESTS ? most : REQUESTS;
	struct slowest slowest;
	struct arena arena;

	assert_non_null(all);
	arena_init(&arena);
	slowest_init(&slowest, &arena, most);
	for (unsigned i = 0; i < REQUESTS; i++) {
		all[i].time_ns = i;
		all[i].latency_ns = (uint64_t)(rng_unit(rng) * 1000); /* many are equal */
		slowest_add(&slowest, &all[i]);
		assert_int_equal(slowest.count, i < most ? i + 1 : most);
	}
	slowest_sort(&slowest);
	assert_int_equal(slowest.seen, REQUESTS);
	assert_int_equal(slowest.count, kept);
	assert_int_equal(slowest.offsets_end, 0);
	qsort(all, REQUESTS, sizeof(*all), slower);
	for (unsigned i = 0; i < kept; i++) {
		assert_int_equal(slowest.request[i].latency_ns, all[i].latency_ns);
		assert_int_equal(slowest.request[i].time_ns, all[i].time_ns);
	}
	free(all);
	arena_done(&arena);
}

static void the_slowest_are_those_that_sorting_finds(void **state)
{
	static const unsigned mosts[] = {1, 2, 7, 50, SLOWEST_MAX, REQUESTS + 1};
	struct rng rng;

	(void)state;
	rng_seed(&rng, SEED, 0);
	for (unsigned i = 0; i < ARRAY_SIZE(mosts); i++)
		check_against_sorting(&rng, mosts[i]);
}

static void offsets_of_all_requests_have_bounds(void **state)
{
	static const struct slow_request requests[] = {
		{.latency_ns = 9, .offset = 8192, .bytes = 4096, .has_offset = true},
		{.latency_ns = 1, .offset = 4096, .bytes = 512, .has_offset = true},
		{.latency_ns = 1, .offset = 65536, .bytes = 512, .has_offset = true},
		{.latency_ns = 1, .offset = 1},
	};
	struct slowest slowest;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	slowest_init(&slowest, &arena, 1);
	for (unsigned i = 0; i < ARRAY_SIZE(requests); i++)
		slowest_add(&slowest, &requests[i]);
	assert_int_equal(slowest.count, 1);
	assert_int_equal(slowest.request[0].offset, 8192);
	assert_int_equal(slowest.least_offset, 4096);
	assert_int_equal(slowest.offsets_end, 65536 + 512);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slowest_are_those_that_sorting_finds),
		cmocka_unit_test(offsets_of_all_requests_have_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
