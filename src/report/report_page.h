/*
 * The report: what was tested and how it came out, first; then the pictures, the tables behind
 * them, the environment, what to mind, and the job to run it again. One page a run, `assay
 * quick`, or log; its content is the same in every format.
 */
#pragma once

#include "report/judge_page.h"
#include "report/qos_graphs.h"
#include "report/quick_page.h"
#include "result/record.h"

struct report_run {
	struct record *record;
	const struct policy *policy; /* that its rows are judged by; NULL: none */
	const struct quick *quick; /* the record's, if it is one of `assay quick`; else NULL */
};
/* The parts of the record are written to only for what merging takes from their arenas. */
int report_run_page(struct document *doc, const struct report_run *run, struct err *err);

struct report_log {
	const char *name;
	const struct judged *judged;
	const struct density *density; /* NULL: no latencies */
	const struct slowest *slowest; /* NULL: not known */
	const struct closeup *closeup; /* NULL: none */
};
struct report_logs {
	const char *title;
	const struct report_log *logs; /* several have equal axes */
	unsigned nlogs;
};
void report_logs_page(struct document *doc, const struct report_logs *logs);
