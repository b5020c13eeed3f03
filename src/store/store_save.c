/* One record into the store: one transaction. Or, while its run goes on, many: store_progress(). */
#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/bits.h"
#include "result/codec.h"
#include "result/figure.h"
#include "result/record_json.h"
#include "store/store_priv.h"

#define WHOLE_PART	   (-1)
#define ALL_GROUPS	   (-1)
#define DIRECTION_LATENESS NDIR

struct saving {
	struct store *store;
	const struct record *record;
	int64_t run, part;  /* rows of the tables */
	unsigned first_row; /* the number of the result's first row */
	bool goes_on;	    /* not ended: "cut off" until it has */
	struct err *err;
};

static int save_run(struct saving *s)
{
	const struct record *record = s->record;
	const struct run_facts *facts =
		record->nparts ? &record->parts[0].result->facts : &(const struct run_facts){0};
	const struct device *device = facts->ndevices ? &facts->devices[0].device : NULL;
	int rc = store_run(s->store, SAVE_RUN, s->err, "ttttttttiiidttiti", record->uid,
			   record->kind, record->title, record->program,
			   facts->has_host && *facts->host.name ? facts->host.name : NULL,
			   facts->ntargets ? facts->targets[0].path : NULL,
			   device && *device->model ? device->model : NULL,
			   device && *device->serial ? device->serial : NULL,
			   (int64_t)record->started_unix_ns, (int64_t)record->span_ns,
			   (int64_t)record->written_bytes, record->uncertain_percent,
			   record->incomplete, record->job_text,
			   (int64_t)record_is_simulated(record),
			   s->goes_on || record->cut_off ? "cut off" : "done", s->run);

	if (!s->run)
		s->run = sqlite3_last_insert_rowid(s->store->db);
	return rc;
}

static int save_histogram(struct saving *s, unsigned group, unsigned direction, unsigned kind,
			  const struct lat *lat)
{
	autostr blob = {0};

	if (!lat->hist || !lat->sums.total)
		return 0;
	codec_hist_encode(lat->hist, &blob);
	return store_run(s->store, SAVE_HISTOGRAM, s->err, "iiiiib", s->part, (int64_t)group,
			 (int64_t)direction, (int64_t)kind, (int64_t)WHOLE_PART, &blob);
}

static int save_histograms(struct saving *s, struct result *result)
{
	unsigned ngroups;
	const struct job_result *groups = result_groups(result, &ngroups);
	int rc = 0;

	for (unsigned g = 0; g < ngroups && !rc; g++) {
		for (unsigned dir = 0; dir < NDIR; dir++)
			for (unsigned kind = 0; kind < NLAT && !rc; kind++)
				rc = save_histogram(s, g, dir, kind,
						    &groups[g].dir[dir].lat[kind]);
		if (!rc)
			rc = save_histogram(s, g, DIRECTION_LATENESS, 0, &groups[g].lateness);
	}
	return rc;
}

static int save_row_histogram(struct saving *s, const struct result *result, unsigned row,
			      enum dir dir)
{
	const struct interval_hist *hist = result_interval_hist(result, row, dir);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): only read */
	struct str blob = {.text = (char *)(uintptr_t)hist->blob, .length = hist->bytes};

	if (!hist->blob)
		return 0;
	return store_run(s->store, SAVE_HISTOGRAM, s->err, "iiiiib", s->part,
			 (int64_t)ALL_GROUPS, (int64_t)dir, (int64_t)result->series_kind,
			 (int64_t)s->first_row + row, &blob);
}

static int save_row(struct saving *s, unsigned number, const struct row *row, enum dir dir)
{
	const struct row_dir *figures = &row->dir[dir];

	return store_run(s->store, SAVE_ROW, s->err, "iiiiiiiiidiiii", s->part,
			 (int64_t)s->first_row + number, (int64_t)dir, (int64_t)row->begin_ns,
			 (int64_t)row->end_ns, (int64_t)row->partial, (int64_t)figures->ios,
			 (int64_t)figures->bytes, (int64_t)figures->errors, figures->mean_ns,
			 (int64_t)figures->p50_ns, (int64_t)figures->p99_ns,
			 (int64_t)figures->p999_ns, (int64_t)figures->max_ns);
}

static int save_rows(struct saving *s, const struct result *result)
{
	bool ever[NDIR] = {false};
	int rc = 0;

	for (unsigned i = 0; i < result->nrows; i++)
		for (enum dir dir = DIR_READ; dir < NDIR; dir++)
			ever[dir] |=
				result->rows[i].dir[dir].ios || result->rows[i].dir[dir].errors;
	if (!ever[DIR_WRITE] && !ever[DIR_TRIM] && !ever[DIR_SYNC])
		ever[DIR_READ] = true; /* intervals in which nothing came back are kept too */
	for (unsigned i = 0; i < result->nrows && !rc; i++)
		for (enum dir dir = DIR_READ; dir < NDIR && !rc; dir++)
			if (ever[dir])
				rc = save_row(s, i, &result->rows[i], dir);
	for (unsigned i = 0; i < result->nrows && !rc; i++)
		for (enum dir dir = DIR_READ; dir < NDIR && !rc; dir++)
			rc = save_row_histogram(s, result, i, dir);
	return rc;
}

