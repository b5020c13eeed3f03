/* Figures of a cell: out of a run's result, and out of several runs of the same cell. */
#include "plan/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "plan/plan_priv.h"
#include "result/codec.h"
#include "result/figure.h"
#include "result/levels.h"
#include "stat/steady.h"

#define PARTS 5 /* of a cell, to see whether it moved */

/* Percentiles of a histogram that a user may be told. */
static void set_percentiles(double *value, const struct hist *hist, double max_ns)
{
	uint64_t total = hist_total(hist);

	for (unsigned m = 0; m < NCELL_METRIC; m++) {
		double percent = cell_metrics[m].percent;

		if (percent > 0 && hist_percentile_is_sound(total, percent))
			value[m] = fmin((double)hist_percentile_ns(hist, percent), max_ns);
	}
}

/* --- of a result --- */

struct sum { /* of one direction over all groups of a run, or of all directions */
	struct hist hist;
	struct hist_sums sums;
	uint64_t ios, errors;
	double ios_per_s, bytes_per_s;
	bool asked; /* the jobs were to do it: none done is a figure, zero */
};

static void add_direction(struct sum *sum, const struct job_result *group, enum dir dir)
{
	const struct dir_result *figures = &group->dir[dir];
	const struct lat *lat = group->arrivals_due ? &figures->lat[LAT_RESPONSE]
						    : figure_service(figures, NULL);
	struct rate rate = result_rate(group, dir);

	sum->ios += figures->ios;
	sum->errors += figures->errors;
	sum->ios_per_s += rate.ios_per_s;
	sum->bytes_per_s += rate.bytes_per_s;
	sum->asked |= group->spec->rw.does[dir];
	if (!lat->sums.total)
		return;
	hist_sums_merge(&sum->sums, &lat->sums);
	if (lat->hist)
		hist_merge(&sum->hist, lat->hist);
}

static void put_sum(const struct sum *sum, enum plan_dir dir, struct plan_entry *entry,
		    struct arena *arena)
{
	struct plan_figures *figures = &entry->figures;
	double *value = figures->value[dir];
	autostr blob = {0};

	figures->ios[dir] = sum->ios;
	if (!sum->asked)
		return;
	value[CELL_IOS_PER_S] = sum->ios_per_s;
	value[CELL_BYTES_PER_S] = sum->bytes_per_s;
	if (!sum->sums.total)
		return;
	value[CELL_MEAN_NS] = hist_sums_mean_ns(&sum->sums);
	value[CELL_MAX_NS] = (double)sum->sums.max_ns;
	set_percentiles(value, &sum->hist, value[CELL_MAX_NS]);
	codec_hist_encode(&sum->hist, &blob);
	entry->hist[dir] =
		(struct plan_blob){arena_strndup(arena, blob.text, blob.length), blob.length};
}

static bool counts(const struct row *row)
{
	return !row->ramp && !row->partial;
}

static void count_rows(const struct result *result, struct plan_figures *figures)
{
	for (unsigned i = 0; i < result->nrows; i++) {
		figures->intervals += counts(&result->rows[i]);
		figures->zero_intervals += result_row_is_idle(result, &result->rows[i]);
	}
}

/* Arrivals at random scatter by themselves: the range of five counts is within 4.6 deviations in 99
 * of 100 cases (the studentized range), so with fewer requests than these 20 % are no news. */
#define POISSON_PART_MIN 529 /* (4.6 / 20 %) squared */

static bool arrives_at_random(const struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];

		for (unsigned d = 0; d < NDATA; d++)
			if ((spec->rate[d] || spec->rate_iops[d]) &&
			    spec->rate_process == RATE_POISSON)
				return true;
	}
	return false;
}

/* SNIA's range, over five equal parts of the cell: a drive that left its steady state shows. */
static double moved(const struct result *result)
{
	double part[PARTS] = {0};
	struct steady_snia steady;
	unsigned first = 0, end = result->nrows, each;

	while (first < end && !counts(&result->rows[first]))
		first++;
	while (end > first && !counts(&result->rows[end - 1]))
		end--;
	each = (end - first) / PARTS;
	if (!each)
		return (double)NAN;
	for (unsigned i = 0; i < PARTS * each; i++)
		for (unsigned d = 0; d < NDATA; d++)
			part[i / each] += (double)result->rows[first + i].dir[d].ios;
	steady_snia(part, PARTS, &steady);
	if (steady.mean < POISSON_PART_MIN && arrives_at_random(result))
		return (double)NAN;
	return steady.range_percent;
}

/* A burst and what stays after it, or the one level that held. */
static struct plan_levels levels_of(const struct result *result)
{
	struct plan_levels levels = {(double)NAN, (double)NAN, (double)NAN};
	struct bucket_fit fit;

