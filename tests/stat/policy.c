/* Policies on synthetic runs whose answers are known. Seeds: 6 to 9. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "stat/policy.h"

#define SECOND NS_PER_S

struct drive {
	uint64_t seed;
	unsigned seconds, rate; /* completions a second */
	double tail;		/* share of completions that take 8 ms */
	unsigned stall_at;	/* second in which 2.2 s of silence begin; 0: none */
	uint64_t slowest_ns;	/* of one completion in the middle; 0: none */
	double spread;		/* factor of the uniform spread around 100 us */
};

static void feed(struct series *series, const struct drive *drive)
{
	uint64_t step = SECOND / drive->rate;
	struct rng rng;

	rng_seed(&rng, drive->seed, 0);
	for (uint64_t i = 1; i <= (uint64_t)drive->seconds * drive->rate; i++) {
		uint64_t at = drive->stall_at * SECOND;
		struct series_sample sample = {.time_ns = i * step - 1,
					       .bytes = 4096,
					       .count = 1,
					       .dir = i % 10 < 3 ? SERIES_READ : SERIES_WRITE};

		sample.latency_ns = (uint64_t)(100e3 * (1 + drive->spread * rng_unit(&rng)));
		if (rng_unit(&rng) < drive->tail)
			sample.latency_ns = 8 * NS_PER_MS;
		if (at && sample.time_ns >= at && sample.time_ns < at + 2200 * NS_PER_MS)
			continue;
		if (at && sample.time_ns >= at + 2200 * NS_PER_MS &&
		    sample.time_ns < at + 2200 * NS_PER_MS + 20 * step)
			sample.latency_ns = 2200 * NS_PER_MS;
		if (drive->slowest_ns && i == (uint64_t)drive->seconds * drive->rate / 2)
			sample.latency_ns = drive->slowest_ns;
		assert_int_equal(series_add(series, &sample, NULL), 0);
	}
	series_finish(series);
}

struct judged {
	struct arena arena;
	struct policy policy;
	struct series series;
	struct qos_run run;
	struct qos qos;
	struct verdict verdict;
};

static void judge(struct judged *judged, const char *policy, const struct drive *drive)
{
	struct err err = {0};

	arena_init(&judged->arena);
	if (policy_parse(policy, policy_text(policy), NULL, &judged->arena, &judged->policy,
			 &err))
		fail_msg("%s", err.text);
	series_init(&judged->series, judged->policy.interval_ns);
	for (unsigned i = 0; i < judged->policy.nthresholds; i++)
		assert_int_equal(series_threshold(&judged->series,
						  judged->policy.thresholds_ns[i], NULL),
				 0);
	feed(&judged->series, drive);
	qos_from_series(&judged->series, &judged->run);
	qos_init(&judged->qos, &judged->run, &judged->arena);
	assert_int_equal(policy_judge(&judged->policy, &judged->qos, &judged->arena,
				      &judged->verdict, NULL),
			 0);
}

static void judged_done(struct judged *judged)
{
	series_done(&judged->series);
	arena_done(&judged->arena);
}

static enum outcome rule(const struct judged *judged, const char *name)
{
	for (unsigned i = 0; i < judged->policy.nrules; i++) {
		if (str_equal(judged->policy.rules[i].name, name))
			return judged->verdict.rules[i].outcome;
	}
	fail_msg("no rule %s", name);
	return OUTCOME_FAIL;
}

static struct judged judged;

static void a_good_drive_passes(void **state)
{
	const struct drive drive = {.seed = 6, .seconds = 200, .rate = 20000, .spread = 1};

	(void)state;
	judge(&judged, "default", &drive);
	assert_int_equal(judged.verdict.outcome, OUTCOME_PASS);
	judged_done(&judged);
}

/* "A used drive whose points scatter but whose maximum stays within 2 ms, with no zero, is
 * judged good": maxima of 20 times the median, and no rule fails. */
static void scatter_alone_never_fails(void **state)
{
	const struct drive drive = {.seed = 7,
				    .seconds = 200,
				    .rate = 20000,
				    .spread = 1,
				    .slowest_ns = 2 * NS_PER_MS};
	struct drive wide = drive;

	(void)state;
	wide.spread = 19;
	wide.slowest_ns = 2 * NS_PER_MS;
	judge(&judged, "default", &wide);
	assert_int_equal(rule(&judged, "maxima"), OUTCOME_PASS);
	assert_int_equal(judged.verdict.outcome, OUTCOME_PASS);
	judged_done(&judged);
}

