/* What the format readers of trace/ share: the reader itself. */
#pragma once

#include "trace/fiofast.h"
#include "trace/fiorow.h"
#include "trace/input.h"
#include "trace/lines.h"
#include "trace/logname.h"
#include "trace/reader.h"

/* Where columns are wanted, so many samples at most go the other way after one that has to. */
#define TRACE_RARE 8

/* A format: fills reader->batch and returns how many samples, 0 at the end, or an error. */
typedef int (*format_next)(struct trace_reader *reader, struct err *err);

struct blocks;

struct trace_reader {
	struct trace_info info;
	struct trace_counts counts;
	struct trace_options options;
	char *path;
	struct trace_input *input;
	struct lines lines;
	struct fiorow_shape shape;
	struct fiofast fast;
	format_next next;
	uint64_t last_ns; /* time of the row before, without start_ns */
	bool ended, has_range;
	char last_column[32]; /* of the row before: what a cut-off row is measured by */
	uint64_t *row;	      /* numbers of a histogram row */
	struct blocks *blocks;
	struct sample *batch;		/* TRACE_BATCH */
	struct sample_columns *columns; /* NULL: nobody wants them */
	bool by_columns;		/* what `next` gave lies there */
};

/* Decide what a text log is, from its first lines. */
int decide_text(struct trace_reader *reader, const struct logname *name, struct err *err);
/* Append one sentence to info.about. */
void decide_say(struct trace_info *info, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

int fiolog_next(struct trace_reader *reader, struct err *err);
int histlog_next(struct trace_reader *reader, struct err *err);
int blocks_next(struct trace_reader *reader, struct err *err);

int blocks_open(struct trace_reader *reader, const char *head, size_t bytes, struct err *err);
void blocks_close(struct trace_reader *reader);

/* A bad row: an error with file and line, or counted with --lenient and 0. */
int reader_bad_row(struct trace_reader *reader, uint64_t line, const char *what,
		   struct err *err);
/* The number in the file of the line that is `line` in the reader's range. */
uint64_t reader_line(const struct trace_reader *reader, uint64_t line);
