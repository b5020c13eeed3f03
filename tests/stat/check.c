/* The notation of checks: what is read, what is refused and how, and three-valued decisions. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "stat/check.h"

static int find(void *ctx, const struct check_figure *figure, struct check_value *ret_value,
		struct err *err)
{
	static const struct {
		const char *name;
		struct check_value value;
	} table[] = {
		{"p99.9", {.unit = CHECK_TIME, .value = 4e6, .low = 3e6, .high = 5e6}},
		{"max", {.unit = CHECK_TIME, .value = 9e6, .low = 9e6, .high = 9e6}},
		{"zeros", {.value = 0}},
		{"iops", {.value = 950, .low = 940, .high = 960}},
		{"spec.iops", {.value = 1000, .low = 1000, .high = 1000}},
		{"bw", {.unit = CHECK_BYTES_PER_S, .value = 1e8, .low = 1e8, .high = 1e8}},
		{"gone", {.state = CHECK_ABSENT}},
		{"untold", {.state = CHECK_UNKNOWN, .reason = "nobody counted"}},
	};

	(void)ctx;
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
		if (!str_equal(figure->name, table[i].name))
			continue;
		*ret_value = table[i].value;
		return 0;
	}
	if (str_equal(figure->name, "twice")) {
		*ret_value = (struct check_value){.unit = figure->argument_unit,
						  .value = 2 * figure->argument,
						  .low = 2 * figure->argument,
						  .high = 2 * figure->argument};
		return 0;
	}
	return err_input(err, "there is no figure \"%s\"", figure->name);
}

static const struct check_figures figures = {.find = find};

static void decisions_use_both_bounds(void **state)
{
	static const struct {
		const char *text;
		enum outcome outcome;
	} cases[] = {
		{"p99.9 < 6ms", OUTCOME_PASS},
		{"p99.9<6 ms", OUTCOME_PASS},
		{"p99.9 <= 5ms", OUTCOME_PASS},
		{"p99.9 < 5ms", OUTCOME_CANNOT_TELL},
		{"p99.9 < 3ms", OUTCOME_FAIL},
		{"p99.9 >= 2.9ms", OUTCOME_PASS},
		{"p99.9 == 7ms", OUTCOME_FAIL},
		{"p99.9 == 4ms", OUTCOME_CANNOT_TELL},
		{"p99.9 != 7ms", OUTCOME_PASS},
		{"zeros == 0", OUTCOME_PASS},
		{"zeros != 0", OUTCOME_FAIL},
		{"iops >= 90% of spec.iops", OUTCOME_PASS},
		{"iops >= 95% of spec.iops", OUTCOME_CANNOT_TELL},
		{"iops >= 97% * spec.iops", OUTCOME_FAIL},
		{"max <= 2 x p99.9 + 3ms", OUTCOME_PASS},
		{"max / p99.9 < 4", OUTCOME_PASS},
		{"twice(1ms + 500us) == 3ms", OUTCOME_PASS},
		{"(1 + 2) * 3 == 9", OUTCOME_PASS},
		{"-1 < 0", OUTCOME_PASS},
		{"bw > 99MB/s", OUTCOME_PASS},
		{"50ppm < 0.01%", OUTCOME_PASS},
		{"gone == 0", OUTCOME_NOT_APPLICABLE},
		{"untold == 0", OUTCOME_CANNOT_TELL},
		{"untold == 0 or zeros == 0", OUTCOME_PASS},
		{"untold == 0 or zeros == 1", OUTCOME_CANNOT_TELL},
		{"untold == 0 and zeros == 1", OUTCOME_FAIL},
		{"zeros == 1 or zeros == 0 and max < 1s", OUTCOME_PASS},
		{"gone == 0 or zeros == 1", OUTCOME_FAIL},
		{"gone == 0 and zeros == 0", OUTCOME_PASS},
		{"untold / 0 > 1", OUTCOME_CANNOT_TELL},
		{"0 / zeros > 1", OUTCOME_CANNOT_TELL},
		{"\tzeros\t==\t0\t", OUTCOME_PASS},
		{"3ms - 1ms == 2ms", OUTCOME_PASS},
		{"iops - 10 <= 950", OUTCOME_PASS},
		{"1000 - iops <= 60", OUTCOME_PASS},
		{"1000 - iops <= 59", OUTCOME_CANNOT_TELL},
		{"iops - iops == 0", OUTCOME_CANNOT_TELL}, /* neither knows of the other */
		{"iops == iops", OUTCOME_CANNOT_TELL},
		{"950 == iops", OUTCOME_CANNOT_TELL},
		{"90% + 5% > 94%", OUTCOME_PASS},
		{"90% + 1 > 1.8", OUTCOME_PASS},
		{"max / 3 == 3ms", OUTCOME_PASS},
		{"3 * max == 27ms", OUTCOME_PASS},
		{"max * 3 == 27ms", OUTCOME_PASS},
		{"bw / bw == 1", OUTCOME_PASS},
		{"7MB > 6MiB", OUTCOME_PASS},
		{"0 == gone", OUTCOME_NOT_APPLICABLE},
		{"untold == gone", OUTCOME_NOT_APPLICABLE},
		{"gone == 0 or gone == 0", OUTCOME_NOT_APPLICABLE},
		{"0 == untold", OUTCOME_CANNOT_TELL},
		{"zeros == 0 and gone == 0", OUTCOME_PASS},
		{"zeros == 0 and untold == 0", OUTCOME_CANNOT_TELL},
		{"untold == 0 and zeros == 0", OUTCOME_CANNOT_TELL},
		{"zeros == 0 and zeros == 1", OUTCOME_FAIL},
		{"zeros == 1 or gone == 0", OUTCOME_FAIL},
		{"zeros == 1 or untold == 0", OUTCOME_CANNOT_TELL},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct check_result result;
		struct err err = {0};

		if (check_judge(cases[i].text, &figures, &result, &err))
			fail_msg("%s: %s", cases[i].text, err.text);
		if (result.outcome != cases[i].outcome)
			fail_msg("%s: %s, not %s", cases[i].text, outcome_name(result.outcome),
				 outcome_name(cases[i].outcome));
	}
}

