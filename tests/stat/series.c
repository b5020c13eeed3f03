/* Intervals against plain arrays of the samples. Seeds: 4 and 5. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/rng.h"
#include "stat/qos.h"
#include "stat/series.h"

#define SECOND NS_PER_S

static void add(struct series *series, uint64_t time_ns, uint64_t latency_ns,
		enum series_dir dir)
{
	const struct series_sample sample = {.time_ns = time_ns,
					     .latency_ns = latency_ns,
					     .bytes = 4096,
					     .count = 1,
					     .dir = dir};

	assert_int_equal(series_add(series, &sample, NULL), 0);
}

#define SAMPLES 50000
static uint64_t times[SAMPLES], latencies[SAMPLES];

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* 300 intervals, 50,000 samples: the units are halved several times on the way. */
static void cells_are_the_samples_counted_one_by_one(void **state)
{
	static uint64_t inside[SAMPLES];
	struct series series;
	struct rng rng;
	uint64_t now = 0;

	(void)state;
	rng_seed(&rng, 4, 0);
	series_init(&series, SECOND / 10);
	assert_int_equal(series_threshold(&series, 5 * NS_PER_MS, NULL), 0);
	for (unsigned i = 0; i < SAMPLES; i++) {
		now += rng_below(&rng, 1200 * NS_PER_US);
		times[i] = now;
		latencies[i] = 1000 + rng_below(&rng, 6 * NS_PER_MS);
		add(&series, now, latencies[i], i % 3 ? SERIES_READ : SERIES_WRITE);
	}
	series_finish(&series);
	assert_int_equal(series.ncells, now / series.interval_ns + 1);
	for (unsigned c = 0, i = 0; c < series.ncells; c++) {
		const struct series_cell *cell = &series.part[SERIES_ALL].cells[c];
		unsigned n = 0, over = 0;
		double sum = 0;

		for (; i < SAMPLES && times[i] / series.interval_ns == c; i++) {
			over += latencies[i] > 5 * NS_PER_MS;
			sum += (double)latencies[i];
			inside[n++] = latencies[i];
		}
		qsort(inside, n, sizeof(*inside), ascending);
		assert_int_equal(cell->count, n);
		assert_int_equal(cell->over[0], over);
		assert_int_equal(cell->bytes, n * 4096);
		if (!n)
			continue;
		assert_int_equal(cell->min_ns, inside[0]);
		assert_int_equal(cell->max_ns, inside[n - 1]);
		assert_true(fabs(cell->sum_ns - sum) < 1);
		assert_true(
			llabs((long long)cell->p50_ns - (long long)inside[(n + 1) / 2 - 1]) <=
			(long long)cell->p50_ns / 128 + 1);
	}
	assert_true(series.nunits > SERIES_UNITS / 2 && series.nunits <= SERIES_UNITS);
	assert_int_equal(hist_total(&series.part[SERIES_ALL].hist), SAMPLES);
	assert_int_equal(series.part[SERIES_READ].sums.total +
				 series.part[SERIES_WRITE].sums.total,
			 SAMPLES);
	series_done(&series);
}

/* Samples out of order are in every count; only their interval's percentiles are given up. */
static void late_samples_are_counted(void **state)
{
	struct series series;

	(void)state;
	series_init(&series, SECOND);
	add(&series, SECOND / 2, 100, SERIES_READ);
	add(&series, 3 * SECOND / 2, 100, SERIES_READ);
	add(&series, SECOND / 4, 900, SERIES_READ);
	series_finish(&series);
	assert_int_equal(series.late, 1);
	assert_int_equal(series.part[SERIES_ALL].cells[0].count, 2);
	assert_int_equal(series.part[SERIES_ALL].cells[0].max_ns, 900);
	assert_int_equal(series.part[SERIES_ALL].cells[0].p50_ns, 0);
	assert_int_equal(series.part[SERIES_ALL].cells[0].first_ns, SECOND / 4);
	assert_int_equal(hist_total(&series.part[SERIES_ALL].hist), 3);
	series_done(&series);
}

