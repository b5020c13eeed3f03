/*
 * struct result: what one run produced. run/ fills it, everybody else reads it: the
 * renderers of report/, the notes of result/plausible.c, later the store. It owns an arena;
 * every pointer in it lives there (or in the job set, which outlives it) until
 * result_done().
 *
 * Units: nanoseconds and bytes, counts as they are. Instants are nanoseconds since the run's
 * start (the moment when its first worker was let go), wall times say so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "device/vitals.h"
#include "job/job.h"
#include "job/spec.h"
#include "result/facts.h"
#include "stat/hist.h"

/* What is timed of a request (design.md, stamps). */
enum lat_kind {
	LAT_SLAT,  /* submitted - start; async engines only */
	LAT_CLAT,  /* done - submitted; sync engines: done - start */
	LAT_TOTAL, /* done - start: the service time */
	LAT_RESPONSE, /* done - due: what a user waits; only with a rate, else equal to LAT_TOTAL */
	NLAT,
};

/* A percentile that another program told, where its histogram is not known. */
struct told_percentile {
	double percent;
	uint64_t ns;
};

struct lat {
	struct hist_sums sums; /* sums.total is 0 where nothing was measured */
	struct hist *hist;     /* NULL: not measured, or only told */
	const struct told_percentile *told;
	unsigned ntold; /* of imports; never together with a histogram */
};

/* Figures of equal windows of time, population deviation; fio's bw_* and iops_*. */
struct sample_stats {
	uint64_t samples;
	double min, max, mean, deviation;
};

struct dir_result {
	uint64_t ios, bytes, short_ios, errors;
	uint64_t runtime_ns; /* the measured span, the ramp excluded */
	struct lat lat[NLAT];
	struct sample_stats bw_kib; /* KiB/s */
	struct sample_stats iops;
	/* Set by result_groups() alone: what the members did per second while all of them ran, or
	 * over the whole span (result_rate() reads it for every kind of job_result). */
	double group_ios_per_s, group_bytes_per_s;
};

/* What one worker did in one interval of the grid; the rates of a group's common interval are
 * made of these. In order of time; between two of them nothing was done. The first and the last
 * reach beyond the worker's own span, which says how much of them it ran in. */
struct job_row {
	uint64_t begin_ns, end_ns;
	uint64_t ios[NDIR], bytes[NDIR];
};

/* A block device's counters over the run, and over the devices below a stacked one. */
struct disk_use {
	const char *name;				     /* "vda" */
	uint64_t ios[2], merges[2], sectors[2], ticks_ms[2]; /* read, write */
	uint64_t in_queue_ms;
	double util_percent;
	unsigned below; /* devices below it, 0 for a plain one; aggr_*: their means */
	double aggr_ios[2], aggr_merges[2], aggr_sectors[2], aggr_ticks_ms[2];
	double aggr_in_queue_ms, aggr_util_percent;
};

/* fio's buckets of depth and batch sizes: 1 2 4 8 16 32 >=64 in flight; and 0 4 8 16 32 64
 * >=64 a call. Counts. */
#define DEPTH_BUCKETS 7
#define BATCH_BUCKETS 7

struct first_error {
	int code; /* positive errno; 0: none */
	enum op op;
	uint64_t offset;
	uint32_t bytes;
	const char *path;
};

/* A request that had not come back when the run was given up. */
struct unfinished {
	enum op op;
	uint64_t offset, age_ns;
	uint32_t bytes;
	const char *path;
};

/* fio's steadystate object; samples are per check interval. */
struct steady_result {
	bool attained;
	double criterion, max_deviation, slope, bw_mean, iops_mean, lat_mean_ns;
	bool criterion_is_percent;
	unsigned samples;
	uint64_t *bw_bytes_per_s, *iops, *lat_ns; /* `samples` each; lat_ns may be NULL */
};

/* One worker's figures, or those of a group merged: the same struct, so that a renderer need
 * not care. */
struct job_result {
	const struct job_spec *spec; /* of the first member */
	const char *name;
	unsigned clone, thread_number; /* from 0; from 1 over all jobs of the run */
	unsigned group, members;       /* members: 1, or how many were merged */
	int pid;		       /* thread or process id */
	bool as_process;
	const char *engine_about; /* what the engine really used */
	const char *files;	  /* "/dev/nvme0n1", "3 files in /mnt" */
	const char *fill_about;	  /* what was written */

	int error;	       /* positive errno that ended the job; 0 none */
	int killed_by;	       /* signal, 0 none */
	uint64_t total_errors; /* with continue_on_error */
	struct first_error first_error;
	bool stopped_by_limit; /* --max-write */

