/* Merging of workers: fio's view and ours. No randomness. */
#include "result/result.h"

#include "base/bits.h"
#include "unit.h"

struct fixture {
	struct job_set set;
	struct result result;
	struct job_spec spec[3];
	struct job_result jobs[3];
};

/* Three clones of one job in group 0, at 1000 IOPS each of 4 KiB reads; the first for 1 s, the
 * others for 3 s. */
static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){0};
	result_init(&f->result, &f->set);
	for (unsigned i = 0; i < 3; i++) {
		struct job_result *job = &f->jobs[i];
		struct dir_result *read = &job->dir[DIR_READ];

		f->spec[i] =
			(struct job_spec){.name = "a", .stats = true, .group_reporting = true};
		*job = (struct job_result){
			.spec = &f->spec[i], .name = "a", .clone = i, .members = 1};
		job->end_ns = (i ? 3 : 1) * NS_PER_S;
		job->runtime_ns = job->end_ns;
		read->runtime_ns = job->end_ns;
		read->ios = i ? 3000 : 1000;
		read->bytes = read->ios * 4096;
		read->iops = (struct sample_stats){
			.samples = 2, .min = 990, .max = 1010, .mean = 1000, .deviation = 10};
		read->lat[LAT_CLAT].hist = arena_new(&f->result.arena, struct hist);
		hist_add(read->lat[LAT_CLAT].hist, 1000 * (i + 1), read->ios);
		hist_sums_init(&read->lat[LAT_CLAT].sums);
		hist_sums_add(&read->lat[LAT_CLAT].sums, 1000 * (i + 1), read->ios);
	}
	f->result.jobs = f->jobs;
	f->result.njobs = 3;
}

static void fio_view_takes_the_longest_runtime_and_adds_samples(void **state)
{
	struct fixture f;
	struct job_result *groups;
	const struct dir_result *read;
	unsigned count;

	(void)state;
	fixture_init(&f);
	groups = result_fio_groups(&f.result, &count);
	assert_int_equal(count, 1);
	read = &groups[0].dir[DIR_READ];
	assert_int_equal(groups[0].members, 3);
	assert_int_equal(read->ios, 7000);
	assert_int_equal(read->runtime_ns, 3 * NS_PER_S);
	assert_int_equal(groups[0].runtime_ns, 7 * NS_PER_S);
	assert_true(read->iops.min == 2970);
	assert_true(read->iops.mean == 3000);
	assert_int_equal(read->iops.samples, 6);
	assert_true(read->iops.deviation == 10);
	assert_int_equal(read->lat[LAT_CLAT].sums.min_ns, 1000);
	assert_int_equal(read->lat[LAT_CLAT].sums.max_ns, 3000);
	assert_int_equal(hist_total(read->lat[LAT_CLAT].hist), 7000);
	/* the members stay as they were */
	assert_int_equal(hist_total(f.jobs[0].dir[DIR_READ].lat[LAT_CLAT].hist), 1000);
	result_done(&f.result);
}

static void fio_view_separates_groups_and_leaves_out_stats_0(void **state)
{
	struct fixture f;
	unsigned count;

	(void)state;
	fixture_init(&f);
	f.jobs[2].group = 1;
	f.spec[1].stats = false;
	(void)result_fio_groups(&f.result, &count);
	assert_int_equal(count, 2);
	f.jobs[2].group = 0;
	f.spec[2].group_reporting = false;
	(void)result_fio_groups(&f.result, &count);
	assert_int_equal(count, 2);
	result_done(&f.result);
}

/* fio says 2,333 (7,000 in 3 s); while all three ran it was 3,000. */
static void our_view_rates_the_common_interval(void **state)
{
	struct fixture f;
	struct job_result *groups;
	unsigned count;

	(void)state;
	fixture_init(&f);
	groups = result_groups(&f.result, &count);
	assert_int_equal(count, 1);
	assert_true(result_rate(&groups[0], DIR_READ).ios_per_s == 3000);
	assert_true(result_rate(&groups[0], DIR_READ).bytes_per_s == 3000.0 * 4096);
	assert_int_equal(groups[0].end_ns, 1 * NS_PER_S);
	assert_int_equal(groups[0].dir[DIR_READ].ios, 7000);
	result_done(&f.result);
}

/* A member that speeds up once it is alone: its rows tell what it did before. */
static void rows_of_a_member_give_its_part_of_the_common_interval(void **state)
{
	static struct job_row rows[] = {
		{.begin_ns = 0, .end_ns = NS_PER_S, .ios = {500}, .bytes = {500 * 4096}},
		{.begin_ns = NS_PER_S,
		 .end_ns = 3 * NS_PER_S,
		 .ios = {2500},
		 .bytes = {2500 * 4096}},
	};
	struct fixture f;
	struct job_result *groups;
	unsigned count;

	(void)state;
	fixture_init(&f);
	for (unsigned i = 1; i < 3; i++) {
		f.jobs[i].rows = rows;
		f.jobs[i].nrows = ARRAY_SIZE(rows);
	}
	groups = result_groups(&f.result, &count);
	assert_true(result_rate(&groups[0], DIR_READ).ios_per_s == 2000);
	result_done(&f.result);
}

