/*
 * Any bytes as a log: whatever comes out of it, every set of loops that this processor runs says
 * the same, the same samples, the same error in the same line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/str.h"
#include "fuzz/fuzz.h"
#include "trace/fiofast.h"
#include "trace/reader.h"

#define INPUT_MAX 65536

/* What is left of a reading: a sum over all bytes of all samples, the counts, the message. */
struct outcome {
	uint64_t sum, samples;
	struct trace_counts counts;
	struct err err;
};

/* By columns: nothing may be read that is not there, and as many rows come out. */
static uint64_t count_columns(const char *path, const struct trace_options *options)
{
	struct err err = {0};
	struct trace_reader *reader = trace_open(path, options, &err);
	struct trace_batch batch;
	uint64_t sum = 0;

	assert(reader);
	assert(trace_want_columns(reader, &err) == 0);
	while (trace_next(reader, &batch, &err) > 0)
		for (unsigned i = 0; i < batch.count; i++)
			sum = sum * 31 +
			      (batch.columns
				       ? batch.columns->time_ns[i] + batch.columns->value[i]
				       : batch.samples[i].time_ns + batch.samples[i].value);
	trace_close(reader);
	return sum;
}

static void read_log(const char *path, unsigned set, bool lenient, struct outcome *ret)
{
	struct trace_options options = {.lenient = lenient,
					.fast_set = set,
					.hints = {.kind = TRACE_CLAT, .unit = TRACE_UNIT_US}};
	struct trace_reader *reader = trace_open(path, &options, &ret->err);
	struct trace_batch batch;
	uint64_t narrow = 0;

	if (!reader)
		return;
	while (trace_next(reader, &batch, &ret->err) > 0) {
		const uint8_t *bytes = (const uint8_t *)batch.samples;

		for (size_t i = 0; i < batch.count * sizeof(struct sample); i++)
			ret->sum = ret->sum * 31 + bytes[i];
		ret->samples += batch.count;
		for (unsigned i = 0; i < batch.count; i++)
			narrow =
				narrow * 31 + batch.samples[i].time_ns + batch.samples[i].value;
	}
	assert(lenient == false || narrow == count_columns(path, &options));
	ret->counts = *trace_counts(reader);
	trace_close(reader);
}

static void compare(const char *path, bool lenient)
{
	struct outcome first = {0};

	for (unsigned at = 0; fiofast_at(at); at++) {
		struct outcome other = {0};

		read_log(path, at + 1, lenient, at ? &other : &first);
		if (!at)
			continue;
		assert(first.sum == other.sum && first.samples == other.samples);
		assert(first.counts.bad_rows == other.counts.bad_rows);
		assert(first.counts.first_bad_line == other.counts.first_bad_line);
		assert(first.counts.backward == other.counts.backward);
		assert(first.err.code == other.err.code);
		assert(str_equal(first.err.text, other.err.text));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char path[64];
	int fd;

	if (bytes > INPUT_MAX)
		return 0;
	fd = memfd_create("log", MFD_CLOEXEC);
	assert(fd >= 0);
	if (bytes)
		assert(write(fd, data, bytes) == (ssize_t)bytes);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	compare(path, false);
	compare(path, true);
	(void)close(fd);
	return 0;
}
