/* Token buckets: what was sold is found again in the series that it makes. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "stat/bucket.h"

#define SECONDS_MAX 4000

/* Rates of whole intervals of a bucket at full load, exactly. */
static void make(double *per_s, unsigned count, double interval_s, double burst, double base,
		 double credits)
{
	double end_s = burst > base ? credits / (burst - base) : 0;

	for (unsigned i = 0; i < count; i++) {
		double begin = i * interval_s, inside = end_s - begin;
		double share = inside <= 0 ? 0 : inside >= interval_s ? 1 : inside / interval_s;

		per_s[i] = base + share * (burst - base);
	}
}

static void near(double value, double wanted, double share)
{
	if (!(fabs(value - wanted) <= share * wanted))
		fail_msg("%g is not %g", value, wanted);
}

static void what_was_sold_is_found_again(void **state)
{
	static const struct {
		double burst, base, credits, interval_s;
		unsigned count;
	} sold[] = {
		{3000, 300, 5400000, 1, 3000},	/* gp2 of 100 GiB: 2000 s */
		{3000, 1500, 5400000, 10, 400}, /* of 500 GiB: 3600 s */
		{260e6, 115e6, 20e9, 1, 300},	/* bytes */
		{4000, 2600, 100000, 1, 200},	/* 71.4 s */
		{5000, 4500, 6000, 0.5, 100},	/* 12 s, a tenth above */
	};
	double per_s[SECONDS_MAX];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(sold); i++) {
		struct bucket_fit fit;

		make(per_s, sold[i].count, sold[i].interval_s, sold[i].burst, sold[i].base,
		     sold[i].credits);
		bucket_fit(per_s, sold[i].count, sold[i].interval_s, &fit);
		assert_true(fit.has_burst);
		assert_false(fit.is_level);
		near(fit.burst_per_s, sold[i].burst, 1e-9);
		near(fit.base_per_s, sold[i].base, 1e-9);
		near(fit.credits, sold[i].credits, 1e-3);
		near(fit.burst_s, sold[i].credits / (sold[i].burst - sold[i].base), 1e-3);
	}
}

/* Seeds 1 to 20: rates that scatter by 2 %. */
static void noise_does_not_hide_it(void **state)
{
	double per_s[600];

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct bucket_fit fit;
		struct rng rng;

		rng_seed(&rng, seed, 0);
		make(per_s, 600, 1, 3000, 1200, 360500);
		for (unsigned i = 0; i < 600; i++)
			per_s[i] *= 0.98 + 0.04 * (double)rng_next(&rng) / (double)UINT64_MAX;
		bucket_fit(per_s, 600, 1, &fit);
		assert_true(fit.has_burst);
		near(fit.burst_per_s, 3000, 0.01);
		near(fit.base_per_s, 1200, 0.01);
		near(fit.credits, 360500, 0.02);
	}
}

static void what_is_no_bucket_is_not_called_one(void **state)
{
	double per_s[200];
	struct bucket_fit fit;

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		per_s[i] = 2600;
	bucket_fit(per_s, 200, 1, &fit);
	assert_true(fit.is_level);
	assert_false(fit.has_burst);
	near(fit.base_per_s, 2600, 1e-12);
	assert_true(fit.base_variation < THROTTLE_VARIATION);

	per_s[0] = 26000; /* one interval is no burst: what a moment's rest had saved */
	bucket_fit(per_s, 200, 1, &fit);
	assert_false(fit.has_burst);
	assert_true(fit.is_level);
	near(fit.base_per_s, 2600, 1e-12);

	for (unsigned i = 0; i < 200; i++) /* the low level first */
		per_s[i] = i < 100 ? 1000 : 3000;
	bucket_fit(per_s, 200, 1, &fit);
	assert_false(fit.has_burst);

	for (unsigned i = 0; i < 200; i++) /* a slow fall */
		per_s[i] = 5000 - 20.0 * i;
	bucket_fit(per_s, 200, 1, &fit);
	assert_false(fit.has_burst);
	assert_false(fit.is_level);

	for (unsigned i = 0; i < 200; i++) /* neither level holds */
		per_s[i] = (i < 100 ? 3000 : 1000) * (i % 2 ? 1.3 : 0.7);
	bucket_fit(per_s, 200, 1, &fit);
	assert_false(fit.has_burst);

	make(per_s, 200, 1, 3000, 300, 1e9); /* the burst outlasts the test */
	bucket_fit(per_s, 200, 1, &fit);
	assert_true(fit.is_level);

	make(per_s, 9, 1, 3000, 300, 9000);
	bucket_fit(per_s, 9, 1, &fit);
	assert_false(fit.has_burst);
	assert_false(fit.is_level);
}

static void two_limits_meet_at_the_corner(void **state)
{
	struct corner_point points[9];
	struct corner corner;

	(void)state;
	for (unsigned i = 0; i < 9; i++) { /* 4 KiB to 1 MiB; 4800 IOPS, 170 MiB/s */
		points[i].block_bytes = 4096.0 * (1 << i);
		points[i].ios_per_s = fmin(4800, 170 * 1048576.0 / points[i].block_bytes);
	}
	corner_of(points, 9, &corner);
	assert_true(corner.has_both);
	near(corner.ios_per_s, 4800, 1e-9);
	near(corner.bytes_per_s, 170 * 1048576.0, 1e-9);
	near(corner.block_bytes, 170 * 1048576.0 / 4800, 1e-9);

	points[0].ios_per_s *= 1.04; /* a size that still had credits moves no limit */
	points[7].ios_per_s *= 1.02;
	corner_of(points, 9, &corner);
	near(corner.block_bytes, 170 * 1048576.0 / 4800, 1e-9);

	for (unsigned i = 0; i < 9; i++) /* requests alone */
		points[i].ios_per_s = 100;
	corner_of(points, 9, &corner);
	assert_false(corner.has_both);
	corner_of(points, 0, &corner);
	assert_false(corner.has_both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_sold_is_found_again),
		cmocka_unit_test(noise_does_not_hide_it),
		cmocka_unit_test(what_is_no_bucket_is_not_called_one),
		cmocka_unit_test(two_limits_meet_at_the_corner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
