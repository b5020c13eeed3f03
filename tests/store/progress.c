/* A run that is kept while it goes on: what of it is there at any moment, and that it becomes
 * whole. */
#include <string.h>

#include "result/record_json.h"

#include "bed.h"

/* The vitals of the same seconds, a channel after the other. */
static void cut_vitals(struct vitals *vitals, unsigned first, unsigned end, struct arena *arena)
{
	const float *values = vitals->values;
	unsigned all = vitals->nrows;

	vitals->first_row = first;
	vitals->nrows = end - first;
	vitals->values =
		arena_array(arena, float, (size_t)vitals->nchannels * vitals->nrows + 1);
	for (unsigned c = 0; c < vitals->nchannels; c++)
		for (unsigned i = first; i < end; i++)
			vitals->values[(size_t)c * vitals->nrows + i - first] =
				values[(size_t)c * all + i];
}

/* The rows from the piece's first to `end` of the live run, as the control plane hands them over,
 * and as many vitals from `vital` on. */
static int put_from(struct bed *bed, struct live *live, struct store_progress piece,
		    unsigned end, unsigned vital)
{
	struct result some = live->sample.result;
	struct record record;
	struct err err = {0};
	int rc;

	arena_init(&some.arena);
	cut_vitals(&some.vitals, vital, vital + end - piece.first_row, &some.arena);
	some.rows += piece.first_row;
	some.nrows = end - piece.first_row;
	some.hists += some.hists ? piece.first_row : 0;
	some.hists_room -= some.hists ? piece.first_row : 0;
	record_init(&record, "run");
	memcpy(record.uid, live->record.uid, sizeof(record.uid));
	record.cut_off = true;
	record_add_live(&record, NULL, NULL, 0, &some, &live->set);
	record_settle(&record);
	rc = store_progress(bed->store, &record, &piece, &err);
	if (rc)
		fail_msg("%s", err.text);
	record_done(&record);
	arena_done(&some.arena);
	return rc;
}

static int put(struct bed *bed, struct live *live, struct store_progress piece, unsigned end)
{
	return put_from(bed, live, piece, end, piece.first_row);
}

static const struct store_progress head = {.begins = true};

static char *json_of(struct bed *bed, int64_t run, struct str *out)
{
	struct record loaded;

	load(bed->store, run, &loaded);
	record_run_json(&loaded, "0.1.0", out);
	record_done(&loaded);
	return out->text;
}

static void assert_vitals(const struct vitals *kept, const struct vitals *all, unsigned nrows)
{
	assert_int_equal(kept->nchannels, all->nchannels);
	assert_int_equal(kept->nrows, nrows);
	assert_int_equal(kept->step_ns, all->step_ns);
	for (unsigned c = 0; c < kept->nchannels; c++) {
		assert_string_equal(kept->channels[c].name, all->channels[c].name);
		assert_memory_equal(kept->values + (size_t)c * nrows,
				    all->values + (size_t)c * all->nrows,
				    nrows * sizeof(*kept->values));
	}
}

/* Steps of a run of days grow longer: then all of them come anew. */
static void vitals_that_come_anew_replace_what_was_there(void **state)
{
	struct bed *bed = *state;
	struct record loaded;
	struct live live;

	live_init(&live);
	put(bed, &live, head, 0);
	put(bed, &live, (struct store_progress){0}, 6);
	live.sample.result.vitals.step_ns *= 2;
	put_from(bed, &live, (struct store_progress){.first_row = 6}, 9, 0);
	load(bed->store, 1, &loaded);
	assert_vitals(&loaded.parts[0].result->vitals, &live.sample.result.vitals, 3);
	record_done(&loaded);
	live_done(&live);
}

static void a_run_that_was_cut_off_is_loaded_with_what_was_kept(void **state)
{
	struct bed *bed = *state;
	struct record loaded;
	struct live live;

	live_init(&live);
	put(bed, &live, head, 0);
	assert_string_equal(first_text(bed->store, "SELECT state FROM run_list"), "cut off");
	assert_int_equal(number(bed->store, "SELECT job_text IS NOT NULL FROM runs"), 1);
	assert_int_equal(number(bed->store, "SELECT length(document) > 100 FROM environments"),
			 1);
	put(bed, &live, (struct store_progress){0}, 4);
	put(bed, &live, (struct store_progress){.first_row = 4}, 7);
	store_close(bed->store); /* whoever wrote it is gone */
	bed->store = open_store(bed->path);
	load(bed->store, 1, &loaded);
	assert_true(loaded.cut_off);
	assert_non_null(strstr(loaded.incomplete, "cut off"));
	assert_int_equal(loaded.parts[0].result->nrows, 7);
	assert_vitals(&loaded.parts[0].result->vitals, &live.sample.result.vitals, 7);
	for (unsigned i = 0; i < 7; i++)
		assert_memory_equal(loaded.parts[0].result->rows[i].dir,
				    live.sample.result.rows[i].dir,
				    sizeof(live.sample.result.rows[i].dir));
	assert_int_equal(loaded.ncells, live.record.ncells);
	assert_int_equal(loaded.cells[0].ios, live.record.cells[0].ios);
	record_done(&loaded);
	live_done(&live);
}

static void keep_state(void *context, const struct store_entry *entry)
{
	memcpy(context, entry, sizeof(*entry));
}

