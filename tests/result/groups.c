/* Merging of workers: fio's view and ours. Seed of the properties: 20. */
#include "result/result.h"

#include "base/bits.h"
#include "base/rng.h"
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

/* Two of three seconds are common: enough for a rate of that time. */
static void first_runs_for_2_s(struct fixture *f)
{
	f->jobs[0].end_ns = 2 * NS_PER_S;
	f->jobs[0].dir[DIR_READ].runtime_ns = 2 * NS_PER_S;
	f->jobs[0].dir[DIR_READ].ios = 2000;
	f->jobs[0].dir[DIR_READ].bytes = 2000 * 4096;
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

/* fio says 2,667 (8,000 in 3 s); while all three ran it was 3,000. */
static void our_view_rates_the_common_interval(void **state)
{
	struct fixture f;
	struct job_result *groups;
	unsigned count;

	(void)state;
	fixture_init(&f);
	first_runs_for_2_s(&f);
	groups = result_groups(&f.result, &count);
	assert_int_equal(count, 1);
	assert_true(result_rate(&groups[0], DIR_READ).ios_per_s == 3000);
	assert_true(result_rate(&groups[0], DIR_READ).bytes_per_s == 3000.0 * 4096);
	assert_int_equal(groups[0].end_ns, 2 * NS_PER_S);
	assert_int_equal(groups[0].dir[DIR_READ].ios, 8000);
	assert_false(groups[0].rated_whole);
	result_done(&f.result);
}

/* A member that speeds up once it is alone: its rows tell what it did before. */
static void rows_of_a_member_give_its_part_of_the_common_interval(void **state)
{
	static struct job_row rows[] = {
		{.begin_ns = 0, .end_ns = 2 * NS_PER_S, .ios = {500}, .bytes = {500 * 4096}},
		{.begin_ns = 2 * NS_PER_S,
		 .end_ns = 3 * NS_PER_S,
		 .ios = {2500},
		 .bytes = {2500 * 4096}},
	};
	struct fixture f;
	struct job_result *groups;
	unsigned count;

	(void)state;
	fixture_init(&f);
	first_runs_for_2_s(&f);
	for (unsigned i = 1; i < 3; i++) {
		f.jobs[i].rows = rows;
		f.jobs[i].nrows = ARRAY_SIZE(rows);
	}
	groups = result_groups(&f.result, &count);
	assert_true(result_rate(&groups[0], DIR_READ).ios_per_s == 1500);
	result_done(&f.result);
}

/* A member without rows is taken to have gone evenly. */
static void members_may_have_no_rows(void **state)
{
	struct fixture f;
	struct job_result *groups;
	unsigned count;

	(void)state;
	fixture_init(&f);
	for (unsigned i = 0; i < 3; i++)
		f.jobs[i].nrows = 4096;
	first_runs_for_2_s(&f);
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

/* 7,000 in the 3 s in which any of them ran; a second of them was common. */
static void a_sliver_in_common_gives_no_rate(void **state)
{
	struct fixture f;
	struct job_result *groups;
	unsigned count;

	(void)state;
	fixture_init(&f);
	groups = result_groups(&f.result, &count);
	assert_true(groups[0].rated_whole);
	assert_int_equal(groups[0].whole_begin_ns, 0);
	assert_int_equal(groups[0].whole_end_ns, 3 * NS_PER_S);
	assert_int_equal(groups[0].end_ns, 1 * NS_PER_S);
	assert_true(result_rate(&groups[0], DIR_READ).ios_per_s == 7000.0 / 3);
	assert_true(result_rate(&groups[0], DIR_READ).bytes_per_s == 7000.0 * 4096 / 3);
	/* A group that comes back from a file is rated as it was. */
	f.result.jobs = groups;
	f.result.njobs = 1;
	groups = result_groups(&f.result, &count);
	assert_true(groups[0].rated_whole);
	assert_int_equal(groups[0].whole_end_ns, 3 * NS_PER_S);
	assert_true(result_rate(&groups[0], DIR_READ).ios_per_s == 7000.0 / 3);
	result_done(&f.result);
}

static void a_member_that_never_ran_spans_nothing(void **state)
{
	struct fixture f;
	struct job_result *groups;
	unsigned count;

	(void)state;
	fixture_init(&f);
	f.jobs[0].end_ns = f.jobs[0].dir[DIR_READ].ios = 0;
	f.jobs[1].begin_ns = f.jobs[2].begin_ns = NS_PER_S;
	groups = result_groups(&f.result, &count);
	assert_true(groups[0].rated_whole);
	assert_int_equal(groups[0].whole_begin_ns, NS_PER_S);
	assert_true(result_rate(&groups[0], DIR_READ).ios_per_s == 3000);
	result_done(&f.result);
}

/* --- properties: members whose every completion is known --- */

#define MEMBERS_MAX	8
#define COMPLETIONS_MAX 40000
#define GRID_NS		(100 * NS_PER_MS)
#define GRID_ROWS	100

struct member {
	uint64_t at_ns[COMPLETIONS_MAX];
	unsigned count;
	struct job_row rows[GRID_ROWS];
};

struct members {
	struct job_set set;
	struct job_spec spec;
	struct result result;
	struct job_result jobs[MEMBERS_MAX];
	struct member member[MEMBERS_MAX];
};

struct stall {
	uint64_t begin_ns,
		end_ns; /* nothing is done in between, but what was under way is at its end */
};

/* One by one, until the first that is done at `end_ns` or later: that is the member's end. */
static void member_run(struct members *m, unsigned i, struct rng *rng, struct stall stall,
		       uint64_t end_ns)
{
	struct job_result *job = &m->jobs[i];
	struct member *member = &m->member[i];
	uint64_t gap_ns = NS_PER_MS / 4 + rng_below(rng, NS_PER_MS);
	uint64_t now_ns = rng_below(rng, NS_PER_MS / 20);

	*job = (struct job_result){
		.spec = &m->spec, .name = "a", .clone = i, .members = 1, .begin_ns = now_ns};
	member->count = 0;
	while (now_ns < end_ns) {
		now_ns += gap_ns;
		if (now_ns > stall.begin_ns && now_ns < stall.end_ns)
			now_ns = stall.end_ns + rng_below(rng, NS_PER_MS / 20);
		assert_in_range(member->count, 0, COMPLETIONS_MAX - 1);
		member->at_ns[member->count++] = now_ns;
	}
	job->end_ns = now_ns;
	job->dir[DIR_READ].ios = member->count;
	job->dir[DIR_READ].bytes = member->count * 4096ULL;
	job->dir[DIR_READ].runtime_ns = job->end_ns - job->begin_ns;
}

/* As the collector does it: no row for an interval in which nothing was done. */
static void member_rows(struct members *m, unsigned i)
{
	struct job_result *job = &m->jobs[i];
	struct member *member = &m->member[i];

	job->rows = member->rows;
	for (unsigned k = 0; k < member->count; k++) {
		uint64_t begin_ns = member->at_ns[k] / GRID_NS * GRID_NS;

		if (!job->nrows || job->rows[job->nrows - 1].begin_ns != begin_ns) {
			assert_in_range(job->nrows, 0, GRID_ROWS - 1);
			job->rows[job->nrows++] = (struct job_row){
				.begin_ns = begin_ns, .end_ns = begin_ns + GRID_NS};
		}
		job->rows[job->nrows - 1].ios[DIR_READ]++;
		job->rows[job->nrows - 1].bytes[DIR_READ] += 4096;
	}
}

/* `spread_ns`: how far the members' ends lie apart; 0: a clock's difference, some us. */
static void members_init(struct members *m, struct rng *rng, uint64_t spread_ns)
{
	uint64_t end_ns = NS_PER_S / 2 + rng_below(rng, 3 * NS_PER_S);
	struct stall stall = {.begin_ns = rng_below(rng, end_ns)};

	stall.end_ns = stall.begin_ns + rng_below(rng, 4 * NS_PER_S);
	result_init(&m->result, &m->set);
	m->spec = (struct job_spec){.name = "a", .stats = true, .group_reporting = true};
	m->result.jobs = m->jobs;
	m->result.njobs = 2 + (unsigned)rng_below(rng, MEMBERS_MAX - 1);
	for (unsigned i = 0; i < m->result.njobs; i++) {
		member_run(m, i, rng, stall, end_ns + rng_below(rng, spread_ns + 1000));
		member_rows(m, i);
	}
}

/* Completions of all members in a span: every one that is known to lie there. */
static uint64_t done_within(const struct members *m, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < m->result.njobs; i++)
		for (unsigned k = 0; k < m->member[i].count; k++)
			count += m->member[i].at_ns[k] >= begin_ns &&
				 m->member[i].at_ns[k] <= end_ns;
	return count;
}

/* What is rated, back in requests. */
static double rated_ios(const struct job_result *group)
{
	uint64_t span_ns = group->rated_whole ? group->whole_end_ns - group->whole_begin_ns
					      : group->end_ns - group->begin_ns;

	return result_rate(group, DIR_READ).ios_per_s * (double)span_ns / 1e9;
}

/* Stalls anywhere, in the last row of all: to one in a hundred of what was done, but for the one
 * request of each member that may be under way when the first of them ends. */
static void a_groups_rate_is_what_was_done_in_the_common_time(void **state)
{
	static struct members m;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 20, 0);
	for (unsigned round = 0; round < 300; round++) {
		struct job_result *group;
		double done, rated;
		unsigned count;

		members_init(&m, &rng, 0);
		group = result_groups(&m.result, &count);
		assert_false(group->rated_whole);
		done = (double)done_within(&m, group->begin_ns, group->end_ns);
		rated = rated_ios(group);
		assert_true(rated <= 1.01 * done + m.result.njobs);
		assert_true(rated >= 0.99 * done - m.result.njobs);
		assert_true(result_rate(group, DIR_READ).bytes_per_s ==
			    4096 * result_rate(group, DIR_READ).ios_per_s);
		result_done(&m.result);
	}
}

