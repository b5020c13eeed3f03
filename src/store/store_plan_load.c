/* Plans out of the store, as they went in. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "result/health_json.h"
#include "store/store_plan.h"
#include "store/store_priv.h"

struct loading {
	struct store *store;
	struct plan_record *plan;
	struct err *err;
};

static double number(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL
		       ? (double)NAN
		       : sqlite3_column_double(row, column);
}

static unsigned count(sqlite3_stmt *row, int column)
{
	return (unsigned)sqlite3_column_int64(row, column);
}

static int load_plan(struct loading *l)
{
	struct plan_record *plan = l->plan;
	struct arena *arena = &plan->arena;
	sqlite3_stmt *row = store_bind(l->store, LOAD_PLAN, l->err, "i", plan->id);
	int rc = store_step(l->store, row, l->err);

	if (rc <= 0)
		return rc ? rc : err_input(l->err, "there is no p%" PRId64, plan->id);
	(void)snprintf(plan->uid, sizeof(plan->uid), "%s",
		       (const char *)sqlite3_column_text(row, 0));
	plan->name = store_text(arena, row, 1);
	plan->title = store_text(arena, row, 2);
	plan->text = store_text(arena, row, 3);
	plan->settings = store_text(arena, row, 4);
	plan->scale = count(row, 5);
	plan->repetitions = count(row, 6);
	plan->spec = store_text(arena, row, 7);
	plan->state = store_plan_state(l->store, plan->uid, store_text(arena, row, 8));
	plan->started_unix_ns = (uint64_t)sqlite3_column_int64(row, 9);
	plan->ended_unix_ns = (uint64_t)sqlite3_column_int64(row, 10);
	plan->targets = arena_array(arena, struct plan_target, count(row, 11) + 1);
	plan->entries = arena_array(arena, struct plan_entry, count(row, 12) + 1);
	plan->rounds = arena_array(arena, struct plan_round_row, count(row, 13) + 1);
	plan->verdicts = arena_array(arena, struct plan_verdict_row, count(row, 14) + 1);
	store_reset(row);
	return 0;
}

static int load_targets(struct loading *l)
{
	struct plan_record *plan = l->plan;
	sqlite3_stmt *row = store_bind(l->store, LOAD_PLAN_TARGETS, l->err, "i", plan->id);
	int rc;

	while ((rc = store_step(l->store, row, l->err)) > 0) {
		plan->parallel = count(row, 6);
		plan->max_write_bytes = (uint64_t)sqlite3_column_int64(row, 8);
		plan->targets[plan->ntargets++] = (struct plan_target){
			.path = store_text(&plan->arena, row, 0),
			.model = store_text(&plan->arena, row, 1),
			.serial = store_text(&plan->arena, row, 2),
			.firmware = store_text(&plan->arena, row, 3),
			.size_bytes = (uint64_t)sqlite3_column_int64(row, 4),
			.token = store_text(&plan->arena, row, 5),
			.found = store_text(&plan->arena, row, 7),
		};
	}
	return rc;
}

static enum plan_entry_state state_of(const char *text)
{
	unsigned state = 0;

	while (state < NPLAN_ENTRY_STATES - 1 && !str_equal(plan_entry_states[state], text))
		state++;
	return (enum plan_entry_state)state;
}

static int load_health(struct loading *l, sqlite3_stmt *row, struct plan_entry *entry)
{
	const char *text = (const char *)sqlite3_column_text(row, 20);

	return text ? health_json_parse(&l->plan->arena, text, &entry->health, &entry->nhealth,
					l->err)
		    : 0;
}

static int load_cells(struct loading *l)
{
	struct plan_record *plan = l->plan;
	sqlite3_stmt *row = store_bind(l->store, LOAD_PLAN_CELLS, l->err, "i", plan->id);
	int rc;

	while ((rc = store_step(l->store, row, l->err)) > 0) {
		struct plan_entry *entry = &plan->entries[plan->nentries++];

		*entry = (struct plan_entry){
			.task = {.target = count(row, 1),
				 .repetition = count(row, 2),
				 .step = count(row, 3),
				 .pass = count(row, 4),
				 .round = count(row, 5),
				 .cell = count(row, 6),
				 .load = sqlite3_column_double(row, 7)},
			.number = count(row, 0),
			.state = state_of((const char *)sqlite3_column_text(row, 8)),
			.step_name = store_text(&plan->arena, row, 9),
			.cell_name = store_text(&plan->arena, row, 10),
			.run = sqlite3_column_int64(row, 11),
			.began_unix_ns = (uint64_t)sqlite3_column_int64(row, 12),
			.span_ns = (uint64_t)sqlite3_column_int64(row, 13),
			.written_bytes = (uint64_t)sqlite3_column_int64(row, 14),
			.moved_percent = number(row, 18),
			.note = store_text(&plan->arena, row, 19),
			.run_uid = store_text(&plan->arena, row, 21),
		};
		plan_figures_init(&entry->figures);
		entry->figures.errors = (uint64_t)sqlite3_column_int64(row, 15);
		entry->figures.intervals = (uint64_t)sqlite3_column_int64(row, 16);
		entry->figures.zero_intervals = (uint64_t)sqlite3_column_int64(row, 17);
		entry->figures.levels =
			(struct plan_levels){number(row, 22), number(row, 23), number(row, 24)};
		if (load_health(l, row, entry)) {
			store_reset(row);
			return l->err->code;
		}
	}
	return rc;
}

static void put_figures(struct plan_record *plan, sqlite3_stmt *row, struct plan_entry *entry)
{
	const char *name = (const char *)sqlite3_column_text(row, 1);
	int bytes = sqlite3_column_bytes(row, 11);
	const char *blob = sqlite3_column_blob(row, 11);
	unsigned d = 0;

	while (d < PLAN_ALL && !str_equal(plan_dir_names[d], name))
		d++;
	entry->figures.ios[d] = (uint64_t)sqlite3_column_int64(row, 2);
	for (unsigned m = 0; m < NCELL_METRIC; m++)
		entry->figures.value[d][m] = number(row, 3 + (int)m);
	if (bytes > 0)
		entry->hist[d] = (struct plan_blob){
			arena_strndup(&plan->arena, blob, (size_t)bytes), (size_t)bytes};
}

static int load_figures(struct loading *l)
{
	struct plan_record *plan = l->plan;
	sqlite3_stmt *row = store_bind(l->store, LOAD_PLAN_FIGURES, l->err, "i", plan->id);
	unsigned at = 0;
	int rc;

	while ((rc = store_step(l->store, row, l->err)) > 0) {
		while (at < plan->nentries && plan->entries[at].number < count(row, 0))
			at++; /* both are in order of number */
		if (at < plan->nentries && plan->entries[at].number == count(row, 0))
			put_figures(plan, row, &plan->entries[at]);
	}
	return rc;
}

