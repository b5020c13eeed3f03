#include "result/result_qos.h"

#include "base/assert.h"
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
static void mark_waiting(const struct result *result, unsigned d, const struct row *row,
			 struct series_cell *cell)
{
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

/* The whole run's figures of a direction; its cells come with the rows. */
static void fill_part(const struct result *result, struct arena *arena, unsigned d,
		      struct qos_part *part)
{
	struct hist *hist = arena_new(arena, struct hist);

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
	part->hist = hist;
}

static void fill_all(struct arena *arena, struct qos_run *run)
{
	struct qos_part *all = &run->part[SERIES_ALL];
	struct hist *hist = arena_new(arena, struct hist);

	hist_sums_init(&all->sums);
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		const struct qos_part *part = &run->part[d];

		if (!part->hist)
			continue;
		hist_merge(hist, part->hist);
		hist_sums_merge(&all->sums, &part->sums);
		all->bytes += part->bytes;
	}
	all->hist = hist;
}

/* --- rows --- */

/* What the rows are turned into, one after another. */
struct filling {
	const struct result *result;
	struct qos_run *run;
	struct series_cell *cells[SERIES_DIRS]; /* NULL: nothing of this direction */
	bool *ramp;				/* by row */
	uint64_t measured_from_ns;
	unsigned ntrailing; /* partial ones, the last so far */
	bool begun;	    /* a row beyond the ramp was seen */
};

/* The end of the ramp of the job that was done with its own first; a store and a file keep no row's
 * mark. 0 where a job does not tell. */
static uint64_t measured_from_ns(const struct result *result)
{
	uint64_t from_ns = UINT64_MAX;

	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];
		bool told = job->members <= 1 || job->whole_end_ns;
		uint64_t begin_ns = job->whole_end_ns ? job->whole_begin_ns : job->begin_ns;

		from_ns = min_u64(from_ns, told ? begin_ns : 0);
	}
	return result->njobs ? from_ns : 0;
}

/* The judged rows: the whole ones after the ramp, up to the last whole one. */
static void add_to_range(struct filling *filling, unsigned at, const struct row *row)
{
	struct qos_run *run = filling->run;
	struct series_range *range = &run->range;

	if (!filling->begun && filling->ramp[at]) {
		range->first = at + 1;
		return;
	}
	if (!filling->begun)
		run->begin_ns = row->begin_ns;
	filling->begun = true;
	if (row->partial && range->first == at) {
		range->partial_first = true;
		range->first++;
		return;
	}
	filling->ntrailing = row->partial ? filling->ntrailing + 1 : 0;
}

static void add_all(const struct filling *filling, unsigned at, struct series_cell *cell)
{
	cell->waiting_since_ns = UINT64_MAX;
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		if (filling->cells[d])
			join_cell(cell, &filling->cells[d][at]);
	}
}

static int take_row(void *context, unsigned at, const struct row *row)
{
	struct filling *filling = context;
	for (unsigned d = 0; d < SERIES_DIRS; d++) {
		struct series_cell *cell = filling->cells[d] ? &filling->cells[d][at] : NULL;

		if (!cell)
			continue;
		if (d == SERIES_ALL)
			add_all(filling, at, cell);
		else
			add_cell(row, d, cell);
		mark_waiting(filling->result, d, row, cell);
	}
	filling->ramp[at] = row->ramp || row->end_ns <= filling->measured_from_ns;
	filling->run->end_ns = row->end_ns;
	add_to_range(filling, at, row);
	return 0;
}

static int fill_rows(struct filling *filling, struct arena *arena, struct err *err)
{
	const struct result *result = filling->result;
	struct qos_run *run = filling->run;
	int rc;

	filling->ramp = arena_array(arena, bool, result->nrows + 1UL);
	filling->measured_from_ns = measured_from_ns(result);
	for (unsigned d = 0; d < SERIES_DIRS; d++) {
		if (!run->part[d].hist)
			continue;
		filling->cells[d] = arena_array(arena, struct series_cell, result->nrows + 1UL);
		run->part[d].cells = filling->cells[d];
	}
	rc = result_each_row(result, take_row, filling, err);
	run->range.end = result->nrows - filling->ntrailing;
	run->range.partial_last = filling->ntrailing > 0;
	return rc;
}

/* --- histograms of rows --- */

/* What the histograms of a direction are added to, and which row has to come next. Neighbouring
 * rows of one unit and one column of the density are summed first. */
struct sink {
	const struct filling *filling;
	unsigned d;
	struct hist *units;
	struct density *density; /* NULL: not wanted */
	struct hist *sum;
	unsigned first, next; /* rows: of the sum, and to come */
	unsigned column_rows;
};

