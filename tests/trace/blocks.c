/* What is written in blocks is read back as it was; what is damaged costs one block. Seed 5. */
#include "trace/blocks.h"

#include <fcntl.h>

#include "unit.h"

#include "base/bits.h"
#include "base/file.h"
#include "base/rng.h"
#include "logfile.h"
#include "trace/blocks_write.h"

#define COUNT 60000

static struct sample samples[COUNT];

/* Samples of a log with the flags given; now and then one that fits no short form. */
static void make(struct rng *rng, uint64_t unit_ns, uint8_t flags, unsigned odd_percent)
{
	uint64_t time = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		struct sample *s = &samples[i];

		time += rng_below(rng, 8) ? 0 : rng_next(rng) >> (50 + rng_below(rng, 14));
		*s = (struct sample){.time_ns = time * unit_ns,
				     .value = 20000 + rng_below(rng, 400000),
				     .length = rng_below(rng, 10) ? 4096 : 512,
				     .op = (uint8_t)rng_below(rng, 3),
				     .flags = flags};
		if (flags & SAMPLE_OFFSET)
			s->extra = rng_below(rng, 1 << 30) * 512;
		if (flags & (SAMPLE_MAX | SAMPLE_COUNT))
			s->extra = rng_next(rng) >> (10 + rng_below(rng, 50));
		if (rng_below(rng, 100) >= odd_percent)
			continue;
		s->value = rng_next(rng);
		s->extra = flags & ~(SAMPLE_PRIO | SAMPLE_WINDOW) ? rng_next(rng) : 0;
		s->time_ns = rng_next(rng) >> 20;
		s->prio = (uint16_t)rng_next(rng);
	}
}

static uint64_t write_log(const char *path, const struct trace_info *info, uint64_t unit_ns)
{
	struct err err = {0};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	struct blocks_writer *writer = blocks_writer_new(fd, info, unit_ns, &err);
	uint64_t bytes;

	assert_non_null(writer);
	for (unsigned i = 0; i < COUNT; i += 1000)
		assert_int_equal(blocks_writer_add(writer, samples + i, 1000, &err), 0);
	assert_int_equal(blocks_writer_end(writer, &err), 0);
	blocks_writer_free(writer);
	bytes = (uint64_t)lseek(fd, 0, SEEK_END);
	assert_int_equal(close(fd), 0);
	return bytes;
}

static void what_is_written_is_read_back(void **state)
{
	static const struct trace_info infos[] = {
		{.kind = TRACE_CLAT, .has_prio = true},
		{.kind = TRACE_LAT, .has_prio = true, .has_offset = true},
		{.kind = TRACE_BW, .windowed = true, .has_prio = true, .window_ns = 500000000},
		{.kind = TRACE_LAT,
		 .windowed = true,
		 .has_max = true,
		 .has_prio = true,
		 .prio_hex = true},
		{.kind = TRACE_HIST, .value_error = 0.0078125},
		{.kind = TRACE_CLAT, .epoch = true, .job = 7, .job_name = "rand", .host = "h"},
	};
	struct rng rng;

	(void)state;
	rng_seed(&rng, 5, 0);
	for (unsigned i = 0; i < 2 * ARRAY_SIZE(infos); i++) {
		const struct trace_info *info = &infos[i / 2];
		uint64_t unit_ns = i % 2 ? 1 : NS_PER_MS;
		struct trace_options options = {0};
		struct logread read = {0};

		make(&rng, unit_ns, blocks_sample_flags(blocks_flags(info)), i % 3);
		(void)write_log("round.alog", info, unit_ns);
		logread_path("round.alog", &options, &read);
		assert_int_equal(read.err.code, 0);
		assert_int_equal(read.count, COUNT);
		assert_memory_equal(read.samples, samples, sizeof(samples));
		assert_int_equal(read.info.kind, info->kind);
		assert_int_equal(read.info.windowed, info->windowed);
		assert_int_equal(read.info.window_ns, info->window_ns);
		assert_int_equal(read.info.job, info->job);
		assert_string_equal(read.info.job_name, info->job_name);
		assert_string_equal(read.info.host, info->host);
		assert_int_equal(read.counts.blocks_lost, 0);
		free(read.samples);
	}
	(void)unlink("round.alog");
}

