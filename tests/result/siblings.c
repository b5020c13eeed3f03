/*
 * What others' documents say besides figures: fio's JSON beside its logs, several documents in one
 * stream, and repetitions of a cell lined up. No seeds.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "result/fio_siblings.h"
#include "result/import.h"
#include "result/lineup.h"

#include "unit.h"

/* A file of this text in the working directory, which each of these tests removes. */
static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

static int read_siblings(const char *text, struct fio_siblings *siblings, struct err *err)
{
	char path[] = "siblings-XX"
		      "XX"
		      "XX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	(void)close(fd);
	put(path, text);
	rc = fio_siblings_read(path, siblings, err);
	assert_int_equal(unlink(path), 0);
	return rc;
}

#define JOB_A                                                                            \
	"{\"jobname\":\"a\",\"job_start\":5000,\"job options\":{\"iodepth\":\"32\"},"    \
	"\"read\":{\"total_ios\":7,\"io_bytes\":28672,\"runtime\":1500,\"clat_ns\":{}}," \
	"\"write\":{\"total_ios\":2,\"io_bytes\":8192,\"runtime\":1700}}"
#define JOB_B "{\"jobname\":\"b\",\"job_start\":7000,\"read\":{\"clat\":{}}}"

static void jobs_tell_depth_window_units_and_starts(void **state)
{
	struct fio_siblings siblings;
	struct err err = {0};
	const struct fio_sibling *a, *b;

	(void)state;
	if (read_siblings("fio: {a line before} it\n{\"global options\":{\"iodepth\":\"4\","
			  "\"log_avg_msec\":\"250\"},\"jobs\":[" JOB_A "," JOB_B "]}\n",
			  &siblings, &err))
		fail_msg("%s", err.text);
	assert_int_equal(siblings.count, 2);
	a = &siblings.jobs[0];
	b = &siblings.jobs[1];
	assert_string_equal(a->name, "a");
	assert_true(a->depth == 32); /* its own before the global one */
	assert_true(b->depth == 4);
	assert_true(a->window_ns == 250 * NS_PER_MS && b->window_ns == a->window_ns);
	assert_true(a->nanoseconds);
	assert_false(b->nanoseconds);
	assert_true(a->runtime_ns == 1700 * NS_PER_MS); /* its longest direction */
	assert_true(a->total_ios[0] == 7 && a->io_bytes[1] == 8192 && a->total_ios[2] == 0);
	assert_true(a->start_ns == 0 && b->start_ns == 2000 * NS_PER_MS);
	fio_siblings_done(&siblings);
	assert_int_equal(siblings.count, 0);
}

/* With --status-interval each document holds the sums since the start. */
static void the_last_document_counts(void **state)
{
	struct fio_siblings siblings;
	struct err err = {0};

	(void)state;
	if (read_siblings("{\"jobs\":[" JOB_A "]}\n{\"jobs\":[" JOB_B "]}\n{\"other\":1}\n",
			  &siblings, &err))
		fail_msg("%s", err.text);
	assert_int_equal(siblings.count, 1);
	assert_string_equal(siblings.jobs[0].name, "b");
	assert_true(siblings.jobs[0].depth == 1); /* fio's default; no option said another */
	fio_siblings_done(&siblings);
	/* One job without a start: nobody knows how far apart they are. */
	if (read_siblings("{\"jobs\":[" JOB_A ",{\"jobname\":\"c\","
			  "\"job options\":{\"iodepth\":\"many\"}}]}",
			  &siblings, &err))
		fail_msg("%s", err.text);
	assert_true(siblings.jobs[0].start_ns == 0 && siblings.jobs[1].start_ns == 0);
	assert_true(siblings.jobs[1].depth == 1);
	fio_siblings_done(&siblings);
}

