#include "report/fio_normal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/err.h"
#include "report/fio_notes.h"
#include "report/fio_number.h"

/* --- sizes and rates --- */

static unsigned main_base(const struct job_spec *spec)
{
	return spec->kb_base == 1000 ? 1000 : 1024;
}

static unsigned other_base(const struct job_spec *spec)
{
	return spec->kb_base == 1000 ? 1024 : 1000;
}

static void add_bytes(struct str *out, const struct job_spec *spec, double bytes, unsigned base)
{
	fio_number(out, bytes,
		   (struct fio_scale){.digits = spec->significant_figures,
				      .base = base,
				      .unit = FIO_BYTES});
}

static void add_rate(struct str *out, const struct job_spec *spec, double bytes_per_s,
		     unsigned base)
{
	bool bits = spec->unit_base == 1;

	fio_number(out, bits ? 8 * bytes_per_s : bytes_per_s,
		   (struct fio_scale){.digits = spec->significant_figures,
				      .base = base,
				      .unit = bits ? FIO_BITS : FIO_BYTES});
	str_add(out, "/s");
}

void fio_rate_text(const struct job_spec *spec, double bytes_per_s, struct str *ret_main,
		   struct str *ret_other)
{
	str_clear(ret_main);
	str_clear(ret_other);
	add_rate(ret_main, spec, bytes_per_s, main_base(spec));
	add_rate(ret_other, spec, bytes_per_s, other_base(spec));
}

static void add_rate_pair(struct str *out, const struct job_spec *spec, double bytes_per_s)
{
	add_rate(out, spec, bytes_per_s, main_base(spec));
	str_add(out, " (");
	add_rate(out, spec, bytes_per_s, other_base(spec));
	str_add_char(out, ')');
}

/* --- latencies --- */

/* fio changes to the next unit when even the smallest value has four digits of it and the
 * largest six. */
struct lat_unit {
	uint64_t divide;
	const char *name;
};
static const struct lat_unit lat_units[] = {{1, "nsec"}, {1000, "usec"}, {1000000, "msec"}};

static bool is_coarser(uint64_t min_ns, uint64_t max_ns, uint64_t divide)
{
	return min_ns > 2 * divide && max_ns >= 100 * divide;
}

static const struct lat_unit *lat_unit_of(uint64_t min_ns, uint64_t max_ns, double deviation_ns)
{
	const struct lat_unit *unit = &lat_units[0];

	while (unit < &lat_units[2] && is_coarser(min_ns, max_ns, unit[1].divide) &&
	       deviation_ns > (double)unit[1].divide)
		unit++;
	return unit;
}

static void add_lat(struct str *out, const char *name, const struct lat *lat)
{
	double deviation = fio_lat_deviation(lat);
	const struct lat_unit *unit;

	if (!lat->sums.max_ns)
		return;
	unit = lat_unit_of(lat->sums.min_ns, lat->sums.max_ns, deviation);
	str_printf(out, "    %s (%s): min=", name, unit->name);
	fio_number_ns(out, lat->sums.min_ns / unit->divide);
	str_add(out, ", max=");
	fio_number_ns(out, lat->sums.max_ns / unit->divide);
	str_printf(out, ", avg=%5.2f, stdev=%5.2f\n",
		   hist_sums_mean_ns(&lat->sums) / (double)unit->divide,
		   deviation / (double)unit->divide);
}

/* As few decimals as tell all percentiles of the list exactly, at most six. */
static unsigned percentile_decimals(const struct job_spec *spec)
{
	unsigned decimals = 0;

	for (unsigned i = 0; i < spec->npercentiles; i++) {
		char text[32];
		size_t end;

		(void)snprintf(text, sizeof(text), "%.6f", spec->percentile_list[i]);
		for (end = strlen(text); text[end - 1] == '0';)
			end--;
		decimals = (unsigned)max_u64(decimals,
					     end - 1 - (size_t)(strchr(text, '.') - text));
	}
	return decimals;
}

#define LINE_COLUMNS 80

/* Values are rounded up, as fio does here and only here. */
static void add_percentiles(struct str *out, const char *name, const struct job_spec *spec,
			    const struct lat *lat)
{
	unsigned n = spec->npercentiles, decimals = percentile_decimals(spec);
	unsigned width = decimals + 3;
	unsigned per_line = (LINE_COLUMNS - 7) / (width + 12); /* "th=[12345], " */
	const struct lat_unit *unit = &lat_units[0];
	uint64_t ns[PERCENTILES_MAX];

	if (!n || !lat->hist || !lat->sums.total)
		return;
	fio_percentiles(lat->hist, spec->percentile_list, n, ns);
	while (unit < &lat_units[2] && is_coarser(ns[0], ns[n - 1], unit[1].divide))
		unit++;
	str_printf(out, "    %s percentiles (%s):\n", name, unit->name);
	for (unsigned i = 0; i < n; i++) {
		if (i % per_line == 0)
			str_add(out, "     | ");
		str_printf(out, "%*.*fth=[%5" PRIu64 "]%s", (int)width, (int)decimals,
			   spec->percentile_list[i], (ns[i] + unit->divide - 1) / unit->divide,
			   i + 1 == n		     ? "\n"
			   : (i + 1) % per_line == 0 ? ",\n"
						     : ", ");
	}
}

