/*
 * Steady state while a run goes on. What is judged together is a unit: the members of a group
 * with group_reporting, the clones of a job in the native face, else one worker, as in fio. The
 * collector adds each tally to its unit's rows; rows that all workers have passed become
 * samples of steadystate_check_interval; once the window is full it is judged at each sample,
 * and a unit that is steady is stopped. The arithmetic is stat/steady.h's.
 */
#include <string.h>

#include "run/run_priv.h"
#include "stat/steady.h"

/* A row still filling, by row modulo OPEN_ROWS_MAX. */
struct steady_row {
	double ios, bytes, lat_ns, lat_count;
};

enum { SERIES_IOPS, SERIES_BW, SERIES_LAT, NSERIES };

struct run_steady {
	struct run_steady *next;
	const struct job_spec *spec; /* of its first member */
	struct run_worker **members;
	unsigned nmembers;
	struct steady_row *rows; /* OPEN_ROWS_MAX */
	uint64_t next_row;	 /* to be sampled; no row before it counts */
	bool begun, over;
	struct steady_row sample; /* filling */
	uint64_t sample_ns;
	unsigned room, count;	 /* of the window, and how many are in it */
	double *window[NSERIES]; /* oldest first */
	struct steady_line line;
	struct steady_judgement judgement;
};

static bool is_slope(enum steady_metric metric)
{
	return metric == STEADY_IOPS_SLOPE || metric == STEADY_BW_SLOPE ||
	       metric == STEADY_LAT_SLOPE;
}

static unsigned series_of(enum steady_metric metric)
{
	static const unsigned series[] = {
		[STEADY_IOPS] = SERIES_IOPS, [STEADY_IOPS_SLOPE] = SERIES_IOPS,
		[STEADY_BW] = SERIES_BW,     [STEADY_BW_SLOPE] = SERIES_BW,
		[STEADY_LAT] = SERIES_LAT,   [STEADY_LAT_SLOPE] = SERIES_LAT,
	};

	return series[metric];
}

/* --- units --- */

static bool belongs(const struct run *run, const struct run_steady *unit,
		    const struct run_worker *worker)
{
	const struct job_spec *spec = worker->job->spec;

	if (spec->group_reporting && unit->spec->group_reporting)
		return spec->group == unit->spec->group;
	return run->set->face == FACE_NATIVE && spec == unit->spec;
}

static struct run_steady *unit_new(struct run *run, const struct job_spec *spec)
{
	struct run_steady *unit = arena_new(&run->arena, struct run_steady);
	uint64_t interval = max_u64(spec->steadystate_check_interval, 1);

	unit->spec = spec;
	unit->members = arena_array(&run->arena, struct run_worker *, run->nworkers);
	unit->rows = arena_array(&run->arena, struct steady_row, OPEN_ROWS_MAX);
	unit->room = (unsigned)max_u64(spec->steadystate_duration / interval, 1);
	for (unsigned s = 0; s < NSERIES; s++)
		unit->window[s] = arena_array(&run->arena, double, unit->room);
	unit->next = run->steady;
	run->steady = unit;
	return unit;
}

void run_steady_prepare(struct run *run)
{
	for (unsigned j = 0; j < run->njobs; j++) {
		struct run_job *job = &run->jobs[j];

		for (unsigned i = 0; i < job->nworkers && job->spec->steadystate.given; i++) {
			struct run_worker *worker = &job->workers[i];
			struct run_steady *unit = run->steady;

			while (unit && !belongs(run, unit, worker))
				unit = unit->next;
			if (!unit)
				unit = unit_new(run, job->spec);
			unit->members[unit->nmembers++] = worker;
			worker->steady = unit;
		}
	}
}

/* --- rows --- */

void run_steady_add(struct run_worker *worker, const struct tally *tally)
{
	struct run_steady *unit = worker->steady;
	double share = 1.0 / (double)(tally->joined + 1);

	if (!unit)
		return;
	if (tally->row + tally->joined >= worker->run->first_open_row + OPEN_ROWS_MAX)
		unit->over = true; /* somebody hangs for so long that rows were closed on him */
	for (uint64_t r = tally->row; r <= tally->row + tally->joined; r++) {
		struct steady_row *row = &unit->rows[r & (OPEN_ROWS_MAX - 1)];

		for (unsigned d = 0; d < NDATA; d++) {
			const struct tally_dir *dir = &tally->dir[d];
			const struct tally_lat *lat = &dir->lat[TALLY_TOTAL];

			lat = lat->count ? lat : &dir->lat[TALLY_CLAT];
			row->ios += share * (double)dir->ios;
			row->bytes += share * (double)dir->bytes;
			row->lat_ns += share * (double)lat->sum_ns;
			row->lat_count += share * (double)lat->total;
		}
	}
}

/* All members run; and from this instant on what they do counts. */
static bool has_begun(struct run *run, struct run_steady *unit)
{
	uint64_t begin_ns = 0, interval = run->result->interval_ns;

	if (unit->begun)
		return true;
	for (unsigned i = 0; i < unit->nmembers; i++) {
		const struct run_worker *worker = unit->members[i];

		if (worker->phase != PHASE_RUNNING)
			return false;
		begin_ns =
			max_u64(begin_ns, clock_at_ns(&run->clock, worker->launch->go_ticks) +
						  worker->delay_ns - run->start_ns);
	}
	begin_ns += unit->spec->ramp_time + unit->spec->steadystate_ramp_time;
	unit->next_row = (begin_ns + interval - 1) / interval;
	unit->begun = true;
	return true;
}

