/*
 * Results in SQLite: one file, the only place that knows SQL. It saves and loads struct record,
 * whole: what comes back is shown exactly as it was live. Each save is one transaction that is
 * on the disk when the call returns (WAL, synchronous=FULL): a process killed at any moment
 * leaves the runs that were acknowledged, whole, and of one that went on what store_progress()
 * had written of it, marked as cut off.
 *
 * Several processes may use one store at once; a writer waits for another up to 30 s.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "result/record.h"

struct store;

enum store_mode {
	STORE_READ,  /* must exist */
	STORE_WRITE, /* is made where it is missing, its folders too */
};

/* Where results are kept by default: $XDG_DATA_HOME/assay/results.db, else
 * ~/.local/share/assay/results.db; under sudo the invoking user's. */
int store_default_path(struct str *ret_path, struct err *err);

/* The folder of the default store, whatever --store names: there each command finds what another
 * left to be undone (device/undo.h). `make` makes it where it is missing. */
int store_state_folder(bool make, struct str *ret_path, struct err *err);

int store_open(const char *path, enum store_mode mode, struct store **ret_store,
	       struct err *err);
void store_close(struct store *store); /* NULL is fine */
const char *store_path(const struct store *store);

/* Saves the record and sets record->id ("r17"). One whose uid is there already is left as it is
 * and gets that one's id; *ret_known says so (NULL: not asked). One that is there cut off, and is
 * whole in the record, takes its place. */
int store_save(struct store *store, struct record *record, bool *ret_known, struct err *err);
/*
 * What a run has done so far, while it goes on: from the first call on it is in the store, "cut
 * off" until store_save() makes it whole under the same uid. `record` is settled and holds one
 * part: that number of the run. The series in it begins with row number first_row, its vitals
 * with theirs: those before are there already. One transaction, like all.
 */
struct store_progress {
	unsigned part, first_row;
	bool begins; /* else a run or a part that is not there has been removed, and stays so */
	bool ends;   /* the part is whole: it takes the place of what was kept of it */
};
/* Why a run has its head alone: record->incomplete of what store_progress() begins, where all else
 * waits until the run has ended. */
extern const char *const store_waits;
int store_progress(struct store *store, struct record *record,
		   const struct store_progress *piece, struct err *err);
/* Bytes that this store has written to its files since it was opened. */
uint64_t store_written_bytes(const struct store *store);
/* Appends a note to the last part of a run. */
int store_add_note(struct store *store, int64_t run, const struct note *note, struct err *err);

/* `record` is initialised here, the caller's to release also after an error. */
enum store_extent {
	STORE_TOTALS, /* without the series */
	STORE_WHOLE,
	/* The series stays in the store, a day of it is 50 to 100 MB, and is read when it is asked
	 * for (result_each_row): the store must stay open as long as the record, and is read as
	 * it was at the first such call. What another process changes or removes meanwhile is
	 * not seen, and nothing can be written here. */
	STORE_STREAMED,
};
int store_load(struct store *store, int64_t run, enum store_extent extent,
	       struct record *record, struct err *err);

/* The runs that a name stands for: "r17", a tag (each run that carries it, oldest first),
 * "@last", "@last~2". An error when it is none; the array is in the arena. */
int store_find(struct store *store, const char *name, struct arena *arena, int64_t **ret_runs,
	       unsigned *ret_count, struct err *err);

/* One line of `results list`; texts are good during the call. */
struct store_entry {
	int64_t run;
	uint64_t started_unix_ns, span_ns;
	const char *kind, *title, *device, *host, *tags;
	unsigned cells;
	double ios_per_s, bytes_per_s; /* of its first group of jobs, all directions */
	const char *first_name;	       /* that group's; NULL: there is none */
	unsigned things;	       /* groups of jobs, or printed rows */
	bool cut_off;		       /* it has not ended */
	const char *incomplete;	       /* it ended before its time, by what; NULL: it did not */
	bool goes_on;		       /* and this is because it runs at this moment */
};
struct store_filter {
	const char *tag, *target; /* NULL: any */
	unsigned limit;		  /* the newest ones; 0: all */
};
typedef void store_entry_fn(void *context, const struct store_entry *entry);
int store_list(struct store *store, const struct store_filter *filter, store_entry_fn *each,
	       void *context, struct err *err);

int store_tag(struct store *store, int64_t run, const char *tag, bool on, struct err *err);
int store_remark(struct store *store, int64_t run, uint64_t unix_ns, const char *text,
		 struct err *err);
int store_remove(struct store *store, int64_t run, struct err *err);
/* Of a run that was begun and measured nothing; none is there is as good. */
int store_forget(struct store *store, const char *uid, struct err *err);

/* Adds to this store every run and every plan of the one at `path` that it does not have. */
struct store_merged {
	unsigned fresh, known, fresh_plans, known_plans;
};
int store_merge(struct store *store, const char *path, struct store_merged *ret_merged,
		struct err *err);

/* What the machine and the drives were like while a run went on, value by value, in the order of
 * time within a channel; without the CPUs one by one. */
struct store_vital {
	enum vital_kind kind;
	const char *name;	   /* good during the call */
	uint64_t begin_ns, end_ns; /* since the run's start */
	double value;
};
typedef void store_vital_fn(void *context, const struct store_vital *vital);
int store_each_vital(struct store *store, int64_t run, store_vital_fn *each, void *context,
		     struct err *err);

/* Any query that only reads; `each` gets the columns' names first (values NULL), then rows. */
typedef void store_row_fn(void *context, unsigned columns, const char *const *names,
			  const char *const *values);
int store_query(struct store *store, const char *sql, store_row_fn *each, void *context,
		struct err *err);

/* A random text that stays the store's own: what --anonymous mixes into its digests. */
int store_salt(struct store *store, struct str *ret_salt, struct err *err);
