#include "report/fio_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/json.h"
#include "report/fio_notes.h"

static void add_percentiles(struct json *json, const struct fio_report *report,
			    const struct job_spec *spec, const struct hist *hist)
{
	uint64_t ns[PERCENTILES_MAX];
	struct fio_bin bin;
	unsigned cursor = 0;
	char key[32];

	fio_percentiles(hist, spec->percentile_list, spec->npercentiles, ns);
	json_open_object(json, "percentile");
	for (unsigned i = 0; i < spec->npercentiles; i++) {
		(void)snprintf(key, sizeof(key), "%f", spec->percentile_list[i]);
		json_add_u64(json, key, ns[i]);
	}
	json_close_object(json);
	if (!report->bins)
		return;
	json_open_object(json, "bins");
	while (fio_bin_next(hist, &cursor, &bin)) {
		(void)snprintf(key, sizeof(key), "%" PRIu64, bin.mid_ns);
		json_add_u64(json, key, bin.count);
	}
	json_close_object(json);
}

/* `spec` NULL: no percentiles wanted. */
static void add_lat(struct json *json, const struct fio_report *report,
		    const struct job_spec *spec, const char *key, const struct lat *lat)
{
	json_open_object(json, key);
	json_add_u64(json, "min", fio_lat_min(lat));
	json_add_u64(json, "max", lat->sums.max_ns);
	json_add_double(json, "mean", hist_sums_mean_ns(&lat->sums));
	json_add_double(json, "stddev", fio_lat_deviation(lat));
	json_add_u64(json, "N", lat->sums.total);
	if (spec && lat->hist && lat->sums.total)
		add_percentiles(json, report, spec, lat->hist);
	json_close_object(json);
}

static void add_samples(struct json *json, const struct fio_report *report,
			const struct fio_entry *entry, enum fio_dir dir)
{
	const struct dir_result *d = fio_dir_result(entry, dir);

	json_add_u64(json, "bw_min", (uint64_t)d->bw_kib.min);
	json_add_u64(json, "bw_max", (uint64_t)d->bw_kib.max);
	json_add_double(json, "bw_agg", fio_bw_share(report, entry, dir));
	json_add_double(json, "bw_mean", d->bw_kib.mean);
	json_add_double(json, "bw_dev", fio_sample_deviation(&d->bw_kib));
	json_add_u64(json, "bw_samples", d->bw_kib.samples);
	json_add_u64(json, "iops_min", (uint64_t)d->iops.min);
	json_add_u64(json, "iops_max", (uint64_t)d->iops.max);
	json_add_double(json, "iops_mean", d->iops.mean);
	json_add_double(json, "iops_stddev", fio_sample_deviation(&d->iops));
	json_add_u64(json, "iops_samples", d->iops.samples);
}

static void add_dir(struct json *json, const struct fio_report *report,
		    const struct fio_entry *entry, enum fio_dir dir)
{
	static const char *const names[FIO_NDIR] = {"read", "write", "trim", "mixed"};
	static const char *const lat_names[] = {
		[LAT_SLAT] = "slat_ns", [LAT_CLAT] = "clat_ns", [LAT_TOTAL] = "lat_ns"};
	const struct dir_result *d = fio_dir_result(entry, dir);
	const struct job_spec *spec = entry->job->spec;

	json_open_object(json, names[dir]);
	json_add_u64(json, "io_bytes", d->bytes);
	json_add_u64(json, "io_kbytes", d->bytes / KiB);
	json_add_u64(json, "bw_bytes", fio_bw_bytes(d));
	json_add_u64(json, "bw", fio_bw_bytes(d) / KiB);
	json_add_double(json, "iops", fio_iops(d));
	json_add_u64(json, "runtime", fio_runtime_ms(d));
	json_add_u64(json, "total_ios", d->ios);
	json_add_u64(json, "short_ios", d->short_ios);
	json_add_u64(json, "drop_ios", 0);
	for (unsigned kind = LAT_SLAT; kind <= LAT_TOTAL; kind++)
		add_lat(json, report,
			fio_wants_percentiles(spec, (enum lat_kind)kind) ? spec : NULL,
			lat_names[kind], &d->lat[kind]);
	add_samples(json, report, entry, dir);
	json_close_object(json);
}

/* fsync and its kin have one latency, and its percentiles always. */
static void add_sync(struct json *json, const struct fio_report *report,
		     const struct job_result *job)
{
	const struct dir_result *sync = &job->dir[DIR_SYNC];

	json_open_object(json, "sync");
	json_add_u64(json, "total_ios", sync->ios);
	add_lat(json, report, job->spec, "lat_ns", fio_sync_lat(job));
	json_close_object(json);
}

