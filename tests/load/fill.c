/*
 * What writes carry, as zstd (the program, levels 1 and 3) and a comparison of blocks see it:
 * compressible and duplicate shares within 3 % of what was asked. 4 MiB of writes; seed 31.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/job.h"
#include "load/fill.h"

enum { STREAM_BYTES = 4 << 20, BLOCK_BYTES = 4096 };

static uint8_t *stream;

/* Sets options on a job and fills the stream by writes of `bytes`. */
static void write_stream(enum face face, const char *options, uint32_t bytes)
{
	char text[300], *word, *save = NULL;
	struct job_spec *spec;
	struct arena arena;
	struct job_set set;
	struct err err = {0};
	struct fill *fill;
	uint8_t *buf = aligned_alloc(512, bytes);

	assert_non_null(buf);
	arena_init(&arena);
	job_set_init(&set, face);
	spec = job_new(&set, "fill");
	strcpy(text, options);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = 0;
		if (job_set_option(&set, spec, word, value, &err))
			fail_msg("%s: %s", options, err.text);
	}
	if (face == FACE_NATIVE)
		spec->refuse_repeat = true;
	assert_int_equal(fill_open(spec, 31, &arena, &fill), 0);
	fill_first(fill, buf, bytes);
	for (size_t at = 0; at < STREAM_BYTES; at += bytes) {
		if (fill_is_needed(fill))
			fill_next(fill, buf, bytes, at);
		memcpy(stream + at, buf, bytes);
	}
	job_set_done(&set);
	arena_done(&arena);
	free(buf);
}

/* Share of the stream that zstd saves; -1 without the program. */
static double saved_by_zstd(int level)
{
	char path[40], command[100];
	double share = -1;
	long size = 0;
	FILE *file, *out;

	(void)snprintf(path, sizeof(path), "/tmp/assay-fill-%ld", (long)getpid());
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(stream, 1, STREAM_BYTES, file), STREAM_BYTES);
	assert_int_equal(fclose(file), 0);
	(void)snprintf(command, sizeof(command), "zstd -q -%d -c %s 2>/dev/null | wc -c", level,
		       path);
	out = popen(command, "r");
	if (out && fscanf(out, "%ld", &size) == 1 && size > 0)
		share = 1 - (double)size / STREAM_BYTES;
	if (out)
		(void)pclose(out);
	(void)unlink(path);
	return share;
}

static int compare_blocks(const void *a, const void *b)
{
	return memcmp(*(uint8_t *const *)a, *(uint8_t *const *)b, BLOCK_BYTES);
}

/* Share of the 4 KiB blocks that are copies of another. */
static double duplicate_share(void)
{
	enum { BLOCKS = STREAM_BYTES / BLOCK_BYTES };
	static uint8_t *block[BLOCKS];
	unsigned copies = 0;

	for (unsigned i = 0; i < BLOCKS; i++)
		block[i] = stream + (size_t)i * BLOCK_BYTES;
	qsort(block, BLOCKS, sizeof(block[0]), compare_blocks);
	for (unsigned i = 1; i < BLOCKS; i++)
		copies += memcmp(block[i], block[i - 1], BLOCK_BYTES) == 0;
	return (double)copies / BLOCKS;
}

static void assert_near(const char *what, double got, double want, double bound)
{
	if (got < want - bound || got > want + bound)
		fail_msg("%s: %.4f, not %.4f within %.2f", what, got, want, bound);
}

static void assert_zstd_saves(const char *what, double want)
{
	static const int levels[] = {1, 3};

	for (size_t i = 0; i < 2; i++) {
		double got = saved_by_zstd(levels[i]);

		if (got < -0.5)
			skip(); /* no zstd here */
		assert_near(what, got, want, 0.03);
	}
}

static void fill_native_writes_have_nothing_in_common(void **state)
{
	static const uint32_t sizes[] = {512, 4096, 65536, 1 << 20};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		write_stream(FACE_NATIVE, "rw=randwrite", sizes[i]);
		assert_near("duplicates", duplicate_share(), 0, 0);
		assert_zstd_saves("native", 0);
	}
}

