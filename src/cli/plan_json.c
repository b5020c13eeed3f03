/* What a plan found, as JSON: units stand in the names of the keys. */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/plan_page_priv.h"
#include "cli/plan_targets.h"
#include "result/health_json.h"

static void add_number(struct json *json, const char *key, double value)
{
	json_add_double(json, key, value); /* NAN is null */
}

static void add_directions(struct json *json, const struct plan_figures *figures)
{
	for (unsigned d = 0; d < NPLAN_DIRS; d++) {
		if (isnan(figures->value[d][CELL_IOS_PER_S]))
			continue;
		json_open_object(json, plan_dir_names[d]);
		json_add_u64(json, "ios", figures->ios[d]);
		for (unsigned m = 0; m < NCELL_METRIC; m++)
			add_number(json, cell_metrics[m].column, figures->value[d][m]);
		json_close_object(json);
	}
}

/* The rate as a token bucket. */
static void add_levels(struct json *json, const struct plan_levels *levels)
{
	add_number(json, "base_ios_per_s", levels->base_per_s);
	add_number(json, "burst_ios_per_s", levels->burst_per_s);
	add_number(json, "burst_s", levels->burst_s);
	add_number(json, "credits",
		   levels->burst_s * (levels->burst_per_s - levels->base_per_s));
}

static void add_corner(struct json *json, const struct plan_lane *lane, unsigned step)
{
	struct corner corner;

	if (!plan_corner(lane, step, &corner))
		return;
	json_open_object(json, "corner");
	json_add_bool(json, "has_both_limits", corner.has_both);
	add_number(json, "most_ios_per_s", corner.ios_per_s);
	add_number(json, "most_bytes_per_s", corner.bytes_per_s);
	add_number(json, "block_bytes", corner.has_both ? corner.block_bytes : (double)NAN);
	json_close_object(json);
}

static void add_cell(struct json *json, const struct plan_lane *lane, unsigned step,
		     unsigned cell)
{
	const struct plan_step *s = &lane->plan->steps[step];
	struct plan_figures figures;

	if (!plan_cell_figures(lane, step, cell, &figures))
		return;
	json_open_object(json, NULL);
	json_add_string(json, "cell", s->cells[cell].name);
	for (unsigned a = 0; a < s->sweep.count; a++)
		json_add_string(json, s->sweep.axis[a].key,
				s->sweep.axis[a].values[s->cells[cell].pick[a]]);
	json_add_u64(json, "errors", figures.errors);
	json_add_u64(json, "zero_intervals", figures.zero_intervals);
	add_levels(json, &figures.levels);
	add_directions(json, &figures);
	json_close_object(json);
}

static void add_step(struct json *json, const struct plan_lane *lane, unsigned step)
{
	const struct plan_step *s = &lane->plan->steps[step];
	const struct plan_entry *entry;
	unsigned from = 0;

	json_open_object(json, NULL);
	json_add_u64(json, "target", lane->target);
	json_add_u64(json, "repetition", lane->repetition);
	json_add_string(json, "step", s->name);
	json_add_string(json, "kind", plan_kind_name(s->kind));
	json_add_string(json, "figures_of",
			s->kind == PLAN_ROUNDS ? "window" : plan_aggregate_names[s->aggregate]);
	json_open_array(json, "cells");
	for (unsigned c = 0; c < s->ncells && s->kind != PLAN_FIND; c++)
		add_cell(json, lane, step, c);
	json_close_array(json);
	add_corner(json, lane, step);
	json_open_array(json, "notes");
	while ((entry = plan_entry_next(lane, step, &from)))
		if (entry->note)
			json_add_string(json, NULL, entry->note);
	json_close_array(json);
	json_close_object(json);
}

static void add_steps(struct json *json, const struct plan_view *view)
{
	json_open_array(json, "steps");
	for (unsigned r = 0; r < view->record->repetitions; r++)
		for (unsigned t = 0; t < view->record->ntargets; t++)
			for (unsigned s = 0; s < view->plan->nsteps; s++)
				add_step(json,
					 &(struct plan_lane){.plan = view->plan,
							     .journal = view->journal,
							     .spec = view->spec,
							     .target = t,
							     .repetition = r},
					 s);
	json_close_array(json);
}

/* Beside the level at which rounds before it were steady. */
static void add_departure(struct json *json, const struct plan_view *view,
			  const struct plan_entry *entry)
{
	const struct plan_lane lane = {.plan = view->plan,
				       .journal = view->journal,
				       .spec = view->spec,
				       .target = entry->task.target,
				       .repetition = entry->task.repetition};
	const struct plan_step *rounds;
	struct plan_departure gone;

	if (!plan_departure(&lane, entry, &gone)) {
		json_add_null(json, "steady_level");
		return;
	}
	rounds = &view->plan->steps[gone.step];
	json_open_object(json, "steady_level");
	json_add_string(json, "step", rounds->name);
	json_add_string(json, "variable", rounds->until.variable[gone.variable].text);
	add_number(json, "level", gone.level);
	add_number(json, "value", gone.value);
	add_number(json, "percent", gone.percent);
	json_add_bool(json, "left", gone.left);
	json_close_object(json);
}

