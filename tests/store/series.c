/* A series that stays in the store: the same rows and histograms as one that is held, read when
 * they are asked for, of the store as it was. */
#include <errno.h>
#include <sqlite3.h>

#include "bed.h"

/* What has come so far, held against what is held. */
struct check {
	const struct result *held;
	enum dir dir;
	unsigned rows, hists;
	unsigned stop_at; /* 0: never */
};

static int check_row(void *context, unsigned at, const struct row *row)
{
	struct check *check = context;
	const struct row *held = &check->held->rows[at];

	assert_int_equal(at, check->rows++);
	assert_int_equal(row->begin_ns, held->begin_ns);
	assert_int_equal(row->end_ns, held->end_ns);
	assert_int_equal(row->partial, held->partial);
	assert_memory_equal(row->dir, held->dir, sizeof(row->dir));
	return check->stop_at && check->rows == check->stop_at ? 7 : 0;
}

static int check_hist(void *context, unsigned at, const struct interval_hist *hist)
{
	struct check *check = context;
	const struct interval_hist *held = result_interval_hist(check->held, at, check->dir);

	assert_int_equal(hist->bytes, held->bytes);
	assert_memory_equal(hist->blob, held->blob, held->bytes);
	check->hists++;
	return check->stop_at && check->hists == check->stop_at ? 7 : 0;
}

static void check_all(const struct result *streamed, const struct result *held)
{
	struct check check = {.held = held};
	unsigned count = 0;

	assert_null(streamed->rows);
	assert_null(streamed->hists);
	assert_true(result_has_interval_hists(streamed));
	assert_int_equal(streamed->nrows, held->nrows);
	assert_int_equal(streamed->series_kind, held->series_kind);
	assert_int_equal(result_each_row(streamed, check_row, &check, NULL), 0);
	assert_int_equal(check.rows, SAMPLE_SECONDS);
	for (check.dir = DIR_READ; check.dir < NDIR; check.dir++)
		assert_int_equal(result_each_interval_hist(streamed, check.dir, check_hist,
							   &check, NULL),
				 0);
	for (unsigned i = 0; i < held->nrows; i++)
		for (enum dir dir = DIR_READ; dir < NDIR; dir++)
			count += result_interval_hist(held, i, dir)->blob != NULL;
	assert_true(count > SAMPLE_SECONDS);
	assert_int_equal(check.hists, count);
}

static void stream(struct store *store, struct record *record)
{
	struct err err = {0};

	if (store_load(store, 1, STORE_STREAMED, record, &err))
		fail_msg("%s", err.text);
}

/* Another process may remove the run meanwhile, and run on. */
static void a_streamed_series_is_the_one_that_was_there(void **state)
{
	struct bed *bed = *state;
	struct record held, streamed;
	struct store *other;
	struct err err = {0};
	struct live live;

	live_init(&live);
	save(bed->store, &live.record);
	live_done(&live);
	load(bed->store, 1, &held);
	other = open_store(bed->path);
	stream(other, &streamed);
	check_all(streamed.parts[0].result, held.parts[0].result);
	assert_int_equal(store_remove(bed->store, 1, &err), 0);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM runs"), 0);
	check_all(streamed.parts[0].result, held.parts[0].result);
	record_done(&streamed);
	store_close(other);
	record_done(&held);
}

/* And what was not read to its end can be read again. */
static void who_takes_it_can_end_it(void **state)
{
	struct bed *bed = *state;
	struct record held, streamed;
	const struct result *results[2];
	struct live live;

	live_init(&live);
	save(bed->store, &live.record);
	live_done(&live);
	load(bed->store, 1, &held);
	stream(bed->store, &streamed);
	results[0] = held.parts[0].result;
	results[1] = streamed.parts[0].result;
	for (unsigned i = 0; i < ARRAY_SIZE(results); i++) {
		for (unsigned stop_at = 1; stop_at <= SAMPLE_SECONDS; stop_at += 3) {
			struct check check = {
				.held = results[0], .dir = DIR_WRITE, .stop_at = stop_at};

			assert_int_equal(result_each_row(results[i], check_row, &check, NULL),
					 7);
			assert_int_equal(check.rows, stop_at);
			assert_int_equal(result_each_interval_hist(results[i], DIR_WRITE,
								   check_hist, &check, NULL),
					 7);
			assert_int_equal(check.hists, stop_at);
		}
	}
	check_all(results[1], results[0]);
	record_done(&streamed);
	record_done(&held);
}

static int ignore_row(void *context, unsigned at, const struct row *row)
{
	(void)context, (void)at, (void)row;
	return 0;
}

static int ignore_hist(void *context, unsigned at, const struct interval_hist *hist)
{
	(void)context, (void)at, (void)hist;
	return 0;
}

static int read_all(struct store *store, int64_t run, enum store_extent extent, struct err *err)
{
	struct record record;
	int rc = store_load(store, run, extent, &record, err);

	if (!rc)
		rc = result_each_row(record.parts[0].result, ignore_row, NULL, err);
	for (enum dir dir = DIR_READ; dir < NDIR && !rc; dir++)
		rc = result_each_interval_hist(record.parts[0].result, dir, ignore_hist, NULL,
					       err);
	record_done(&record);
	return rc;
}

/* What somebody else wrote there is an error, held or not; never a series with a hole in it. */
static void damage_is_told(void **state)
{
	static const char *const damages[] = {
		"DELETE FROM rows WHERE row = 4",
		"UPDATE rows SET row = 9223372036854775807 WHERE row = 9",
		"UPDATE rows SET row = -5 WHERE row = 0",
		"UPDATE rows SET row = 10 WHERE row = 9",
		"UPDATE rows SET row = 3, direction = direction + 5 WHERE row = 4",
		"UPDATE histograms SET row = 10 WHERE row = 9",
		"UPDATE histograms SET counts = x'' WHERE row = 3",
		"UPDATE histograms SET kind = 9 WHERE row >= 0",
	};
	struct bed *bed = *state;
	struct live live;

	for (unsigned i = 0; i < ARRAY_SIZE(damages); i++) {
		sqlite3 *db;

		live_init(&live);
		save(bed->store, &live.record);
		live_done(&live);
		assert_int_equal(sqlite3_open(bed->path, &db), SQLITE_OK);
		if (sqlite3_exec(db, damages[i], NULL, NULL, NULL))
			fail_msg("%s: %s", damages[i], sqlite3_errmsg(db));
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
		for (enum store_extent extent = STORE_WHOLE; extent <= STORE_STREAMED;
		     extent++) {
			struct err err = {0};
			struct store *store = open_store(bed->path);

			if (read_all(store, 1, extent, &err) != -EBADMSG)
				fail_msg("%s: nothing missed", damages[i]);
			assert_non_null(strstr(err.text, ": a "));
			assert_non_null(strstr(err.text, " of the series is "));
			store_close(store);
		}
		assert_int_equal(number(bed->store, "SELECT count(*) FROM runs"), 1);
		store_close(bed->store);
		assert_int_equal(unlink(bed->path), 0);
		bed->store = open_store(bed->path);
	}
}

#define with_bed(test) cmocka_unit_test_setup_teardown(test, bed_make, bed_clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_bed(a_streamed_series_is_the_one_that_was_there),
		with_bed(who_takes_it_can_end_it),
		with_bed(damage_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
