/* Sides by cell for programs: CSV and JSON. */
#include <math.h>

#include "base/json.h"
#include "report/lineup_page.h"

static void quoted(struct str *out, const char *text)
{
	str_add_char(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			str_add_char(out, '"');
		str_add_char(out, *text);
	}
	str_add_char(out, '"');
}

void lineup_csv(const struct lineup *lineup, struct str *out)
{
	str_add(out, "cell,side,metric,runs,value,ratio_to_first,low,high\n");
	for (unsigned c = 0; c < lineup->ncells; c++)
		for (unsigned side = 0; side < lineup->nsides; side++)
			for (enum cell_metric m = 0; m < NCELL_METRIC; m++) {
				const struct lineup_cell *cell = &lineup->cells[c];
				struct ratio ratio = lineup_ratio(lineup, cell, 0, side, m);
				double value = lineup_value(lineup, cell, side, m);

				if (isnan(value))
					continue;
				quoted(out, cell->key);
				str_add_char(out, ',');
				quoted(out, lineup->names[side]);
				str_printf(out, ",%s,%u,%.6g", cell_metrics[m].column,
					   lineup_values(lineup, cell, side, m)->count, value);
				if (isnan(ratio.value))
					str_add(out, ",,,\n");
				else if (isnan(ratio.low))
					str_printf(out, ",%.6g,,\n", ratio.value);
				else
					str_printf(out, ",%.6g,%.6g,%.6g\n", ratio.value,
						   ratio.low, ratio.high);
			}
}

static void metric_json(struct json *json, const struct lineup *lineup,
			const struct lineup_cell *cell, unsigned side, enum cell_metric m)
{
	struct ratio ratio = lineup_ratio(lineup, cell, 0, side, m);

	json_open_object(json, cell_metrics[m].column);
	json_add_u64(json, "runs", lineup_values(lineup, cell, side, m)->count);
	json_add_double(json, "value", lineup_value(lineup, cell, side, m));
	json_add_double(json, "ratio_to_first", ratio.value);
	json_add_double(json, "low", ratio.low);
	json_add_double(json, "high", ratio.high);
	json_close_object(json);
}

void lineup_json(const struct lineup *lineup, struct str *out)
{
	struct json json;

	json_init(&json, out);
	json_open_object(&json, NULL);
	json_open_array(&json, "sides");
	for (unsigned side = 0; side < lineup->nsides; side++)
		json_add_string(&json, NULL, lineup->names[side]);
	json_close_array(&json);
	json_open_array(&json, "incomplete"); /* why; of each side */
	for (unsigned side = 0; side < lineup->nsides; side++)
		json_add_text(&json, NULL, lineup->incomplete[side]);
	json_close_array(&json);
	json_open_array(&json, "cells");
	for (unsigned c = 0; c < lineup->ncells; c++) {
		const struct lineup_cell *cell = &lineup->cells[c];

		json_open_object(&json, NULL);
		json_add_string(&json, "cell", cell->key);
		json_open_array(&json, "sides");
		for (unsigned side = 0; side < lineup->nsides; side++) {
			json_open_object(&json, NULL);
			for (enum cell_metric m = 0; m < NCELL_METRIC; m++)
				if (lineup_values(lineup, cell, side, m)->count)
					metric_json(&json, lineup, cell, side, m);
			json_close_object(&json);
		}
		json_close_array(&json);
		json_close_object(&json);
	}
	json_close_array(&json);
	json_close_object(&json);
	str_add_char(out, '\n');
}
