/* Trend, evenness and change points on series whose answers are known. Seeds: 10 to 12. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/rng.h"
#include "stat/change.h"
#include "stat/trend.h"

#define COUNT 600
static double values[COUNT];

static double noise(struct rng *rng)
{
	double sum = 0;

	for (unsigned i = 0; i < 12; i++)
		sum += rng_unit(rng);
	return sum - 6; /* nearly normal */
}

/* An AR(1) series around `level`. */
static void wander(struct rng *rng, double rho, double level, double deviation)
{
	double x = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		x = rho * x + sqrt(1 - rho * rho) * noise(rng);
		values[i] = level + deviation * x;
	}
}

static void a_fall_of_a_tenth_is_found(void **state)
{
	struct arena arena;
	struct trend trend;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 10, 0);
	wander(&rng, 0, 1000, 20);
	for (unsigned i = 0; i < COUNT; i++)
		values[i] *= 1 - 0.1 * i / COUNT;
	arena_init(&arena);
	trend = trend_of(values, COUNT, &arena);
	assert_true(trend.known);
	assert_true(fabs(trend.change + 0.1 / 0.95) < 0.02);
	assert_true(trend.p < 1e-6);
	assert_false(trend_of(values, 7, &arena).known);
	arena_done(&arena);
}

static void no_trend_is_found_where_there_is_none(void **state)
{
	unsigned wrong = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 11, 0);
	for (unsigned i = 0; i < 200; i++) {
		struct arena arena;

		arena_init(&arena);
		wander(&rng, 0, 1000, 50);
		wrong += trend_of(values, COUNT, &arena).p < 0.05;
		arena_done(&arena);
	}
	assert_true(wrong <= 22); /* 5 % of 200, and four deviations */
}

static void evenness_is_the_plain_arithmetic(void **state)
{
	static const double few[] = {100, 100, 80, 120, 100, 100, 100, 100, 100, 100};
	struct evenness even;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	even = evenness_of(few, 10, &arena);
	assert_true(fabs(even.mean - 100) < 1e-12);
	assert_true(fabs(even.variation - sqrt(80) / 100) < 1e-12);
	assert_true(fabs(even.worst - 0.8) < 1e-12);
	assert_true(fabs(even.share_at_least - 0.9) < 1e-12);
	assert_int_equal(evenness_of(NULL, 0, &arena).count, 0);
	arena_done(&arena);
}

static void dependence_is_that_of_the_process(void **state)
{
	struct arena arena;
	double sum = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 12, 0);
	for (unsigned i = 0; i < 100; i++) {
		arena_init(&arena);
		wander(&rng, 0.7, 0, 1);
		sum += evenness_of(values, COUNT, &arena).dependence;
		arena_done(&arena);
	}
	sum /= 100; /* (1 + rho) / (1 - rho) = 5.7, estimated low from a finite series */
	assert_true(sum > 4.5 && sum < 6.5);
}

static void steps_are_found_where_they_are(void **state)
{
	struct change changes[CHANGE_MAX];
	struct arena arena;
	struct rng rng;
	unsigned found;

	(void)state;
	rng_seed(&rng, 10, 1);
	wander(&rng, 0, 1000, 20);
	for (unsigned i = 200; i < 450; i++)
		values[i] *= 0.7;
	arena_init(&arena);
	found = change_find(values, COUNT, 1, 0.05, changes, &arena);
	assert_int_equal(found, 2);
	assert_true(abs((int)changes[0].at - 200) <= 6);
	assert_true(abs((int)changes[1].at - 450) <= 6);
	assert_true(fabs(changes[0].after / changes[0].before - 0.7) < 0.02);
	arena_done(&arena);
}

static void noise_has_no_steps(void **state)
{
	struct change changes[CHANGE_MAX];
	unsigned wrong = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 11, 1);
	for (unsigned i = 0; i < 100; i++) {
		struct evenness even;
		struct arena arena;

		arena_init(&arena);
		wander(&rng, i % 2 ? 0.7 : 0, 1000, 50);
		even = evenness_of(values, COUNT, &arena);
		wrong += change_find(values, COUNT, even.dependence, 0.05, changes, &arena) > 0;
		arena_done(&arena);
	}
	assert_true(wrong <= 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fall_of_a_tenth_is_found),
		cmocka_unit_test(no_trend_is_found_where_there_is_none),
		cmocka_unit_test(evenness_is_the_plain_arithmetic),
		cmocka_unit_test(dependence_is_that_of_the_process),
		cmocka_unit_test(steps_are_found_where_they_are),
		cmocka_unit_test(noise_has_no_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
