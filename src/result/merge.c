#include "result/merge.h"

#include <math.h>

#include "base/bits.h"

void lat_merge(struct arena *arena, struct lat *into, const struct lat *from)
{
	if (from->sums.total) {
		if (!into->sums.total)
			hist_sums_init(&into->sums);
		hist_sums_merge(&into->sums, &from->sums);
	}
	/* Told percentiles of one are those of the whole; of two they are nobody's. */
	into->told = into->sums.total == from->sums.total ? from->told : NULL;
	into->ntold = into->told ? from->ntold : 0;
	if (!from->hist)
		return;
	if (!into->hist)
		into->hist = arena_new(arena, struct hist);
	hist_merge(into->hist, from->hist);
}

/* fio adds minimum to minimum and mean to mean: what the members would show together if
 * their windows agreed. Squares add as well; deviation is kept as that of a population. */
static void sample_stats_merge(struct sample_stats *into, const struct sample_stats *from)
{
	double squares = into->deviation * into->deviation * (double)into->samples +
			 from->deviation * from->deviation * (double)from->samples;

	if (!from->samples)
		return;
	into->samples += from->samples;
	into->min += from->min;
	into->max += from->max;
	into->mean += from->mean;
	into->deviation = sqrt(squares / (double)into->samples);
}

void sample_stats_add_direction(struct sample_stats *into, const struct sample_stats *from)
{
	uint64_t samples = max_u64(into->samples, from->samples);
	uint64_t both = into->samples + from->samples;

	sample_stats_merge(into, from);
	if (samples) /* squares add, windows do not */
		into->deviation *= sqrt((double)both / (double)samples);
	into->samples = samples;
}

static void dir_merge(struct arena *arena, struct dir_result *into,
		      const struct dir_result *from)
{
	into->ios += from->ios;
	into->bytes += from->bytes;
	into->short_ios += from->short_ios;
	into->errors += from->errors;
	into->runtime_ns = max_u64(into->runtime_ns, from->runtime_ns);
	for (unsigned kind = 0; kind < NLAT; kind++)
		lat_merge(arena, &into->lat[kind], &from->lat[kind]);
	sample_stats_merge(&into->bw_kib, &from->bw_kib);
	sample_stats_merge(&into->iops, &from->iops);
}

static struct lat lat_copy(struct arena *arena, const struct lat *from)
{
	struct lat copy = {0};

	lat_merge(arena, &copy, from);
	return copy;
}

static uint64_t job_runtime_ns(const struct job_result *job)
{
	return job->runtime_ns ? job->runtime_ns : job->end_ns - job->begin_ns;
}

struct job_result job_result_copy(struct arena *arena, const struct job_result *from)
{
	struct job_result copy = *from;

	for (unsigned dir = 0; dir < NDIR; dir++)
		for (unsigned kind = 0; kind < NLAT; kind++)
			copy.dir[dir].lat[kind] = lat_copy(arena, &from->dir[dir].lat[kind]);
	copy.lateness = lat_copy(arena, &from->lateness);
	if (!copy.members)
		copy.members = 1;
	copy.runtime_ns = job_runtime_ns(from);
	return copy;
}

static void merge_errors(struct arena *arena, struct job_result *into,
			 const struct job_result *from)
{
	struct unfinished *all;

	if (!into->error)
		into->error = from->error;
	if (!into->killed_by)
		into->killed_by = from->killed_by;
	if (!into->first_error.code)
		into->first_error = from->first_error;
	into->total_errors += from->total_errors;
	into->stopped_by_limit |= from->stopped_by_limit;
	if (!from->nunfinished)
		return;
	all = arena_array(arena, struct unfinished, into->nunfinished + from->nunfinished);
	for (unsigned i = 0; i < into->nunfinished; i++)
		all[i] = into->unfinished[i];
	for (unsigned i = 0; i < from->nunfinished; i++)
		all[into->nunfinished + i] = from->unfinished[i];
	into->unfinished = all;
	into->nunfinished += from->nunfinished;
}

void job_result_merge(struct arena *arena, struct job_result *into,
		      const struct job_result *from)
{
	merge_errors(arena, into, from);
	for (unsigned dir = 0; dir < NDIR; dir++)
		dir_merge(arena, &into->dir[dir], &from->dir[dir]);
	lat_merge(arena, &into->lateness, &from->lateness);

	into->members += from->members ? from->members : 1;
	into->wall_start_ms = min_u64(into->wall_start_ms, from->wall_start_ms);
	into->elapsed_ns = max_u64(into->elapsed_ns, from->elapsed_ns);
	into->runtime_ns += job_runtime_ns(from);
	into->arrivals_due += from->arrivals_due;
	into->user_ns += from->user_ns;
	into->sys_ns += from->sys_ns;
	into->beyond_ns += from->beyond_ns;
	into->ramp_ios += from->ramp_ios;
	into->switches += from->switches;
	into->major_faults += from->major_faults;
	into->minor_faults += from->minor_faults;
	for (unsigned i = 0; i < DEPTH_BUCKETS; i++)
		into->depth[i] += from->depth[i];
	for (unsigned i = 0; i < BATCH_BUCKETS; i++) {
		into->submit[i] += from->submit[i];
		into->complete[i] += from->complete[i];
	}
	into->submits += from->submits;
	into->completes += from->completes;
	into->depth_mean += from->depth_mean;
	into->core_busy_max_percent =
		fmax(into->core_busy_max_percent, from->core_busy_max_percent);
	into->row_merges += from->row_merges;
	if (!into->steady)
		into->steady = from->steady;
	into->rows = NULL;
	into->nrows = 0;
}
