/* SNIA's tables: the steady window, mixes, write saturation; and the slips that others made. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "stat/pts.h"

static void assert_near(double value, double wanted, double within)
{
	if (!(fabs(value - wanted) <= within))
		fail_msg("%g is not %g", value, wanted);
}

static void vectors_of_the_rule(void **state)
{
	static const struct {
		double y[5], average, range_percent, per_round, slope_percent;
		bool steady;
	} vectors[] = {
		{{30000, 29500, 30400, 29800, 30100}, 29960, 3.004, 50, 0.668, true},
		{{33500, 31800, 30200, 29900, 29700}, 31020, 12.250, -950, 12.250, false},
		{{30000, 24500, 30100, 29900, 30050}, 28910, 19.371, 550, 7.610, true},
		{{31500, 30800, 30000, 29300, 28400}, 30000, 10.333, -770, 10.267, false},
		{{32000, 31200, 30000, 29000, 28500}, 30140, 11.613, -920, 12.210, false},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct pts_window w;
		double mean = vectors[i].average;

		pts_window(vectors[i].y, 5, 5, 1, &w);
		assert_int_equal(w.first, 0);
		assert_int_equal(w.count, 5);
		assert_int_equal(w.steady, vectors[i].steady);
		assert_near(w.average, mean, 1e-6);
		assert_near(w.per_round, vectors[i].per_round, 1e-6);
		assert_near(100 * w.range / mean, vectors[i].range_percent, 1e-3);
		assert_near(100 * w.slope / mean, vectors[i].slope_percent, 1e-3);
		assert_near(w.allowed_range, 0.2 * mean, 1e-6);
		assert_near(w.allowed_slope, 0.1 * mean, 1e-6);
		assert_near(w.above, 1.1 * mean, 1e-6);
		assert_near(w.below, 0.9 * mean, 1e-6);
		/* The line goes through the window's middle: a sum of rounds that was mistyped
		 * put it elsewhere in a script of others. */
		assert_near(w.per_round * 3 + w.at_zero, mean, 1e-6);
	}
}

/* Falling values once always passed, where the slope was compared with its sign. */
static void a_fall_is_as_bad_as_a_rise(void **state)
{
	static const double falls[] = {32000, 31200, 30000, 29000, 28500};
	double rises[5];
	struct pts_window down, up;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		rises[i] = falls[4 - i];
	pts_window(falls, 5, 5, 1, &down);
	pts_window(rises, 5, 5, 1, &up);
	assert_near(down.slope, up.slope, 1e-6);
	assert_true(down.slope > 0);
	assert_false(down.steady);
	assert_false(up.steady);
}

static void the_first_steady_window_is_reported_or_else_the_last(void **state)
{
	double y[25];
	struct pts_window w;

	(void)state;
	for (unsigned i = 0; i < 25; i++)
		y[i] = i < 9 ? 100000 - 8000.0 * i : 30000;
	pts_window(y, 25, 5, 1, &w);
	assert_true(w.steady);
	assert_int_equal(w.first, 9);
	/* In rounds that count from 1, the fit's own. */
	assert_near(w.at_zero, 30000, 1e-6);
	for (unsigned i = 0; i < 25; i++)
		y[i] = 100000 - 3000.0 * i;
	pts_window(y, 25, 5, 1, &w);
	assert_false(w.steady);
	assert_int_equal(w.first, 20);
	pts_window(y, 4, 5, 1, &w);
	assert_int_equal(w.count, 0);
	pts_window(y, 0, 5, 1, &w);
	assert_int_equal(w.count, 0);
}

static void saturation_finds_plateau_and_level(void **state)
{
	double per_s[400], bytes[400];
	struct pts_samples samples = {
		.per_s = per_s, .bytes = bytes, .count = 400, .stride = 30};
	struct pts_saturation found;

	(void)state;
	/* 42 minutes as new, an exponential fall of 20 minutes to a fifth. */
	for (unsigned i = 0; i < 400; i++) {
		double level = i < 42 ? 90000 : 18000 + 72000 * exp(-(i - 41.0) / 20);

		per_s[i] = level * (i % 2 ? 1.01 : 0.99);
		bytes[i] = per_s[i] * 60 * 4096;
	}
	pts_saturation(&samples, &found);
	assert_true(found.has_plateau);
	assert_true(fabs(found.plateau - 90000) < 0.02 * 90000);
	assert_near(found.plateau_end, 42, 0.02 * 42);
	assert_true(found.window.steady);
	assert_true(fabs(found.level - 18000) < 0.02 * 18000);
	assert_true(found.plateau_bytes > 0.98 * 42 * 60 * 90000.0 * 4096);
	assert_true(found.steady_bytes > found.plateau_bytes);
}

/* The minute in which a level is left is a mean of both: from it the end is found to a part of a
 * minute, wherever it falls. A fall without any step has no minute that tells: of it the end is
 * found to a minute. */
static void the_end_of_a_plateau_is_found_inside_a_sample(void **state)
{
	double per_s[120], bytes[120];
	struct pts_samples samples = {
		.per_s = per_s, .bytes = bytes, .count = 120, .stride = 10};

	(void)state;
	for (unsigned trial = 0; trial < 200; trial++) {
		double end = 3 + trial * 0.085, step = trial % 4 * 0.25, wanted = 0;
		struct pts_saturation found;

		for (unsigned i = 0; i < 120; i++) {
			per_s[i] = 0;
			for (unsigned k = 0; k < 100; k++) {
				double at = i + (k + 0.5) / 100;
				double after =
					20000 + (70000 - 60000 * step) * exp(-(at - end) / 12);

				per_s[i] += (at < end ? 90000 : after) / 100;
			}
			bytes[i] = per_s[i] * 60 * 4096;
		}
		wanted = end * 90000 * 60 * 4096;
		pts_saturation(&samples, &found);
		assert_true(found.has_plateau);
		assert_near(found.plateau, 90000, 0.02 * 90000);
		if (step == 0) {
			assert_near(found.plateau_end, end, 1);
			continue;
		}
		assert_near(found.plateau_end, end, 0.02 * fmax(end, 5));
		assert_near(found.plateau_bytes, wanted,
			    0.02 * fmax(wanted, 5 * 90000 * 60 * 4096.0));
	}
}

static void a_drive_that_is_level_from_the_start_has_no_plateau(void **state)
{
	double per_s[200], bytes[200];
	struct pts_samples samples = {
		.per_s = per_s, .bytes = bytes, .count = 200, .stride = 30};
	struct pts_saturation found;

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		per_s[i] = bytes[i] = 1000;
	pts_saturation(&samples, &found);
	assert_false(found.has_plateau);
	assert_near(found.level, 1000, 1e-9);
	samples.count = 3;
	pts_saturation(&samples, &found);
	assert_false(found.has_plateau);
	assert_int_equal(found.window.count, 0);
	samples.count = 0;
	pts_saturation(&samples, &found);
	assert_false(found.has_plateau);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_of_the_rule),
		cmocka_unit_test(a_fall_is_as_bad_as_a_rise),
		cmocka_unit_test(the_first_steady_window_is_reported_or_else_the_last),
		cmocka_unit_test(saturation_finds_plateau_and_level),
		cmocka_unit_test(the_end_of_a_plateau_is_found_inside_a_sample),
		cmocka_unit_test(a_drive_that_is_level_from_the_start_has_no_plateau),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
