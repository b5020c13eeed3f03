/* What of a log in blocks is damaged, cut off or added is told: where, how many rows, of which
 * time. Seed 5. */
#include <fcntl.h>
#include <xxhash.h>

#include "unit.h"

#include "base/bits.h"
#include "base/file.h"
#include "base/rng.h"
#include "logfile.h"
#include "trace/blocks.h"
#include "trace/blocks_write.h"

#define COUNT	   60000
#define FILE_BYTES (COUNT * 40)

static struct sample samples[COUNT];
static uint8_t file[FILE_BYTES];

static void make(struct rng *rng)
{
	uint64_t time = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		time += rng_below(rng, 8) ? 0 : rng_below(rng, 3000);
		samples[i] = (struct sample){.time_ns = time * NS_PER_MS,
					     .value = 20000 + rng_below(rng, 400000),
					     .length = rng_below(rng, 10) ? 4096 : 512,
					     .op = (uint8_t)rng_below(rng, 3)};
	}
}

static struct blocks_writer *begin(int fd)
{
	static const struct trace_info info = {.kind = TRACE_CLAT};
	struct err err = {0};
	struct blocks_writer *writer = blocks_writer_new(fd, &info, NS_PER_MS, &err);

	assert_non_null(writer);
	return writer;
}

/* The samples as a file, which is kept in `file` too. */
static uint64_t write_log(struct rng *rng)
{
	struct err err = {0};
	autofd fd = open("damaged.alog", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct blocks_writer *writer = begin(fd);
	uint64_t bytes;

	make(rng);
	assert_int_equal(blocks_writer_add(writer, samples, COUNT, &err), 0);
	assert_int_equal(blocks_writer_end(writer, &err), 0);
	blocks_writer_free(writer);
	bytes = (uint64_t)lseek(fd, 0, SEEK_END);
	assert_true(bytes <= sizeof(file));
	assert_int_equal(pread(fd, file, bytes, 0), bytes);
	return bytes;
}

/* The file anew, of `bytes` bytes and then `stray` bytes of garbage. */
static void rewrite(uint64_t bytes, uint64_t stray)
{
	autofd fd = open("damaged.alog", O_WRONLY | O_TRUNC | O_CREAT, 0600);

	assert_int_equal(write(fd, file, bytes), bytes);
	for (uint64_t i = 0; i < stray; i++)
		assert_int_equal(write(fd, "x", 1), 1);
}

static void read_torn(struct logread *read)
{
	const struct trace_options options = {0};

	memset(read, 0, sizeof(*read));
	logread_path("damaged.alog", &options, read);
	assert_int_equal(read->err.code, 0);
}

/* Rows lost are those that are missing, between the times of their neighbours. */
static void damage_is_told_by_place_rows_and_time(void **state)
{
	const struct trace_damage *damage;
	uint64_t bytes, second = BLOCKS_HEAD_BYTES + BLOCKS_BLOCK_BYTES;
	struct logread whole, read;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 5, 3);
	bytes = write_log(&rng);
	read_torn(&whole);
	assert_int_equal(whole.counts.ndamages, 0);
	assert_int_equal(whole.counts.stray_bytes, 0);

	file[second + 5000] ^= 1;
	rewrite(bytes, 0);
	read_torn(&read);
	damage = &read.counts.damage[0];
	assert_int_equal(read.counts.ndamages, 1);
	assert_int_equal(damage->at, second);
	assert_int_equal(damage->bytes, BLOCKS_BLOCK_BYTES);
	assert_true(damage->rows_known);
	assert_int_equal(damage->rows, whole.count - read.count);
	for (unsigned i = 0; i < whole.count; i++) {
		if (i < read.count && !memcmp(&whole.samples[i], &read.samples[i], 32))
			continue;
		assert_int_equal(damage->from_ns, whole.samples[i - 1].time_ns);
		assert_int_equal(damage->to_ns, whole.samples[i + damage->rows].time_ns);
		break;
	}
	free(read.samples);
	file[second + 5000] ^= 1;

	/* within the block: its head says how many; between blocks: only that there were more */
	for (unsigned cut = 0; cut < 2; cut++) {
		rewrite(second + (cut ? 0 : 3000), 0);
		read_torn(&read);
		damage = &read.counts.damage[0];
		assert_int_equal(read.counts.ndamages, 1);
		assert_int_equal(damage->at, second);
		assert_int_equal(damage->bytes, cut ? 0 : 3000);
		assert_false(damage->rows_known);
		assert_int_equal(damage->rows > 0, !cut);
		assert_int_equal(damage->from_ns, whole.samples[read.count - 1].time_ns);
		assert_int_equal(damage->to_ns, UINT64_MAX);
		assert_true(trace_is_damaged(&read.counts));
		free(read.samples);
	}
	for (unsigned stray = 1; stray < 200000; stray *= 17) {
		rewrite(bytes, stray);
		read_torn(&read);
		assert_int_equal(read.count, whole.count);
		assert_int_equal(read.counts.ndamages, 0);
		assert_int_equal(read.counts.stray_bytes, stray);
		assert_int_equal(read.counts.first_stray_at, bytes);
		free(read.samples);
	}
	free(whole.samples);
	(void)unlink("damaged.alog");
}

