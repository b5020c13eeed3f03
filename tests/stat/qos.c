/* The figures of runs of a dozen intervals, made by hand: each answer can be counted on paper. */
#include "stat/qos.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "unit.h"

#define SECOND NS_PER_S
#define US     NS_PER_US
#define CELLS  12
#define COMMON (100 * US) /* of every request but an interval's slowest */

struct made {
	struct series_cell cells[CELLS];
	struct hist hist;
	struct qos_run run;
	struct qos qos;
	struct check_figures figures;
	struct arena arena;
};

/* Intervals of a second with `count` requests each, of which one takes 200 us. */
static void made_init(struct made *made, uint64_t count)
{
	struct qos_part *part = &made->run.part[SERIES_ALL];

	memset(made, 0, sizeof(*made));
	hist_sums_init(&part->sums);
	for (unsigned i = 0; i < CELLS; i++) {
		made->cells[i] = (struct series_cell){
			.count = count,
			.bytes = 4096 * count,
			.min_ns = COMMON,
			.max_ns = 200 * US,
			.sum_ns = (double)(count * COMMON + 100 * US),
			.first_ns = i * SECOND + NS_PER_MS,
			.last_ns = (i + 1) * SECOND - NS_PER_MS,
			.waiting_since_ns = UINT64_MAX,
		};
		hist_add(&made->hist, COMMON, count - 1);
		hist_add(&made->hist, 200 * US, 1);
		hist_sums_add(&part->sums, COMMON, count - 1);
		hist_sums_add(&part->sums, 200 * US, 1);
		part->bytes += 4096 * count;
	}
	part->cells = made->cells;
	part->hist = &made->hist;
	made->run.interval_ns = SECOND;
	made->run.end_ns = CELLS * SECOND;
	made->run.range.end = CELLS;
	made->run.has_latency = true;
	made->run.outstanding = QOS_ALWAYS;
}

/* One request of the interval takes so long, instead of 200 us. */
static void made_slow(struct made *made, unsigned at, uint64_t ns)
{
	made->cells[at].max_ns = ns;
	hist_add(&made->hist, ns, 1);
	hist_sums_add(&made->run.part[SERIES_ALL].sums, ns, 1);
}

static void made_empty(struct made *made, unsigned at)
{
	made->cells[at] =
		(struct series_cell){.min_ns = UINT64_MAX, .waiting_since_ns = UINT64_MAX};
}

static void made_ready(struct made *made)
{
	arena_done(&made->arena);
	arena_init(&made->arena);
	qos_init(&made->qos, &made->run, &made->arena);
	qos_figures(&made->qos, &made->figures);
}

static int ask(struct made *made, const char *name, double argument,
	       struct check_value *ret_value, struct err *err)
{
	struct check_figure figure = {.argument = argument};

	if (!isnan(argument))
		figure.argument_unit = CHECK_TIME;
	strncpy(figure.name, name, sizeof(figure.name) - 1);
	return made->figures.find(made->figures.ctx, &figure, ret_value, err);
}

static struct check_value told(struct made *made, const char *name, double argument)
{
	struct check_value value;
	struct err err = {0};

	if (ask(made, name, argument, &value, &err))
		fail_msg("%s: %s", name, err.text);
	return value;
}

#define NONE ((double)NAN)

static void assert_value(struct made *made, const char *name, double argument, double value)
{
	struct check_value is = told(made, name, argument);

	if (is.state != CHECK_KNOWN || fabs(is.value - value) > 1e-9 * fabs(value))
		fail_msg("%s: %.17g and not %.17g %s", name, is.value, value, is.reason);
}

static void assert_unknown(struct made *made, const char *name, double argument,
			   const char *reason)
{
	struct check_value is = told(made, name, argument);

	assert_int_equal(is.state, CHECK_UNKNOWN);
	if (!strstr(is.reason, reason))
		fail_msg("%s: \"%s\" does not say \"%s\"", name, is.reason, reason);
}

/* --- intervals without completions --- */

