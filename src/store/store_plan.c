/* Plans into the store. */
#include "store/store_plan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/unit.h"
#include "result/health_json.h"
#include "store/store_priv.h"

static void add_text(struct json *json, const char *key, const char *text)
{
	if (text)
		json_add_string(json, key, text);
	else
		json_add_null(json, key);
}

static void targets_json(const struct plan_record *plan, struct str *out)
{
	struct json json;

	json_init_compact(&json, out);
	json_open_array(&json, NULL);
	for (unsigned i = 0; i < plan->ntargets; i++) {
		const struct plan_target *target = &plan->targets[i];

		json_open_object(&json, NULL);
		json_add_string(&json, "path", target->path);
		json_add_string(&json, "model", target->model);
		json_add_string(&json, "serial", target->serial);
		json_add_string(&json, "firmware", target->firmware);
		json_add_u64(&json, "size_bytes", target->size_bytes);
		json_add_bool(&json, "parallel", plan->parallel);
		json_add_u64(&json, "max_write_bytes", plan->max_write_bytes);
		add_text(&json, "token", target->token);
		add_text(&json, "found", target->found);
		json_close_object(&json);
	}
	json_close_array(&json);
}

int store_plan_begin(struct store *store, struct plan_record *record, struct err *err)
{
	autostr targets = {0};
	sqlite3_stmt *row;
	int rc;

	targets_json(record, &targets);
	row = store_bind(store, SAVE_PLAN, err, "tttttiittit", record->name, record->title,
			 record->text, record->settings ? record->settings : "",
			 str_text(&targets), (int64_t)record->scale,
			 (int64_t)record->repetitions, record->spec, record->state,
			 (int64_t)record->started_unix_ns, record->uid[0] ? record->uid : NULL);
	rc = store_step(store, row, err);
	if (rc <= 0)
		return rc ? rc : err_env(err, -EIO, "store: the plan was not taken");
	record->id = sqlite3_column_int64(row, 0);
	(void)snprintf(record->uid, sizeof(record->uid), "%s",
		       (const char *)sqlite3_column_text(row, 1));
	store_reset(row);
	return 0;
}

int store_plan_limit(struct store *store, const struct plan_record *plan, struct err *err)
{
	autostr targets = {0};

	targets_json(plan, &targets);
	return store_run(store, SET_PLAN_TARGETS, err, "it", plan->id, str_text(&targets));
}

static int save_figures(struct store *store, int64_t plan, const struct plan_entry *entry,
			struct err *err)
{
	int rc = 0;

	for (unsigned d = 0; d < NPLAN_DIRS && !rc; d++) {
		const double *value = entry->figures.value[d];
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): read only, by SQLite */
		const struct str blob = {.text = (char *)(uintptr_t)entry->hist[d].bytes,
					 .length = entry->hist[d].count};

		if (isnan(value[CELL_IOS_PER_S]))
			continue; /* not of this load */
		rc = store_run(store, SAVE_PLAN_FIGURES, err, "iitiddddddddb", plan,
			       (int64_t)entry->number, plan_dir_names[d],
			       (int64_t)entry->figures.ios[d], value[CELL_IOS_PER_S],
			       value[CELL_BYTES_PER_S], value[CELL_MEAN_NS], value[CELL_P50_NS],
			       value[CELL_P99_NS], value[CELL_P999_NS], value[CELL_P9999_NS],
			       value[CELL_MAX_NS], &blob);
	}
	return rc;
}
_Static_assert(NCELL_METRIC == 8, "each figure has its column");

static int save_judged(struct store *store, int64_t plan, const struct plan_entry *entry,
		       struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < entry->njudged && !rc; i++) {
		const struct plan_judged *one = &entry->judged[i];

		rc = store_run(store, SAVE_PLAN_JUDGED, err, "iiittddtt", plan,
			       (int64_t)entry->number, (int64_t)i, one->rule,
			       outcome_name(one->outcome), one->value, one->threshold,
			       one->measured, one->limit);
	}
	return rc;
}

int store_put_entry(struct store *store, int64_t plan, const struct plan_entry *entry,
		    struct err *err)
{
	const struct plan_task *task = &entry->task;
	const struct plan_figures *figures = &entry->figures;
	autostr health = {0};
	int rc;

