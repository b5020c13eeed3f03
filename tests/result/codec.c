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

/* Few buckets and many bits: at the end of a blob a gap and a difference may take all that the
 * reader holds. */
static void the_last_bits_of_a_blob_come_back(void **state)
{
	static struct hist hist, back;
	struct rng rng;

	(void)state;
	rng_seed(&rng, SEED, 2);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned at = (unsigned)rng_below(&rng, 64), first = at;
		uint64_t bits = 10 + rng_below(&rng, 40);
		autostr blob = {0};

		for (unsigned n = 0; n < 6; n++, at += 1 + (unsigned)rng_below(&rng, 300))
			hist.count[at] = 1 + (rng_next(&rng) >> (64 - bits));
		codec_hist_encode(&hist, &blob);
		assert_int_equal(codec_hist_add(blob.text, blob.length, &back), 0);
		for (unsigned j = first; j < at; j++) {
			assert_int_equal(back.count[j], hist.count[j]);
			back.count[j] = hist.count[j] = 0;
		}
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

/* Whatever is cut off, from anywhere, is damaged; nothing is read behind the end (the blob
 * has memory of its own). */
static void blobs_are_added_up(void **state)
{
	static struct hist sum, want;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 45, 0);
	for (unsigned i = 0; i < 300; i++) {
		struct hist hist;
		autostr blob = {0};

		any_hist(&rng, &hist);
		codec_hist_encode(&hist, &blob);
		for (unsigned k = 0; k < HIST_BUCKETS; k++)
			want.count[k] += hist.count[k];
		assert_int_equal(codec_hist_add(blob.text, blob.length, &sum), 0);
		assert_memory_equal(&sum, &want, sizeof(want));
		for (size_t cut = 0; cut < blob.length; cut += 1 + blob.length / 7) {
			void *part = malloc(cut ? cut : 1);

			memcpy(part, blob.text, cut);
			assert_int_equal(codec_hist_add(part, cut, &hist), -EBADMSG);
			free(part);
		}
	}
}

static void an_empty_histogram_is_three_bytes(void **state)
{
	static const struct hist empty;
	autostr blob = {0};

	(void)state;
	codec_hist_encode(&empty, &blob);
	assert_int_equal(blob.length, 3);
}

/* 12,000 requests around 80 us, one in 200 up to twenty times that: a second of a drive. */
static void a_second_takes_seven_bits_a_bucket(void **state)
{
	static struct hist hist;
	autostr blob = {0};
	struct rng rng;
	unsigned buckets = 0;

	(void)state;
	rng_seed(&rng, SEED, 2);
	for (unsigned i = 0; i < 12000; i++) {
		double ns = 40000;

		for (unsigned k = 0; k < 8; k++)
			ns += 10000 * rng_unit(&rng);
		if (!rng_below(&rng, 200))
			ns *= 1 + 20 * rng_unit(&rng);
		hist_add(&hist, (uint64_t)ns, 1);
	}
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		buckets += hist.count[i] > 0;
	codec_hist_encode(&hist, &blob);
	assert_in_range(buckets, 100, 250);
	assert_true(blob.length * 8 <= 7 * buckets + 24);
}

static void a_cut_blob_changes_nothing(void **state)
{
	static struct hist hist, into;
	static const struct hist empty;
	autostr blob = {0};

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		hist_add(&hist, 1000 + 977 * i, 1 + 1000 * i);
	codec_hist_encode(&hist, &blob);
	for (size_t bytes = 0; bytes < blob.length; bytes++) {
		assert_int_equal(codec_hist_merge(blob.text, bytes, &into), -EBADMSG);
		assert_memory_equal(&into, &empty, sizeof(into));
	}
}

/* Any bit turned: refused, or the one spelling of another histogram. */
static void a_turned_bit_is_refused_or_another_histogram(void **state)
{
	static const struct hist empty;
	static struct hist hist, into;
	unsigned refused = 0;
	autostr blob = {0};

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		hist_add(&hist, 1000 + 977 * i, 1 + 1000 * i);
	codec_hist_encode(&hist, &blob);
	for (size_t bit = 0; bit < blob.length * 8; bit++) {
		autostr again = {0};

		blob.text[bit / 8] ^= (char)(1 << bit % 8);
		into = empty;
		if (codec_hist_merge(blob.text, blob.length, &into)) {
			refused++;
		} else {
			codec_hist_encode(&into, &again);
			assert_int_equal(again.length, blob.length);
			assert_memory_equal(again.text, blob.text, blob.length);
			assert_memory_not_equal(&into, &hist, sizeof(into));
		}
		blob.text[bit / 8] ^= (char)(1 << bit % 8);
	}
	assert_true(refused > blob.length);
}

static void counts_that_overflow_are_refused(void **state)
{
	static struct hist into, one;
	autostr blob = {0};

	(void)state;
	one.count[5] = 1;
	codec_hist_encode(&one, &blob);
	into.count[5] = UINT64_MAX;
	assert_int_equal(codec_hist_merge(blob.text, blob.length, &into), -EBADMSG);
	assert_true(into.count[5] == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_histogram_comes_back_exactly),
		cmocka_unit_test(the_last_bits_of_a_blob_come_back),
		cmocka_unit_test(merging_blobs_is_merging_histograms),
		cmocka_unit_test(blobs_are_added_up),
		cmocka_unit_test(an_empty_histogram_is_three_bytes),
		cmocka_unit_test(a_second_takes_seven_bits_a_bucket),
		cmocka_unit_test(a_cut_blob_changes_nothing),
		cmocka_unit_test(a_turned_bit_is_refused_or_another_histogram),
		cmocka_unit_test(counts_that_overflow_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
