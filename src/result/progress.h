/*
 * Where a run stands: filled by run/ once an interval, handed to whoever shows it (the live
 * line, lines of JSON). A snapshot by value; its pointers are good during the call only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "result/result.h"

enum progress_phase {
	PROGRESS_LAYOUT, /* files are being written before the clock starts */
	PROGRESS_RAMP,	 /* every running worker is in its ramp */
	PROGRESS_RUN,
	PROGRESS_DRAIN, /* told to stop; waiting for what is in flight */
};

#define PROGRESS_UNKNOWN UINT64_MAX

struct progress {
	enum progress_phase phase;
	uint64_t elapsed_ns;
	uint64_t left_ns; /* over all waves and start delays; PROGRESS_UNKNOWN: no end known */
	double done_percent;		     /* below 0: unknown */
	unsigned running, waiting, finished; /* workers */
	/* One letter a worker, in thread_number order, as fio's live line has them: P not set
	 * up yet, C set up, I initialised, / ramp; R r reads (sequential, random), W w
	 * writes, M m both, D d trims, F fsync, f finishing, E exited, _ reaped, X exited
	 * with an error, K killed. NULL: not kept. */
	const char *states;
	unsigned open_files;
	struct row row;	     /* the newest interval, all workers */
	uint64_t lat_p99_ns; /* of all its requests; 0: none came back */
	uint64_t layout_bytes, layout_total_bytes;
	uint64_t errors;    /* since the start */
	uint64_t oldest_ns; /* age of the oldest request in flight; 0: none */
	enum op oldest_op;
	uint64_t oldest_offset;
	const char *oldest_path; /* NULL: unknown */
};