static void pour(struct sink *sink)
{
	const struct qos_run *run = sink->filling->run;
	struct hist *unit = &sink->units[sink->first / run->unit_cells];
	uint32_t *column = NULL;

	if (sink->density)
		column = density_column(sink->density, sink->first * run->interval_ns);
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		if (!sink->sum->count[i])
			continue;
		unit->count[i] += sink->sum->count[i];
		if (column)
			density_cell_add(&column[i / DENSITY_BUCKETS_PER_ROW],
					 sink->sum->count[i]);
		sink->sum->count[i] = 0;
	}
}

/* Do the rows before `end` go without histograms rightly? */
static bool skip_rows(struct sink *sink, unsigned end)
{
	for (; sink->next < end; sink->next++) {
		if (sink->filling->cells[sink->d][sink->next].count &&
		    !sink->filling->ramp[sink->next])
			return false;
	}
	return true;
}

/* 1: what there is makes no whole. */
static int take_hist(void *context, unsigned at, const struct interval_hist *hist)
{
	struct sink *sink = context;
	const struct qos_run *run = sink->filling->run;

	if (at >= sink->filling->result->nrows)
		return 0;
	if (!skip_rows(sink, at))
		return 1;
	if (at / run->unit_cells != sink->first / run->unit_cells ||
	    at / sink->column_rows != sink->first / sink->column_rows) {
		pour(sink);
		sink->first = at;
	}
	sink->next = at + 1;
	return codec_hist_add(hist->blob, hist->bytes, sink->sum) ? 1 : 0;
}

/* Intervals together, SERIES_UNITS at most, and where in time requests lie; neither where an
 * interval's histogram is missing. `density` may be NULL; it is left without memory where it cannot
 * be filled. */
static int add_units(const struct filling *filling, struct arena *arena, unsigned d,
		     struct density *density, struct err *err)
{
	const struct result *result = filling->result;
	struct qos_run *run = filling->run;
	struct hist *units = arena_array(arena, struct hist, run->nunits);
	unsigned rows = (result->nrows + RESULT_DENSITY_COLUMNS - 1) / RESULT_DENSITY_COLUMNS;
	struct sink sink = {.filling = filling,
			    .d = d,
			    .units = units,
			    .density = density,
			    .sum = arena_new(arena, struct hist),
			    .column_rows = rows};
	int rc;

	if (density)
		density_init(density, rows * run->interval_ns);
	rc = result_each_interval_hist(result, dirs[d], take_hist, &sink, err);
	pour(&sink);
	if (!rc && skip_rows(&sink, result->nrows))
		run->part[d].units = units;
	else if (density)
		density_done(density);
	return rc < 0 ? rc : 0;
}

static bool has_dir(const struct result *result, unsigned d)
{
	for (unsigned i = 0; i < result->njobs; i++) {
		if (result->jobs[i].dir[dirs[d]].ios)
			return true;
	}
	return false;
}

void result_qos(const struct result *result, struct arena *arena, struct qos_run *ret_run)
{
	int rc = result_qos_density(result, arena, ret_run, NULL, NULL);

	assert(!rc); /* of what is held */
}

int result_qos_density(const struct result *result, struct arena *arena,
		       struct qos_run *ret_run, struct density *ret_density, struct err *err)
{
	struct qos_run run = {.interval_ns = max_u64(result->interval_ns, 1),
			      .outstanding = keeps_depth_filled(result) ? QOS_BY_LATENCY
									: QOS_UNKNOWN};
	struct filling filling = {.result = result, .run = &run};
	bool any = false;
	int rc;

	run.unit_cells = 1 + (result->nrows ? (result->nrows - 1) / SERIES_UNITS : 0);
	if (result_has_interval_hists(result))
		run.nunits = (result->nrows + run.unit_cells - 1) / run.unit_cells;
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		if (ret_density)
			ret_density[d] = (struct density){0};
		if (!has_dir(result, d))
			continue;
		fill_part(result, arena, d, &run.part[d]);
		run.has_latency |= run.part[d].sums.total > 0;
		any = true;
	}
	if (any)
		fill_all(arena, &run);
	rc = fill_rows(&filling, arena, err);
	for (unsigned d = 0; d < SERIES_ALL && run.nunits && !rc; d++)
		if (run.part[d].cells)
			rc = add_units(&filling, arena, d, ret_density ? &ret_density[d] : NULL,
				       err);
	*ret_run = run;
	return rc;
}
