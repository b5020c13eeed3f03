/*
 * Runs on a simulated drive and a virtual clock: the same each time, with rows and progress as a
 * real run has them. The drive's seed is 3.
 */
#include "result/result.h"

#include <math.h>

#include "bed.h"

#define SIM_JOB                                                                               \
	"[j]\nioengine=sim\nfilename=sim:nvme-enterprise,size=64m,seed=3\nrw=randrw\nbs=4k\n" \
	"iodepth=4\ntime_based=1\n"

struct seen {
	unsigned calls, estimates;
	uint64_t last_ns;
};

static void on_progress(void *context, const struct progress *progress)
{
	struct seen *seen = context;

	seen->calls++;
	assert_true(progress->elapsed_ns >= seen->last_ns);
	seen->last_ns = progress->elapsed_ns;
}

static void on_estimate(void *context, uint64_t cpu_ns)
{
	struct seen *seen = context;

	seen->estimates++;
	assert_true(cpu_ns > 0);
}

static void run_once(struct bed *bed, struct seen *seen, const char *options)
{
	autostr text = {0};

	*seen = (struct seen){0};
	str_printf(&text, "%s%s", SIM_JOB, options);
	bed_init(bed);
	bed->hooks.context = seen;
	bed->hooks.progress = on_progress;
	bed->hooks.estimate = on_estimate;
	if (bed_run(bed, FACE_NATIVE, str_text(&text)))
		fail_msg("%s", bed->err.text);
}

static void end(struct bed *bed)
{
	bed_end_run(bed);
	bed_done(bed);
}

static void the_same_run_is_the_same_twice(void **state)
{
	static const char *const options[] = {
		"runtime=300ms\n", "runtime=300ms\nrate_iops=2000\nrate_process=poisson\n",
		"runtime=200ms\nramp_time=100ms\nnumjobs=2\n",
		"runtime=300ms\nstartdelay=100ms\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct bed one, other;
		struct seen seen;

		run_once(&one, &seen, options[i]);
		assert_int_equal(one.result.jobs[0].error, 0);
		run_once(&other, &seen, options[i]);
		for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++) {
			const struct dir_result *a = &one.result.jobs[0].dir[dir];
			const struct dir_result *b = &other.result.jobs[0].dir[dir];

			assert_true(a->ios > 100);
			assert_int_equal(a->ios, b->ios);
			assert_int_equal(a->lat[LAT_TOTAL].sums.max_ns,
					 b->lat[LAT_TOTAL].sums.max_ns);
			assert_memory_equal(a->lat[LAT_TOTAL].hist, b->lat[LAT_TOTAL].hist,
					    sizeof(struct hist));
		}
		assert_true(one.result.simulated);
		bed_end_run(&other);
		assert_int_equal(chdir(other.before), 0); /* its folder lies in the first's */
		assert_int_equal(rmdir(other.folder), 0);
		end(&one);
	}
}

static void progress_comes_once_a_virtual_second(void **state)
{
	struct bed bed;
	struct seen seen;

	(void)state;
	run_once(&bed, &seen, "runtime=5s\nrate_iops=200\n");
	assert_in_range(seen.calls, 4, 6);
	assert_true(seen.last_ns >= 4 * NS_PER_S);
	assert_in_range(bed.result.nrows, 5, 6);
	assert_int_equal(seen.estimates, 0); /* a run of moments is not announced */
	end(&bed);
}

static void a_drive_tells_what_the_run_did_to_it(void **state)
{
	const struct health_facts *drive;
	struct health grown;
	struct seen seen;
	struct bed bed;

	(void)state;
	run_once(&bed, &seen, "runtime=200ms\n");
	assert_int_equal(bed.result.facts.nhealth, 1);
	drive = bed.result.facts.health;
	assert_true(drive->before.at_unix_ns && drive->after.at_unix_ns);
	health_difference(&drive->before, &drive->after, &grown);
	assert_int_equal(grown.value[HEALTH_HOST_WRITTEN_BYTES],
			 bed.result.facts.asked_bytes[DIR_WRITE]);
	assert_int_equal(grown.value[HEALTH_HOST_READS], bed.result.facts.asked_ios[DIR_READ]);
	assert_true(drive->before.value[HEALTH_TEMPERATURE_MC] > 0);
	end(&bed);
}

/* Rows of the members are joined when there are many; the rate of what was common stays. */
static void a_group_that_runs_for_hours_has_its_common_rate(void **state)
{
	static const double per_s = 4;
	const struct job_result *group;
	struct seen seen;
	unsigned count;
	struct bed bed;

	(void)state;
	run_once(&bed, &seen,
		 "rate_iops=1,1\ngroup_reporting=1\nruntime=4500s\nrwmixread=50\n"
		 "[k]\nioengine=sim\nfilename=sim:nvme-enterprise,size=64m,seed=3\nrw=randrw\n"
		 "bs=4k\ntime_based=1\nrate_iops=1,1\ngroup_reporting=1\nruntime=4200s\n");
	group = result_groups(&bed.result, &count);
	assert_int_equal(count, 1);
	assert_int_equal(group->members, 2);
	assert_false(group->rated_whole);
	assert_in_range(group->end_ns, 4190 * NS_PER_S, 4210 * NS_PER_S);
	assert_true(fabs(result_rate(group, DIR_READ).ios_per_s +
			 result_rate(group, DIR_WRITE).ios_per_s - per_s) < 0.01 * per_s);
	end(&bed);
}

/* A look a virtual second at the model's temperature; a disk's model has none. */
static void a_model_tells_its_temperature_every_second(void **state)
{
	struct vitals *vitals;
	struct seen seen;
	struct bed bed;

	(void)state;
	run_once(&bed, &seen, "runtime=3s\n");
	vitals = &bed.result.vitals;
	assert_int_equal(vitals->nchannels, 1);
	assert_int_equal(vitals->nrows, 3);
	assert_int_equal(vitals->step_ns, NS_PER_S);
	assert_int_equal(vitals->channels[0].kind, VITAL_TEMPERATURE);
	assert_string_equal(vitals->channels[0].name, "sim:nvme-enterprise,size=64m,seed=3");
	for (unsigned i = 0; i < 3; i++)
		assert_true(vitals->values[i] >= 35 && vitals->values[i] < 80);
	end(&bed);
	bed_init(&bed);
	assert_int_equal(
		bed_run(&bed, FACE_NATIVE,
			"[j]\nioengine=sim\nfilename=sim:hdd-7200-raid0,seed=3\nrw=randread\n"
			"bs=4k\ntime_based=1\nruntime=2s\n"),
		0);
	assert_int_equal(bed.result.vitals.nchannels, 0);
	end(&bed);
}

static void simulated_and_real_targets_do_not_mix(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	assert_int_not_equal(bed_run(&bed, FACE_NATIVE,
				     SIM_JOB
				     "runtime=1s\n[k]\nioengine=null\nrw=read\nsize=1m\n"),
			     0);
	assert_int_equal(bed.err.kind, ERR_INPUT);
	end(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_run_is_the_same_twice),
		cmocka_unit_test(progress_comes_once_a_virtual_second),
		cmocka_unit_test(a_drive_tells_what_the_run_did_to_it),
		cmocka_unit_test(a_group_that_runs_for_hours_has_its_common_rate),
		cmocka_unit_test(a_model_tells_its_temperature_every_second),
		cmocka_unit_test(simulated_and_real_targets_do_not_mix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
