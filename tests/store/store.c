/* The store: what goes in comes out the same, once, whatever is killed. Seed 20266. */
#include "store/store.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "result/native_json.h"
#include "result/record_json.h"

#include "bed.h"

#define SEED 20266

static void what_is_loaded_is_what_was_saved(void **state)
{
	struct bed *bed = *state;
	autostr before = {0}, after = {0};
	struct record loaded;
	struct live live;

	live_init(&live);
	save(bed->store, &live.record);
	assert_string_equal(live.record.id, "r1");
	record_run_json(&live.record, "0.1.0", &before);
	load(bed->store, 1, &loaded);
	record_run_json(&loaded, "0.1.0", &after);
	assert_string_equal(str_text(&before), str_text(&after));
	assert_int_equal(loaded.ncells, live.record.ncells);
	record_done(&loaded);
	live_done(&live);
}

static void vitals_are_a_line_a_known_value(void **state)
{
	struct bed *bed = *state;
	struct live live;

	live_init(&live);
	save(bed->store, &live.record);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM vitals"), 19);
	assert_int_equal(number(bed->store,
				"SELECT count(*) FROM vitals WHERE value = 12.3 AND "
				"kind = 'cpu' AND unit = 'percent'"),
			 10);
	assert_int_equal(number(bed->store, "SELECT second FROM vitals WHERE value = 35.0 AND "
					    "of = 'nvme0n1'"),
			 5);
	live_done(&live);
}

/* What somebody else wrote there is an error, and nothing out of bounds. */
static void damaged_vitals_are_told(void **state)
{
	static const char *const damages[] = {
		"UPDATE vital_channels SET kind = 'mood' WHERE channel = 1",
		"UPDATE vital_channels SET rows = 7 WHERE channel = 1",
		"UPDATE vital_channels SET rows = 9223372036854775807",
		"UPDATE vital_channels SET step_ns = 0",
		"UPDATE vital_rows SET row = 12345 WHERE row = 9",
	};
	struct bed *bed = *state;

	for (unsigned i = 0; i < ARRAY_SIZE(damages); i++) {
		struct err err = {0};
		struct record loaded;
		struct live live;
		sqlite3 *db;

		live_init(&live); /* another run each time, sound but for this damage */
		save(bed->store, &live.record);
		live_done(&live);
		store_close(bed->store);
		assert_int_equal(sqlite3_open(bed->path, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, damages[i], NULL, NULL, NULL), SQLITE_OK);
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
		bed->store = open_store(bed->path);
		assert_int_not_equal(store_load(bed->store, i + 1, STORE_WHOLE, &loaded, &err),
				     0);
		assert_non_null(strstr(err.text, "damaged"));
		record_done(&loaded);
	}
}

static void health_is_a_line_a_value(void **state)
{
	struct bed *bed = *state;
	struct live live;

	live_init(&live);
	save(bed->store, &live.record);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM health"), 11);
	assert_int_equal(number(bed->store, "SELECT change FROM drive_health WHERE run = 'r1' "
					    "AND field = 'host_written_bytes'"),
			 2000000000);
	assert_int_equal(number(bed->store, "SELECT before FROM drive_health WHERE field = "
					    "'temperature_mc' AND unit = 'mC'"),
			 31000);
	/* What was known at the end alone has not grown by anything. */
	assert_int_equal(number(bed->store, "SELECT count(*) FROM drive_health WHERE field = "
					    "'reallocated' AND change IS NULL AND after = 3"),
			 1);
	live_done(&live);
}

static void the_same_run_is_stored_once(void **state)
{
	struct bed *bed = *state;
	struct err err = {0};
	bool known = false;
	struct live live;

	live_init(&live);
	save(bed->store, &live.record);
	record_add_tag(&live.record, "later");
	assert_int_equal(store_save(bed->store, &live.record, &known, &err), 0);
	assert_true(known);
	assert_string_equal(live.record.id, "r1");
	assert_int_equal(number(bed->store, "SELECT count(*) FROM runs"), 1);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM tags"), 1);
	live_done(&live);
}

/* Through the export, into another store, and again. */
static void an_export_is_imported_once_and_whole(void **state)
{
	struct bed *bed = *state;
	autostr out = {0}, again = {0}, path = {0};
	struct record *one, *read;
	struct store *other;
	struct arena arena;
	struct store_merged merged;
	unsigned count;
	struct err err = {0};
	struct live live;

	live_init(&live);
	record_add_tag(&live.record, "a");
	record_add_remark(&live.record, 5, "new \"firmware\"");
	one = &live.record;
	record_export_json(&(struct record_export){.records = &one, .count = 1}, "0.1.0", &out);
	arena_init(&arena);
	if (record_read_json(&arena, out.text, out.length, &read, &count, &err))
		fail_msg("%s", err.text);
	assert_int_equal(count, 1);
	save(bed->store, read);
	record_done(read);
	str_printf(&path, "%s/other.db", bed->folder);
	other = open_store(str_text(&path));
	for (unsigned i = 0; i < 2; i++) {
		if (store_merge(other, bed->path, &merged, &err))
			fail_msg("%s", err.text);
		assert_int_equal(merged.fresh, i == 0);
		assert_int_equal(merged.known, i == 1);
	}
	load(other, 1, read);
	record_export_json(&(struct record_export){.records = &read, .count = 1}, "0.1.0",
			   &again);
	assert_string_equal(str_text(&out), str_text(&again));
	record_done(read);
	arena_done(&arena);
	store_close(other);
	live_done(&live);
}

