#include "trace/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/lang.h"
#include "base/str.h"
#include "trace/blocks.h"
#include "trace/reader_priv.h"

#define HEAD_BYTES (16 * KiB) /* a pipe may give less at once; what a log is needs so much */

static struct trace_reader *reader_new(const char *path, const struct trace_options *options,
				       struct err *err)
{
	struct trace_reader *reader = calloc(1, sizeof(*reader));

	if (!reader || !(reader->path = strdup(path)) ||
	    !(reader->batch = malloc(TRACE_BATCH * sizeof(*reader->batch)))) {
		trace_close(reader);
		return (void)err_env(err, -ENOMEM, "%s: no memory for a reader", path), NULL;
	}
	reader->options = *options;
	reader->fast.shape = &reader->shape;
	return reader;
}

static const struct fiofast_ops *chosen_ops(const struct trace_options *options)
{
	const struct fiofast_ops *ops =
		options->fast_set ? fiofast_at(options->fast_set - 1) : NULL;

	return ops ? ops : fiofast_best();
}

static void name_it(struct trace_info *info, const struct logname *name,
		    const struct trace_hints *hints)
{
	info->job = name->job;
	info->start_ns = hints->start_ns;
	(void)snprintf(info->job_name, sizeof(info->job_name), "%s",
		       hints->job_name ? hints->job_name : name->prefix);
	(void)snprintf(info->host, sizeof(info->host), "%s", name->host);
}

/* A file that a crash left as zeros from the start, or an empty one, holds no line. */
static int open_format(struct trace_reader *reader, struct err *err)
{
	struct lines *lines = &reader->lines;
	struct logname name;
	int rc;

	logname_parse(reader->path, &name);
	name_it(&reader->info, &name, &reader->options.hints);
	do
		rc = lines_fill(lines, err);
	while (!rc && lines->fill < HEAD_BYTES && !lines->ended);
	if (rc)
		return rc;
	if (blocks_is_head(lines->text, lines->fill)) {
		reader->next = blocks_next;
		return blocks_open(reader, lines->text, lines->fill, err);
	}
	rc = decide_text(reader, &name, err);
	if (rc)
		return rc;
	reader->next = fiolog_next;
	if (reader->info.format == TRACE_FIO_HIST) {
		reader->next = histlog_next;
		reader->row = calloc(reader->info.bins + 3u, sizeof(*reader->row));
		if (!reader->row)
			return err_env(err, -ENOMEM, "no memory for a histogram row");
	}
	return 0;
}

struct trace_reader *trace_open(const char *path, const struct trace_options *options,
				struct err *err)
{
	struct trace_reader *reader = reader_new(path, options, err);

	if (!reader)
		return NULL;
	reader->input = input_open(path, err);
	if (!reader->input)
		goto fail;
	reader->info.packing = input_packing_name(reader->input);
	reader->info.size_bytes = input_size_bytes(reader->input);
	if (lines_init(&reader->lines, reader->input, chosen_ops(options), err) ||
	    open_format(reader, err)) {
		err_context(err, "%s", str_equal(path, "-") ? N_("standard input") : path);
		goto fail;
	}
	if (reader->info.epoch) /* one clock for all as it is */
		reader->info.start_ns = 0;
	return reader;
fail:
	trace_close(reader);
	return NULL;
}

struct trace_reader *trace_open_like(const struct trace_reader *other, struct err *err)
{
	struct trace_reader *reader = reader_new(other->path, &other->options, err);

	assert(trace_can_split(other));
	if (!reader)
		return NULL;
	reader->info = other->info;
	reader->shape = other->shape;
	reader->next = other->next;
	reader->input = input_open(other->path, err);
	if (!reader->input ||
	    lines_init(&reader->lines, reader->input, chosen_ops(&other->options), err)) {
		trace_close(reader);
		return NULL;
	}
	return reader;
}

