/* What ends a run before its time, and with which error. No seeds: the null engine. */
#include "result/result.h"

#include "bed.h"

#define NULL_JOB "ioengine=null\nsize=1g\nbs=4k\nrw=randread\nnorandommap=1\ntime_based=1\n"

static void a_minimum_that_is_met_stops_nothing(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	/* one value is for all directions, and this job only reads */
	assert_int_equal(bed_run(&bed, FACE_FIO,
				 "[j]\n" NULL_JOB
				 "runtime=4\nrate_iops=1000\nrate_iops_min=500\n"),
			 0);
	assert_int_equal(bed.result.jobs[0].error, 0);
	assert_true(bed.result.jobs[0].runtime_ns >= 4 * NS_PER_S);
	bed_end_run(&bed);
	bed_done(&bed);
}

static void a_minimum_that_is_missed_is_an_io_error_after_three_seconds(void **state)
{
	struct bed bed;
	const struct job_result *jobs;

	(void)state;
	bed_init(&bed);
	assert_int_equal(
		bed_run(&bed, FACE_FIO,
			"[a]\n" NULL_JOB
			"runtime=6\nrate_iops_min=1g\nexitall_on_error=1\n[b]\n" NULL_JOB
			"runtime=7\n"),
		0);
	jobs = bed.result.jobs;
	assert_int_equal(jobs[0].error, EIO);
	assert_true(jobs[0].runtime_ns >= 3 * NS_PER_S);
	assert_true(jobs[0].runtime_ns < 6 * NS_PER_S);
	assert_int_equal(jobs[1].error, 0);
	assert_true(jobs[1].runtime_ns < 7 * NS_PER_S);
	assert_int_equal(run_exit_code(&bed.result), ERR_IO);
	bed_end_run(&bed);
	bed_done(&bed);
}

static void max_latency_is_a_timeout(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	assert_int_equal(bed_run(&bed, FACE_FIO,
				 "[j]\nioengine=psync\nfilename=/dev/zero\nsize=100m\nrw=read\n"
				 "bs=4m\nmax_latency=1us\nruntime=3\ntime_based=1\n"),
			 0);
	assert_int_equal(bed.result.jobs[0].error, ETIMEDOUT);
	bed_end_run(&bed);
	bed_done(&bed);
}

static void only_bad_spots_are_continued_after(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	assert_int_equal(bed_run(&bed, FACE_FIO,
				 "[j]\nioengine=psync\nfilename=/dev/full\nsize=1m\nrw=write\n"
				 "bs=4k\ncontinue_on_error=all\n"),
			 0);
	assert_int_equal(bed.result.jobs[0].error, ENOSPC);
	assert_int_equal(bed.result.jobs[0].total_errors, 1);
	bed_end_run(&bed);
	bed_done(&bed);
}

static void exitall_stops_its_scope_and_no_more(void **state)
{
	static const struct {
		const char *what;
		bool ends_b, ends_c;
	} cases[] = {{"group", true, false}, {"all", true, true}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bed bed;
		const struct job_result *jobs;
		char text[800];

		bed_init(&bed);
		(void)snprintf(text, sizeof(text),
			       "[a]\n" NULL_JOB
			       "runtime=200ms\nexitall=1\nexit_what=%s\n[b]\n" NULL_JOB
			       "runtime=900ms\n[c]\n" NULL_JOB "runtime=900ms\nnew_group=1\n",
			       cases[i].what);
		assert_int_equal(bed_run(&bed, FACE_FIO, text), 0);
		jobs = bed.result.jobs;
		assert_int_equal(jobs[1].runtime_ns < 900 * NS_PER_MS, cases[i].ends_b);
		assert_int_equal(jobs[2].runtime_ns < 900 * NS_PER_MS, cases[i].ends_c);
		bed_end_run(&bed);
		bed_done(&bed);
	}
}

static void stonewall_and_wait_for_start_after_the_others(void **state)
{
	static const char *const orders[] = {"stonewall=1\n", "wait_for=a\n"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(orders); i++) {
		struct bed bed;
		const struct job_result *jobs;
		char text[600];

		bed_init(&bed);
		(void)snprintf(text, sizeof(text),
			       "[a]\n" NULL_JOB "runtime=100ms\nnumjobs=2\n[b]\n" NULL_JOB
			       "runtime=100ms\n%s",
			       orders[i]);
		assert_int_equal(bed_run(&bed, FACE_NATIVE, text), 0);
		jobs = bed.result.jobs;
		assert_true(jobs[2].begin_ns >= jobs[0].end_ns);
		assert_true(jobs[2].begin_ns >= jobs[1].end_ns);
		bed_end_run(&bed);
		bed_done(&bed);
	}
}

static void the_ramp_is_cut_to_the_point(void **state)
{
	struct bed bed;
	const struct job_result *job;

	(void)state;
	bed_init(&bed);
	assert_int_equal(
		bed_run(&bed, FACE_NATIVE,
			"[j]\nioengine=sim\nfilename=sim:nvme-enterprise,scale=1000\n"
			"rw=randread\nruntime=600ms\nramp_time=300ms\nrate_iops=1000\n"),
		0);
	job = &bed.result.jobs[0];
	/* within a tick's rounding */
	assert_in_range(job->begin_ns, 300 * NS_PER_MS - 10, 300 * NS_PER_MS + 10);
	/* 600 are due in the span, on a virtual clock, which no other load delays */
	assert_in_range(job->dir[DIR_READ].ios + job->ramp_ios, 890, 901);
	assert_in_range(job->dir[DIR_READ].ios, 580, 620);
	bed_end_run(&bed);
	bed_done(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_minimum_that_is_met_stops_nothing),
		cmocka_unit_test(a_minimum_that_is_missed_is_an_io_error_after_three_seconds),
		cmocka_unit_test(max_latency_is_a_timeout),
		cmocka_unit_test(only_bad_spots_are_continued_after),
		cmocka_unit_test(exitall_stops_its_scope_and_no_more),
		cmocka_unit_test(stonewall_and_wait_for_start_after_the_others),
		cmocka_unit_test(the_ramp_is_cut_to_the_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