static int save_notes(struct saving *s, const struct result *result)
{
	int rc = 0;

	for (unsigned i = 0; i < result->nnotes && !rc; i++) {
		const struct note *note = &result->notes[i];

		rc = store_run(s->store, SAVE_NOTE, s->err, "iititt", s->part, (int64_t)i,
			       note->id, (int64_t)note->severity, note->job, note->text);
	}
	return rc;
}

/* For queries; what is loaded stands in the environment. A run of several parts has the first
 * one's "before", and the last one's "after". */
static int save_health(struct saving *s, const struct run_facts *facts, bool is_first)
{
	const struct health_owner owner = {.run = s->run};
	int rc = 0;

	for (unsigned i = 0; i < facts->nhealth && !rc; i++) {
		struct health_facts drive = facts->health[i];

		if (!is_first)
			health_init(&drive.before, "");
		rc = store_save_health(s->store, &owner, &drive, s->err);
	}
	return rc;
}

static int save_cell(struct saving *s, const struct record_cell *cell)
{
	const double *value = cell->value;

	return store_run(s->store, SAVE_CELL, s->err, "iiitttiiiiiiiitdddddddd", s->run,
			 cell->part < 0 ? (int64_t)0 : s->part, (int64_t)cell->group,
			 figure_dir_names[cell->dir], cell->name, cell->load,
			 (int64_t)cell->bs_bytes, (int64_t)cell->depth, (int64_t)cell->jobs,
			 (int64_t)cell->read_percent, (int64_t)cell->repeat, (int64_t)cell->ios,
			 (int64_t)cell->bytes, (int64_t)cell->errors, cell->printed,
			 value[CELL_IOS_PER_S], value[CELL_BYTES_PER_S], value[CELL_MEAN_NS],
			 value[CELL_P50_NS], value[CELL_P99_NS], value[CELL_P999_NS],
			 value[CELL_P9999_NS], value[CELL_MAX_NS]);
}
_Static_assert(NCELL_METRIC == 8, "each figure has its column");

static int save_cells(struct saving *s, int part)
{
	int rc = 0;

	for (unsigned i = 0; i < s->record->ncells && !rc; i++)
		if (s->record->cells[i].part == part)
			rc = save_cell(s, &s->record->cells[i]);
	return rc;
}

static int save_part(struct saving *s, unsigned number)
{
	unsigned at = s->goes_on ? 0 : number; /* then the record holds one of many */
	const struct record_part *part = &s->record->parts[at];
	autostr document = {0}, environment = {0};
	int rc;

	record_part_json(part, &document);
	record_environment_json(part, &environment);
	rc = store_run(s->store, SAVE_PART, s->err, "iittit", s->run, (int64_t)number,
		       part->name, part->load, (int64_t)part->repeat, str_text(&document));
	s->part = sqlite3_last_insert_rowid(s->store->db);
	if (!rc)
		rc = store_run(s->store, SAVE_ENVIRONMENT, s->err, "it", s->part,
			       str_text(&environment));
	if (!rc)
		rc = save_histograms(s, part->result);
	if (!rc)
		rc = save_rows(s, part->result);
	if (!rc)
		rc = store_save_vitals(s->store, s->part, &part->result->vitals, s->err);
	if (!rc)
		rc = save_notes(s, part->result);
	if (!rc)
		rc = save_health(s, &part->result->facts, number == 0);
	return rc ? rc : save_cells(s, (int)at);
}

/* What a person added is merged also into a run that is there already. */
static int save_remarks(struct saving *s)
{
	int rc = 0;

	for (unsigned i = 0; i < s->record->ntags && !rc; i++)
		rc = store_run(s->store, SAVE_TAG, s->err, "ti", s->record->tags[i], s->run);
	for (unsigned i = 0; i < s->record->nremarks && !rc; i++)
		rc = store_run(s->store, SAVE_REMARK, s->err, "iit", s->run,
			       (int64_t)s->record->remarks[i].unix_ns,
			       s->record->remarks[i].text);
	return rc;
}

/* *ret_run: 0 where there is none. */
static int find_uid(struct saving *s, int64_t *ret_run, bool *ret_has_ended)
{
	sqlite3_stmt *statement = store_bind(s->store, FIND_UID, s->err, "t", s->record->uid);
	int rc = store_step(s->store, statement, s->err);

	*ret_run = 0;
	*ret_has_ended = false;
	if (rc <= 0)
		return rc;
	*ret_run = sqlite3_column_int64(statement, 0);
	*ret_has_ended = sqlite3_column_int(statement, 1) != 0;
	store_reset(statement);
	return 0;
}

/* What was kept of the run while it went on makes room for all of it; its id, tags and remarks
 * stay. */
static int clear_progress(struct saving *s)
{
	static const enum statement clear[] = {CLEAR_PARTS, CLEAR_CELLS, CLEAR_HEALTH};
	int rc = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(clear) && !rc; i++)
		rc = store_run(s->store, clear[i], s->err, "i", s->run);
	return rc;
}

