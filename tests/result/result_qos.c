/* A result as the judge sees it: rows are intervals, histograms the run. */
#include "unit.h"

#include "result/result_qos.h"
#include "result/sample.h"
#include "stat/policy.h"

static struct sample sample;

static void rows_are_cells_and_jobs_are_the_run(void **state)
{
	struct qos_run run;
	struct arena arena;

	(void)state;
	sample_init(&sample);
	arena_init(&arena);
	result_qos(&sample.result, &arena, &run);
	assert_int_equal(run.interval_ns, NS_PER_S);
	assert_int_equal(run.outstanding, QOS_ALWAYS);
	assert_true(run.has_latency);
	assert_int_equal(run.part[SERIES_READ].sums.total, 140000);
	assert_int_equal(run.part[SERIES_WRITE].sums.total, 60000);
	assert_int_equal(run.part[SERIES_ALL].sums.total, 200000);
	assert_null(run.part[SERIES_TRIM].cells);
	for (unsigned i = 0; i < SAMPLE_SECONDS; i++) {
		uint64_t ios = 0, bytes = 0;

		for (unsigned d = 0; d < NDATA; d++) {
			ios += sample.result.rows[i].dir[d].ios;
			bytes += sample.result.rows[i].dir[d].bytes;
		}
		assert_int_equal(run.part[SERIES_ALL].cells[i].count, ios);
		assert_int_equal(run.part[SERIES_ALL].cells[i].bytes, bytes);
	}
	arena_done(&arena);
	sample_done(&sample);
}

/* An empty row of a load without pauses is a zero; with think time nobody can tell. */
static void an_empty_row_is_judged_by_the_load(void **state)
{
	struct qos_run run;
	struct arena arena;
	struct qos qos;

	(void)state;
	sample_init(&sample);
	arena_init(&arena);
	for (unsigned d = 0; d < NDIR; d++)
		sample.result.rows[4].dir[d] = (struct row_dir){0};
	result_qos(&sample.result, &arena, &run);
	qos_init(&qos, &run, &arena);
	assert_int_equal(qos.facts[SERIES_ALL].zeros.count, 1);
	assert_int_equal(qos.facts[SERIES_ALL].zeros.longest_ns, NS_PER_S);
	sample.spec.thinktime = 1000;
	result_qos(&sample.result, &arena, &run);
	qos_init(&qos, &run, &arena);
	assert_int_equal(qos.facts[SERIES_ALL].zeros.count, 0);
	assert_int_equal(qos.facts[SERIES_ALL].zeros.untold, 1);
	arena_done(&arena);
	sample_done(&sample);
}

/* Ramp and rows that were measured in part are no intervals. */
static void ramp_and_partial_rows_are_left_out(void **state)
{
	struct qos_run run;
	struct arena arena;

	(void)state;
	sample_init(&sample);
	arena_init(&arena);
	sample.result.rows[0].ramp = true;
	sample.result.rows[1].partial = true;
	sample.result.rows[SAMPLE_SECONDS - 1].partial = true;
	result_qos(&sample.result, &arena, &run);
	assert_int_equal(run.range.first, 2);
	assert_int_equal(run.range.end, SAMPLE_SECONDS - 1);
	assert_true(run.range.partial_first && run.range.partial_last);
	assert_int_equal(run.begin_ns, sample.result.rows[1].begin_ns);
	arena_done(&arena);
	sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_cells_and_jobs_are_the_run),
		cmocka_unit_test(an_empty_row_is_judged_by_the_load),
		cmocka_unit_test(ramp_and_partial_rows_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
