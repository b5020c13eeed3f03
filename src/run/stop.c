/*
 * Reasons to stop: a signal, exitall and its kin, a minimum rate that is not met, a drive that
 * hangs. Whatever the reason, the report comes.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "run/run_priv.h"

#define POKE_EVERY_NS	 (100 * NS_PER_MS)
#define ABANDON_AFTER_NS (500 * NS_PER_MS) /* beyond the drain limit, which is the worker's */
#define MINIMUM_GRACE_NS (2 * NS_PER_S)	   /* fio: rate_min does not count before */

/* The one process-wide variable: set by a handler, read everywhere. */
static volatile sig_atomic_t signal_seen;
static struct sigaction before[3];
static const int signals[3] = {SIGINT, SIGTERM, SIGHUP};

static void on_signal(int signal)
{
	if (signal_seen) { /* the second one: at once, by its own default */
		struct sigaction plain = {.sa_handler = SIG_DFL};

		(void)sigaction(signal, &plain, NULL);
		(void)raise(signal);
	}
	signal_seen = signal;
}

int run_signals_take(struct err *err)
{
	struct sigaction action = {.sa_handler = on_signal};
	int rc = thread_take_poke();

	signal_seen = 0;
	for (unsigned i = 0; i < ARRAY_SIZE(signals) && !rc; i++)
		rc = sigaction(signals[i], &action, &before[i]) < 0 ? -errno : 0;
	/* nohup, and plans: who had it ignored wants to outlive the terminal */
	if (!rc && before[2].sa_handler == SIG_IGN)
		(void)sigaction(SIGHUP, &before[2], NULL);
	return rc ? err_env(err, rc, "cannot take signals: %s", err_name(rc)) : 0;
}

void run_signals_give_back(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(signals); i++)
		(void)sigaction(signals[i], &before[i], NULL); /* they were valid before */
}

int run_signal_seen(void)
{
	return signal_seen;
}

void run_stop_worker(struct run_worker *rw)
{
	if (rw->phase != PHASE_RUNNING || rw->stop_at_ns)
		return;
	rw->stop_at_ns = run_now_ns(rw->run);
	atomic_store_explicit(&rw->worker->stop, 1, memory_order_relaxed);
	run_poke(rw);
}

static void stop_job(struct run_job *job)
{
	if (job->phase == JOB_WAITING)
		job->phase = JOB_ENDED;
	for (unsigned i = 0; i < job->nworkers; i++)
		run_stop_worker(&job->workers[i]);
}

void run_stop_all(struct run *run)
{
	run->stopping = true;
	for (unsigned j = 0; j < run->njobs; j++)
		stop_job(&run->jobs[j]);
}

void run_after_end(struct run *run, const struct run_worker *ended)
{
	const struct job_spec *spec = ended->job->spec;
	bool failed = ended->result->error != 0;

	if (ended->result->stopped_by_limit) {
		run_stop_all(run);
		return;
	}
	if (!spec->exitall && !(spec->exitall_on_error && failed))
		return;
	for (unsigned j = 0; j < run->njobs; j++) {
		const struct job_spec *other = run->jobs[j].spec;
		bool in_scope =
			spec->exit_what == EXIT_ALL ||
			(spec->exit_what == EXIT_GROUP && other->group == spec->group) ||
			(spec->exit_what == EXIT_STONEWALL &&
			 other->stonewall_group == spec->stonewall_group);

		if (in_scope)
			stop_job(&run->jobs[j]);
	}
}

/* --- rate_min, rate_iops_min --- */

static bool has_minimum(const struct job_spec *spec)
{
	for (unsigned d = 0; d < NDATA; d++) {
		if (spec->rate_min[d] || spec->rate_iops_min[d])
			return true;
	}
	return false;
}

void run_minimum_add(struct run_worker *rw, const struct tally *tally)
{
	if (!rw->minimum_row || tally->row < rw->minimum_row)
		return;
	for (unsigned d = 0; d < NDATA; d++) {
		rw->minimum_ios[d] += tally->dir[d].ios;
		rw->minimum_bytes[d] += tally->dir[d].bytes;
	}
}

