#include "stat/series.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/memory.h"

/* A first or last interval of which less than this share was measured is a partial one. */
#define RANGE_FULL_PERCENT 99

void series_init(struct series *series, uint64_t interval_ns)
{
	assert(interval_ns);
	*series = (struct series){.interval_ns = interval_ns,
				  .begin_ns = UINT64_MAX,
				  .has_latency = true,
				  .unit_cells = 1};
	for (unsigned d = 0; d < SERIES_DIRS; d++)
		hist_sums_init(&series->part[d].sums);
}

void series_done(struct series *series)
{
	for (unsigned d = 0; d < SERIES_DIRS; d++) {
		free(series->part[d].cells);
		free(series->part[d].units);
		free(series->part[d].open);
		series->part[d].cells = NULL;
		series->part[d].units = series->part[d].open = NULL;
	}
}

int series_find_threshold(const struct series *series, uint64_t threshold_ns)
{
	for (unsigned i = 0; i < series->nthresholds; i++) {
		if (series->thresholds_ns[i] == threshold_ns)
			return (int)i;
	}
	return -1;
}

int series_threshold(struct series *series, uint64_t threshold_ns, struct err *err)
{
	assert(!series->any);
	if (series_find_threshold(series, threshold_ns) >= 0)
		return 0;
	if (series->nthresholds == SERIES_THRESHOLDS_MAX)
		return err_input(err, "more than %u latencies to count above: take some out",
				 SERIES_THRESHOLDS_MAX);
	series->thresholds_ns[series->nthresholds++] = threshold_ns;
	return 0;
}

static void cells_init(struct series_cell *cells, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		cells[i] = (struct series_cell){.min_ns = UINT64_MAX,
						.waiting_since_ns = UINT64_MAX};
}

static void part_open(struct series *series, struct series_part *part)
{
	part->cells = memory_take(series->room * sizeof(*part->cells));
	cells_init(part->cells, 0, series->room);
	part->units = memory_zeroed(SERIES_UNITS, sizeof(*part->units));
	part->open = memory_zeroed(1, sizeof(*part->open));
}

static void room_for(struct series *series, unsigned ncells)
{
	unsigned room = series->room;

	if (ncells <= room)
		return;
	room = (unsigned)min_u64(max_u64(ncells, room + room / 2 + 64), SERIES_CELLS_MAX);
	for (unsigned d = 0; d < SERIES_DIRS; d++) {
		struct series_part *part = &series->part[d];

		if (!part->cells)
			continue;
		part->cells = memory_resize(part->cells, room, sizeof(*part->cells));
		cells_init(part->cells, series->room, room);
	}
	series->room = room;
}

/* Percentiles of one interval; only the buckets between its extremes are looked at. */
static void cell_percentiles(struct series_cell *cell, const struct hist *hist)
{
	unsigned low = hist_index(cell->min_ns), high = hist_index(cell->max_ns), p = 0;
	/* ceil(count * share), in integers: thousandths */
	const uint64_t thousandths[] = {500, 990, 999};
	uint64_t value[3] = {0}, seen = 0;

	for (unsigned i = low; i <= high && p < 3; i++) {
		seen += hist->count[i];
		while (p < 3 && seen && seen * 1000 >= cell->count * thousandths[p])
			value[p++] =
				min_u64(max_u64(hist_mid_ns(i), cell->min_ns), cell->max_ns);
	}
	cell->p50_ns = (float)value[0];
	cell->p99_ns = (float)value[1];
	cell->p999_ns = (float)value[2];
}

/* Adds the open histogram's buckets between two values to another, and empties them. */
static void hist_move(struct hist *into, struct hist *from, unsigned low, unsigned high)
{
	for (unsigned i = low; i <= high; i++) {
		into->count[i] += from->count[i];
		from->count[i] = 0;
	}
}

static void units_halve(struct series *series)
{
	for (unsigned d = 0; d < SERIES_DIRS; d++) {
		struct hist *units = series->part[d].units;

		if (!units)
			continue;
		for (size_t i = 0; i < SERIES_UNITS / 2; i++) {
			struct hist sum = units[2 * i];

			hist_merge(&sum, &units[2 * i + 1]);
			units[i] = sum;
		}
		memset(&units[SERIES_UNITS / 2], 0, SERIES_UNITS / 2 * sizeof(*units));
	}
	series->unit_cells *= 2;
}

