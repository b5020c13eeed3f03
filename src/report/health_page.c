#include "report/health_page.h"

#include "base/str.h"
#include "result/health_lines.h"

static void drive_table(struct document *doc, const struct health_facts *health)
{
	const char *const heads[] = {document_text(doc, "%s: %s",
						   lang_text(doc->style.lang, N_("health")),
						   health->device),
				     N_("before"), N_("after"), N_("change"), NULL};
	struct health_line lines[HEALTH_LINES_MAX];
	unsigned count = health_lines(health, lines);
	struct table table;

	if (!count)
		return;
	table_init(&table, heads);
	for (unsigned i = 0; i < count; i++) {
		table_cell(doc, &table, "%s", lang_text(doc->style.lang, lines[i].title));
		table_cell(doc, &table, "%s", lines[i].before);
		table_cell(doc, &table, "%s", lines[i].after);
		table_cell(doc, &table, "%s", lines[i].change);
	}
	document_table(doc, &table);
}

void health_page(struct document *doc, const struct health_facts *health, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct health_facts *drive = &health[i];
		const char *why =
			*drive->after.why_not ? drive->after.why_not : drive->before.why_not;

		if (*why)
			document_prose(doc, TONE_INFO, "%s: health unknown: %s", drive->device,
				       why);
		drive_table(doc, drive);
	}
}
