/*
 * A plan is carried out: plan_next() says what comes, a cell is run, and it is in the store
 * before the next begins. What was not finished when the process ended is done again by a
 * later call with the same record: the journal says where it stood.
 */
#pragma once

#include "device/device.h"
#include "device/lock.h"
#include "device/mkfs.h"
#include "device/purge.h"
#include "plan/budget.h"
#include "plan/journal.h"
#include "run/run.h"
#include "store/store_plan.h"

#define PLAN_TARGETS_MAX  64
#define PLAN_WORST_BYTES  (1 * GiB) /* of the kept requests of one plan */
#define PLAN_WORST_SUFFIX "-worst.alog"

enum plan_target_kind { PLAN_BLOCK, PLAN_FILE, PLAN_SIMULATED };

/* A target at work. */
struct plan_drive {
	enum plan_target_kind kind;
	const char *path;     /* as given; of a scaled simulated drive with its scale */
	uint64_t size_bytes;  /* that the plan uses; 0: a file that is to be made */
	struct device device; /* of PLAN_BLOCK; of a file its serial alone */
	struct device_lock lock;
	const char *file; /* in a file system of a step, while it is mounted; NULL */
	bool wrote;	  /* we did, so that what lies on it is ours */
	const char
		*shares; /* with other targets, of a plan that works on all at once: what, and
			     * with which; NULL: nothing that is known */
};

struct plan_hooks {
	void *context;
	/* Before and after each thing to do; `number` counts from 0. */
	void (*before)(void *context, const struct plan_task *task, unsigned number);
	void (*after)(void *context, const struct plan_entry *entry);
	void (*say)(void *context, const char *line);
	/* A signal was seen between two runs; 0 none. */
	int (*stop)(void *context);
	const struct run_hooks *run; /* progress and the like; ask and holds_devices are ours */
};

struct plan_execution {
	const struct plan *plan;
	const struct plan_spec *spec; /* NULL none */
	struct plan_record *record;   /* name, targets, scale and so on; rounds and verdicts are
				       * filled in */
	struct plan_journal *journal;
	const char *program;	  /* "assay 0.1.0" */
	struct store *store;	  /* NULL: nothing is kept, and nothing can go on */
	const char *state_folder; /* of simulated drives, and of the worst requests */
	unsigned keep_worst;	  /* intervals of a cell whose requests are kept; 0: none */
	const char *undo_folder;  /* store_state_folder: each command looks there; NULL none */
	const struct plan_hooks *hooks;
	struct plan_drive drives[PLAN_TARGETS_MAX];
	unsigned ndrives;
	int only;	       /* the target that this process works on, where each has its own
				* process (record->parallel); -1: all, one after another */
	bool resumed;	       /* the next cell goes on after a break */
	uint64_t last_unix_ns; /* when the last cell had ended */
	int signal;	       /* that stopped it */
	struct plan_budget budget; /* of --max-write */
	bool at_limit;		   /* which stopped it */
};

/* plan_target.c: looks at a target and fills in both, without opening it for writing. */
int plan_target_look(const char *path, unsigned scale, struct arena *arena,
		     struct plan_drive *ret_drive, struct plan_target *ret_target,
		     struct err *err);
/* Fills in what the drives share with each other; texts lie in the arena. */
void plan_targets_share(struct plan_drive *drives, unsigned ndrives, struct arena *arena);
/* Is it still what the record says? Model, serial, firmware, size. */
int plan_target_same(const struct plan_target *then, const struct plan_target *now,
		     struct err *err);

/* 0: everything was done; -EINTR: stopped, and it can go on; else an error. The record's state,
 * rounds and verdicts are kept in each case, but not with `only`: plan_finish() does it after
 * all. */
int plan_execute(struct plan_execution *x, struct err *err);
/* `rc`: how it ended; returned, or what keeping it came to. */
int plan_finish(struct plan_execution *x, int rc, struct err *err);

/* How a purge step's method is called by those who do it. */
enum purge_method plan_purge_method(enum plan_method method);

/* outcome.c: rounds and verdicts of what is in the journal, into the record. */
void plan_record_judge(const struct plan *plan, const struct plan_journal *journal,
		       const struct plan_spec *spec, struct plan_record *record);
/* The worst verdict: fail, cannot tell, pass; not applicable where there is none. */
enum outcome plan_record_outcome(const struct plan_record *record);
/* The journal that a record holds. */
void plan_journal_load(struct plan_journal *ret_journal, const struct plan_record *record);

/* jobs.c: the jobs of one task on a drive, checked, in a set that the caller initialised. */
int plan_task_jobs(const struct plan_execution *x, const struct plan_task *task,
		   struct job_set *set, struct err *err);
/* Its load for so long, before it goes on after a break. */
int plan_refresh_jobs(const struct plan_execution *x, const struct plan_task *task,
		      uint64_t span_ns, struct job_set *set, struct err *err);

/* mounted.c: does a plan make file systems, which takes devices? */
int plan_check_devices(const struct plan *plan, const struct plan_drive *drives,
		       unsigned ndrives, struct err *err);
/* Is what lies on it a file system that this plan made? Then it needs no consent. */
bool plan_filesystem_is_ours(const struct plan_execution *x, const struct plan_drive *drive);
/* The file system of the task's step, made if this is its first cell; `drive->file` lies in it.
 * -ENOENT and -EPROTO: it cannot be had here, and the step is left out; -E2BIG: --max-write does
 * not leave what mkfs may write. */
int plan_mount(struct plan_execution *x, const struct plan_task *task, struct plan_drive *drive,
	       struct mkfs_hold *ret_hold, struct str *note, struct err *err);

/* simstate.c: the state of a simulated drive is a file a journal entry, so that the one that
 * fits the journal is there whenever the process ends. Where it is now (NULL: fresh), and where
 * entry `number` will leave it, which is made a copy of that. */
const char *plan_sim_state(const struct plan_execution *x, unsigned target,
			   struct arena *arena);
int plan_sim_begin(const struct plan_execution *x, unsigned target, unsigned number,
		   struct arena *arena, const char **ret_path, struct err *err);
/* All files of a target but the one that fits the journal; at the end that one as well. */
void plan_sim_tidy(const struct plan_execution *x, unsigned target, bool all);

/* worst.c: where the requests of an entry's worst intervals go; false: the plan's room is used
 * up. */
bool plan_worst_begin(const struct plan_execution *x, unsigned number, struct arena *arena,
		      const char **ret_path);
/* What a plan that is removed left beside the store: states, and worst requests. */
void plan_remove_files(const char *folder, const char *uid);