	if (entry->nhealth)
		health_json_text(entry->health, entry->nhealth, &health);
	rc = store_run(store, SAVE_PLAN_CELL, err, "iiiiiiiidtttiiiiiiidttddd", plan,
		       (int64_t)entry->number, (int64_t)task->target, (int64_t)task->repetition,
		       (int64_t)task->step, (int64_t)task->pass, (int64_t)task->round,
		       (int64_t)task->cell, task->load, plan_entry_states[entry->state],
		       entry->step_name, entry->cell_name, entry->run,
		       (int64_t)entry->began_unix_ns, (int64_t)entry->span_ns,
		       (int64_t)entry->written_bytes, (int64_t)figures->errors,
		       (int64_t)figures->intervals, (int64_t)figures->zero_intervals,
		       entry->moved_percent, entry->note, health.text,
		       figures->levels.base_per_s, figures->levels.burst_per_s,
		       figures->levels.burst_s);

	for (unsigned i = 0; i < entry->nhealth && !rc; i++)
		rc = store_save_health(
			store,
			&(const struct health_owner){.plan = plan, .number = entry->number},
			&entry->health[i], err);
	rc = rc ? rc : save_judged(store, plan, entry, err);
	return rc ? rc : save_figures(store, plan, entry, err);
}

int store_put_run(struct store *store, int64_t plan, const struct plan_entry *entry,
		  struct err *err)
{
	return store_run(store, SET_PLAN_RUN, err, "iittii", entry->run, plan, entry->step_name,
			 entry->cell_name, (int64_t)entry->task.round,
			 (int64_t)entry->task.repetition);
}

int store_plan_cell(struct store *store, const struct plan_record *plan, struct record *record,
		    struct plan_entry *entry, struct err *err)
{
	bool known = false;
	int rc = store_begin(store, err);

	if (rc)
		return rc;
	if (record)
		rc = store_save_inside(store, record, &entry->run, &known, err);
	if (record && !rc)
		rc = store_put_run(store, plan->id, entry, err);
	if (!rc)
		rc = store_put_entry(store, plan->id, entry, err);
	rc = store_end(store, rc, err);
	if (!rc && record)
		record->id = arena_printf(&record->arena, "r%" PRId64, entry->run);
	return rc;
}

static int save_rounds(struct store *store, const struct plan_record *plan, struct err *err)
{
	int rc = store_run(store, CLEAR_PLAN_ROUNDS, err, "i", plan->id);

	for (unsigned i = 0; i < plan->nrounds && !rc; i++) {
		const struct plan_round_row *row = &plan->rounds[i];

		rc = store_run(store, SAVE_PLAN_ROUND, err, "iiiiitiiidddd", plan->id,
			       (int64_t)row->task.target, (int64_t)row->task.repetition,
			       (int64_t)row->task.step, (int64_t)row->task.pass, row->variable,
			       (int64_t)row->attained, (int64_t)row->first_round,
			       (int64_t)row->rounds, row->mean, row->slope, row->range_percent,
			       row->slope_percent);
	}
	return rc;
}

static int save_verdicts(struct store *store, const struct plan_record *plan, struct err *err)
{
	int rc = store_run(store, CLEAR_PLAN_VERDICTS, err, "i", plan->id);

	for (unsigned i = 0; i < plan->nverdicts && !rc; i++) {
		const struct plan_verdict_row *row = &plan->verdicts[i];

		rc = store_run(store, SAVE_PLAN_VERDICT, err, "iiiittttddt", plan->id,
			       (int64_t)row->task.target, (int64_t)row->task.repetition,
			       (int64_t)row->task.step, row->step_name, row->cell_name,
			       row->rule, row->outcome, row->value, row->threshold, row->text);
	}
	return rc;
}

int store_put_outcome(struct store *store, const struct plan_record *plan, struct err *err)
{
	int rc = store_run(store, SET_PLAN_STATE, err, "iti", plan->id, plan->state,
			   (int64_t)plan->ended_unix_ns);

	if (!rc)
		rc = save_rounds(store, plan, err);
	return rc ? rc : save_verdicts(store, plan, err);
}

int store_plan_update(struct store *store, const struct plan_record *plan, struct err *err)
{
	int rc = store_begin(store, err);

	return rc ? rc : store_end(store, store_put_outcome(store, plan, err), err);
}

/* --- names and lists --- */

static bool parse_name(const char *name, uint64_t *ret_id)
{
	return name[0] == 'p' && isdigit((unsigned char)name[1]) &&
	       !unit_parse_count(name + 1, ret_id, NULL) && *ret_id <= INT64_MAX;
}

