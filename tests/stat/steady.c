/* Both rules of steady state on the windows of doc and reference, and on lines of known slope. */
#include "stat/steady.h"

#include <math.h>

#include "base/rng.h"
#include "unit.h"

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

/* Windows of SNIA's rule with what both rules make of them; the figures are rounded to the
 * digits given. */
static const struct vector {
	double y[5], mean, range_percent, slope, slope_percent;
	bool snia;
	double deviation_percent, fio_slope_percent;
	bool fio_iops_10;
} vectors[] = {
	{{30000, 29500, 30400, 29800, 30100},
	 29960,
	 3.004,
	 50,
	 0.668,
	 true,
	 1.535,
	 0.167,
	 true},
	{{33500, 31800, 30200, 29900, 29700},
	 31020,
	 12.250,
	 -950,
	 12.250,
	 false,
	 7.995,
	 3.063,
	 true},
	{{30000, 24500, 30100, 29900, 30050},
	 28910,
	 19.371,
	 550,
	 7.610,
	 true,
	 15.254,
	 1.903,
	 false},
	{{31500, 30800, 30000, 29300, 28400},
	 30000,
	 10.333,
	 -770,
	 10.267,
	 false,
	 5.333,
	 2.567,
	 true},
	{{32000, 31200, 30000, 29000, 28500},
	 30140,
	 11.613,
	 -920,
	 12.210,
	 false,
	 6.171,
	 3.052,
	 true},
};
#define NVECTORS (sizeof(vectors) / sizeof(vectors[0]))

static void snia_windows_are_judged_as_published(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NVECTORS; i++) {
		const struct vector *v = &vectors[i];
		struct steady_snia snia;

		steady_snia(v->y, 5, &snia);
		assert_near(snia.mean, v->mean, 1e-9);
		assert_near(snia.slope, v->slope, 1e-9);
		assert_near(snia.range_percent, v->range_percent, 0.0006);
		assert_near(snia.slope_percent, v->slope_percent, 0.0006);
		assert_int_equal(snia.attained, v->snia);
	}
}

static void fio_rules_see_the_same_windows_otherwise(void **state)
{
	const struct steady_rule deviation = {.is_percent = true, .limit = 10};
	const struct steady_rule slope = {.is_slope = true, .is_percent = true, .limit = 3.06};

	(void)state;
	for (unsigned i = 0; i < NVECTORS; i++) {
		const struct vector *v = &vectors[i];
		struct steady_judgement judgement;
		struct steady_line line;

		steady_fit(v->y, 5, &line);
		steady_judge(&line, &deviation, &judgement);
		assert_near(judgement.criterion, v->deviation_percent, 0.0006);
		assert_int_equal(judgement.attained, v->fio_iops_10);
		steady_judge(&line, &slope, &judgement);
		assert_near(fabs(judgement.criterion), v->fio_slope_percent, 0.0006);
		assert_true((judgement.criterion < 0) == (v->slope < 0));
		assert_int_equal(judgement.attained, v->fio_slope_percent <= 3.06);
	}
}

/* Samples and verdicts that Debian's fio 3.33 printed (null engine, rate_iops=2000). */
static void arithmetic_is_that_of_fio(void **state)
{
	static const struct {
		double y[4];
		struct steady_rule rule;
		double criterion; /* six digits, as printed */
	} cases[] = {
		{{2004, 2001, 1997, 2003}, {false, true, 20}, 0.212367},
		{{1986, 1996, 2002, 2010}, {true, true, 10}, 0.390390},
		{{8192000, 8192000, 8204288, 8192000}, {false, true, 30}, 0.112458},
		{{8192000, 8183799, 8208384, 8192000}, {true, true, 3}, 0.030003},
		{{1985, 1996, 1997, 2017}, {false, false, 1}, 18.25},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct steady_judgement judgement;
		struct steady_line line;

		steady_fit(cases[i].y, 4, &line);
		steady_judge(&line, &cases[i].rule, &judgement);
		assert_near(judgement.criterion, cases[i].criterion, 0.5e-6);
		assert_int_equal(judgement.attained, cases[i].criterion <= cases[i].rule.limit);
	}
}

static void a_line_has_its_slope_and_noise_around_it_cancels(void **state)
{
	struct rng rng;
	double y[600];

	(void)state;
	rng_seed(&rng, 20240601, 1);
	for (unsigned i = 0; i < 600; i += 2) {
		double noise = (double)(rng_next(&rng) % 1000);

		y[i] = 5e5 + 3.0 * i + noise;
		y[599 - i] = 5e5 + 3.0 * (599 - i) + noise; /* mirrored: no slope of its own */
	}
	for (unsigned count = 600; count > 598; count--) {
		struct steady_line line;

		steady_fit(y, count, &line);
		assert_true(line.range >= 3.0 * (count - 1) - 1000);
		assert_true(line.max_deviation <= line.range);
		assert_true(2 * line.max_deviation >= line.range);
		if (count == 600)
			assert_near(line.slope, 3.0, 1e-6);
	}
}

/* Row 9 of the reference: per interval, a limit of 0.3 % lets a window of 1800 drift sixfold. */
static void a_long_drift_passes_fio_and_fails_snia(void **state)
{
	static double y[1800];
	const struct steady_rule rule = {.is_slope = true, .is_percent = true, .limit = 0.3};
	struct steady_judgement judgement;
	struct steady_snia snia;
	struct steady_line line;

	(void)state;
	for (unsigned i = 0; i < 1800; i++)
		y[i] = 1000.0 + i; /* 0.05 % of the mean an interval, and 180 % over all */
	steady_fit(y, 1800, &line);
	steady_judge(&line, &rule, &judgement);
	assert_true(judgement.attained);
	steady_snia(y, 1800, &snia);
	assert_false(snia.attained);
	assert_true(snia.slope_percent > 90);
}

static void nothing_is_never_steady_by_division(void **state)
{
	static const double zeros[4], one[4] = {0, 0, 0, 1}, few[1] = {7};
	const struct steady_rule percent = {.is_slope = true, .is_percent = true, .limit = 1};
	struct steady_judgement judgement;
	struct steady_snia snia;
	struct steady_line line;

	(void)state;
	steady_fit(zeros, 4, &line);
	steady_judge(&line, &percent, &judgement);
	assert_true(judgement.criterion == 0);
	steady_fit(one, 4, &line); /* a mean below 1, cut to 0 */
	steady_judge(&line, &percent, &judgement);
	assert_false(judgement.attained);
	steady_fit(few, 1, &line);
	assert_true(line.slope == 0 && line.mean == 7 && line.max_deviation == 0);
	steady_snia(few, 1, &snia);
	assert_false(snia.attained);
	steady_fit(few, 0, &line);
	assert_true(line.mean == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snia_windows_are_judged_as_published),
		cmocka_unit_test(fio_rules_see_the_same_windows_otherwise),
		cmocka_unit_test(arithmetic_is_that_of_fio),
		cmocka_unit_test(a_line_has_its_slope_and_noise_around_it_cancels),
		cmocka_unit_test(a_long_drift_passes_fio_and_fails_snia),
		cmocka_unit_test(nothing_is_never_steady_by_division),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
