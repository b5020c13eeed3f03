/*
 * What fio's JSON tells of the logs that were written beside it: units, depth, windows, and the
 * totals that a log's rows have to add up to. Text around the JSON is left out, of several
 * documents in one file the last counts, of keys that stand twice the last. Read once, cold.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define FIO_SIBLINGS_MAX 1024
#define FIO_SIBLING_DIRS 3 /* read, write, trim */

struct fio_sibling {
	char name[80];
	bool nanoseconds;    /* clat_ns; else clat, which is in us */
	double depth;	     /* iodepth, 0 where it is not said */
	uint64_t window_ns;  /* log_avg_msec, 0: a row per request */
	uint64_t runtime_ns; /* from its start to its end; 0: not said */
	uint64_t start_ns;   /* after the first job's; 0 also where no start is said */
	uint64_t total_ios[FIO_SIBLING_DIRS], io_bytes[FIO_SIBLING_DIRS];
};

struct fio_siblings {
	struct fio_sibling *jobs; /* in the order of the file; fio_siblings_done frees them */
	unsigned count;
};

int fio_siblings_read(const char *path, struct fio_siblings *ret_siblings, struct err *err);
void fio_siblings_done(struct fio_siblings *siblings);
