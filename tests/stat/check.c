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
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		autostr out = {0};

		check_format(&cases[i].value, &out);
		assert_string_equal(str_text(&out), cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decisions_use_both_bounds),
		cmocka_unit_test(errors_name_place_and_remedy),
		cmocka_unit_test(values_are_shown_with_their_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
