#include "unit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "job/expand.h"

static int64_t calculated(const char *text)
{
	struct err err = {0};
	int64_t value = 0;

	if (expand_calculate(text, &value, &err))
		fail_msg("%s: %s", text, err.text);
	return value;
}

static void expression_follows_the_usual_precedence(void **state)
{
	(void)state;
	assert_int_equal(calculated("7"), 7);
	assert_int_equal(calculated("2+3*4"), 14);
	assert_int_equal(calculated("(2+3)*4"), 20);
	assert_int_equal(calculated("20-3-4"), 13);
	assert_int_equal(calculated("100/7/2"), 7);
	assert_int_equal(calculated("2^3^2"), 512);
	assert_int_equal(calculated("2*3^2"), 18);
	assert_int_equal(calculated("-2^2"), 4); /* bc: the sign binds first */
	assert_int_equal(calculated("17%5*2"), 4);
	assert_int_equal(calculated(" 4096 / 2 - 3 * 2 "), 2042);
	assert_int_equal(calculated("-(-3)"), 3);
	assert_int_equal(calculated("-7/2"), -3);
	assert_int_equal(calculated("(0-1)^9000000000000000000"), 1);
	assert_int_equal(calculated("0^0"), 1);
}

static void expression_refuses_what_has_no_value(void **state)
{
	static const char *const wrong[] = {
		"",
		"+",
		"2+",
		"(2",
		"2)",
		"2 3",
		"1/0",
		"1%0",
		"2^-1",
		"2^64",
		"9223372036854775808",
		"9223372036854775807+1",
		"4k",
		"0x10",
		"*3",
		"()",
		"x",
		"0-9223372036854775807-2",
		"2^63*2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = {0};
		int64_t value = 77;

		assert_int_equal(expand_calculate(wrong[i], &value, &err), -EINVAL);
		assert_int_equal(value, 77);
		assert_true(err.text[0] != '\0');
	}
}

static void expression_of_great_depth_is_an_error(void **state)
{
	char text[2001];
	struct err err = {0};
	int64_t value;

	(void)state;
	memset(text, '(', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(expand_calculate(text, &value, &err), -EINVAL);
	assert_non_null(strstr(err.text, "deeper"));
}

/* A random sum of products, its value computed while it is written. */
static void expression_equals_the_sum_it_was_made_from(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 20261, 0);
	for (int round = 0; round < 2000; round++) {
		unsigned terms = 1 + (unsigned)rng_below(&rng, 6);
		autostr text = {0};
		int64_t want = 0;

		for (unsigned t = 0; t < terms; t++) {
			int64_t a = (int64_t)rng_below(&rng, 1000),
				b = (int64_t)rng_below(&rng, 99);
			bool minus = t && rng_below(&rng, 2), paren = rng_below(&rng, 2);

			str_add(&text, t ? minus ? "-" : "+" : "");
			str_printf(&text,
				   paren ? "(%" PRId64 "*%" PRId64 ")"
					 : "%" PRId64 " * %" PRId64,
				   a, b);
			want += minus ? -a * b : a * b;
		}
		assert_int_equal(calculated(str_text(&text)), want);
	}
}

static int expand(const char *value, enum face face, char *ret, size_t bytes, struct err *err)
{
	autostr text = {0};
	int rc = expand_value(value, face, &text, err);

	(void)snprintf(ret, bytes, "%s", str_text(&text));
	return rc;
}

static void assert_expands(const char *value, enum face face, const char *want)
{
	struct err err = {0};
	char text[200];

	if (expand(value, face, text, sizeof(text), &err))
		fail_msg("%s: %s", value, err.text);
	assert_string_equal(text, want);
}

static void assert_fails(const char *value, enum face face, const char *part)
{
	struct err err = {0};
	char text[200];

	assert_int_equal(expand(value, face, text, sizeof(text), &err), -EINVAL);
	if (!strstr(err.text, part))
		fail_msg("\"%s\" has no \"%s\"", err.text, part);
}

