/*
 * A store that is not whole: each call says so or does its work, whatever is missing or
 * overwritten, and what is refused leaves nothing half done. Seed 20267.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/rng.h"

#include "bed.h"

#define SEED 20267

static void count_entry(void *context, const struct store_entry *entry)
{
	(void)entry;
	++*(unsigned *)context;
}

static void ignore_row(void *context, unsigned columns, const char *const *names,
		       const char *const *values)
{
	(void)context, (void)columns, (void)names, (void)values;
}

static int load_once(struct store *store, struct err *err)
{
	struct record record;
	int rc = store_load(store, 1, STORE_WHOLE, &record, err);

	record_done(&record);
	return rc;
}

static int list_once(struct store *store, struct err *err)
{
	static const struct store_filter all;
	unsigned seen = 0;

	return store_list(store, &all, count_entry, &seen, err);
}

static int find_once(struct store *store, struct err *err)
{
	struct arena arena;
	int64_t *runs;
	unsigned count;
	int rc;

	arena_init(&arena);
	rc = store_find(store, "@last", &arena, &runs, &count, err);
	arena_done(&arena);
	return rc;
}

static int save_once(struct store *store, struct err *err)
{
	struct live live;
	int rc;

	live_init(&live);
	record_uid_of_text(&live.record, "another", 7);
	rc = store_save(store, &live.record, NULL, err);
	live_done(&live);
	return rc;
}

static int salt_once(struct store *store, struct err *err)
{
	autostr salt = {0};

	return store_salt(store, &salt, err);
}

static int note_once(struct store *store, struct err *err)
{
	static const struct note note = {.id = "x", .text = "later"};

	return store_add_note(store, 1, &note, err);
}

static int tag_once(struct store *store, struct err *err)
{
	return store_tag(store, 1, "kept", true, err);
}

static int remark_once(struct store *store, struct err *err)
{
	return store_remark(store, 1, 5, "said", err);
}

static int ask_once(struct store *store, struct err *err)
{
	return store_query(store, "SELECT * FROM figures", ignore_row, NULL, err);
}

static int remove_once(struct store *store, struct err *err)
{
	return store_remove(store, 1, err);
}

static int (*const calls[])(struct store *store, struct err *err) = {
	load_once, list_once, find_once,   save_once, salt_once,
	note_once, tag_once,  remark_once, ask_once,  remove_once};

/* All of them, in one store; returns how many said what was wrong. */
static unsigned call_all(const char *path)
{
	struct store *store = NULL;
	struct err err = {0};
	unsigned failed = 0;

	if (store_open(path, STORE_READ, &store, &err)) {
		assert_string_not_equal(err.text, "");
		return 1;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(calls); i++) {
		err = (struct err){0};
		if (calls[i](store, &err) == 0)
			continue;
		assert_string_not_equal(err.text, "");
		failed++;
	}
	store_close(store);
	return failed;
}

/* The store with one run, closed: as a file that can be copied. */
static void fill(struct bed *bed)
{
	struct live live;

	live_init(&live);
	save(bed->store, &live.record);
	live_done(&live);
	store_close(bed->store);
	bed->store = NULL;
}

static void copy(const struct bed *bed, const char *path)
{
	autostr whole = {0};
	FILE *file = fopen(path, "w");

	assert_int_equal(file_read(bed->path, 64 << 20, &whole), 0);
	assert_non_null(file);
	assert_int_equal(fwrite(str_text(&whole), 1, whole.length, file), whole.length);
	assert_int_equal(fclose(file), 0);
}

