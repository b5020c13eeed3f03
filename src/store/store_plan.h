/*
 * Plans in the store: the plan itself, its journal, and what was found. Each finished cell is in
 * the store, with its run, before store_plan_cell() returns: one transaction.
 */
#pragma once

#include "result/plan_record.h"
#include "store/store.h"

/* Saves all but entries, rounds and verdicts; sets record->id, and uid where it has none. */
int store_plan_begin(struct store *store, struct plan_record *record, struct err *err);

/* The file that whoever carries a plan out holds with flock(), all its processes together: the
 * kernel drops it with the last of them. Whether somebody does at this moment. */
void store_plan_lock_path(const struct store *store, const char *uid, struct str *out);
bool store_plan_goes_on(const struct store *store, const char *uid);

/* Another max_write_bytes of one that goes on. */
int store_plan_limit(struct store *store, const struct plan_record *plan, struct err *err);

/* An entry of the journal, in the place that entry->number says. `record` is the run behind it
 * (NULL: there is none); entry->run is set to its id. */
int store_plan_cell(struct store *store, const struct plan_record *plan, struct record *record,
		    struct plan_entry *entry, struct err *err);

/* A whole plan from elsewhere, under its own uid; its runs are there already and found by theirs.
 * Of one that is known, what its journal lacks is added, and nothing is taken away; *ret_known
 * says that nothing was new. One that was not done is "unfinished" here: it goes on where it
 * began, not on another machine. Sets record->id. */
int store_plan_save(struct store *store, struct plan_record *record, bool *ret_known,
		    struct err *err);

/* Ids of the plan's runs, into the arena. */
int store_plan_runs(struct store *store, int64_t plan, struct arena *arena, int64_t **ret_runs,
		    unsigned *ret_count, struct err *err);

/* State and end, and all rounds and verdicts in place of those that are there. */
int store_plan_update(struct store *store, const struct plan_record *plan, struct err *err);

/* `record` is initialised here, the caller's to release also after an error. */
int store_plan_load(struct store *store, int64_t id, struct plan_record *record,
		    struct err *err);

/* "p4", or "@plan": the newest one. */
bool store_plan_is_name(const char *name);
/* By its name, or by a tag that it alone carries. */
int store_plan_find(struct store *store, const char *name, int64_t *ret_id, struct err *err);
/* The plan that carries a tag, in *ret_id: 1, 0 where none does, an error where several do or runs
 * carry it too: then it stands for none of them alone. */
int store_plan_tagged(struct store *store, const char *tag, int64_t *ret_id, struct err *err);

int store_plan_tag(struct store *store, int64_t plan, const char *tag, bool on,
		   struct err *err);
int store_plan_remark(struct store *store, int64_t plan, const struct record_remark *remark,
		      struct err *err);

/* One line of a list; texts are good during the call. */
struct store_plan_entry {
	int64_t id;
	uint64_t started_unix_ns;
	const char *name, *title, *targets; /* paths, ", " between */
	const char *state; /* as kept, but "running" or "cut off" by whether it goes on */
	const char *tags;
	unsigned cells, scale;
};
typedef void store_plan_fn(void *context, const struct store_plan_entry *entry);
struct store_plan_filter {
	bool unfinished; /* those alone */
	const char *tag; /* NULL: any */
};
int store_plan_list(struct store *store, const struct store_plan_filter *filter,
		    store_plan_fn *each, void *context, struct err *err);

/* The plan and all of its runs. */
int store_plan_remove(struct store *store, int64_t id, struct err *err);