static void variable_is_replaced_in_both_faces(void **state)
{
	(void)state;
	assert_int_equal(setenv("ASSAY_T", "16k", 1), 0);
	assert_int_equal(unsetenv("ASSAY_NOT"), 0);
	for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++) {
		assert_expands("${ASSAY_T}", face, "16k");
		assert_expands("x${ASSAY_T}${ASSAY_T}y", face, "x16k16ky");
		assert_expands("$ASSAY_T $jobname.$filenum", face,
			       "$ASSAY_T $jobname.$filenum");
		assert_expands("plain", face, "plain");
		assert_expands("", face, "");
	}
	/* Debian's fio 3.33: filename=${NOPE}x is x; bs=${FOO stays as it stands. */
	assert_expands("${ASSAY_NOT}x", FACE_FIO, "x");
	assert_expands("${ASSAY_T", FACE_FIO, "${ASSAY_T");
	assert_fails("${ASSAY_NOT}x", FACE_NATIVE, "ASSAY_NOT");
	assert_fails("a${ASSAY_T", FACE_NATIVE, "\"}\" is missing");
}

static void value_of_a_variable_is_not_expanded_again(void **state)
{
	(void)state;
	assert_int_equal(setenv("ASSAY_T", "$ncpus*${HOME}", 1), 0);
	assert_expands("${ASSAY_T}", FACE_FIO, "$ncpus*${HOME}");
}

static void words_are_numbers_and_can_be_calculated_with(void **state)
{
	long page = sysconf(_SC_PAGESIZE), cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char want[40];

	(void)state;
	for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++) {
		(void)snprintf(want, sizeof(want), "%ld", page);
		assert_expands("$pagesize", face, want);
		(void)snprintf(want, sizeof(want), "%ld", cpus * 2);
		assert_expands("$ncpus*2", face, want);
		assert_expands("2 * $ncpus", face, want);
		(void)snprintf(want, sizeof(want), "%ld", (4 + cpus) * page);
		assert_expands("(4+$ncpus)*$pagesize", face, want);
		(void)snprintf(want, sizeof(want), "%ld%%", cpus);
		assert_expands("$ncpus%", face, want);
		assert_fails("$ncpus/0+3", face, "zero");
		assert_expands("3*4", face, "3*4"); /* no word: not an expression */
	}
	/* fio hands "/x/2" to bc and fails; natively it is a path. */
	assert_fails("/x/$ncpus", FACE_FIO, "expression");
	assert_fails("$pagesize*4k", FACE_FIO, "does not belong");
	(void)snprintf(want, sizeof(want), "/x/%ld", cpus);
	assert_expands("/x/$ncpus", FACE_NATIVE, want);
	(void)snprintf(want, sizeof(want), "/%ld", cpus);
	assert_expands("/$ncpus", FACE_NATIVE, want);
	assert_expands("$ncpusx", FACE_NATIVE, "$ncpusx");
}

static const char *own_name(void *arg, const char *name)
{
	return str_equal(name, "mine") ? arg : NULL;
}

static void own_names_come_before_the_environment(void **state)
{
	char value[] = "42";
	const struct expand_names names = {.find = own_name, .arg = value};
	struct err err = {0};
	autostr text = {0};

	(void)state;
	setenv("mine", "7", 1);
	setenv("other", "8", 1);
	assert_int_equal(
		expand_value_with("${mine} ${other}", FACE_NATIVE, &names, &text, &err), 0);
	assert_string_equal(str_text(&text), "42 8");
	unsetenv("mine");
	unsetenv("other");
	assert_int_equal(expand_value_with("${other}", FACE_NATIVE, &names, &text, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "--set other=VALUE"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expression_follows_the_usual_precedence),
		cmocka_unit_test(expression_refuses_what_has_no_value),
		cmocka_unit_test(expression_of_great_depth_is_an_error),
		cmocka_unit_test(expression_equals_the_sum_it_was_made_from),
		cmocka_unit_test(variable_is_replaced_in_both_faces),
		cmocka_unit_test(value_of_a_variable_is_not_expanded_again),
		cmocka_unit_test(words_are_numbers_and_can_be_calculated_with),
		cmocka_unit_test(own_names_come_before_the_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
