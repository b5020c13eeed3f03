/*
 * Rows of fio's histogram log: time, direction, block size, and the counts of all bins. A row
 * is written at once; some 6 KB of text.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "stat/hist.h"
#include "trace/reader.h"

struct histlog_row {
	uint64_t time_ms;
	unsigned op; /* enum sample_op */
	uint64_t length;
	const uint64_t *count; /* FIO_HIST_BUCKETS */
	unsigned bins;	       /* of these the first ones that are written; 0: all */
};

/* Merges 2^coarseness bins into one. */
int histlog_write(int fd, const struct histlog_row *row, unsigned coarseness, struct err *err);

/* Samples of a histogram log, as its readers give them, back to rows: neighbours of one time,
 * direction and block size are a row, in the bins that info names. Owned by the caller. */
struct histlog_writer;

struct histlog_writer *histlog_writer_new(int fd, const struct trace_info *info,
					  struct err *err);
int histlog_writer_add(struct histlog_writer *writer, const struct sample *samples,
		       unsigned count, struct err *err);
int histlog_writer_end(struct histlog_writer *writer, struct err *err);
void histlog_writer_free(struct histlog_writer *writer);

/* True where `next` begins another row than `last` is in. */
static inline bool histlog_is_new_row(const struct sample *last, const struct sample *next)
{
	return last->time_ns != next->time_ns || last->op != next->op ||
	       last->length != next->length;
}
