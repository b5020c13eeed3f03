#include "report/gate_page.h"

#include <math.h>

#include "base/json.h"
#include "base/lang.h"
#include "report/cells_page.h"
#include "report/figures.h"
#include "report/lineup_page.h"

static const char *worse_text(struct document *doc, const struct gate_item *item)
{
	if (isnan(item->worse))
		return "–";
	return document_text(doc, "%+.1f %%", 100 * item->worse);
}

static const char *why_text(struct document *doc, const struct gate_item *item)
{
	if (item->outcome != GATE_CANNOT_TELL)
		return document_text(doc, "%.3g", item->p);
	if (isnan(item->ratio.log_error))
		return N_("one run a side");
	if (item->runs_more)
		return document_text(doc,
				     PLURAL(item->runs_more, "%.2g; about %u more run a side",
					    "%.2g; about %u more runs a side"),
				     item->p, item->runs_more);
	return document_text(doc, "%.2g", item->p);
}

/* A verdict on two runs says nothing of what a repetition would give. */
static const char *verdict_text(struct document *doc, const struct gate_item *item)
{
	const char *outcome = gate_outcome_name(item->outcome);

	return item->ratio.of_pair ? document_text(doc, "%s, of this pair alone",
						   document_say(doc, outcome))
				   : outcome;
}

static unsigned count_pairs(const struct gate_report *report)
{
	unsigned count = 0;

	for (unsigned i = 0; i < report->count; i++)
		count += report->items[i].ratio.of_pair;
	return count;
}

void gate_page(struct document *doc, const struct gate_report *report)
{
	static const char *const heads[] = {
		N_("figure"), N_("baseline"), N_("new"), N_("worse by"), "margin",
		"p",	      "verdict",      NULL};
	enum gate_outcome all = report->outcome;
	unsigned of[3] = {0};
	struct table table;

	document_heading(doc, 1, "gate: %s against %s", report->lineup->names[1],
			 report->lineup->names[0]);
	lineup_marks(doc, report->lineup);
	table_init(&table, heads);
	for (unsigned i = 0; i < report->count; i++) {
		const struct gate_line *line = &report->lines[i];
		const struct gate_item *item = &report->items[i];

		of[item->outcome]++;
		table_cell(doc, &table, "%s, %s", line->cell->key,
			   cell_metrics[line->metric].name);
		table_cell(doc, &table, "%s", cells_value(doc, line->metric, line->baseline));
		table_cell(doc, &table, "%s", cells_value(doc, line->metric, line->fresh));
		table_cell(doc, &table, "%s", worse_text(doc, item));
		table_cell(doc, &table, "%.3g %%", 100 * item->margin);
		table_cell(doc, &table, "%s", why_text(doc, item));
		table_cell(doc, &table, "%s", verdict_text(doc, item));
	}
	document_table(doc, &table);
	if (count_pairs(report))
		document_prose(
			doc, TONE_INFO,
			PLURAL(report->count,
			       "%u of %u figure is of this pair of runs alone: how sure it is "
			       "is taken from "
			       "the runs' own intervals, and how much a repetition would "
			       "differ is not "
			       "known (6 runs each, A B B A)",
			       "%u of %u figures are of this pair of runs alone: how sure they "
			       "are "
			       "is taken from the runs' own intervals, and how much a "
			       "repetition "
			       "would differ is not known (6 runs each, A B B A)"),
			count_pairs(report), report->count);
	document_prose(
		doc, TONE_VERDICT,
		PLURAL(of[GATE_PASS],
		       "%s: %u figure passes, %u fail, of %u it cannot be told (95 %%, all "
		       "together).",
		       "%s: %u figures pass, %u fail, of %u it cannot be told (95 %%, all "
		       "together)."),
		gate_outcome_name(all), of[GATE_PASS], of[GATE_FAIL], of[GATE_CANNOT_TELL]);
}