bool store_plan_is_name(const char *name)
{
	uint64_t id;

	return str_equal(name, "@plan") || parse_name(name, &id);
}

int store_plan_find(struct store *store, const char *name, int64_t *ret_id, struct err *err)
{
	uint64_t id = 0;
	sqlite3_stmt *row;
	int rc;

	if (!store_plan_is_name(name)) {
		rc = store_plan_tagged(store, name, ret_id, err);
		return rc > 0 ? 0
		       : rc   ? rc
			      : err_input(err,
					  "\"%s\" is no plan: p4, the tag of one, or @plan "
					    "for the newest",
					  name);
	}
	row = parse_name(name, &id) ? store_bind(store, FIND_PLAN, err, "i", (int64_t)id)
				    : store_bind(store, LAST_PLAN, err, "");
	rc = store_step(store, row, err);
	if (rc <= 0)
		return rc ? rc
			  : err_input(err,
				      "there is no plan %s in \"%s\" (`assay results list` "
				      "shows them)",
				      name, store->path);
	*ret_id = sqlite3_column_int64(row, 0);
	store_reset(row);
	return 0;
}

int store_plan_tagged(struct store *store, const char *tag, int64_t *ret_id, struct err *err)
{
	sqlite3_stmt *row = store_bind(store, FIND_TAG, err, "t", tag);
	int rc = store_step(store, row, err);
	bool of_runs = rc > 0;
	unsigned count = 0;

	if (rc > 0)
		store_reset(row);
	if (rc >= 0)
		row = store_bind(store, FIND_PLAN_TAG, err, "t", tag);
	while (rc >= 0 && (rc = store_step(store, row, err)) > 0) {
		*ret_id = sqlite3_column_int64(row, 0);
		count++;
	}
	if (rc < 0 || !count)
		return rc;
	if (count == 1 && !of_runs)
		return 1;
	return err_input(
		err,
		"\"%s\" is the tag of more than one plan, or of a plan and of runs: name "
		"one by its id (`assay results list --tag=%s`)",
		tag, tag);
}

int store_plan_tag(struct store *store, int64_t plan, const char *tag, bool on, struct err *err)
{
	int rc = on ? store_check_tag(tag, err) : 0;

	if (!rc)
		rc = store_run(store, on ? SAVE_PLAN_TAG : REMOVE_PLAN_TAG, err, "ti", tag,
			       plan);
	if (!rc && !on && !sqlite3_changes(store->db))
		rc = err_input(err, "p%" PRId64 " has no tag \"%s\"", plan, tag);
	return rc;
}

int store_plan_remark(struct store *store, int64_t plan, const struct record_remark *remark,
		      struct err *err)
{
	return store_run(store, SAVE_PLAN_REMARK, err, "iit", plan, (int64_t)remark->unix_ns,
			 remark->text);
}

int store_plan_list(struct store *store, const struct store_plan_filter *filter,
		    store_plan_fn *each, void *context, struct err *err)
{
	sqlite3_stmt *row = store_bind(store, LIST_PLANS, err, "it",
				       (int64_t)filter->unfinished, filter->tag);
	int rc;

	while ((rc = store_step(store, row, err)) > 0) {
		const struct store_plan_entry entry = {
			.id = sqlite3_column_int64(row, 0),
			.started_unix_ns = (uint64_t)sqlite3_column_int64(row, 1),
			.name = (const char *)sqlite3_column_text(row, 2),
			.title = (const char *)sqlite3_column_text(row, 3),
			.state = store_plan_state(store,
						  (const char *)sqlite3_column_text(row, 9),
						  (const char *)sqlite3_column_text(row, 4)),
			.targets = (const char *)sqlite3_column_text(row, 5),
			.cells = (unsigned)sqlite3_column_int64(row, 6),
			.scale = (unsigned)sqlite3_column_int64(row, 7),
			.tags = (const char *)sqlite3_column_text(row, 8),
		};

		each(context, &entry);
	}
	return rc;
}

int store_plan_remove(struct store *store, int64_t id, struct err *err)
{
	int rc = store_begin(store, err);

	if (!rc)
		rc = store_run(store, REMOVE_PLAN_RUNS, err, "i", id);
	if (!rc)
		rc = store_run(store, REMOVE_PLAN, err, "i", id);
	return store_end(store, rc, err);
}
