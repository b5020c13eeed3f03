/* Properties of the histogram; seed of every random sequence: 1. */
#include "stat/hist.h"

#include <stdlib.h>

#include "base/rng.h"
#include "unit.h"

static uint64_t random_ns(struct rng *rng)
{
	return rng_next(rng) >> (22 + rng_below(rng, 42));
}

static void every_value_lies_in_its_bucket(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1, 0);
	for (int i = 0; i < 1000000; i++) {
		uint64_t ns = random_ns(&rng);
		unsigned bucket = hist_index(ns);

		assert_true(hist_low_ns(bucket) <= ns);
		assert_true(ns < hist_low_ns(bucket) + hist_width_ns(bucket));
		assert_true((double)hist_width_ns(bucket) <= 1 + (double)ns / 128);
	}
}

static void buckets_are_contiguous_and_nest_in_fio(void **state)
{
	(void)state;
	for (unsigned i = 0; i + 1 < HIST_BUCKETS; i++) {
		uint64_t low = hist_low_ns(i), last = low + hist_width_ns(i) - 1;

		assert_int_equal(hist_low_ns(i + 1), last + 1);
		assert_int_equal(hist_index(low), i);
		assert_int_equal(hist_index(last), i);
		assert_int_equal(hist_fio_index(low), hist_fio_index(last));
	}
	assert_int_equal(hist_index(UINT64_MAX), HIST_BUCKETS - 1);
	assert_int_equal(hist_low_ns(HIST_BUCKETS - 1) + hist_width_ns(HIST_BUCKETS - 1),
			 1ULL << HIST_MAX_BITS);
	assert_int_equal(hist_fio_mid_ns(FIO_HIST_BUCKETS - 1), 17112760320ULL);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The slow way: sort, take the sample of that rank; ours must be its bucket's mid-point. */
static void percentiles_equal_the_sorted_array(void **state)
{
	static const double percents[] = {0, 1, 50, 90, 99, 99.9, 99.99, 100};
	static uint64_t samples[10000];
	static struct hist hist;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1, 1);
	for (int i = 0; i < 10000; i++) {
		samples[i] = random_ns(&rng);
		hist_add(&hist, samples[i], 1);
	}
	qsort(samples, 10000, sizeof(samples[0]), compare_u64);
	for (unsigned p = 0; p < ARRAY_SIZE(percents); p++) {
		unsigned rank = (unsigned)(percents[p] * 100 + 0.5);
		uint64_t sample = samples[rank ? rank - 1 : 0];

		assert_int_equal(hist_percentile_ns(&hist, percents[p]),
				 hist_mid_ns(hist_index(sample)));
	}
}

static void merge_is_the_histogram_of_both(void **state)
{
	static struct hist a, b, both;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1, 2);
	for (int i = 0; i < 10000; i++) {
		uint64_t ns = random_ns(&rng);

		hist_add(i & 1 ? &a : &b, ns, 1);
		hist_add(&both, ns, 1);
	}
	hist_merge(&a, &b);
	assert_memory_equal(&a, &both, sizeof(both));
	assert_int_equal(hist_total(&a), 10000);
}

static void a_percentile_needs_ten_samples_above_it(void **state)
{
	(void)state;
	assert_int_equal(hist_needs(50), 20);
	assert_int_equal(hist_needs(99), 1000);
	assert_int_equal(hist_needs(99.9), 10000);
	assert_int_equal(hist_needs(99.99), 100000);
	assert_true(hist_percentile_is_sound(1000, 99));
	assert_false(hist_percentile_is_sound(999, 99));
}

static void deviation_is_within_a_bucket(void **state)
{
	static struct hist hist;

	(void)state;
	hist_add(&hist, 1000, 500);
	hist_add(&hist, 3000, 500);
	assert_true(hist_deviation_ns(&hist, 2000) > 992);
	assert_true(hist_deviation_ns(&hist, 2000) < 1008);
}

static void sums_are_exact(void **state)
{
	struct hist_sums a, b;

	(void)state;
	hist_sums_init(&a);
	hist_sums_init(&b);
	hist_sums_add(&a, 5, 3);
	hist_sums_add(&b, UINT64_MAX, 1);
	hist_sums_merge(&a, &b);
	assert_int_equal(a.total, 4);
	assert_int_equal(a.min_ns, 5);
	assert_true(a.max_ns == UINT64_MAX);
	assert_true(a.sum_ns == (unsigned __int128)UINT64_MAX + 15);
}

static void what_is_given_to_fio_is_all_of_it(void **state)
{
	static struct hist hist;
	static uint64_t bins[FIO_HIST_BUCKETS];
	uint64_t sum = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1, 0);
	for (int i = 0; i < 10000; i++)
		hist_add(&hist, random_ns(&rng), 3);
	hist_to_fio(&hist, bins);
	for (unsigned i = 0; i < FIO_HIST_BUCKETS; i++)
		sum += bins[i];
	assert_int_equal(sum, 30000);
	/* Its first bins are a nanosecond wide, and their middle is their value. */
	assert_int_equal(hist_fio_mid_ns(5), 5);
}

static void of_nothing_everything_is_nothing(void **state)
{
	static struct hist hist;
	struct hist_sums sums;

	(void)state;
	hist_sums_init(&sums);
	hist_sums_add(&sums, 7, 0);
	assert_int_equal(sums.total, 0);
	assert_true(sums.min_ns == UINT64_MAX); /* of no sample: none is the least */
	assert_true(hist_sums_mean_ns(&sums) == 0);
	assert_int_equal(hist_percentile_ns(&hist, 50), 0);
	assert_true(hist_deviation_ns(&hist, 0) == 0);
	assert_true(hist_count_above(&hist, UINT64_MAX) == 0);
	hist_sums_add(&sums, 4, 2);
	hist_sums_add(&sums, 10, 1);
	assert_true(hist_sums_mean_ns(&sums) == 6);
	assert_int_equal(hist_needs(100), 1); /* the maximum is what it is */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_lies_in_its_bucket),
		cmocka_unit_test(buckets_are_contiguous_and_nest_in_fio),
		cmocka_unit_test(percentiles_equal_the_sorted_array),
		cmocka_unit_test(merge_is_the_histogram_of_both),
		cmocka_unit_test(a_percentile_needs_ten_samples_above_it),
		cmocka_unit_test(deviation_is_within_a_bucket),
		cmocka_unit_test(sums_are_exact),
		cmocka_unit_test(what_is_given_to_fio_is_all_of_it),
		cmocka_unit_test(of_nothing_everything_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