/* A run of more intervals than are recorded (68 minutes of seconds) goes without any: each member
 * counts over its own span. */
static void members_of_a_long_run_have_no_rows(void **state)
{
	struct fixture f;
	struct job_result *groups;
	unsigned count;

	(void)state;
	fixture_init(&f);
	for (unsigned i = 0; i < 3; i++)
		f.jobs[i].nrows = 4096;
	groups = result_groups(&f.result, &count);
	assert_true(result_rate(&groups[0], DIR_READ).ios_per_s == 3000);
	result_done(&f.result);
}

static void members_that_never_ran_together_have_an_empty_interval(void **state)
{
	struct fixture f;
	struct job_result *groups;
	unsigned count;

	(void)state;
	fixture_init(&f);
	f.jobs[2].begin_ns = 4 * NS_PER_S;
	f.jobs[2].end_ns = 7 * NS_PER_S;
	groups = result_groups(&f.result, &count);
	assert_true(groups[0].begin_ns == groups[0].end_ns);
	result_done(&f.result);
}

static void different_jobs_stay_apart_unless_group_reporting(void **state)
{
	struct fixture f;
	unsigned count;

	(void)state;
	fixture_init(&f);
	f.spec[2].number = 1;
	(void)result_groups(&f.result, &count);
	assert_int_equal(count, 1);
	f.spec[2].group_reporting = false;
	(void)result_groups(&f.result, &count);
	assert_int_equal(count, 2);
	result_done(&f.result);
}

static void notes_keep_their_order_and_text(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (int i = 0; i < 40; i++)
		result_note(&f.result, "id", SEVERITY_WARNING, i ? "a" : NULL, "note %d", i);
	assert_int_equal(f.result.nnotes, 40);
	assert_string_equal(f.result.notes[39].text, "note 39");
	assert_null(f.result.notes[0].job);
	result_done(&f.result);
}

static void all_directions_are_one_histogram(void **state)
{
	static struct hist all;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.jobs[0].dir[DIR_SYNC].lat[LAT_CLAT].hist = arena_new(&f.result.arena, struct hist);
	hist_add(f.jobs[0].dir[DIR_SYNC].lat[LAT_CLAT].hist, 7, 5);
	result_lat_all(&f.jobs[0], LAT_CLAT, &all);
	assert_int_equal(hist_total(&all), 1005);
	result_done(&f.result);
}

static void disks_are_the_counters_over_the_run(void **state)
{
	struct device_facts device = {.has_counters = true};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	device.before.at_ns = 5 * NS_PER_S;
	device.after.at_ns = 7 * NS_PER_S;
	device.before.read = (struct counters_direction){.ios = 10, .bytes = 512, .busy_ms = 3};
	device.after.read =
		(struct counters_direction){.ios = 579, .bytes = 4608, .busy_ms = 107};
	device.after.active_ms = 500;
	device.before.queue_ms = 9; /* reset meanwhile: unknown is 0, not 2^64 */
	f.result.facts.devices = &device;
	f.result.facts.ndevices = 1;
	result_fio_disks(&f.result);
	assert_int_equal(f.result.ndisks, 0);
	f.spec[1].disk_util = true;
	result_fio_disks(&f.result);
	assert_int_equal(f.result.ndisks, 1);
	assert_int_equal(f.result.disks[0].ios[0], 569);
	assert_int_equal(f.result.disks[0].sectors[0], 8);
	assert_int_equal(f.result.disks[0].ticks_ms[0], 104);
	assert_int_equal(f.result.disks[0].in_queue_ms, 0);
	assert_true(f.result.disks[0].util_percent == 25);
	result_done(&f.result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fio_view_takes_the_longest_runtime_and_adds_samples),
		cmocka_unit_test(fio_view_separates_groups_and_leaves_out_stats_0),
		cmocka_unit_test(our_view_rates_the_common_interval),
		cmocka_unit_test(rows_of_a_member_give_its_part_of_the_common_interval),
		cmocka_unit_test(members_of_a_long_run_have_no_rows),
		cmocka_unit_test(members_that_never_ran_together_have_an_empty_interval),
		cmocka_unit_test(different_jobs_stay_apart_unless_group_reporting),
		cmocka_unit_test(notes_keep_their_order_and_text),
		cmocka_unit_test(all_directions_are_one_histogram),
		cmocka_unit_test(disks_are_the_counters_over_the_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
