/* What the files of run/ share. Everything here lives for one run. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/thread.h"
#include "device/guard.h"
#include "device/lock.h"
#include "engine/engine.h"
#include "load/worker.h"
#include "run/run.h"

/* A file or device of the run, once, however many workers use it. */
struct run_file {
	const char *path;
	enum target_kind kind;
	struct drive *drive; /* of TARGET_SIM */
	bool existed;
	bool reads, writes, trims; /* by any job */
	bool needs_content;	   /* someone reads what must be there: it is laid out */
	bool may_create, create_on_open;
	bool created; /* by us: removed when asked, or when the start fails */
	bool unlink;
	const struct job_spec *spec; /* of the first job that uses it */
	uint64_t size_bytes;	     /* as found; of a device its size */
	uint64_t needed_bytes;	     /* the greatest start + region of its users */
	dev_t dev;
	ino_t ino;
	struct device_lock lock;    /* of TARGET_BLOCK, native face */
	struct guard_facts *guard;  /* what was looked at before writing; NULL: only read */
	bool direct;		    /* every user passes the page cache by */
	bool filled;		    /* by our layout, all of what is used */
	unsigned char_major;	    /* of a character device */
	struct target_facts *facts; /* in the result */
	struct run_file *next;
};

/* One start: all clones of the jobs that became ready at the same moment. In shared memory. */
enum launch_word { LAUNCH_WAIT, LAUNCH_GO, LAUNCH_GIVE_UP };
struct launch {
	_Alignas(CACHE_LINE_BYTES) _Atomic uint32_t word; /* a futex; release by the starter */
	uint64_t go_ticks;
};

enum run_worker_phase { PHASE_NEW, PHASE_STARTED, PHASE_RUNNING, PHASE_ENDED, PHASE_ABANDONED };

/* Figures of whole rows of one worker and direction: fio's bw_* and iops_*. */
struct window_stats {
	uint64_t count;
	double bw_min, bw_max, bw_sum, bw_squares; /* KiB/s */
	double iops_min, iops_max, iops_sum, iops_squares;
};

struct run_worker {
	struct run *run;
	struct run_job *job;
	unsigned clone, thread_number;
	struct target *targets; /* in shared memory */
	unsigned ntargets;
	struct worker *worker;
	struct launch *launch;
	struct thread thread;
	enum run_worker_phase phase;
	uint64_t delay_ns; /* startdelay */
	uint64_t seed;
	uint64_t stop_at_ns; /* when it was told to stop; 0 not yet */
	struct job_result *result;
	struct run_steady *steady; /* its unit; NULL: not asked for */
	struct capture *capture;   /* for its logs, in shared memory; NULL: none is wanted */
	bool shares_group;	   /* its figures are merged with others' */
	struct window_stats window[NDATA];
	uint64_t window_row;				   /* the next row that counts for it */
	uint64_t through_row;				   /* rows before it are collected */
	uint64_t depth_ticks, span_ticks;		   /* summed from the tallies */
	uint64_t minimum_ios[NDATA], minimum_bytes[NDATA]; /* in rate_min's window */
	uint64_t minimum_row;				   /* where it begins; 0: not yet */
};

enum run_job_phase { JOB_WAITING, JOB_RUNNING, JOB_ENDED };

struct run_job {
	const struct job_spec *spec;
	enum run_job_phase phase;
	struct arena arena; /* shared memory: workers, requests, tallies */
	struct run_worker *workers;
	unsigned nworkers;
};

/* A row that is still filling: its histograms, until every running worker has passed it. */
struct open_row {
	struct hist *hist[NDIR]; /* NULL until something came */
	struct hist_sums sums[NDIR];
	bool measured[NDIR]; /* else it holds ramp */
};
#define OPEN_ROWS_MAX 1024 /* a power of two; a row later than that closes the oldest */

struct run_flow {
	int32_t id;
	struct flow_shared *shared;
	struct run_flow *next;
};

/* A device whose counters are read around the run: disks.c. */
#define RUN_DISK_BELOW_MAX 32
struct run_disk {
	struct device device;
	struct device_counters before, after;
	bool has_counters;
	bool is_leaf, is_top; /* nothing is below it; a target stands on it */
	unsigned leaf;	      /* its index in run_facts.devices */
	unsigned below[RUN_DISK_BELOW_MAX], nbelow; /* of dm and md, in run.disks */
};

