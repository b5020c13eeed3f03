/*
 * One row of fio's histogram log: time, direction, block size, and the counts of all bins.
 * Written at once; some 6 KB of text.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "stat/hist.h"

struct histlog_row {
	uint64_t time_ms;
	unsigned op; /* enum sample_op */
	uint64_t length;
	const uint64_t *count; /* FIO_HIST_BUCKETS */
};

/* Merges 2^coarseness bins into one. */
int histlog_write(int fd, const struct histlog_row *row, unsigned coarseness, struct err *err);
