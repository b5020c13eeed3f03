/*
 * What fio's JSON, text and terse output have in common: the entries (jobs, or groups where
 * group_reporting merged them), each direction's derived figures by fio's rules of rounding,
 * and the run status groups. Pure arithmetic on a struct result; memory from its arena.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "result/result.h"

#define FIO_VERSION "fio-3.42"

/* A direction as fio prints it: read, write, trim, or the three mixed. */
enum fio_dir { FIO_READ, FIO_WRITE, FIO_TRIM, FIO_MIXED, FIO_NDIR };

struct fio_entry {
	const struct job_result *job;
	struct dir_result mixed; /* with unified_rw_reporting */
};

/* "Run status group": all entries with one groupid. Rates are of bytes over whole runtimes. */
struct fio_status {
	unsigned group;
	uint64_t bytes[FIO_NDIR];
	uint64_t runtime_min_ms[FIO_NDIR], runtime_max_ms[FIO_NDIR]; /* max 0: nothing ran */
	double bw_min[FIO_NDIR], bw_max[FIO_NDIR];		     /* bytes per second */
};

struct fio_report {
	struct result *result;
	struct fio_entry *entries;
	unsigned nentries;
	struct fio_status *status;
	unsigned nstatus;

	bool bins;		/* json+ */
	unsigned terse_version; /* 2 to 5 */
	bool notes;		/* the "assay" member and lines; off with ASSAY_NOTES=0 */
	const char *assay_version;
	/* Between two status intervals: the run goes on, `left_ns` of it (PROGRESS_UNKNOWN: no
	 * end known). Zero at the end. */
	uint64_t left_ns;
	uint64_t elapsed_s; /* of all jobs alike */
};

/* Groups the jobs and sums up; the defaults are terse 3, notes on, plain JSON. */
void fio_report_init(struct fio_report *report, struct result *result);

/* The directions that an entry prints, in order: three, "mixed" alone, or all four. */
unsigned fio_dirs(const struct fio_entry *entry, enum fio_dir ret_dirs[FIO_NDIR]);
const struct dir_result *fio_dir_result(const struct fio_entry *entry, enum fio_dir dir);
const struct fio_status *fio_status_of(const struct fio_report *report,
				       const struct fio_entry *entry);

/* Milliseconds, begun ones counted whole; 0 where nothing ran. */
uint64_t fio_runtime_ms(const struct dir_result *dir);
uint64_t fio_bw_bytes(const struct dir_result *dir); /* per second */
double fio_iops(const struct dir_result *dir);
/* Share of the group's bandwidth, in percent, at most 100. */
double fio_bw_share(const struct fio_report *report, const struct fio_entry *entry,
		    enum fio_dir dir);
/* fio divides squares by n - 1. */
double fio_sample_deviation(const struct sample_stats *stats);
double fio_lat_deviation(const struct lat *lat);
static inline uint64_t fio_lat_min(const struct lat *lat)
{
	return lat->sums.total ? lat->sums.min_ns : 0;
}

/* The one latency of the syncs: the total where it was measured, else what there is. */
const struct lat *fio_sync_lat(const struct job_result *job);

/* Is this latency to have percentiles? (Its own option, and something was measured.) */
bool fio_wants_percentiles(const struct job_spec *spec, enum lat_kind kind);

/*
 * Percentiles and bins in fio's geometry: a pair of our buckets is one of fio's. Beyond 17.1 s,
 * where fio's bins end and everything is booked as 17.1 s, the same geometry goes on.
 */
struct fio_bin {
	uint64_t mid_ns, count;
};
/* The next bin that is not empty, from *cursor (0 at first); false at the end. */
bool fio_bin_next(const struct hist *hist, unsigned *cursor, struct fio_bin *ret_bin);
void fio_percentiles(const struct hist *hist, const double *percents, unsigned count,
		     uint64_t *ret_ns);

/* Percent of the samples, as fio floors them: something is never 0. */
double fio_percent(uint64_t count, uint64_t total, double floor_percent);

/* Shares of completion latencies, all directions: ns and us 2..1000, ms with 2000 and more. */
#define FIO_LAT_NS 10
#define FIO_LAT_MS 12
struct fio_lat_table {
	double ns[FIO_LAT_NS], us[FIO_LAT_NS], ms[FIO_LAT_MS];
};
extern const unsigned fio_lat_bounds[FIO_LAT_MS - 1];
void fio_lat_table(const struct job_result *job, struct fio_lat_table *ret_table);

/* Depth and batch shares: of all that was counted. */
void fio_depth_shares(const uint64_t *counts, unsigned n, double *ret_percent);
/* CPU time in percent of the job's runtime. */
double fio_cpu_percent(const struct job_result *job, uint64_t cpu_ns);

/* "iops_slope:0.100000%". */
void fio_steady_name(const struct job_spec *spec, struct str *out);

/* "Mon Nov 30 10:48:41 2026", local time. */
void fio_time_text(uint64_t wall_ns, struct str *out);
