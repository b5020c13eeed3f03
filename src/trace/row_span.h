/*
 * The time that one row of a windowed or of a histogram log is of. Such a row bears the time of
 * its end; it began where the row before it of the same direction ended. Rows drift by a
 * millisecond now and then, idle ones may be left out, and a run's last one is shorter.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "trace/reader.h"
#include "trace/sample.h"

/* Of one source. */
struct row_span {
	uint64_t usual_ns; /* log_avg_msec, log_hist_msec; 0: as between the first two rows */
	uint64_t start_ns; /* of the job, where the first row begins; not of epoch logs */
	bool epoch;
	uint64_t begin_ns[SAMPLE_OPS], end_ns[SAMPLE_OPS]; /* of the last row */
};

void row_span_init(struct row_span *span, const struct trace_info *info);
/* When the row that the sample is of began; samples come in the order of the log. */
uint64_t row_span_begin_ns(struct row_span *span, const struct sample *sample);
/* The middle: the one time that stands for all of a row whose requests are not known singly. */
uint64_t row_span_middle_ns(struct row_span *span, const struct sample *sample);
