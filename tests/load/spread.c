/*
 * The uneven distributions: the share of the accesses that the hottest 1, 10 and 50 % of the
 * units get is within 1 % (of all accesses) of theory. Seed 17; 300,000 draws over 1,000
 * units.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "load/spread.h"

enum { UNITS = 1000 };

static int falling(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

static double share_of(const double *sorted, double part)
{
	double sum = 0, all = 0;

	for (int i = 0; i < UNITS; i++) {
		all += sorted[i];
		sum += i < (int)(UNITS * part + 0.5) ? sorted[i] : 0;
	}
	return sum / all;
}

/* The theoretical weight of each unit. */
static void weigh(const struct dist *dist, double *weight)
{
	uint64_t from = 0;

	for (int i = 0; i < UNITS; i++) {
		double low = (double)i / UNITS, high = (double)(i + 1) / UNITS;

		if (dist->kind == DIST_ZIPF) {
			weight[i] = pow(i + 1, -dist->value);
		} else if (dist->kind == DIST_PARETO) {
			double power = log(1 - dist->value) / log(dist->value);

			weight[i] = pow(high, power) - pow(low, power);
		} else if (dist->kind == DIST_NORMAL) {
			double sigma = dist->value / 100 * sqrt(2);

			weight[i] = erf((high - 0.5) / sigma) - erf((low - 0.5) / sigma);
		}
	}
	for (unsigned z = 0; z < dist->nzones[OP_READ]; z++) {
		const struct dist_zone *zone = &dist->zone[OP_READ][z];
		uint64_t count =
			dist->kind == DIST_ZONED ? zone->span * UNITS / 100 : zone->span / 4096;

		for (uint64_t i = from; i < from + count && i < UNITS; i++)
			weight[i] = (double)zone->access_percent / (double)count;
		from += count;
	}
}

/* Sorting what was seen adds noise where units are alike: the more so the fewer draws a unit. */
static void assert_shares(const struct dist *dist, int draws)
{
	static const double parts[] = {0.01, 0.1, 0.5};
	static double want[UNITS], seen[UNITS];
	static struct spread spread;
	struct rng rng;

	memset(want, 0, sizeof(want));
	memset(seen, 0, sizeof(seen));
	rng_seed(&rng, 17, 0);
	spread_init(&spread, dist, UNITS, 4096, 17);
	for (int i = 0; i < draws; i++) {
		uint64_t at = spread_next(&spread, &rng, OP_READ);

		assert_true(at < UNITS);
		seen[at]++;
	}
	weigh(dist, want);
	qsort(want, UNITS, sizeof(want[0]), falling);
	qsort(seen, UNITS, sizeof(seen[0]), falling);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		double w = share_of(want, parts[i]), s = share_of(seen, parts[i]);

		if (fabs(w - s) > 0.01)
			fail_msg("kind %d value %g: hottest %g gets %g, theory %g", dist->kind,
				 dist->value, parts[i], s, w);
	}
}