/* Whatever the members' ends: never more than what was done in the intervals that the rated span
 * touches, never less than in those wholly inside. */
static void ragged_ends_move_a_rate_within_the_intervals_at_its_ends(void **state)
{
	static struct members m;
	unsigned whole = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 20, 1);
	for (unsigned round = 0; round < 300; round++) {
		struct job_result *group;
		uint64_t begin_ns, end_ns;
		unsigned count;

		members_init(&m, &rng, 4 * NS_PER_S);
		group = result_groups(&m.result, &count);
		begin_ns = group->rated_whole ? group->whole_begin_ns : group->begin_ns;
		end_ns = group->rated_whole ? group->whole_end_ns : group->end_ns;
		whole += group->rated_whole;
		assert_true(rated_ios(group) <=
			    (double)done_within(&m, begin_ns / GRID_NS * GRID_NS,
						end_ns / GRID_NS * GRID_NS + GRID_NS - 1) +
				    1e-3);
		assert_true(rated_ios(group) >=
			    (double)done_within(&m, begin_ns / GRID_NS * GRID_NS + GRID_NS,
						end_ns / GRID_NS * GRID_NS - 1) -
				    1e-3);
		result_done(&m.result);
	}
	assert_in_range(whole, 20, 280);
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
		cmocka_unit_test(members_may_have_no_rows),
		cmocka_unit_test(members_that_never_ran_together_have_an_empty_interval),
		cmocka_unit_test(a_sliver_in_common_gives_no_rate),
		cmocka_unit_test(a_member_that_never_ran_spans_nothing),
		cmocka_unit_test(a_groups_rate_is_what_was_done_in_the_common_time),
		cmocka_unit_test(ragged_ends_move_a_rate_within_the_intervals_at_its_ends),
		cmocka_unit_test(different_jobs_stay_apart_unless_group_reporting),
		cmocka_unit_test(notes_keep_their_order_and_text),
		cmocka_unit_test(all_directions_are_one_histogram),
		cmocka_unit_test(disks_are_the_counters_over_the_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