static int save_all(struct saving *s)
{
	int rc = s->run ? clear_progress(s) : 0;

	if (!rc)
		rc = save_run(s);
	for (unsigned i = 0; i < s->record->nparts && !rc; i++)
		rc = save_part(s, i);
	return rc ? rc : save_cells(s, -1);
}

/* A run that was cut off here and is whole in the record becomes whole. */
static int save(struct saving *s, bool *ret_known)
{
	bool has_ended;
	int rc = find_uid(s, &s->run, &has_ended);

	*ret_known = !rc && s->run && (has_ended || s->record->cut_off);
	if (!rc && !*ret_known)
		rc = save_all(s);
	return rc ? rc : save_remarks(s);
}

int store_save_inside(struct store *store, const struct record *record, int64_t *ret_run,
		      bool *ret_known, struct err *err)
{
	struct saving s = {.store = store, .record = record, .err = err};
	int rc = save(&s, ret_known);

	*ret_run = s.run;
	return rc;
}

int store_save(struct store *store, struct record *record, bool *ret_known, struct err *err)
{
	bool known = false;
	int64_t run = 0;
	int rc = store_begin(store, err);

	if (rc)
		return rc;
	rc = store_end(store, store_save_inside(store, record, &run, &known, err), err);
	if (rc)
		return rc;
	record->id = arena_printf(&record->arena, "r%" PRId64, run);
	store_going_end(store);
	if (ret_known)
		*ret_known = known;
	return 0;
}

/* --- while it goes on --- */

/* Totals, cells and notes in place of those that stood there; rows are added to. */
static int renew_part(struct saving *s, const struct record_part *part)
{
	static const enum statement clear[] = {CLEAR_PART_CELLS, CLEAR_PART_NOTES,
					       CLEAR_PART_TOTALS};
	autostr document = {0};
	int rc = 0;

	record_part_json(part, &document);
	for (unsigned i = 0; i < ARRAY_SIZE(clear) && !rc; i++)
		rc = store_run(s->store, clear[i], s->err, "i", s->part);
	if (!rc)
		rc = store_run(s->store, SET_PART, s->err, "it", s->part, str_text(&document));
	if (!rc)
		rc = save_histograms(s, part->result);
	if (!rc)
		rc = save_rows(s, part->result);
	if (!rc)
		rc = store_save_vitals(s->store, s->part, &part->result->vitals, s->err);
	if (!rc)
		rc = save_notes(s, part->result);
	return rc ? rc : save_cells(s, 0);
}

static int find_part(struct saving *s, unsigned number)
{
	sqlite3_stmt *statement =
		store_bind(s->store, FIND_PART, s->err, "ii", s->run, (int64_t)number);
	int rc = store_step(s->store, statement, s->err);

	s->part = 0;
	if (rc <= 0)
		return rc;
	s->part = sqlite3_column_int64(statement, 0);
	store_reset(statement);
	return 0;
}

/* A part that ended takes the place of what was kept of it; a new one adds its jobs. */
static int put_part(struct saving *s, unsigned number, bool is_first)
{
	int rc = 0;

	if (s->part)
		rc = store_run(s->store, REMOVE_PART, s->err, "i", s->part);
	else if (!is_first)
		rc = store_run(s->store, ADD_JOB_TEXT, s->err, "it", s->run,
			       s->record->job_text);
	return rc ? rc : save_part(s, number);
}

static int progress(struct saving *s, const struct store_progress *piece)
{
	const struct record *record = s->record;
	bool has_ended;
	int rc = find_uid(s, &s->run, &has_ended);
	bool is_new = !s->run;

	if (!rc && is_new && piece->begins)
		rc = save_run(s);
	if (!rc)
		rc = find_part(s, piece->part);
	if (rc || (!s->part && !piece->begins))
		return rc;
	if (s->part && !piece->ends)
		rc = renew_part(s, &record->parts[0]);
	else
		rc = put_part(s, piece->part, is_new);
	if (!rc)
		rc = store_run(s->store, SET_PROGRESS, s->err, "iii", s->run,
			       (int64_t)(record->started_unix_ns + record->span_ns),
			       (int64_t)record->written_bytes);
	return rc;
}

int store_progress(struct store *store, struct record *record,
		   const struct store_progress *piece, struct err *err)
{
	struct saving s = {.store = store,
			   .record = record,
			   .first_row = piece->first_row,
			   .goes_on = true,
			   .err = err};
	int rc = store_begin(store, err);

	assert(record->nparts == 1);
	if (rc)
		return rc;
	rc = store_end(store, progress(&s, piece), err);
	if (rc)
		return rc;
	record->id = arena_printf(&record->arena, "r%" PRId64, s.run);
	if (piece->begins)
		store_going_begin(store, s.run);
	return 0;
}

int store_add_note(struct store *store, int64_t run, const struct note *note, struct err *err)
{
	return store_run(store, ADD_NOTE, err, "ititt", run, note->id, (int64_t)note->severity,
			 note->job, note->text);
}
