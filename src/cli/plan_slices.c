/* A soak, slice by slice: what each measured, and how it was judged. */
#include <stdio.h>

#include "base/lang.h"
#include "cli/plan_page_priv.h"
#include "report/cells_page.h"
#include "report/figures.h"
#include "stat/check.h"

#define BRIEF_SLICES 24 /* of more, a terminal is shown those that did not pass */

static const enum cell_metric shown[] = {CELL_IOS_PER_S, CELL_BYTES_PER_S, CELL_MEAN_NS,
					 CELL_P99_NS, CELL_MAX_NS};

/* The worst of its checks, and which. NOT_APPLICABLE: there is none. */
static enum outcome judge(const struct plan_lane *lane, const struct plan_entry *entry,
			  struct plan_verdict *ret_worst)
{
	const struct plan_step *step = &lane->plan->steps[entry->task.step];
	enum outcome worst = OUTCOME_NOT_APPLICABLE;

	for (unsigned c = 0; c < step->nchecks; c++) {
		struct plan_verdict one;

		if (plan_slice_judge(lane, &step->checks[c], entry, &one))
			continue; /* it was tried before anything ran */
		if (worst == OUTCOME_FAIL ||
		    (worst != OUTCOME_NOT_APPLICABLE && one.outcome == OUTCOME_PASS))
			continue;
		worst = one.outcome;
		*ret_worst = one;
	}
	return worst;
}

static void add_slice(struct document *doc, struct table *table, const struct plan_entry *entry,
		      const struct plan_verdict *worst, enum outcome outcome)
{
	table_cell(doc, table, "%u", entry->task.round + 1);
	table_cell(doc, table, "%s", figure_when(doc, entry->began_unix_ns));
	for (unsigned m = 0; m < ARRAY_SIZE(shown); m++)
		table_cell(
			doc, table, "%s",
			cells_value(doc, shown[m], entry->figures.value[PLAN_ALL][shown[m]]));
	if (outcome == OUTCOME_NOT_APPLICABLE)
		table_cell(doc, table, "–");
	else if (outcome == OUTCOME_PASS)
		table_cell(doc, table, "%s", outcome_name(outcome));
	else
		table_cell(doc, table, "%s, %s", outcome_name(outcome), worst->text);
}

void plan_slices_table(struct document *doc, const struct plan_view *view,
		       const struct plan_lane *lane, unsigned number)
{
	const struct plan_entry *entry;
	struct table table = {0};
	unsigned from = 0, count = 0, left_out = 0;

	while (plan_entry_next(lane, number, &from))
		count++;
	table.head[table.columns++] = N_("slice");
	table.head[table.columns++] = N_("began");
	for (unsigned m = 0; m < ARRAY_SIZE(shown); m++)
		table.head[table.columns++] =
			document_text(doc, "%s (%s)", cell_metrics[shown[m]].name,
				      cell_metrics[shown[m]].unit);
	table.head[table.columns++] = N_("judged");
	for (from = 0; (entry = plan_entry_next(lane, number, &from));) {
		struct plan_verdict worst;
		enum outcome outcome = judge(lane, entry, &worst);

		if (view->brief && count > BRIEF_SLICES &&
		    (outcome == OUTCOME_PASS || outcome == OUTCOME_NOT_APPLICABLE))
			left_out++;
		else
			add_slice(doc, &table, entry, &worst, outcome);
	}
	if (left_out < count)
		document_table(doc, &table);
	if (left_out)
		document_prose(
			doc, TONE_PLAIN,
			PLURAL(count,
			       "%u of %u slice is not shown here: none of its checks failed.",
			       "%u of %u slices are not shown here: none of their checks "
			       "failed."),
			left_out, count);
}

bool plan_slice_words(const struct plan_lane *lane, const struct plan_entry *entry,
		      struct str *out)
{
	const struct plan_step *step = &lane->plan->steps[entry->task.step];
	struct plan_verdict worst;
	enum outcome outcome;

	if (step->kind != PLAN_SOAK || entry->state == PLAN_SKIPPED)
		return false;
	outcome = judge(lane, entry, &worst);
	if (outcome != OUTCOME_FAIL)
		return false;
	str_printf(out, "%s, slice %u: %s, %s", step->name, entry->task.round + 1,
		   outcome_name(outcome), worst.text);
	return true;
}
