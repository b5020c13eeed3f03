/* When the jobs of an imported run ran: starts that are told, walls that are told, and walls that
 * are found by the time that the run took. */
#include "unit.h"

#include "base/bits.h"
#include "result/import_order.h"
#include "result/import_priv.h"

#define JOBS 40

struct run {
	struct record record;
	struct result *result;
	struct import_place places[JOBS];
};

static void start(struct run *run)
{
	*run = (struct run){0};
	record_init(&run->record, "fio json");
	run->result = import_part(&run->record, JOBS)->result;
}

static struct import_place *add(struct run *run, const char *name, unsigned group, uint64_t ms)
{
	struct job_result *job = import_job(&run->record.parts[0], name);

	job->end_ns = ms * NS_PER_MS;
	run->places[run->result->njobs - 1].group = group;
	return &run->places[run->result->njobs - 1];
}

static uint64_t begin_ms(const struct run *run, unsigned job)
{
	return run->result->jobs[job].begin_ns / NS_PER_MS;
}

static uint64_t span_ms(struct run *run)
{
	import_order(run->result, run->places);
	return run->result->span_ns / NS_PER_MS;
}

static void starts_that_are_told_are_taken(void **state)
{
	struct run run;

	(void)state;
	start(&run);
	add(&run, "a", 0, 1000)->start_ms = 5000;
	add(&run, "b", 1, 1000)->start_ms = 7000;
	assert_int_equal(span_ms(&run), 3000);
	assert_int_equal(begin_ms(&run, 0), 0);
	assert_int_equal(begin_ms(&run, 1), 2000);
	assert_int_equal(run.result->nnotes, 0);
	record_done(&run.record);
}

static void walls_that_are_told_are_kept_to(void **state)
{
	struct run run;

	(void)state;
	start(&run);
	add(&run, "a", 0, 1000);
	add(&run, "b", 1, 500)->wall = WALL_NONE;
	add(&run, "c", 2, 500)->wall = WALL_STANDS;
	add(&run, "d", 2, 700);
	assert_int_equal(span_ms(&run), 1700);
	assert_int_equal(begin_ms(&run, 1), 0);
	assert_int_equal(begin_ms(&run, 2), 1000);
	assert_int_equal(begin_ms(&run, 3), 1000);
	assert_int_equal(run.result->nnotes, 0);
	record_done(&run.record);
}

/* Three groups of a second each. */
static uint64_t three_groups_in(uint64_t elapsed_s)
{
	struct run run;
	uint64_t ms;

	start(&run);
	for (unsigned i = 0; i < 3; i++)
		add(&run, "x", i, 1000)->elapsed_ns = elapsed_s * NS_PER_S;
	ms = span_ms(&run);
	assert_int_equal(run.result->nnotes, 1);
	assert_string_equal(run.result->notes[0].id, "fio-order");
	record_done(&run.record);
	return ms;
}

static void unknown_walls_fit_the_time_that_the_run_took(void **state)
{
	(void)state;
	assert_int_equal(three_groups_in(0), 3000); /* not told */
	assert_int_equal(three_groups_in(4), 3000);
	assert_int_equal(three_groups_in(9), 3000);
	assert_int_equal(three_groups_in(3), 2000);
	assert_int_equal(three_groups_in(2), 1000);
	assert_int_equal(three_groups_in(1), 1000); /* less than its jobs: nothing fits */
}

static void many_groups_are_all_in_a_row_or_together(void **state)
{
	struct run run;

	(void)state;
	for (unsigned elapsed_s = 5; elapsed_s <= 41; elapsed_s += 36) {
		start(&run);
		for (unsigned i = 0; i < JOBS; i++)
			add(&run, "x", i, 1000)->elapsed_ns = elapsed_s * NS_PER_S;
		assert_int_equal(span_ms(&run), elapsed_s == 41 ? JOBS * 1000 : 1000);
		record_done(&run.record);
	}
}

static void clients_ran_side_by_side(void **state)
{
	struct run run;

	(void)state;
	start(&run);
	add(&run, "a", 0, 1000);
	add(&run, "b", 1, 1000)->wall = WALL_STANDS;
	add(&run, "a", 0, 1000)->client = 1;
	add(&run, "b", 1, 1000)->client = 1;
	run.places[3].wall = WALL_STANDS;
	assert_int_equal(span_ms(&run), 2000);
	assert_int_equal(begin_ms(&run, 2), 0);
	assert_int_equal(begin_ms(&run, 3), 1000);
	record_done(&run.record);
}

static void ramps_and_delays_count_where_they_fit(void **state)
{
	struct run run;
	struct job_spec *spec;

	(void)state;
	for (unsigned elapsed_s = 4; elapsed_s <= 5; elapsed_s++) {
		start(&run);
		add(&run, "a", 0, 1000)->elapsed_ns = elapsed_s * NS_PER_S;
		add(&run, "b", 0, 1000)->elapsed_ns = elapsed_s * NS_PER_S;
		spec = run.record.parts[0].set->jobs[1];
		spec->startdelay.min = 2 * NS_PER_S;
		spec->ramp_time = NS_PER_S;
		spec->wait_for = "a";
		assert_int_equal(span_ms(&run), elapsed_s == 5 ? 4000 : 2000);
		record_done(&run.record);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_that_are_told_are_taken),
		cmocka_unit_test(walls_that_are_told_are_kept_to),
		cmocka_unit_test(unknown_walls_fit_the_time_that_the_run_took),
		cmocka_unit_test(many_groups_are_all_in_a_row_or_together),
		cmocka_unit_test(clients_ran_side_by_side),
		cmocka_unit_test(ramps_and_delays_count_where_they_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
