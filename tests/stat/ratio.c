/* Ratios with intervals, Holm, and the gate's three outcomes. Seed 20267. */
#include "stat/ratio.h"

#include <math.h>

#include "base/rng.h"
#include "unit.h"

#define SEED   20267
#define TRIALS 2000

static double normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(6.283185307179586 * rng_unit(rng));
}

static void any_runs(struct rng *rng, double mean, double spread, double *values,
		     unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		values[i] = mean * exp(spread * normal(rng));
}

static void one_run_a_side_has_a_ratio_and_no_interval(void **state)
{
	double a = 205.9, b = 1147;
	struct ratio ratio = ratio_of(&a, 1, &b, 1);

	(void)state;
	assert_true(fabs(ratio.value - 5.5707) < 1e-3);
	assert_true(isnan(ratio.low));
	assert_true(ratio_is_undecided(&ratio));
	a = 0;
	assert_true(isnan(ratio_of(&a, 1, &b, 1).value));
}

/* By hand: logs 0 and ln 4 against ln 8 and ln 32; each variance of the mean is (ln 2)^2, the
 * error ln 2 * sqrt 2, two degrees of freedom, t = 4.302653. */
static void the_interval_is_welchs(void **state)
{
	const double a[] = {1, 4}, b[] = {8, 32};
	struct ratio ratio = ratio_of(a, 2, b, 2);
	double half = 4.302653 * log(2) * sqrt(2);

	(void)state;
	assert_true(fabs(ratio.value - 8) < 1e-9);
	assert_true(fabs(ratio.freedom - 2) < 1e-9);
	assert_true(fabs(log(ratio.high / 8) - half) < 1e-4);
	assert_true(fabs(log(8 / ratio.low) - half) < 1e-4);
}

/* The same drive against itself, six runs a side: a difference in 5 % of trials, at most 8. */
static void alike_things_differ_in_one_of_twenty(void **state)
{
	unsigned wrong = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, SEED, 0);
	for (unsigned i = 0; i < TRIALS; i++) {
		double a[6], b[6];
		struct ratio ratio;

		any_runs(&rng, 100, 0.02, a, 6);
		any_runs(&rng, 100, 0.02, b, 6);
		ratio = ratio_of(a, 6, b, 6);
		wrong += !ratio_is_undecided(&ratio);
	}
	assert_in_range(wrong, TRIALS * 3 / 100, TRIALS * 8 / 100);
}

/* Holm's own rule by hand: 0.01 * 4, max(0.04, 0.013 * 3), 0.03 * 2 = 0.06, then 0.2. */
static void holm_steps_down(void **state)
{
	double p[] = {0.03, 0.01, 0.2, 0.013};

	(void)state;
	holm_adjust(p, 4);
	assert_true(fabs(p[0] - 0.06) < 1e-12);
	assert_true(fabs(p[1] - 0.04) < 1e-12);
	assert_true(fabs(p[2] - 0.2) < 1e-12);
	assert_true(fabs(p[3] - 0.04) < 1e-12);
	holm_adjust(p, 0);
}

static enum gate_outcome gate_one(struct rng *rng, double change, unsigned runs, bool less)
{
	double a[40], b[40];
	struct gate_item item = {.less_is_better = less, .margin = 0.03};

	any_runs(rng, 100, 0.01, a, runs);
	any_runs(rng, 100 * change, 0.01, b, runs);
	item.ratio = ratio_of(a, runs, b, runs);
	gate_decide(&item, 1, runs);
	return item.outcome;
}

static void each_metric_has_its_own_sense(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, SEED, 1);
	assert_int_equal(gate_one(&rng, 0.8, 6, false), GATE_FAIL); /* IOPS down */
	assert_int_equal(gate_one(&rng, 1.2, 6, false), GATE_PASS);
	assert_int_equal(gate_one(&rng, 1.2, 6, true), GATE_FAIL); /* latency up */
	assert_int_equal(gate_one(&rng, 0.8, 6, true), GATE_PASS);
	assert_int_equal(gate_one(&rng, 1.0, 20, false), GATE_PASS);
	assert_int_equal(gate_one(&rng, 0.8, 1, false), GATE_CANNOT_TELL);
}

/* Exactly at the margin, twenty figures at once: any verdict of failure is wrong half of the
 * time at most, and one falls in 5 of 100 gates. */
static void twenty_figures_together_are_wrong_in_one_gate_of_twenty(void **state)
{
	unsigned wrong = 0, trials = 600;
	struct rng rng;

	(void)state;
	rng_seed(&rng, SEED, 2);
	for (unsigned i = 0; i < trials; i++) {
		struct gate_item items[20];

		for (unsigned k = 0; k < 20; k++) {
			double a[6], b[6];

			any_runs(&rng, 100, 0.02, a, 6);
			any_runs(&rng, 100 / 1.03, 0.02, b, 6);
			items[k] = (struct gate_item){.ratio = ratio_of(a, 6, b, 6),
						      .margin = 0.03};
		}
		gate_decide(items, 20, 6);
		wrong += gate_of_all(items, 20) == GATE_FAIL;
	}
	assert_in_range(wrong, 0, trials * 5 / 100);
}

/* It names a number of runs at which the question is settled. */
static void too_few_runs_say_how_many_more(void **state)
{
	const double a[] = {100, 108, 95}, b[] = {99, 107, 95};
	struct gate_item item = {.ratio = ratio_of(a, 3, b, 3), .margin = 0.03};

	(void)state;
	gate_decide(&item, 1, 3);
	assert_int_equal(item.outcome, GATE_CANNOT_TELL);
	assert_in_range(item.runs_more, 10, 200);
	assert_int_equal(gate_of_all(&item, 1), GATE_CANNOT_TELL);
	assert_int_equal(gate_of_all(&item, 0), GATE_CANNOT_TELL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_run_a_side_has_a_ratio_and_no_interval),
		cmocka_unit_test(the_interval_is_welchs),
		cmocka_unit_test(alike_things_differ_in_one_of_twenty),
		cmocka_unit_test(holm_steps_down),
		cmocka_unit_test(each_metric_has_its_own_sense),
		cmocka_unit_test(twenty_figures_together_are_wrong_in_one_gate_of_twenty),
		cmocka_unit_test(too_few_runs_say_how_many_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
