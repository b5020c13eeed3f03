/* Writes the report of a synthetic day: usage: report_day FILE. Prints the CPU seconds of that. */
#include <stdio.h>
#include <time.h>

#include "base/file.h"
#include "report/day_sample.h"
#include "report/html.h"
#include "report/report_page.h"

static double cpu_s(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
	const struct html_head head = {.title = "a day"};
	struct report_run run = {0};
	struct record record;
	struct document doc;
	struct policy policy;
	struct arena arena;
	struct sample s;
	autostr out = {0};
	double begin;
	int rc;

	if (argc != 2)
		return 4;
	arena_init(&arena);
	rc = policy_parse("default", policy_text("default"), NULL, &arena, &policy, NULL);
	day_init(&s, &record);
	day_histograms(&s);
	run.record = &record;
	run.policy = &policy;
	begin = cpu_s();
	document_init_html(&doc, &out, &head);
	rc = rc ? rc : report_run_page(&doc, &run, NULL);
	document_done(&doc);
	rc = rc ? rc : file_replace(argv[1], str_text(&out), out.length);
	printf("%.3f\n", cpu_s() - begin);
	return rc ? 1 : 0;
}
