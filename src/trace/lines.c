#include "trace/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"

/* Reading in pieces of this size costs least: they stay in the second-level cache, and read()
 * does better than a mapping, whose page faults cost more than the copy. */
#define TEXT_BYTES (256 * KiB)
/* Lines are indexed so many bytes at a time, that their ends stay in the first-level cache. */
#define SCAN_BYTES (16 * KiB)
#define ENDS_MAX   (SCAN_BYTES + 16)
/* Beyond a range's end one line is read to its newline. */
#define OVERHANG_BYTES 512

int lines_init(struct lines *lines, struct trace_input *input, const struct fiofast_ops *ops,
	       struct err *err)
{
	*lines = (struct lines){.input = input, .ops = ops, .line = 1, .to = UINT64_MAX};
	lines->memory = calloc(1, TEXT_BYTES + (size_t)2 * FIOFAST_PAD);
	lines->ends = malloc(ENDS_MAX * sizeof(*lines->ends));
	if (!lines->memory || !lines->ends) {
		lines_done(lines);
		return err_env(err, -ENOMEM, "no memory for a line buffer");
	}
	lines->text = lines->memory + FIOFAST_PAD;
	return 0;
}

void lines_done(struct lines *lines)
{
	free(lines->memory);
	free(lines->ends);
	lines->memory = NULL;
	lines->ends = NULL;
}

void lines_set_range(struct lines *lines, uint64_t from, uint64_t to)
{
	/* From the byte before on: a newline there makes the first line one of ours. */
	lines->file_at = from ? from - 1 : 0;
	lines->from = from;
	lines->to = to;
	lines->skip_first = from > 0;
	lines->ended = false;
	lines->begin = lines->scanned = lines->fill = 0;
	lines->next = lines->count = 0;
	lines->line = 1;
	input_set_range(lines->input, lines->file_at, UINT64_MAX);
}

int lines_fill(struct lines *lines, struct err *err)
{
	size_t rest = lines->fill - lines->begin, room;
	uint64_t at;
	ssize_t n;

	memmove(lines->text, lines->text + lines->begin, rest);
	lines->file_at += lines->begin;
	lines->scanned -= lines->begin;
	lines->fill = rest;
	lines->begin = 0;
	room = TEXT_BYTES - rest;
	if (!room)
		return err_input(err, "line %llu is longer than %u KiB: this is no log of fio",
				 (unsigned long long)lines->line, (unsigned)(TEXT_BYTES / KiB));
	at = lines->file_at + rest;
	if (lines->to != UINT64_MAX)
		room = min_u64(room, at < lines->to ? lines->to - at + OVERHANG_BYTES
						    : OVERHANG_BYTES);
	n = input_read(lines->input, lines->text + rest, room, err);
	if (n < 0)
		return (int)n;
	lines->ended = n == 0;
	lines->fill += (size_t)n;
	memset(lines->text + lines->fill, 0, FIOFAST_PAD);
	return 0;
}

/* Lines that begin at `to` or behind it are another reader's. */
static void keep_range(struct lines *lines)
{
	uint64_t begin = lines->begin;

	if (lines->file_at + lines->scanned < lines->to)
		return;
	for (unsigned i = lines->next; i < lines->count; i++) {
		if (lines->file_at + begin >= lines->to) {
			lines->count = i;
			break;
		}
		begin = lines->ends[i] + 1u;
	}
}

int lines_more(struct lines *lines, struct err *err)
{
	while (lines->next == lines->count) {
		size_t to;
		int rc;

		if (lines->file_at + lines->begin >= lines->to && !lines->skip_first) {
			lines->fill = lines->begin; /* what follows is not ours */
			return 0;
		}
		if (lines->scanned == lines->fill) {
			if (lines->ended && lines->skip_first)
				lines->begin = lines->fill; /* it began before the range */
			if (lines->ended)
				return 0;
			rc = lines_fill(lines, err);
			if (rc)
				return rc;
			continue;
		}
		to = min_u64(lines->scanned + SCAN_BYTES, lines->fill);
		lines->next = 0;
		lines->count = lines->ops->index(lines->text, lines->scanned, to, lines->ends);
		lines->scanned = to;
		if (lines->count && lines->skip_first) {
			lines->skip_first = false;
			lines->begin = lines->ends[0] + 1u;
			lines->next = 1;
		}
		keep_range(lines);
	}
	return 1;
}
