/* Other programs: what they say, how they end, and those that do not end. */
#include "base/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "unit.h"

static int shell(const char *script, uint64_t timeout_ns, struct program_end *ret_end,
		 struct err *err)
{
	const char *const argv[] = {"sh", "-c", script, NULL};

	return program_run(argv, timeout_ns, ret_end, err);
}

static void both_outputs_and_the_status_come_back(void **state)
{
	autoprogram end = {0};
	char text[40];

	(void)state;
	assert_int_equal(shell("echo out; echo ' why  not ' >&2; exit 7", 0, &end, NULL), 0);
	assert_int_equal(end.status, 7);
	assert_string_equal(str_text(&end.out), "out\n");
	assert_string_equal(program_complaint(&end, text, sizeof(text)), "why not");
}

static void a_mute_program_is_quoted_by_its_status(void **state)
{
	autoprogram end = {0}, killed = {0};
	char text[40];

	(void)state;
	assert_int_equal(shell("exit 3", 0, &end, NULL), 0);
	assert_string_equal(program_complaint(&end, text, sizeof(text)), "exit status 3");
	assert_int_equal(shell("kill -9 $$", 0, &killed, NULL), 0);
	assert_int_equal(killed.status, 128 + 9);
}

static void much_output_on_both_sides_does_not_block(void **state)
{
	autoprogram end = {0};

	(void)state;
	assert_int_equal(shell("i=0; while [ $i -lt 9 ]; do head -c 99999 /dev/zero; "
			       "head -c 99999 /dev/zero >&2; i=$((i+1)); done",
			       0, &end, NULL),
			 0);
	assert_int_equal(end.out.length, 9 * 99999);
	assert_int_equal(end.error.length, 9 * 99999);
}

static void it_has_no_input_and_speaks_c(void **state)
{
	autoprogram end = {0};

	(void)state;
	assert_int_equal(setenv("LC_ALL", "xx_XX.UTF-8", 1), 0);
	assert_int_equal(shell("cat; echo \"$LC_ALL\"", 0, &end, NULL), 0);
	assert_string_equal(str_text(&end.out), "C\n");
}

static void a_program_that_hangs_is_killed_with_its_children(void **state)
{
	autoprogram end = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(shell("sleep 100; sleep 100", 20 * NS_PER_MS, &end, &err), -ETIMEDOUT);
	assert_int_equal(err.kind, ERR_ENVIRONMENT);
}

static void one_that_is_missing_is_named(void **state)
{
	const char *const argv[] = {"no-such-program-here", NULL};
	autoprogram end = {0};
	struct err err = {0};
	autostr path = {0}, same = {0};

	(void)state;
	assert_int_equal(program_run(argv, 0, &end, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no-such-program-here"));
	assert_false(program_find("no-such-program-here", &path));
	assert_true(program_find("sh", &path));
	assert_true(program_find(str_text(&path), &same));
}

static void one_that_never_stops_talking_is_cut_off(void **state)
{
	autoprogram end = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(shell("cat /dev/zero", 0, &end, &err), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_outputs_and_the_status_come_back),
		cmocka_unit_test(a_mute_program_is_quoted_by_its_status),
		cmocka_unit_test(much_output_on_both_sides_does_not_block),
		cmocka_unit_test(it_has_no_input_and_speaks_c),
		cmocka_unit_test(a_program_that_hangs_is_killed_with_its_children),
		cmocka_unit_test(one_that_is_missing_is_named),
		cmocka_unit_test(one_that_never_stops_talking_is_cut_off),
	};

	return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
