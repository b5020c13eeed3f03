/* One run from start to end: prepare, launch what is ready, collect, stop, tear down. */
#include "run/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/run_priv.h"
#include "sim/drive.h"

#define WATCH_NS	 (50 * NS_PER_MS) /* how often a run that is to end is looked at */
#define COLLECT_LAG_NS	 (2 * NS_PER_MS)  /* after a boundary: workers publish it first */
#define COLLECT_AGAIN_NS (10 * NS_PER_MS)

/* --- which jobs may start --- */

static bool is_ready(const struct run *run, const struct run_job *job)
{
	if (job->phase != JOB_WAITING)
		return false;
	for (unsigned j = 0; j < run->njobs; j++) {
		const struct run_job *other = &run->jobs[j];

		if (other->phase == JOB_ENDED || other == job)
			continue;
		if (other->spec->stonewall_group < job->spec->stonewall_group)
			return false;
		if (job->spec->wait_for && str_equal(other->spec->name, job->spec->wait_for))
			return false;
	}
	return true;
}

/* A job that cannot start after others have run: its result says so, the rest goes on. */
static void note_failed_launch(struct run *run, struct run_job **jobs, unsigned njobs,
			       const struct err *err)
{
	for (unsigned j = 0; j < njobs; j++) {
		jobs[j]->phase = JOB_ENDED;
		for (unsigned i = 0; i < jobs[j]->nworkers; i++) {
			jobs[j]->workers[i].phase = PHASE_ENDED;
			jobs[j]->workers[i].result->error = -err->code;
		}
		run_job_close(jobs[j]);
	}
	result_note(run->result, "not-started", SEVERITY_WARNING, jobs[0]->spec->name, "%s",
		    err->text);
}

static int launch_ready(struct run *run, struct err *err)
{
	struct run_job **ready;
	unsigned nready = 0;
	struct err why = {0};
	int rc;

	ready = arena_array(&run->arena, struct run_job *, run->njobs);
	for (unsigned j = 0; j < run->njobs; j++) {
		if (is_ready(run, &run->jobs[j]))
			ready[nready++] = &run->jobs[j];
	}
	if (!nready)
		return 0;
	rc = run_launch(run, ready, nready, &why);
	if (!rc)
		return 0;
	if (!run->start_ns)
		return err_copy(err, &why);
	note_failed_launch(run, ready, nready, &why);
	return 0;
}

/* --- the loop --- */

static void finish_ended(struct run *run)
{
	for (unsigned j = 0; j < run->njobs; j++) {
		struct run_job *job = &run->jobs[j];
		unsigned left = 0;

		if (job->phase != JOB_RUNNING)
			continue;
		for (unsigned i = 0; i < job->nworkers; i++) {
			struct run_worker *rw = &job->workers[i];
			bool ended = rw->phase == PHASE_RUNNING &&
				     atomic_load_explicit(&rw->worker->state,
							  memory_order_acquire) == WORKER_ENDED;

			if (ended) {
				run_collect_worker(rw); /* its last tally */
				run_finish_worker(rw);
				run_after_end(run, rw);
			}
			left += rw->phase == PHASE_RUNNING;
		}
		if (!left) {
			job->phase = JOB_ENDED;
			run_job_close(job);
		}
	}
}

static bool all_ended(const struct run *run)
{
	for (unsigned j = 0; j < run->njobs; j++) {
		if (run->jobs[j].phase != JOB_ENDED)
			return false;
	}
	return true;
}

static void wait_for_event(const struct run *run)
{
	struct pollfd poll_fd = {.fd = run->event_fd, .events = POLLIN};
	uint64_t now_ns = run_now_ns(run), until = run->next_collect_ns, count;
	struct timespec timeout;

	until = min_u64(until, now_ns + (run->stopping ? WATCH_NS : 4 * WATCH_NS));
	until = until > now_ns ? until - now_ns : 0;
	timeout.tv_sec = (time_t)(until / NS_PER_S);
	timeout.tv_nsec = (long)(until % NS_PER_S);
	if (ppoll(&poll_fd, 1, &timeout, NULL) > 0)
		(void)!read(run->event_fd, &count, sizeof(count)); /* cleared: nothing else */
}

