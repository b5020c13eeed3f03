/* What the files of store/ share: the connection and its prepared statements. */
#pragma once

#include <sqlite3.h>

#include "store/store.h"

/* Every statement that is run more than once, by what it does. The texts are in statements.c. */
enum statement {
	SAVE_RUN,
	CLEAR_PARTS,
	CLEAR_CELLS,
	CLEAR_HEALTH,
	FIND_PART,
	REMOVE_PART,
	SET_PART,
	CLEAR_PART_CELLS,
	CLEAR_PART_NOTES,
	CLEAR_PART_TOTALS,
	SET_PROGRESS,
	ADD_JOB_TEXT,
	SAVE_TAG,
	SAVE_REMARK,
	SAVE_PART,
	SAVE_ENVIRONMENT,
	SAVE_CELL,
	SAVE_HISTOGRAM,
	SAVE_ROW,
	SAVE_NOTE,
	SAVE_VITAL_CHANNEL,
	SAVE_VITAL,
	CLEAR_VITALS,
	SAVE_HEALTH,
	ADD_NOTE,
	FIND_UID,
	FIND_RUN,
	FIND_TAG,
	FIND_LAST,
	LOAD_RUN,
	LOAD_TAGS,
	LOAD_REMARKS,
	LOAD_PARTS,
	LOAD_HISTOGRAMS,
	COUNT_ROWS,
	LOAD_DIR_HISTOGRAMS,
	LOAD_ROWS,
	LOAD_NOTES,
	LOAD_VITAL_CHANNELS,
	LOAD_VITALS,
	EACH_VITAL,
	LOAD_PRINTED,
	LIST_RUNS,
	REMOVE_TAG,
	REMOVE_RUN,
	FORGET_RUN,
	ALL_UIDS,
	GET_META,
	SAVE_PLAN,
	SAVE_PLAN_CELL,
	SAVE_PLAN_FIGURES,
	SAVE_PLAN_JUDGED,
	SAVE_PLAN_ROUND,
	SAVE_PLAN_VERDICT,
	SET_PLAN_RUN,
	SET_PLAN_STATE,
	SET_PLAN_TARGETS,
	CLEAR_PLAN_ROUNDS,
	CLEAR_PLAN_VERDICTS,
	FIND_PLAN,
	FIND_PLAN_UID,
	FIND_PLAN_CELL,
	PLAN_RUNS,
	ALL_PLANS,
	LAST_PLAN,
	LOAD_PLAN,
	LOAD_PLAN_TARGETS,
	LOAD_PLAN_CELLS,
	LOAD_PLAN_FIGURES,
	LOAD_PLAN_JUDGED,
	LOAD_PLAN_ROUNDS,
	LOAD_PLAN_VERDICTS,
	LIST_PLANS,
	SAVE_PLAN_TAG,
	REMOVE_PLAN_TAG,
	FIND_PLAN_TAG,
	LOAD_PLAN_TAGS,
	SAVE_PLAN_REMARK,
	LOAD_PLAN_REMARKS,
	REMOVE_PLAN_RUNS,
	REMOVE_PLAN,
	NSTATEMENT,
};
extern const char *const statement_texts[NSTATEMENT];

struct store {
	sqlite3 *db;
	char *path;
	sqlite3_stmt *statement[NSTATEMENT]; /* prepared when first asked for */
	uint64_t page_bytes;
	int going_fd; /* store_going.c; -1: no run of this connection goes on */
};

/* SQLite's error as ours, with the file's name and what was being done. */
int store_error(struct store *store, const char *doing, struct err *err);
int store_exec(struct store *store, const char *sql, struct err *err);

/*
 * A statement with its parameters, by a letter each: i int64_t, d double (NAN is NULL), t const
 * char * (NULL is NULL; must live until the step), b const struct str * (a blob). NULL on
 * failure. Step it; store_reset() when done.
 */
sqlite3_stmt *store_bind(struct store *store, enum statement which, struct err *err,
			 const char *kinds, ...);
/* 1 a row, 0 the end (and reset), or an error (and reset). */
int store_step(struct store *store, sqlite3_stmt *statement, struct err *err);
/* Binds and runs one that yields nothing. */
#define store_run(store, which, err, ...) \
	store_run_bound(store, store_bind(store, which, err, __VA_ARGS__), err)
int store_run_bound(struct store *store, sqlite3_stmt *statement, struct err *err);
void store_reset(sqlite3_stmt *statement);

/* A record inside a transaction of the caller's; its id. */
int store_save_inside(struct store *store, const struct record *record, int64_t *ret_run,
		      bool *ret_known, struct err *err);

/* store_going.c: the runs that this connection writes go on until it ends; does one of any? */
void store_going_begin(struct store *store, int64_t run);
void store_going_end(struct store *store);
bool store_goes_on(struct store *store, int64_t run);

/* The state of a plan that is shown: what was kept goes by what its process last wrote, and one
 * that was killed wrote "running" last. */
const char *store_plan_state(const struct store *store, const char *uid, const char *kept);

/* store_health.c: what a drive said around a run or an entry of a plan, a line a value. */
struct health_owner {
	int64_t run, plan, number; /* the run, else the plan and the number of its entry */
};
int store_save_health(struct store *store, const struct health_owner *owner,
		      const struct health_facts *health, struct err *err);

/* store_series.c: into the result, or as what it asks for later. */
int store_load_series(struct store *store, int64_t run, int64_t part, struct result *result,
		      struct err *err);
int store_stream_series(struct store *store, int64_t run, int64_t part, struct result *result,
			struct err *err);

/* store_vitals.c: -EBADMSG, without an err, where what is loaded is damaged. */
int store_save_vitals(struct store *store, int64_t part, const struct vitals *vitals,
		      struct err *err);
int store_load_vitals(struct store *store, int64_t part, struct result *result,
		      struct err *err);

/* store_plan.c, inside a transaction of the caller's: an entry of the journal; its run, which is
 * there, as the plan's; state, rounds and verdicts. */
struct plan_entry;
struct plan_record;
int store_put_entry(struct store *store, int64_t plan, const struct plan_entry *entry,
		    struct err *err);
int store_put_run(struct store *store, int64_t plan, const struct plan_entry *entry,
		  struct err *err);
int store_put_outcome(struct store *store, const struct plan_record *plan, struct err *err);

/* query.c: may this be one? */
int store_check_tag(const char *tag, struct err *err);

/* Ids in the first column of all rows, into the arena. */
int store_collect(struct store *store, sqlite3_stmt *statement, struct arena *arena,
		  int64_t **ret_runs, unsigned *ret_count, struct err *err);

int store_begin(struct store *store, struct err *err);
/* From now until it is closed the store is read as it is now, whatever others write. */
int store_freeze(struct store *store, struct err *err);
/* Commits, or rolls back where `rc` is an error already; returns the first error. */
int store_end(struct store *store, int rc, struct err *err);

/* A column as text in an arena; NULL for NULL. */
const char *store_text(struct arena *arena, sqlite3_stmt *statement, int column);