static void whether_an_empty_interval_is_a_fault_depends_on_what_is_known(void **state)
{
	static struct made made;
	struct check_value value;

	(void)state;
	made_init(&made, 10);
	made_empty(&made, 3);
	made_empty(&made, 4);
	made_ready(&made);
	assert_value(&made, "zero_intervals", NONE, 2);
	assert_value(&made, "zero_longest", NONE, 2.002e9); /* 2.999 s to 5.001 s */

	made.run.outstanding = QOS_UNKNOWN;
	made_ready(&made);
	value = told(&made, "zero_intervals", NONE);
	assert_true(value.value == 0 && value.low == 0 && value.high == 2);
	assert_non_null(strstr(value.reason, "--outstanding"));
	value = told(&made, "zero_longest", NONE);
	assert_true(value.low == 0 && value.high == 2.002e9);

	/* A request was in flight in the first one, none in the second. */
	made.run.outstanding = QOS_BY_LATENCY;
	made.cells[3].waiting_since_ns = 2500 * NS_PER_MS;
	made_ready(&made);
	assert_value(&made, "zero_intervals", NONE, 1);
	assert_value(&made, "zero_longest", NONE, 1.001e9); /* 2.999 s to its end */
	assert_int_equal(made.qos.facts[SERIES_ALL].zeros.idle, 1);
	made.cells[3].waiting_since_ns = 3501 * NS_PER_MS; /* for less than half of it */
	made_ready(&made);
	assert_value(&made, "zero_intervals", NONE, 0);

	/* After the last completion nothing is told. */
	made.run.last_ns = 3 * SECOND;
	made_ready(&made);
	assert_int_equal(made.qos.facts[SERIES_ALL].zeros.untold, 2);
	arena_done(&made.arena);
}

static void a_gap_at_an_edge_ends_where_the_run_does(void **state)
{
	static struct made made;

	(void)state;
	made_init(&made, 10);
	made_empty(&made, 0);
	made_ready(&made);
	assert_value(&made, "zero_longest", NONE, 1.001e9);
	made_empty(&made, 10);
	made_empty(&made, 11);
	made_ready(&made);
	assert_value(&made, "zero_longest", NONE, 2.001e9); /* 9.999 s to 12 s */

	/* The last interval is measured in part: what completed there still ends the gap. */
	made_init(&made, 10);
	made_empty(&made, 10);
	made.run.range.end = 11;
	made_ready(&made);
	assert_value(&made, "zero_longest", NONE, 1.001e9);
	made.run.range.partial_last = true;
	made_ready(&made);
	assert_value(&made, "zero_longest", NONE, 1.002e9);
	arena_done(&made.arena);
}

/* --- each figure --- */

static void each_figure_is_what_can_be_counted(void **state)
{
	static struct made made;
	double slow = 500 * (double)US;

	(void)state;
	made_init(&made, 10);
	made_slow(&made, 5, NS_PER_MS);
	made.run.nthresholds = 1;
	made.run.thresholds_ns[0] = 500 * US;
	made.cells[5].over[0] = 1;
	made_ready(&made);
	assert_value(&made, "iops", NONE, 10);
	assert_value(&made, "bandwidth", NONE, 40960);
	assert_value(&made, "count", NONE, 121);
	assert_value(&made, "bytes", NONE, 12 * 40960);
	assert_value(&made, "span", NONE, 12e9);
	assert_value(&made, "intervals", NONE, 12);
	assert_value(&made, "mean", NONE, 110e3); /* 9 of 100 us, one of 200 us */
	assert_value(&made, "min", NONE, 100e3);
	assert_value(&made, "max", NONE, 1e6);
	assert_value(&made, "share_max_within", 200e3, 11.0 / 12);
	assert_value(&made, "count_over", slow, 1);
	assert_value(&made, "count_over", 1e6, 0);
	assert_value(&made, "share_over", slow, 1.0 / 121);
	assert_value(&made, "rate_over", slow, 300); /* one in 12 s */
	assert_value(&made, "worst_share_over", slow, 0.1);
	assert_value(&made, "bursts_over", slow, 1);
	assert_value(&made, "variation", NONE, 0);
	assert_value(&made, "consistency", NONE, 1);
	assert_value(&made, "steady_share", NONE, 1);
	assert_value(&made, "min_iops", NONE, 10);
	assert_value(&made, "trend", NONE, 0);
	assert_value(&made, "changes", NONE, 0);
	assert_value(&made, "scatter", NONE, 5); /* 1 ms by 200 us */
	assert_int_equal(made.qos.facts[SERIES_ALL].worst, 5);
	/* What the run counted itself goes before the histogram. */
	made.run.part[SERIES_ALL].over = (const uint64_t[]){7};
	assert_value(&made, "count_over", slow, 7);
	assert_value(&made, "count_over", 150e3, 13);
	arena_done(&made.arena);
}

