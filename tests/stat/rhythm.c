/* What recurs is found with its period, and shares are shares. Seeds: 71 to 73. */
#include "stat/rhythm.h"

#include <math.h>

#include "base/rng.h"
#include "unit.h"

#define COUNT_MAX 3000

static struct rhythm_step steps[RHYTHM_STEPS_MAX];

static unsigned steps_of(const double *values, unsigned count)
{
	struct arena scratch;
	unsigned n;

	arena_init(&scratch);
	n = rhythm_of(values, count, &scratch, steps);
	arena_done(&scratch);
	return n;
}

static double sum_of(unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += steps[i].share;
	return sum;
}

static unsigned strongest(unsigned n)
{
	unsigned best = 0;

	for (unsigned i = 1; i < n; i++)
		best = steps[i].share > steps[best].share ? i : best;
	return best;
}

static void a_period_is_found_in_noise(void **state)
{
	static const double periods[] = {4.5, 17, 60, 211};
	static double values[COUNT_MAX];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 71, 0);
	for (unsigned p = 0; p < 4; p++) {
		unsigned n, best;

		for (unsigned i = 0; i < COUNT_MAX; i++)
			values[i] = 5e4 + 1e3 * sin(2 * M_PI * i / periods[p]) +
				    4e3 * (rng_unit(&rng) - 0.5);
		n = steps_of(values, COUNT_MAX);
		best = strongest(n);
		assert_true(fabs(steps[best].period / periods[p] - 1) < 0.06);
		assert_true(steps[best].share > 0.15);
		assert_true(sum_of(n) <= 1 + 1e-9);
	}
}

static void periods_fall_and_stay_within_what_can_be_told(void **state)
{
	static double values[COUNT_MAX];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 72, 0);
	for (unsigned count = RHYTHM_VALUES_MIN; count <= COUNT_MAX; count += 97) {
		unsigned n;

		for (unsigned i = 0; i < count; i++)
			values[i] = rng_unit(&rng);
		n = steps_of(values, count);
		assert_true(n > 10 && n <= RHYTHM_STEPS_MAX);
		for (unsigned i = 0; i < n; i++) {
			assert_true(steps[i].period >= 2 && steps[i].period <= count / 2.0);
			assert_true(i == 0 || steps[i].period < steps[i - 1].period);
			assert_true(steps[i].share >= 0);
		}
		assert_true(sum_of(n) > 0.5 && sum_of(n) <= 1 + 1e-9);
	}
}

/* The slow way: the power of one frequency is that of the sum with its wave. */
static void it_is_fouriers_sum(void **state)
{
	static double values[128];
	double power[65], sum = 0, mean = 0, seen = 0;
	struct rng rng;
	unsigned n;

	(void)state;
	rng_seed(&rng, 73, 0);
	for (unsigned i = 0; i < 128; i++) {
		values[i] = rng_unit(&rng);
		mean += values[i] / 128;
	}
	for (unsigned k = 1; k <= 64; k++) {
		double re = 0, im = 0;

		for (unsigned i = 0; i < 128; i++) {
			double v = (values[i] - mean) *
				   (0.5 - 0.5 * cos(2 * M_PI * (i + 0.5) / 128));

			re += v * cos(2 * M_PI * i * k / 128);
			im -= v * sin(2 * M_PI * i * k / 128);
		}
		power[k] = re * re + im * im;
		sum += power[k];
	}
	n = steps_of(values, 128);
	for (unsigned k = 2; k <= 64; k++)
		seen += power[k] / sum;
	assert_true(fabs(sum_of(n) - seen) < 1e-9);
	assert_true(fabs(steps[0].period - 64) < 1e-9);
	assert_true(fabs(steps[0].share - power[2] / sum) < 1e-9);
}

static void too_few_or_all_alike_tell_nothing(void **state)
{
	static double values[COUNT_MAX];

	(void)state;
	assert_int_equal(steps_of(values, RHYTHM_VALUES_MIN - 1), 0);
	for (unsigned i = 0; i < COUNT_MAX; i++)
		values[i] = 0.1;
	assert_int_equal(steps_of(values, COUNT_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_period_is_found_in_noise),
		cmocka_unit_test(periods_fall_and_stay_within_what_can_be_told),
		cmocka_unit_test(it_is_fouriers_sum),
		cmocka_unit_test(too_few_or_all_alike_tell_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
