/* Blobs of histograms: a round trip for any counts, merging, and damage. Seed 20265. */
#include "result/codec.h"

#include <errno.h>
#include <string.h>

#include "base/rng.h"
#include "unit.h"

#define SEED 20265

/* From empty to full, from counts of 1 to the greatest. */
static void any_hist(struct rng *rng, struct hist *hist)
{
	unsigned percent = (unsigned)rng_below(rng, 101);

	*hist = (struct hist){0};
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		if (rng_below(rng, 100) < percent)
			hist->count[i] = rng_next(rng) >> rng_below(rng, 64) >> 2;
	if (rng_below(rng, 2))
		hist->count[0] = 1;
	if (rng_below(rng, 2))
		hist->count[HIST_BUCKETS - 1] = UINT64_MAX >> 2;
}

static void any_histogram_comes_back_exactly(void **state)
{
	static struct hist hist, back;
	struct rng rng;

	(void)state;
	rng_seed(&rng, SEED, 0);
	for (unsigned i = 0; i < 300; i++) {
		autostr blob = {0};

		any_hist(&rng, &hist);
		codec_hist_encode(&hist, &blob);
		back = (struct hist){0};
		assert_int_equal(codec_hist_merge(blob.text, blob.length, &back), 0);
		assert_memory_equal(&back, &hist, sizeof(hist));
	}
}

static void merging_blobs_is_merging_histograms(void **state)
{
	static struct hist a, b, merged;
	struct rng rng;

	(void)state;
	rng_seed(&rng, SEED, 1);
	for (unsigned i = 0; i < 100; i++) {
		autostr one = {0}, other = {0};

		any_hist(&rng, &a);
		any_hist(&rng, &b);
		codec_hist_encode(&a, &one);
		codec_hist_encode(&b, &other);
		merged = (struct hist){0};
		assert_int_equal(codec_hist_merge(one.text, one.length, &merged), 0);
		assert_int_equal(codec_hist_merge(other.text, other.length, &merged), 0);
		hist_merge(&a, &b);
		assert_memory_equal(&merged, &a, sizeof(a));
	}
}

static void an_empty_histogram_is_one_byte(void **state)
{
	static const struct hist empty;
	autostr blob = {0};

	(void)state;
	codec_hist_encode(&empty, &blob);
	assert_int_equal(blob.length, 1);
}

/* 100,000 requests around 80 us, as a second of a drive: 100 to 200 buckets. */
static void a_second_takes_two_bytes_a_bucket(void **state)
{
	static struct hist hist;
	autostr blob = {0};
	struct rng rng;
	unsigned buckets = 0;

	(void)state;
	rng_seed(&rng, SEED, 2);
	for (unsigned i = 0; i < 100000; i++) {
		double ns = 40000;

		for (unsigned k = 0; k < 8; k++)
			ns += 10000 * rng_unit(&rng);
		hist_add(&hist, (uint64_t)ns, 1);
	}
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		buckets += hist.count[i] > 0;
	codec_hist_encode(&hist, &blob);
	assert_in_range(buckets, 80, 250);
	assert_true(blob.length <= 2 * buckets + 8);
}

static void a_cut_blob_changes_nothing(void **state)
{
	static struct hist hist, into;
	static const struct hist empty;
	autostr blob = {0};
	unsigned accepted = 0;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		hist_add(&hist, 1000 + 977 * i, 1 + 1000 * i);
	codec_hist_encode(&hist, &blob);
	for (size_t bytes = 0; bytes < blob.length; bytes++) {
		int rc = codec_hist_merge(blob.text, bytes, &into);

		/* Cut between two runs it is a whole blob of fewer; never anything else. */
		accepted += rc == 0;
		if (rc)
			assert_memory_equal(&into, &empty, sizeof(into));
		into = empty;
	}
	assert_true(accepted < blob.length / 2);
}

static void other_spellings_are_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
	} bad[] = {
		{"", 0},		/* nothing */
		{"\2\5\1\1", 4},	/* another version */
		{"\1\5\0", 3},		/* an empty run */
		{"\1\5\1\0", 4},	/* a count of zero */
		{"\1\5\1\1\0\1\1", 7},	/* two runs that are one */
		{"\1\205\0\1\1", 5},	/* a long varint */
		{"\1\200\44\1\1", 5},	/* a bucket beyond the last */
		{"\1\377\43\2\1\1", 6}, /* a run beyond the last */
		{"\1\5\1\377\377\377\377\377\377\377\377\377\2", 13}, /* 65 bits */
	};
	static struct hist into;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(codec_hist_merge(bad[i].bytes, bad[i].length, &into),
				 -EBADMSG);
	assert_int_equal(codec_hist_merge("\1\377\43\1\1", 5, &into), 0);
	assert_int_equal(into.count[HIST_BUCKETS - 1], 1);
}

static void counts_that_overflow_are_refused(void **state)
{
	static struct hist into;

	(void)state;
	into.count[5] = UINT64_MAX;
	assert_int_equal(codec_hist_merge("\1\5\1\1", 4, &into), -EBADMSG);
	assert_true(into.count[5] == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_histogram_comes_back_exactly),
		cmocka_unit_test(merging_blobs_is_merging_histograms),
		cmocka_unit_test(an_empty_histogram_is_one_byte),
		cmocka_unit_test(a_second_takes_two_bytes_a_bucket),
		cmocka_unit_test(a_cut_blob_changes_nothing),
		cmocka_unit_test(other_spellings_are_refused),
		cmocka_unit_test(counts_that_overflow_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
