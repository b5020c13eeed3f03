/* fio's packed logs: what is written is read back whole; a torn end costs a chunk. Seed 11. */
#include "trace/fz_write.h"

#include <fcntl.h>

#include "unit.h"

#include "base/bits.h"
#include "base/rng.h"
#include "logfile.h"

#define COUNT 5000

static struct sample samples[COUNT];

static void make(struct rng *rng, uint8_t flags)
{
	for (unsigned i = 0; i < COUNT; i++) {
		struct sample *s = &samples[i];

		*s = (struct sample){.time_ns = i / 7 * NS_PER_MS,
				     .value = rng_next(rng) >> (20 + rng_below(rng, 44)),
				     .length = 512u << rng_below(rng, 12),
				     .op = (uint8_t)rng_below(rng, 3),
				     .flags = flags};
		if (flags & SAMPLE_OFFSET)
			s->extra = rng_next(rng) >> 20;
		if (flags & SAMPLE_PRIO_HEX)
			s->prio = (uint16_t)rng_next(rng);
	}
}

/* Returns the file's bytes. */
static off_t write_log(const char *path, uint64_t chunk_bytes)
{
	struct err err = {0};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	struct fz_writer *writer = fz_writer_new(fd, chunk_bytes, &err);
	off_t bytes;

	assert_non_null(writer);
	for (unsigned i = 0; i < COUNT; i++)
		assert_int_equal(fz_writer_add(writer, &samples[i], &err), 0);
	assert_int_equal(fz_writer_end(writer, &err), 0);
	assert_int_equal(fz_writer_end(writer, &err), 0); /* nothing is left: no stream */
	fz_writer_free(writer);
	bytes = lseek(fd, 0, SEEK_END);
	assert_int_equal(close(fd), 0);
	return bytes;
}

static void what_is_packed_is_read_back(void **state)
{
	static const uint8_t flags[] = {SAMPLE_PRIO, SAMPLE_PRIO | SAMPLE_OFFSET,
					SAMPLE_PRIO | SAMPLE_PRIO_HEX,
					SAMPLE_PRIO | SAMPLE_PRIO_HEX | SAMPLE_OFFSET};
	struct trace_options options = {
		.hints = {.kind = TRACE_CLAT, .unit = TRACE_UNIT_NS, .windowed = TRACE_NO}};
	struct rng rng;

	(void)state;
	rng_seed(&rng, 11, 0);
	for (unsigned i = 0; i < 2 * ARRAY_SIZE(flags); i++) {
		struct logread read = {0};

		make(&rng, flags[i / 2]);
		(void)write_log("x_clat.1.log.fz", i % 2 ? 1 : 0);
		logread_path("x_clat.1.log.fz", &options, &read);
		assert_int_equal(read.err.code, 0);
		assert_int_equal(read.count, COUNT);
		for (unsigned k = 0; k < COUNT; k++) {
			assert_int_equal(read.samples[k].time_ns, samples[k].time_ns);
			assert_int_equal(read.samples[k].value, samples[k].value);
			assert_int_equal(read.samples[k].extra, samples[k].extra);
			assert_int_equal(read.samples[k].length, samples[k].length);
			assert_int_equal(read.samples[k].op, samples[k].op);
			assert_int_equal(read.samples[k].prio, samples[k].prio);
		}
		assert_false(read.counts.cut_stream);
		free(read.samples);
	}
	(void)unlink("x_clat.1.log.fz");
}

static void a_torn_end_costs_a_chunk(void **state)
{
	struct trace_options options = {
		.hints = {.kind = TRACE_CLAT, .unit = TRACE_UNIT_NS, .windowed = TRACE_NO}};
	struct logread read = {0};
	struct rng rng;
	off_t bytes;

	(void)state;
	rng_seed(&rng, 11, 1);
	make(&rng, SAMPLE_PRIO);
	bytes = write_log("x_clat.1.log.fz", FZ_CHUNK_BYTES_MIN);
	assert_int_equal(truncate("x_clat.1.log.fz", bytes - 3), 0);
	logread_path("x_clat.1.log.fz", &options, &read);
	assert_true(read.count >= COUNT - FZ_CHUNK_BYTES_MIN / 32);
	assert_true(read.count <= COUNT);
	free(read.samples);
	(void)unlink("x_clat.1.log.fz");
}

static void what_cannot_be_written_is_an_error(void **state)
{
	struct err err = {0};
	struct fz_writer *writer = fz_writer_new(-1, 0, &err);
	struct sample sample = {.value = 5};

	(void)state;
	assert_non_null(writer);
	assert_int_equal(fz_writer_add(writer, &sample, &err), 0);
	assert_int_equal(fz_writer_end(writer, &err), -EBADF);
	assert_non_null(strstr(err.text, "the log cannot be written"));
	fz_writer_free(writer);
	fz_writer_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_packed_is_read_back),
		cmocka_unit_test(a_torn_end_costs_a_chunk),
		cmocka_unit_test(what_cannot_be_written_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