/* --- one direction --- */

static void add_samples(struct str *out, const struct fio_report *report,
			const struct fio_entry *entry, enum fio_dir dir)
{
	const struct dir_result *d = fio_dir_result(entry, dir);
	double base = main_base(entry->job->spec);
	/* kB/s are KiB/s * 1.024 */
	double scale = base == 1000 ? 1.024 : 1, deviation = fio_sample_deviation(&d->bw_kib);
	bool mega = d->bw_kib.mean * scale > base * base;

	if (!d->bw_kib.samples)
		return;
	if (mega)
		scale /= base;
	str_printf(out, "   bw (%5s/s): min=%5" PRIu64 ", max=%5" PRIu64 ", per=%3.2f%%, ",
		   base == 1000 ? (mega ? "MB" : "kB") : (mega ? "MiB" : "KiB"),
		   (uint64_t)(d->bw_kib.min * scale), (uint64_t)(d->bw_kib.max * scale),
		   fio_bw_share(report, entry, dir));
	str_printf(out, "avg=%5.2f, stdev=%5.2f, samples=%" PRIu64 "\n", d->bw_kib.mean * scale,
		   deviation * scale, d->bw_kib.samples);
	str_printf(out,
		   "   iops        : min=%5" PRIu64 ", max=%5" PRIu64
		   ", avg=%5.2f, stdev=%5.2f, samples=%" PRIu64 "\n",
		   (uint64_t)d->iops.min, (uint64_t)d->iops.max, d->iops.mean,
		   fio_sample_deviation(&d->iops), d->iops.samples);
}

static void add_dir(struct str *out, const struct fio_report *report,
		    const struct fio_entry *entry, enum fio_dir dir)
{
	static const char *const names[FIO_NDIR] = {"read", "write", "trim", "mixed"};
	static const char *const lats[] = {
		[LAT_SLAT] = "slat", [LAT_CLAT] = "clat", [LAT_TOTAL] = "lat"};
	const struct dir_result *d = fio_dir_result(entry, dir);
	const struct job_spec *spec = entry->job->spec;
	char padded[8];

	if (!fio_runtime_ms(d))
		return;
	str_printf(out, "  %s: IOPS=", names[dir]);
	fio_number(out, fio_iops(d),
		   (struct fio_scale){.digits = spec->significant_figures,
				      .base = 1000,
				      .unit = FIO_COUNT});
	str_add(out, ", BW=");
	add_rate_pair(out, spec, (double)fio_bw_bytes(d));
	str_add_char(out, '(');
	add_bytes(out, spec, (double)d->bytes, main_base(spec));
	str_printf(out, "/%" PRIu64 "msec)%s\n", fio_runtime_ms(d),
		   dir == FIO_WRITE ? "; 0 zone resets" : "");
	for (unsigned kind = LAT_SLAT; kind <= LAT_TOTAL; kind++) {
		(void)snprintf(padded, sizeof(padded), "%4s", lats[kind]);
		add_lat(out, padded, &d->lat[kind]);
	}
	for (unsigned kind = LAT_SLAT; kind <= LAT_TOTAL; kind++)
		if (fio_wants_percentiles(spec, (enum lat_kind)kind))
			add_percentiles(out, lats[kind], spec, &d->lat[kind]);
	add_samples(out, report, entry, dir);
}

static void add_sync(struct str *out, const struct job_result *job)
{
	const struct lat *lat = fio_sync_lat(job);

	if (!lat->sums.total)
		return;
	str_add(out, "  fsync/fdatasync/sync_file_range/syncfs:\n");
	add_lat(out, "sync", lat);
	add_percentiles(out, "sync", job->spec, lat);
}

/* --- the block of one job --- */

/* Cells that are not zero, five to a line. */
static void add_bounds(struct str *out, const char *unit, const double *percent, unsigned count)
{
	unsigned shown = 0;

	for (unsigned i = 0; i < count; i++) {
		if (percent[i] <= 0)
			continue;
		if (shown % 5 == 0)
			str_printf(out, "%s  lat (%s)   : ", shown ? "\n" : "", unit);
		else
			str_add(out, ", ");
		if (i < FIO_LAT_MS - 1)
			str_printf(out, "%u=%3.2f%%", fio_lat_bounds[i], percent[i]);
		else
			str_printf(out, ">=2000=%3.2f%%", percent[i]);
		shown++;
	}
	if (shown)
		str_add_char(out, '\n');
}

