/*
 * A latency histogram: 128 buckets for each power of two, 1 ns to 73 minutes, so a bucket is
 * at most 1/128 (0.78 %) of its value wide; values below 256 are exact. Two buckets of ours
 * are exactly one of fio's (64 for each power of two), so fio's bins and percentiles come
 * out as sums, not approximations. Merging adds counts: exact, commutative, associative.
 *
 * The geometry: index(v) = v for v < 256; else, with shift = log2(v) - 7, (shift << 7) + (v
 * >> shift): the exponent selects a group of 128 and the seven bits after the leading one
 * the bucket in it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"

#define HIST_SUB_BITS 7
#define HIST_SUB      (1u << HIST_SUB_BITS)
#define HIST_MAX_BITS 42     /* values of 2^42 ns (73.3 min) and more go into the last bucket */
#define HIST_BUCKETS  4608ul /* HIST_SUB * (HIST_MAX_BITS - HIST_SUB_BITS + 1) */

/* fio's geometry: 29 groups of 64; its last bucket begins at 17.1 s. */
#define FIO_HIST_BUCKETS  1856u
#define FIO2_HIST_BUCKETS 1216u /* of fio 2: 19 groups, in us */

/* The wide form: rows, totals, results. 64-bit counts do not overflow. */
struct hist {
	uint64_t count[HIST_BUCKETS];
};

/* Moments beside the buckets, exact where the buckets are not; all in ns. min is UINT64_MAX
 * while total is 0. */
struct hist_sums {
	uint64_t total, min_ns, max_ns;
	unsigned __int128 sum_ns;
};

static inline unsigned hist_index(uint64_t ns)
{
	unsigned shift;

	if (unlikely(ns >> HIST_MAX_BITS))
		return HIST_BUCKETS - 1;
	shift = log2_u64(ns | (2 * HIST_SUB - 1)) - HIST_SUB_BITS; /* 0 below 2 * HIST_SUB */
	return (shift << HIST_SUB_BITS) + (unsigned)(ns >> shift);
}

/* Lowest value of a bucket, its width, and the point that stands for it (fio's rule: low +
 * width/2). */
uint64_t hist_low_ns(unsigned bucket);
uint64_t hist_width_ns(unsigned bucket);
uint64_t hist_mid_ns(unsigned bucket);

void hist_add(struct hist *hist, uint64_t ns, uint64_t count);
void hist_merge(struct hist *into, const struct hist *from);
uint64_t hist_total(const struct hist *hist);

/*
 * The value (bucket mid-point, limited to [min, max] by the caller if it knows them) below
 * or at which `percent` of the samples lie: the first bucket whose cumulative count is >=
 * ceil(percent/100 * total), as fio does. 0 for an empty histogram. `percent` in [0, 100].
 */
uint64_t hist_percentile_ns(const struct hist *hist, double percent);

/* Several percentiles in one pass; `percents` ascending. */
void hist_percentiles_ns(const struct hist *hist, const double *percents, unsigned count,
			 uint64_t *ret_ns);

/* The same where all samples are known to lie in some buckets: for who makes one for each interval
 * of a day. */
struct hist_part {
	unsigned first, last; /* buckets */
	uint64_t total;	      /* samples in them */
};
void hist_percentiles_of_part_ns(const struct hist *hist, struct hist_part part,
				 const double *percents, unsigned count, uint64_t *ret_ns);

/* Samples strictly above the bucket of `ns` plus a linear share of that bucket. */
double hist_count_above(const struct hist *hist, uint64_t ns);

/* Standard deviation (population) from bucket mid-points around the exact mean: off by at
 * most half a bucket's width. 0 for fewer than two samples. */
double hist_deviation_ns(const struct hist *hist, double mean_ns);

/* How many samples lie above percentile p of n samples: n * (1 - p/100). A percentile is
 * printed from HIST_NEEDS_ABOVE on; below, `hist_needs` says how many samples it takes in
 * all. */
#define HIST_NEEDS_ABOVE 10
bool hist_percentile_is_sound(uint64_t total, double percent);
uint64_t hist_needs(double percent);

/* Sum pairs into fio's bins; values beyond fio's range go into its last bin (17.1 s). */
void hist_to_fio(const struct hist *hist, uint64_t *ret_count /* FIO_HIST_BUCKETS */);
uint64_t hist_fio_mid_ns(unsigned bucket);
unsigned hist_fio_index(uint64_t ns);

void hist_sums_init(struct hist_sums *sums);
void hist_sums_add(struct hist_sums *sums, uint64_t ns, uint64_t count);
void hist_sums_merge(struct hist_sums *into, const struct hist_sums *from);
double hist_sums_mean_ns(const struct hist_sums *sums);