static int load_judged(struct loading *l)
{
	struct plan_record *plan = l->plan;
	sqlite3_stmt *row = store_bind(l->store, LOAD_PLAN_JUDGED, l->err, "i", plan->id);
	unsigned at = 0;
	int rc;

	while ((rc = store_step(l->store, row, l->err)) > 0) {
		struct plan_entry *entry;

		while (at < plan->nentries && plan->entries[at].number < count(row, 0))
			at++; /* both are in order of number */
		if (at == plan->nentries || plan->entries[at].number != count(row, 0))
			continue;
		entry = &plan->entries[at];
		if (!entry->judged)
			entry->judged =
				arena_array(&plan->arena, struct plan_judged, count(row, 7));
		entry->judged[entry->njudged++] = (struct plan_judged){
			.rule = store_text(&plan->arena, row, 1),
			.outcome = outcome_of((const char *)sqlite3_column_text(row, 2)),
			.value = number(row, 3),
			.threshold = number(row, 4),
			.measured = store_text(&plan->arena, row, 5),
			.limit = store_text(&plan->arena, row, 6),
		};
	}
	return rc;
}

static int load_rounds(struct loading *l)
{
	struct plan_record *plan = l->plan;
	sqlite3_stmt *row = store_bind(l->store, LOAD_PLAN_ROUNDS, l->err, "i", plan->id);
	int rc;

	while ((rc = store_step(l->store, row, l->err)) > 0)
		plan->rounds[plan->nrounds++] = (struct plan_round_row){
			.task = {.target = count(row, 0),
				 .repetition = count(row, 1),
				 .step = count(row, 2),
				 .pass = count(row, 3)},
			.variable = store_text(&plan->arena, row, 4),
			.attained = count(row, 5),
			.first_round = count(row, 6),
			.rounds = count(row, 7),
			.mean = number(row, 8),
			.slope = number(row, 9),
			.range_percent = number(row, 10),
			.slope_percent = number(row, 11),
		};
	return rc;
}

static int load_verdicts(struct loading *l)
{
	struct plan_record *plan = l->plan;
	sqlite3_stmt *row = store_bind(l->store, LOAD_PLAN_VERDICTS, l->err, "i", plan->id);
	int rc;

	while ((rc = store_step(l->store, row, l->err)) > 0)
		plan->verdicts[plan->nverdicts++] = (struct plan_verdict_row){
			.task = {.target = count(row, 0),
				 .repetition = count(row, 1),
				 .step = count(row, 2)},
			.step_name = store_text(&plan->arena, row, 3),
			.cell_name = store_text(&plan->arena, row, 4),
			.rule = store_text(&plan->arena, row, 5),
			.outcome = store_text(&plan->arena, row, 6),
			.value = number(row, 7),
			.threshold = number(row, 8),
			.text = store_text(&plan->arena, row, 9),
		};
	return rc;
}

static int load_tags(struct loading *l)
{
	struct plan_record *plan = l->plan;
	sqlite3_stmt *row = store_bind(l->store, LOAD_PLAN_TAGS, l->err, "i", plan->id);
	int rc;

	while ((rc = store_step(l->store, row, l->err)) > 0)
		plan_record_add_tag(plan, (const char *)sqlite3_column_text(row, 0));
	if (rc)
		return rc;
	row = store_bind(l->store, LOAD_PLAN_REMARKS, l->err, "i", plan->id);
	while ((rc = store_step(l->store, row, l->err)) > 0)
		plan_record_add_remark(plan, (uint64_t)sqlite3_column_int64(row, 0),
				       (const char *)sqlite3_column_text(row, 1));
	return rc;
}

int store_plan_load(struct store *store, int64_t id, struct plan_record *record,
		    struct err *err)
{
	static int (*const parts[])(struct loading *) = {
		load_plan,   load_targets, load_cells,	  load_figures,
		load_judged, load_rounds,  load_verdicts, load_tags};
	struct loading l = {.store = store, .plan = record, .err = err};
	int rc;

	plan_record_init(record);
	record->id = id;
	rc = store_exec(store, "BEGIN", err); /* one moment: the plan may be going on */
	if (rc)
		return rc;
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]) && !rc; i++)
		rc = parts[i](&l);
	return store_end(store, rc, err);
}
