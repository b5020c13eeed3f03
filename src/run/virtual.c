/*
 * Runs on simulated drives: no threads, one virtual clock. At each instant every worker takes
 * its turns, in the order of thread numbers, until all are idle; then the clock moves to the
 * earliest thing that can happen. The order is the same each time, so the result is too.
 */
#include <time.h>

#include "run/run_priv.h"
#include "sim/drive.h"

bool run_is_virtual(const struct run *run)
{
	return run->clock.virtual_ns != NULL;
}

int run_virtual_start(struct run_worker *rw, struct err *err)
{
	struct worker *worker = rw->worker;
	int rc = worker_start(worker);

	if (rc && worker->err.code)
		return err_set(err, worker->err.kind, worker->err.code, "%s: %s",
			       rw->job->spec->name, worker->err.text);
	atomic_store_explicit(&worker->state, WORKER_READY, memory_order_relaxed);
	rw->phase = PHASE_STARTED;
	return rc;
}

static void end_worker(struct run_worker *rw)
{
	worker_finish(rw->worker);
	while (!mailbox_flush(&rw->worker->mailbox))
		run_collect(rw->run);
	atomic_store_explicit(&rw->worker->state, WORKER_ENDED, memory_order_relaxed);
}

static uint64_t start_ns(const struct run_worker *rw)
{
	return rw->launch->go_ticks + rw->delay_ns;
}

/* Its turns at this instant. Returns when it wants the next; 0: it has ended. */
static uint64_t take_turns(struct run_worker *rw)
{
	struct run *run = rw->run;
	struct worker *worker = rw->worker;
	bool idle = false;

	if (worker->state == WORKER_READY) {
		if (run->virtual_ns < start_ns(rw) && !worker->stop)
			return start_ns(rw);
		worker_go(worker, run->virtual_ns);
	}
	while (!idle) {
		if (!worker_turn(worker, &idle)) {
			end_worker(rw);
			return 0;
		}
		if (rw->capture && capture_is_half_full(rw->capture))
			run_logs_drain(run);
	}
	return worker_next_ticks(worker);
}

/* One instant of all workers; false once one has ended: the control plane looks first. */
static bool instant(struct run *run, uint64_t *ret_next_ns)
{
	bool all_go_on = true;

	*ret_next_ns = UINT64_MAX;
	for (unsigned j = 0; j < run->njobs; j++) {
		for (unsigned i = 0; i < run->jobs[j].nworkers; i++) {
			struct run_worker *rw = &run->jobs[j].workers[i];
			uint64_t next_ns;

			if (rw->phase != PHASE_RUNNING || rw->worker->state == WORKER_ENDED)
				continue;
			next_ns = take_turns(rw);
			all_go_on &= next_ns != 0;
			*ret_next_ns = min_u64(*ret_next_ns, next_ns);
		}
	}
	return all_go_on;
}

static void wait_for_wall_clock(const struct run *run)
{
	uint64_t at_ns = run->real_zero_ns + run->virtual_ns - VIRTUAL_START_NS;
	struct timespec at = {.tv_sec = (time_t)(at_ns / NS_PER_S),
			      .tv_nsec = (long)(at_ns % NS_PER_S)};

	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at,
			      NULL); /* EINTR: look at it */
}

void run_virtual_save(struct run *run)
{
	const char *state = run->set->options.state;
	struct err err = {0};

	for (struct run_file *file = run->files; file && state; file = file->next) {
		if (file->kind == TARGET_SIM && drive_save(file->drive, state, &err))
			result_note(run->result, "state-not-saved", SEVERITY_WARNING, NULL,
				    "%s", err.text); /* the report must come all the same */
	}
}

void run_virtual_advance(struct run *run)
{
	uint64_t next_ns;

	while (instant(run, &next_ns)) {
		/* Requests that come back at once leave nothing to wait for: the clock must
		 * move. */
		next_ns = max_u64(next_ns, run->virtual_ns + 1);
		run->virtual_ns =
			min_u64(next_ns, max_u64(run->next_collect_ns, run->virtual_ns + 1));
		if (run->set->options.real_time)
			wait_for_wall_clock(run);
		if (run->logs)
			run_logs_drain(run);
		if (run->virtual_ns >= run->next_collect_ns || run_signal_seen())
			return;
	}
}