/* Of damage without end the first stretches are told, and the last one covers the others. */
static void many_stretches_are_bounded(void **state)
{
	autofd fd = open("damaged.alog", O_RDWR | O_TRUNC | O_CREAT, 0600);
	struct blocks_writer *writer = begin(fd);
	struct sample sample = {.length = 512};
	struct err err = {0};
	struct logread read;
	uint64_t lost = 0;

	(void)state;
	for (unsigned i = 0; i < 1000000; i++) {
		sample.time_ns = i * NS_PER_MS;
		assert_int_equal(blocks_writer_add(writer, &sample, 1, &err), 0);
	}
	assert_int_equal(blocks_writer_end(writer, &err), 0);
	blocks_writer_free(writer);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(pwrite(fd, "x", 1,
					BLOCKS_HEAD_BYTES + 2L * i * BLOCKS_BLOCK_BYTES + 99),
				 1);
	read_torn(&read);
	assert_int_equal(read.counts.blocks_lost, 20);
	assert_int_equal(read.counts.ndamages, TRACE_DAMAGES_MAX);
	for (unsigned i = 0; i < TRACE_DAMAGES_MAX; i++)
		lost += read.counts.damage[i].rows;
	assert_int_equal(lost + read.count, 1000000);
	assert_int_equal(read.counts.damage[0].from_ns, 0);
	free(read.samples);
	(void)unlink("damaged.alog");
}

/* A file of before the last block said so: whole as it is. */
static void a_log_without_a_mark_of_its_end_is_whole(void **state)
{
	struct logread read;
	struct rng rng;
	uint64_t bytes, last;

	(void)state;
	rng_seed(&rng, 5, 4);
	bytes = write_log(&rng);
	last = bytes - (bytes - BLOCKS_HEAD_BYTES) % BLOCKS_BLOCK_BYTES;
	file[HEAD_MARKS_END] = 0;
	le_put(file + HEAD_CHECKSUM, XXH3_64bits(file, HEAD_CHECKSUM), 8);
	file[last + BLOCK_LAST] = 0;
	le_put(file + last + BLOCK_CHECKSUM, blocks_checksum(file + last), 8);
	rewrite(bytes, 0);
	read_torn(&read);
	assert_int_equal(read.count, COUNT);
	assert_false(trace_is_damaged(&read.counts));
	free(read.samples);
	rewrite(bytes, 70000);
	read_torn(&read);
	assert_int_equal(read.count, COUNT);
	assert_true(trace_is_damaged(&read.counts));
	free(read.samples);
	(void)unlink("damaged.alog");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damage_is_told_by_place_rows_and_time),
		cmocka_unit_test(many_stretches_are_bounded),
		cmocka_unit_test(a_log_without_a_mark_of_its_end_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