static void add_lat_table(struct str *out, const struct job_result *job)
{
	struct fio_lat_table table;

	fio_lat_table(job, &table);
	add_bounds(out, "nsec", table.ns, FIO_LAT_NS);
	add_bounds(out, "usec", table.us, FIO_LAT_NS);
	add_bounds(out, "msec", table.ms, FIO_LAT_MS);
}

static void add_shares(struct str *out, const char *head, const char *const *labels,
		       const uint64_t *counts)
{
	double percent[DEPTH_BUCKETS];

	fio_depth_shares(counts, DEPTH_BUCKETS, percent);
	str_add(out, head);
	for (unsigned i = 0; i < DEPTH_BUCKETS; i++)
		str_printf(out, "%s%s=%3.1f%%", i ? ", " : "", labels[i], percent[i]);
	str_add_char(out, '\n');
}

static void add_depths(struct str *out, const struct job_result *job)
{
	static const char *const levels[DEPTH_BUCKETS] = {"1",	"2",  "4",   "8",
							  "16", "32", ">=64"};
	static const char *const calls[BATCH_BUCKETS] = {"0",  "4",  "8",   "16",
							 "32", "64", ">=64"};
	const struct dir_result *d = job->dir;

	add_shares(out, "  IO depths    : ", levels, job->depth);
	add_shares(out, "     submit    : ", calls, job->submit);
	add_shares(out, "     complete  : ", calls, job->complete);
	str_printf(out,
		   "     issued rwts: total=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		   " short=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",0 dropped=0,0,0,0\n",
		   d[DIR_READ].ios, d[DIR_WRITE].ios, d[DIR_TRIM].ios, d[DIR_SYNC].ios,
		   d[DIR_READ].short_ios, d[DIR_WRITE].short_ios, d[DIR_TRIM].short_ios);
}

/* strerror's words as fio has them: "No space left on device", "Success". */
static const char *error_text(int code)
{
	const char *text = strerrordesc_np(code);

	return text ? text : "Unknown error";
}

static void add_head(struct str *out, const struct fio_report *report,
		     const struct job_result *job)
{
	autostr time = {0};

	fio_time_text(report->result->wall_end_ns, &time);
	str_printf(out, "%s: (groupid=%u, jobs=%u): err=%2d", job->name, job->group,
		   job->members ? job->members : 1, job->error);
	if (job->error)
		str_printf(out, " (file:%s, error=%s)",
			   job->first_error.path ? job->first_error.path : "-",
			   error_text(job->error));
	str_printf(out, ": pid=%d: %s\n", job->pid, str_text(&time));
	if (job->spec->description)
		str_printf(out, "  Description  : [%s]\n", job->spec->description);
}

static void add_steady(struct str *out, const struct job_result *job)
{
	static const char *const names[] = {
		[STEADY_IOPS] = "iops mean dev", [STEADY_IOPS_SLOPE] = "iops slope",
		[STEADY_BW] = "bw mean dev",	 [STEADY_BW_SLOPE] = "bw slope",
		[STEADY_LAT] = "lat mean dev",	 [STEADY_LAT_SLOPE] = "lat slope",
	};
	const struct steady_result *steady = job->steady;

	str_printf(out, "  steadystate  : attained=%s, bw=", steady->attained ? "yes" : "no");
	add_rate_pair(out, job->spec, steady->bw_mean);
	str_add(out, ", iops=");
	fio_number(out, steady->iops_mean,
		   (struct fio_scale){.digits = job->spec->significant_figures,
				      .base = 1000,
				      .unit = FIO_COUNT});
	str_printf(out, ", %s=%.3f%s\n", names[job->spec->steadystate.metric],
		   steady->criterion, steady->criterion_is_percent ? "%" : "");
}

