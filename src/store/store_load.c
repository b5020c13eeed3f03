/* One record out of the store, as it went in. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/lang.h"
#include "result/codec.h"
#include "result/figure.h"
#include "result/record_json.h"
#include "store/store_priv.h"

struct loading {
	struct store *store;
	struct record *record;
	int64_t run;
	enum store_extent extent;
	struct err *err;
};

static int damaged(struct loading *l, const char *what)
{
	return err_env(l->err, -EBADMSG, "store \"%s\": r%" PRId64 ": %s", l->store->path,
		       l->run, what);
}

const char *const store_waits = N_(
	"the run was cut off, and figures that were not kept by then are lost: the store lies "
	"on the drive that was measured, where nothing is written while requests run. A store "
	"on another drive (--store=FILE) keeps them as they come");

static int load_run(struct loading *l)
{
	struct record *record = l->record;
	struct arena *arena = &record->arena;
	sqlite3_stmt *row = store_bind(l->store, LOAD_RUN, l->err, "i", l->run);
	const char *uid, *kind;
	bool goes_on;
	int rc = store_step(l->store, row, l->err);

	if (rc <= 0)
		return rc ? rc : err_input(l->err, "there is no r%" PRId64, l->run);
	uid = store_text(arena, row, 0);
	kind = store_text(arena, row, 1);
	(void)snprintf(record->uid, sizeof(record->uid), "%s", uid);
	record->kind = kind;
	record->title = store_text(arena, row, 2);
	record->program = store_text(arena, row, 3);
	record->started_unix_ns = (uint64_t)sqlite3_column_int64(row, 4);
	record->span_ns = (uint64_t)sqlite3_column_int64(row, 5);
	record->written_bytes = (uint64_t)sqlite3_column_int64(row, 6);
	record->uncertain_percent = sqlite3_column_double(row, 7);
	record->incomplete = store_text(arena, row, 8);
	record->job_text = store_text(arena, row, 9);
	record->cut_off = sqlite3_column_int(row, 10) != 0;
	goes_on = record->cut_off && store_goes_on(l->store, l->run);
	if (goes_on && record->incomplete)
		record->incomplete =
			N_("the run goes on; the store lies on the drive that is measured, so "
			   "its figures are kept when it has ended");
	if (record->cut_off && !record->incomplete)
		record->incomplete =
			goes_on ? N_("the run goes on; these are the figures that have been "
				     "kept so far")
				: N_("the run was cut off; these are the figures that had "
				     "been kept by then");
	record->id = arena_printf(arena, "r%" PRId64, l->run);
	store_reset(row);
	return 0;
}

static int load_remarks(struct loading *l)
{
	sqlite3_stmt *row = store_bind(l->store, LOAD_TAGS, l->err, "i", l->run);
	int rc;

	while ((rc = store_step(l->store, row, l->err)) > 0)
		record_add_tag(l->record, (const char *)sqlite3_column_text(row, 0));
	if (rc)
		return rc;
	row = store_bind(l->store, LOAD_REMARKS, l->err, "i", l->run);
	while ((rc = store_step(l->store, row, l->err)) > 0)
		record_add_remark(l->record, (uint64_t)sqlite3_column_int64(row, 0),
				  (const char *)sqlite3_column_text(row, 1));
	return rc;
}

static struct lat *lat_at(struct result *result, int64_t group, int64_t direction, int64_t kind)
{
	if (group < 0 || group >= result->njobs || direction < 0 || direction > NDIR ||
	    kind < 0 || kind >= NLAT)
		return NULL;
	return direction == NDIR ? &result->jobs[group].lateness
				 : &result->jobs[group].dir[direction].lat[kind];
}

static int load_histograms(struct loading *l, int64_t part, struct result *result)
{
	sqlite3_stmt *row = store_bind(l->store, LOAD_HISTOGRAMS, l->err, "i", part);
	int rc;

	while ((rc = store_step(l->store, row, l->err)) > 0) {
		struct lat *lat =
			lat_at(result, sqlite3_column_int64(row, 0),
			       sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2));
		int bad = !lat || lat->hist;

		if (!bad) {
			lat->hist = arena_new(&result->arena, struct hist);
			bad = codec_hist_merge(sqlite3_column_blob(row, 3),
					       (size_t)sqlite3_column_bytes(row, 3),
					       lat->hist) ||
			      hist_total(lat->hist) != lat->sums.total;
		}
		if (bad) {
			store_reset(row);
			return damaged(l, N_("a histogram is damaged"));
		}
	}
	return rc;
}

static int load_notes(struct loading *l, int64_t part, struct result *result)
{
	sqlite3_stmt *row = store_bind(l->store, LOAD_NOTES, l->err, "i", part);
	int rc;

	while ((rc = store_step(l->store, row, l->err)) > 0)
		result_note(result, (const char *)sqlite3_column_text(row, 0),
			    sqlite3_column_int(row, 1) ? SEVERITY_WARNING : SEVERITY_INFO,
			    (const char *)sqlite3_column_text(row, 2), "%s",
			    (const char *)sqlite3_column_text(row, 3));
	return rc;
}

static int load_vitals(struct loading *l, int64_t part, struct result *result)
{
	int rc = store_load_vitals(l->store, part, result, l->err);

	return rc == -EBADMSG ? damaged(l, "the temperatures and loads are damaged") : rc;
}

static int load_tables(struct loading *l, int64_t id, struct result *result)
{
	int rc = load_histograms(l, id, result);

	if (!rc && l->extent == STORE_WHOLE)
		rc = store_load_series(l->store, l->run, id, result, l->err);
	if (!rc && l->extent == STORE_STREAMED)
		rc = store_stream_series(l->store, l->run, id, result, l->err);
	if (!rc && l->extent != STORE_TOTALS)
		rc = load_vitals(l, id, result);
	return rc ? rc : load_notes(l, id, result);
}

static int load_part(struct loading *l, sqlite3_stmt *row)
{
	struct arena *arena = &l->record->arena;
	const char *document = store_text(arena, row, 4), *facts = store_text(arena, row, 5);
	struct record_part *part =
		record_add_part(l->record, (const char *)sqlite3_column_text(row, 1),
				(const char *)sqlite3_column_text(row, 2),
				(unsigned)sqlite3_column_int(row, 3));
	int rc = record_part_read(part, document, facts ? facts : "{}", l->err);

	if (rc)
		err_context(l->err, "store \"%s\": r%" PRId64, l->store->path, l->run);
	return rc ? rc : load_tables(l, sqlite3_column_int64(row, 0), part->result);
}

static int load_parts(struct loading *l)
{
	sqlite3_stmt *row = store_bind(l->store, LOAD_PARTS, l->err, "i", l->run);
	int rc;

	while ((rc = store_step(l->store, row, l->err)) > 0) {
		rc = load_part(l, row);
		if (!rc)
			continue;
		store_reset(row);
		break;
	}
	return rc;
}

static enum dir dir_of(const char *name)
{
	for (enum dir dir = DIR_READ; dir < NDIR; dir++)
		if (name && str_equal(name, figure_dir_names[dir]))
			return dir;
	return DIR_READ;
}

static int load_printed(struct loading *l)
{
	struct arena *arena = &l->record->arena;
	sqlite3_stmt *row = store_bind(l->store, LOAD_PRINTED, l->err, "i", l->run);
	int rc;

	while ((rc = store_step(l->store, row, l->err)) > 0) {
		struct record_cell cell = {
			.dir = dir_of((const char *)sqlite3_column_text(row, 0)),
			.name = store_text(arena, row, 1),
			.load = store_text(arena, row, 2),
			.bs_bytes = (uint64_t)sqlite3_column_int64(row, 3),
			.depth = (unsigned)sqlite3_column_int64(row, 4),
			.jobs = (unsigned)sqlite3_column_int64(row, 5),
			.read_percent = (unsigned)sqlite3_column_int64(row, 6),
			.repeat = (unsigned)sqlite3_column_int64(row, 7),
			.part = -1,
			.printed = store_text(arena, row, 8),
		};

		for (int metric = 0; metric < NCELL_METRIC; metric++)
			cell.value[metric] = sqlite3_column_type(row, 9 + metric) == SQLITE_NULL
						     ? (double)NAN
						     : sqlite3_column_double(row, 9 + metric);
		record_add_cell(l->record, &cell);
	}
	return rc;
}

int store_load(struct store *store, int64_t run, enum store_extent extent,
	       struct record *record, struct err *err)
{
	struct loading l = {
		.store = store, .record = record, .run = run, .extent = extent, .err = err};
	int rc;

	record_init(record, "run");
	rc = extent == STORE_STREAMED ? store_freeze(store, err) : 0;
	if (!rc)
		rc = load_run(&l);
	if (!rc)
		rc = load_remarks(&l);
	if (!rc)
		rc = load_parts(&l);
	if (!rc)
		rc = load_printed(&l);
	if (!rc)
		record_settle(record);
	return rc;
}