/* The next look: shortly after the next boundary; sooner while a worker still has a row to hand
 * over, for it has only two tallies. */
static uint64_t next_collect_ns(const struct run *run, uint64_t now_ns)
{
	uint64_t interval = run->result->interval_ns;
	uint64_t row = (now_ns - run->start_ns) / interval;

	if (run->first_open_row < row)
		return now_ns + COLLECT_AGAIN_NS;
	return run->start_ns + (row + 1) * interval + COLLECT_LAG_NS;
}

static int journal(struct run *run, struct err *err)
{
	const struct run_hooks *hooks = run->hooks;

	return hooks->journal ? hooks->journal(hooks->journal_context, run, err) : 0;
}

static void look_if_due(struct run *run, struct err *err)
{
	const struct run_hooks *hooks = run->hooks;
	uint64_t now_ns = run_now_ns(run);

	if (!hooks->look || run_is_virtual(run) || run->stopping || !run->start_ns ||
	    now_ns < run->next_look_ns)
		return;
	if (run->next_look_ns) /* whoever looks has done so before the start */
		run->look_rc = hooks->look(hooks->look_context, err);
	run->next_look_ns = now_ns + RUN_LOOK_NS;
	if (run->look_rc)
		run_stop_all(run);
}

static void collect_if_due(struct run *run)
{
	uint64_t now_ns = run_now_ns(run);

	if (now_ns < run->next_collect_ns)
		return;
	run_collect(run);
	run_monitor_tick(run);
	run_locks_look(run);
	if (run->start_ns)
		(void)journal(run, NULL);
	run->next_collect_ns = next_collect_ns(run, now_ns);
	if (now_ns >= run->next_progress_ns) {
		run->next_progress_ns = run->next_collect_ns;
		run_report_progress(run);
	}
	if (run->hooks->status && run->set->options.status_interval &&
	    now_ns >= run->next_status_ns) {
		run->hooks->status(run->hooks->context, run->result);
		run->next_status_ns = now_ns + run->set->options.status_interval;
	}
}

static int loop(struct run *run, struct err *err)
{
	while (!all_ended(run)) {
		int rc = run->stopping ? 0 : launch_ready(run, err);

		if (rc)
			return rc;
		if (run_is_virtual(run))
			run_virtual_advance(run);
		else
			wait_for_event(run);
		if (run_signal_seen() && !run->stopping) {
			run->stop_signal = run_signal_seen();
			run_stop_all(run);
		}
		collect_if_due(run);
		look_if_due(run, err);
		run_watch(run);
		finish_ended(run);
	}
	return run->look_rc;
}

/* --- around it --- */

/* The grid's rows: --interval; in fio's face its sampling window, for bw_* and iops_* are
 * whole rows. */
static uint64_t row_width_ns(const struct job_set *set)
{
	uint64_t width = set->options.interval ? set->options.interval : NS_PER_S;

	for (unsigned j = 0; j < set->njobs && set->face == FACE_FIO; j++) {
		const struct job_spec *spec = set->jobs[j];
		uint64_t window = min_u64(spec->bwavgtime, spec->iopsavgtime);

		width = min_u64(width, max_u64(window, NS_PER_MS));
	}
	return width;
}

/* One clock for the whole run: simulated drives and real ones do not mix. */
static bool is_simulated(const struct job_set *set)
{
	for (unsigned j = 0; j < set->njobs; j++) {
		if (!(engine_find(set->jobs[j]->ioengine)->caps & ENGINE_SIMULATED))
			return false;
	}
	return set->njobs > 0;
}

static int check_mix(const struct job_set *set, struct err *err)
{
	for (unsigned j = 0; j < set->njobs && !is_simulated(set); j++) {
		if (engine_find(set->jobs[j]->ioengine)->caps & ENGINE_SIMULATED)
			return err_input(err,
					 "%s: a simulated drive has a clock of its own: run it "
					 "apart from jobs on real targets",
					 set->jobs[j]->name);
	}
	return 0;
}