static void spread_shares_are_those_of_theory(void **state)
{
	static const struct dist dists[] = {
		{.kind = DIST_ZIPF, .value = 0.5, .center = -1},
		{.kind = DIST_ZIPF, .value = 0.8, .center = -1},
		{.kind = DIST_ZIPF, .value = 0.99, .center = -1},
		{.kind = DIST_ZIPF, .value = 1.0, .center = -1},
		{.kind = DIST_ZIPF, .value = 1.2, .center = 0.3},
		{.kind = DIST_ZIPF, .value = 2.5, .center = -1},
		{.kind = DIST_PARETO, .value = 0.1, .center = -1},
		{.kind = DIST_PARETO, .value = 0.2, .center = 0.9},
		{.kind = DIST_PARETO, .value = 0.4, .center = -1},
		{.kind = DIST_NORMAL, .value = 5, .center = -1},
		{.kind = DIST_NORMAL, .value = 20, .center = 0.5},
		{.kind = DIST_NORMAL, .value = 60, .center = -1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(dists); i++)
		assert_shares(&dists[i], 300000);
}

static void spread_zones_get_their_shares(void **state)
{
	struct dist_zone shares[] = {{50, 10}, {30, 20}, {20, 70}};
	struct dist_zone bytes[] = {{60, 100 * 4096}, {0, 100 * 4096}, {40, 800 * 4096}};
	struct dist zoned = {.kind = DIST_ZONED, .zone = {shares}, .nzones = {3}};
	struct dist zoned_abs = {.kind = DIST_ZONED_ABS, .zone = {bytes}, .nzones = {3}};

	(void)state;
	assert_shares(&zoned, 1000000);
	assert_shares(&zoned_abs, 1000000);
}

/* No unit of an idle zone, and each zone where the job puts it. */
static void spread_zones_stay_in_place(void **state)
{
	struct dist_zone bytes[] = {{60, 100 * 4096}, {0, 100 * 4096}, {40, 800 * 4096}};
	struct dist dist = {.kind = DIST_ZONED_ABS, .zone = {bytes}, .nzones = {3}};
	static struct spread spread;
	struct rng rng;
	unsigned first = 0;

	(void)state;
	rng_seed(&rng, 17, 0);
	spread_init(&spread, &dist, UNITS, 4096, 17);
	for (int i = 0; i < 100000; i++) {
		uint64_t at = spread_next(&spread, &rng, OP_READ);

		assert_true(at < 100 || at >= 200);
		first += at < 100;
	}
	assert_in_range(first, 59000, 61000);
}

static void spread_centre_holds_the_hottest(void **state)
{
	static const double centres[] = {0, 0.25, 0.5, 0.999, 1};
	static unsigned seen[UNITS];
	static struct spread spread;

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(centres); c++) {
		struct dist dist = {.kind = DIST_ZIPF, .value = 1.2, .center = centres[c]};
		unsigned hottest = 0, want = (unsigned)(centres[c] * UNITS);
		struct rng rng;

		memset(seen, 0, sizeof(seen));
		rng_seed(&rng, 17, 0);
		spread_init(&spread, &dist, UNITS, 4096, 3);
		for (int i = 0; i < 20000; i++)
			seen[spread_next(&spread, &rng, OP_READ)]++;
		for (unsigned i = 0; i < UNITS; i++)
			hottest = seen[i] > seen[hottest] ? i : hottest;
		assert_int_equal(hottest, want < UNITS ? want : UNITS - 1);
	}
}

/* A terabyte in 512-byte units: ranks stay in range, and the first gets its theoretical
 * share. */
static void spread_of_huge_ranges_is_sound(void **state)
{
	static const double thetas[] = {0.5, 0.9, 1.1, 2};
	static struct spread spread;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(thetas); i++) {
		struct dist dist = {.kind = DIST_ZIPF, .value = thetas[i], .center = -1};
		double n = 2147483648.0, t = thetas[i], zeta;
		unsigned first = 0;
		struct rng rng;

		/* Euler-Maclaurin from 1000 on. */
		zeta = (pow(n, 1 - t) - pow(1000, 1 - t)) / (1 - t) + pow(1000, -t) / 2;
		for (int k = 1; k < 1000; k++)
			zeta += pow(k, -t);
		rng_seed(&rng, 17, i);
		spread_init(&spread, &dist, 1ULL << 31, 512, 3);
		for (int k = 0; k < 100000; k++) {
			assert_true(spread_next(&spread, &rng, OP_READ) < 1ULL << 31);
			first += spread_rank(&spread, &rng) == 0;
		}
		assert_true(fabs(first / 100000.0 - 1 / zeta) < 0.005);
	}
}

static void spread_of_few_units_stays_inside(void **state)
{
	static const enum dist_kind kinds[] = {DIST_ZIPF, DIST_PARETO, DIST_NORMAL, DIST_ZONED};
	static struct spread spread;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (uint64_t n = 1; n < 6; n++) {
			struct dist_zone zones[] = {{50, 10}, {50, 90}};
			struct dist dist = {.kind = kinds[i], .value = 0.5, .center = 1};
			uint64_t seen = 0;
			struct rng rng;

			if (kinds[i] == DIST_ZONED)
				dist.zone[OP_READ] = zones, dist.nzones[OP_READ] = 2;
			rng_seed(&rng, 17, n);
			spread_init(&spread, &dist, n, 4096, 1);
			for (int k = 0; k < 1000; k++) {
				uint64_t at = spread_next(&spread, &rng, OP_READ);

				assert_true(at < n);
				seen |= 1ULL << at;
			}
			if (kinds[i] == DIST_ZIPF || kinds[i] == DIST_PARETO)
				assert_int_equal(seen, (1ULL << n) - 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spread_shares_are_those_of_theory),
		cmocka_unit_test(spread_zones_get_their_shares),
		cmocka_unit_test(spread_zones_stay_in_place),
		cmocka_unit_test(spread_centre_holds_the_hottest),
		cmocka_unit_test(spread_of_huge_ranges_is_sound),
		cmocka_unit_test(spread_of_few_units_stays_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