static bool has_ended(const struct run_steady *unit)
{
	for (unsigned i = 0; i < unit->nmembers; i++) {
		const struct run_worker *worker = unit->members[i];

		if (worker->phase != PHASE_RUNNING || worker->stop_at_ns)
			return true;
	}
	return false;
}

/* --- samples --- */

static void push(struct run_steady *unit)
{
	const struct steady_row *sample = &unit->sample;
	double seconds = (double)unit->sample_ns / 1e9;
	double value[NSERIES] = {sample->ios / seconds, sample->bytes / seconds, 0};

	if (sample->lat_count > 0)
		value[SERIES_LAT] = sample->lat_ns / sample->lat_count;
	if (unit->count == unit->room) {
		unit->count--;
		for (unsigned s = 0; s < NSERIES; s++)
			memmove(unit->window[s], unit->window[s] + 1,
				unit->count * sizeof(double));
	}
	for (unsigned s = 0; s < NSERIES; s++)
		unit->window[s][unit->count] = (double)(uint64_t)value[s]; /* as in fio */
	unit->count++;
	unit->sample = (struct steady_row){0};
	unit->sample_ns = 0;
}

static void judge(struct run_steady *unit)
{
	const struct steady_spec *wanted = &unit->spec->steadystate;
	struct steady_rule rule = {.is_slope = is_slope(wanted->metric),
				   .is_percent = wanted->limit_is_percent,
				   .limit = wanted->limit};

	steady_fit(unit->window[series_of(wanted->metric)], unit->count, &unit->line);
	if (unit->count == unit->room)
		steady_judge(&unit->line, &rule, &unit->judgement);
}

static void take_row(struct run *run, struct run_steady *unit)
{
	struct steady_row *row = &unit->rows[unit->next_row++ & (OPEN_ROWS_MAX - 1)];

	unit->sample.ios += row->ios;
	unit->sample.bytes += row->bytes;
	unit->sample.lat_ns += row->lat_ns;
	unit->sample.lat_count += row->lat_count;
	unit->sample_ns += run->result->interval_ns;
	*row = (struct steady_row){0};
	if (unit->sample_ns < unit->spec->steadystate_check_interval)
		return;
	push(unit);
	judge(unit);
}

/* Rows before the unit's first are emptied for those that take their place. */
static void drop_rows(struct run_steady *unit, uint64_t from, uint64_t to)
{
	for (uint64_t row = from; row < to; row++)
		unit->rows[row & (OPEN_ROWS_MAX - 1)] = (struct steady_row){0};
}

static void follow(struct run *run, struct run_steady *unit, uint64_t from, uint64_t to)
{
	if (unit->over)
		return;
	if (!has_begun(run, unit)) {
		drop_rows(unit, from, to);
		return;
	}
	drop_rows(unit, from, min_u64(to, unit->next_row));
	if (has_ended(unit)) {
		unit->over = true;
		return;
	}
	while (unit->next_row < to && !unit->judgement.attained)
		take_row(run, unit);
	if (!unit->judgement.attained)
		return;
	unit->over = true;
	for (unsigned i = 0; i < unit->nmembers; i++)
		run_stop_worker(unit->members[i]);
}

void run_steady_follow(struct run *run, uint64_t from, uint64_t to)
{
	for (struct run_steady *unit = run->steady; unit; unit = unit->next)
		follow(run, unit, from, to);
}

/* --- the result --- */

static uint64_t *to_integers(struct arena *arena, const double *values, unsigned count)
{
	uint64_t *integers = arena_array(arena, uint64_t, count + 1);

	for (unsigned i = 0; i < count; i++)
		integers[i] = (uint64_t)values[i];
	return integers;
}

static struct steady_result *result_of(struct run *run, const struct run_steady *unit)
{
	struct arena *arena = &run->result->arena;
	struct steady_result *result = arena_new(arena, struct steady_result);
	enum steady_metric metric = unit->spec->steadystate.metric;
	struct steady_line line;
	double *mean[NSERIES] = {&result->iops_mean, &result->bw_mean, &result->lat_mean_ns};

	result->attained = unit->judgement.attained;
	result->criterion = unit->judgement.criterion;
	result->criterion_is_percent = unit->spec->steadystate.limit_is_percent;
	if (is_slope(metric))
		result->slope = unit->line.slope;
	else
		result->max_deviation = unit->line.max_deviation;
	for (unsigned s = 0; s < NSERIES; s++) {
		steady_fit(unit->window[s], unit->count, &line);
		*mean[s] = line.mean;
	}
	result->samples = unit->count;
	result->iops = to_integers(arena, unit->window[SERIES_IOPS], unit->count);
	result->bw_bytes_per_s = to_integers(arena, unit->window[SERIES_BW], unit->count);
	if (series_of(metric) == SERIES_LAT)
		result->lat_ns = to_integers(arena, unit->window[SERIES_LAT], unit->count);
	return result;
}

void run_steady_publish(struct run *run)
{
	for (const struct run_steady *unit = run->steady; unit; unit = unit->next) {
		struct steady_result *result = result_of(run, unit);

		for (unsigned i = 0; i < unit->nmembers; i++)
			unit->members[i]->result->steady = result;
	}
}