	result_levels(result, &fit);
	if (fit.has_burst || fit.is_level)
		levels.base_per_s = fit.base_per_s;
	if (fit.has_burst) {
		levels.burst_per_s = fit.burst_per_s;
		levels.burst_s = fit.burst_s;
	}
	return levels;
}

void plan_entry_measure(struct result *result, struct arena *arena, struct plan_entry *entry)
{
	struct sum *sums = memory_zeroed(NPLAN_DIRS, sizeof(*sums));
	unsigned ngroups;
	struct job_result *groups = result_groups(result, &ngroups);

	plan_figures_init(&entry->figures);
	for (unsigned d = 0; d < NPLAN_DIRS; d++)
		hist_sums_init(&sums[d].sums);
	for (unsigned g = 0; g < ngroups; g++) {
		for (enum dir dir = DIR_READ; dir < NDATA; dir++) {
			add_direction(&sums[dir], &groups[g], dir);
			add_direction(&sums[PLAN_ALL], &groups[g], dir);
		}
		entry->figures.errors += groups[g].total_errors + (groups[g].error != 0);
	}
	for (unsigned d = 0; d < NPLAN_DIRS; d++)
		put_sum(&sums[d], (enum plan_dir)d, entry, arena);
	free(sums);
	count_rows(result, &entry->figures);
	entry->figures.levels = levels_of(result);
	entry->moved_percent = moved(result);
}

/* --- of several entries --- */

struct several {
	unsigned count;
	double *values; /* room for one of each */
	const struct plan_entry *entry[];
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double aggregate(enum plan_aggregate how, enum cell_metric metric, double *values,
			unsigned count)
{
	double sum = 0;

	if (!count)
		return (double)NAN;
	qsort(values, count, sizeof(*values), by_value);
	if (how == PLAN_BEST)
		return values[cell_metrics[metric].less_is_better ? 0 : count - 1];
	if (how == PLAN_MEDIAN)
		return (values[(count - 1) / 2] + values[count / 2]) / 2;
	for (unsigned i = 0; i < count; i++)
		sum += values[i];
	return sum / count;
}

static double over_entries(const struct several *all, enum plan_dir dir,
			   enum cell_metric metric, enum plan_aggregate how)
{
	double *values = all->values;
	unsigned count = 0;

	for (unsigned i = 0; i < all->count; i++) {
		double value = all->entry[i]->figures.value[dir][metric];

		if (!isnan(value))
			values[count++] = value;
	}
	return aggregate(how, metric, values, count);
}

static void add_counts(const struct several *all, struct plan_figures *figures)
{
	for (unsigned i = 0; i < all->count; i++) {
		const struct plan_figures *one = &all->entry[i]->figures;

		for (unsigned d = 0; d < NPLAN_DIRS; d++)
			figures->ios[d] += one->ios[d];
		figures->errors += one->errors;
		figures->intervals += one->intervals;
		figures->zero_intervals += one->zero_intervals;
	}
}

/* Repetitions: each figure of its own. */
static void repetitions(const struct several *all, enum plan_aggregate how,
			struct plan_figures *figures)
{
	for (unsigned d = 0; d < NPLAN_DIRS; d++)
		for (unsigned m = 0; m < NCELL_METRIC; m++)
			figures->value[d][m] =
				over_entries(all, (enum plan_dir)d, (enum cell_metric)m, how);
}

/* The rounds of a window: one long measurement. Rates are means, latencies are weighted by
 * requests, percentiles come out of the merged histograms. */
static void rounds(const struct several *all, struct hist *hist, struct plan_figures *figures)
{
	for (unsigned d = 0; d < NPLAN_DIRS; d++) {
		double *value = figures->value[d], sum_ns = 0;
		enum plan_dir dir = (enum plan_dir)d;

		value[CELL_IOS_PER_S] = over_entries(all, dir, CELL_IOS_PER_S, PLAN_MEAN);
		value[CELL_BYTES_PER_S] = over_entries(all, dir, CELL_BYTES_PER_S, PLAN_MEAN);
		*hist = (struct hist){0};
		for (unsigned i = 0; i < all->count; i++) {
			const struct plan_entry *entry = all->entry[i];
			const double *one = entry->figures.value[d];

			if (!entry->figures.ios[d] || isnan(one[CELL_MEAN_NS]))
				continue;
			sum_ns += one[CELL_MEAN_NS] * (double)entry->figures.ios[d];
			value[CELL_MAX_NS] = fmax(value[CELL_MAX_NS], one[CELL_MAX_NS]);
			plan_entry_hist(entry, dir, hist);
		}
		if (figures->ios[d] && sum_ns > 0)
			value[CELL_MEAN_NS] = sum_ns / (double)figures->ios[d];
		set_percentiles(value, hist, value[CELL_MAX_NS]);
	}
}

/* The window of rounds that stands for the step: of its last pass. */
static void window_of(const struct plan_lane *lane, unsigned step, struct range *ret_rounds,
		      unsigned *ret_pass)
{
	struct plan_steady steady;
	unsigned last = 0, from = 0;
	const struct plan_entry *entry;

	while ((entry = plan_entry_next(lane, step, &from)))
		last = entry->task.pass;
	plan_steady(lane, step, last, &steady);
	*ret_rounds = (struct range){steady.first_round, steady.first_round + steady.nwindow};
	*ret_pass = last;
}

static bool is_wanted(const struct plan_step *step, const struct plan_task *task,
		      const struct range *rounds_wanted, unsigned pass)
{
	if (step->kind == PLAN_ROUNDS)
		return task->pass == pass && task->round >= rounds_wanted->min &&
		       task->round < rounds_wanted->max;
	return task->pass >= step->discard;
}

static struct several *several_new(unsigned room)
{
	struct several *all =
		memory_zeroed(1, sizeof(*all) + room * sizeof(const struct plan_entry *));

