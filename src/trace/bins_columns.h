/*
 * Sums and histograms of samples that come by columns: the inner loop of bins.h, in a portable
 * form and one for AVX2 that takes four samples at once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "trace/sample.h"

/* Of one direction; hist is the owner's, HIST_BUCKETS counts. */
struct column_sums {
	uint64_t count, sum, min, max; /* min is UINT64_MAX while count is 0 */
	uint64_t *hist;
};

struct columns_job {
	const struct sample_columns *columns;
	unsigned from, to;
	uint64_t lowest_ns; /* above it `over` counts; of several thresholds the lowest */
	unsigned nthresholds;
	const uint64_t *threshold_ns;
	struct column_sums sums[SAMPLE_OPS];
	uint64_t *over[SAMPLE_OPS]; /* by threshold; the owner's */
};

/* Adds columns[from, to) to sums, hists and over. */
typedef void (*columns_add)(struct columns_job *job);

void columns_add_portable(struct columns_job *job);
/* The fastest form for this processor. */
columns_add columns_add_best(void);
