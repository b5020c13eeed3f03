/* A result as the judge sees it: rows are intervals, histograms the run. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/lineup.h"
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
	assert_int_equal(run.outstanding, QOS_BY_LATENCY);
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

/* Reads of one job and writes of one after it: neither is missing while the other runs, and a
 * stall of either is a fault of its own direction and of all. */
static void a_direction_is_missed_only_while_a_job_does_it(void **state)
{
	static struct job_spec spec[2];
	struct qos_run run;
	struct arena arena;
	struct qos qos;

	(void)state;
	sample_init(&sample);
	arena_init(&arena);
	for (unsigned i = 0; i < 2; i++) {
		enum dir other = i ? DIR_READ : DIR_WRITE;
		struct job_result *job = &sample.jobs[i];

		spec[i] = sample.spec;
		spec[i].number = i;
		spec[i].rw.does[other] = false;
		job->spec = &spec[i];
		job->dir[other].ios = 0;
		job->begin_ns = i * 5 * NS_PER_S;
		job->end_ns = job->begin_ns + 5 * NS_PER_S;
		for (unsigned k = 0; k < 5; k++)
			sample.rows[5 * i + k].dir[other] = (struct row_dir){0};
	}
	result_qos(&sample.result, &arena, &run);
	qos_init(&qos, &run, &arena);
	for (enum series_dir d = SERIES_READ; d <= SERIES_WRITE; d++) {
		assert_int_equal(qos.facts[d].zeros.count, 0);
		assert_int_equal(qos.facts[d].zeros.idle, 5);
	}
	assert_int_equal(qos.facts[SERIES_ALL].zeros.count, 0);
	sample.rows[7].dir[DIR_WRITE] = (struct row_dir){0};
	result_qos(&sample.result, &arena, &run);
	qos_init(&qos, &run, &arena);
	assert_int_equal(qos.facts[SERIES_READ].zeros.count, 0);
	assert_int_equal(qos.facts[SERIES_WRITE].zeros.count, 1);
	assert_int_equal(qos.facts[SERIES_ALL].zeros.count, 1);
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

/* The histograms of the intervals, together and in pieces; without one of them there are none. */
static void units_are_the_histograms_of_the_intervals(void **state)
{
	struct hist *sum = calloc(1, sizeof(*sum));
	struct qos_run run;
	struct arena arena;

	(void)state;
	sample_init(&sample);
	arena_init(&arena);
	result_qos(&sample.result, &arena, &run);
	assert_int_equal(run.unit_cells, 1);
	assert_int_equal(run.nunits, SAMPLE_SECONDS);
	for (unsigned i = 0; i < run.nunits; i++)
		hist_merge(sum, &run.part[SERIES_READ].units[i]);
	assert_memory_equal(sum, run.part[SERIES_READ].hist, sizeof(*sum));
	sample.result.hists[3][DIR_READ].blob = NULL;
	result_qos(&sample.result, &arena, &run);
	assert_null(run.part[SERIES_READ].units);
	assert_non_null(run.part[SERIES_WRITE].units);
	arena_done(&arena);
	sample_done(&sample);
	free(sum);
}

/* Ten seconds are too few for an interval. */
#define LONG_SECONDS 40

/* Every request is in its row's column, at the height of its bucket. */
static void a_density_holds_what_the_intervals_hold(void **state)
{
	struct density density[SERIES_ALL];
	struct qos_run run;
	struct arena arena;
	struct sample s;

	(void)state;
	arena_init(&arena);
	sample_init(&s);
	assert_int_equal(result_qos_density(&s.result, &arena, &run, density, NULL), 0);
	assert_null(density[SERIES_TRIM].count);
	assert_int_equal(density[SERIES_READ].ncolumns, SAMPLE_SECONDS);
	assert_int_equal(density[SERIES_READ].column_ns, NS_PER_S);
	for (unsigned d = SERIES_READ; d <= SERIES_WRITE; d++) {
		for (unsigned row = 0; row < DENSITY_ROWS; row++) {
			uint64_t want = 0, sum = 0;

			for (unsigned k = 0; k < DENSITY_BUCKETS_PER_ROW; k++)
				want += run.part[d]
						.hist->count[row * DENSITY_BUCKETS_PER_ROW + k];
			for (unsigned c = 0; c < SAMPLE_SECONDS; c++)
				sum += density[d].count[(size_t)c * DENSITY_ROWS + row];
			assert_int_equal(sum, want);
		}
		density_done(&density[d]);
	}
	s.result.hists[3][DIR_READ] = (struct interval_hist){"\0damaged", 8};
	assert_int_equal(result_qos_density(&s.result, &arena, &run, density, NULL), 0);
	assert_null(density[SERIES_READ].count);
	assert_null(run.part[SERIES_READ].units);
	s.result.hists[4][DIR_WRITE].blob = NULL; /* missing */
	density_done(&density[SERIES_WRITE]);
	assert_int_equal(result_qos_density(&s.result, &arena, &run, density, NULL), 0);
	assert_null(density[SERIES_WRITE].count);
	sample_done(&s);
	arena_done(&arena);
}

/* A copy of the result without its series, which comes from the whole one. */
static int rows_of(void *context, row_fn *take, void *take_context, struct err *err)
{
	(void)err;
	return result_each_row(context, take, take_context, NULL);
}

static int hists_of(void *context, enum dir dir, interval_hist_fn *take, void *take_context,
		    struct err *err)
{
	(void)err;
	return result_each_interval_hist(context, dir, take, take_context, NULL);
}

static int no_rows(void *context, row_fn *take, void *take_context, struct err *err)
{
	(void)context, (void)take, (void)take_context;
	return err_env(err, -EIO, "the rows are gone");
}

static int no_hists(void *context, enum dir dir, interval_hist_fn *take, void *take_context,
		    struct err *err)
{
	(void)context, (void)dir, (void)take, (void)take_context;
	return err_env(err, -EIO, "the histograms are gone");
}

static void a_series_elsewhere_is_judged_alike(void **state)
{
	struct density held_density[SERIES_ALL], density[SERIES_ALL];
	struct qos_run held, run;
	struct err err = {0};
	struct result copy;
	struct arena arena;
	struct sample s;

	(void)state;
	arena_init(&arena);
	sample_init(&s);
	copy = s.result;
	copy.rows = NULL;
	copy.hists = NULL;
	copy.hists_room = 0;
	copy.elsewhere = (struct series_source){.each_row = rows_of,
						.each_hist = hists_of,
						.has_hists = true,
						.context = &s.result};
	assert_int_equal(result_qos_density(&s.result, &arena, &held, held_density, NULL), 0);
	assert_int_equal(result_qos_density(&copy, &arena, &run, density, NULL), 0);
	assert_memory_equal(&run.range, &held.range, sizeof(run.range));
	for (unsigned d = 0; d < SERIES_DIRS; d++) {
		assert_int_equal(!run.part[d].cells, !held.part[d].cells);
		if (!run.part[d].cells)
			continue;
		for (unsigned i = 0; i < SAMPLE_SECONDS; i++) {
			assert_int_equal(run.part[d].cells[i].count,
					 held.part[d].cells[i].count);
			assert_int_equal(run.part[d].cells[i].max_ns,
					 held.part[d].cells[i].max_ns);
			assert_int_equal(run.part[d].cells[i].waiting_since_ns,
					 held.part[d].cells[i].waiting_since_ns);
		}
		if (d == SERIES_ALL)
			continue;
		assert_memory_equal(run.part[d].units, held.part[d].units,
				    run.nunits * sizeof(*run.part[d].units));
		assert_memory_equal(density[d].count, held_density[d].count,
				    (size_t)density[d].ncolumns * DENSITY_ROWS *
					    sizeof(*density[d].count));
		density_done(&density[d]);
		density_done(&held_density[d]);
	}
	copy.elsewhere.each_hist = no_hists;
	assert_int_equal(result_qos_density(&copy, &arena, &run, density, &err), -EIO);
	assert_non_null(strstr(err.text, "histograms are gone"));
	for (unsigned d = 0; d < SERIES_ALL; d++)
		density_done(&density[d]);
	copy.elsewhere.each_row = no_rows;
	err = (struct err){0};
	assert_int_equal(result_qos_density(&copy, &arena, &run, density, &err), -EIO);
	assert_non_null(strstr(err.text, "rows are gone"));
	sample_done(&s);
	arena_done(&arena);
}

/* A file and a store keep no mark of the ramp: what ended before any job's figures began is none of
 * the judged intervals, and misses no histogram. */
static void rows_before_the_figures_are_ramp(void **state)
{
	struct qos_run run;
	struct arena arena;
	struct sample s;

	(void)state;
	arena_init(&arena);
	sample_init(&s);
	for (unsigned i = 0; i < SAMPLE_WORKERS; i++)
		s.jobs[i].begin_ns = 3 * NS_PER_S;
	for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++)
		for (unsigned i = 0; i < 3; i++)
			s.result.hists[i][dir].blob = NULL;
	result_qos(&s.result, &arena, &run);
	assert_int_equal(run.range.first, 3);
	assert_int_equal(run.range.end, SAMPLE_SECONDS);
	assert_false(run.range.partial_first);
	assert_int_equal(run.begin_ns, 3 * NS_PER_S);
	assert_non_null(run.part[SERIES_READ].units);
	s.jobs[1].begin_ns = 2 * NS_PER_S; /* the first that is measured */
	result_qos(&s.result, &arena, &run);
	assert_int_equal(run.range.first, 2);
	assert_null(run.part[SERIES_READ].units);
	s.jobs[1].members = 2; /* of a group that tells no whole span nobody knows */
	result_qos(&s.result, &arena, &run);
	assert_int_equal(run.range.first, 0);
	sample_done(&s);
	arena_done(&arena);
}