	all->values = memory_zeroed(room + 1, sizeof(*all->values));
	return all;
}

static void several_free(struct several *all)
{
	free(all->values);
	free(all);
}

/* The entries that stand for a cell; the caller's to free. */
static struct several *entries_of(const struct plan_lane *lane, unsigned step_number,
				  unsigned cell)
{
	const struct plan_step *step = &lane->plan->steps[step_number];
	struct several *all = several_new(lane->journal->count);
	struct range rounds_wanted = {0};
	const struct plan_entry *entry;
	unsigned from = 0, pass = 0;

	if (step->kind == PLAN_ROUNDS)
		window_of(lane, step_number, &rounds_wanted, &pass);
	while ((entry = plan_entry_next(lane, step_number, &from)))
		if (entry->task.cell == cell && entry->state != PLAN_SKIPPED &&
		    is_wanted(step, &entry->task, &rounds_wanted, pass))
			all->entry[all->count++] = entry;
	return all;
}

unsigned plan_cell_entries(const struct plan_lane *lane, unsigned step, unsigned cell,
			   const struct plan_entry **ret_entries, unsigned room)
{
	struct several *all = entries_of(lane, step, cell);
	unsigned count = all->count < room ? all->count : room;

	for (unsigned i = 0; i < count; i++)
		ret_entries[i] = all->entry[i];
	several_free(all);
	return count;
}

void plan_entry_hist(const struct plan_entry *entry, enum plan_dir dir, struct hist *into)
{
	const struct plan_blob *blob = &entry->hist[dir];

	if (blob->count) /* ours: it was read back or just made */
		(void)codec_hist_merge(blob->bytes, blob->count, into);
}

void plan_cell_hist(const struct plan_lane *lane, unsigned step, unsigned cell,
		    enum plan_dir dir, struct hist *into)
{
	struct several *all = entries_of(lane, step, cell);

	for (unsigned i = 0; i < all->count; i++)
		plan_entry_hist(all->entry[i], dir, into);
	several_free(all);
}

bool plan_cell_figures(const struct plan_lane *lane, unsigned step_number, unsigned cell,
		       struct plan_figures *ret_figures)
{
	const struct plan_step *step = &lane->plan->steps[step_number];
	struct several *all = entries_of(lane, step_number, cell);
	bool found = all->count > 0;

	plan_figures_init(ret_figures);
	add_counts(all, ret_figures);
	if (all->count == 1)
		ret_figures->levels = all->entry[0]->figures.levels;
	if (found && (step->kind == PLAN_ROUNDS || step->kind == PLAN_SOAK)) {
		struct hist *hist = memory_zeroed(1, sizeof(*hist));

		rounds(all, hist, ret_figures);
		free(hist);
	} else if (found) {
		repetitions(all, step->aggregate, ret_figures);
	}
	several_free(all);
	return found;
}

unsigned plan_cell_values(const struct plan_lane *lane, unsigned step_number, unsigned cell,
			  enum cell_metric metric, double *ret_values, unsigned room)
{
	const struct plan_step *step = &lane->plan->steps[step_number];
	bool whole = step->kind == PLAN_ROUNDS || step->kind == PLAN_SOAK;
	struct several *all = entries_of(lane, step_number, cell);
	struct plan_figures figures;
	unsigned count = 0;

	for (unsigned i = 0; i < all->count && count < room && !whole; i++) {
		double value = all->entry[i]->figures.value[PLAN_ALL][metric];

		if (!isnan(value))
			ret_values[count++] = value;
	}
	several_free(all);
	if (whole && room && plan_cell_figures(lane, step_number, cell, &figures) &&
	    !isnan(figures.value[PLAN_ALL][metric]))
		ret_values[count++] = figures.value[PLAN_ALL][metric];
	return count;
}