/* All directions of one interval: the open histograms are about to be emptied. */
static void close_all(struct series *series, unsigned at)
{
	struct series_part *all = &series->part[SERIES_ALL];
	struct series_cell *cell = &all->cells[at];

	for (unsigned d = 0; d < SERIES_ALL; d++) {
		const struct series_part *part = &series->part[d];
		const struct series_cell *one = part->cells ? &part->cells[at] : NULL;

		if (!one || !one->count)
			continue;
		for (unsigned i = hist_index(one->min_ns); i <= hist_index(one->max_ns); i++)
			all->open->count[i] += part->open->count[i];
		cell->min_ns = min_u64(cell->min_ns, one->min_ns);
		cell->max_ns = max_u64(cell->max_ns, one->max_ns);
		cell->count += one->count;
	}
}

/* The current interval is over: its percentiles are taken, its histograms join their unit. */
static void cell_close(struct series *series)
{
	unsigned at = series->ncells - 1;

	while (at / series->unit_cells >= SERIES_UNITS)
		units_halve(series);
	close_all(series, at);
	for (unsigned d = 0; d < SERIES_DIRS; d++) {
		struct series_part *part = &series->part[d];
		struct series_cell *cell = part->cells ? &part->cells[at] : NULL;

		if (!cell || !cell->count)
			continue;
		cell_percentiles(cell, part->open);
		hist_move(&part->units[at / series->unit_cells], part->open,
			  hist_index(cell->min_ns), hist_index(cell->max_ns));
	}
}

/* Makes cell `at` the current one. */
static int reach(struct series *series, uint64_t at, struct err *err)
{
	if (at < series->ncells)
		return 0;
	if (at >= SERIES_CELLS_MAX)
		return err_input(err,
				 "more than %u intervals: take a longer one (--interval), or a "
				 "part of the log",
				 SERIES_CELLS_MAX);
	if (series->ncells)
		cell_close(series);
	room_for(series, (unsigned)at + 1);
	if (!series->part[SERIES_ALL].cells)
		part_open(series, &series->part[SERIES_ALL]);
	series->ncells = (unsigned)at + 1;
	return 0;
}

/* Intervals before `at` in which this request was in flight. Those that an older one has
 * marked are marked down to that one's start. */
static void mark_waiting(const struct series *series, struct series_part *part, unsigned at,
			 uint64_t start_ns)
{
	unsigned from = (unsigned)(start_ns / series->interval_ns);

	for (unsigned i = at; i > from; i--) {
		struct series_cell *cell = &part->cells[i - 1];

		if (cell->waiting_since_ns <= start_ns)
			return;
		cell->waiting_since_ns = start_ns;
	}
}

static void cell_add(const struct series *series, struct series_part *part,
		     struct series_cell *cell, const struct series_sample *sample)
{
	uint64_t ns = series->has_latency ? sample->latency_ns : 0;

	if (!sample->count)
		return;
	if (!cell->count || sample->time_ns < cell->first_ns)
		cell->first_ns = sample->time_ns;
	cell->last_ns = max_u64(cell->last_ns, sample->time_ns);
	cell->count += sample->count;
	cell->bytes += sample->bytes;
	cell->sum_ns += (double)ns * (double)sample->count;
	cell->min_ns = min_u64(cell->min_ns, ns);
	cell->max_ns = max_u64(cell->max_ns, ns);
	for (unsigned i = 0; i < series->nthresholds; i++)
		cell->over[i] += ns > series->thresholds_ns[i] ? (uint32_t)sample->count : 0;
	hist_sums_add(&part->sums, ns, sample->count);
	part->bytes += sample->bytes;
}

int series_add(struct series *series, const struct series_sample *sample, struct err *err)
{
	uint64_t at = sample->time_ns / series->interval_ns, start_ns = sample->time_ns;
	uint64_t ns = series->has_latency ? sample->latency_ns : 0;
	struct series_part *part;
	int rc;

	debug_assert(!series->finished && sample->dir < SERIES_ALL);
	rc = reach(series, at, err);
	if (rc)
		return rc;
	part = &series->part[sample->dir];
	if (unlikely(!part->cells))
		part_open(series, part);
	start_ns -= min_u64(start_ns, ns);
	if (unlikely(start_ns / series->interval_ns < at))
		mark_waiting(series, part, (unsigned)at, start_ns);
	cell_add(series, part, &part->cells[at], sample);
	if (likely(at + 1 == series->ncells)) {
		hist_add(part->open, ns, sample->count);
	} else { /* its interval is closed: the run's figures have it, its percentiles do not */
		hist_add(&part->units[at / series->unit_cells], ns, sample->count);
		part->cells[at].p50_ns = part->cells[at].p99_ns = part->cells[at].p999_ns = 0;
		series->late++;
	}
	series->any = true;
	series->begin_ns = min_u64(series->begin_ns, start_ns);
	series->end_ns = max_u64(series->end_ns, sample->time_ns);
	series->last_ns = max_u64(series->last_ns, sample->time_ns);
	return 0;
}

