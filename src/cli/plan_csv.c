/* The figures of a plan for scripts and spreadsheets: a line a cell and direction, units in the
 * heads, plain numbers. */
#include <math.h>
#include <string.h>

#include "base/unit.h"
#include "cli/plan_page.h"

static void add_text(struct str *out, const char *text)
{
	bool quote = strpbrk(text, ",\"\n") != NULL;

	if (quote)
		str_add_char(out, '"');
	for (; *text; text++)
		str_printf(out, *text == '"' ? "\"\"" : "%c", *text);
	str_add(out, quote ? "\"," : ",");
}

struct csv {
	const struct plan_view *view;
	const struct plan_lane *lane;
	struct str *out;
};

static void add_line(const struct csv *csv, const struct plan_step *step,
		     const struct plan_cell *cell, const struct plan_figures *figures,
		     unsigned d)
{
	add_text(csv->out, csv->view->record->targets[csv->lane->target].path);
	str_printf(csv->out, "%u,", csv->lane->repetition + 1);
	add_text(csv->out, step->name);
	add_text(csv->out, cell->name);
	add_text(csv->out, plan_dir_names[d]);
	for (unsigned m = 0; m < NCELL_METRIC; m++) {
		double value = figures->value[d][m];

		if (!isnan(value))
			unit_format_double(value, csv->out);
		str_add_char(csv->out, ',');
	}
	str_printf(csv->out, "%llu,%llu,%llu\n", (unsigned long long)figures->ios[d],
		   (unsigned long long)figures->errors,
		   (unsigned long long)figures->zero_intervals);
}

static void add_step(const struct csv *csv, unsigned number)
{
	const struct plan_step *step = &csv->lane->plan->steps[number];

	for (unsigned c = 0; c < step->ncells && step->kind != PLAN_FIND; c++) {
		struct plan_figures figures;

		if (!plan_cell_figures(csv->lane, number, c, &figures))
			continue;
		for (unsigned d = 0; d < NPLAN_DIRS; d++)
			if (!isnan(figures.value[d][CELL_IOS_PER_S]))
				add_line(csv, step, &step->cells[c], &figures, d);
	}
}

void plan_page_csv(const struct plan_view *view, struct str *out)
{
	str_add(out, "target,repetition,step,cell,direction,");
	for (unsigned m = 0; m < NCELL_METRIC; m++)
		str_printf(out, "%s,", cell_metrics[m].column);
	str_add(out, "ios,errors,zero_intervals\n");
	for (unsigned r = 0; r < view->record->repetitions; r++)
		for (unsigned t = 0; t < view->record->ntargets; t++) {
			const struct plan_lane lane = {.plan = view->plan,
						       .journal = view->journal,
						       .spec = view->spec,
						       .target = t,
						       .repetition = r};

			const struct csv csv = {view, &lane, out};

			for (unsigned s = 0; s < view->plan->nsteps; s++)
				add_step(&csv, s);
		}
}