static void an_empty_interval_does_not_cut_a_burst(void **state)
{
	static struct made made;
	struct qos_bursts bursts;

	(void)state;
	made_init(&made, 10);
	made.run.nthresholds = 1;
	made.run.thresholds_ns[0] = NS_PER_MS;
	for (unsigned i = 2; i < 7; i += 2) {
		made_slow(&made, i, 2 * NS_PER_MS);
		made.cells[i].over[0] = i;
	}
	made_empty(&made, 3);
	bursts = qos_bursts(&made.run, SERIES_ALL, 1e6);
	assert_int_equal(bursts.count, 2); /* 2 and 4; 6 */
	assert_int_equal(bursts.longest_intervals, 2);
	assert_int_equal(bursts.most, 2 + 4);
	/* Without a threshold of that latency an interval counts as one. */
	bursts = qos_bursts(&made.run, SERIES_ALL, 1.5e6);
	assert_int_equal(bursts.most, 2);
	assert_int_equal(qos_bursts(&made.run, SERIES_TRIM, 1e6).count, 0);
}

/* --- what cannot be told --- */

static void what_was_not_measured_is_not_told(void **state)
{
	static struct made made;

	(void)state;
	made_init(&made, 10);
	made_ready(&made);
	assert_unknown(&made, "worst_share_over", 300e3, "write the latency as a number");
	made.run.has_latency = false;
	made_ready(&made);
	assert_unknown(&made, "p99", NONE, "latencies were not measured");
	assert_unknown(&made, "max", NONE, "latencies were not measured");
	made.run.why_no_latency = "a log of IOPS holds no latencies";
	assert_unknown(&made, "p99", NONE, "a log of IOPS");
	assert_unknown(&made, "scatter", NONE, "a log of IOPS");
	assert_true(isnan(made.qos.facts[SERIES_ALL].scatter));
	arena_done(&made.arena);
}

static void a_windowed_log_tells_its_own_level_alone(void **state)
{
	static const char counts[] = "how many requests", bytes[] = "bytes are not";
	static struct made made;

	(void)state;
	made_init(&made, 10);
	made.run.windowed = true;
	made_ready(&made);
	assert_unknown(&made, "bandwidth", NONE, bytes);
	assert_value(&made, "iops", NONE, 10);
	assert_true(qos_level_of(&made.run, &made.cells[0]) == 10);
	assert_string_equal(qos_level_unit(&made.run), "IOPS");

	made.run.level = QOS_BANDWIDTH;
	made_ready(&made);
	assert_unknown(&made, "iops", NONE, counts);
	assert_unknown(&made, "min_iops", NONE, counts);
	assert_value(&made, "bandwidth", NONE, 40960);
	assert_value(&made, "variation", NONE, 0);
	assert_true(qos_level_of(&made.run, &made.cells[0]) == 40960);
	assert_string_equal(qos_level_unit(&made.run), "B/s");

	made.run.level = QOS_MEAN_LATENCY;
	made_ready(&made);
	assert_unknown(&made, "bytes", NONE, bytes);
	assert_unknown(&made, "trend", NONE, "holds no rates");
	assert_true(qos_level_of(&made.run, &made.cells[0]) == 110e3);
	assert_string_equal(qos_level_unit(&made.run), "ns");
	arena_done(&made.arena);
}