static void names_stand_for_runs(void **state)
{
	struct bed *bed = *state;
	struct arena arena;
	struct err err = {0};
	unsigned count;
	int64_t *runs;

	arena_init(&arena);
	for (unsigned i = 0; i < 5; i++) {
		struct live live;

		live_init(&live);
		save(bed->store, &live.record);
		live_done(&live);
	}
	assert_int_equal(store_tag(bed->store, 2, "base", true, &err), 0);
	assert_int_equal(store_tag(bed->store, 4, "base", true, &err), 0);
	assert_int_equal(store_find(bed->store, "base", &arena, &runs, &count, &err), 0);
	assert_int_equal(count, 2);
	assert_int_equal(runs[1], 4);
	assert_int_equal(store_find(bed->store, "@last", &arena, &runs, &count, &err), 0);
	assert_int_equal(runs[0], 5);
	assert_int_equal(store_find(bed->store, "@last~2", &arena, &runs, &count, &err), 0);
	assert_int_equal(runs[0], 3);
	assert_int_equal(store_find(bed->store, "r5", &arena, &runs, &count, &err), 0);
	assert_int_equal(store_find(bed->store, "r6", &arena, &runs, &count, &err), -EINVAL);
	err = (struct err){0};
	assert_int_equal(store_find(bed->store, "@last~9", &arena, &runs, &count, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "results list"));
	assert_int_equal(store_tag(bed->store, 1, "r17", true, NULL), -EINVAL);
	assert_int_equal(store_tag(bed->store, 1, "a.b", true, NULL), -EINVAL);
	assert_int_equal(store_tag(bed->store, 1, "base", false, NULL), -EINVAL);
	arena_done(&arena);
}

static void a_removed_run_leaves_nothing_and_its_number_is_not_used_again(void **state)
{
	static const char *const tables[] = {"runs",	   "tags",	   "remarks",
					     "parts",	   "environments", "cells",
					     "histograms", "rows",	   "notes"};
	struct bed *bed = *state;
	struct live live;

	live_init(&live);
	record_add_tag(&live.record, "x");
	record_add_remark(&live.record, 5, "y");
	save(bed->store, &live.record);
	assert_int_equal(store_remove(bed->store, 1, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		char sql[80];

		(void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", tables[i]);
		assert_int_equal(number(bed->store, sql), 0);
	}
	save(bed->store, &live.record);
	assert_string_equal(live.record.id, "r2");
	live_done(&live);
}

static void queries_only_read(void **state)
{
	static const char *const refused[] = {
		"DELETE FROM runs",	    "",
		"SELECT 1; SELECT 2",	    "SELECT nothing",
		"PRAGMA user_version = 77", "ATTACH ':memory:' AS m"};
	struct bed *bed = *state;
	struct live live;

	live_init(&live);
	save(bed->store, &live.record);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct err err = {0};
		long value = 0;

		assert_int_not_equal(
			store_query(bed->store, refused[i], count_one, &value, &err), 0);
		assert_true(err.text[0]);
	}
	assert_int_equal(number(bed->store, "PRAGMA user_version"), 8);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM run_list;"), 1);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM figures"), 2);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM series"), 20);
	assert_true(number(bed->store, "SELECT count(*) FROM remarks_and_notes") > 0);
	live_done(&live);
}

static void set_number(const char *path, const char *pragma)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, pragma, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void strange_files_are_refused_by_name(void **state)
{
	struct bed *bed = *state;
	struct store *store;
	struct err err = {0};
	char path[100];

	store_close(bed->store);
	set_number(bed->path, "PRAGMA user_version = 99");
	assert_int_not_equal(store_open(bed->path, STORE_WRITE, &store, &err), 0);
	assert_non_null(strstr(err.text, "newer assay"));
	set_number(bed->path, "PRAGMA user_version = 8; PRAGMA application_id = 7");
	err = (struct err){0};
	assert_int_not_equal(store_open(bed->path, STORE_WRITE, &store, &err), 0);
	assert_non_null(strstr(err.text, "another program"));
	set_number(bed->path, "PRAGMA application_id = 1634956153");
	bed->store = open_store(bed->path);
	(void)snprintf(path, sizeof(path), "%s/none.db", bed->folder);
	err = (struct err){0};
	assert_int_not_equal(store_open(path, STORE_READ, &store, &err), 0);
	assert_non_null(strstr(err.text, "none.db"));
	set_number(path, "CREATE TABLE other (x)");
	err = (struct err){0};
	assert_int_not_equal(store_open(path, STORE_WRITE, &store, &err), 0);
	assert_non_null(strstr(err.text, "another program"));
}