struct run {
	const struct job_set *set;
	const struct run_hooks *hooks;
	struct result *result;
	struct arena arena;  /* private: cold bookkeeping */
	struct arena shared; /* worker_shared, targets, launches */
	struct clock clock;
	uint64_t virtual_ns;   /* the virtual clock's now */
	uint64_t real_zero_ns; /* CLOCK_MONOTONIC when it began, for --real-time */
	struct worker_shared *worker_shared;
	struct run_flow *flows;
	struct run_file *files;
	struct run_job *jobs;
	unsigned njobs, nworkers;
	char *states;		    /* progress.c: a letter a worker */
	struct open_row *open_rows; /* OPEN_ROWS_MAX, by row modulo */
	uint64_t first_open_row;    /* rows before it are final */
	int event_fd;		    /* workers write it when their state changes */
	int stop_signal;	    /* that ended the run; 0 none */
	uint64_t next_look_ns;	    /* of hooks->look */
	int look_rc;		    /* what it ended the run with; 0 nothing */
	bool stopping;
	uint64_t drain_ns;
	uint64_t setup_cpu_ns; /* what setting the workers up took */
	uint64_t start_ns; /* CLOCK_MONOTONIC of the grid's zero; 0 before the first start */
	uint64_t next_collect_ns, next_progress_ns, next_status_ns, next_locks_ns;
	const char *const *tokens; /* of --destroy and ASSAY_DESTROY */
	unsigned ntokens;
	struct guard_own *own; /* the manifest: files that this run made */
	unsigned nown, own_room;
	struct run_logs *logs;		    /* NULL: no job wants one */
	struct log_file *total_logs[NDATA]; /* --bandwidth-log; NULL: not wanted */
	struct run_steady *steady;	    /* units of steadystate=, steady.c */
	struct run_disk *disks;
	unsigned ndisks, nleaves;
	struct host_cpu cpu_before;
	struct cpu_use cpu_use_before;
	struct monitor *monitor; /* NULL: nothing to look at */
	struct memory_end end;	 /* removes what a run without memory would leave */
	bool laying_out;	 /* files are not whole yet */
};

/* names.c: the paths of one clone, in order. */
int run_names(struct run *run, const struct job_spec *spec, unsigned clone,
	      const char ***ret_paths, unsigned *ret_count, struct err *err);

/* prepare.c: files and devices looked at, sizes settled, the guard asked. Writes nothing. */
int run_prepare(struct run *run, struct err *err);

/* memory.c: before anything is made. */
int run_check_memory(const struct run *run, struct err *err);

/* locks.c: shared locks on disks, before the guard reads them; once a second, who else has
 * them. */
int run_locks_take(struct run *run, struct err *err);
void run_locks_look(struct run *run);
void run_locks_drop(struct run *run);

/* layout.c: creates, extends and fills files; removes what it made if it fails. */
int run_layout(struct run *run, struct err *err);
/* Marks a file of our making, and writes it into the manifest. */
int run_own_add(struct run *run, struct run_file *file, int fd, struct err *err);
/* Before the first write through `fd`: ours, or still what the guard was asked about? */
int run_recheck(const struct run *run, const struct run_file *file, int fd, struct err *err);
/* Files that are to go: unlink=, or all that we made when the start failed. */
void run_remove_files(struct run *run, bool all_created);

/* launch.c */
int run_launch(struct run *run, struct run_job **jobs, unsigned njobs, struct err *err);
void run_job_close(struct run_job *job);
/* Sends the signal that ends a worker's wait. */
void run_poke(const struct run_worker *worker);

/* estimate.c: tells hooks.estimate of a long virtual run. */
void run_estimate(struct run *run);

/* virtual.c: simulated drives, on a virtual clock, in the control plane's own thread. */
bool run_is_virtual(const struct run *run);
int run_virtual_start(struct run_worker *rw, struct err *err);
/* Until a worker ends, or the next look of the collector is due. */
void run_virtual_advance(struct run *run);
/* --state: what the drive has become. */
void run_virtual_save(struct run *run);
#define VIRTUAL_START_NS NS_PER_S /* not 0, which says "not yet" in places */

