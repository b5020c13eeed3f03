/* What a plan found, as a page: verdicts, tables of its cells, rounds, searches, notes. */
#pragma once

#include "cli/native.h"
#include "plan/journal.h"
#include "report/document.h"

/* The first run of the plan and its last one, for what stood around it all. */
struct plan_around {
	bool has;
	struct record first, last; /* without rows; released by plan_around_done() */
};

/* What the machine and the drives were like in all of a plan's runs, and how many requests those
 * did, over the plan's own time; of each piece of it the least and the greatest value. */
struct plan_vitals {
	struct arena arena;
	struct vitals vitals; /* two values a piece; no CPU by itself */
	float *rates;	      /* likewise: IOPS */
	double piece_s, end_s;
	bool has;
};

struct plan_view {
	const struct plan *plan;
	const struct plan_record *record; /* with rounds and verdicts */
	const struct plan_journal *journal;
	const struct plan_spec *spec;	  /* NULL none */
	const struct plan_around *around; /* NULL: not known */
	const struct plan_vitals *vitals; /* NULL: not known */
	bool brief; /* what a terminal shows: tables, no curves beside them */
};

/* The rounds of one tracked variable; `id` is the graph's, of letters, digits and "-". */
struct plan_rounds_view {
	const char *id, *title, *name;
	const struct plan_steady *steady;
	unsigned variable;
	enum cell_metric metric; /* what it tracks */
	const double *values;	 /* one a round */
};
void plan_rounds_graph(struct document *doc, const struct plan_rounds_view *view);

/* In the format that was asked for. */
int plan_emit(const struct plan_view *view, enum native_format format, const char *path,
	      struct err *err);

void plan_page(struct document *doc, const struct plan_view *view);
/* The page as a report's content (cli/report_priv.h): `view` is a struct plan_view. */
int plan_page_content(struct document *doc, void *view, struct err *err);
/* The same figures as JSON: one object. */
void plan_page_json(const struct plan_view *view, struct str *out);
/* The figures of all cells, a line a cell and direction. */
void plan_page_csv(const struct plan_view *view, struct str *out);