/* Saves until it is killed; each id goes up the pipe once it is acknowledged. */
static void save_for_ever(const char *path, int pipe)
{
	struct store *store = open_store(path);

	for (;;) {
		struct live live;
		char byte = 1;

		live_init(&live);
		save(store, &live.record);
		if (write(pipe, &byte, 1) != 1)
			_exit(1);
		live_done(&live);
	}
}

/* `wait_us` after its start, or after its first word, which on a slow machine comes late. */
static unsigned kill_one(const char *path, unsigned wait_us, bool after_first)
{
	unsigned acknowledged = 0;
	int ends[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		(void)close(ends[0]);
		save_for_ever(path, ends[1]);
	}
	(void)close(ends[1]);
	if (after_first) {
		assert_int_equal(read(ends[0], &byte, 1), 1);
		acknowledged = 1;
	}
	(void)usleep(wait_us);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status)); /* it did not end by itself */
	while (read(ends[0], &byte, 1) == 1)
		acknowledged++;
	(void)close(ends[0]);
	return acknowledged;
}

static void check_whole(struct store *store)
{
	long runs = number(store, "SELECT count(*) FROM runs");

	assert_int_equal(number(store, "PRAGMA foreign_key_check"), -2); /* no row */
	assert_string_equal(first_text(store, "PRAGMA integrity_check"), "ok");
	assert_int_equal(number(store, "SELECT count(*) FROM rows"), 20 * runs);
	assert_int_equal(number(store, "SELECT count(*) FROM cells"), 2 * runs);
	assert_int_equal(number(store, "SELECT count(*) FROM environments"), runs);
}

/* At thirty moments: what was acknowledged is there, and whole; at most one more is. */
static void a_killed_writer_loses_nothing_that_it_was_told(void **state)
{
	struct bed *bed = *state;
	unsigned acknowledged = 0, kills = 30;
	struct rng rng;
	long runs;

	rng_seed(&rng, SEED, 0);
	store_close(bed->store);
	for (unsigned i = 0; i < kills; i++)
		acknowledged += kill_one(bed->path, 1000 + (unsigned)rng_below(&rng, 60000),
					 i % 3 == 0);
	bed->store = open_store(bed->path);
	runs = number(bed->store, "SELECT count(*) FROM runs");
	assert_true(acknowledged >= kills / 3);
	assert_in_range(runs, acknowledged, acknowledged + kills);
	check_whole(bed->store);
	for (long i = 1; i <= runs; i += 7) {
		struct record record;

		load(bed->store, i, &record);
		assert_int_equal(record.parts[0].result->nrows, SAMPLE_SECONDS);
		record_done(&record);
	}
}

static void two_writers_wait_for_each_other(void **state)
{
	struct bed *bed = *state;
	struct store *other = open_store(bed->path);

	for (unsigned i = 0; i < 6; i++) {
		struct live live;

		live_init(&live);
		save(i % 2 ? other : bed->store, &live.record);
		live_done(&live);
	}
	assert_int_equal(number(other, "SELECT count(*) FROM runs"), 6);
	store_close(other);
}

static void the_default_place_follows_the_environment(void **state)
{
	autostr path = {0}, home = {0}, folder = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(unsetenv("SUDO_UID"), 0);
	assert_int_equal(setenv("XDG_DATA_HOME", "/data", 1), 0);
	assert_int_equal(store_default_path(&path, NULL), 0);
	assert_string_equal(str_text(&path), "/data/assay/results.db");
	assert_int_equal(setenv("XDG_DATA_HOME", "relative", 1), 0); /* the standard: ignored */
	assert_int_equal(setenv("HOME", "/home/x", 1), 0);
	assert_int_equal(store_default_path(&home, NULL), 0);
	assert_string_equal(str_text(&home), "/home/x/.local/share/assay/results.db");
	assert_int_equal(store_state_folder(false, &folder, NULL), 0);
	assert_string_equal(str_text(&folder), "/home/x/.local/share/assay");
	assert_int_equal(setenv("HOME", "/proc/none", 1), 0);
	assert_true(store_state_folder(true, &folder, &err) < 0);
	assert_non_null(strstr(err.text, "/proc/none"));
	assert_int_equal(unsetenv("XDG_DATA_HOME"), 0);
}

#define with_bed(test) cmocka_unit_test_setup_teardown(test, bed_make, bed_clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_bed(vitals_are_a_line_a_known_value),
		with_bed(damaged_vitals_are_told),
		with_bed(health_is_a_line_a_value),
		with_bed(what_is_loaded_is_what_was_saved),
		with_bed(the_same_run_is_stored_once),
		with_bed(an_export_is_imported_once_and_whole),
		with_bed(names_stand_for_runs),
		with_bed(a_removed_run_leaves_nothing_and_its_number_is_not_used_again),
		with_bed(queries_only_read),
		with_bed(strange_files_are_refused_by_name),
		with_bed(a_killed_writer_loses_nothing_that_it_was_told),
		with_bed(two_writers_wait_for_each_other),
		cmocka_unit_test(the_default_place_follows_the_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
