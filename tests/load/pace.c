/* Schedules: linear ones exact to the tick for hours, Poisson gaps exponential by a
 * Kolmogorov-Smirnov test. Seed 23. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "load/pace.h"

/* A TSC of 2.6 GHz, 1 GHz (ns), and 24 MHz (a slow counter). */
static const double ticks_per_ns[] = {2.6, 1, 0.024};

static struct clock clock_of(double per_ns)
{
	return (struct clock){.mult = (uint64_t)((double)(1 << CLOCK_SHIFT) / per_ns)};
}

static void schedule_linear_is_exact_for_hours(void **state)
{
	static const uint64_t rates[] = {1, 3, 7, 777, 1000, 9999};

	(void)state;
	for (size_t c = 0; c < sizeof(ticks_per_ns) / sizeof(ticks_per_ns[0]); c++) {
		struct clock clock = clock_of(ticks_per_ns[c]);

		for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
			uint64_t arrivals =
				rates[i] * 3600 * 2 < 1000000 ? rates[i] * 7200 : 1000000;
			struct schedule s;

			schedule_init(&s, &clock, rates[i], false, false);
			for (uint64_t k = 0; k < arrivals; k++) {
				/* k / rate seconds in ticks, rounded down. */
				unsigned __int128 want = (unsigned __int128)k *
							 (NS_PER_S << CLOCK_SHIFT) /
							 (rates[i] * clock.mult);

				assert_true(s.due == (uint64_t)want);
				schedule_advance(&s, NULL, 4096);
			}
		}
	}
}

static void schedule_by_bytes_is_exact_for_any_sizes(void **state)
{
	struct clock clock = clock_of(2.6);
	uint64_t bytes = 0, rate = 123456789;
	struct schedule s;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 23, 0);
	schedule_init(&s, &clock, rate, true, false);
	for (int k = 0; k < 1000000; k++) {
		uint32_t len = (uint32_t)(512 + rng_below(&rng, 1 << 20));

		assert_true(s.due ==
			    (uint64_t)((unsigned __int128)bytes * (NS_PER_S << CLOCK_SHIFT) /
				       (rate * clock.mult)));
		schedule_advance(&s, NULL, len);
		bytes += len;
	}
}

static int rising(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void schedule_poisson_gaps_pass_kolmogorov_smirnov(void **state)
{
	enum { GAPS = 100000 };
	static const uint64_t rates[] = {100, 10000, 1000000};

	(void)state;
	for (size_t c = 0; c < sizeof(ticks_per_ns) / sizeof(ticks_per_ns[0]); c++) {
		struct clock clock = clock_of(ticks_per_ns[c]);

		for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
			double *gap = malloc(GAPS * sizeof(*gap)), mean, sum = 0, worst = 0;
			uint64_t before = 0;
			struct schedule s;
			struct rng rng;

			assert_non_null(gap);
			rng_seed(&rng, 23, i);
			schedule_init(&s, &clock, rates[i], false, true);
			mean = (double)(NS_PER_S << CLOCK_SHIFT) /
			       ((double)rates[i] * (double)clock.mult);
			for (int k = 0; k < GAPS; k++) {
				schedule_advance(&s, &rng, 4096);
				/* Ticks are whole: the slow clock's gaps are spread by one. */
				gap[k] = ((double)(s.due - before) + rng_unit(&rng) - 0.5) /
					 mean;
				sum += gap[k];
				before = s.due;
			}
			qsort(gap, GAPS, sizeof(*gap), rising);
			for (int k = 0; k < GAPS; k++) {
				double theory = gap[k] > 0 ? 1 - exp(-gap[k]) : 0;

				worst = fmax(worst, fabs(theory - (k + 0.5) / GAPS));
			}
			/* Critical value at 1 %: 1.628 / sqrt(n); half a tick of 24 widens
			 * it. */
			assert_true(worst < 1.628 / sqrt(GAPS) + 0.5 / mean / 2);
			/* The mean of n exponential gaps has a deviation of 1 / sqrt(n). */
			assert_true(fabs(sum / GAPS - 1) < 4 / sqrt(GAPS));
			free(gap);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schedule_linear_is_exact_for_hours),
		cmocka_unit_test(schedule_by_bytes_is_exact_for_any_sizes),
		cmocka_unit_test(schedule_poisson_gaps_pass_kolmogorov_smirnov),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
