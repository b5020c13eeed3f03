/* The live line: what it says, and that it never is wider than asked. */
#include "report/live.h"

#include <string.h>

#include "base/bits.h"
#include "unit.h"

static const struct progress running = {
	.phase = PROGRESS_RUN,
	.elapsed_ns = 18 * NS_PER_S,
	.left_ns = 11300 * NS_PER_MS,
	.done_percent = 60,
	.running = 2,
	.waiting = 1,
	.finished = 1,
	.row = {.begin_ns = 17 * NS_PER_S,
		.end_ns = 18 * NS_PER_S,
		.dir = {{.ios = 12345,
			 .bytes = 12345 * 4096,
			 .p50_ns = 100000,
			 .p99_ns = 200000,
			 .max_ns = 300000},
			{.ios = 500, .bytes = 500 * 4096}}},
	.lat_p99_ns = 210000,
};

static void the_line_says_how_far_and_how_fast(void **state)
{
	autostr out = {0};

	(void)state;
	live_text(&running, 200, &out);
	assert_string_equal(str_text(&out),
			    "2 of 4 jobs, 60 %, 12 s left | read 12,345 IOPS 50.6 MB/s | "
			    "write 500 IOPS 2.05 MB/s | p99 210 us");
}

static void an_old_request_and_errors_come_before_the_rates(void **state)
{
	struct progress progress = running;
	autostr out = {0};

	(void)state;
	progress.phase = PROGRESS_DRAIN;
	progress.oldest_ns = 2300 * NS_PER_MS;
	progress.oldest_op = OP_WRITE;
	progress.errors = 3;
	memset(&progress.row.dir, 0, sizeof(progress.row.dir));
	progress.lat_p99_ns = 0;
	progress.left_ns = PROGRESS_UNKNOWN;
	progress.done_percent = -1;
	live_text(&progress, 200, &out);
	assert_string_equal(str_text(&out), "2 of 4 jobs, stopping | oldest write 2.30 s | "
					    "3 errors | 0 IOPS");
}

static void a_young_request_is_not_mentioned(void **state)
{
	struct progress progress = running;
	autostr out = {0};

	(void)state;
	progress.oldest_ns = 999 * NS_PER_MS;
	live_text(&progress, 200, &out);
	assert_null(strstr(str_text(&out), "oldest"));
}

/* 900 requests carry no p99: the slowest is what can be said. */
static void few_requests_show_the_slowest(void **state)
{
	struct progress progress = running;
	autostr out = {0};

	(void)state;
	progress.row.dir[DIR_READ].ios = 400;
	live_text(&progress, 200, &out);
	assert_null(strstr(str_text(&out), "p99"));
	assert_non_null(strstr(str_text(&out), " | max 300 us"));
}

static void layout_shows_bytes(void **state)
{
	const struct progress progress = {
		.phase = PROGRESS_LAYOUT, .layout_bytes = 300 * MiB, .layout_total_bytes = GiB};
	autostr out = {0};

	(void)state;
	live_text(&progress, 80, &out);
	assert_string_equal(str_text(&out), "laying out files: 300 MiB of 1 GiB");
}

static void it_is_cut_to_the_terminal(void **state)
{
	(void)state;
	for (unsigned columns = 0; columns < 120; columns++) {
		autostr out = {0};

		live_text(&running, columns, &out);
		assert_true(strlen(str_text(&out)) <= columns);
	}
}

static void json_is_one_line_with_units_in_its_keys(void **state)
{
	struct progress progress = running;
	autostr out = {0};

	(void)state;
	progress.oldest_ns = 5;
	progress.oldest_path = "/dev/\"x\"";
	live_json(&progress, &out);
	assert_int_equal(strcspn(str_text(&out), "\n"), out.length - 1);
	assert_non_null(strstr(str_text(&out), "\"left_ns\": 11300000000"));
	assert_non_null(strstr(str_text(&out), "\"p99_ns\": 210000"));
	assert_non_null(strstr(str_text(&out), "\"path\": \"/dev/\\\"x\\\"\""));
	assert_null(strstr(str_text(&out), "layout"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_says_how_far_and_how_fast),
		cmocka_unit_test(an_old_request_and_errors_come_before_the_rates),
		cmocka_unit_test(a_young_request_is_not_mentioned),
		cmocka_unit_test(few_requests_show_the_slowest),
		cmocka_unit_test(layout_shows_bytes),
		cmocka_unit_test(it_is_cut_to_the_terminal),
		cmocka_unit_test(json_is_one_line_with_units_in_its_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
