/*
 * Parts of logs cut into intervals on several threads: each part is read by a reader of its own
 * and leaves its rows in one piece of memory. The parts of a source are handed out and taken
 * back in order; which source comes next is the caller's choice. One owner; the threads are
 * within.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/bins.h"
#include "trace/reader.h"

struct part {
	unsigned source;
	char *rows; /* the taker's to free */
	size_t rows_bytes;
	uint64_t first_ns, last_ns; /* of its samples; first_ns is UINT64_MAX without any */
	bool is_last;		    /* of its source */
	/* of its source, from the beginning to here */
	struct trace_damage damage[TRACE_DAMAGES_MAX];
	unsigned ndamages;
};

struct parts;

struct parts *parts_new(struct trace_reader **readers, unsigned count,
			const struct bins_options *options, unsigned threads, struct err *err);
/* The next part of `source`: waits for it if it is being made, makes it if nobody does, and
 * lets the threads begin others. Not after the last part of the source. */
int parts_next(struct parts *parts, unsigned source, struct part *ret_part, struct err *err);
void parts_free(struct parts *parts);