static void add_given(struct json *json, const char *key, const struct given *given,
		      unsigned count)
{
	json_open_object(json, key);
	for (unsigned i = 0; i < count; i++)
		json_add_string(json, given[i].key, given[i].value);
	json_close_object(json);
}

static void add_shares(struct json *json, const char *key, const char *const *labels,
		       const uint64_t *counts)
{
	double percent[DEPTH_BUCKETS];

	fio_depth_shares(counts, DEPTH_BUCKETS, percent);
	json_open_object(json, key);
	for (unsigned i = 0; i < DEPTH_BUCKETS; i++)
		json_add_double(json, labels[i], percent[i]);
	json_close_object(json);
}

static void add_bounds(struct json *json, const char *key, const double *percent,
		       unsigned count)
{
	char label[16];

	json_open_object(json, key);
	for (unsigned i = 0; i < count; i++) {
		if (i < FIO_LAT_MS - 1)
			(void)snprintf(label, sizeof(label), "%u", fio_lat_bounds[i]);
		json_add_double(json, i < FIO_LAT_MS - 1 ? label : ">=2000", percent[i]);
	}
	json_close_object(json);
}

static void add_distributions(struct json *json, const struct job_result *job)
{
	static const char *const levels[DEPTH_BUCKETS] = {"1",	"2",  "4",   "8",
							  "16", "32", ">=64"};
	static const char *const calls[BATCH_BUCKETS] = {"0",  "4",  "8",   "16",
							 "32", "64", ">=64"};
	struct fio_lat_table table;

	add_shares(json, "iodepth_level", levels, job->depth);
	add_shares(json, "iodepth_submit", calls, job->submit);
	add_shares(json, "iodepth_complete", calls, job->complete);
	fio_lat_table(job, &table);
	add_bounds(json, "latency_ns", table.ns, FIO_LAT_NS);
	add_bounds(json, "latency_us", table.us, FIO_LAT_NS);
	add_bounds(json, "latency_ms", table.ms, FIO_LAT_MS);
}

static void add_steady_data(struct json *json, const struct steady_result *steady)
{
	json_open_object(json, "data");
	json_add_u64(json, "bw_mean", (uint64_t)steady->bw_mean);
	json_add_u64(json, "iops_mean", (uint64_t)steady->iops_mean);
	if (steady->lat_ns) {
		json_add_double(json, "lat_mean", steady->lat_mean_ns);
		json_open_array(json, "lat_ns");
		for (unsigned i = 0; i < steady->samples; i++)
			json_add_u64(json, NULL, steady->lat_ns[i]);
		json_close_array(json);
	}
	json_open_array(json, "iops");
	for (unsigned i = 0; i < steady->samples; i++)
		json_add_u64(json, NULL, steady->iops[i]);
	json_close_array(json);
	json_open_array(json, "bw");
	for (unsigned i = 0; i < steady->samples; i++)
		json_add_u64(json, NULL, steady->bw_bytes_per_s[i]);
	json_close_array(json);
	json_close_object(json);
}

static void add_steady(struct json *json, const struct job_result *job)
{
	const struct steady_result *steady = job->steady;
	autostr name = {0};
	char criterion[64];

	fio_steady_name(job->spec, &name);
	(void)snprintf(criterion, sizeof(criterion), "%f%s", steady->criterion,
		       steady->criterion_is_percent ? "%" : "");
	json_open_object(json, "steadystate");
	json_add_string(json, "ss", str_text(&name));
	json_add_u64(json, "duration", job->spec->steadystate_duration / NS_PER_S);
	json_add_u64(json, "attained", steady->attained);
	json_add_string(json, "criterion", criterion);
	json_add_double(json, "max_deviation", steady->max_deviation);
	json_add_double(json, "slope", steady->slope);
	add_steady_data(json, steady);
	json_close_object(json);
}

/* latency_target and its kin are refused unless they are off: these are their values then. */
static void add_latency_target(struct json *json, const struct job_result *job)
{
	json_add_u64(json, "latency_depth", job->spec->iodepth);
	json_add_u64(json, "latency_target", 0);
	json_add_u64(json, "latency_target_ns", 0);
	json_add_double(json, "latency_percentile", 100);
	json_add_u64(json, "latency_window", 0);
	json_add_u64(json, "latency_window_us", 0);
}

#define ETA_UNKNOWN 2147483647u

static void add_head(struct json *json, const struct fio_report *report,
		     const struct job_result *job)
{
	json_add_string(json, "jobname", job->name);
	json_add_u64(json, "groupid", job->group);
	json_add_u64(json, "job_start", job->wall_start_ms);
	json_add_i64(json, "error", job->error);
	json_add_u64(json, "eta", min_u64(report->left_ns / NS_PER_S, ETA_UNKNOWN));
	json_add_u64(json, "elapsed", report->elapsed_s);
	add_given(json, "job options", job->spec->given, job->spec->ngiven);
}

