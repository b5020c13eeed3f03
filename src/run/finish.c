/* A worker's figures become its job_result: while it runs (totals), at its end (the rest). */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "run/run_priv.h"

static const char *files_text(struct run *run, const struct run_worker *rw)
{
	const struct target *targets = rw->targets;

	if (rw->ntargets == 0 || targets[0].kind == TARGET_NONE)
		return N_("no file (null engine)");
	if (rw->ntargets == 1)
		return arena_strdup(&run->result->arena, targets[0].path);
	return arena_printf(&run->result->arena, "%u files: %s ...", rw->ntargets,
			    targets[0].path);
}

static void init_job_result(struct run *run, struct run_worker *rw)
{
	struct job_result *job = &run->result->jobs[rw->thread_number - 1];
	const struct job_spec *spec = rw->job->spec;
	autostr fill = {0};

	rw->result = job;
	rw->shares_group = spec->numjobs > 1 || spec->group_reporting;
	*job = (struct job_result){.spec = spec,
				   .name = spec->name,
				   .clone = rw->clone,
				   .thread_number = rw->thread_number,
				   .group = spec->group,
				   .members = 1,
				   .as_process = spec->thread_given && !spec->thread,
				   .engine_about = ""};
	for (unsigned d = 0; d < NDIR; d++) {
		for (unsigned k = 0; k < NLAT; k++)
			hist_sums_init(&job->dir[d].lat[k].sums);
	}
	hist_sums_init(&job->lateness.sums);
	job->files = files_text(run, rw);
	fill_describe(spec, &fill);
	job->fill_about = arena_strdup(&run->result->arena, str_text(&fill));
}

void run_prepare_results(struct run *run)
{
	struct result *result = run->result;

	result->set = run->set;
	result->njobs = run->nworkers;
	result->jobs = arena_array(&result->arena, struct job_result, run->nworkers);
	for (unsigned j = 0; j < run->njobs; j++) {
		for (unsigned i = 0; i < run->jobs[j].nworkers; i++)
			init_job_result(run, &run->jobs[j].workers[i]);
	}
}

static void finish_samples(struct sample_stats *stats, uint64_t count, double min, double max,
			   double sum, double squares)
{
	double mean = count ? sum / (double)count : 0, variance;

	*stats = (struct sample_stats){.samples = count, .min = min, .max = max, .mean = mean};
	if (count < 2)
		return;
	variance =
		(squares - sum * mean) / (double)count; /* of a population, as result.h says */
	stats->deviation = variance > 0 ? sqrt(variance) : 0;
}

void run_settle_directions(const struct run_worker *rw, struct job_result *job)
{
	const struct job_spec *spec = rw->job->spec;
	bool sync_engine = engine_find(spec->ioengine)->caps & ENGINE_DEPTH_1;

	for (unsigned d = 0; d < NDIR; d++) {
		struct dir_result *dir = &job->dir[d];

		if (dir->ios || dir->errors)
			dir->runtime_ns = job->end_ns - job->begin_ns;
		if (!sync_engine || d == DIR_SYNC)
			continue;
		/* done - start is both figures where submission cannot be told from service */
		if (!spec->disable_clat)
			dir->lat[LAT_CLAT] = dir->lat[LAT_TOTAL];
		if (spec->disable_lat)
			dir->lat[LAT_TOTAL] = (struct lat){0};
	}
	for (unsigned d = 0; d < NDATA; d++) {
		const struct window_stats *w = &rw->window[d];

		finish_samples(&job->dir[d].bw_kib, w->count, w->bw_min, w->bw_max, w->bw_sum,
			       w->bw_squares);
		finish_samples(&job->dir[d].iops, w->count, w->iops_min, w->iops_max,
			       w->iops_sum, w->iops_squares);
	}
}

/* A copy: the result outlives the run's memory. */
static const char *path_of(const struct run_worker *rw, unsigned target)
{
	struct arena *arena = &rw->run->result->arena;

	return target < rw->ntargets ? arena_strdup(arena, rw->targets[target].path) : NULL;
}

static void list_unfinished(struct run_worker *rw, uint64_t now_ticks)
{
	struct run *run = rw->run;
	const struct worker *worker = rw->worker;
	struct job_result *job = rw->result;
	unsigned count = 0;

	for (unsigned i = 0; i < worker->depth; i++)
		count += worker_is_in_flight(&worker->reqs[i]);
	job->unfinished =
		arena_array(&run->result->arena, struct unfinished, count ? count : 1);
	for (unsigned i = 0; i < worker->depth && job->nunfinished < count; i++) {
		const struct req *req = &worker->reqs[i];
		struct unfinished *u = &job->unfinished[job->nunfinished];
		struct lat *lat;

		if (!worker_is_in_flight(req))
			continue;
		*u = (struct unfinished){.op = (enum op)req->op,
					 .offset = req->offset,
					 .bytes = req->len,
					 .path = path_of(rw, req->target)};
		u->age_ns = clock_span_ns(&run->clock, now_ticks - req->batch->start);
		job->nunfinished++;
		/* its age enters the maximum: the worst case must not vanish by not ending */
		lat = &job->dir[op_dir(u->op)].lat[LAT_TOTAL];
		lat->sums.max_ns = max_u64(lat->sums.max_ns, u->age_ns);
	}
}

