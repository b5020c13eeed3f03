#include "cli/plan_targets.h"

#include <math.h>

#include "base/bits.h"
#include "base/lang.h"
#include "plan/execute.h"
#include "report/cells_page.h"
#include "stat/outlier.h"

#define TARGETS_ACROSS 6 /* more than these are a table of their own */

static const enum cell_metric metrics[] = {CELL_IOS_PER_S, CELL_MEAN_NS, CELL_P99_NS};

/* One figure of one cell, of all targets. */
struct lineup {
	unsigned step, cell;
	enum plan_dir dir;
	enum cell_metric metric;
	double value[PLAN_TARGETS_MAX];
	struct outlier found[PLAN_TARGETS_MAX];
	bool known; /* of any */
};
_Static_assert(PLAN_TARGETS_MAX <= OUTLIER_VALUES_MAX, "all of a plan are judged together");

/* The mean of its repetitions; NAN: not measured. */
static double figure_of(const struct plan_view *view, unsigned target, const struct lineup *l)
{
	double sum = 0;
	unsigned count = 0;

	for (unsigned r = 0; r < view->record->repetitions; r++) {
		const struct plan_lane lane = {.plan = view->plan,
					       .journal = view->journal,
					       .spec = view->spec,
					       .target = target,
					       .repetition = r};
		struct plan_figures figures;

		if (!plan_cell_figures(&lane, l->step, l->cell, &figures) ||
		    isnan(figures.value[l->dir][l->metric]))
			continue;
		sum += figures.value[l->dir][l->metric];
		count++;
	}
	return count ? sum / count : (double)NAN;
}

static void find_lineup(const struct plan_view *view, struct lineup *l)
{
	unsigned n = view->record->ntargets;

	l->known = false;
	for (unsigned t = 0; t < n; t++) {
		l->value[t] = figure_of(view, t, l);
		l->known |= !isnan(l->value[t]);
	}
	outliers_find(l->value, n, l->found);
}

static bool is_compared(const struct plan_step *step)
{
	return step->kind == PLAN_RUN || step->kind == PLAN_SWEEP || step->kind == PLAN_ROUNDS;
}

/* The next figure that any target has; the first after { 0 } with `begun` false. */
static bool next_lineup(const struct plan_view *view, enum cell_metric metric, struct lineup *l,
			bool *begun)
{
	unsigned step = *begun ? l->step : 0, cell = *begun ? l->cell : 0,
		 dir = *begun ? l->dir + 1 : 0;

	*begun = true;
	for (; step < view->plan->nsteps; step++, cell = 0) {
		const struct plan_step *s = &view->plan->steps[step];

		for (; is_compared(s) && cell < s->ncells; cell++, dir = 0)
			for (; dir < PLAN_ALL; dir++) {
				l->step = step;
				l->cell = cell;
				l->dir = (enum plan_dir)dir;
				l->metric = metric;
				find_lineup(view, l);
				if (l->known)
					return true;
			}
		dir = 0;
	}
	return false;
}

static void add_line(struct document *doc, struct table *table, const struct plan_view *view,
		     const struct lineup *l, unsigned first)
{
	const struct plan_step *step = &view->plan->steps[l->step];

	table_cell(doc, table, "%s %s", step->name, step->cells[l->cell].name);
	table_cell(doc, table, "%s", plan_dir_names[l->dir]);
	for (unsigned t = first; t < view->record->ntargets && t < first + TARGETS_ACROSS;
	     t++) {
		const char *value =
			isnan(l->value[t]) ? "–" : cells_value(doc, l->metric, l->value[t]);

		if (l->found[t].marked)
			table_cell(doc, table, "%s (outlier, %+.0f %%)", value,
				   100 * l->found[t].share);
		else
			table_cell(doc, table, "%s", value);
	}
}

static void add_table(struct document *doc, const struct plan_view *view,
		      enum cell_metric metric, unsigned first)
{
	const struct plan_record *record = view->record;
	struct table table = {0};
	struct lineup l = {0};
	bool begun = false;