/* The event that seed 003 asks for: 10 s at 1000 a second, nothing from 3.000 to 5.200. */
static void stalled(struct series *series, uint64_t latency_ns)
{
	series_init(series, SECOND);
	assert_int_equal(series_threshold(series, 200 * NS_PER_MS, NULL), 0);
	for (unsigned ms = 1; ms <= 10000; ms++) {
		if (ms > 3000 && ms < 5200)
			continue;
		add(series, ms * NS_PER_MS - 1, ms == 5200 ? latency_ns : NS_PER_MS,
		    SERIES_READ);
	}
	series_finish(series);
}

static void a_stall_is_two_empty_seconds_and_one_gap(void **state)
{
	static const unsigned rates[] = {1000, 1000, 1000, 0, 0, 801, 1000, 1000, 1000, 1000};
	struct series series;
	struct qos_run run;
	struct arena arena;
	struct qos qos;

	(void)state;
	stalled(&series, 2200 * NS_PER_MS);
	qos_from_series(&series, &run);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(run.part[SERIES_ALL].cells[i].count, rates[i]);
	arena_init(&arena);
	qos_init(&qos, &run, &arena);
	assert_int_equal(run.range.first, 0);
	assert_int_equal(run.range.end, 10);
	assert_int_equal(qos.facts[SERIES_READ].zeros.count, 2);
	assert_int_equal(qos.facts[SERIES_ALL].zeros.count, 2);
	assert_int_equal(qos.facts[SERIES_ALL].zeros.longest_ns, 2200 * NS_PER_MS);
	assert_int_equal(qos_bursts(&run, SERIES_ALL, 200.0 * NS_PER_MS).count, 1);
	arena_done(&arena);
	series_done(&series);
}

/* The same pause with nothing outstanding (think time, a rate) is no fault of the drive. */
static void an_idle_pause_is_no_zero(void **state)
{
	struct series series;
	struct qos_run run;
	struct arena arena;
	struct qos qos;

	(void)state;
	stalled(&series, NS_PER_MS);
	qos_from_series(&series, &run);
	arena_init(&arena);
	qos_init(&qos, &run, &arena);
	assert_int_equal(qos.facts[SERIES_ALL].zeros.count, 0);
	assert_int_equal(qos.facts[SERIES_ALL].zeros.idle, 2);
	run.outstanding = QOS_UNKNOWN;
	qos_init(&qos, &run, &arena);
	assert_int_equal(qos.facts[SERIES_ALL].zeros.untold, 2);
	arena_done(&arena);
	series_done(&series);
}

static void partial_ends_are_left_out(void **state)
{
	struct series_range range;
	struct series series;

	(void)state;
	series_init(&series, SECOND);
	add(&series, SECOND / 2, 1000, SERIES_READ);
	add(&series, SECOND * 3 / 2, 1000, SERIES_READ);
	add(&series, SECOND * 5 / 2, 1000, SERIES_READ);
	series_finish(&series);
	series_range(&series, &range);
	assert_true(range.partial_first);
	assert_true(range.partial_last);
	assert_int_equal(range.first, 1);
	assert_int_equal(range.end, 2);
	series_done(&series);

	series_init(&series, SECOND); /* where the span is known, silence at the end counts */
	add(&series, NS_PER_MS, 1000, SERIES_READ);
	assert_int_equal(series_end(&series, 3 * SECOND, NULL), 0);
	series_finish(&series);
	series_range(&series, &range);
	assert_false(range.partial_first);
	assert_int_equal(range.end, 3);
	series_done(&series);
}

static void nothing_is_a_series_too(void **state)
{
	struct series_range range;
	struct series series;
	struct qos_run run;

	(void)state;
	series_init(&series, SECOND);
	series_finish(&series);
	series_range(&series, &range);
	assert_int_equal(range.end, 0);
	qos_from_series(&series, &run);
	assert_null(run.part[SERIES_ALL].cells);
	series_done(&series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_the_samples_counted_one_by_one),
		cmocka_unit_test(late_samples_are_counted),
		cmocka_unit_test(a_stall_is_two_empty_seconds_and_one_gap),
		cmocka_unit_test(an_idle_pause_is_no_zero),
		cmocka_unit_test(partial_ends_are_left_out),
		cmocka_unit_test(nothing_is_a_series_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
