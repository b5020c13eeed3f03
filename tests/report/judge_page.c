/* Verdicts as page, JSON and JUnit, on the synthetic run of qos_sample.h. */
#include "unit.h"

#include <string.h>

#include "report/judge_page.h"
#include "report/qos_sample.h"

static struct qos_sample stalled, good;

static void has(const struct str *out, const char *text)
{
	if (!strstr(str_text(out), text))
		fail_msg("\"%s\" is not in: ...%s", text,
			 str_text(out) + (out->length > 700 ? out->length - 700 : 0));
}

static void page(const struct judged *judged, struct str *out)
{
	const struct page_style style = {.utf8 = true, .columns = 400};
	struct document doc;

	document_init_text(&doc, out, &style);
	judge_page(&doc, judged);
	document_done(&doc);
}

static void the_page_names_value_limit_and_intervals(void **state)
{
	const struct judged judged = {
		.subject = "a log", .qos = &stalled.qos, .verdict = &stalled.verdict};
	autostr out = {0};

	(void)state;
	page(&judged, &out);
	has(&out, "zeros: fail");
	has(&out, "60.000 s to 62.201 s");
	has(&out, "longest time without a completion 2.20 s");
	has(&out, "stalls: fail");
	has(&out, "count_over(200ms) == 0");
	has(&out, "1 burst");
	has(&out, "not applicable"); /* trims */
	has(&out, "fail: 0 of 4 rules passed, 3 failed, 1 cannot be told");
}

static void a_short_run_says_what_it_lacks(void **state)
{
	const struct judged judged = {
		.subject = "a log", .qos = &good.qos, .verdict = &good.verdict};
	autostr out = {0};

	(void)state;
	page(&judged, &out);
	has(&out, "stalls: cannot tell");
	has(&out, "more requests like these would tell");
	has(&out, "zeros: pass");
}

static void json_has_bounds_and_spans(void **state)
{
	const struct judged judged = {
		.subject = "a log", .qos = &stalled.qos, .verdict = &stalled.verdict};
	autostr out = {0};

	(void)state;
	judge_json(&judged, "1", &out);
	has(&out, "\"outcome\" : \"fail\"");
	has(&out, "\"begin_s\" : 59.99");
	has(&out, "\"end_s\" : 62.2");
	has(&out, "\"partial_last\" : false");
}

static void junit_counts_and_escapes(void **state)
{
	const struct judged judged = {
		.subject = "a <log> & \"more\"", .qos = &good.qos, .verdict = &good.verdict};
	autostr out = {0};

	(void)state;
	judge_junit(&judged, &out);
	has(&out, "name=\"a &lt;log&gt; &amp; &quot;more&quot;\" tests=\"4\"");
	has(&out, "<error message=\"cannot tell: nothing takes longer than 200 ms\">");
	has(&out, "share_over(200ms) &lt; 1ppm: cannot tell, measured 0 %");
	has(&out, "name=\"zeros\"></testcase>");
}

static int make(void **state)
{
	(void)state;
	qos_sample_make(&stalled, 120, 1000, 60);
	qos_sample_make(&good, 80, 1000, 0);
	return 0;
}

static int done(void **state)
{
	(void)state;
	qos_sample_done(&stalled);
	qos_sample_done(&good);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_names_value_limit_and_intervals),
		cmocka_unit_test(a_short_run_says_what_it_lacks),
		cmocka_unit_test(json_has_bounds_and_spans),
		cmocka_unit_test(junit_counts_and_escapes),
	};

	return cmocka_run_group_tests(tests, make, done);
}
