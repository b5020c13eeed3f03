/*
 * Samples of one source cut into intervals: count, bytes, sum, extremes, thresholds and a
 * histogram for each interval and group (direction, block size). What an interval held leaves
 * as a compact row when the next one begins; rows of several sources and parts of files are
 * merged by gather.h. A source in order gives rows in order; an interval may come in several
 * rows. Memory is one dense histogram a group and the rows not yet taken.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stat/hist.h"
#include "trace/reader.h"
#include "trace/sample.h"

#define BINS_THRESHOLDS_MAX 8
#define BINS_LENGTHS_MAX    64 /* block sizes of one source, where rows are grouped by them */

struct bins_options {
	uint64_t interval_ns;
	bool by_direction, by_length;
	bool portable; /* by loops that every processor runs */
	unsigned nthresholds;
	uint64_t threshold_ns[BINS_THRESHOLDS_MAX]; /* counted when strictly above */
};

struct bins_sums {
	uint64_t count, bytes, min, max; /* min is UINT64_MAX while count is 0 */
	unsigned __int128 sum;
	uint64_t over[BINS_THRESHOLDS_MAX];
	/* of a windowed log: value times nanoseconds, and the nanoseconds that it covers */
	double weighted, covered_ns;
};

struct bins_bucket {
	uint32_t bucket;
	uint32_t reserved;
	uint64_t count;
};

/* Followed by nbuckets of struct bins_bucket. */
struct bins_row {
	uint64_t interval; /* its number: it begins at interval * interval_ns */
	uint32_t length;   /* 0 unless by_length */
	uint8_t op;	   /* SAMPLE_OPS unless by_direction */
	uint32_t nbuckets;
	struct bins_sums sums;
};

struct bins;

struct bins *bins_new(const struct bins_options *options, const struct trace_info *info,
		      struct err *err);
void bins_free(struct bins *bins);

/* Fails when rows are grouped by block size and there are too many. */
int bins_add(struct bins *bins, const struct trace_batch *batch, struct err *err);
/* The interval that is open leaves too. */
int bins_end(struct bins *bins, struct err *err);

/* The next row, or NULL; valid until the next bins_add or bins_end. */
const struct bins_row *bins_take(struct bins *bins);
/* All rows not yet taken, moved to the caller, who frees them; *ret_bytes of them. */
char *bins_take_all(struct bins *bins, size_t *ret_bytes);
static inline size_t bins_row_bytes(const struct bins_row *row)
{
	return sizeof(*row) + row->nbuckets * sizeof(struct bins_bucket);
}

/* Times of the first and the last sample (windowed: where the first window began); ns. */
uint64_t bins_first_ns(const struct bins *bins);
uint64_t bins_last_ns(const struct bins *bins);
