/* A report of 24 hours of seconds: small enough to send, and written with little memory. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "report/day_sample.h"
#include "report/html.h"
#include "report/report_page.h"
#include "unit.h"

#define PAGE_BYTES_MAX 3000000
#define MEMORY_KIB_MAX (64 * 1024)

static void a_day_fits_into_3_mb_and_is_written_with_64(void **state)
{
	const struct html_head head = {.title = "a day"};
	struct report_run run = {0};
	struct record record;
	struct document doc;
	struct policy policy;
	struct rusage usage;
	struct arena arena;
	struct job_set set;
	struct sample s;
	autostr out = {0};

	(void)state;
	arena_init(&arena);
	assert_int_equal(
		policy_parse("default", policy_text("default"), NULL, &arena, &policy, NULL),
		0);
	day_init(&s, &set, &record);
	run.record = &record;
	run.policy = &policy;
	document_init_html(&doc, &out, &head);
	assert_int_equal(report_run_page(&doc, &run, NULL), 0);
	document_done(&doc);
	(void)getrusage(RUSAGE_SELF, &usage); /* cannot fail: a valid question */
	print_message("%zu bytes, %ld KiB\n", out.length, usage.ru_maxrss);
	assert_true(out.length <= PAGE_BYTES_MAX);
#ifndef ASSAY_DEBUG /* sanitizers' own memory is not ours */
	assert_true(usage.ru_maxrss <= MEMORY_KIB_MAX);
#endif
	assert_non_null(strstr(out.text, "54321 s to 54322 s, and")
				?: strstr(out.text, "54321.000 s"));
	day_done(&s, &set, &record);
	arena_done(&arena);
}

/* The same with a histogram a second, as runs have them, and with what the machine was asked: two
 * heat maps and five graphs more. The histograms
 * themselves are the result's memory, not the page's. */
static void heat_maps_of_a_day_fit_too(void **state)
{
	const struct html_head head = {.title = "a day"};
	struct report_run run = {0};
	struct record record;
	struct document doc;
	struct job_set set;
	struct sample s;
	autostr out = {0};

	(void)state;
	day_init(&s, &set, &record);
	day_histograms(&s);
	day_vitals(&s);
	run.record = &record;
	document_init_html(&doc, &out, &head);
	assert_int_equal(report_run_page(&doc, &run, NULL), 0);
	document_done(&doc);
	print_message("%zu bytes\n", out.length);
	assert_true(out.length <= PAGE_BYTES_MAX);
	assert_non_null(strstr(out.text, "<figure id=\"field-read\">"));
	assert_non_null(strstr(out.text, "<figure id=\"field-write\">"));
	assert_non_null(strstr(out.text, "<figure id=\"cpu\" class=\"half\">"));
	assert_non_null(strstr(out.text, "<figure id=\"power\" class=\"half\">"));
	day_done(&s, &set, &record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_day_fits_into_3_mb_and_is_written_with_64),
		cmocka_unit_test(heat_maps_of_a_day_fit_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