static void a_short_run_cannot_tell_of_stalls(void **state)
{
	const struct drive drive = {.seed = 8, .seconds = 100, .rate = 1000, .spread = 1};
	const struct check_comparison *one;

	(void)state;
	judge(&judged, "default", &drive);
	assert_int_equal(rule(&judged, "stalls"), OUTCOME_CANNOT_TELL);
	assert_int_equal(rule(&judged, "zeros"), OUTCOME_PASS);
	assert_int_equal(judged.verdict.outcome, OUTCOME_CANNOT_TELL);
	one = &judged.verdict.rules[3].results[1].comparisons[0];
	assert_true(one->needs > 2990000 && one->needs < 3000000); /* ln(20) million */
	judged_done(&judged);
}

static void a_stall_fails_zeros_and_stalls(void **state)
{
	const struct drive drive = {
		.seed = 9, .seconds = 100, .rate = 1000, .spread = 1, .stall_at = 40};
	struct qos_span spans[4];
	unsigned total, count;

	(void)state;
	judge(&judged, "default", &drive);
	assert_int_equal(rule(&judged, "zeros"), OUTCOME_FAIL);
	assert_int_equal(rule(&judged, "stalls"), OUTCOME_FAIL);
	assert_int_equal(judged.verdict.outcome, OUTCOME_FAIL);
	count = qos_concerned(&judged.run, &judged.verdict.rules[1].results[0].comparisons[0],
			      spans, 4, &total);
	assert_int_equal(count, 1);
	assert_int_equal(total, 1);
	assert_true(spans[0].begin_ns <= 40 * SECOND && spans[0].begin_ns > 39 * SECOND);
	assert_true(spans[0].end_ns >= 42200 * NS_PER_MS &&
		    spans[0].end_ns < 42210 * NS_PER_MS);
	assert_int_equal(qos_count_over(&judged.run, SERIES_ALL, 200.0 * NS_PER_MS), 20);
	judged_done(&judged);
}

static void a_heavy_tail_fails_latency(void **state)
{
	struct drive drive = {
		.seed = 6, .seconds = 100, .rate = 2000, .spread = 1, .tail = 0.003};

	(void)state;
	judge(&judged, "default", &drive);
	assert_int_equal(rule(&judged, "latency"), OUTCOME_FAIL);
	judged_done(&judged);
	drive.tail = 0.0003;
	judge(&judged, "default", &drive);
	assert_int_equal(rule(&judged, "latency"), OUTCOME_PASS);
	judged_done(&judged);
	drive.tail = 0.001; /* at the limit nobody can tell */
	judge(&judged, "default", &drive);
	assert_int_equal(rule(&judged, "latency"), OUTCOME_CANNOT_TELL);
	judged_done(&judged);
}

static void too_few_samples_have_no_tail(void **state)
{
	const struct drive drive = {.seed = 6, .seconds = 10, .rate = 100, .spread = 1};

	(void)state;
	judge(&judged, "default", &drive);
	assert_int_equal(rule(&judged, "latency"), OUTCOME_CANNOT_TELL);
	judged_done(&judged);
}

/* ACT's hours, shortened: every interval counts, not the mean of all. */
static void one_bad_hour_fails_act(void **state)
{
	const struct drive good = {.seed = 6, .seconds = 7300, .rate = 20, .spread = 1};
	const struct drive bad = {
		.seed = 6, .seconds = 7300, .rate = 20, .spread = 1, .tail = 0.06};

	(void)state;
	judge(&judged, "act", &good);
	assert_int_equal(rule(&judged, "1ms"), OUTCOME_PASS);
	assert_int_equal(rule(&judged, "duration"), OUTCOME_FAIL);
	judged_done(&judged);
	judge(&judged, "act", &bad);
	assert_int_equal(rule(&judged, "1ms"), OUTCOME_FAIL);
	assert_int_equal(rule(&judged, "8ms"), OUTCOME_PASS);
	judged_done(&judged);
}

static void every_policy_is_read(void **state)
{
	unsigned count = 0;

	(void)state;
	for (; policy_name(count); count++) {
		struct policy policy;
		struct arena arena;
		struct err err = {0};

		arena_init(&arena);
		if (policy_parse(policy_name(count), policy_text(policy_name(count)), NULL,
				 &arena, &policy, &err))
			fail_msg("%s", err.text);
		assert_true(policy.nrules > 0);
		assert_true(strlen(policy.about) > 10);
		arena_done(&arena);
	}
	assert_int_equal(count, 5);
	assert_null(policy_text("nosuch"));
}