	document_heading(doc, 3, "%s (%s)", cell_metrics[metric].name,
			 cell_metrics[metric].unit);
	table.head[table.columns++] = "cell";
	table.head[table.columns++] = "";
	for (unsigned t = first; t < record->ntargets && t < first + TARGETS_ACROSS; t++)
		table.head[table.columns++] = document_text(doc, "%s", record->targets[t].path);
	while (next_lineup(view, metric, &l, &begun))
		add_line(doc, &table, view, &l, first);
	document_table(doc, &table);
}

/* Who is marked how often, of how many figures. */
static void add_summary(struct document *doc, const struct plan_view *view)
{
	unsigned marked[PLAN_TARGETS_MAX] = {0}, figures = 0, n = view->record->ntargets;
	autostr list = {0};

	for (unsigned m = 0; m < ARRAY_SIZE(metrics); m++) {
		struct lineup l = {0};
		bool begun = false;

		while (next_lineup(view, metrics[m], &l, &begun)) {
			figures++;
			for (unsigned t = 0; t < n; t++)
				marked[t] += l.found[t].marked;
		}
	}
	for (unsigned t = 0; t < n; t++)
		if (marked[t])
			str_printf(&list, "%s%s in %u", list.length ? ", " : "",
				   view->record->targets[t].path, marked[t]);
	if (list.length)
		document_prose(doc, TONE_WARNING,
			       PLURAL(figures, "not like the others: %s of %u figure",
				      "not like the others: %s of %u figures"),
			       str_text(&list), figures);
	else
		document_prose(doc, TONE_PLAIN,
			       PLURAL(figures, "No target is an outlier in %u figure.",
				      "No target is an outlier in any of %u figures."),
			       figures);
}

void plan_targets_tables(struct document *doc, const struct plan_view *view)
{
	const struct plan_record *record = view->record;
	struct lineup l = {0};
	bool begun = false;

	if (record->ntargets < 2 || !next_lineup(view, metrics[0], &l, &begun))
		return;
	document_heading(doc, 1, "all targets");
	for (unsigned m = 0; m < ARRAY_SIZE(metrics); m++)
		for (unsigned t = 0; t < record->ntargets; t += TARGETS_ACROSS)
			add_table(doc, view, metrics[m], t);
	if (record->ntargets < OUTLIER_VALUES_MIN) {
		document_prose(doc, TONE_PLAIN,
			       "Of two targets nobody can say which is the odd one: outliers "
			       "are marked from %d on.",
			       OUTLIER_VALUES_MIN);
		return;
	}
	add_summary(doc, view);
	document_prose(
		doc, TONE_PLAIN,
		"An outlier lies more than %.1f modified z-scores, 0.6745 (x - median) / "
		"MAD, from the median of all targets (Iglewicz and Hoaglin; NIST's "
		"e-Handbook of Statistical Methods, 1.3.5.17), and at least %.0f %% of it.",
		OUTLIER_SCORE, 100 * OUTLIER_LEAST);
}

void plan_targets_json(const struct plan_view *view, struct json *json)
{
	json_open_array(json, "outliers");
	for (unsigned m = 0; m < ARRAY_SIZE(metrics) && view->record->ntargets > 1; m++) {
		struct lineup l = {0};
		bool begun = false;

		while (next_lineup(view, metrics[m], &l, &begun))
			for (unsigned t = 0; t < view->record->ntargets; t++) {
				const struct plan_step *step = &view->plan->steps[l.step];

				if (!l.found[t].marked)
					continue;
				json_open_object(json, NULL);
				json_add_u64(json, "target", t);
				json_add_string(json, "step", step->name);
				json_add_string(json, "cell", step->cells[l.cell].name);
				json_add_string(json, "direction", plan_dir_names[l.dir]);
				json_add_string(json, "figure", cell_metrics[l.metric].name);
				json_add_double(json, "value", l.value[t]);
				json_add_double(json, "score", l.found[t].score);
				json_add_double(json, "of_median", l.found[t].share + 1);
				json_close_object(json);
			}
	}
	json_close_array(json);
}
