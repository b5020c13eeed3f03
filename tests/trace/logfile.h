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
	struct sample *samples; /* the test's to free */
	unsigned count;
	struct trace_info info;
	struct trace_counts counts;
	struct err err; /* unset when all went well */
};

static inline void logread_path(const char *path, const struct trace_options *options,
				struct logread *ret)
{
	struct trace_reader *reader = trace_open(path, options, &ret->err);
	struct trace_batch batch;

	ret->count = 0;
	ret->samples = NULL;
	if (!reader)
		return;
	while (trace_next(reader, &batch, &ret->err) > 0) {
		ret->samples = realloc(ret->samples, (ret->count + (size_t)batch.count) *
							     sizeof(*ret->samples));
		assert_non_null(ret->samples);
		memcpy(ret->samples + ret->count, batch.samples,
		       batch.count * sizeof(*ret->samples));
		ret->count += batch.count;
	}
	ret->info = *trace_info(reader);
	ret->counts = *trace_counts(reader);
	trace_close(reader);
}

/* The whole way for a text. The caller frees ret->samples. */
static inline void logread_text(const char *name, const char *text, size_t bytes,
				const struct trace_options *options, struct logread *ret)
{
	struct logfile file;

	memset(ret, 0, sizeof(*ret));
	logfile_write(&file, name, text, bytes);
	logread_path(file.path, options, ret);
	logfile_remove(&file);
}
