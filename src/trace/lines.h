/*
 * Lines of a stream, by the offsets of their newlines in one buffer that is filled again and
 * again. Owned by a reader. A line longer than the buffer is an error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/fiofast.h"
#include "trace/input.h"

struct lines {
	struct trace_input *input; /* the reader's */
	const struct fiofast_ops *ops;
	char *memory, *text; /* `text` has padding on both sides */
	size_t begin;	     /* of the next line in text */
	size_t scanned, fill;
	uint32_t *ends; /* newlines of whole lines, ends[next .. count) */
	unsigned next, count;
	uint64_t line;		/* number of the next line, from 1 (in a range: of the range) */
	uint64_t file_at;	/* offset in the file of text[0] */
	uint64_t from, to;	/* the range: lines that begin in it */
	bool skip_first, ended; /* ended: the input has no more bytes */
};

int lines_init(struct lines *lines, struct trace_input *input, const struct fiofast_ops *ops,
	       struct err *err);
void lines_done(struct lines *lines);
void lines_set_range(struct lines *lines, uint64_t from, uint64_t to);

/* One more read; `ended` is set at the input's end. For who looks at the bytes themselves. */
int lines_fill(struct lines *lines, struct err *err);
/* Whole lines are in ends[next .. count): 1, or 0 at the end. What stands behind the last
 * newline then is text[begin .. fill). */
int lines_more(struct lines *lines, struct err *err);

/* The lines that come next, `most` at most. */
static inline struct fiofast_rows lines_rows(const struct lines *lines, unsigned most)
{
	unsigned count = lines->count - lines->next;

	return (struct fiofast_rows){.base = lines->text,
				     .ends = lines->ends + lines->next,
				     .begin = lines->begin,
				     .count = count < most ? count : most};
}

/* The line that ends at ends[next] has been dealt with. */
static inline void lines_pass(struct lines *lines, unsigned count)
{
	lines->next += count;
	lines->line += count;
	lines->begin = lines->ends[lines->next - 1] + 1u;
}
