/*
 * Several logs as one stream in the order of time: k readers and a heap. A batch is a run of one
 * source's samples up to the next sample of another; equal times go by the order of the
 * sources. The readers stay the caller's. A log whose own times go back is merged as it comes.
 */
#pragma once

#include "trace/reader.h"

struct trace_merge;

struct trace_merge *merge_new(struct trace_reader **readers, unsigned count, struct err *err);
/* As trace_next. */
int merge_next(struct trace_merge *merge, struct trace_batch *ret_batch, struct err *err);
void merge_free(struct trace_merge *merge);