static void what_has_no_jobs_is_an_error(void **state)
{
	static const char *const texts[] = {"",	      "hello",	     "{\"jobs\":3}",
					    "{{{\n{", "{\"jobs\":[", "[1]"};
	struct fio_siblings siblings;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err err = {0};

		assert_int_not_equal(read_siblings(texts[i], &siblings, &err), 0);
		assert_non_null(strstr(err.text, "no jobs"));
		assert_int_equal(siblings.count, 0);
	}
	struct err err = {0};

	assert_int_not_equal(fio_siblings_read("no/such.json", &siblings, &err), 0);
	assert_non_null(strstr(err.text, "no/such.json"));
}

/* --- several documents in one stream --- */

#define DOC(at, runtime, job)                                                                  \
	"{\"fio version\":\"fio-3.42\",\"timestamp_ms\":" #at ",\"jobs\":[{\"jobname\":\"" job \
	"\",\"groupid\":0,\"error\":0,"                                                        \
	"\"read\":{\"io_bytes\":4096,\"total_ios\":1,\"runtime\":" #runtime "}}]}\n"

struct imported {
	unsigned count, notes;
	char message[sizeof(((struct err *)0)->text)];
};

static struct imported import(const char *text)
{
	struct imported got = {0};
	struct record *records;
	struct arena arena;
	struct err err = {0};

	arena_init(&arena);
	if (import_text(&arena, "x", text, strlen(text), &records, &got.count, &err))
		(void)snprintf(got.message, sizeof(got.message), "%s", err.text);
	for (unsigned i = 0; i < got.count; i++) {
		if (!err.text[0])
			got.notes += records[i].parts[0].result->nnotes;
		record_done(&records[i]);
	}
	arena_done(&arena);
	return got;
}

static void documents_of_one_run_are_one_record(void **state)
{
	struct imported got;

	(void)state;
	/* Begun at 1 s, looked at after 1, 2 and 3 s: the last says it all, and that is noted. */
	got = import(DOC(2000, 1000, "j") DOC(3000, 2000, "j") DOC(4010, 3000, "j"));
	assert_string_equal(got.message, "");
	assert_int_equal(got.count, 1);
	assert_int_equal(got.notes, 1);
	/* Another beginning, another job, a shorter time: a run of its own each. */
	assert_int_equal(import(DOC(2000, 1000, "j") DOC(9000, 2000, "j")).count, 2);
	assert_int_equal(import(DOC(2000, 1000, "j") DOC(3000, 2000, "k")).count, 2);
	assert_int_equal(import(DOC(3000, 2000, "j") DOC(2000, 1000, "j")).count, 2);
	got = import("{\"fio version\":\"fio-3.42\",\"jobs\":[{\"jobname\":\"j\"");
	assert_non_null(strstr(got.message, "cut off"));
	got = import("some text of nobody\n");
	assert_non_null(strstr(got.message, "neither JSON"));
}

/* --- repetitions and mixes lined up --- */

static struct record_cell cell(enum dir dir, unsigned read_percent, double ios_per_s)
{
	struct record_cell made = {.name = "c",
				   .load = read_percent == 100 ? "randread" : "randrw",
				   .bs_bytes = 4096,
				   .depth = 8,
				   .jobs = 2,
				   .read_percent = read_percent,
				   .dir = dir,
				   .part = -1};

	for (unsigned m = 0; m < NCELL_METRIC; m++)
		made.value[m] = (double)NAN;
	made.value[CELL_IOS_PER_S] = ios_per_s;
	made.value[CELL_BYTES_PER_S] = ios_per_s * 4096;
	made.value[CELL_MEAN_NS] = 16e9 / 40000; /* 16 in flight at 40,000 a second */
	return made;
}

static void line_up(struct lineup *lineup, struct arena *arena, const struct record_cell *cells,
		    unsigned count)
{
	static struct record record;
	struct record *sides[] = {&record};

	arena_init(arena);
	record_init(&record, "run");
	for (unsigned i = 0; i < count; i++)
		record_add_cell(&record, &cells[i]);
	lineup_init(lineup, arena, 1);
	lineup_add(lineup, 0, "A", sides, 1);
}