bool trace_can_split(const struct trace_reader *reader)
{
	return reader->info.format == TRACE_FIO_TEXT && input_can_seek(reader->input);
}

void trace_set_range(struct trace_reader *reader, uint64_t from_bytes, uint64_t to_bytes)
{
	assert(trace_can_split(reader));
	lines_set_range(&reader->lines, from_bytes, to_bytes);
	reader->has_range = true;
	reader->ended = false;
	reader->fast.armed = false;
	reader->last_ns = 0;
}

/* Lines before the range, counted when an error wants to name one: cold. */
static uint64_t lines_before(const struct trace_reader *reader)
{
	struct err err = {0};
	struct trace_input *input = input_open(reader->path, &err);
	uint64_t count = 0, left = reader->lines.from;
	char buf[16 * KiB];
	ssize_t n = 1;

	while (input && left && n > 0) {
		n = input_read(input, buf, min_u64(left, sizeof(buf)), &err);
		for (ssize_t i = 0; i < n; i++)
			count += buf[i] == '\n';
		left -= n > 0 ? (uint64_t)n : 0;
	}
	input_close(input);
	return count;
}

uint64_t reader_line(const struct trace_reader *reader, uint64_t line)
{
	return reader->has_range && reader->lines.from ? line + lines_before(reader) : line;
}

int reader_bad_row(struct trace_reader *reader, uint64_t line, const char *what,
		   struct err *err)
{
	if (!reader->counts.bad_rows++ || !reader->options.lenient)
		reader->counts.first_bad_line = reader_line(reader, line);
	if (reader->options.lenient)
		return 0;
	return err_input(err,
			 "%s:%llu: the row %s (--lenient leaves such rows out and counts them)",
			 reader->path, (unsigned long long)reader->counts.first_bad_line, what);
}

int trace_want_columns(struct trace_reader *reader, struct err *err)
{
	if (reader->columns || reader->info.windowed || reader->info.kind == TRACE_HIST)
		return 0;
	reader->columns = malloc(sizeof(*reader->columns));
	return reader->columns ? 0 : err_env(err, -ENOMEM, "%s: no memory", reader->path);
}

static void shift_times(struct trace_reader *reader, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		*(reader->by_columns ? &reader->columns->time_ns[i]
				     : &reader->batch[i].time_ns) += reader->info.start_ns;
}

int trace_next(struct trace_reader *reader, struct trace_batch *ret_batch, struct err *err)
{
	int count = reader->next(reader, err);

	if (count <= 0) {
		if (count < 0 && err && !str_starts(err->text, reader->path))
			err_context(err, "%s", reader->path);
		reader->counts.cut_stream = input_is_cut(reader->input);
		return count;
	}
	if (reader->info.format != TRACE_FIO_HIST)
		reader->counts.rows += (unsigned)count;
	if (reader->info.start_ns)
		shift_times(reader, (unsigned)count);
	*ret_batch = (struct trace_batch){.count = (unsigned)count};
	if (reader->by_columns)
		ret_batch->columns = reader->columns;
	else
		ret_batch->samples = reader->batch;
	return 1;
}

void trace_close(struct trace_reader *reader)
{
	if (!reader)
		return;
	blocks_close(reader);
	lines_done(&reader->lines);
	input_close(reader->input);
	free(reader->row);
	free(reader->batch);
	free(reader->columns);
	free(reader->path);
	free(reader);
}

const struct trace_info *trace_info(const struct trace_reader *reader)
{
	return &reader->info;
}

const struct trace_counts *trace_counts(const struct trace_reader *reader)
{
	return &reader->counts;
}

bool trace_has_lost(const struct trace_damage *damage, unsigned count, uint64_t from_ns,
		    uint64_t to_ns)
{
	for (unsigned i = 0; i < count; i++)
		if (damage[i].from_ns < to_ns && damage[i].to_ns >= from_ns)
			return true;
	return false;
}

const char *trace_path(const struct trace_reader *reader)
{
	return reader->path;
}