/* Its tables and views, by name. */
static unsigned names_of(const struct bed *bed, char names[][64], unsigned room)
{
	static const char list[] =
		"SELECT name FROM sqlite_master WHERE type = 'table' AND name "
		"NOT LIKE 'sqlite%'";
	sqlite3_stmt *row;
	sqlite3 *db;
	unsigned count = 0;

	assert_int_equal(sqlite3_open(bed->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, list, -1, &row, NULL), SQLITE_OK);
	while (sqlite3_step(row) == SQLITE_ROW) {
		assert_true(count < room);
		(void)snprintf(names[count++], 64, "%s",
			       (const char *)sqlite3_column_text(row, 0));
	}
	assert_int_equal(sqlite3_finalize(row), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return count;
}

static void change(const char *path, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Plans' (plans.c has them), and the one that nothing is kept in yet. */
static bool is_of_others(const char *table)
{
	return strncmp(table, "plan", 4) == 0 || strcmp(table, "verdicts") == 0 ||
	       strcmp(table, "health") == 0;
}

static void a_table_that_is_missing_is_an_error_that_says_so(void **state)
{
	struct bed *bed = *state;
	char names[64][64], path[200], sql[200];
	unsigned count, silent = 0;

	fill(bed);
	(void)snprintf(path, sizeof(path), "%s/copy.db", bed->folder);
	count = names_of(bed, names, ARRAY_SIZE(names));
	assert_true(count > 8);
	copy(bed, path);
	assert_int_equal(call_all(path), 0);
	for (unsigned i = 0; i < count; i++) {
		copy(bed, path);
		(void)snprintf(sql, sizeof(sql),
			       "PRAGMA legacy_alter_table = 1; DROP TABLE %.60s", names[i]);
		change(path, sql);
		if (call_all(path) == 0 && !is_of_others(names[i])) {
			print_message("nothing missed %s\n", names[i]);
			silent++;
		}
	}
	assert_int_equal(silent, 0);
}

static void an_overwritten_page_is_an_error_or_does_not_matter(void **state)
{
	struct bed *bed = *state;
	char path[200];
	unsigned char junk[1024];
	struct rng rng;
	struct stat st;
	unsigned failed = 0;

	rng_seed(&rng, SEED, 0);
	fill(bed);
	(void)snprintf(path, sizeof(path), "%s/copy.db", bed->folder);
	assert_int_equal(stat(bed->path, &st), 0);
	for (unsigned i = 0; i < 60; i++) {
		autofd fd = -1;

		copy(bed, path);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		for (size_t at = 0; at < sizeof(junk); at++)
			junk[at] = (unsigned char)rng_next(&rng);
		/* Not the first page: that is no store any more, and told so elsewhere. */
		assert_int_equal(pwrite(fd, junk, sizeof(junk),
					(off_t)(4096 + rng_next(&rng) % (uint64_t)st.st_size)),
				 sizeof(junk));
		failed += call_all(path) > 0;
	}
	assert_true(failed > 5); /* 14; the other places hold nothing that is read */
}

/* --- what people do to runs, and what they may not --- */

static void a_tag_looks_like_nothing_else(void **state)
{
	static const char *const refused[] = {"",    "a/b", "a.b", "@last", "a b",
					      "a,b", "r17", "p4",  "p4x"};
	struct bed *bed = *state;
	struct store_filter filter = {.tag = "good"};
	struct live live;
	struct err err = {0};
	unsigned seen = 0;

	live_init(&live);
	save(bed->store, &live.record);
	live_done(&live);
	for (unsigned i = 0; i < ARRAY_SIZE(refused); i++) {
		err = (struct err){0};
		assert_int_not_equal(store_tag(bed->store, 1, refused[i], true, &err), 0);
		assert_non_null(strstr(err.text, "cannot be a tag"));
	}
	assert_int_equal(store_tag(bed->store, 1, "good", true, &err), 0);
	assert_int_equal(store_list(bed->store, &filter, count_entry, &seen, &err), 0);
	assert_int_equal(seen, 1);
	assert_int_equal(store_tag(bed->store, 1, "good", false, &err), 0);
	err = (struct err){0};
	assert_int_not_equal(store_tag(bed->store, 1, "good", false, &err), 0);
	assert_non_null(strstr(err.text, "r1 has no tag"));
	seen = 0;
	assert_int_equal(store_list(bed->store, &filter, count_entry, &seen, &err), 0);
	assert_int_equal(seen, 0);
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
	struct bed *bed = *state;
	struct store *store = NULL;
	struct err err = {0};
	char path[200];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/file", bed->folder);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	(void)snprintf(path, sizeof(path), "%s/file/below/results.db", bed->folder);
	assert_int_not_equal(store_open(path, STORE_WRITE, &store, &err), 0);
	assert_non_null(strstr(err.text, "file/below/results.db"));
	assert_non_null(strstr(err.text, "--no-store"));
	err = (struct err){0};
	/* A folder where the file should be. */
	assert_int_not_equal(store_open(bed->folder, STORE_WRITE, &store, &err), 0);
	assert_non_null(strstr(err.text, bed->folder));
	err = (struct err){0};
	(void)snprintf(path, sizeof(path), "%s/none.db", bed->folder);
	assert_int_not_equal(store_merge(bed->store, path, NULL, &err), 0);
	assert_non_null(strstr(err.text, "none.db"));
}

#define with_bed(test) cmocka_unit_test_setup_teardown(test, bed_make, bed_clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_bed(a_table_that_is_missing_is_an_error_that_says_so),
		with_bed(an_overwritten_page_is_an_error_or_does_not_matter),
		with_bed(a_tag_looks_like_nothing_else),
		with_bed(a_folder_that_cannot_be_made_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
