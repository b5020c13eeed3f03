#include "base/bits.h"
#include "base/quantity.h"
#include "result/plausible_priv.h"

const char *const dir_names[NDIR] = {"read", "write", "trim", "sync"};

bool spec_is_rated(const struct job_spec *spec)
{
	for (unsigned dir = 0; dir < NDATA; dir++)
		if (spec->rate[dir] || spec->rate_iops[dir])
			return true;
	return false;
}

bool spec_is_closed_loop(const struct job_spec *spec)
{
	return !spec_is_rated(spec) && !spec->thinktime && !spec->flow;
}

static void add_member(struct clones *sum, const struct job_result *job)
{
	uint64_t span = job->end_ns > job->begin_ns ? job->end_ns - job->begin_ns : 0;
	uint64_t max_ns = 0;

	for (unsigned dir = 0; dir < NDIR; dir++) {
		const struct dir_result *figures = &job->dir[dir];
		const struct hist_sums *sums = &figures->lat[LAT_TOTAL].sums;

		sum->ios[dir] += figures->ios;
		sum->total_ios += figures->ios;
		sum->bytes[dir] += figures->bytes;
		sum->errors += figures->errors;
		sum->short_ios += figures->short_ios;
		sum->runtime_ns[dir] = max_u64(sum->runtime_ns[dir], figures->runtime_ns);
		if (figures->ios && !sums->total)
			sum->has_latency = false;
		if (span && sums->total)
			sum->in_flight += (double)sums->sum_ns / (double)span;
		max_ns = max_u64(max_ns, sums->max_ns);
	}
	if (span && job->spec->ramp_time)
		sum->overhang += job->spec->iodepth * (double)max_ns / (double)span;
	sum->depth_mean += job->depth_mean;
	sum->arrivals_due += job->arrivals_due;
	if (job->core_busy_max_percent > sum->core_busy_max_percent)
		sum->core_busy_max_percent = job->core_busy_max_percent;
	sum->longest_ns = max_u64(sum->longest_ns, span);
	sum->shortest_ns = min_u64(sum->shortest_ns, span);
	sum->earliest_begin_ns = min_u64(sum->earliest_begin_ns, job->begin_ns);
	sum->latest_begin_ns = max_u64(sum->latest_begin_ns, job->begin_ns);
	sum->earliest_end_ns = min_u64(sum->earliest_end_ns, job->end_ns);
	sum->latest_end_ns = max_u64(sum->latest_end_ns, job->end_ns);
	sum->members++;
}

struct clones clones_of(const struct result *result, const struct job_spec *spec)
{
	struct clones sum = {.spec = spec,
			     .has_latency = true,
			     .shortest_ns = UINT64_MAX,
			     .earliest_begin_ns = UINT64_MAX,
			     .earliest_end_ns = UINT64_MAX};

	for (unsigned i = 0; i < result->njobs; i++)
		if (result->jobs[i].spec == spec)
			add_member(&sum, &result->jobs[i]);
	return sum;
}

static bool moved(const struct result *result, enum dir dir)
{
	for (unsigned i = 0; i < result->njobs; i++)
		if (result->jobs[i].dir[dir].ios)
			return true;
	return false;
}

bool result_has_reads(const struct result *result)
{
	return moved(result, DIR_READ);
}

bool result_has_writes(const struct result *result)
{
	return moved(result, DIR_WRITE);
}

const char *say_time(struct result *result, uint64_t ns)
{
	autostr text = {0};

	quantity_time(ns, &text);
	return arena_strdup(&result->arena, str_text(&text));
}

const char *say_decimal(struct result *result, uint64_t bytes)
{
	autostr text = {0};

	quantity_decimal(bytes, &text);
	return arena_strdup(&result->arena, str_text(&text));
}

const char *say_rate(struct result *result, double bytes_per_s)
{
	autostr text = {0};

	quantity_rate(bytes_per_s, &text);
	return arena_strdup(&result->arena, str_text(&text));
}

const char *say_count(struct result *result, uint64_t count)
{
	autostr text = {0};

	quantity_count(count, &text);
	return arena_strdup(&result->arena, str_text(&text));
}

void result_plausibility(struct result *result)
{
	/* The order in which a reader wants them: what went wrong, what the figures are not,
	 * what lay below them, what stood around. */
	static plausible_check *const checks[] = {
		check_errors,
		check_ended_early,
		check_zero_io,
		check_latency_measured,
		check_zero_intervals,
		check_two_levels,
		check_direct,
		check_device_bytes,
		check_link_ceiling,
		check_zero_blocks,
		check_memory_target,
		check_swallowed,
		check_drive_cache,
		check_littles_law,
		check_depth,
		check_core,
		check_steal,
		check_schedule,
		check_mix,
		check_unequal_times,
		check_sequential_clones,
		check_samples,
		check_seed,
		check_data,
		check_governor,
		check_numa,
		check_link_down,
		check_other_io,
		check_other_run,
		check_environment,
		check_battery,
		check_clock,
		check_rows,
		check_disk_util,
	};

	if (result->set->face == FACE_FIO)
		result_fio_disks(result); /* one of the checks looks at them */
	for (unsigned i = 0; i < ARRAY_SIZE(checks); i++)
		checks[i](result);
}