static void bad_policies_name_line_and_remedy(void **state)
{
	static const char *const cases[][2] = {
		{"", "there is no rule"},
		{"max < 5ms\n", "line 1: \"max < 5ms\" stands before the first rule"},
		{"\n\n[a] b\nmax < 5\n", "line 4: check \"max < 5\", at column 7"},
		{"[a] b\n", "rule \"a\" has no check"},
		{"[a\nmax < 5ms\n", "line 1: \"[a\": a rule begins with"},
		{"interval = 1x\n", "line 1: interval:"},
		{"interval = 0\n[a] b\nmax < 5ms\n", "must be above 0"},
		{"[a] b\nmaxx < 5ms\n", "there is no figure \"maxx\"; \"max\" is one"},
		{"[a] b\ncount_over == 0\n", "\"count_over\" takes a latency"},
		{"[a] b\nmax(5ms) == 0\n", "\"max\" takes nothing in brackets"},
		{"[a] b\np99(5ms) == 0\n", "\"p99\" takes nothing in brackets"},
		{"[a] b\niops > spec.iops\n", "\"spec.iops\" is not known"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct policy policy;
		struct arena arena;
		struct err err = {0};

		arena_init(&arena);
		assert_int_not_equal(
			policy_parse("x", cases[i][0], NULL, &arena, &policy, &err), 0);
		if (!strstr(err.text, cases[i][1]))
			fail_msg("\"%s\" lacks \"%s\"", err.text, cases[i][1]);
		arena_done(&arena);
	}
}

static void a_policy_has_limits(void **state)
{
	struct policy policy;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (unsigned which = 0; which < 4; which++) {
		static const char *const says[] = {"more than 16 rules", "more than 16 checks",
						   "more than 6 latencies", "characters"};
		autostr text = {0};
		struct err err = {0};

		if (which)
			str_printf(&text, "[a] b\n");
		for (unsigned i = 1; i <= 17; i++) {
			if (which == 0)
				str_printf(&text, "[%u] b\nmax < 5ms\n", i);
			else if (which == 1)
				str_printf(&text, "max < %ums\n", i);
			else if (which == 2)
				str_printf(&text, "count_over(%ums) == 0\n", i);
			else
				str_printf(&text, "max < 5ms and max < 6ms and max < 7ms and "
						  "max < 8ms and max < 9ms and ");
		}
		assert_int_equal(
			policy_parse("x", str_text(&text), NULL, &arena, &policy, &err),
			-EINVAL);
		if (!strstr(err.text, says[which]))
			fail_msg("\"%s\" lacks \"%s\"", err.text, says[which]);
	}
	arena_done(&arena);
}

static void blanks_comments_and_titles_are_as_one_would_think(void **state)
{
	static const char text[] = "about = of blanks \t # and not this\n"
				   "\t\n"
				   "  [first]\n"
				   "max < 5ms   # a reason\n"
				   "[second]   is told\n"
				   "count_over(5ms) == 0\n"
				   "count_over(5ms) < 3 or iops > spec.iops";
	static const struct qos_spec given[] = {{"iops", {.value = 5}}};
	const struct qos specs = {.specs = given, .nspecs = 1};
	struct policy policy;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_int_equal(policy_parse("x", text, &specs, &arena, &policy, NULL), 0);
	assert_string_equal(policy.about, "of blanks");
	assert_int_equal(policy.nrules, 2);
	assert_string_equal(policy.rules[0].title, "first");
	assert_string_equal(policy.rules[0].checks[0], "max < 5ms");
	assert_string_equal(policy.rules[1].title, "is told");
	assert_int_equal(policy.rules[1].nchecks, 2);
	assert_int_equal(policy.nthresholds, 1); /* the same latency is counted once */
	arena_done(&arena);
}

static void rules_that_do_not_apply_tell_nothing(void **state)
{
	static const struct qos_run nothing = {.interval_ns = NS_PER_S, .has_latency = true};
	struct policy policy;
	struct verdict verdict;
	struct arena arena;
	struct qos qos;

	(void)state;
	arena_init(&arena);
	qos_init(&qos, &nothing, &arena);
	assert_int_equal(
		policy_parse("x", "[a] b\nwrite.max < 5ms\n", NULL, &arena, &policy, NULL), 0);
	assert_int_equal(policy_judge(&policy, &qos, &arena, &verdict, NULL), 0);
	assert_int_equal(verdict.rules[0].outcome, OUTCOME_NOT_APPLICABLE);
	assert_int_equal(verdict.outcome, OUTCOME_CANNOT_TELL);
	/* A check that was read may still ask for what only the run knows. */
	policy.rules[0].checks[0] = "max < spec.max";
	assert_int_equal(policy_judge(&policy, &qos, &arena, &verdict, NULL), -EINVAL);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_drive_passes),
		cmocka_unit_test(scatter_alone_never_fails),
		cmocka_unit_test(a_short_run_cannot_tell_of_stalls),
		cmocka_unit_test(a_stall_fails_zeros_and_stalls),
		cmocka_unit_test(a_heavy_tail_fails_latency),
		cmocka_unit_test(too_few_samples_have_no_tail),
		cmocka_unit_test(one_bad_hour_fails_act),
		cmocka_unit_test(every_policy_is_read),
		cmocka_unit_test(bad_policies_name_line_and_remedy),
		cmocka_unit_test(a_policy_has_limits),
		cmocka_unit_test(blanks_comments_and_titles_are_as_one_would_think),
		cmocka_unit_test(rules_that_do_not_apply_tell_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