	uint64_t wall_start_ms;	   /* since the epoch */
	uint64_t begin_ns, end_ns; /* measured span in the run's time (after the ramp) */
	uint64_t elapsed_ns;	   /* with ramp and start delay */
	uint64_t runtime_ns;	   /* the sum over the members of a group; 0: end - begin */
	/* Of a group, set by result_groups(): from when the first member began to when the last
	 * ended, and whether its rates are over that and not over begin to end. */
	uint64_t whole_begin_ns, whole_end_ns;
	bool rated_whole;

	struct dir_result dir[NDIR];
	struct lat lateness; /* submitted - due, rated jobs only */
	uint64_t
		arrivals_due; /* requests that the schedule asked for until the end; 0 unrated */

	/* CPU of its thread, ramp included: figures per request count ramp_ios too. beyond_ns
	 * is its share, by requests, of what the process used beyond its workers' threads:
	 * the kernel's io-wq threads that io_uring hands requests to, and the control plane. */
	uint64_t user_ns, sys_ns, beyond_ns, switches, major_faults, minor_faults;
	uint64_t ramp_ios;
	uint64_t depth[DEPTH_BUCKETS], submit[BATCH_BUCKETS], complete[BATCH_BUCKETS];
	uint64_t submits, completes;  /* calls */
	double depth_mean;	      /* in flight, averaged over time */
	double core_busy_max_percent; /* the busiest worker's core time over the span */
	uint64_t row_merges; /* rows that had to be joined because the collector was late */

	struct unfinished *unfinished;
	unsigned nunfinished;
	struct steady_result *steady; /* NULL without steadystate= */

	struct job_row *rows; /* NULL: not recorded, or too many; a group has none */
	unsigned nrows;	      /* of a run with too many those that were dropped */
};

/* One row of the series: an interval of the common grid, all workers, zeros included. */
struct row_dir {
	uint64_t ios, bytes, errors;
	uint64_t p50_ns, p99_ns, p999_ns, max_ns; /* of result.series_kind */
	double mean_ns;
};
struct row {
	uint64_t begin_ns, end_ns;
	struct row_dir dir[NDIR];
	bool ramp;    /* nothing but ramp was counted in it: not part of the figures */
	bool partial; /* the run began or ended inside it */
};

/* The histogram of what was measured in a row (no ramp), as codec.h writes it. All rows' merged are
 * the run's own histogram, to the last count. Apart from the rows: most readers need none. */
struct interval_hist {
	const void *blob; /* NULL: nothing was measured, or it is not known */
	uint32_t bytes;
};

/* What takes a series, row by row in their order; other than 0 ends it, and is returned. */
typedef int row_fn(void *context, unsigned at, const struct row *row);
typedef int interval_hist_fn(void *context, unsigned row, const struct interval_hist *hist);

/* A series that its result does not hold: a day of one-second rows is 24 MB, and its histograms are
 * tens of MB. */
struct series_source {
	int (*each_row)(void *context, row_fn *take, void *take_context, struct err *err);
	int (*each_hist)(void *context, enum dir dir, interval_hist_fn *take,
			 void *take_context, struct err *err);
	bool has_hists;
	void *context; /* NULL: there is none elsewhere */
};

/* A day of one-second rows takes some 30 MB of it. Rows beyond go without a histogram, which a
 * note says. */
#define SERIES_BYTES_MAX (192ULL << 20)

/* How the machine and the drives fared meanwhile, on the time of the rows: value i of a channel is
 * of [i * step_ns, (i + 1) * step_ns), NAN where it is not known. Of a simulated drive what its
 * model says. A step is a second, or as many whole intervals as make one; of a run of days more. */
struct vitals {
	struct vital_channel *channels; /* NULL: nothing was looked at */
	unsigned nchannels, nrows;
	unsigned first_row; /* of what is known so far: those before it are kept; else 0 */
	uint64_t step_ns;
	float *values; /* [channel * nrows + row] */
};

/* A log that the run wrote. Of one of each request (no windows, no bins) requests and bytes of its
 * rows are held against what the run counted of the workers that wrote it. */
enum log_state { LOG_OPEN, LOG_UNCHECKED, LOG_AGREES, LOG_DIFFERS, NLOG_STATES };
extern const char *const log_state_names[NLOG_STATES]; /* "open" (not ended), "agrees" */
struct log_result {
	const char *path; /* absolute */
	const char *kind; /* "lat", "hist" */
	enum log_state state;
	uint64_t rows, rows_bytes, ios, ios_bytes; /* of the log; of the run */
};

