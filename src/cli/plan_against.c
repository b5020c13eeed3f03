/* Steps held against one before them: the same work raw and through a file system. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/json.h"
#include "base/lang.h"
#include "base/memory.h"
#include "cli/plan_page_priv.h"
#include "stat/ratio.h"

#define VALUES_MAX 1000

struct values { /* of a cell, all repetitions together */
	double value[VALUES_MAX];
	unsigned count;
};

struct pair { /* the same cell of two steps */
	struct values base, other;
	struct ratio ratio; /* base / other */
};

static void collect(const struct plan_view *view, const struct plan_task *task,
		    enum cell_metric metric, struct values *ret_values)
{
	ret_values->count = 0;
	for (unsigned r = 0; r < view->record->repetitions; r++) {
		const struct plan_lane lane = {.plan = view->plan,
					       .journal = view->journal,
					       .spec = view->spec,
					       .target = task->target,
					       .repetition = r};

		ret_values->count += plan_cell_values(&lane, task->step, task->cell, metric,
						      ret_values->value + ret_values->count,
						      VALUES_MAX - ret_values->count);
	}
}

/* The cell of `step` that is called as that of the step it stands against; -1 none. */
static int like_cell(const struct plan_step *step, const char *name)
{
	for (unsigned c = 0; c < step->ncells; c++)
		if (str_equal(step->cells[c].name, name))
			return (int)c;
	return -1;
}

/* False: not measured. `task` is of the step that stands against another. */
static bool take_pair(const struct plan_view *view, const struct plan_task *task,
		      enum cell_metric metric, struct pair *ret_pair)
{
	const struct plan_step *step = &view->plan->steps[task->step];
	struct plan_task base = *task;
	int cell =
		like_cell(&view->plan->steps[step->against_step], step->cells[task->cell].name);

	if (cell < 0)
		return false;
	base.step = step->against_step;
	base.cell = (unsigned)cell;
	collect(view, &base, metric, &ret_pair->base);
	collect(view, task, metric, &ret_pair->other);
	if (!ret_pair->base.count || !ret_pair->other.count)
		return false;
	ret_pair->ratio = ratio_of(ret_pair->other.value, ret_pair->other.count,
				   ret_pair->base.value, ret_pair->base.count);
	return true;
}

/* Those that the step shows in one field, else rate and mean latency. */
static unsigned metrics_of(const struct plan_step *step, const enum cell_metric **ret_metrics)
{
	static const enum cell_metric some[] = {CELL_IOS_PER_S, CELL_MEAN_NS};

	*ret_metrics = step->nmatrix ? step->matrix : some;
	return step->nmatrix ? step->nmatrix : ARRAY_SIZE(some);
}

static const char *words_of(struct document *doc, const struct ratio *ratio)
{
	if (isnan(ratio->low))
		return document_text(doc, "%.3g", ratio->value);
	return document_text(doc,
			     ratio_is_undecided(ratio) ? N_("%.3g (%.3g to %.3g), cannot tell")
						       : N_("%.3g (%.3g to %.3g)"),
			     ratio->value, ratio->low, ratio->high);
}

struct column { /* steps against the same one */
	unsigned step[PLAN_AGAINST_MAX];
	unsigned count;
};

static void add_row(struct document *doc, const struct plan_view *view, struct table *table,
		    const struct column *column, const struct plan_task *base)
{
	const struct plan_step *step = &view->plan->steps[base->step];
	const enum cell_metric *metrics;
	unsigned count = metrics_of(step, &metrics);
	struct pair *pair = memory_take(sizeof(*pair));

	for (unsigned m = 0; m < count; m++) {
		table_cell(doc, table, "%s", step->cells[base->cell].name);
		table_cell(doc, table, "%s", cell_metrics[metrics[m]].name);
		for (unsigned i = 0; i < column->count; i++) {
			const struct plan_step *other = &view->plan->steps[column->step[i]];
			int cell = like_cell(other, step->cells[base->cell].name);
			const struct plan_task task = {.target = base->target,
						       .step = column->step[i],
						       .cell = cell < 0 ? 0 : (unsigned)cell};
			bool known = cell >= 0 && take_pair(view, &task, metrics[m], pair);

			table_cell(doc, table, "%s", known ? words_of(doc, &pair->ratio) : "");
		}
	}
	free(pair);
}

