/* Comparisons of runs: two of the same process are seldom called different, two that differ
 * are. Seeds: 30 to 33. */
#include "unit.h"

#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "stat/compare.h"
#include "stat/wander.h"

static void compare(struct rng *rng, double rho, double factor, unsigned seconds,
		    struct comparison *ret)
{
	const struct compare_options options = {.seed = 1};
	static struct series a, b;
	struct qos_run run_a, run_b;
	struct arena arena;

	arena_init(&arena);
	wander_feed(&a, rng, seconds, rho, 1);
	wander_feed(&b, rng, seconds, rho, factor);
	qos_from_series(&a, &run_a);
	qos_from_series(&b, &run_b);
	compare_runs(&run_a, &run_b, &options, &arena, ret);
	series_done(&a);
	series_done(&b);
	arena_done(&arena);
}

/* A sanitizer looks for other mistakes than of statistics, and takes 25 times as long: there a
 * few pairs go all the way, and the share of wrong calls is for the other builds to hold. */
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name) /* of clang */
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer)
#define TRIALS	  2
#define IS_SAMPLE false
#else
#define TRIALS	  40
#define IS_SAMPLE true
#endif

/* 300 seconds a side, as in the simulations of the U test, which says "different" in 5, 26 and
 * 66 % of these. Of TRIALS * 5 figures, many of which hang together, 8 % and two deviations of
 * TRIALS independent ones. */
static void equal_runs_are_seldom_called_different(void **state)
{
	static const double rhos[] = {0, 0.5, 0.9};
	double all = 0, figures_all = 0;

	(void)state;
	for (unsigned r = 0; r < ARRAY_SIZE(rhos); r++) {
		unsigned wrong = 0, figures = 0;
		struct rng rng;

		rng_seed(&rng, 30, r);
		for (unsigned t = 0; t < TRIALS; t++) {
			struct comparison comparison;

			compare(&rng, rhos[r], 1, 300, &comparison);
			for (unsigned i = 0; i < comparison.nfigures; i++) {
				if (comparison.figures[i].dir != SERIES_READ)
					continue;
				figures++;
				wrong += comparison.figures[i].outcome != COMPARE_CANNOT_TELL;
			}
		}
		print_message("rho %.1f: %u of %u called different\n", rhos[r], wrong, figures);
		assert_true(figures >= 4 * TRIALS);
		if (!IS_SAMPLE)
			continue;
		assert_true(wrong <= figures * (0.08 + 2 * sqrt(0.08 * 0.92 / TRIALS)));
		all += wrong;
		figures_all += figures;
	}
	assert_true(all <= 0.08 * figures_all);
}

static void different_runs_are_called_so(void **state)
{
	struct comparison comparison;
	struct rng rng;
	unsigned seen = 0;

	(void)state;
	rng_seed(&rng, 31, 0);
	compare(&rng, 0.3, 1.5, 300, &comparison);
	for (unsigned i = 0; i < comparison.nfigures; i++) {
		const struct compare_figure *figure = &comparison.figures[i];

		assert_int_equal(figure->outcome,
				 figure->is_rate ? COMPARE_LESS : COMPARE_MORE);
		assert_true(figure->low < figure->ratio && figure->ratio < figure->high);
		seen += figure->low < (figure->is_rate ? 1 / 1.5 : 1.5) &&
			figure->high > (figure->is_rate ? 1 / 1.5 : 1.5);
	}
	assert_true(comparison.nfigures >= 4);
	assert_true(seen + 1 >= comparison.nfigures);
}

static void short_runs_cannot_be_told(void **state)
{
	struct comparison comparison;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 32, 0);
	compare(&rng, 0.9, 1.5, 8, &comparison);
	for (unsigned i = 0; i < comparison.nfigures; i++)
		assert_int_equal(comparison.figures[i].outcome, COMPARE_CANNOT_TELL);
	assert_true(comparison.longer_a > 1);
}

static void the_same_seed_gives_the_same_interval(void **state)
{
	struct comparison first, second;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 33, 0);
	compare(&rng, 0.3, 1, 60, &first);
	rng_seed(&rng, 33, 0);
	compare(&rng, 0.3, 1, 60, &second);
	assert_true(first.nfigures > 0 && first.nfigures == second.nfigures);
	for (unsigned i = 0; i < first.nfigures; i++) {
		assert_true(first.figures[i].low == second.figures[i].low);
		assert_true(first.figures[i].high == second.figures[i].high);
	}
}

static int prepare(void **state)
{
	(void)state;
	wander_init();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_runs_are_seldom_called_different),
		cmocka_unit_test(different_runs_are_called_so),
		cmocka_unit_test(short_runs_cannot_be_told),
		cmocka_unit_test(the_same_seed_gives_the_same_interval),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
