/* A whole plan into an export. */
#include <math.h>

#include "base/base64.h"
#include "base/json.h"
#include "result/health_json.h"
#include "result/native_json_priv.h"
#include "result/plan_json.h"

static void add_figures(struct json *json, const struct plan_entry *entry)
{
	json_open_object(json, "figures");
	for (unsigned d = 0; d < NPLAN_DIRS; d++) {
		const struct plan_blob *hist = &entry->hist[d];
		autostr counts = {0};

		if (isnan(entry->figures.value[d][CELL_IOS_PER_S]))
			continue; /* not of this load */
		json_open_object(json, plan_dir_names[d]);
		json_add_u64(json, "ios", entry->figures.ios[d]);
		for (unsigned m = 0; m < NCELL_METRIC; m++)
			json_add_exact(json, cell_metrics[m].column,
				       entry->figures.value[d][m]);
		base64_add(&counts, hist->bytes, hist->count);
		json_add_text(json, "histogram", counts.text);
		json_close_object(json);
	}
	json_close_object(json);
}

static void add_task(struct json *json, const struct plan_task *task)
{
	json_add_u64(json, "target", task->target);
	json_add_u64(json, "repetition", task->repetition);
	json_add_u64(json, "step", task->step);
	json_add_u64(json, "pass", task->pass);
}

static void add_judged(struct json *json, const struct plan_entry *entry)
{
	json_open_array(json, "judged");
	for (unsigned i = 0; i < entry->njudged; i++) {
		const struct plan_judged *one = &entry->judged[i];

		json_open_object(json, NULL);
		json_add_string(json, "rule", one->rule);
		json_add_string(json, "outcome", outcome_name(one->outcome));
		json_add_exact(json, "value", one->value);
		json_add_exact(json, "threshold", one->threshold);
		json_add_string(json, "measured", one->measured);
		json_add_string(json, "limit", one->limit);
		json_close_object(json);
	}
	json_close_array(json);
}

static void add_entry(struct json *json, const struct plan_entry *entry)
{
	json_open_object(json, NULL);
	add_task(json, &entry->task);
	json_add_u64(json, "round", entry->task.round);
	json_add_u64(json, "cell", entry->task.cell);
	json_add_exact(json, "load", entry->task.load);
	json_add_u64(json, "number", entry->number);
	json_add_string(json, "state", plan_entry_states[entry->state]);
	json_add_string(json, "step_name", entry->step_name);
	json_add_string(json, "cell_name", entry->cell_name);
	json_add_text(json, "run", entry->run_uid);
	json_add_u64(json, "began_unix_ns", entry->began_unix_ns);
	json_add_u64(json, "span_ns", entry->span_ns);
	json_add_u64(json, "written_bytes", entry->written_bytes);
	json_add_u64(json, "errors", entry->figures.errors);
	json_add_u64(json, "intervals", entry->figures.intervals);
	json_add_u64(json, "zero_intervals", entry->figures.zero_intervals);
	json_add_exact(json, "moved_percent", entry->moved_percent);
	json_add_exact(json, "base_ios_per_s", entry->figures.levels.base_per_s);
	json_add_exact(json, "burst_ios_per_s", entry->figures.levels.burst_per_s);
	json_add_exact(json, "burst_s", entry->figures.levels.burst_s);
	json_add_text(json, "note", entry->note);
	add_figures(json, entry);
	add_judged(json, entry);
	health_json(json, "health", entry->health, entry->nhealth);
	json_close_object(json);
}

static void add_round(struct json *json, const struct plan_round_row *row)
{
	json_open_object(json, NULL);
	add_task(json, &row->task);
	json_add_string(json, "variable", row->variable);
	json_add_bool(json, "steady", row->attained);
	json_add_u64(json, "first_round", row->first_round);
	json_add_u64(json, "rounds", row->rounds);
	json_add_exact(json, "mean", row->mean);
	json_add_exact(json, "slope", row->slope);
	json_add_exact(json, "range_percent", row->range_percent);
	json_add_exact(json, "slope_percent", row->slope_percent);
	json_close_object(json);
}

static void add_verdict(struct json *json, const struct plan_verdict_row *row)
{
	json_open_object(json, NULL);
	add_task(json, &row->task);
	json_add_string(json, "step_name", row->step_name);
	json_add_string(json, "cell_name", row->cell_name);
	json_add_string(json, "rule", row->rule);
	json_add_string(json, "outcome", row->outcome);
	json_add_exact(json, "value", row->value);
	json_add_exact(json, "threshold", row->threshold);
	json_add_string(json, "text", row->text);
	json_close_object(json);
}

static void add_targets(struct json *json, const struct plan_record *plan)
{
	json_open_array(json, "targets");
	for (unsigned i = 0; i < plan->ntargets; i++) {
		const struct plan_target *target = &plan->targets[i];

		json_open_object(json, NULL);
		json_add_string(json, "path", target->path);
		json_add_text(json, "model", target->model);
		json_add_text(json, "serial", target->serial);
		json_add_text(json, "firmware", target->firmware);
		json_add_u64(json, "size_bytes", target->size_bytes);
		json_close_object(json);
	}
	json_close_array(json);
}

static void add_plan(struct json *json, const struct plan_record *plan)
{
	json_open_object(json, NULL);
	json_add_string(json, "uid", plan->uid);
	json_add_string(json, "name", plan->name);
	json_add_text(json, "title", plan->title);
	json_add_string(json, "text", plan->text);
	json_add_text(json, "spec", plan->spec);
	json_add_text(json, "settings", plan->settings);
	json_add_u64(json, "scale", plan->scale);
	json_add_u64(json, "repetitions", plan->repetitions);
	json_add_bool(json, "parallel", plan->parallel);
	json_add_u64(json, "max_write_bytes", plan->max_write_bytes);
	json_add_string(json, "state", plan->state);
	json_add_u64(json, "started_unix_ns", plan->started_unix_ns);
	json_add_u64(json, "ended_unix_ns", plan->ended_unix_ns);
	add_targets(json, plan);
	json_open_array(json, "journal");
	for (unsigned i = 0; i < plan->nentries; i++)
		add_entry(json, &plan->entries[i]);
	json_close_array(json);
	json_open_array(json, "rounds");
	for (unsigned i = 0; i < plan->nrounds; i++)
		add_round(json, &plan->rounds[i]);
	json_close_array(json);
	json_open_array(json, "tags");
	for (unsigned i = 0; i < plan->ntags; i++)
		json_add_string(json, NULL, plan->tags[i]);
	json_close_array(json);
	json_open_array(json, "remarks");
	for (unsigned i = 0; i < plan->nremarks; i++) {
		json_open_object(json, NULL);
		json_add_u64(json, "unix_ns", plan->remarks[i].unix_ns);
		json_add_string(json, "text", plan->remarks[i].text);
		json_close_object(json);
	}
	json_close_array(json);
	json_open_array(json, "verdicts");
	for (unsigned i = 0; i < plan->nverdicts; i++)
		add_verdict(json, &plan->verdicts[i]);
	json_close_array(json);
	json_close_object(json);
}

void plan_records_json(struct json *json, struct plan_record *const *plans, unsigned count)
{
	json_open_array(json, "plans");
	for (unsigned i = 0; i < count; i++)
		add_plan(json, plans[i]);
	json_close_array(json);
}