static void add_job(struct json *json, const struct fio_report *report,
		    const struct fio_entry *entry)
{
	const struct job_result *job = entry->job;
	enum fio_dir dirs[FIO_NDIR];
	unsigned ndirs = fio_dirs(entry, dirs);

	json_open_object(json, NULL);
	add_head(json, report, job);
	for (unsigned i = 0; i < ndirs; i++) {
		if (i == NDATA) /* "mixed" beside the three comes after them and "sync" */
			add_sync(json, report, job);
		add_dir(json, report, entry, dirs[i]);
	}
	if (ndirs == NDATA) /* one "mixed" alone: fio has no "sync" then */
		add_sync(json, report, job);
	json_add_u64(json, "job_runtime", job->runtime_ns / NS_PER_MS);
	json_add_double(json, "usr_cpu", fio_cpu_percent(job, job->user_ns));
	json_add_double(json, "sys_cpu", fio_cpu_percent(job, job->sys_ns));
	json_add_u64(json, "ctx", job->switches);
	json_add_u64(json, "majf", job->major_faults);
	json_add_u64(json, "minf", job->minor_faults);
	add_distributions(json, job);
	if (job->spec->continue_on_error) {
		json_add_u64(json, "total_err", job->total_errors);
		json_add_i64(json, "first_error", job->first_error.code);
	}
	add_latency_target(json, job);
	if (job->spec->description)
		json_add_string(json, "desc", job->spec->description);
	if (job->steady)
		add_steady(json, job);
	json_close_object(json);
}

static void add_disk_pair(struct json *json, const char *read, const char *write,
			  const uint64_t value[2])
{
	json_add_u64(json, read, value[0]);
	json_add_u64(json, write, value[1]);
}

static void add_disk_mean_pair(struct json *json, const char *read, const char *write,
			       const double value[2])
{
	json_add_u64(json, read, (uint64_t)value[0]);
	json_add_u64(json, write, (uint64_t)value[1]);
}

static void add_disk(struct json *json, const struct disk_use *disk)
{
	json_open_object(json, NULL);
	json_add_string(json, "name", disk->name);
	add_disk_pair(json, "read_ios", "write_ios", disk->ios);
	add_disk_pair(json, "read_sectors", "write_sectors", disk->sectors);
	add_disk_pair(json, "read_merges", "write_merges", disk->merges);
	add_disk_pair(json, "read_ticks", "write_ticks", disk->ticks_ms);
	json_add_u64(json, "in_queue", disk->in_queue_ms);
	json_add_double(json, "util", fmin(100, disk->util_percent));
	if (disk->below) {
		add_disk_mean_pair(json, "aggr_read_ios", "aggr_write_ios", disk->aggr_ios);
		add_disk_mean_pair(json, "aggr_read_sectors", "aggr_write_sectors",
				   disk->aggr_sectors);
		/* fio spells the second so */
		add_disk_mean_pair(json, "aggr_read_merges", "aggr_write_merge",
				   disk->aggr_merges);
		add_disk_mean_pair(json, "aggr_read_ticks", "aggr_write_ticks",
				   disk->aggr_ticks_ms);
		json_add_u64(json, "aggr_in_queue", (uint64_t)disk->aggr_in_queue_ms);
		json_add_double(json, "aggr_util", fmin(100, disk->aggr_util_percent));
	}
	json_close_object(json);
}

void fio_json(const struct fio_report *report, struct str *out)
{
	const struct result *result = report->result;
	const struct job_set *set = result->set;
	autostr time = {0};
	struct json json;

	json_init(&json, out);
	fio_time_text(result->wall_end_ns, &time);
	json_open_object(&json, NULL);
	json_add_string(&json, "fio version", FIO_VERSION);
	json_add_u64(&json, "timestamp", result->wall_end_ns / NS_PER_S);
	json_add_u64(&json, "timestamp_ms", result->wall_end_ns / NS_PER_MS);
	json_add_string(&json, "time", str_text(&time));
	if (set->nglobal)
		add_given(&json, "global options", set->global, set->nglobal);
	json_open_array(&json, "jobs");
	for (unsigned i = 0; i < report->nentries; i++)
		add_job(&json, report, &report->entries[i]);
	json_close_array(&json);
	if (result->ndisks) {
		json_open_array(&json, "disk_util");
		for (unsigned i = 0; i < result->ndisks; i++)
			add_disk(&json, &result->disks[i]);
		json_close_array(&json);
	}
	if (report->notes)
		fio_notes_json(report, &json);
	json_close_object(&json);
	str_add_char(out, '\n');
}