static int init(struct run *run, const struct job_set *set, const struct run_hooks *hooks,
		struct result *result)
{
	static const struct run_hooks nobody;
	uint64_t interval = row_width_ns(set);
	const char *destroy = getenv("ASSAY_DESTROY");

	run->set = set;
	run->hooks = hooks ? hooks : &nobody;
	run->result = result;
	run->drain_ns = set->options.drain ? set->options.drain : 10 * NS_PER_S;
	arena_init(&run->arena);
	arena_init_shared(&run->shared);
	run->virtual_ns = VIRTUAL_START_NS;
	result->simulated = is_simulated(set);
	run->real_zero_ns = clock_monotonic_ns();
	if (result->simulated)
		clock_virtual(&run->clock, &run->virtual_ns);
	else
		clock_calibrate(&run->clock);
	run->worker_shared =
		arena_alloc(&run->shared, sizeof(*run->worker_shared), CACHE_LINE_BYTES);
	run->worker_shared->interval_ns = result->interval_ns = interval;
	atomic_init(&run->worker_shared->own_budget,
		    (int64_t)min_u64(set->options.max_write, INT64_MAX));
	run->worker_shared->write_budget = run->hooks->write_budget
						   ? run->hooks->write_budget
						   : &run->worker_shared->own_budget;
	run->open_rows = arena_array(&run->arena, struct open_row, OPEN_ROWS_MAX);
	guard_tokens_parse(&run->arena,
			   arena_printf(&run->arena, "%s,%s",
					set->options.destroy ? set->options.destroy : "",
					destroy ? destroy : ""),
			   &run->tokens, &run->ntokens);
	run->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return run->event_fd < 0 ? -errno : 0;
}

static bool has_abandoned(const struct run *run)
{
	for (unsigned j = 0; j < run->njobs; j++) {
		for (unsigned i = 0; i < run->jobs[j].nworkers; i++) {
			if (run->jobs[j].workers[i].phase == PHASE_ABANDONED)
				return true;
		}
	}
	return false;
}

/* An abandoned worker may wake at any time: all that it looks at stays until the process
 * ends. */
static void done(struct run *run)
{
	run_monitor_close(run); /* of a run that did not start */
	if (has_abandoned(run) || run_monitor_hangs(run))
		return;
	for (unsigned j = 0; j < run->njobs; j++) {
		if (run->jobs[j].phase != JOB_ENDED)
			run_job_close(&run->jobs[j]);
	}
	for (unsigned i = 0; run->open_rows && i < OPEN_ROWS_MAX; i++) {
		for (unsigned d = 0; d < NDIR; d++)
			free(run->open_rows[i].hist[d]);
	}
	for (struct run_file *file = run->files; file; file = file->next)
		drive_close(file->drive);
	for (struct run_file *file = run->files; file; file = file->next)
		device_unlock(&file->lock); /* a run that did not start */
	if (run->event_fd >= 0)
		(void)close(run->event_fd);
	arena_done(&run->shared);
	arena_done(&run->arena);
	free(run);
}

static bool only_creates(const struct run *run)
{
	for (unsigned j = 0; j < run->njobs; j++) {
		if (!run->jobs[j].spec->create_only)
			return false;
	}
	return true;
}

/* A row in which nothing came back has no tally to say that it was measured: it was, where it
 * lies within a worker's measured span. */
static bool was_measured(const struct result *result, const struct row *row)
{
	for (unsigned i = 0; i < result->njobs; i++)
		if (result->jobs[i].begin_ns <= row->begin_ns &&
		    result->jobs[i].end_ns >= row->end_ns)
			return true;
	return false;
}

static void settle_rows(struct result *result)
{
	for (unsigned i = 0; i < result->nrows; i++)
		if (result->rows[i].ramp && was_measured(result, &result->rows[i]))
			result->rows[i].ramp = false;
}