void gate_json(const struct gate_report *report, struct str *out)
{
	struct json json;

	json_init(&json, out);
	json_open_object(&json, NULL);
	json_add_string(&json, "baseline", report->lineup->names[0]);
	json_add_string(&json, "new", report->lineup->names[1]);
	json_add_string(&json, "outcome", gate_outcome_name(report->outcome));
	json_add_text(&json, "baseline_incomplete", report->lineup->incomplete[0]);
	json_add_text(&json, "new_incomplete", report->lineup->incomplete[1]);
	json_open_array(&json, "figures");
	for (unsigned i = 0; i < report->count; i++) {
		const struct gate_line *line = &report->lines[i];
		const struct gate_item *item = &report->items[i];

		json_open_object(&json, NULL);
		json_add_string(&json, "cell", line->cell->key);
		json_add_string(&json, "metric", cell_metrics[line->metric].column);
		json_add_double(&json, "baseline", line->baseline);
		json_add_double(&json, "new", line->fresh);
		json_add_u64(&json, "runs_baseline", line->runs_baseline);
		json_add_u64(&json, "runs_new", line->runs_fresh);
		json_add_double(&json, "ratio", item->ratio.value);
		json_add_double(&json, "low", item->ratio.low);
		json_add_double(&json, "high", item->ratio.high);
		json_add_double(&json, "worse_by", item->worse);
		json_add_double(&json, "margin", item->margin);
		json_add_double(&json, "p_adjusted", item->p);
		json_add_u64(&json, "runs_more", item->runs_more);
		json_add_bool(&json, "of_pair_alone", item->ratio.of_pair);
		json_add_string(&json, "outcome", gate_outcome_name(item->outcome));
		json_close_object(&json);
	}
	json_close_array(&json);
	json_close_object(&json);
	str_add_char(out, '\n');
}

static void xml_text(struct str *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			str_add(out, "&lt;");
		else if (*text == '&')
			str_add(out, "&amp;");
		else if (*text == '"')
			str_add(out, "&quot;");
		else if ((unsigned char)*text >= ' ')
			str_add_char(out, *text);
	}
}

/* Why it cannot be told; the whole of it where `item` is NULL. */
static void junit_why(const struct gate_report *report, const struct gate_item *item,
		      struct str *out)
{
	const struct lineup *lineup = report->lineup;

	str_add(out, "cannot tell");
	if (item && isnan(item->ratio.value))
		str_add(out, ": no ratio of these values");
	else if (item && isnan(item->ratio.log_error))
		str_add(out, ": one run on a side");
	else if (item)
		str_printf(out, ": p %.2g", item->p);
	if (item && item->runs_more)
		str_printf(out, "; about %u more run%s a side", item->runs_more,
			   item->runs_more == 1 ? "" : "s");
	for (unsigned i = 0; i < 2; i++)
		if (lineup->incomplete[i])
			str_printf(out, "; %s is not complete: %s", lineup->names[i],
				   lineup->incomplete[i]);
}

static void junit_skipped(const struct gate_report *report, const struct gate_item *item,
			  struct str *out)
{
	autostr why = {0};

	junit_why(report, item, &why);
	str_add(out, "<skipped message=\"");
	xml_text(out, str_text(&why));
	str_add(out, "\"/>");
}

/* What cannot be told is skipped, not failed: the exit code says which it is. */
void gate_junit(const struct gate_report *report, struct str *out)
{
	unsigned of[3] = {0};
	bool whole; /* no figure is skipped, and yet it is no pass */

	for (unsigned i = 0; i < report->count; i++)
		of[report->items[i].outcome]++;
	whole = report->outcome == GATE_CANNOT_TELL && !of[GATE_CANNOT_TELL];
	str_add(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"assay gate ");
	xml_text(out, report->lineup->names[1]);
	str_printf(out, "\" tests=\"%u\" failures=\"%u\" skipped=\"%u\">\n",
		   report->count + whole, of[GATE_FAIL], of[GATE_CANNOT_TELL] + whole);
	for (unsigned i = 0; i < report->count; i++) {
		const struct gate_item *item = &report->items[i];

		str_add(out, "  <testcase classname=\"");
		xml_text(out, report->lines[i].cell->key);
		str_printf(out, "\" name=\"%s\">", cell_metrics[report->lines[i].metric].name);
		if (item->outcome == GATE_FAIL)
			str_printf(out,
				   "<failure message=\"worse by %.1f %%, margin %.3g %%\"/>",
				   100 * item->worse, 100 * item->margin);
		else if (item->outcome == GATE_CANNOT_TELL)
			junit_skipped(report, item, out);
		if (item->ratio.of_pair)
			str_add(out, "<system-out>of this pair of runs alone</system-out>");
		str_add(out, "</testcase>\n");
	}
	if (whole) {
		str_add(out, "  <testcase classname=\"assay gate\" name=\"whole\">");
		junit_skipped(report, NULL, out);
		str_add(out, "</testcase>\n");
	}
	str_add(out, "</testsuite>\n");
}
