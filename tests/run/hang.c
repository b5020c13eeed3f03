/*
 * Workers that hang where no signal reaches them, as in a read of a drive that has stopped
 * answering: the report comes after the drain limit, with what they had counted, and lists what is
 * still in flight. The engine is one that stops in reap(). No seeds.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "engine/engine.h"
#include "engine/req.h"
#include "result/result.h"

#include "bed.h"

#define REAPED_BEFORE 100
#define HANGING_DEPTH 4 /* a job of this depth hangs, others do not */

struct stopping {
	struct engine engine;
	struct req *queued;
	unsigned left; /* requests that it still answers */
};

static _Atomic uint32_t *released; /* in shared memory: never set while the run is on */
static pid_t test_pid;

/* Only a worker that is a process comes back, to end; what the thread's run was is gone. */
static bool answers_again(void)
{
	return getpid() != test_pid && atomic_load(released);
}

const char *__lsan_default_options(void);

/* What a worker that was given up still uses is left on purpose: no leak. */
const char *__lsan_default_options(void)
{
	return "detect_leaks=0";
}

static int stopping_open(struct engine *engine, const struct engine_setup *setup,
			 struct err *err)
{
	struct stopping *s = container_of(engine, struct stopping, engine);

	(void)err;
	s->left = setup->spec->iodepth == HANGING_DEPTH ? REAPED_BEFORE : UINT32_MAX;
	return 0;
}

static int stopping_queue(struct engine *engine, struct req *req)
{
	struct stopping *s = container_of(engine, struct stopping, engine);

	req->next = s->queued;
	s->queued = req;
	return 0;
}

static int stopping_reap(struct engine *engine, struct req **done, unsigned min, unsigned max,
			 uint64_t until_ns)
{
	struct stopping *s = container_of(engine, struct stopping, engine);
	unsigned n = 0;

	(void)min, (void)until_ns;
	while (!s->left && !answers_again()) {
		const struct timespec nap = {.tv_nsec = 5000000};

		(void)nanosleep(&nap, NULL); /* a poke ends it and changes nothing */
	}
	while (s->queued && n < max && (s->left || answers_again())) {
		s->queued->res = (int32_t)s->queued->len;
		done[n++] = s->queued;
		s->queued = s->queued->next;
		s->left -= s->left > 0;
	}
	return (int)n;
}

static const struct engine_ops stopping = {
	.name = "null",
	.help = "answers some requests, and then none",
	.caps = ENGINE_READ | ENGINE_FAKE,
	.size_bytes = sizeof(struct stopping),
	.open = stopping_open,
	.queue = stopping_queue,
	.reap = stopping_reap,
};

static void drain_shortly(struct job_set *set)
{
	set->options.drain = 100 * NS_PER_MS;
}

static void assert_given_up(const struct job_result *job)
{
	assert_int_equal(job->error, ETIMEDOUT);
	assert_int_equal(job->dir[DIR_READ].ios, REAPED_BEFORE);
	assert_int_equal(job->dir[DIR_READ].bytes, 4096 * REAPED_BEFORE);
	assert_in_range(job->nunfinished, 1, HANGING_DEPTH);
	for (unsigned i = 0; i < job->nunfinished; i++) {
		assert_int_equal(job->unfinished[i].op, OP_READ);
		assert_int_equal(job->unfinished[i].bytes, 4096);
		/* older than the run's rest, the drain, and what is waited beyond it */
		assert_true(job->unfinished[i].age_ns >= 100 * NS_PER_MS);
		assert_true(job->unfinished[i].age_ns <=
			    job->dir[DIR_READ].lat[LAT_TOTAL].sums.max_ns);
	}
}

static void the_report_comes_without_the_workers_that_hang(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	bed.hooks.engine = &stopping;
	assert_int_equal(
		bed_run_with(&bed, FACE_NATIVE,
			     "[global]\nioengine=null\nrw=randread\nbs=4k\nsize=1m\n"
			     "norandommap=1\ntime_based=1\nruntime=200ms\nrate_iops=1000\n"
			     "[thread]\niodepth=4\n[process]\niodepth=4\nthread=0\n[healthy]\n",
			     drain_shortly),
		0);
	assert_given_up(&bed.result.jobs[0]);
	assert_given_up(&bed.result.jobs[1]);
	assert_true(bed.result.jobs[1].as_process);
	assert_int_equal(bed.result.jobs[2].error, 0);
	assert_int_equal(bed.result.jobs[2].nunfinished, 0);
	assert_true(bed.result.jobs[2].dir[DIR_READ].ios > REAPED_BEFORE);
	assert_int_equal(run_exit_code(&bed.result), ERR_IO);
	result_plausibility(&bed.result);
	bed_end_run(&bed);
	bed_done(&bed);
}

static int make_word(void **state)
{
	(void)state;
	test_pid = getpid();
	released = mmap(NULL, sizeof(*released), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return released == MAP_FAILED;
}

/* The process that hangs; its thread ends with this one. */
static int end_process(void **state)
{
	int status;

	(void)state;
	atomic_store(released, 1);
	return waitpid(-1, &status, 0) > 0 ? 0 : -1;
}

int main(void)
{
#ifdef __SANITIZE_THREAD__
	(void)puts("TSan waits at the end for the threads that this abandons");
	return 77;
#endif
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_report_comes_without_the_workers_that_hang),
	};

	return cmocka_run_group_tests(tests, make_word, end_process);
}
