/*
 * Writes a log in our block format (doc/log-format.md). Memory is one block; a block is written
 * when it is full, and the last at the end. One owner. Adding costs some ten nanoseconds a
 * sample, and one write of 64 KiB for each block.
 */
#pragma once

#include "base/err.h"
#include "trace/reader.h"

struct blocks_writer;

/* `fd` stays the caller's; `info` says what the samples are; times are multiples of
 * `time_unit_ns` (a sample that is not costs 33 bytes). */
struct blocks_writer *blocks_writer_new(int fd, const struct trace_info *info,
					uint64_t time_unit_ns, struct err *err);
int blocks_writer_add(struct blocks_writer *writer, const struct sample *samples,
		      unsigned count, struct err *err);
/* The same sample `times` over, for a nanosecond each where no offset is written. */
int blocks_writer_repeat(struct blocks_writer *writer, const struct sample *sample,
			 unsigned times, struct err *err);
/* The head, and what is not yet written as a whole block: the file does not end here. */
int blocks_writer_flush(struct blocks_writer *writer, struct err *err);
/* The block that is not full is in a regular file from now on, as if the file had been cut off
 * there: what comes later is written over it. */
int blocks_writer_show(struct blocks_writer *writer, struct err *err);
/* What is not yet written goes out, in a block that says it is the last. To be called once. */
int blocks_writer_end(struct blocks_writer *writer, struct err *err);
void blocks_writer_free(struct blocks_writer *writer);
