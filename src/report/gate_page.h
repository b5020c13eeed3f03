/* What a gate decided: as a page, as JSON, as JUnit's XML. */
#pragma once

#include "report/document.h"
#include "result/lineup.h"
#include "stat/ratio.h"

/* One figure of one cell: side 0 is the baseline, side 1 the new one. */
struct gate_line {
	const struct lineup_cell *cell;
	enum cell_metric metric;
	double baseline, fresh;
	unsigned runs_baseline, runs_fresh;
};

struct gate_report {
	const struct lineup *lineup;
	struct gate_line *lines;
	struct gate_item *items; /* one a line */
	unsigned count;
	enum gate_outcome outcome; /* of all; never a pass where a side is not complete */
};

void gate_page(struct document *doc, const struct gate_report *report);
void gate_json(const struct gate_report *report, struct str *out);
void gate_junit(const struct gate_report *report, struct str *out);