/* Each sample of `samples` a few times: one by one, and by blocks_writer_repeat(). */
static void write_repeated(const char *path, const struct trace_info *info, bool at_once)
{
	struct err err = {0};
	struct rng rng;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	struct blocks_writer *writer = blocks_writer_new(fd, info, NS_PER_MS, &err);

	assert_non_null(writer);
	rng_seed(&rng, 5, 3);
	for (unsigned i = 0; i < COUNT / 10; i++) {
		unsigned times = (unsigned)rng_below(&rng, i % 1000 ? 8 : 50000);

		if (at_once)
			assert_int_equal(blocks_writer_repeat(writer, &samples[i], times, &err),
					 0);
		for (unsigned k = 0; k < times && !at_once; k++)
			assert_int_equal(blocks_writer_add(writer, &samples[i], 1, &err), 0);
	}
	assert_int_equal(blocks_writer_end(writer, &err), 0);
	blocks_writer_free(writer);
	assert_int_equal(close(fd), 0);
}

/* What a process that is killed leaves: all that was added when it was last shown. */
static void what_was_shown_is_there_and_changes_nothing(void **state)
{
	static const struct trace_info info = {.kind = TRACE_LAT, .has_offset = true};
	struct trace_options options = {0};
	struct logread whole = {0}, all = {0};
	struct err err = {0};
	struct rng rng;
	struct blocks_writer *writer;
	int fd;

	(void)state;
	rng_seed(&rng, 5, 4);
	make(&rng, NS_PER_US, blocks_sample_flags(blocks_flags(&info)), 1);
	(void)write_log("whole.alog", &info, NS_PER_US);
	logread_path("whole.alog", &options, &whole);
	fd = open("shown.alog", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	writer = blocks_writer_new(fd, &info, NS_PER_US, &err);
	for (unsigned i = 0; i < COUNT; i += 1000) {
		struct logread some = {0};

		assert_int_equal(blocks_writer_add(writer, samples + i, 1000, &err), 0);
		if (i % 7000 && i % 11000)
			continue;
		assert_int_equal(blocks_writer_show(writer, &err), 0);
		assert_int_equal(blocks_writer_show(writer, &err), 0);
		logread_path("shown.alog", &options, &some);
		assert_int_equal(some.count, i + 1000);
		assert_memory_equal(some.samples, whole.samples,
				    some.count * sizeof(*some.samples));
		free(some.samples);
	}
	assert_int_equal(blocks_writer_end(writer, &err), 0);
	blocks_writer_free(writer);
	assert_int_equal(close(fd), 0);
	logread_path("shown.alog", &options, &all);
	assert_int_equal(all.count, COUNT);
	assert_memory_equal(all.samples, whole.samples, COUNT * sizeof(*all.samples));
	free(all.samples);
	free(whole.samples);
	(void)unlink("shown.alog");
	(void)unlink("whole.alog");
}

static void what_is_repeated_reads_like_one_by_one(void **state)
{
	static const struct trace_info infos[] = {
		{.kind = TRACE_CLAT, .has_prio = true},
		{.kind = TRACE_LAT, .has_offset = true},
		{.kind = TRACE_LAT, .windowed = true, .has_max = true},
	};
	struct rng rng;

	(void)state;
	rng_seed(&rng, 5, 2);
	for (unsigned i = 0; i < ARRAY_SIZE(infos); i++) {
		struct trace_options options = {0};
		struct logread one = {0}, many = {0};

		make(&rng, NS_PER_MS, blocks_sample_flags(blocks_flags(&infos[i])), i);
		write_repeated("one.alog", &infos[i], false);
		write_repeated("many.alog", &infos[i], true);
		logread_path("one.alog", &options, &one);
		logread_path("many.alog", &options, &many);
		assert_int_equal(one.count, many.count);
		assert_true(one.count > COUNT / 10);
		assert_memory_equal(one.samples, many.samples,
				    one.count * sizeof(*one.samples));
		assert_int_equal(many.counts.blocks_lost, 0);
		free(one.samples);
		free(many.samples);
	}
	(void)unlink("one.alog");
	(void)unlink("many.alog");
}

/* With vectors and without them. Rows of 10 to 300 a millisecond, in ms and in ns. */
static void columns_are_the_samples(void **state)
{
	static const struct trace_info infos[] = {{.kind = TRACE_CLAT},
						  {.kind = TRACE_LAT, .has_offset = true}};
	struct rng rng;

	(void)state;
	rng_seed(&rng, 5, 3);
	for (unsigned i = 0; i < 16; i++) {
		uint64_t unit_ns = i % 2 ? 1 : NS_PER_MS;
		const struct trace_info *info = &infos[i / 2 % 2];
		uint8_t flags = blocks_sample_flags(blocks_flags(info));
		struct trace_options options = {.fast_set = i / 4 % 2};
		struct logread read = {0};

		make(&rng, unit_ns, flags, i / 8 % 2);
		for (unsigned k = 0; k < COUNT && i < 12; k++)
			samples[k].length = 4096;
		(void)write_log("columns.alog", info, unit_ns);
		logread_path_as("columns.alog", &options, true, &read);
		assert_int_equal(read.err.code, 0);
		assert_int_equal(read.count, COUNT);
		if (!info->has_offset && i < 8)
			assert_true(read.in_columns > COUNT / 2);
		for (unsigned k = 0; k < COUNT; k++) {
			assert_int_equal(read.samples[k].time_ns, samples[k].time_ns);
			assert_int_equal(read.samples[k].value, samples[k].value);
			assert_int_equal(read.samples[k].op, samples[k].op);
			assert_int_equal(read.samples[k].length, samples[k].length);
		}
		free(read.samples);
	}
	(void)unlink("columns.alog");
}

static void a_usual_sample_takes_at_most_five_bytes(void **state)
{
	static const struct trace_info info = {.kind = TRACE_CLAT, .has_prio = true};
	struct rng rng;

	(void)state;
	rng_seed(&rng, 5, 1);
	for (unsigned i = 0; i < COUNT; i++) /* 300 a millisecond, some 100 us */
		samples[i] = (struct sample){.time_ns = i / 300 * NS_PER_MS,
					     .value = 20000 + rng_below(&rng, 200000),
					     .length = 4096,
					     .op = (uint8_t)rng_below(&rng, 2),
					     .flags = SAMPLE_PRIO};
	assert_true(write_log("size.alog", &info, NS_PER_MS) <= (uint64_t)COUNT * 5);
	for (unsigned i = 0; i < COUNT; i++) /* in nanoseconds, 300,000 a second */
		samples[i].time_ns = i * 3333ULL + rng_below(&rng, 3000);
	for (unsigned i = 0; i < COUNT; i++)
		samples[i].value = 20000 + rng_below(&rng, 40000);
	assert_true(write_log("size.alog", &info, 1) <= (uint64_t)COUNT * 5 + 1024);
	(void)unlink("size.alog");
}

static void read_damaged(uint64_t at, uint64_t bytes, struct logread *read)
{
	struct trace_options options = {0};
	autofd fd = open("torn.alog", O_RDWR);
	uint8_t byte;

	memset(read, 0, sizeof(*read));
	if (at < bytes) {
		assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
		byte ^= 0x10;
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
	} else {
		assert_int_equal(ftruncate(fd, (off_t)(2 * bytes - at)), 0);
	}
	logread_path("torn.alog", &options, read);
	if (at < bytes) {
		byte ^= 0x10;
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
	}
}

static void damage_costs_one_block(void **state)
{
	static const struct trace_info info = {.kind = TRACE_CLAT};
	struct rng rng;
	uint64_t bytes;
	struct logread read;

	(void)state;
	rng_seed(&rng, 5, 2);
	make(&rng, NS_PER_MS, 0, 0);
	bytes = write_log("torn.alog", &info, NS_PER_MS);
	assert_true(bytes > (uint64_t)3 * BLOCKS_BLOCK_BYTES);
	for (unsigned turn = 0; turn < 40; turn++) {
		/* the second block: its prefix, its control bytes, its data */
		uint64_t at =
			BLOCKS_HEAD_BYTES + BLOCKS_BLOCK_BYTES +
			(turn < 16 ? turn * 2UL : rng_below(&rng, BLOCKS_BLOCK_BYTES - 64));

		read_damaged(at, bytes, &read);
		assert_int_equal(read.err.code, 0);
		assert_int_equal(read.counts.blocks_lost, 1);
		assert_true(read.count < COUNT);
		assert_true(read.count > COUNT / 2);
		free(read.samples);
	}
	read_damaged(bytes + 100, bytes, &read); /* a torn tail */
	assert_int_equal(read.counts.blocks_lost, 1);
	assert_memory_equal(read.samples, samples, read.count * sizeof(samples[0]));
	free(read.samples);
	(void)unlink("torn.alog");
}

static void a_damaged_head_is_an_error(void **state)
{
	static const struct trace_info info = {.kind = TRACE_CLAT};
	struct logread read;
	uint64_t bytes = write_log("torn.alog", &info, NS_PER_MS);

	(void)state;
	read_damaged(20, bytes, &read);
	assert_int_equal(read.err.kind, ERR_INPUT);
	(void)unlink("torn.alog");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(what_was_shown_is_there_and_changes_nothing),
		cmocka_unit_test(what_is_repeated_reads_like_one_by_one),
		cmocka_unit_test(columns_are_the_samples),
		cmocka_unit_test(a_usual_sample_takes_at_most_five_bytes),
		cmocka_unit_test(damage_costs_one_block),
		cmocka_unit_test(a_damaged_head_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