static void few_intervals_are_said_to_be_few(void **state)
{
	static struct made made;

	(void)state;
	made_init(&made, 10);
	made.run.range.end = 5;
	made_ready(&made);
	assert_value(&made, "iops", NONE, 10);
	assert_unknown(&made, "variation", NONE, "fewer than 10 intervals");
	made.run.range.end = 3;
	made_ready(&made);
	assert_unknown(&made, "iops", NONE, "fewer than 4 intervals");
	made.run.range.end = 0;
	made.run.end_ns = 0;
	made.run.nthresholds = 1;
	made.run.thresholds_ns[0] = NS_PER_MS;
	made_ready(&made);
	assert_unknown(&made, "zero_intervals", NONE, "from begin to end");
	assert_unknown(&made, "worst_share_over", 1e6, "from begin to end");
	assert_unknown(&made, "share_max_within", 1e6, "nothing was measured");
	assert_unknown(&made, "rate_over", 1e6, "no time passed");
	arena_done(&made.arena);
}

static void a_direction_that_is_not_there_is_absent(void **state)
{
	static struct made made;

	(void)state;
	made_init(&made, 10);
	made.run.part[SERIES_READ] = made.run.part[SERIES_ALL];
	made_ready(&made);
	assert_value(&made, "read.iops", NONE, 10);
	assert_int_equal(told(&made, "write.iops", NONE).state, CHECK_ABSENT);
	assert_int_equal(told(&made, "trim.p99", NONE).state, CHECK_ABSENT);
	arena_done(&made.arena);
}

/* --- names --- */

static void refused(struct made *made, const char *name, double argument, const char *says)
{
	struct check_value value;
	struct err err = {0};

	assert_int_equal(ask(made, name, argument, &value, &err), -EINVAL);
	if (!strstr(err.text, says))
		fail_msg("%s: \"%s\" does not say \"%s\"", name, err.text, says);
}

static void a_wrong_name_gets_the_nearest_right_one(void **state)
{
	static const struct qos_spec specs[] = {{"iops", {.value = 90000}}};
	static struct made made;
	struct check_figure untold = {"count_over", CHECK_TIME, NONE};
	struct check_value value;

	(void)state;
	made_init(&made, 10);
	made_ready(&made);
	refused(&made, "iopz", NONE, "\"iops\" is one");
	refused(&made, "read.bandwith", NONE, "\"bandwidth\" is one");
	refused(&made, "p100", NONE, "no figure \"p100\"");
	refused(&made, "p0", NONE, "no figure");
	refused(&made, "p9.9.9", NONE, "no figure");
	refused(&made, "p99x", NONE, "no figure");
	refused(&made, "share_over", NONE, "write share_over(5ms)");
	refused(&made, "iops", 5e6, "takes nothing in brackets");
	refused(&made, "p99", 5e6, "takes nothing in brackets");
	refused(&made, "spec.iops", NONE, "--spec=iops=VALUE");
	made.qos.specs = specs;
	made.qos.nspecs = 1;
	assert_value(&made, "spec.iops", NONE, 90000);
	refused(&made, "spec.p99", NONE, "--spec=p99=VALUE");
	assert_int_equal(made.figures.find(made.figures.ctx, &untold, &value, NULL), 0);
	assert_int_equal(value.state, CHECK_UNKNOWN);
	arena_done(&made.arena);
}

static void a_figure_is_told_apart(void **state)
{
	static const struct {
		const char *name;
		enum qos_kind kind;
		enum series_dir dir;
	} cases[] = {
		{"read.p99.9", QOS_PERCENTILE, SERIES_READ},
		{"max", QOS_EXTREME, SERIES_ALL},
		{"write.zero_longest", QOS_ZEROS, SERIES_WRITE},
		{"share_max_within", QOS_WITHIN, SERIES_ALL},
		{"trim.count_over", QOS_OVER, SERIES_TRIM},
		{"iops", QOS_OTHER, SERIES_ALL},
		{"nothing", QOS_OTHER, SERIES_ALL},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct check_figure figure = {"", CHECK_TIME, 5e6};
		struct qos_subject subject;

		strncpy(figure.name, cases[i].name, sizeof(figure.name) - 1);
		subject = qos_subject(&figure);
		assert_int_equal(subject.kind, cases[i].kind);
		assert_int_equal(subject.dir, cases[i].dir);
		assert_int_equal(!isnan(subject.argument),
				 subject.kind == QOS_WITHIN || subject.kind == QOS_OVER);
	}
}

