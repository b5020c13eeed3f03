#include "report/logs_page.h"

#include "base/lang.h"
#include "report/figures.h"

static const char *against_totals(struct document *doc, const struct log_result *log)
{
	switch (log->state) {
	case LOG_OPEN:
		return N_("not known: it was not closed");
	case LOG_AGREES:
		return N_("agree");
	case LOG_DIFFERS:
		return document_text(doc, "differ: the run has %s requests with %s",
				     figure_count(doc, log->ios),
				     figure_decimal(doc, log->ios_bytes));
	case LOG_UNCHECKED:
	case NLOG_STATES:
		break;
	}
	return N_("not checked: no row a request");
}

void logs_page(struct document *doc, const struct result *result)
{
	static const char *const heads[] = {N_("log"),
					    N_("kind"),
					    N_("rows"),
					    N_("bytes of their requests"),
					    N_("against the totals of the run"),
					    NULL};
	struct table table;
	bool any_open = false;

	table_init(&table, heads);
	for (unsigned i = 0; i < result->nlogs; i++) {
		const struct log_result *log = &result->logs[i];
		bool ended = log->state != LOG_OPEN;
		bool counted = ended && log->state != LOG_UNCHECKED;

		any_open |= !ended;
		table_cell(doc, &table, "%s", log->path);
		table_cell(doc, &table, "%s", log->kind);
		table_cell(doc, &table, "%s", ended ? figure_count(doc, log->rows) : "");
		table_cell(doc, &table, "%s",
			   counted ? figure_decimal(doc, log->rows_bytes) : "");
		table_cell(doc, &table, "%s", against_totals(doc, log));
	}
	if (!result->nlogs)
		return;
	document_heading(doc, 2, "logs");
	document_table(doc, &table);
	if (any_open)
		document_prose(
			doc, TONE_INFO,
			"A log that was not closed holds what was written by then: `assay "
			"log judge FILE` and `assay report FILE` read it.");
}