int series_end(struct series *series, uint64_t end_ns, struct err *err)
{
	if (end_ns <= series->end_ns)
		return 0;
	series->end_ns = end_ns;
	return reach(series, (end_ns - 1) / series->interval_ns, err);
}

static void finish_all_cell(struct series *series, unsigned at)
{
	struct series_cell *all = &series->part[SERIES_ALL].cells[at], sum = {0};

	sum.min_ns = sum.waiting_since_ns = UINT64_MAX;
	sum.p50_ns = all->p50_ns;
	sum.p99_ns = all->p99_ns;
	sum.p999_ns = all->p999_ns;
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		const struct series_part *part = &series->part[d];
		const struct series_cell *one = part->cells ? &part->cells[at] : NULL;

		if (!one)
			continue;
		sum.waiting_since_ns = min_u64(sum.waiting_since_ns, one->waiting_since_ns);
		if (!one->count)
			continue;
		sum.first_ns = sum.count ? min_u64(sum.first_ns, one->first_ns) : one->first_ns;
		sum.last_ns = max_u64(sum.last_ns, one->last_ns);
		sum.count += one->count;
		sum.bytes += one->bytes;
		sum.sum_ns += one->sum_ns;
		sum.min_ns = min_u64(sum.min_ns, one->min_ns);
		sum.max_ns = max_u64(sum.max_ns, one->max_ns);
		for (unsigned i = 0; i < series->nthresholds; i++)
			sum.over[i] += one->over[i];
	}
	if (sum.count != all->count) /* late samples came after its percentiles */
		sum.p50_ns = sum.p99_ns = sum.p999_ns = 0;
	*all = sum;
}

static void finish_part(struct series *series, struct series_part *part)
{
	for (unsigned i = 0; i < series->nunits; i++)
		hist_merge(&part->hist, &part->units[i]);
	for (unsigned i = 0; i < series->ncells; i++) {
		for (unsigned t = 0; t < series->nthresholds; t++)
			part->over[t] += part->cells[i].over[t];
	}
}

void series_finish(struct series *series)
{
	struct series_part *all = &series->part[SERIES_ALL];

	assert(!series->finished);
	series->finished = true;
	if (!series->ncells)
		return;
	cell_close(series);
	for (unsigned i = 0; i < series->ncells; i++)
		finish_all_cell(series, i);
	series->nunits = (series->ncells - 1) / series->unit_cells + 1;
	/* units of all directions anew: they have the late samples too */
	memset(all->units, 0, SERIES_UNITS * sizeof(*all->units));
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		struct series_part *part = &series->part[d];

		if (!part->cells)
			continue;
		for (unsigned i = 0; i < series->nunits; i++)
			hist_merge(&all->units[i], &part->units[i]);
		hist_sums_merge(&all->sums, &part->sums);
		all->bytes += part->bytes;
		finish_part(series, part);
	}
	finish_part(series, all);
}

void series_range(const struct series *series, struct series_range *ret_range)
{
	uint64_t slack = series->interval_ns / 100 * (100 - RANGE_FULL_PERCENT), begin, end;

	*ret_range = (struct series_range){0};
	if (!series->any)
		return;
	begin = series->begin_ns / series->interval_ns;
	ret_range->partial_first = series->begin_ns - begin * series->interval_ns > slack;
	end = (series->end_ns + slack) / series->interval_ns;
	ret_range->partial_last = end * series->interval_ns < series->end_ns;
	ret_range->first = (unsigned)begin + ret_range->partial_first;
	ret_range->end = (unsigned)min_u64(end, series->ncells);
	if (ret_range->end < ret_range->first)
		ret_range->end = ret_range->first;
}