static void add_job(struct str *out, const struct fio_report *report,
		    const struct fio_entry *entry)
{
	const struct job_result *job = entry->job;
	enum fio_dir dirs[FIO_NDIR];
	unsigned ndirs = fio_dirs(entry, dirs);

	add_head(out, report, job);
	for (unsigned i = 0; i < ndirs; i++)
		add_dir(out, report, entry, dirs[i]);
	add_lat_table(out, job);
	add_sync(out, job);
	str_printf(out,
		   "  cpu          : usr=%3.2f%%, sys=%3.2f%%, ctx=%" PRIu64 ", majf=%" PRIu64
		   ", minf=%" PRIu64 "\n",
		   fio_cpu_percent(job, job->user_ns), fio_cpu_percent(job, job->sys_ns),
		   job->switches, job->major_faults, job->minor_faults);
	add_depths(out, job);
	if (job->spec->continue_on_error)
		str_printf(out, "     errors    : total=%" PRIu64 ", first_error=%d/<%s>\n",
			   job->total_errors, job->first_error.code,
			   error_text(job->first_error.code));
	str_printf(out, "     latency   : target=0, window=0, percentile=100.00%%, depth=%u\n",
		   job->spec->iodepth);
	if (job->steady)
		add_steady(out, job);
}

/* --- below the jobs --- */

static const struct job_spec *spec_of_group(const struct fio_report *report, unsigned group)
{
	for (unsigned i = 0; i < report->nentries; i++)
		if (report->entries[i].job->group == group)
			return report->entries[i].job->spec;
	return NULL;
}

static void add_range(struct str *out, const struct job_spec *spec, double min, double max,
		      unsigned base)
{
	add_rate(out, spec, min, base);
	str_add_char(out, '-');
	add_rate(out, spec, max, base);
}

static void add_status_dir(struct str *out, const struct fio_report *report,
			   const struct fio_status *status, enum fio_dir dir)
{
	static const char *const names[FIO_NDIR] = {"READ", "WRITE", "TRIM", "MIXED"};
	const struct job_spec *spec = spec_of_group(report, status->group);
	uint64_t ms = status->runtime_max_ms[dir];
	double bytes = (double)status->bytes[dir];

	if (!ms)
		return;
	str_printf(out, "%7s: bw=", names[dir]);
	add_rate_pair(out, spec, (double)muldiv_u64(status->bytes[dir], 1000, ms));
	str_add(out, ", ");
	add_range(out, spec, status->bw_min[dir], status->bw_max[dir], main_base(spec));
	str_add(out, " (");
	add_range(out, spec, status->bw_min[dir], status->bw_max[dir], other_base(spec));
	str_add(out, "), io=");
	add_bytes(out, spec, bytes, main_base(spec));
	str_add(out, " (");
	add_bytes(out, spec, bytes, other_base(spec));
	str_printf(out, "), run=%" PRIu64 "-%" PRIu64 "msec\n", status->runtime_min_ms[dir],
		   ms);
}

static void add_disk(struct str *out, const struct disk_use *disk)
{
	str_printf(out,
		   "  %s: ios=%" PRIu64 "/%" PRIu64 ", sectors=%" PRIu64 "/%" PRIu64
		   ", merge=%" PRIu64 "/%" PRIu64 ", ticks=%" PRIu64 "/%" PRIu64 ", ",
		   disk->name, disk->ios[0], disk->ios[1], disk->sectors[0], disk->sectors[1],
		   disk->merges[0], disk->merges[1], disk->ticks_ms[0], disk->ticks_ms[1]);
	str_printf(out, "in_queue=%" PRIu64 ", util=%3.2f%%", disk->in_queue_ms,
		   fmin(100, disk->util_percent));
	if (disk->below)
		str_printf(out,
			   ", aggrios=%.0f/%.0f, aggsectors=%.0f/%.0f, aggrmerge=%.0f/%.0f, "
			   "aggrticks=%.0f/%.0f, aggrin_queue=%.0f, aggrutil=%3.2f%%",
			   disk->aggr_ios[0], disk->aggr_ios[1], disk->aggr_sectors[0],
			   disk->aggr_sectors[1], disk->aggr_merges[0], disk->aggr_merges[1],
			   disk->aggr_ticks_ms[0], disk->aggr_ticks_ms[1],
			   disk->aggr_in_queue_ms, fmin(100, disk->aggr_util_percent));
	str_add_char(out, '\n');
}

void fio_normal(const struct fio_report *report, struct str *out)
{
	const struct result *result = report->result;
	size_t begin = out->length;

	str_add_char(out, '\n');
	for (unsigned i = 0; i < report->nentries; i++)
		add_job(out, report, &report->entries[i]);
	for (unsigned i = 0; i < report->nstatus; i++) {
		str_printf(out, "\nRun status group %u (all jobs):\n", report->status[i].group);
		for (unsigned dir = 0; dir < FIO_NDIR; dir++)
			add_status_dir(out, report, &report->status[i], (enum fio_dir)dir);
	}
	if (result->ndisks)
		str_add(out, "\nDisk stats (read/write):\n");
	for (unsigned i = 0; i < result->ndisks; i++)
		add_disk(out, &result->disks[i]);
	if (report->notes)
		fio_notes_text(report, out);
	str_make_safe(out->text + begin); /* names of jobs and files */
}