static void close_result(struct run *run)
{
	struct result *result = run->result;

	run_close_rows(run, true);
	result->wall_end_ns = clock_wall_ns();
	if (run->start_ns) {
		uint64_t end_ns = 0;

		for (unsigned i = 0; i < result->njobs; i++)
			end_ns = max_u64(end_ns, result->jobs[i].end_ns);
		result->span_ns = end_ns;
		if (!result->simulated)
			result->wall_jump_ns =
				(int64_t)(result->wall_end_ns - result->wall_start_ns) -
				(int64_t)(run_now_ns(run) - run->start_ns);
	}
	if (result->nrows) {
		struct row *last = &result->rows[result->nrows - 1];

		last->partial = last->end_ns > result->span_ns;
		last->end_ns =
			min_u64(last->end_ns, max_u64(result->span_ns, last->begin_ns + 1));
	}
	settle_rows(result);
	result->clock_drift_ppm = clock_drift_ppm(&run->clock);
	result->interrupted = run->stop_signal != 0;
	result->signal = run->stop_signal;
}

static void remove_files_of(void *arg)
{
	struct run *run = arg;

	run_remove_files(run, run->laying_out || !run->start_ns);
}

static int lay_out_and_measure(struct run *run, struct err *err)
{
	int rc = run_layout(run, err);

	if (rc || only_creates(run))
		return rc;
	run_facts_before(run);
	run_monitor_open(run);
	rc = run_logs_start(run, err);
	if (!rc) {
		run_estimate(run);
		rc = journal(run, err);
	}
	if (!rc)
		rc = loop(run, err);
	if (rc) {
		run_remove_files(run, true);
		return rc;
	}
	run_monitor_close(run);
	close_result(run);
	run_logs_close(run);
	run_virtual_save(run);
	run_steady_publish(run);
	run_facts_after(run);
	run_locks_drop(run);
	run_remove_files(run, false);
	return 0;
}

static int lay_out_and_loop(struct run *run, struct err *err)
{
	int rc;

	memory_end_add(&run->end, remove_files_of, run);
	rc = lay_out_and_measure(run, err);
	memory_end_remove(&run->end);
	return rc;
}

/* A job's file may have any name, and links lead to it too. */
static int check_output(const struct run *run, struct err *err)
{
	const char *path = run->hooks->output;
	struct stat st;

	if (!path || stat(path, &st) < 0)
		return 0;
	for (const struct run_file *file = run->files; file; file = file->next)
		if (file->existed && file->ino == st.st_ino && file->dev == st.st_dev &&
		    S_ISREG(st.st_mode))
			return err_input(err,
					 "\"%s\" is used by a job: the report needs another "
					 "name",
					 path);
	return 0;
}

static int run_all(struct run *run, struct err *err)
{
	int rc = check_mix(run->set, err);

	if (!rc)
		rc = run_prepare(run, err);
	if (!rc)
		rc = check_output(run, err);
	if (!rc && run->hooks->ready)
		rc = run->hooks->ready(run->hooks->ready_context, run->set, err);
	if (rc)
		return rc;
	run_prepare_results(run);
	run_steady_prepare(run);
	run_facts_look(run);
	if (!only_creates(run))
		rc = run_logs_open(run, err);
	if (!rc)
		rc = lay_out_and_loop(run, err);
	run_logs_close(run);
	return rc;
}

int run_execute(const struct job_set *set, const struct run_hooks *hooks, struct result *result,
		struct err *err)
{
	struct run *run = calloc(1, sizeof(*run));
	struct err untold = {0}; /* of who does not ask why */
	int rc;

	err = err ? err : &untold;
	if (!run)
		return err_env(err, -ENOMEM, "no memory for a run");
	run->event_fd = -1;
	rc = init(run, set, hooks, result);
	if (rc)
		(void)err_env(err, rc, "cannot prepare a run: %s", err_name(rc));
	if (!rc)
		rc = run_signals_take(err);
	if (!rc) {
		rc = run_all(run, err);
		run_signals_give_back();
	}
	done(run);
	return rc;
}

int run_exit_code(const struct result *result)
{
	if (result->interrupted)
		return 128 + result->signal;
	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];

		if (job->error || job->killed_by || job->first_error.code)
			return ERR_IO;
	}
	return 0;
}
