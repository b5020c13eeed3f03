/* The snapshot for the live line: the newest whole row, who runs, the oldest request. */
#include "run/run_priv.h"

static void count_workers(const struct run *run, struct progress *progress)
{
	for (unsigned j = 0; j < run->njobs; j++) {
		for (unsigned i = 0; i < run->jobs[j].nworkers; i++) {
			enum run_worker_phase phase = run->jobs[j].workers[i].phase;

			progress->running += phase == PHASE_RUNNING;
			progress->waiting += phase == PHASE_NEW || phase == PHASE_STARTED;
			progress->finished += phase == PHASE_ENDED || phase == PHASE_ABANDONED;
		}
	}
}

/* fio's letter of a worker that does I/O: capital when it is sequential. */
static char busy_letter(const struct job_spec *spec)
{
	bool reads = spec->rw.does[DIR_READ], writes = spec->rw.does[DIR_WRITE];
	bool trims = spec->rw.does[DIR_TRIM];
	char letter = reads && writes ? 'm' : trims ? 'd' : writes ? 'w' : 'r';

	return spec->rw.random ? letter : (char)(letter - 'a' + 'A');
}

static char state_letter(const struct run_worker *rw)
{
	switch (rw->phase) {
	case PHASE_NEW:
		return 'P';
	case PHASE_STARTED:
		return 'I';
	case PHASE_RUNNING:
		return busy_letter(rw->job->spec);
	case PHASE_ENDED:
		return rw->result->killed_by ? 'K' : rw->result->error ? 'X' : '_';
	case PHASE_ABANDONED:
		return 'X';
	}
	return '?';
}

static void spell_states(struct run *run, struct progress *progress)
{
	unsigned n = 0;

	if (!run->states)
		run->states = arena_array(&run->arena, char, run->nworkers + 1);
	for (unsigned j = 0; j < run->njobs; j++) {
		for (unsigned i = 0; i < run->jobs[j].nworkers && n < run->nworkers; i++) {
			const struct run_worker *rw = &run->jobs[j].workers[i];

			run->states[n++] = state_letter(rw);
			if (rw->phase == PHASE_RUNNING)
				progress->open_files += rw->ntargets;
		}
	}
	progress->states = run->states;
}

static void find_oldest(const struct run *run, struct progress *progress)
{
	uint64_t now = clock_ticks(&run->clock);

	for (unsigned j = 0; j < run->njobs; j++) {
		for (unsigned i = 0; i < run->jobs[j].nworkers; i++) {
			const struct run_worker *rw = &run->jobs[j].workers[i];
			uint64_t start, age;
			const struct req *req;

			if (rw->phase != PHASE_RUNNING)
				continue;
			start = atomic_load_explicit(&rw->worker->oldest_ticks,
						     memory_order_relaxed);
			age = start && now > start ? clock_span_ns(&run->clock, now - start)
						   : 0;
			if (age <= progress->oldest_ns)
				continue;
			req = &rw->worker->reqs[atomic_load_explicit(&rw->worker->oldest_slot,
								     memory_order_relaxed)];
			if (!worker_is_in_flight(req))
				continue; /* the picture is old: it has come back since */
			progress->oldest_ns = age;
			progress->oldest_op = (enum op)req->op;
			progress->oldest_offset = req->offset;
			progress->oldest_path = req->target < rw->ntargets
							? rw->targets[req->target].path
							: NULL;
		}
	}
}

void run_report_progress(struct run *run)
{
	uint64_t now_ns = run_now_ns(run);
	struct progress progress = {.phase = run->stopping ? PROGRESS_DRAIN : PROGRESS_RUN};
	const struct result *result = run->result;

	if (!run->hooks->progress || !run->start_ns)
		return;
	progress.elapsed_ns = now_ns - run->start_ns;
	progress.left_ns = run->stopping ? 0 : run_left_ns(run, now_ns);
	progress.done_percent = -1;
	if (progress.left_ns != PROGRESS_UNKNOWN)
		progress.done_percent = 100.0 * (double)progress.elapsed_ns /
					(double)(progress.elapsed_ns + progress.left_ns + 1);
	count_workers(run, &progress);
	spell_states(run, &progress);
	find_oldest(run, &progress);
	if (run->first_open_row > 0 && run->first_open_row <= result->nrows) {
		progress.row = result->rows[run->first_open_row - 1];
		if (progress.row.ramp)
			progress.phase = PROGRESS_RAMP;
	}
	for (unsigned d = 0; d < NDIR; d++)
		progress.lat_p99_ns = max_u64(progress.lat_p99_ns, progress.row.dir[d].p99_ns);
	for (unsigned i = 0; i < result->njobs; i++)
		progress.errors += result->jobs[i].total_errors;
	run->hooks->progress(run->hooks->context, &progress);
}