/* --- percentiles --- */

static void a_percentile_lies_within_its_bounds(void **state)
{
	static struct made made;
	static struct hist units[10];
	struct check_value alone, value;

	(void)state;
	made_init(&made, 100);
	qos_percentile(&made.run, SERIES_ALL, 50, &alone);
	assert_true(alone.low <= alone.value);
	assert_true(alone.value <= alone.high);
	assert_true(alone.high < 101e3);
	/* Of 1,200 requests not one need be above p99.99. */
	qos_percentile(&made.run, SERIES_ALL, 99.99, &value);
	assert_true(isinf(value.high));
	/* Few above it: Poisson's ranks and not the normal ones. */
	qos_percentile(&made.run, SERIES_ALL, 99, &value);
	assert_true(value.low <= value.value && value.value <= value.high);

	/* Parts of the run that differ widen them, parts that agree do not. */
	for (unsigned u = 0; u < 10; u++)
		hist_add(&units[u], COMMON, 100);
	made.run.part[SERIES_ALL].units = units;
	made.run.nunits = 10;
	qos_percentile(&made.run, SERIES_ALL, 50, &value);
	assert_true(value.low == alone.low && value.high == alone.high);
	for (unsigned u = 0; u < 5; u++)
		hist_add(&units[u], 4 * COMMON, 300);
	qos_percentile(&made.run, SERIES_ALL, 50, &value);
	/* Logarithms of 100 us and 400 us, five of each: t(9) * 0.73 / sqrt(10) = 0.52. */
	assert_true(value.high > 1.6 * alone.value && value.high < 1.8 * alone.value);
	assert_true(value.low >= 100e3); /* not below the least of all */
	/* Three parts are too few to say how far they differ. */
	made.run.nunits = 3;
	qos_percentile(&made.run, SERIES_ALL, 50, &value);
	assert_true(value.high == alone.high);
	/* A part that holds nothing above the percentile knows nothing of it. */
	made.run.nunits = 10;
	qos_percentile(&made.run, SERIES_ALL, 99.9, &value);
	assert_int_equal(value.state, CHECK_KNOWN);

	hist_sums_init(&made.run.part[SERIES_ALL].sums);
	qos_percentile(&made.run, SERIES_ALL, 50, &value);
	assert_int_equal(value.state, CHECK_UNKNOWN);
	assert_string_equal(value.reason, "no request completed");
}

static void what_cannot_be_told_says_how_many_it_takes(void **state)
{
	static struct made made;
	struct check_figure figure = {"p99", CHECK_NUMBER, NONE};

	(void)state;
	made_init(&made, 10);
	made_ready(&made);
	/* None of 120 seen above it: the rule of three for 1 % asks for some 300. */
	assert_in_range(made.figures.needs(made.figures.ctx, &figure, 250e3), 290, 400);
	strcpy(figure.name, "iops");
	assert_int_equal(made.figures.needs(made.figures.ctx, &figure, 9), 0);
	strcpy(figure.name, "count");
	assert_int_equal(made.figures.needs(made.figures.ctx, &figure, 9), 0);
	strcpy(figure.name, "nothing");
	assert_int_equal(made.figures.needs(made.figures.ctx, &figure, 9), 0);
	figure = (struct check_figure){"share_over", CHECK_TIME, 300e3};
	assert_in_range(made.figures.needs(made.figures.ctx, &figure, 0.01), 290, 400);
	figure = (struct check_figure){"share_max_within", CHECK_TIME, 300e3};
	assert_true(made.figures.needs(made.figures.ctx, &figure, 0.95) > CELLS);
	arena_done(&made.arena);
}

/* --- the spans that a rule is about --- */

static unsigned concerned(struct made *made, const char *name, double limit,
			  struct qos_span *spans, unsigned room, unsigned *ret_total)
{
	struct check_comparison comparison = {.left.figure.argument = NONE,
					      .right.value.value = limit};

