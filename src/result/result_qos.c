#include "result/result_qos.h"

#include "base/bits.h"
#include "result/codec.h"
#include "result/figure.h"

static const enum dir dirs[] = {
	[SERIES_READ] = DIR_READ,
	[SERIES_WRITE] = DIR_WRITE,
	[SERIES_TRIM] = DIR_TRIM,
};

/* A load with a rate or think time leaves the drive idle by intent: an empty row of it is no
 * fault that a row could prove. */
static bool keeps_depth_filled(const struct result *result)
{
	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_spec *spec = result->jobs[i].spec;

		if (!spec || spec->thinktime)
			return false;
		for (unsigned d = 0; d < NDATA; d++) {
			if (spec->rate[d] || spec->rate_iops[d])
				return false;
		}
	}
	return true;
}

static void add_cell(const struct row *row, unsigned d, struct series_cell *cell)
{
	const struct row_dir *from = &row->dir[dirs[d]];

	*cell = (struct series_cell){.count = from->ios,
				     .bytes = from->bytes,
				     .max_ns = from->max_ns,
				     .sum_ns = from->mean_ns * (double)from->ios,
				     .p50_ns = (float)from->p50_ns,
				     .p99_ns = (float)from->p99_ns,
				     .p999_ns = (float)from->p999_ns,
				     .waiting_since_ns = UINT64_MAX};
}

/* A group of an older file tells only the time that its members had in common. What did
 * something and tells no time at all may have done it anywhere. */
static uint64_t ran_within_ns(const struct job_result *job, const struct row *row)
{
	uint64_t begin_ns = job->whole_end_ns ? job->whole_begin_ns : job->begin_ns;
	uint64_t end_ns = job->whole_end_ns ? job->whole_end_ns : job->end_ns;

	if ((job->members > 1 && !job->whole_end_ns) ||
	    (end_ns <= begin_ns && figure_total_ios(job)))
		return row->end_ns - row->begin_ns;
	begin_ns = max_u64(begin_ns, row->begin_ns);
	end_ns = min_u64(end_ns, row->end_ns);
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* An interval without completions of a direction is a fault only where a job that does it ran,
 * for half of the interval at least: a job after a stonewall has nothing outstanding before. */
static void mark_waiting(const struct result *result, unsigned d, unsigned at,
			 struct series_cell *cell)
{
	const struct row *row = &result->rows[at];

	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];
		bool does =
			d == SERIES_ALL || job->dir[dirs[d]].ios || job->spec->rw.does[dirs[d]];

		if (does && 2 * ran_within_ns(job, row) >= row->end_ns - row->begin_ns)
			cell->waiting_since_ns = 0;
	}
}

/* Percentiles of all directions together are not in a row; they cannot be made of parts. */
static void join_cell(struct series_cell *all, const struct series_cell *one)
{
	all->count += one->count;
	all->bytes += one->bytes;
	all->sum_ns += one->sum_ns;
	all->max_ns = max_u64(all->max_ns, one->max_ns);
}

static void fill_part(const struct result *result, struct arena *arena, unsigned d,
		      struct qos_part *part)
{
	struct hist *hist = arena_new(arena, struct hist);
	struct series_cell *cells = arena_array(arena, struct series_cell, result->nrows + 1UL);

	hist_sums_init(&part->sums);
	for (unsigned i = 0; i < result->njobs; i++) {
		const struct dir_result *dir = &result->jobs[i].dir[dirs[d]];
		const struct lat *lat = dir->lat[LAT_RESPONSE].hist ? &dir->lat[LAT_RESPONSE]
								    : &dir->lat[LAT_TOTAL];

		part->bytes += dir->bytes;
		if (!lat->hist)
			continue;
		hist_merge(hist, lat->hist);
		hist_sums_merge(&part->sums, &lat->sums);
	}
	for (unsigned i = 0; i < result->nrows; i++) {
		add_cell(&result->rows[i], d, &cells[i]);
		mark_waiting(result, d, i, &cells[i]);
	}
	part->hist = hist;
	part->cells = cells;
}

/* What the histogram of an interval is added to. */
struct sink {
	struct hist *unit;
	uint32_t *column; /* of a density; NULL: not wanted */
};

static void add_bucket(void *context, unsigned bucket, uint64_t count)
{
	const struct sink *sink = context;

	sink->unit->count[bucket] += count;
	if (sink->column)
		density_cell_add(&sink->column[bucket / DENSITY_BUCKETS_PER_ROW], count);
}

