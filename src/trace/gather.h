/*
 * Logs to figures: one row for each interval and group, intervals without anything included,
 * in the order of time. Each source is cut by itself (bins.h), in parts of some MiB where the
 * file allows, on `threads` threads; the parts' rows meet here. Memory does not depend on the
 * files' sizes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/bins.h"
#include "trace/reader.h"

#define GATHER_SOURCES_MAX 1024
#define GATHER_GROUPS_MAX  1024
#define GATHER_PERCENTS	   5

extern const double gather_percents[GATHER_PERCENTS]; /* 50 90 99 99.9 99.99 */

struct gather_options {
	struct bins_options bins;
	bool by_source;	   /* the job: one source is one job's log */
	bool keep_all;	   /* times may go back by any span: everything is kept until the end */
	unsigned threads;  /* 0 and 1: the caller's alone */
	uint64_t until_ns; /* whole intervals up to there are rows, if need be of zeros */
};

/* What is known of one interval and group; the has_ flags say what the log can tell. */
struct gather_row {
	uint64_t begin_ns, end_ns;
	unsigned source; /* by_source */
	uint8_t op;	 /* SAMPLE_OPS unless by_direction */
	uint32_t length;
	bool has_count;	  /* count and bytes; not in windowed logs, but for empty intervals */
	bool has_latency; /* min, mean, max and over; of a windowed log the mean alone */
	bool has_max;
	bool windowed;
	uint64_t count, bytes, min_ns, max_ns;
	double ios_per_s, bytes_per_s; /* NAN: not known */
	double mean_ns;		       /* NAN: not known */
	uint64_t over[BINS_THRESHOLDS_MAX];
	uint64_t percentile_ns[GATHER_PERCENTS];
	bool percentile_is_sound[GATHER_PERCENTS]; /* enough samples lie above */
	const struct hist *hist;		   /* NULL: none; until the call returns */
};

struct gather_sink {
	void *context;
	int (*row)(void *context, const struct gather_row *row, struct err *err);
};

struct gather_totals {
	uint64_t first_ns, last_ns; /* of all samples */
	uint64_t rows, empty_rows;  /* handed to the sink */
	uint64_t lost_rows; /* of these, intervals of which damage took rows: nothing is told */
	uint64_t bytes[GATHER_SOURCES_MAX]; /* of each source */
	uint64_t late; /* rows of intervals that came after their turn; keep_all */
};

/* `readers` are read to their ends (or up to the error); all of one kind and sort, which the
 * caller has seen to. Their counts are complete afterwards, whatever read the parts. */
int gather_run(struct trace_reader **readers, unsigned count,
	       const struct gather_options *options, const struct gather_sink *sink,
	       struct gather_totals *ret_totals, struct err *err);