	strncpy(comparison.left.figure.name, name, sizeof(comparison.left.figure.name) - 1);
	return qos_concerned(&made->run, &comparison, spans, room, ret_total);
}

static void the_worst_spans_come_first(void **state)
{
	static struct made made;
	struct qos_span spans[8];
	unsigned total;

	(void)state;
	made_init(&made, 10);
	made_slow(&made, 1, 2 * NS_PER_MS);
	made_slow(&made, 3, 2 * NS_PER_MS);
	made_slow(&made, 4, NS_PER_MS);
	made_slow(&made, 7, 9 * NS_PER_MS);
	made_slow(&made, 9, 2 * NS_PER_MS);
	assert_int_equal(concerned(&made, "max", 500e3, spans, 8, &total), 4);
	assert_int_equal(total, 4);
	assert_int_equal(spans[0].begin_ns, 7 * SECOND);
	assert_int_equal(spans[0].max_ns, 9 * NS_PER_MS);
	assert_int_equal(spans[1].begin_ns, 3 * SECOND); /* as bad as 1 and 9, and longer */
	assert_int_equal(spans[1].end_ns, 5 * SECOND);
	assert_int_equal(spans[1].count, 2);
	assert_int_equal(spans[2].begin_ns, 1 * SECOND); /* as bad as 9, and earlier */
	assert_int_equal(spans[3].begin_ns, 9 * SECOND);
	/* Of more than there is room for, the worst are kept. */
	assert_int_equal(concerned(&made, "p99", 500e3, spans, 2, &total), 2);
	assert_int_equal(total, 4);
	assert_int_equal(spans[0].begin_ns, 7 * SECOND);
	assert_int_equal(spans[1].begin_ns, 3 * SECOND);
	assert_int_equal(concerned(&made, "max", 500e3, NULL, 0, &total), 0);
	assert_int_equal(total, 4);
}

static void only_rules_about_intervals_have_spans(void **state)
{
	static struct made made;
	struct qos_span spans[2];
	unsigned total;

	(void)state;
	made_init(&made, 10);
	made_slow(&made, 1, 2 * NS_PER_MS);
	made_empty(&made, 4);
	made_empty(&made, 5);
	assert_int_equal(concerned(&made, "zero_intervals", 0, spans, 2, &total), 1);
	assert_int_equal(spans[0].begin_ns, 4 * SECOND - NS_PER_MS);
	assert_int_equal(spans[0].end_ns, 6 * SECOND + NS_PER_MS);
	assert_int_equal(spans[0].count, 2);
	assert_int_equal(concerned(&made, "iops", 9, spans, 2, &total), 0);
	assert_int_equal(concerned(&made, "", 9, spans, 2, &total), 0);
	assert_int_equal(concerned(&made, "write.max", 9, spans, 2, &total), 0);
	made.run.has_latency = false;
	assert_int_equal(concerned(&made, "max", 9, spans, 2, &total), 0);
	assert_int_equal(concerned(&made, "zero_longest", 0, spans, 2, &total), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whether_an_empty_interval_is_a_fault_depends_on_what_is_known),
		cmocka_unit_test(a_gap_at_an_edge_ends_where_the_run_does),
		cmocka_unit_test(each_figure_is_what_can_be_counted),
		cmocka_unit_test(an_empty_interval_does_not_cut_a_burst),
		cmocka_unit_test(what_was_not_measured_is_not_told),
		cmocka_unit_test(a_windowed_log_tells_its_own_level_alone),
		cmocka_unit_test(few_intervals_are_said_to_be_few),
		cmocka_unit_test(a_direction_that_is_not_there_is_absent),
		cmocka_unit_test(a_wrong_name_gets_the_nearest_right_one),
		cmocka_unit_test(a_figure_is_told_apart),
		cmocka_unit_test(a_percentile_lies_within_its_bounds),
		cmocka_unit_test(what_cannot_be_told_says_how_many_it_takes),
		cmocka_unit_test(the_worst_spans_come_first),
		cmocka_unit_test(only_rules_about_intervals_have_spans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