/* Intervals together, SERIES_UNITS at most, and where in time requests lie; neither where an
 * interval's histogram is missing. */
static bool fill_units(const struct result *result, struct hist *units, unsigned d,
		       const struct qos_run *run, struct density *density)
{
	for (unsigned i = 0; i < result->nrows; i++) {
		const struct row *row = &result->rows[i];

		if (row->dir[dirs[d]].ios && !row->ramp &&
		    !result_interval_hist(result, i, dirs[d])->blob)
			return false;
	}
	for (unsigned i = 0; i < result->nrows; i++) {
		const struct interval_hist *hist = result_interval_hist(result, i, dirs[d]);
		struct sink sink = {.unit = &units[i / run->unit_cells]};

		if (hist->blob && density)
			sink.column = density_column(density, i * run->interval_ns);
		if (hist->blob && codec_hist_each(hist->blob, hist->bytes, add_bucket, &sink))
			return false;
	}
	return true;
}

/* `density` may be NULL; it is left without memory where it cannot be filled. */
static void add_units(const struct result *result, struct arena *arena, unsigned d,
		      struct qos_run *run, struct density *density)
{
	struct hist *units = arena_array(arena, struct hist, run->nunits);
	uint64_t rows = (result->nrows + RESULT_DENSITY_COLUMNS - 1UL) / RESULT_DENSITY_COLUMNS;

	if (density)
		density_init(density, rows * run->interval_ns);
	if (fill_units(result, units, d, run, density))
		run->part[d].units = units;
	else if (density)
		density_done(density);
}

static bool has_dir(const struct result *result, unsigned d)
{
	for (unsigned i = 0; i < result->njobs; i++) {
		if (result->jobs[i].dir[dirs[d]].ios)
			return true;
	}
	return false;
}

static void fill_all(const struct result *result, struct arena *arena, struct qos_run *run)
{
	struct qos_part *all = &run->part[SERIES_ALL];
	struct hist *hist = arena_new(arena, struct hist);
	struct series_cell *cells = arena_array(arena, struct series_cell, result->nrows + 1UL);

	hist_sums_init(&all->sums);
	for (unsigned i = 0; i < result->nrows; i++) {
		cells[i].waiting_since_ns = UINT64_MAX;
		mark_waiting(result, SERIES_ALL, i, &cells[i]);
	}
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		const struct qos_part *part = &run->part[d];

		if (!part->cells)
			continue;
		hist_merge(hist, part->hist);
		hist_sums_merge(&all->sums, &part->sums);
		all->bytes += part->bytes;
		for (unsigned i = 0; i < result->nrows; i++)
			join_cell(&cells[i], &part->cells[i]);
	}
	all->hist = hist;
	all->cells = cells;
}

/* The whole rows after the ramp, up to the last whole one. */
static void set_range(const struct result *result, struct qos_run *run)
{
	const struct row *rows = result->rows;
	unsigned first = 0, end = result->nrows;

	while (first < end && rows[first].ramp)
		first++;
	run->begin_ns = first < end ? rows[first].begin_ns : 0;
	run->end_ns = end ? rows[end - 1].end_ns : 0;
	while (first < end && rows[first].partial) {
		run->range.partial_first = true;
		first++;
	}
	while (end > first && rows[end - 1].partial) {
		run->range.partial_last = true;
		end--;
	}
	run->range.first = first;
	run->range.end = end;
}

void result_qos(const struct result *result, struct arena *arena, struct qos_run *ret_run)
{
	result_qos_density(result, arena, ret_run, NULL);
}

void result_qos_density(const struct result *result, struct arena *arena,
			struct qos_run *ret_run, struct density *ret_density)
{
	struct qos_run run = {.interval_ns = max_u64(result->interval_ns, 1),
			      .outstanding = keeps_depth_filled(result) ? QOS_BY_LATENCY
									: QOS_UNKNOWN};
	bool any = false;

	run.unit_cells = 1 + (result->nrows ? (result->nrows - 1) / SERIES_UNITS : 0);
	if (result->hists_room)
		run.nunits = (result->nrows + run.unit_cells - 1) / run.unit_cells;
	set_range(result, &run);
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		if (ret_density)
			ret_density[d] = (struct density){0};
		if (!has_dir(result, d))
			continue;
		fill_part(result, arena, d, &run.part[d]);
		if (run.nunits)
			add_units(result, arena, d, &run, ret_density ? &ret_density[d] : NULL);
		run.has_latency |= run.part[d].sums.total > 0;
		any = true;
	}
	if (any)
		fill_all(result, arena, &run);
	*ret_run = run;
}
