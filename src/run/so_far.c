/* The result of a run that goes on, as a copy for whoever keeps it meanwhile. */
#include <string.h>

#include "run/run_priv.h"

static uint64_t elapsed_ns(const struct run *run)
{
	return run->start_ns ? run_now_ns(run) - run->start_ns : 0;
}

/* A running worker's span so far: from the end of its ramp to what was collected of it. */
static void settle_running(const struct run *run, const struct run_worker *rw,
			   struct job_result *job)
{
	uint64_t begun = clock_at_ns(&run->clock, rw->launch->go_ticks) + rw->delay_ns +
			 rw->job->spec->ramp_time;
	uint64_t end = min_u64(rw->through_row * run->result->interval_ns, elapsed_ns(run));

	job->begin_ns = begun > run->start_ns ? begun - run->start_ns : 0;
	job->end_ns = max_u64(end, job->begin_ns);
	job->runtime_ns = job->end_ns - job->begin_ns;
	job->elapsed_ns = elapsed_ns(run);
	job->engine_about = rw->job->spec->ioengine;
	job->depth_mean = rw->span_ticks ? (double)rw->depth_ticks / (double)rw->span_ticks : 0;
	if (rw->worker->rated) /* those that are due and wait are known at the end */
		job->arrivals_due = job->lateness.sums.total;
	run_settle_directions(rw, job);
}

static void copy_jobs(const struct run *run, struct result *copy)
{
	copy->jobs = arena_array(&copy->arena, struct job_result, run->nworkers);
	memcpy(copy->jobs, run->result->jobs, run->nworkers * sizeof(*copy->jobs));
	for (unsigned j = 0; j < run->njobs; j++) {
		for (unsigned i = 0; i < run->jobs[j].nworkers; i++) {
			const struct run_worker *rw = &run->jobs[j].workers[i];

			if (rw->phase == PHASE_RUNNING)
				settle_running(run, rw, &copy->jobs[rw->thread_number - 1]);
		}
	}
}

/* Groups hold histograms of their own; what the workers did in each interval went into their
 * rates. */
static void merge_jobs(struct result *copy)
{
	copy->jobs = result_groups(copy, &copy->njobs);
	for (unsigned i = 0; i < copy->njobs; i++) {
		copy->jobs[i].rows = NULL;
		copy->jobs[i].nrows = 0;
	}
}

static void copy_rows(const struct run *run, unsigned first, struct result *copy)
{
	const struct result *result = run->result;
	unsigned end = (unsigned)min_u64(run->first_open_row, result->nrows);

	copy->nrows = end > first ? end - first : 0;
	copy->rows = arena_array(&copy->arena, struct row, copy->nrows + 1);
	if (copy->nrows)
		memcpy(copy->rows, &result->rows[first], copy->nrows * sizeof(*copy->rows));
	copy->hists = NULL;
	copy->hists_room = 0;
	for (unsigned i = 0; i < copy->nrows; i++) {
		for (unsigned d = 0; d < NDIR; d++) {
			const struct interval_hist *hist =
				result_interval_hist(result, first + i, (enum dir)d);

			if (hist->blob)
				result_set_interval_hist(copy, i, (enum dir)d, hist->blob,
							 hist->bytes);
		}
	}
}

static void copy_notes(const struct result *result, struct result *copy)
{
	copy->notes = NULL;
	copy->nnotes = copy->notes_room = 0;
	for (unsigned i = 0; i < result->nnotes; i++)
		result_note(copy, result->notes[i].id, result->notes[i].severity,
			    result->notes[i].job, "%s", result->notes[i].text);
}

static void copy_logs(const struct result *result, struct result *copy)
{
	copy->logs = arena_array(&copy->arena, struct log_result, result->nlogs + 1UL);
	for (unsigned i = 0; i < result->nlogs; i++) {
		copy->logs[i] = result->logs[i];
		copy->logs[i].path = arena_strdup(&copy->arena, result->logs[i].path);
	}
}

void run_so_far(const struct run *run, const struct run_had *had, struct result *ret_result)
{
	*ret_result = *run->result;
	arena_init(&ret_result->arena);
	copy_jobs(run, ret_result);
	merge_jobs(ret_result);
	copy_rows(run, had->rows, ret_result);
	run_monitor_so_far(run, had, ret_result);
	copy_notes(run->result, ret_result);
	copy_logs(run->result, ret_result);
	ret_result->span_ns = elapsed_ns(run);
	ret_result->wall_end_ns = clock_wall_ns();
	if (!run->start_ns)
		ret_result->wall_start_ns = ret_result->wall_end_ns;
}