/* place.c: CPU, memory policy, priorities; in the worker's own thread or process. */
int run_place(const struct run_worker *worker, struct err *err);

/* collect.c: empties the mailboxes; closes rows that all workers have passed, or all. */
void run_collect(struct run *run);
void run_collect_worker(struct run_worker *rw);
/* What a worker that hangs had counted. */
void run_collect_hung(struct run_worker *rw);
void run_close_rows(struct run *run, bool all);

/* stop.c: signals, exitall, minimum rates, hung workers. */
int run_signals_take(struct err *err);
void run_signals_give_back(void);
int run_signal_seen(void);
void run_stop_all(struct run *run);
void run_stop_worker(struct run_worker *rw);
void run_after_end(struct run *run, const struct run_worker *ended);
void run_watch(struct run *run);
/* rate_min and rate_iops_min: a tally; and that rows before `through` are complete. */
void run_minimum_add(struct run_worker *rw, const struct tally *tally);
void run_minimum_check(struct run_worker *rw, uint64_t through);

/* steady.c: after run_prepare; for each tally; when rows [from, to) are complete, before the
 * next ones open; at the end. */
void run_steady_prepare(struct run *run);
void run_steady_add(struct run_worker *worker, const struct tally *tally);
void run_steady_follow(struct run *run, uint64_t from, uint64_t to);
void run_steady_publish(struct run *run);

/* logs.c: files and rings, before anything is made; the writer, before the first start; by hand
 * between the instants of a virtual clock; at the end, whatever the end was: rows that wait,
 * windows that are not full. */
int run_logs_open(struct run *run, struct err *err);
int run_logs_start(struct run *run, struct err *err);
void run_logs_begin(struct run *run); /* the run's start_ns is known */
void run_logs_drain(struct run *run);
void run_logs_close(struct run *run);

/* left.c: PROGRESS_UNKNOWN where nothing can be said */
uint64_t run_left_ns(const struct run *run, uint64_t now_ns);

/* progress.c */
void run_report_progress(struct run *run);

/* finish.c: a worker's figures become its job_result; what follows of them from its span, in `job`.
 */
void run_prepare_results(struct run *run);
void run_settle_directions(const struct run_worker *rw, struct job_result *job);
void run_finish_worker(struct run_worker *rw);
/* A process that died by a signal: its rows are kept. */
void run_finish_dead(struct run_worker *rw, int signal);
void run_abandon_worker(struct run_worker *rw);

/* facts.c: host, targets, devices; before the layout, before the first start, after the last
 * end. */
void run_facts_look(struct run *run);
void run_facts_before(struct run *run);
void run_facts_worker(struct run *run, const struct worker *worker);
void run_facts_after(struct run *run);

/* health.c: what each drive below the targets says of itself, before and after. */
void run_health_read(struct run *run, bool after);

/* monitor.c: temperatures, power, CPU use, interrupts, once a second: found before the first start
 * (the devices are known); begun when start_ns is; on a virtual clock asked at each look of the
 * collector; after the last end into the result. True: it hangs in the kernel, and what it looks at
 * must stay. */
void run_monitor_open(struct run *run);
void run_monitor_begin(struct run *run);
void run_monitor_tick(struct run *run);
void run_monitor_so_far(const struct run *run, const struct run_had *had, struct result *copy);
void run_monitor_close(struct run *run);
bool run_monitor_hangs(const struct run *run);

/* disks.c: a target's devices, and the index of its first in run_facts.devices (-1 none). */
struct device_stack;
int run_disks_add(struct run *run, const struct device_stack *stack);
void run_disks_settle(struct run *run); /* all targets were added */
void run_disks_watch(struct run *run, unsigned window_ms);
void run_disks_read(struct run *run, bool after);
void run_disks_publish(struct run *run);

/* sample.c: zero blocks and holes of a target that is read. */
void run_sample(struct run *run, const struct run_file *file);

static inline uint64_t run_now_ns(const struct run *run)
{
	return clock_now_ns(&run->clock);
}
