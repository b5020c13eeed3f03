/*
 * What the plausibility checks share. A check is a pure function of the result that adds notes;
 * each stands in the list of plausible.c and in doc/plausibility.md. What they judge is mostly
 * "the clones of one job together", summed up here once for each check that asks.
 */
#pragma once

#include "result/result.h"

typedef void plausible_check(struct result *result);

plausible_check check_direct, check_device_bytes, check_link_ceiling, check_drive_cache,
	check_zero_blocks, check_memory_target, check_swallowed; /* device */
plausible_check check_littles_law, check_depth, check_core, check_steal, check_schedule,
	check_mix, check_unequal_times, check_sequential_clones; /* load */
plausible_check check_governor, check_numa, check_link_down, check_other_io, check_other_run,
	check_environment, check_battery, check_clock; /* host */
plausible_check check_zero_io, check_latency_measured, check_samples, check_zero_intervals,
	check_seed, check_data, check_disk_util;	     /* measure */
plausible_check check_two_levels;			     /* level */
plausible_check check_errors, check_ended_early, check_rows; /* end */

/* All workers of one job. Latency sums are of LAT_TOTAL. */
struct clones {
	const struct job_spec *spec;
	unsigned members;
	uint64_t ios[NDIR], bytes[NDIR], runtime_ns[NDIR];
	uint64_t total_ios, errors, short_ios;
	double in_flight;    /* requests, by Little's law: sum of service times / span */
	double overhang;     /* of it at most, by requests that began before the span */
	bool has_latency;    /* every direction that did something was timed */
	double depth_mean;   /* as counted, all members; 0: not counted */
	uint64_t longest_ns; /* the longest member's span */
	uint64_t shortest_ns;
	uint64_t latest_begin_ns, earliest_end_ns, earliest_begin_ns, latest_end_ns;
	double core_busy_max_percent;
	uint64_t arrivals_due;
};

/* Figures of the job `spec`; members is 0 when none of it ran. */
struct clones clones_of(const struct result *result, const struct job_spec *spec);

bool spec_is_rated(const struct job_spec *spec);
/* Nothing but its own completions makes it send the next request. */
bool spec_is_closed_loop(const struct job_spec *spec);

bool result_has_reads(const struct result *result);
bool result_has_writes(const struct result *result);

/* Figures as words, kept in the result's arena. */
const char *say_time(struct result *result, uint64_t ns);
const char *say_decimal(struct result *result, uint64_t bytes);
const char *say_rate(struct result *result, double bytes_per_s);
const char *say_count(struct result *result, uint64_t count);

extern const char *const dir_names[NDIR]; /* "read", "write", "trim", "sync" */