/* The journal: each thing that was done, in order. */
static void add_entry(struct json *json, const struct plan_view *view,
		      const struct plan_entry *entry)
{
	const struct plan *plan = view->plan;
	const struct plan_task *task = &entry->task;
	const struct plan_step *step = &plan->steps[task->step];
	char run[32];

	(void)snprintf(run, sizeof(run), "r%lld", (long long)entry->run);
	json_open_object(json, NULL);
	json_add_u64(json, "target", task->target);
	json_add_u64(json, "repetition", task->repetition);
	json_add_string(json, "step", step->name);
	json_add_string(json, "cell", step->cells[task->cell].name);
	json_add_u64(json, "pass", task->pass);
	json_add_u64(json, "round", task->round);
	add_number(json, "load", task->load);
	json_add_string(json, "state", plan_entry_states[entry->state]);
	if (entry->run)
		json_add_string(json, "run", run);
	else
		json_add_null(json, "run");
	json_add_u64(json, "span_ns", entry->span_ns);
	json_add_u64(json, "written_bytes", entry->written_bytes);
	add_departure(json, view, entry);
	health_json(json, "health", entry->health, entry->nhealth);
	add_directions(json, &entry->figures);
	json_close_object(json);
}

static void add_rounds(struct json *json, const struct plan_view *view)
{
	json_open_array(json, "rounds");
	for (unsigned i = 0; i < view->record->nrounds; i++) {
		const struct plan_round_row *row = &view->record->rounds[i];

		json_open_object(json, NULL);
		json_add_u64(json, "target", row->task.target);
		json_add_u64(json, "repetition", row->task.repetition);
		json_add_string(json, "step", view->plan->steps[row->task.step].name);
		json_add_u64(json, "pass", row->task.pass);
		json_add_string(json, "variable", row->variable);
		json_add_bool(json, "steady", row->attained);
		json_add_u64(json, "rounds", row->rounds);
		json_add_u64(json, "first_round", row->first_round + 1);
		add_number(json, "mean", row->mean);
		add_number(json, "slope_per_round", row->slope);
		add_number(json, "range_percent", row->range_percent);
		add_number(json, "slope_percent", row->slope_percent);
		json_close_object(json);
	}
	json_close_array(json);
}

static void add_verdicts(struct json *json, const struct plan_view *view)
{
	json_open_array(json, "verdicts");
	for (unsigned i = 0; i < view->record->nverdicts; i++) {
		const struct plan_verdict_row *row = &view->record->verdicts[i];

		json_open_object(json, NULL);
		json_add_u64(json, "target", row->task.target);
		json_add_u64(json, "repetition", row->task.repetition);
		json_add_string(json, "step", row->step_name);
		json_add_string(json, "cell", row->cell_name);
		json_add_string(json, "rule", row->rule);
		json_add_string(json, "outcome", row->outcome);
		add_number(json, "value", row->value);
		add_number(json, "threshold", row->threshold);
		json_add_string(json, "text", row->text);
		json_close_object(json);
	}
	json_close_array(json);
}

static void add_targets(struct json *json, const struct plan_record *record)
{
	json_open_array(json, "targets");
	for (unsigned i = 0; i < record->ntargets; i++) {
		const struct plan_target *target = &record->targets[i];

		json_open_object(json, NULL);
		json_add_string(json, "path", target->path);
		json_add_string(json, "model", target->model);
		json_add_string(json, "serial", target->serial);
		json_add_string(json, "firmware", target->firmware);
		json_add_u64(json, "size_bytes", target->size_bytes);
		json_add_bool(json, "simulated", str_starts(target->path, "sim:"));
		json_close_object(json);
	}
	json_close_array(json);
}

/* What people added. */
static void add_words(struct json *json, const struct plan_record *record)
{
	json_open_array(json, "tags");
	for (unsigned i = 0; i < record->ntags; i++)
		json_add_string(json, NULL, record->tags[i]);
	json_close_array(json);
	json_open_array(json, "remarks");
	for (unsigned i = 0; i < record->nremarks; i++) {
		json_open_object(json, NULL);
		json_add_u64(json, "unix_ns", record->remarks[i].unix_ns);
		json_add_string(json, "text", record->remarks[i].text);
		json_close_object(json);
	}
	json_close_array(json);
}

void plan_page_json(const struct plan_view *view, struct str *out)
{
	const struct plan_record *record = view->record;
	struct json json;
	char id[32];

	(void)snprintf(id, sizeof(id), "p%lld", (long long)record->id);
	json_init(&json, out);
	json_open_object(&json, NULL);
	json_add_string(&json, "format", "assay plan 1");
	json_add_string(&json, "id", id);
	json_add_string(&json, "plan", record->name);
	json_add_string(&json, "title", record->title ? record->title : record->name);
	json_add_u64(&json, "scale", record->scale);
	json_add_u64(&json, "repetitions", record->repetitions);
	json_add_bool(&json, "parallel", record->parallel);
	json_add_u64(&json, "max_write_bytes", record->max_write_bytes);
	json_add_string(&json, "settings", record->settings ? record->settings : "");
	json_add_string(&json, "state", record->state);
	json_add_u64(&json, "started_unix_ns", record->started_unix_ns);
	add_words(&json, record);
	add_targets(&json, record);
	add_steps(&json, view);
	plan_against_json(&json, view);
	plan_targets_json(view, &json);
	add_rounds(&json, view);
	add_verdicts(&json, view);
	json_open_array(&json, "journal");
	for (unsigned i = 0; i < view->journal->count; i++)
		add_entry(&json, view, &view->journal->entries[i]);
	json_close_array(&json);
	json_close_object(&json);
	str_add_char(out, '\n');
}