static void drop(struct lineup *lineup, struct arena *arena)
{
	/* The lineup only reads it. */
	record_done((struct record *)(uintptr_t)lineup->first[0]);
	arena_done(arena);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9 * fabs(b);
}

static void littles_law_counts_both_halves_of_a_mix(void **state)
{
	const struct record_cell alone[] = {cell(DIR_READ, 100, 40000)};
	const struct record_cell mixed[] = {cell(DIR_READ, 70, 28000),
					    cell(DIR_WRITE, 70, 12000)};
	struct record_cell unknown[] = {cell(DIR_READ, 100, 40000), cell(DIR_READ, 70, 28000)};
	struct lineup lineup;
	struct arena arena;

	(void)state;
	line_up(&lineup, &arena, alone, 1);
	assert_true(near(lineup_little(&lineup, &lineup.cells[0], 0), 1));
	assert_true(near(lineup_size_ratio(&lineup, &lineup.cells[0], 0), 1));
	assert_true(lineup_is_random(&lineup.cells[0]));
	drop(&lineup, &arena);
	line_up(&lineup, &arena, mixed, 2);
	assert_true(near(lineup_little(&lineup, &lineup.cells[0], 0), 1));
	assert_true(near(lineup_little(&lineup, &lineup.cells[1], 0), 1));
	drop(&lineup, &arena);
	unknown[0].depth = 0; /* a document that does not say it */
	unknown[0].bs_bytes = 0;
	line_up(&lineup, &arena, unknown, 2);
	assert_true(isnan(lineup_little(&lineup, &lineup.cells[0], 0)));
	assert_true(isnan(lineup_size_ratio(&lineup, &lineup.cells[0], 0)));
	assert_true(isnan(lineup_little(&lineup, &lineup.cells[1], 0))); /* half a mix */
	drop(&lineup, &arena);
}

static void repetitions_have_a_geometric_mean(void **state)
{
	struct record_cell cells[100];
	struct lineup lineup;
	struct arena arena;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cells); i++) {
		cells[i] = cell(DIR_READ, 100, i % 2 ? 20000 : 80000);
		cells[i].depth = 1 + i / 20; /* five cells of twenty values */
	}
	line_up(&lineup, &arena, cells, ARRAY_SIZE(cells));
	assert_int_equal(lineup.ncells, 5);
	assert_int_equal(lineup.cells[4].repeats[0], 20);
	assert_true(near(lineup_value(&lineup, &lineup.cells[4], 0, CELL_IOS_PER_S), 40000));
	assert_true(isnan(lineup_value(&lineup, &lineup.cells[4], 0, CELL_P99_NS)));
	drop(&lineup, &arena);
	/* A repetition in which nothing came has no place in a mean of logarithms. */
	cells[1].value[CELL_IOS_PER_S] = 0;
	line_up(&lineup, &arena, cells, 20);
	assert_true(lineup_value(&lineup, &lineup.cells[0], 0, CELL_IOS_PER_S) == 0);
	drop(&lineup, &arena);
	/* More loads than the first table holds. */
	for (unsigned i = 0; i < ARRAY_SIZE(cells); i++)
		cells[i].depth = 1 + i;
	line_up(&lineup, &arena, cells, ARRAY_SIZE(cells));
	assert_int_equal(lineup.ncells, ARRAY_SIZE(cells));
	assert_int_equal(lineup.cells[99].like.depth, 100);
	drop(&lineup, &arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_tell_depth_window_units_and_starts),
		cmocka_unit_test(the_last_document_counts),
		cmocka_unit_test(what_has_no_jobs_is_an_error),
		cmocka_unit_test(documents_of_one_run_are_one_record),
		cmocka_unit_test(littles_law_counts_both_halves_of_a_mix),
		cmocka_unit_test(repetitions_have_a_geometric_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