static void finish_errors(struct run_worker *rw)
{
	const struct worker *worker = rw->worker;
	struct job_result *job = rw->result;

	job->total_errors = worker->total_errors;
	if (worker->first_error.code)
		job->first_error =
			(struct first_error){.code = worker->first_error.code,
					     .op = (enum op)worker->first_error.op,
					     .offset = worker->first_error.offset,
					     .bytes = worker->first_error.bytes,
					     .path = path_of(rw, worker->first_error.target)};
	if (worker->why == WORKER_FAILED)
		job->error = worker->first_error.code ? worker->first_error.code : EIO;
	job->stopped_by_limit = worker->why == WORKER_BUDGET;
	if (worker->why == WORKER_GAVE_UP || job->nunfinished)
		job->error = job->error ? job->error : ETIMEDOUT;
}

/* The engine, what of the kernel's offer was on in its words, and the scheduler's policy. */
static const char *engine_text(struct run_worker *rw)
{
	const struct job_spec *spec = rw->job->spec;
	const char *about = rw->worker->engine->about;

	return arena_printf(&rw->run->result->arena, "%s%s%s%s", spec->ioengine,
			    about[0] ? ": " : "", about,
			    spec->sched_batch ? ", SCHED_BATCH" : "");
}

static void finish_span(struct run_worker *rw, uint64_t end_ticks)
{
	struct run *run = rw->run;
	const struct worker *worker = rw->worker;
	struct job_result *job = rw->result;
	uint64_t grid = run->worker_shared->grid_ticks;
	double ran_ns = (double)clock_span_ns(&run->clock, end_ticks - worker->start_ticks);

	job->begin_ns = clock_span_ns(&run->clock, worker->begin_ticks - grid);
	job->end_ns = max_u64(clock_span_ns(&run->clock, end_ticks - grid), job->begin_ns);
	job->runtime_ns = job->end_ns - job->begin_ns;
	job->elapsed_ns = clock_span_ns(&run->clock, end_ticks - rw->launch->go_ticks);
	for (unsigned d = 0; d < NDIR; d++) {
		job->ramp_ios += worker->cut_ios[d];
		run->result->facts.asked_ios[d] += worker->cut_ios[d];
		run->result->facts.asked_bytes[d] += worker->cut_bytes[d];
	}
	job->user_ns = worker->used.user_ns;
	job->sys_ns = worker->used.sys_ns;
	job->switches = worker->used.switches;
	job->major_faults = worker->used.major_faults;
	job->minor_faults = worker->used.minor_faults;
	job->pid = worker->tid;
	run_facts_worker(run, worker);
	job->engine_about = engine_text(rw);
	if (worker->rated)
		job->arrivals_due = job->lateness.sums.total + worker->arrivals_behind;
	job->depth_mean = rw->span_ticks ? (double)rw->depth_ticks / (double)rw->span_ticks : 0;
	/* The thread's time counts since it was set up, so the ramp belongs to the span; so do the
	 * microseconds in which it woke at the start line, more than a core's worth of a run of
	 * milliseconds. */
	job->core_busy_max_percent =
		ran_ns > 0 ? fmin(100, 100.0 * (double)worker->used.cpu_ns / ran_ns) : 0;
}

void run_finish_worker(struct run_worker *rw)
{
	struct worker *worker = rw->worker;
	int signal = 0;

	if (rw->thread.started)
		(void)thread_join(&rw->thread, &signal); /* it has ended by its own word */
	rw->phase = PHASE_ENDED;
	rw->run->setup_cpu_ns += worker->before.cpu_ns;
	list_unfinished(rw, worker->end_ticks);
	finish_span(rw, worker->end_ticks);
	run_settle_directions(rw, rw->result);
	finish_errors(rw);
}

void run_finish_dead(struct run_worker *rw, int signal)
{
	rw->phase = PHASE_ENDED;
	rw->worker->end_ticks = clock_ticks(&rw->run->clock);
	run_collect_hung(rw);
	finish_span(rw, rw->worker->end_ticks);
	run_settle_directions(rw, rw->result);
	rw->result->killed_by = signal;
	rw->result->error = EOWNERDEAD;
}

void run_abandon_worker(struct run_worker *rw)
{
	uint64_t now = clock_ticks(&rw->run->clock);

	rw->phase = PHASE_ABANDONED;
	run_collect_hung(rw);
	list_unfinished(rw, now);
	finish_span(rw, now);
	run_settle_directions(rw, rw->result);
	rw->worker->why = WORKER_GAVE_UP;
	finish_errors(rw);
}
