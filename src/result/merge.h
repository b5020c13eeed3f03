/*
 * Adding one worker's figures to those of others: what every view of a group has in common.
 * Counts add, extremes stay extremes, histograms add bucket by bucket; what the views differ
 * in (runtime, rates, the interval) they set themselves.
 */
#pragma once

#include "base/arena.h"
#include "result/result.h"

/* A copy that owns its histograms, so that others can be merged into it. */
struct job_result job_result_copy(struct arena *arena, const struct job_result *from);
void job_result_merge(struct arena *arena, struct job_result *into,
		      const struct job_result *from);
/* Latencies only; allocates the histogram of `into` where only `from` has one. */
void lat_merge(struct arena *arena, struct lat *into, const struct lat *from);

/* Two directions of one worker, whose windows are the same instants: the number of samples is
 * that of the windows, all else adds. */
void sample_stats_add_direction(struct sample_stats *into, const struct sample_stats *from);