/* Seen by another: it goes on for as long as its writer lives. */
static void a_run_goes_on_until_its_writer_ends(void **state)
{
	struct bed *bed = *state;
	struct store *other = open_store(bed->path);
	struct store_entry entry = {0};
	struct record loaded;
	struct err err = {0};
	struct live live;

	live_init(&live);
	put(bed, &live, head, 0);
	assert_int_equal(store_list(other, &(struct store_filter){0}, keep_state, &entry, &err),
			 0);
	assert_true(entry.cut_off && entry.goes_on);
	load(other, 1, &loaded);
	assert_non_null(strstr(loaded.incomplete, "goes on"));
	record_done(&loaded);
	store_close(bed->store);
	bed->store = open_store(bed->path);
	assert_int_equal(store_list(other, &(struct store_filter){0}, keep_state, &entry, &err),
			 0);
	assert_true(entry.cut_off && !entry.goes_on);
	store_close(other);
	live_done(&live);
}

static void the_end_makes_it_what_it_would_have_been(void **state)
{
	struct bed *bed = *state;
	autostr before = {0}, after = {0};
	struct err err = {0};
	struct live live;

	live_init(&live);
	put(bed, &live, head, 0);
	put(bed, &live, (struct store_progress){0}, 5);
	assert_int_equal(store_tag(bed->store, 1, "mine", true, &err), 0);
	save(bed->store, &live.record);
	assert_string_equal(live.record.id, "r1");
	record_add_tag(&live.record, "mine");
	record_run_json(&live.record, "0.1.0", &before);
	assert_string_equal(str_text(&before), json_of(bed, 1, &after));
	assert_string_equal(first_text(bed->store, "SELECT state FROM run_list"), "done");
	assert_int_equal(number(bed->store, "SELECT count(*) FROM parts"), 1);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM health"), 11);
	live_done(&live);
}

static void parts_come_one_after_another(void **state)
{
	struct bed *bed = *state;
	struct live live;

	live_init(&live);
	put(bed, &live, head, 0);
	put(bed, &live, (struct store_progress){0}, 3);
	put(bed, &live, (struct store_progress){.ends = true}, SAMPLE_SECONDS);
	put(bed, &live, (struct store_progress){.part = 1, .begins = true}, 0);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM runs"), 1);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM parts"), 2);
	assert_int_equal(number(bed->store, "SELECT count(DISTINCT row) FROM rows"),
			 SAMPLE_SECONDS);
	assert_int_equal(number(bed->store, "SELECT job_text LIKE '%' || char(10) || '%[%' "
					    "FROM runs"),
			 1);
	live_done(&live);
}

static void what_a_person_removed_stays_removed_until_the_end(void **state)
{
	struct bed *bed = *state;
	struct err err = {0};
	struct live live;

	live_init(&live);
	put(bed, &live, head, 0);
	assert_int_equal(store_remove(bed->store, 1, &err), 0);
	put(bed, &live, (struct store_progress){0}, 3);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM runs"), 0);
	save(bed->store, &live.record); /* it was measured: it is not lost */
	assert_int_equal(number(bed->store, "SELECT count(*) FROM runs"), 1);
	live_done(&live);
}

static void a_run_that_measured_nothing_is_forgotten_and_no_other(void **state)
{
	struct bed *bed = *state;
	struct err err = {0};
	struct live live;

	live_init(&live);
	put(bed, &live, head, 0);
	assert_int_equal(store_forget(bed->store, live.record.uid, &err), 0);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM runs"), 0);
	save(bed->store, &live.record);
	assert_int_equal(store_forget(bed->store, live.record.uid, &err), 0);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM runs"), 1);
	live_done(&live);
}

/* Exported while it ran, and again when it had ended; and the other way round. */
static void an_import_makes_whole_and_never_takes_away(void **state)
{
	struct bed *bed = *state;
	struct record cut;
	bool known = false;
	struct err err = {0};
	struct live live;

	live_init(&live);
	put(bed, &live, head, 0);
	put(bed, &live, (struct store_progress){0}, 3);
	load(bed->store, 1, &cut);
	save(bed->store, &live.record);
	assert_int_equal(store_save(bed->store, &cut, &known, &err), 0);
	assert_true(known);
	assert_string_equal(first_text(bed->store, "SELECT state FROM run_list"), "done");
	assert_int_equal(store_remove(bed->store, 1, &err), 0);
	assert_int_equal(store_save(bed->store, &cut, &known, &err), 0);
	assert_false(known);
	assert_string_equal(first_text(bed->store, "SELECT state FROM run_list"), "cut off");
	assert_int_equal(store_save(bed->store, &live.record, &known, &err), 0);
	assert_false(known);
	assert_string_equal(first_text(bed->store, "SELECT state FROM run_list"), "done");
	assert_int_equal(number(bed->store, "SELECT count(DISTINCT row) FROM rows"),
			 SAMPLE_SECONDS);
	record_done(&cut);
	live_done(&live);
}

#define with_bed(test) cmocka_unit_test_setup_teardown(test, bed_make, bed_clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_bed(a_run_that_was_cut_off_is_loaded_with_what_was_kept),
		with_bed(vitals_that_come_anew_replace_what_was_there),
		with_bed(a_run_goes_on_until_its_writer_ends),
		with_bed(the_end_makes_it_what_it_would_have_been),
		with_bed(parts_come_one_after_another),
		with_bed(what_a_person_removed_stays_removed_until_the_end),
		with_bed(a_run_that_measured_nothing_is_forgotten_and_no_other),
		with_bed(an_import_makes_whole_and_never_takes_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