/* A remark on the result: plausibility, environment. `id` is stable ("littles-law"). */
enum severity { SEVERITY_INFO, SEVERITY_WARNING };
struct note {
	const char *id;
	enum severity severity;
	const char *job; /* NULL: the whole run */
	const char *text;
};

struct result {
	struct arena arena;
	const struct job_set *set;
	struct job_result *jobs; /* one a worker, in thread_number order */
	unsigned njobs;
	struct row *rows;
	unsigned nrows, rows_room;
	enum lat_kind series_kind; /* LAT_RESPONSE where a job is rated, else the service */
	struct interval_hist (*hists)[NDIR]; /* by row: result_interval_hist() */
	unsigned hists_room;
	uint64_t series_bytes; /* of these; see SERIES_BYTES_MAX */
	struct series_source
		elsewhere; /* then `rows` and `hists` are NULL, nrows their count */
	uint64_t interval_ns;
	uint64_t wall_start_ns, wall_end_ns, span_ns;
	bool simulated;	       /* on a model and a virtual clock: never a measurement */
	uint64_t layout_bytes; /* written to its files before the clock started; not kept */
	bool interrupted;
	int signal;
	double clock_drift_ppm;
	struct run_facts facts;
	struct vitals vitals;
	struct log_result *logs;
	unsigned nlogs;
	int64_t wall_jump_ns;	/* how far the wall clock moved against the monotonic one */
	struct disk_use *disks; /* of the devices below the targets */
	unsigned ndisks;
	struct note *notes;
	unsigned nnotes, notes_room;
};

void result_init(struct result *result, const struct job_set *set);
void result_done(struct result *result);

void result_note(struct result *result, const char *id, enum severity severity, const char *job,
		 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

const struct interval_hist *result_interval_hist(const struct result *result, unsigned row,
						 enum dir dir);

/* The series, held or elsewhere; what is held cannot fail. Of a direction's histograms the rows
 * without are left out. */
int result_each_row(const struct result *result, row_fn *take, void *context, struct err *err);
int result_each_interval_hist(const struct result *result, enum dir dir, interval_hist_fn *take,
			      void *context, struct err *err);
bool result_has_interval_hists(const struct result *result);
/* Copies the blob into the result's arena; what stood there goes. */
void result_set_interval_hist(struct result *result, unsigned row, enum dir dir,
			      const void *blob, size_t bytes);

/*
 * fio's view: jobs with group_reporting merged per group (sums, runtime = maximum of members,
 * bw_* and iops_* sample statistics added member by member), others as they are, jobs with
 * stats=0 left out. The returned array lives in the result's arena.
 */
struct job_result *result_fio_groups(struct result *result, unsigned *ret_count);

/* fio's disk_util: fills result->disks from the devices' counters unless it is filled already;
 * leaves it empty if every job has disk_util=0. */
void result_fio_disks(struct result *result);
/* One device's use between two readings, and one of the devices below it. */
void disk_use_from(struct disk_use *ret_disk, const char *name,
		   const struct device_counters *before, const struct device_counters *after);
void disk_use_add_member(struct disk_use *disk, const struct disk_use *member);

/*
 * Our view: the clones of a job are one entry; with group_reporting, all jobs of a group.
 * Sums, extremes, histograms merged exactly. begin_ns and end_ns are the interval in which
 * *all* members ran (end_ns = begin_ns where there is none), whole_begin_ns and whole_end_ns the
 * one in which any did. The rates (result_rate) are what was done in the common interval over its
 * length: all members' load was on the target then and at no other time. Where less than
 * GROUP_COMMON_SHARE of the whole was common they are all the work over the whole interval, and
 * rated_whole says so: a sliver's rate is the run's no more than its best moment would be.
 * bw_kib and iops are added as fio does.
 */
#define GROUP_COMMON_SHARE 0.5
struct job_result *result_groups(struct result *result, unsigned *ret_count);

/* Requests and bytes per second of one direction: of a group over its common interval or the
 * whole one, of a single job over its span. 0 where nothing ran. */
struct rate {
	double ios_per_s, bytes_per_s;
};
struct rate result_rate(const struct job_result *job, enum dir dir);

/* All directions of a latency kind in one histogram. */
void result_lat_all(const struct job_result *job, enum lat_kind kind, struct hist *ret_hist);

/* Nothing came back in a whole row, though a worker that owes a request in each ran all through it
 * (result/plausible_measure.c). */
bool result_row_is_idle(const struct result *result, const struct row *row);

/* Adds the plausibility notes (result/plausible.c, doc/plausibility.md): pure arithmetic on
 * what the result holds. */
void result_plausibility(struct result *result);
