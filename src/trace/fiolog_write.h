/*
 * Writes samples as a text log of fio: "time, value, direction, bs, [offset,] prio" in ns as fio
 * 3.18 and later do, or the four columns in us of fio 2. Owned by the caller; text gathers in a
 * buffer that is written when it is full.
 */
#pragma once

#include "base/err.h"
#include "trace/reader.h"

struct fiolog_writer;

/* `fd` stays the caller's. */
struct fiolog_writer *fiolog_writer_new(int fd, const struct trace_info *info, bool fio2,
					struct err *err);
int fiolog_writer_add(struct fiolog_writer *writer, const struct sample *samples,
		      unsigned count, struct err *err);
/* One sample with fio's column for the time of issue; the log has it in each of its rows. */
int fiolog_writer_add_issued(struct fiolog_writer *writer, const struct sample *sample,
			     uint64_t issue_ns, struct err *err);
/* What has gathered goes out; rows may follow. */
int fiolog_writer_end(struct fiolog_writer *writer, struct err *err);
void fiolog_writer_free(struct fiolog_writer *writer);

/* What a text log cannot hold of such a log, as a sentence; NULL: nothing is lost. */
const char *fiolog_writer_loss(const struct trace_info *info, bool fio2);
