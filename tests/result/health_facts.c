/* Health around a run: as JSON and back, and the lines that people get. */
#include <stdlib.h>

#include "base/json.h"
#include "result/health_json.h"
#include "result/health_lines.h"
#include "result/sample.h"
#include "unit.h"

static const struct health_line *line_of(const struct health_line *lines, unsigned count,
					 const char *title)
{
	for (unsigned i = 0; i < count; i++)
		if (str_equal(lines[i].title, title))
			return &lines[i];
	return NULL;
}

static void what_is_read_back_writes_the_same(void **state)
{
	struct health_facts *back;
	autostr out = {0}, again = {0};
	unsigned count;
	struct err err = {0};
	struct sample s;

	(void)state;
	sample_init(&s);
	sample_health(&s);
	s.result.facts.health->before.why_not[0] = 'x';
	health_json_text(s.result.facts.health, 1, &out);
	assert_int_equal(
		health_json_parse(&s.result.arena, str_text(&out), &back, &count, &err), 0);
	assert_int_equal(count, 1);
	health_json_text(back, count, &again);
	assert_string_equal(str_text(&out), str_text(&again));
	assert_true(back->before.value[HEALTH_PENDING] == HEALTH_UNKNOWN);
	assert_true(back->after.passed == ANSWER_NO);
	sample_done(&s);
}

static void what_was_not_asked_is_null_and_stays_unknown(void **state)
{
	struct health_facts drive = {.device = "sda"}, *back;
	autostr out = {0};
	struct arena arena;
	unsigned count;
	struct err err = {0};

	(void)state;
	arena_init(&arena);
	health_init(&drive.before, "");
	health_init(&drive.after, "");
	health_json_text(&drive, 1, &out);
	assert_string_equal(str_text(&out),
			    "[{\"device\": \"sda\", \"before\": null, \"after\": null}]");
	assert_int_equal(health_json_parse(&arena, str_text(&out), &back, &count, &err), 0);
	assert_true(!back->before.at_unix_ns && !back->after.at_unix_ns);
	assert_true(back->after.value[0] == HEALTH_UNKNOWN);
	arena_done(&arena);
}

static void what_is_no_health_is_an_error(void **state)
{
	static const char no_number[] = "[{\"device\": \"a\", \"after\": {\"at_unix_ns\": 1, "
					"\"values\": {\"host_reads\": \"many\"}}}]";
	static const char *const wrong[] = {"[", "[{\"before\": 5}]", no_number};
	struct health_facts *back;
	struct arena arena;
	unsigned count;

	(void)state;
	arena_init(&arena);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = {0};

		assert_true(health_json_parse(&arena, wrong[i], &back, &count, &err) < 0);
		assert_true(err.text[0]);
	}
	arena_done(&arena);
}

static void a_line_is_what_moved_or_tells_a_state(void **state)
{
	struct health_line lines[HEALTH_LINES_MAX];
	const struct health_line *line;
	struct sample s;
	unsigned count;

	(void)state;
	sample_init(&s);
	sample_health(&s);
	count = health_lines(s.result.facts.health, lines);
	line = line_of(lines, count, "written by the host");
	assert_non_null(line);
	assert_string_equal(line->before, "5 GB");
	assert_string_equal(line->change, "+2 GB");
	assert_string_equal(line_of(lines, count, "temperature")->change, "+14 C");
	line = line_of(lines, count, "reallocated sectors");
	assert_string_equal(line->before, "unknown");
	assert_string_equal(line->after, "3");
	assert_string_equal(line->change, "");
	assert_string_equal(line_of(lines, count, "write amplification")->change, "2.50");
	assert_null(line_of(lines, count, "powered on"));   /* it stood still */
	assert_null(line_of(lines, count, "media errors")); /* none, before and after */
	sample_done(&s);
}

static void a_counter_that_went_back_began_anew(void **state)
{
	struct health_line lines[HEALTH_LINES_MAX];
	struct sample s;
	unsigned count;

	(void)state;
	sample_init(&s);
	sample_health(&s);
	s.result.facts.health->after.value[HEALTH_HOST_WRITTEN_BYTES] = 1;
	count = health_lines(s.result.facts.health, lines);
	assert_string_equal(line_of(lines, count, "written by the host")->change, "began anew");
	assert_null(line_of(lines, count, "write amplification"));
	sample_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_back_writes_the_same),
		cmocka_unit_test(what_was_not_asked_is_null_and_stays_unknown),
		cmocka_unit_test(what_is_no_health_is_an_error),
		cmocka_unit_test(a_line_is_what_moved_or_tells_a_state),
		cmocka_unit_test(a_counter_that_went_back_began_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
