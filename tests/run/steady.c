/* steadystate= in runs on the null engine. Intervals are cut to hundredths of a second, which no
 * job file may ask for. No seeds: nothing is random. */
#include "result/result.h"

#include <math.h>

#include "bed.h"

#define LOAD                                                                     \
	"ioengine=null\nsize=1g\nbs=4k\nrw=read\ntime_based=1\nrate_iops=5000\n" \
	"steadystate_duration=1s\n"

static void cut_intervals(struct job_set *set)
{
	set->options.interval = 20 * NS_PER_MS;
	for (unsigned j = 0; j < set->njobs; j++) {
		struct job_spec *spec = set->jobs[j];

		spec->steadystate_check_interval = 40 * NS_PER_MS;
		spec->steadystate_duration = 200 * NS_PER_MS;
		spec->steadystate_ramp_time = 100 * NS_PER_MS;
	}
}

static void a_constant_rate_ends_the_job_when_the_window_is_full(void **state)
{
	struct bed bed;
	const struct job_result *job;
	const struct steady_result *steady;

	(void)state;
	bed_init(&bed);
	assert_int_equal(bed_run_with(&bed, FACE_NATIVE,
				      "[j]\n" LOAD "runtime=3\nsteadystate=iops_slope:50%\n",
				      cut_intervals),
			 0);
	job = &bed.result.jobs[0];
	steady = job->steady;
	assert_non_null(steady);
	assert_true(steady->attained);
	assert_int_equal(steady->samples, 5);
	assert_true(steady->criterion_is_percent && fabs(steady->criterion) <= 50);
	assert_true(job->runtime_ns >= 300 * NS_PER_MS);
	assert_true(job->runtime_ns < 3 * NS_PER_S);
	assert_int_equal(job->error, 0);
	for (unsigned i = 0; i < steady->samples; i++)
		assert_int_equal(steady->bw_bytes_per_s[i] / 4096, steady->iops[i]);
	assert_null(steady->lat_ns);
	bed_end_run(&bed);
	bed_done(&bed);
}

static void what_is_not_steady_runs_to_its_end(void **state)
{
	struct bed bed;
	const struct steady_result *steady;

	(void)state;
	bed_init(&bed);
	/* a latency in ns is never the same five times */
	assert_int_equal(bed_run_with(&bed, FACE_NATIVE,
				      "[j]\n" LOAD "runtime=700ms\nsteadystate=lat:0\n",
				      cut_intervals),
			 0);
	steady = bed.result.jobs[0].steady;
	assert_false(steady->attained);
	assert_int_equal(steady->samples, 5);
	assert_non_null(steady->lat_ns);
	assert_true(steady->max_deviation > 0);
	assert_true(steady->criterion == steady->max_deviation);
	assert_true(bed.result.jobs[0].runtime_ns >= 700 * NS_PER_MS);
	bed_end_run(&bed);
	bed_done(&bed);
}

static void clones_are_judged_together_natively_and_alone_in_fio(void **state)
{
	static const enum face faces[] = {FACE_NATIVE, FACE_FIO};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct bed bed;
		const struct job_result *jobs;

		bed_init(&bed);
		assert_int_equal(bed_run_with(&bed, faces[i],
					      "[j]\n" LOAD
					      "runtime=3\nsteadystate=iops:90%\nnumjobs=2\n",
					      cut_intervals),
				 0);
		jobs = bed.result.jobs;
		assert_true(jobs[0].steady->attained && jobs[1].steady->attained);
		assert_true((jobs[0].steady == jobs[1].steady) == (faces[i] == FACE_NATIVE));
		/* 5000 each; the bounds are those of the criterion */
		assert_true(jobs[0].steady->iops_mean > (i ? 3000 : 6000));
		assert_true(jobs[0].steady->iops_mean < (i ? 7000 : 14000));
		bed_end_run(&bed);
		bed_done(&bed);
	}
}

static void without_steadystate_there_is_no_object(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	assert_int_equal(
		bed_run(&bed, FACE_NATIVE, "[j]\nioengine=null\nsize=4k\nbs=4k\nrw=read\n"), 0);
	assert_null(bed.result.jobs[0].steady);
	bed_end_run(&bed);
	bed_done(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_constant_rate_ends_the_job_when_the_window_is_full),
		cmocka_unit_test(what_is_not_steady_runs_to_its_end),
		cmocka_unit_test(clones_are_judged_together_natively_and_alone_in_fio),
		cmocka_unit_test(without_steadystate_there_is_no_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
