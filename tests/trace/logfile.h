/* Logs for the tests of trace/: text to a file in a folder of its own, and a file to samples. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/str.h"
#include "trace/reader.h"

struct logfile {
	char folder[64], path[200];
};

/* In the working folder of the test. */
static inline void logfile_write(struct logfile *file, const char *name, const char *text,
				 size_t bytes)
{
	FILE *out;
	static unsigned number;

	(void)snprintf(file->folder, sizeof(file->folder), "logs-%d-%u", (int)getpid(),
		       number++);
	assert_int_equal(mkdir(file->folder, 0777), 0);
	(void)snprintf(file->path, sizeof(file->path), "%.63s/%.100s", file->folder, name);
	out = fopen(file->path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, bytes, out), bytes);
	assert_int_equal(fclose(out), 0);
}

static inline void logfile_remove(struct logfile *file)
{
	(void)unlink(file->path);
	(void)rmdir(file->folder);
}

struct logread {
	struct sample *samples;	    /* the test's to free */
	unsigned count, in_columns; /* in_columns: so many came by columns */
	struct trace_info info;
	struct trace_counts counts;
	struct err err; /* unset when all went well */
};

/* Of a sample what columns hold: the rest is zero. */
static inline void logread_narrow(const struct trace_batch *batch, struct sample *ret)
{
	const struct sample_columns *columns = batch->columns;

	memset(ret, 0, batch->count * sizeof(*ret));
	for (unsigned i = 0; i < batch->count; i++) {
		ret[i].time_ns = columns ? columns->time_ns[i] : batch->samples[i].time_ns;
		ret[i].value = columns ? columns->value[i] : batch->samples[i].value;
		ret[i].op = columns ? (uint8_t)columns->op[i] : batch->samples[i].op;
		ret[i].length = columns ? columns->length[ret[i].op] : batch->samples[i].length;
	}
}

/* `narrow`: by columns, where the reader gives them. */
static inline void logread_path_as(const char *path, const struct trace_options *options,
				   bool narrow, struct logread *ret)
{
	struct trace_reader *reader = trace_open(path, options, &ret->err);
	struct trace_batch batch;

	ret->count = ret->in_columns = 0;
	ret->samples = NULL;
	if (!reader)
		return;
	if (narrow)
		assert_int_equal(trace_want_columns(reader, &ret->err), 0);
	while (trace_next(reader, &batch, &ret->err) > 0) {
		ret->samples = realloc(ret->samples, (ret->count + (size_t)batch.count) *
							     sizeof(*ret->samples));
		assert_non_null(ret->samples);
		if (narrow)
			logread_narrow(&batch, ret->samples + ret->count);
		else
			memcpy(ret->samples + ret->count, batch.samples,
			       batch.count * sizeof(*ret->samples));
		ret->in_columns += batch.columns ? batch.count : 0;
		ret->count += batch.count;
	}
	ret->info = *trace_info(reader);
	ret->counts = *trace_counts(reader);
	trace_close(reader);
}

static inline void logread_path(const char *path, const struct trace_options *options,
				struct logread *ret)
{
	logread_path_as(path, options, false, ret);
}

static inline void logread_text_as(const char *name, const char *text, size_t bytes,
				   const struct trace_options *options, bool narrow,
				   struct logread *ret)
{
	struct logfile file;

	memset(ret, 0, sizeof(*ret));
	logfile_write(&file, name, text, bytes);
	logread_path_as(file.path, options, narrow, ret);
	logfile_remove(&file);
}

/* The whole way for a text. The caller frees ret->samples. */
static inline void logread_text(const char *name, const char *text, size_t bytes,
				const struct trace_options *options, struct logread *ret)
{
	logread_text_as(name, text, bytes, options, false, ret);
}
