#include "report/fio_figures.h"

#include <math.h>
#include <time.h>

#include "base/bits.h"
#include "result/merge.h"

const unsigned fio_lat_bounds[FIO_LAT_MS - 1] = {2,   4,   10,	20,   50,  100,
						 250, 500, 750, 1000, 2000};

/* --- figures of one direction --- */

uint64_t fio_runtime_ms(const struct dir_result *dir)
{
	if (!dir->ios && !dir->bytes)
		return 0;
	return max_u64(1, (dir->runtime_ns + NS_PER_MS - 1) / NS_PER_MS);
}

uint64_t fio_bw_bytes(const struct dir_result *dir)
{
	uint64_t ms = fio_runtime_ms(dir);

	return ms ? muldiv_u64(dir->bytes, 1000, ms) : 0;
}

double fio_iops(const struct dir_result *dir)
{
	uint64_t ms = fio_runtime_ms(dir);

	return ms ? 1000.0 * (double)dir->ios / (double)ms : 0;
}

double fio_sample_deviation(const struct sample_stats *stats)
{
	double n = (double)stats->samples;

	return stats->samples < 2 ? 0 : stats->deviation * sqrt(n / (n - 1));
}

double fio_lat_deviation(const struct lat *lat)
{
	double n = (double)lat->sums.total;

	if (!lat->hist || lat->sums.total < 2)
		return 0;
	return hist_deviation_ns(lat->hist, hist_sums_mean_ns(&lat->sums)) * sqrt(n / (n - 1));
}

const struct lat *fio_sync_lat(const struct job_result *job)
{
	const struct lat *lat = job->dir[DIR_SYNC].lat;

	return lat[LAT_TOTAL].sums.total ? &lat[LAT_TOTAL] : &lat[LAT_CLAT];
}

bool fio_wants_percentiles(const struct job_spec *spec, enum lat_kind kind)
{
	switch (kind) {
	case LAT_SLAT:
		return spec->slat_percentiles;
	case LAT_CLAT:
		return spec->clat_percentiles;
	case LAT_TOTAL:
		return spec->lat_percentiles;
	case LAT_RESPONSE:
	case NLAT:
		break;
	}
	return false; /* fio has no word for it */
}

/* --- fio's bins --- */

#define PAIRED_FROM HIST_SUB /* below, fio's bins are one nanosecond wide as ours are */

bool fio_bin_next(const struct hist *hist, unsigned *cursor, struct fio_bin *ret_bin)
{
	for (unsigned i = *cursor; i < HIST_BUCKETS;) {
		unsigned step = i < PAIRED_FROM ? 1 : 2;
		uint64_t count = hist->count[i] + (step == 2 ? hist->count[i + 1] : 0);

		if (count) {
			*ret_bin = (struct fio_bin){hist_low_ns(i), count};
			if (step == 2)
				ret_bin->mid_ns += hist_width_ns(i);
			*cursor = i + step;
			return true;
		}
		i += step;
	}
	*cursor = HIST_BUCKETS;
	return false;
}

void fio_percentiles(const struct hist *hist, const double *percents, unsigned count,
		     uint64_t *ret_ns)
{
	double total = (double)hist_total(hist);
	uint64_t seen = 0;
	unsigned cursor = 0, p = 0;
	struct fio_bin bin;

	while (p < count && fio_bin_next(hist, &cursor, &bin)) {
		seen += bin.count;
		while (p < count && (double)seen >= percents[p] / 100.0 * total)
			ret_ns[p++] = bin.mid_ns;
	}
	for (; p < count; p++)
		ret_ns[p] = total > 0 ? bin.mid_ns : 0;
}

double fio_percent(uint64_t count, uint64_t total, double floor_percent)
{
	if (!count || !total)
		return 0;
	return fmax(floor_percent, 100.0 * (double)count / (double)total);
}