static void lengthen(struct sample *s, struct row *rows)
{
	for (unsigned i = 0; i < LONG_SECONDS; i++) {
		struct interval_hist hist =
			*result_interval_hist(&s->result, i % SAMPLE_SECONDS, DIR_READ);

		rows[i] = s->rows[i % SAMPLE_SECONDS];
		rows[i].dir[DIR_READ].p99_ns = (4700 + i % 2) * NS_PER_US; /* no trend */
		result_set_interval_hist(&s->result, i, DIR_READ, hist.blob, hist.bytes);
	}
	s->result.rows = rows;
	s->result.nrows = LONG_SECONDS;
}

/* One run a side: the interval is that of the pair, and said to be. */
static void a_pair_of_runs_has_an_interval_of_its_own(void **state)
{
	static struct sample samples[2];
	static struct row rows[2][LONG_SECONDS];
	struct record records[2], *sides[2] = {&records[0], &records[1]};
	struct job_set sets[2];
	struct lineup lineup;
	struct ratio ratio;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	lineup_init(&lineup, &arena, 2);
	for (unsigned i = 0; i < 2; i++) {
		sample_spoken(&samples[i], &sets[i]);
		lengthen(&samples[i], rows[i]);
		record_init(&records[i], "run");
		record_add_live(&records[i], NULL, NULL, 0, &samples[i].result, &sets[i]);
		record_settle(&records[i]);
		lineup_add(&lineup, i, "x", &sides[i], 1);
	}
	assert_true(isnan(lineup_ratio(&lineup, &lineup.cells[0], 0, 1, CELL_P99_NS).low));
	ratio = lineup_ratio_pair(&lineup, &lineup.cells[0], 0, 1, CELL_P99_NS);
	assert_true(ratio.of_pair);
	assert_true(ratio.low < 1 && ratio.value == 1 && ratio.high > 1);
	ratio = lineup_ratio_pair(&lineup, &lineup.cells[0], 0, 1, CELL_BYTES_PER_S);
	assert_true(ratio.of_pair && ratio.low <= 1 && ratio.high >= 1);
	lineup_add(&lineup, 1, "x", &sides[0], 1); /* a repetition: no pair any more */
	ratio = lineup_ratio_pair(&lineup, &lineup.cells[0], 0, 1, CELL_P99_NS);
	assert_false(ratio.of_pair);
	for (unsigned i = 0; i < 2; i++) {
		record_done(&records[i]);
		sample_done(&samples[i]);
		job_set_done(&sets[i]);
	}
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_cells_and_jobs_are_the_run),
		cmocka_unit_test(an_empty_row_is_judged_by_the_load),
		cmocka_unit_test(a_direction_is_missed_only_while_a_job_does_it),
		cmocka_unit_test(ramp_and_partial_rows_are_left_out),
		cmocka_unit_test(units_are_the_histograms_of_the_intervals),
		cmocka_unit_test(a_density_holds_what_the_intervals_hold),
		cmocka_unit_test(a_series_elsewhere_is_judged_alike),
		cmocka_unit_test(rows_before_the_figures_are_ramp),
		cmocka_unit_test(a_pair_of_runs_has_an_interval_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
