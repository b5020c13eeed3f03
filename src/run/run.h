/*
 * The control plane of one node: prepares files and devices (the guard is asked first), starts
 * the workers, collects their rows, decides when to stop, and tears everything down. One call
 * runs a whole job set and leaves a struct result, complete also when the run failed or was
 * interrupted.
 *
 * It runs in the calling thread. SIGINT, SIGTERM and SIGHUP are taken during the call (the
 * former handlers come back after it): the first one drains, a second one ends the process at
 * once. A SIGHUP that was ignored (nohup) stays so.
 */
#pragma once

#include "base/err.h"
#include "device/guard.h"
#include "job/job.h"
#include "result/progress.h"
#include "result/result.h"

struct engine_ops;
struct run;

struct run_hooks {
	void *context;
	/* In place of each job's ioengine: a test gives one with faults. NULL: as the job says. */
	const struct engine_ops *engine;
	/* The caller has its devices locked for itself, as a plan does: no lock is taken. */
	bool holds_devices;
	/* What may still be written, in memory that processes share, where the limit is for more
	 * than this run; options.max_write is the whole of it then. NULL: for this run alone. */
	_Atomic int64_t *write_budget;
	/* Once an interval; the struct is good during the call only. NULL: nobody looks. */
	void (*progress)(void *context, const struct progress *progress);
	/* A line worth telling before the clock starts: "j: Laying out IO file ...". */
	void (*say)(void *context, const char *line);
	/* Before a run on virtual time that will take seconds of CPU time: about how many. */
	void (*estimate)(void *context, uint64_t cpu_ns);
	/* The guard needs consent and nobody gave it: fills in what the user typed. 0, or a
	 * negative errno where nobody can be asked; -EINTR ends the run. NULL: nobody. */
	int (*ask)(void *context, const struct guard_verdict *verdict, char *ret_token,
		   size_t size_bytes);
	/* After the guard agreed and before anything is changed: 0, or an error, which ends the
	 * run. The guard speaks first, for its refusal has no way round. NULL: nothing to check. */
	int (*ready)(const void *ready_context, const struct job_set *set, struct err *err);
	const void *ready_context;
	/* Where the caller will write its report, a file that is there by now: a run that uses it
	 * is refused. NULL: nowhere. */
	const char *output;
	/* The cumulative result so far, every options.status_interval. */
	void (*status)(void *context, struct result *result);
	/* Whoever keeps the run while it goes on is called when all is ready and before the first
	 * worker is let go, where an error ends the run, and then after each look of the collector,
	 * where what it returns is ignored. It must be quick; run_so_far() gives it the figures. */
	int (*journal)(void *journal_context, const struct run *run, struct err *err);
	void *journal_context;
	/* Every RUN_LOOK_NS of a run on real time, by the control plane: an error stops the run
	 * and is what it returns. For whoever must know that the device is still the same. */
	int (*look)(void *look_context, struct err *err);
	void *look_context;
};
#define RUN_LOOK_NS (5 * NS_PER_S)

/*
 * What has been collected so far, as a result of its own to be released by result_done(): groups
 * in place of workers, and of the rows that are final those that are not had yet; of the vitals
 * likewise, but all of them (vitals.first_row is 0) where steps have become longer since. It
 * shares the facts with the run: they are good during the hook's call only, all else is a copy.
 */
struct run_had {
	unsigned rows, vital_rows;
	uint64_t vital_step_ns;
};
void run_so_far(const struct run *run, const struct run_had *had, struct result *ret_result);

/*
 * `result` is initialised by result_init(). Returns 0 when the run took place: job errors,
 * failed workers and interruption stand in the result. Returns an error (and err) when nothing
 * was started: wrong sizes, a missing file, the guard's refusal, no such engine here.
 */
int run_execute(const struct job_set *set, const struct run_hooks *hooks, struct result *result,
		struct err *err);

/* The worst of what a result holds, as an exit code of the native face: 0 or ERR_IO; 128 + n
 * after a signal. A request that failed counts where continue_on_error went on as well: only
 * ignore_error says that an error is none. */
int run_exit_code(const struct result *result);

/* The signal that the last run_execute saw; 0 none. For the caller that got -EINTR. */
int run_last_signal(void);