static void errors_name_place_and_remedy(void **state)
{
	static const char *const cases[][2] = {
		{"p99.9 < 5",
		 "column 9: a time is compared with a number: write it as in \"5ms\""},
		{"p99.9 < 5lightyears", "column 10: \"lightyears\" is no unit"},
		{"p99.9", "column 6: one of < <= > >= == != belongs here"},
		{"p99.9 <", "column 8: the end: a figure or a number belongs here"},
		{"nosuch < 5", "column 1: there is no figure \"nosuch\""},
		{"max + zeros < 5ms", "a time and a number do not add up"},
		{"max * max < 5ms", "a time times a time is nothing"},
		{"(1 + 2 == 3", "\")\" is missing"},
		{"1.2.3 < 4", "\"1.2.3\" is not a number"},
		{"zeros == 0 xor 1 == 1", "\"xor"},
		{"((((((((((((((((((1))))))))))))))))))", "brackets inside one another"},
		{"", "the end"},
		{"11111111111111111111111111111111111111111111111111111111111111111111 < 4",
		 "a number of 68 digits: write at most"},
		{"a_name_longer_than_any_figure_has_by_far_and_then_some_more_of_it < 4",
		 "is no figure"},
		{"twice(1ms == 3ms", "\")\" is missing after the argument of \"twice\""},
		{"twice( == 3ms", "a figure or a number belongs here"},
		{"twice(nosuch) == 3ms", "column 7: there is no figure \"nosuch\""},
		{"1 < <", "column 5: "},
		{"1 + < 3", "column 5: "},
		{"1 * < 3", "column 5: "},
		{"1ms / 3MB < 1", "a time cannot be divided by"},
		{"1 / 3ms < 1", "a number cannot be divided by a time"},
		{"1 == 1 and 1 == 1 and 1 == 1 and 1 == 1 and 1 == 1 and 1 == 1 and 1 == 1 "
		 "and 1 == 1 and 1 == 1",
		 "more than 8 comparisons: write several checks"},
		{"zeros == 0 and", "the end: a figure or a number belongs here"},
		{"zeros == 0 or", "the end: a figure or a number belongs here"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct check_result result;
		struct err err = {0};

		assert_int_not_equal(check_judge(cases[i][0], &figures, &result, &err), 0);
		if (!strstr(err.text, cases[i][1]))
			fail_msg("%s: \"%s\" lacks \"%s\"", cases[i][0], err.text, cases[i][1]);
		assert_int_equal(err.kind, ERR_INPUT);
	}
}

static void values_are_shown_with_their_unit(void **state)
{
	static const struct {
		struct check_value value;
		const char *text;
	} cases[] = {
		{{.unit = CHECK_TIME, .value = 4.2e6}, "4.20 ms"},
		{{.value = 0.95, .share = true}, "95 %"},
		{{.value = 1e-6, .share = true}, "1 ppm"},
		{{.value = 12345}, "12,345"},
		{{.unit = CHECK_BYTES_PER_S, .value = 1.23e9}, "1.23 GB/s"},
		{{.unit = CHECK_BYTES, .value = 65536}, "64 KiB"},
		{{.unit = CHECK_PER_HOUR, .value = 3.5}, "3.5 per hour"},
		{{.value = 0, .share = true}, "0 %"},
		{{.value = 0.5}, "0.500"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		autostr out = {0};

		check_format(&cases[i].value, &out);
		assert_string_equal(str_text(&out), cases[i].text);
	}
}

static uint64_t a_thousand(void *ctx, const struct check_figure *figure, double limit)
{
	(void)ctx;
	assert_string_equal(figure->name, "p99.9");
	assert_true(limit == 5e6);
	return 1000;
}

static void how_many_it_takes_is_asked_where_samples_are_the_reason(void **state)
{
	const struct check_figures counting = {.find = find, .needs = a_thousand};
	struct check_result result;

	(void)state;
	assert_int_equal(check_judge("p99.9 < 5ms", &counting, &result, NULL), 0);
	assert_int_equal(result.comparisons[0].needs, 1000);
	/* Decided, not told, or no plain figure: nobody is asked. */
	assert_int_equal(check_judge("max < 5ms", &counting, &result, NULL), 0);
	assert_int_equal(check_judge("untold < 5", &counting, &result, NULL), 0);
	assert_int_equal(check_judge("iops < untold", &counting, &result, NULL), 0);
	assert_int_equal(check_judge("2 * p99.9 < 8ms", &counting, &result, NULL), 0);
	assert_int_equal(result.comparisons[0].needs, 0);
}

static void a_number_alone_is_one_with_its_unit(void **state)
{
	static const char *const wrong[] = {"fast", "5lightyears", "1 or 1", "5 < 6", ""};
	struct check_value value;

	(void)state;
	assert_int_equal(check_number("90000", &value, NULL), 0);
	assert_true(value.unit == CHECK_NUMBER && value.value == 90000);
	assert_int_equal(check_number("2GB/s", &value, NULL), 0);
	assert_true(value.unit == CHECK_BYTES_PER_S && value.value == 2e9);
	assert_int_equal(check_number("5ms", &value, NULL), 0);
	assert_true(value.unit == CHECK_TIME && value.value == 5e6);
	for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct err err = {0};

		if (!check_number(wrong[i], &value, &err))
			fail_msg("\"%s\" was taken for a number", wrong[i]);
		assert_int_equal(err.kind, ERR_INPUT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decisions_use_both_bounds),
		cmocka_unit_test(errors_name_place_and_remedy),
		cmocka_unit_test(values_are_shown_with_their_unit),
		cmocka_unit_test(how_many_it_takes_is_asked_where_samples_are_the_reason),
		cmocka_unit_test(a_number_alone_is_one_with_its_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