/* Which of the table's 33 cells a latency falls into; a bound belongs to the next cell. */
static double *lat_cell(struct fio_lat_table *table, uint64_t ns)
{
	uint64_t value = ns;
	double *cells = table->ns;

	if (ns >= NS_PER_MS) {
		value = ns / NS_PER_MS;
		cells = table->ms;
		for (unsigned i = 0; i < FIO_LAT_MS - 1; i++)
			if (value < fio_lat_bounds[i])
				return &cells[i];
		return &cells[FIO_LAT_MS - 1];
	}
	if (ns >= NS_PER_US) {
		value = ns / NS_PER_US;
		cells = table->us;
	}
	for (unsigned i = 0; i < FIO_LAT_NS; i++)
		if (value < fio_lat_bounds[i])
			return &cells[i];
	return &cells[FIO_LAT_NS - 1];
}

void fio_lat_table(const struct job_result *job, struct fio_lat_table *ret_table)
{
	struct fio_lat_table *t = ret_table;
	uint64_t total = 0;

	*t = (struct fio_lat_table){0};
	for (unsigned dir = 0; dir < NDATA; dir++) {
		const struct hist *hist = job->dir[dir].lat[LAT_CLAT].hist;

		total += job->dir[dir].ios;
		for (unsigned i = 0; hist && i < HIST_BUCKETS; i++)
			if (hist->count[i])
				*lat_cell(t, hist_mid_ns(i)) += (double)hist->count[i];
	}
	for (unsigned i = 0; i < FIO_LAT_NS; i++) {
		t->ns[i] = fio_percent((uint64_t)t->ns[i], total, 0.01);
		t->us[i] = fio_percent((uint64_t)t->us[i], total, 0.01);
	}
	for (unsigned i = 0; i < FIO_LAT_MS; i++)
		t->ms[i] = fio_percent((uint64_t)t->ms[i], total, 0.01);
}

void fio_depth_shares(const uint64_t *counts, unsigned n, double *ret_percent)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < n; i++)
		total += counts[i];
	for (unsigned i = 0; i < n; i++)
		ret_percent[i] = fio_percent(counts[i], total, 0.1);
}

double fio_cpu_percent(const struct job_result *job, uint64_t cpu_ns)
{
	return job->runtime_ns ? 100.0 * (double)cpu_ns / (double)job->runtime_ns : 0;
}

/* --- entries and groups --- */

static void add_mixed(struct arena *arena, struct dir_result *mixed,
		      const struct dir_result *dir)
{
	mixed->ios += dir->ios;
	mixed->bytes += dir->bytes;
	mixed->short_ios += dir->short_ios;
	mixed->errors += dir->errors;
	mixed->runtime_ns = max_u64(mixed->runtime_ns, dir->runtime_ns);
	for (unsigned kind = 0; kind < NLAT; kind++)
		lat_merge(arena, &mixed->lat[kind], &dir->lat[kind]);
	sample_stats_add_direction(&mixed->bw_kib, &dir->bw_kib);
	sample_stats_add_direction(&mixed->iops, &dir->iops);
}

const struct dir_result *fio_dir_result(const struct fio_entry *entry, enum fio_dir dir)
{
	return dir == FIO_MIXED ? &entry->mixed : &entry->job->dir[dir];
}

unsigned fio_dirs(const struct fio_entry *entry, enum fio_dir ret_dirs[FIO_NDIR])
{
	unsigned count = 0;

	if (entry->job->spec->unified_rw_reporting != UNIFIED_MIXED)
		for (; count < NDATA; count++)
			ret_dirs[count] = (enum fio_dir)count;
	if (entry->job->spec->unified_rw_reporting != UNIFIED_NONE)
		ret_dirs[count++] = FIO_MIXED;
	return count;
}

const struct fio_status *fio_status_of(const struct fio_report *report,
				       const struct fio_entry *entry)
{
	for (unsigned i = 0; i < report->nstatus; i++)
		if (report->status[i].group == entry->job->group)
			return &report->status[i];
	return NULL;
}

double fio_bw_share(const struct fio_report *report, const struct fio_entry *entry,
		    enum fio_dir dir)
{
	const struct fio_status *status = fio_status_of(report, entry);
	const struct dir_result *d = fio_dir_result(entry, dir);
	double kib;

	if (!d->bw_kib.samples || !status || !status->runtime_max_ms[dir])
		return 0;
	kib = (double)status->bytes[dir] / 1024.0 * 1000.0 /
	      (double)status->runtime_max_ms[dir];
	return kib > 0 ? fmin(100.0, 100.0 * d->bw_kib.mean / kib) : 0;
}