static void fill_refilled_writes_have_nothing_in_common(void **state)
{
	(void)state;
	write_stream(FACE_FIO, "rw=randwrite refill_buffers", 4096);
	assert_near("duplicates", duplicate_share(), 0, 0);
	assert_zstd_saves("refill_buffers", 0);
}

/* fio 3.33: 1 MiB of 4 KiB writes became 13,770 bytes, every block different. */
static void fill_of_the_fio_face_is_scrambled(void **state)
{
	(void)state;
	write_stream(FACE_FIO, "rw=write", 4096);
	assert_near("duplicates", duplicate_share(), 0, 0);
	if (saved_by_zstd(1) > -0.5)
		assert_true(saved_by_zstd(1) > 0.9);
	write_stream(FACE_FIO, "rw=write scramble_buffers=0", 4096);
	assert_near("duplicates", duplicate_share(), 1, 0.001);
}

static void fill_compresses_as_asked(void **state)
{
	static const struct {
		const char *options;
		double want;
	} rows[] = {
		{"rw=write buffer_compress_percentage=10", 0.1},
		{"rw=write buffer_compress_percentage=25", 0.25},
		{"rw=write buffer_compress_percentage=50", 0.5},
		{"rw=write buffer_compress_percentage=75", 0.75},
		{"rw=write buffer_compress_percentage=90", 0.9},
		{"rw=write buffer_compress_percentage=50 buffer_compress_chunk=4k", 0.5},
		{"rw=write buffer_compress_percentage=50 buffer_pattern=0xab", 0.5},
		{"rw=write buffer_compress_percentage=50 buffer_pattern=0xdeadbeef", 0.5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_stream(FACE_FIO, rows[i].options, 4096);
		assert_zstd_saves(rows[i].options, rows[i].want);
		assert_near("duplicates", duplicate_share(), 0, 0);
	}
}

static void fill_duplicates_as_asked(void **state)
{
	static const struct {
		const char *options;
		double want;
	} rows[] = {
		{"rw=write dedupe_percentage=10", 0.1},
		{"rw=write dedupe_percentage=50", 0.5},
		{"rw=write dedupe_percentage=90", 0.9},
		{"rw=write dedupe_percentage=50 buffer_compress_percentage=50", 0.5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_stream(FACE_FIO, rows[i].options, 4096);
		assert_near(rows[i].options, duplicate_share(), rows[i].want, 0.03);
	}
}

static void fill_constant_content_is_put_back_over_reads(void **state)
{
	static const char *const options[] = {"rw=randrw zero_buffers",
					      "rw=randrw buffer_pattern=0xabcd"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		write_stream(FACE_FIO, options[i], 4096);
		for (size_t k = 0; k < STREAM_BYTES; k++)
			assert_int_equal(stream[k], i == 0 ? 0 : k % 2 ? 0xcd : 0xab);
	}
}

static void fill_needs_nothing_where_nothing_changes(void **state)
{
	struct arena arena;
	struct job_spec spec = {.zero_buffers = true, .rw = {.does = {false, true, false}}};
	struct fill *fill;

	(void)state;
	arena_init(&arena);
	assert_int_equal(fill_open(&spec, 1, &arena, &fill), 0);
	assert_false(fill_is_needed(fill));
	spec = (struct job_spec){.refuse_repeat = true, .rw = {.does = {true, false, false}}};
	assert_int_equal(fill_open(&spec, 1, &arena, &fill), 0);
	assert_false(fill_is_needed(fill));
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fill_native_writes_have_nothing_in_common),
		cmocka_unit_test(fill_refilled_writes_have_nothing_in_common),
		cmocka_unit_test(fill_of_the_fio_face_is_scrambled),
		cmocka_unit_test(fill_compresses_as_asked),
		cmocka_unit_test(fill_duplicates_as_asked),
		cmocka_unit_test(fill_constant_content_is_put_back_over_reads),
		cmocka_unit_test(fill_needs_nothing_where_nothing_changes),
	};
	int failed;

	stream = malloc(STREAM_BYTES);
	if (!stream)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(stream);
	return failed;
}
