/*
 * Starting workers: memory and engines in the control plane, then a thread or process each,
 * then one start line for all clones of the jobs that became ready together.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run/run_priv.h"

#define HAND_OVER_PAUSE_MAX_NS 20000000

/* --- in the worker's own thread or process --- */

static void tell_control(const struct run_worker *rw)
{
	uint64_t one = 1;
	ssize_t n = write(rw->run->event_fd, &one, sizeof(one));

	(void)n; /* the control plane looks at least once an interval anyhow */
}

static void set_state(struct run_worker *rw, enum worker_state state)
{
	atomic_store_explicit(&rw->worker->state, state, memory_order_release);
	tell_control(rw);
}

static bool wait_for_start(struct run_worker *rw)
{
	struct launch *launch = rw->launch;
	uint32_t word;

	while ((word = atomic_load_explicit(&launch->word, memory_order_acquire)) ==
	       LAUNCH_WAIT)
		thread_wait_word(&launch->word, LAUNCH_WAIT);
	return word == LAUNCH_GO;
}

/* startdelay: the worker's clock starts later than the others'. False if the run ended
 * before. */
static bool wait_delay(struct run_worker *rw, uint64_t start_ns)
{
	while (clock_now_ns(rw->worker->clock) < start_ns) {
		struct timespec at = {.tv_sec = (time_t)(start_ns / NS_PER_S),
				      .tv_nsec = (long)(start_ns % NS_PER_S)};

		if (atomic_load_explicit(&rw->worker->stop, memory_order_relaxed))
			return false;
		(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	}
	return true;
}

static void run_loop(struct run_worker *rw)
{
	struct worker *worker = rw->worker;
	uint64_t start = rw->launch->go_ticks;

	if (rw->delay_ns) {
		uint64_t start_ns = clock_at_ns(worker->clock, start) + rw->delay_ns;

		if (!wait_delay(rw, start_ns)) {
			worker->why = WORKER_STOPPED;
			worker_go(worker, clock_ticks(worker->clock));
			return;
		}
		start = clock_ticks(worker->clock);
	}
	worker_go(worker, start);
	worker_loop(worker);
}

static int sync_at_end(const struct run_worker *rw)
{
	const struct job_spec *spec = rw->job->spec;
	int rc = 0;

	if (!spec->end_fsync && !spec->fsync_on_close)
		return 0;
	for (unsigned i = 0; i < rw->ntargets; i++) {
		if (rw->targets[i].fd >= 0 && spec->rw.does[OP_WRITE] &&
		    fsync(rw->targets[i].fd) < 0)
			rc = rc ? rc : errno;
	}
	return rc;
}

/* The collector may have both tallies: it gives one back soon. Ever longer pauses, for
 * thousands of workers that look often would keep it from its work. */
static void hand_over(struct run_worker *rw)
{
	struct timespec pause = {.tv_nsec = 200000};

	while (!mailbox_flush(&rw->worker->mailbox)) {
		tell_control(rw);
		(void)nanosleep(&pause, NULL);
		if (pause.tv_nsec < HAND_OVER_PAUSE_MAX_NS)
			pause.tv_nsec *= 2;
	}
}

static void body(void *arg)
{
	struct run_worker *rw = arg;
	struct worker *worker = rw->worker;
	int rc = run_place(rw, &worker->err);

	if (!rc)
		rc = worker_start(worker);
	if (rc && !worker->err.code)
		(void)err_env(&worker->err, rc, "%s: %s", rw->job->spec->ioengine,
			      err_name(rc));
	set_state(rw, WORKER_READY);
	if (wait_for_start(rw) && !rc) {
		run_loop(rw);
		rc = sync_at_end(rw);
		if (rc && !worker->first_error.code) {
			worker->first_error = (struct worker_error){.code = rc, .op = OP_FSYNC};
			worker->why = WORKER_FAILED;
		}
	}
	worker_finish(worker);
	hand_over(rw);
	set_state(rw, WORKER_ENDED);
}

/* --- in the control plane --- */

static int pre_read(const struct target *target)
{
	static char part[1 << 16];
	uint64_t end = target->start_bytes + target->region_bytes;

	for (uint64_t at = target->start_bytes; at < end;) {
		ssize_t n = pread(target->fd, part, sizeof(part), (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EINVAL)
			return 0; /* direct: there is no cache to warm */
		if (n <= 0)
			return n < 0 ? -errno : 0;
		at += (uint64_t)n;
	}
	return 0;
}

/* What the job says about the page cache before the start. */
static void settle_cache(const struct job_spec *spec, const struct target *target)
{
	off_t from = (off_t)target->start_bytes, length = (off_t)target->region_bytes;
	int advice = spec->rw.random ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL;

	if (target->kind != TARGET_FILE && target->kind != TARGET_BLOCK)
		return;
	if (spec->pre_read)
		(void)pre_read(
			target); /* a drive that cannot be read fails in the run, with words */
	else if (spec->invalidate)
		(void)posix_fadvise(target->fd, from, length, POSIX_FADV_DONTNEED);
	if (spec->fadvise_hint == 1)
		(void)posix_fadvise(target->fd, from, length, advice);
}

static struct run_file *file_of(const struct run *run, const char *path)
{
	for (struct run_file *file = run->files; file; file = file->next) {
		if (file->path == path || str_equal(file->path, path))
			return file;
	}
	return NULL;
}

static int open_target(struct run_worker *rw, struct target *target, struct err *err)
{
	const struct job_spec *spec = rw->job->spec;
	struct run_file *file = file_of(rw->run, target->path);
	uint64_t region = target->region_bytes, start = target->start_bytes,
		 io = target->io_bytes;
	struct target_mode mode;
	int rc;

	if (target->kind == TARGET_NONE || target->kind == TARGET_SIM)
		return 0;
	target_mode_from(&mode, spec);
	rc = target_open(target, &mode, err);
	if (rc)
		return rc;
	target->region_bytes = region;
	target->start_bytes = start;
	target->io_bytes = io;
	if (file && target->created)
		rc = run_own_add(rw->run, file, target->fd, err);
	else if (file)
		rc = run_recheck(rw->run, file, target->fd, err);
	if (!rc)
		settle_cache(spec, target);
	return rc;
}

/* One common account for each flow_id; made with its first member. */
static struct flow_shared *flow_account(struct run *run, const struct job_spec *spec)
{
	struct run_flow *flow;

	if (!spec->flow)
		return NULL;
	for (flow = run->flows; flow; flow = flow->next) {
		if (flow->id == spec->flow_id)
			return flow->shared;
	}
	flow = arena_new(&run->arena, struct run_flow);
	flow->id = spec->flow_id;
	flow->shared = flow_shared_new(&run->shared);
	flow->next = run->flows;
	run->flows = flow;
	return flow->shared;
}

static int open_worker(struct run_worker *rw, struct err *err)
{
	struct run *run = rw->run;
	struct worker_setup setup = {.spec = rw->job->spec,
				     .engine = run->hooks->engine,
				     .clock = &run->clock,
				     .shared = run->worker_shared,
				     .targets = rw->targets,
				     .ntargets = rw->ntargets,
				     .clone = rw->clone,
				     .seed = rw->seed,
				     .drain_ns = run->drain_ns,
				     .limited = run->set->options.max_write > 0,
				     .capture = rw->capture,
				     .captures_offsets = rw->job->spec->log_offset,
				     .flow_shared = flow_account(run, rw->job->spec),
				     .arena = &rw->job->arena};

	for (unsigned i = 0; i < rw->ntargets; i++) {
		int rc = open_target(rw, &rw->targets[i], err);

		if (rc)
			return rc;
	}
	return worker_open(&setup, &rw->worker, err);
}

static bool is_process(const struct job_spec *spec)
{
	return spec->thread_given && !spec->thread;
}

static int start_workers(struct run_job *job, struct launch *launch, struct err *err)
{
	for (unsigned i = 0; i < job->nworkers; i++) {
		struct run_worker *rw = &job->workers[i];
		int rc;

		rw->launch = launch;
		if (run_is_virtual(rw->run)) {
			rc = run_virtual_start(rw, err);
			if (rc)
				return rc;
			continue;
		}
		rc = thread_start(&rw->thread, body, rw, is_process(job->spec));
		if (rc)
			return err_env(err, rc, "%s: cannot start worker %u: %s; %s",
				       job->spec->name, i, err_name(rc), thread_remedy());
		rw->phase = PHASE_STARTED;
	}
	return 0;
}

/* Waits until each has set itself up; the first that could not is the cause. */
static int wait_until_ready(struct run_job *job, struct err *err)
{
	struct timespec pause = {.tv_nsec = 20000};
	int rc = 0;

	for (unsigned i = 0; i < job->nworkers; i++) {
		struct run_worker *rw = &job->workers[i];
		int signal;

		while (atomic_load_explicit(&rw->worker->state, memory_order_acquire) ==
		       WORKER_NEW) {
			if (thread_try_join(&rw->thread, &signal))
				return err_env(err, -ECHILD,
					       "%s: worker %u died at its start (signal %d)",
					       job->spec->name, i, signal);
			(void)nanosleep(&pause, NULL);
		}
		if (!rc && rw->worker->err.code)
			rc = err_set(err, rw->worker->err.kind, rw->worker->err.code, "%s: %s",
				     job->spec->name, rw->worker->err.text);
	}
	return rc;
}

static void give_up(struct run_job **jobs, unsigned njobs, struct launch *launch)
{
	atomic_store_explicit(&launch->word, LAUNCH_GIVE_UP, memory_order_release);
	thread_wake_word(&launch->word);
	for (unsigned j = 0; j < njobs; j++) {
		for (unsigned i = 0; i < jobs[j]->nworkers; i++) {
			int ignored;

			if (jobs[j]->workers[i].thread.started)
				(void)thread_join(&jobs[j]->workers[i].thread, &ignored);
		}
	}
}

static void begin_grid(struct run *run, uint64_t ticks)
{
	if (run->start_ns)
		return;
	run->worker_shared->grid_ticks = ticks;
	run->start_ns = clock_at_ns(&run->clock, ticks);
	run->next_collect_ns = run->start_ns; /* the first look settles the next */
	run->next_progress_ns = run->start_ns + run->worker_shared->interval_ns;
	run->next_status_ns = run->start_ns + run->set->options.status_interval;
	run->result->wall_start_ns = clock_wall_ns();
	run_logs_begin(run);
}

static void fire(struct run *run, struct run_job **jobs, unsigned njobs, struct launch *launch)
{
	uint64_t wall_ms = clock_wall_ns() / NS_PER_MS;

	launch->go_ticks = clock_ticks(&run->clock);
	begin_grid(run, launch->go_ticks);
	atomic_store_explicit(&launch->word, LAUNCH_GO, memory_order_release);
	thread_wake_word(&launch->word);
	for (unsigned j = 0; j < njobs; j++) {
		jobs[j]->phase = JOB_RUNNING;
		for (unsigned i = 0; i < jobs[j]->nworkers; i++) {
			jobs[j]->workers[i].phase = PHASE_RUNNING;
			jobs[j]->workers[i].result->wall_start_ms = wall_ms;
		}
	}
	run_monitor_begin(run); /* they run by now: making its thread takes some 50 us */
}

int run_launch(struct run *run, struct run_job **jobs, unsigned njobs, struct err *err)
{
	struct launch *launch = arena_alloc(&run->shared, sizeof(*launch), CACHE_LINE_BYTES);
	int rc = 0;

	for (unsigned j = 0; j < njobs && !rc; j++) {
		for (unsigned i = 0; i < jobs[j]->nworkers && !rc; i++)
			rc = open_worker(&jobs[j]->workers[i], err);
		arena_seal(&jobs[j]->arena);
	}
	for (unsigned j = 0; j < njobs && !rc; j++)
		rc = start_workers(jobs[j], launch, err);
	for (unsigned j = 0; j < njobs && !rc; j++)
		rc = wait_until_ready(jobs[j], err);
	if (rc) {
		give_up(jobs, njobs, launch);
		return rc;
	}
	fire(run, jobs, njobs, launch);
	return 0;
}

void run_job_close(struct run_job *job)
{
	for (unsigned i = 0; i < job->nworkers; i++) {
		struct run_worker *rw = &job->workers[i];

		if (rw->phase == PHASE_ABANDONED)
			return; /* a request may still write into its memory */
		if (rw->worker)
			worker_close(rw->worker);
		rw->worker = NULL;
		for (unsigned t = 0; t < rw->ntargets; t++)
			target_close(&rw->targets[t]);
	}
	arena_done(&job->arena);
}

void run_poke(const struct run_worker *worker)
{
	thread_poke(&worker->thread);
}
