#include "report/cells_page.h"

#include <math.h>

#include "report/figures.h"

const char *cells_value(struct document *doc, enum cell_metric metric, double value)
{
	if (isnan(value))
		return "–";
	return figure_plain(doc, value * cell_metrics[metric].scale);
}

void cells_page(struct document *doc, const struct record *record)
{
	static const enum cell_metric shown[] = {CELL_IOS_PER_S, CELL_BYTES_PER_S, CELL_MEAN_NS,
						 CELL_P99_NS, CELL_MAX_NS};
	static const char *const heads[] = {N_("cell"),	      N_("IOPS"),   N_("MB/s"),
					    N_("mean us"),    N_("p99 us"), N_("max us"),
					    N_("as printed"), NULL};
	const struct fact facts[] = {{N_("what"), record->title},
				     {N_("from"), record->program}};
	struct table table;

	document_heading(doc, 1, "figures of others");
	document_facts(doc, facts, 2);
	table_init(&table, heads);
	for (unsigned i = 0; i < record->ncells; i++) {
		const struct record_cell *cell = &record->cells[i];

		table_cell(doc, &table, "%s", record_cell_key(&doc->arena, cell));
		for (unsigned k = 0; k < 5; k++)
			table_cell(doc, &table, "%s",
				   cells_value(doc, shown[k], cell->value[shown[k]]));
		table_cell(doc, &table, "%s", cell->printed ? cell->printed : "");
	}
	document_table(doc, &table);
	if (record->uncertain_percent > 0)
		document_prose(doc, TONE_INFO,
			       "printed figures: unit uncertain, within ±%.0f %%",
			       record->uncertain_percent);
}