static bool is_below(const struct run_worker *rw, uint64_t span_ns)
{
	const struct job_spec *spec = rw->job->spec;
	double seconds = (double)span_ns / 1e9;

	for (unsigned d = 0; d < NDATA; d++) {
		double bytes = (double)rw->minimum_bytes[d] / seconds;
		double ios = (double)rw->minimum_ios[d] / seconds;

		if (!spec->rw.does[d])
			continue; /* one value was given for all */
		if (spec->rate_min[d] && bytes < (double)spec->rate_min[d])
			return true;
		if (spec->rate_iops_min[d] && ios < (double)spec->rate_iops_min[d])
			return true;
	}
	return false;
}

/* The first window begins MINIMUM_GRACE_NS into the measurement, as in fio; windows are whole
 * rows, so that no look between two hand-overs can find nothing. */
static uint64_t first_row(const struct run_worker *rw)
{
	uint64_t grid = rw->run->worker_shared->grid_ticks;
	uint64_t interval = rw->run->result->interval_ns;
	uint64_t begin_ns = clock_span_ns(&rw->run->clock, rw->worker->begin_ticks - grid);

	return (begin_ns + MINIMUM_GRACE_NS + interval - 1) / interval;
}

void run_minimum_check(struct run_worker *rw, uint64_t through)
{
	const struct job_spec *spec = rw->job->spec;
	uint64_t interval = rw->run->result->interval_ns, span_ns;

	if (!has_minimum(spec) || rw->stop_at_ns || through == UINT64_MAX)
		return;
	if (atomic_load_explicit(&rw->worker->state, memory_order_acquire) != WORKER_ON)
		return;
	if (!rw->minimum_row)
		rw->minimum_row = first_row(rw);
	if (through <= rw->minimum_row)
		return;
	span_ns = (through - rw->minimum_row) * interval;
	if (span_ns < spec->rate_cycle)
		return;
	if (is_below(rw, span_ns)) {
		result_note(rw->run->result, "rate-minimum", SEVERITY_WARNING, spec->name,
			    "the minimum rate was not met: the job was stopped");
		rw->result->error = EIO; /* as in fio */
		run_stop_worker(rw);
	}
	for (unsigned d = 0; d < NDATA; d++)
		rw->minimum_ios[d] = rw->minimum_bytes[d] = 0;
	rw->minimum_row = through;
}

/* --- workers that do not come to their end --- */

static uint64_t due_end_ns(const struct run_worker *rw)
{
	const struct job_spec *spec = rw->job->spec;

	if (rw->stop_at_ns)
		return rw->stop_at_ns;
	if (!spec->runtime)
		return UINT64_MAX;
	return clock_at_ns(&rw->run->clock, rw->launch->go_ticks) + rw->delay_ns +
	       spec->ramp_time + spec->runtime;
}

static void watch_worker(struct run_worker *rw, uint64_t now_ns)
{
	uint64_t end_ns = due_end_ns(rw);
	int signal;

	if (atomic_load_explicit(&rw->worker->state, memory_order_acquire) == WORKER_ENDED)
		return;
	if (rw->thread.pid && thread_try_join(&rw->thread, &signal)) {
		if (atomic_load_explicit(&rw->worker->state, memory_order_acquire) !=
		    WORKER_ENDED)
			run_finish_dead(rw, signal);
		return;
	}
	if (end_ns == UINT64_MAX || now_ns < end_ns + POKE_EVERY_NS)
		return;
	if (now_ns > end_ns + rw->run->drain_ns + ABANDON_AFTER_NS)
		run_abandon_worker(rw);
	else
		run_poke(rw);
}

void run_watch(struct run *run)
{
	uint64_t now_ns = run_now_ns(run);

	for (unsigned j = 0; j < run->njobs; j++) {
		for (unsigned i = 0; i < run->jobs[j].nworkers; i++) {
			if (run->jobs[j].workers[i].phase == PHASE_RUNNING)
				watch_worker(&run->jobs[j].workers[i], now_ns);
		}
	}
}

int run_last_signal(void)
{
	return signal_seen;
}