static void status_add(struct fio_status *status, enum fio_dir dir, const struct dir_result *d)
{
	uint64_t ms = fio_runtime_ms(d);
	double bw = (double)fio_bw_bytes(d);
	bool first = !status->runtime_max_ms[dir];

	if (!ms)
		return;
	status->bytes[dir] += d->bytes;
	status->bw_min[dir] = first ? bw : fmin(status->bw_min[dir], bw);
	status->bw_max[dir] = fmax(status->bw_max[dir], bw);
	status->runtime_min_ms[dir] = first ? ms : min_u64(status->runtime_min_ms[dir], ms);
	status->runtime_max_ms[dir] = max_u64(status->runtime_max_ms[dir], ms);
}

static void status_add_entry(struct fio_report *report, const struct fio_entry *entry)
{
	struct fio_status *status =
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): only const is cast away */
		(struct fio_status *)(uintptr_t)fio_status_of(report, entry);
	enum fio_dir dirs[FIO_NDIR];

	if (!status) {
		status = &report->status[report->nstatus++];
		status->group = entry->job->group;
	}
	for (unsigned i = fio_dirs(entry, dirs); i-- > 0;)
		if (dirs[i] != FIO_MIXED ||
		    entry->job->spec->unified_rw_reporting == UNIFIED_MIXED)
			status_add(status, dirs[i], fio_dir_result(entry, dirs[i]));
	if (entry->job->spec->unified_rw_reporting == UNIFIED_BOTH)
		for (unsigned dir = 0; dir < NDATA; dir++)
			status_add(status, FIO_MIXED, &entry->job->dir[dir]);
}

/*
 * fio's "elapsed" is the same of all jobs: from the start of the run to the last end, in seconds of
 * which the begun one counts, less the last ramp that was longer than what it led to. fio(1) does
 * not say so; measured with fio 3.33.
 */
static uint64_t elapsed_s(const struct result *result)
{
	uint64_t end_ns = 0, ramped_ns = 0, ramp_ns = 0;

	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];

		end_ns = max_u64(end_ns, job->end_ns);
		if (job->spec->ramp_time > job->end_ns - job->begin_ns &&
		    job->begin_ns >= ramped_ns) {
			ramped_ns = job->begin_ns;
			ramp_ns = job->spec->ramp_time;
		}
	}
	return (end_ns - min_u64(ramp_ns, end_ns)) / NS_PER_S + 1;
}

void fio_report_init(struct fio_report *report, struct result *result)
{
	struct arena *arena = &result->arena;
	struct job_result *groups;

	*report = (struct fio_report){
		.result = result, .terse_version = 3, .notes = true, .assay_version = "0"};
	report->elapsed_s = elapsed_s(result);
	result_fio_disks(result);
	groups = result_fio_groups(result, &report->nentries);
	report->entries = arena_array(arena, struct fio_entry, report->nentries + 1);
	report->status = arena_array(arena, struct fio_status, report->nentries + 1);
	for (unsigned i = 0; i < report->nentries; i++) {
		struct fio_entry *entry = &report->entries[i];

		entry->job = &groups[i];
		for (unsigned dir = 0; dir < NDATA; dir++)
			add_mixed(arena, &entry->mixed, &groups[i].dir[dir]);
		status_add_entry(report, entry);
	}
}

/* --- words --- */

static const char *const steady_names[] = {
	[STEADY_IOPS] = "iops", [STEADY_IOPS_SLOPE] = "iops_slope",
	[STEADY_BW] = "bw",	[STEADY_BW_SLOPE] = "bw_slope",
	[STEADY_LAT] = "lat",	[STEADY_LAT_SLOPE] = "lat_slope",
};

void fio_steady_name(const struct job_spec *spec, struct str *out)
{
	str_printf(out, "%s:%f%s", steady_names[spec->steadystate.metric],
		   spec->steadystate.limit, spec->steadystate.limit_is_percent ? "%" : "");
}

void fio_time_text(uint64_t wall_ns, struct str *out)
{
	time_t seconds = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;
	char text[64];

	localtime_r(&seconds, &tm);
	if (strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm))
		str_add(out, text);
}
