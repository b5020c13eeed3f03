#include "report/fio_terse.h"

#include <inttypes.h>
#include <math.h>

#include "base/bits.h"

static uint64_t us_of(uint64_t ns)
{
	return ns / NS_PER_US;
}

static void add_lat(struct str *out, const struct lat *lat)
{
	str_printf(out, ";%" PRIu64 ";%" PRIu64 ";%f;%f", us_of(fio_lat_min(lat)),
		   us_of(lat->sums.max_ns), hist_sums_mean_ns(&lat->sums) / 1000,
		   fio_lat_deviation(lat) / 1000);
}

/* Twenty fields always: those of the list, the rest "0%=0". */
static void add_percentiles(struct str *out, const struct job_spec *spec, const struct lat *lat)
{
	uint64_t ns[PERCENTILES_MAX] = {0};
	bool wanted = spec->clat_percentiles || spec->lat_percentiles;
	unsigned n = wanted ? spec->npercentiles : 0;

	if (spec->gtod_reduce || (spec->disable_clat && !spec->lat_percentiles))
		n = 0;
	if (n && lat->hist)
		fio_percentiles(lat->hist, spec->percentile_list, n, ns);
	for (unsigned i = 0; i < n; i++)
		str_printf(out, ";%f%%=%" PRIu64, spec->percentile_list[i], us_of(ns[i]));
	for (unsigned i = n; i < PERCENTILES_MAX; i++)
		str_add(out, ";0%=0");
}

static void add_dir(struct str *out, const struct fio_report *report,
		    const struct fio_entry *entry, enum fio_dir dir)
{
	const struct dir_result *d = fio_dir_result(entry, dir);
	const struct job_spec *spec = entry->job->spec;
	bool by_lat = spec->lat_percentiles;

	str_printf(out, ";%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%" PRIu64, d->bytes >> 10,
		   fio_bw_bytes(d) >> 10, (uint64_t)fio_iops(d), fio_runtime_ms(d));
	add_lat(out, &d->lat[LAT_SLAT]);
	add_lat(out, &d->lat[LAT_CLAT]);
	add_percentiles(out, spec, &d->lat[by_lat ? LAT_TOTAL : LAT_CLAT]);
	add_lat(out, &d->lat[LAT_TOTAL]);
	str_printf(out, ";%" PRIu64 ";%" PRIu64 ";%f%%;%f;%f", (uint64_t)d->bw_kib.min,
		   (uint64_t)d->bw_kib.max, fio_bw_share(report, entry, dir), d->bw_kib.mean,
		   fio_sample_deviation(&d->bw_kib));
	if (report->terse_version >= 5)
		str_printf(out, ";%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%f;%f;%" PRIu64,
			   d->bw_kib.samples, (uint64_t)d->iops.min, (uint64_t)d->iops.max,
			   d->iops.mean, fio_sample_deviation(&d->iops), d->iops.samples);
}

static void add_distributions(struct str *out, const struct job_result *job)
{
	double depth[DEPTH_BUCKETS];
	struct fio_lat_table table;

	fio_depth_shares(job->depth, DEPTH_BUCKETS, depth);
	for (unsigned i = 0; i < DEPTH_BUCKETS; i++)
		str_printf(out, ";%3.1f%%", depth[i]);
	fio_lat_table(job, &table);
	for (unsigned i = 0; i < FIO_LAT_NS; i++) /* nanoseconds have no fields of their own */
		table.us[0] += table.ns[i];
	for (unsigned i = 0; i < FIO_LAT_NS; i++)
		str_printf(out, ";%3.2f%%", table.us[i]);
	for (unsigned i = 0; i < FIO_LAT_MS; i++)
		str_printf(out, ";%3.2f%%", table.ms[i]);
}

static void add_disks(struct str *out, const struct result *result)
{
	for (unsigned i = 0; i < result->ndisks; i++) {
		const struct disk_use *d = &result->disks[i];

		str_printf(out,
			   ";%s;%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%" PRIu64
			   ";%" PRIu64 ";%" PRIu64 ";%3.2f%%",
			   d->name, d->ios[0], d->ios[1], d->merges[0], d->merges[1],
			   d->ticks_ms[0], d->ticks_ms[1], d->in_queue_ms,
			   fmin(100, d->util_percent));
	}
}

/* Version 2 has all three directions, 3 has no trims, 4 and 5 have them again. */
static bool has_dir(unsigned version, enum fio_dir dir)
{
	return dir != FIO_TRIM || version != 3;
}

static void add_job(struct str *out, const struct fio_report *report,
		    const struct fio_entry *entry)
{
	const struct job_result *job = entry->job;
	enum fio_dir dirs[FIO_NDIR];
	unsigned ndirs = fio_dirs(entry, dirs), version = report->terse_version;

	if (version == 2)
		str_printf(out, "2;%s;%u;%d", job->name, job->group, job->error);
	else
		str_printf(out, "%u;" FIO_VERSION ";%s;%u;%d", version, job->name, job->group,
			   job->error);
	for (unsigned i = 0; i < ndirs; i++)
		if (has_dir(version, dirs[i]))
			add_dir(out, report, entry, dirs[i]);
	str_printf(out, ";%f%%;%f%%;%" PRIu64 ";%" PRIu64 ";%" PRIu64,
		   fio_cpu_percent(job, job->user_ns), fio_cpu_percent(job, job->sys_ns),
		   job->switches, job->major_faults, job->minor_faults);
	add_distributions(out, job);
	if (version >= 3)
		add_disks(out, report->result);
	if (job->spec->continue_on_error)
		str_printf(out, ";%" PRIu64 ";%d", job->total_errors, job->first_error.code);
	if (version == 2 && job->spec->description)
		str_add_char(out, '\n');
	if (job->spec->description)
		str_printf(out, ";%s", job->spec->description);
	str_add_char(out, '\n');
}

void fio_terse(const struct fio_report *report, struct str *out)
{
	for (unsigned i = 0; i < report->nentries; i++)
		add_job(out, report, &report->entries[i]);
}
