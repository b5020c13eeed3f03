/*
 * A series: what completed in each interval of a grid, for each direction and for all together.
 * It is fed completion by completion, in the order of time, and holds a cell an interval and no
 * sample: memory depends on the number of intervals, not on that of completions. An interval
 * without completions is a cell of zeros. Heap memory, owned by the series, released with
 * series_done.
 *
 * Three grains of the same samples: cells (an interval each), units (32 to 64 pieces of the
 * run of equal length, each with a whole histogram: what confidence and bootstraps are made
 * of), and the run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "stat/hist.h"

enum series_dir { SERIES_READ, SERIES_WRITE, SERIES_TRIM, SERIES_ALL };
#define SERIES_DIRS 4

#define SERIES_THRESHOLDS_MAX 6
#define SERIES_CELLS_MAX      (1u << 22) /* 48 days of seconds */
#define SERIES_UNITS	      64

/* Instants are those of the grid: nanoseconds since its zero. */
struct series_cell {
	uint64_t count, bytes;
	uint64_t min_ns, max_ns; /* exact; UINT64_MAX and 0 where count is 0 */
	double sum_ns;
	uint64_t first_ns, last_ns; /* the first and last completion inside */
	/* The earliest start of a request that was in flight in this interval and completed
	 * after it; UINT64_MAX: none. */
	uint64_t waiting_since_ns;
	uint32_t over[SERIES_THRESHOLDS_MAX]; /* completions above each threshold */
	/* 0: not known. A float is finer than a histogram's buckets, and a day has many cells. */
	float p50_ns, p99_ns, p999_ns;
};

struct series_sample {
	uint64_t time_ns; /* of the completion */
	uint64_t latency_ns, bytes;
	uint64_t count;	     /* completions that this stands for; bytes are those of all */
	enum series_dir dir; /* not SERIES_ALL */
};

struct series_part {
	struct series_cell *cells; /* NULL: nothing of this direction */
	struct hist *units;	   /* SERIES_UNITS of them */
	struct hist hist;	   /* the whole run; after series_finish */
	struct hist *open;	   /* of the current interval */
	struct hist_sums sums;
	uint64_t bytes, over[SERIES_THRESHOLDS_MAX];
};

struct series {
	uint64_t interval_ns;
	uint64_t thresholds_ns[SERIES_THRESHOLDS_MAX];
	unsigned nthresholds;
	bool has_latency; /* false: latencies mean nothing (a log of IOPS) */

	struct series_part part[SERIES_DIRS];
	unsigned ncells, room;
	unsigned unit_cells, nunits; /* cells a unit; units in use, after series_finish */
	uint64_t begin_ns, end_ns; /* the first start, and the last completion or series_end */
	uint64_t last_ns;	   /* the last completion */
	uint64_t late; /* samples of an interval that was closed: not in its percentiles */
	bool any, finished;
};

void series_init(struct series *series, uint64_t interval_ns);
void series_done(struct series *series);

/* Before the first sample; the same value twice is one. Returns 0 or an err: too many. */
int series_threshold(struct series *series, uint64_t threshold_ns, struct err *err);
/* The index of a threshold, or -1. */
int series_find_threshold(const struct series *series, uint64_t threshold_ns);

int series_add(struct series *series, const struct series_sample *sample, struct err *err);
/* The measured span is known to reach to `end_ns`, completions or not. */
int series_end(struct series *series, uint64_t end_ns, struct err *err);
/* Fills SERIES_ALL and the histograms of the run. No more samples after it. */
void series_finish(struct series *series);

/* The judged intervals: without a first and a last that the measured span fills only in part
 * (less than 99 % of them). */
struct series_range {
	unsigned first, end;
	bool partial_first, partial_last;
};
void series_range(const struct series *series, struct series_range *ret_range);

static inline double series_cell_mean_ns(const struct series_cell *cell)
{
	return cell->count ? cell->sum_ns / (double)cell->count : 0;
}
