/* One thing of a plan while it is being done: what the files that do it share. */
#pragma once

#include "plan/execute.h"

struct doing {
	struct plan_execution *x;
	const struct plan_task *task;
	const struct plan_step *step;
	struct plan_drive *drive;
	struct plan_target *target;
	struct plan_entry entry;
	struct record record; /* of the run behind it */
	bool has_record;
	struct arena arena;
	struct str note;
	struct err *err;
};

/* What the entry's note says besides; parts are put together with "; ". */
void doing_note(struct doing *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The entry is in the store and in the journal. */
int doing_save(struct doing *d);
struct plan_lane doing_lane(const struct doing *d);
bool plan_was_stopped(struct plan_execution *x);
int doing_stopped(struct doing *d); /* the error that says so */
int doing_limited(struct doing *d); /* the same of --max-write */
int doing_sleep(struct doing *d, uint64_t span_ns);

/* execute_run.c: a run, or what stands for one on a simulated drive. */
int doing_jobs(struct doing *d);

/* execute_drive.c: what is no run. */
int doing_idle(struct doing *d);
int doing_purge(struct doing *d);
int doing_snapshot(struct doing *d);
