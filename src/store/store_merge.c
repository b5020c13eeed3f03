/* What another store or an export has, into this one: runs and plans, each once, by their uids. */
#include <string.h>

#include "store/store_plan.h"
#include "store/store_priv.h"

/* --- a plan --- */

static int find_plan(struct store *store, struct plan_record *plan, bool *ret_known,
		     bool *ret_is_done, struct err *err)
{
	sqlite3_stmt *row = store_bind(store, FIND_PLAN_UID, err, "t", plan->uid);
	int rc = store_step(store, row, err);

	*ret_known = rc > 0;
	if (rc <= 0)
		return rc;
	plan->id = sqlite3_column_int64(row, 0);
	*ret_is_done = str_equal((const char *)sqlite3_column_text(row, 1), "done");
	store_reset(row);
	return 0;
}

static int find_run(struct store *store, struct plan_entry *entry, struct err *err)
{
	sqlite3_stmt *row;
	int rc;

	entry->run = 0;
	if (!entry->run_uid)
		return 0;
	row = store_bind(store, FIND_UID, err, "t", entry->run_uid);
	rc = store_step(store, row, err);
	if (rc <= 0)
		return rc; /* a run that was removed: the journal stands without it */
	entry->run = sqlite3_column_int64(row, 0);
	store_reset(row);
	return 0;
}

/* Adds an entry that is not there. */
static int add_entry(struct store *store, int64_t plan, struct plan_entry *entry,
		     unsigned *added, struct err *err)
{
	sqlite3_stmt *row =
		store_bind(store, FIND_PLAN_CELL, err, "ii", plan, (int64_t)entry->number);
	int rc = store_step(store, row, err);

	if (rc > 0)
		store_reset(row);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = find_run(store, entry, err);
	if (!rc && entry->run)
		rc = store_put_run(store, plan, entry, err);
	if (!rc)
		rc = store_put_entry(store, plan, entry, err);
	*added += !rc;
	return rc;
}

static int save_inside(struct store *store, struct plan_record *plan, bool *ret_known,
		       struct err *err)
{
	bool is_known, is_done = false;
	unsigned added = 0;
	int rc = find_plan(store, plan, &is_known, &is_done, err);

	if (!str_equal(plan->state, "done"))
		plan->state = "unfinished";
	if (!rc && !is_known)
		rc = store_plan_begin(store, plan, err);
	for (unsigned i = 0; i < plan->nentries && !rc; i++)
		rc = add_entry(store, plan->id, &plan->entries[i], &added, err);
	/* An older export of a plan that has gone on since changes nothing. */
	if (!rc && (added || !is_known || (!is_done && str_equal(plan->state, "done"))))
		rc = store_put_outcome(store, plan, err);
	for (unsigned i = 0; i < plan->ntags && !rc; i++)
		rc = store_run(store, SAVE_PLAN_TAG, err, "ti", plan->tags[i], plan->id);
	for (unsigned i = 0; i < plan->nremarks && !rc; i++)
		rc = store_plan_remark(store, plan->id, &plan->remarks[i], err);
	*ret_known = is_known && !added;
	return rc;
}

int store_plan_save(struct store *store, struct plan_record *record, bool *ret_known,
		    struct err *err)
{
	bool is_known = false;
	int rc = store_begin(store, err);

	if (!rc)
		rc = store_end(store, save_inside(store, record, &is_known, err), err);
	if (!rc && ret_known)
		*ret_known = is_known;
	return rc;
}

int store_plan_runs(struct store *store, int64_t plan, struct arena *arena, int64_t **ret_runs,
		    unsigned *ret_count, struct err *err)
{
	sqlite3_stmt *rows = store_bind(store, PLAN_RUNS, err, "i", plan);

	return store_collect(store, rows, arena, ret_runs, ret_count, err);
}

/* --- a store --- */

static int merge_runs(struct store *store, struct store *other, struct arena *arena,
		      struct store_merged *merged, struct err *err)
{
	int64_t *runs;
	unsigned count = 0;
	int rc = store_collect(other, store_bind(other, ALL_UIDS, err, ""), arena, &runs,
			       &count, err);

	for (unsigned i = 0; i < count && !rc; i++) {
		struct record record;
		bool is_known = false;

		rc = store_load(other, runs[i], STORE_WHOLE, &record, err);
		if (!rc)
			rc = store_save(store, &record, &is_known, err);
		record_done(&record);
		*(is_known ? &merged->known : &merged->fresh) += !rc;
	}
	return rc;
}

static int merge_plans(struct store *store, struct store *other, struct arena *arena,
		       struct store_merged *merged, struct err *err)
{
	int64_t *plans;
	unsigned count = 0;
	int rc = store_collect(other, store_bind(other, ALL_PLANS, err, ""), arena, &plans,
			       &count, err);

	for (unsigned i = 0; i < count && !rc; i++) {
		struct plan_record plan;
		bool is_known = false;

		rc = store_plan_load(other, plans[i], &plan, err);
		for (unsigned t = 0; t < plan.ntargets; t++)
			plan.targets[t].token = NULL; /* a consent does not travel */
		if (!rc)
			rc = store_plan_save(store, &plan, &is_known, err);
		plan_record_done(&plan);
		*(is_known ? &merged->known_plans : &merged->fresh_plans) += !rc;
	}
	return rc;
}

int store_merge(struct store *store, const char *path, struct store_merged *ret_merged,
		struct err *err)
{
	struct store_merged merged = {0};
	struct store *other = NULL;
	struct arena arena;
	int rc = store_open(path, STORE_READ, &other, err);

	if (rc)
		return rc;
	arena_init(&arena);
	rc = merge_runs(store, other, &arena, &merged, err);
	if (!rc)
		rc = merge_plans(store, other, &arena, &merged, err);
	arena_done(&arena);
	store_close(other);
	if (!rc)
		*ret_merged = merged;
	return rc;
}
