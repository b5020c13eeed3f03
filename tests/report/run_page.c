/* The native report against whole pages, and its promises as properties of the output. */
#include "report/run_page.h"

#include <errno.h>
#include <signal.h>

#include "report/golden.h"
#include "result/sample.h"

static const struct page_style utf8 = {.utf8 = true}, ascii = {.utf8 = false};

static void render(struct sample *s, const struct page_style *style, struct str *out)
{
	struct document doc;

	if (style)
		document_init_text(&doc, out, style);
	else
		document_init_markdown(&doc, out);
	run_page(&doc, &s->result);
	document_done(&doc);
}

static void a_plain_run_reads_as_written_down(void **state)
{
	struct sample s;
	autostr out = {0};

	(void)state;
	sample_init(&s);
	result_plausibility(&s.result);
	render(&s, &utf8, &out);
	check_golden("run.txt", str_text(&out));
	sample_done(&s);
}

static void a_rated_run_shows_service_and_response(void **state)
{
	struct sample s;
	autostr out = {0};

	(void)state;
	sample_init(&s);
	sample_stall(&s);
	sample_rate(&s);
	result_plausibility(&s.result);
	render(&s, &utf8, &out);
	check_golden("run-rated.txt", str_text(&out));
	sample_done(&s);
}

static void a_run_reads_the_same_in_markdown(void **state)
{
	struct sample s;
	autostr out = {0};

	(void)state;
	sample_init(&s);
	sample_stall(&s);
	result_plausibility(&s.result);
	render(&s, NULL, &out);
	check_golden("run.md", str_text(&out));
	sample_done(&s);
}

/* A drive that fails and hangs, stopped by Ctrl-C; a few requests only. */
static void make_it_bad(struct sample *s)
{
	static struct unfinished hung[] = {
		{.op = OP_READ, .offset = 8192, .age_ns = 12 * NS_PER_S, .bytes = 4096},
		{.op = OP_WRITE, .offset = 40960, .age_ns = 3 * NS_PER_S, .bytes = 4096},
	};
	struct job_result *job = &s->jobs[0];

	hung[0].path = hung[1].path = "/mnt/test/mixed.0.0";
	job->first_error = (struct first_error){.code = EIO,
						.op = OP_WRITE,
						.offset = 123456789504,
						.bytes = 4096,
						.path = "/mnt/test/mixed.0.0"};
	job->total_errors = job->dir[DIR_WRITE].errors = 17;
	job->unfinished = hung;
	job->nunfinished = 2;
	s->result.interrupted = true;
	s->result.signal = SIGINT;
	for (unsigned i = 0; i < SAMPLE_WORKERS; i++) {
		struct dir_result *write = &s->jobs[i].dir[DIR_WRITE];

		write->ios = 40;
		write->bytes = 40 * 4096;
		for (enum lat_kind kind = LAT_CLAT; kind < NLAT; kind++)
			sample_latency(s, &write->lat[kind], 400 * NS_PER_US, 40);
	}
}

static void a_bad_run_names_errors_and_what_hangs(void **state)
{
	struct sample s;
	autostr out = {0};

	(void)state;
	sample_init(&s);
	make_it_bad(&s);
	result_plausibility(&s.result);
	render(&s, &utf8, &out);
	check_golden("run-bad.txt", str_text(&out));
	sample_done(&s);
}

/* 80 requests: p99 needs 1000 and p99.9 10000, and neither is printed as a number. */
static void each_log_is_named_with_what_became_of_it(void **state)
{
	struct sample s;
	autostr out = {0};

	(void)state;
	sample_init(&s);
	sample_logs(&s);
	render(&s, NULL, &out);
	assert_non_null(
		strstr(str_text(&out), "| /data/a\\_lat.1.alog | lat | 90 | 369 kB | agree"));
	assert_non_null(strstr(str_text(&out), "| /data/a\\_clat.1.alog | clat | 89 | 365 kB | "
					       "differ: the run has 90 requests with 369 kB"));
	assert_non_null(
		strstr(str_text(&out),
		       "| /data/a\\_hist.1.alog | hist | 7 |  | not checked: no row a"));
	assert_non_null(
		strstr(str_text(&out),
		       "| /data/b\\_lat.2.alog | lat |  |  | not known: it was not closed"));
	assert_non_null(strstr(str_text(&out), "assay log judge FILE"));
	sample_done(&s);
}

static void percentiles_without_samples_say_what_they_need(void **state)
{
	struct sample s;
	autostr out = {0};

	(void)state;
	sample_init(&s);
	make_it_bad(&s);
	render(&s, &utf8, &out);
	assert_non_null(strstr(str_text(&out), "– (needs 1000)"));
	assert_non_null(strstr(str_text(&out), "– (needs 10000)"));
	sample_done(&s);
}

static void every_page_fits_80_columns_and_ascii_is_ascii(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 8; kind++) {
		struct sample s;
		autostr out = {0};
		unsigned column = 0;

		sample_init(&s);
		if (kind & 1)
			sample_stall(&s);
		if (kind & 2)
			sample_rate(&s);
		if (kind & 4)
			make_it_bad(&s);
		result_plausibility(&s.result);
		render(&s, &ascii, &out);
		for (const char *c = str_text(&out); *c; c++) {
			assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
			column = *c == '\n' ? 0 : column + 1;
			assert_true(column <= 80);
		}
		sample_done(&s);
	}
}

static void nothing_measured_is_said_and_not_zero(void **state)
{
	struct sample s;
	autostr out = {0};

	(void)state;
	sample_init(&s);
	for (unsigned i = 0; i < SAMPLE_WORKERS; i++)
		memset(s.jobs[i].dir, 0, sizeof(s.jobs[i].dir));
	s.result.nrows = 0;
	s.result.facts = (struct run_facts){0};
	result_plausibility(&s.result);
	render(&s, &utf8, &out);
	assert_non_null(strstr(str_text(&out), "nothing was measured"));
	assert_null(strstr(str_text(&out), "IOPS "));
	sample_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_run_reads_as_written_down),
		cmocka_unit_test(a_rated_run_shows_service_and_response),
		cmocka_unit_test(a_run_reads_the_same_in_markdown),
		cmocka_unit_test(a_bad_run_names_errors_and_what_hangs),
		cmocka_unit_test(each_log_is_named_with_what_became_of_it),
		cmocka_unit_test(percentiles_without_samples_say_what_they_need),
		cmocka_unit_test(every_page_fits_80_columns_and_ascii_is_ascii),
		cmocka_unit_test(nothing_measured_is_said_and_not_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