/* All that stand against `base`. */
static void find_column(const struct plan *plan, unsigned base, struct column *ret_column)
{
	ret_column->count = 0;
	for (unsigned s = base + 1; s < plan->nsteps; s++)
		if (plan->steps[s].against && plan->steps[s].against_step == base &&
		    ret_column->count < PLAN_AGAINST_MAX)
			ret_column->step[ret_column->count++] = s;
}

static void add_table(struct document *doc, const struct plan_view *view,
		      const struct plan_task *base, const struct column *column)
{
	const struct plan_step *step = &view->plan->steps[base->step];
	const char *heads[PLAN_AGAINST_MAX + 3] = {*step->cells[0].name ? "cell" : " ",
						   "figure"};
	struct plan_task cell = *base;
	struct table table;

	for (unsigned i = 0; i < column->count; i++)
		heads[2 + i] =
			document_text(doc, ": %s", view->plan->steps[column->step[i]].name);
	table_init(&table, heads);
	for (cell.cell = 0; cell.cell < step->ncells; cell.cell++)
		add_row(doc, view, &table, column, &cell);
	document_heading(doc, 3, "%s", step->name);
	document_table(doc, &table);
}

void plan_against_page(struct document *doc, const struct plan_view *view, unsigned target)
{
	struct plan_task base = {.target = target};
	struct column column;
	bool said = false;

	for (; base.step < view->plan->nsteps; base.step++) {
		find_column(view->plan, base.step, &column);
		if (!column.count)
			continue;
		if (!said) {
			document_heading(
				doc, 2, "ratios%s%s", view->record->ntargets > 1 ? ", " : "",
				view->record->ntargets > 1 ? view->record->targets[target].path
							   : "");
			document_prose(
				doc, TONE_PLAIN,
				"The figure of the step in the heading, divided by that of "
				"the step in the column. With repetitions (--repeat=6) the "
				"95 %% interval stands beside it.");
		}
		said = true;
		add_table(doc, view, &base, &column);
	}
}

static void pair_json(struct json *json, const struct plan_view *view,
		      const struct plan_task *task, enum cell_metric metric,
		      const struct pair *pair)
{
	const struct plan_step *step = &view->plan->steps[task->step];

	json_open_object(json, NULL);
	json_add_u64(json, "target", task->target);
	json_add_string(json, "base", step->against);
	json_add_string(json, "step", step->name);
	json_add_string(json, "cell", step->cells[task->cell].name);
	json_add_string(json, "figure", cell_metrics[metric].column);
	json_add_u64(json, "base_runs", pair->base.count);
	json_add_u64(json, "runs", pair->other.count);
	json_add_double(json, "base_to_step", pair->ratio.value);
	json_add_double(json, "low", pair->ratio.low);
	json_add_double(json, "high", pair->ratio.high);
	json_close_object(json);
}

void plan_against_json(struct json *json, const struct plan_view *view)
{
	struct pair *pair = memory_take(sizeof(*pair));
	struct plan_task task = {0};

	json_open_array(json, "ratios");
	for (task.target = 0; task.target < view->record->ntargets; task.target++)
		for (task.step = 0; task.step < view->plan->nsteps; task.step++)
			for (task.cell = 0; task.cell < view->plan->steps[task.step].ncells;
			     task.cell++)
				for (enum cell_metric m = 0; m < NCELL_METRIC; m++)
					if (view->plan->steps[task.step].against &&
					    take_pair(view, &task, m, pair))
						pair_json(json, view, &task, m, pair);
	json_close_array(json);
	free(pair);
}
