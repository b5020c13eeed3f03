/* Whole plans out of an export. Every value is checked: a file comes from anywhere. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/base64.h"
#include "result/codec.h"
#include "result/native_json_read_priv.h"
#include "result/plan_json.h"

#define PLANS_MAX   1000
#define TARGETS_MAX 64

/* null is what was not known. */
static double number(struct json_reader *reader, const json_t *one, const char *key)
{
	double value = json_read_double(reader, one, key);

	return json_is_number(json_object_get(one, key)) ? value : (double)NAN;
}

static const char *text(struct json_reader *reader, const json_t *one, const char *key)
{
	const char *found = json_read_text(reader, one, key);

	return found ? found : "";
}

static struct plan_task read_task(struct json_reader *reader, const json_t *one)
{
	return (struct plan_task){.target = json_read_u32(reader, one, "target"),
				  .repetition = json_read_u32(reader, one, "repetition"),
				  .step = json_read_u32(reader, one, "step"),
				  .pass = json_read_u32(reader, one, "pass"),
				  .round = json_read_u32(reader, one, "round"),
				  .cell = json_read_u32(reader, one, "cell"),
				  .load = json_read_double(reader, one, "load")};
}

static void read_counts(struct json_reader *reader, const json_t *one, struct plan_blob *blob)
{
	const char *counts = json_read_text(reader, one, "histogram");
	size_t length = counts ? strlen(counts) : 0;
	struct hist *hist = NULL;
	ssize_t bytes;
	char *room;

	if (!counts)
		return;
	room = arena_array(reader->arena, char, BASE64_ROOM(length));
	bytes = base64_decode(counts, length, room);
	hist = arena_new(reader->arena, struct hist);
	if (bytes < 0 || codec_hist_merge(room, (size_t)bytes, hist))
		(void)json_read_fail(reader, "histogram", "is no histogram in base64");
	else
		*blob = (struct plan_blob){room, (size_t)bytes};
}

static void read_figures(struct json_reader *reader, const json_t *one,
			 struct plan_entry *entry)
{
	const json_t *all = json_read_object(reader, one, "figures");

	plan_figures_init(&entry->figures);
	entry->figures.errors = json_read_u64(reader, one, "errors");
	entry->figures.intervals = json_read_u64(reader, one, "intervals");
	entry->figures.zero_intervals = json_read_u64(reader, one, "zero_intervals");
	entry->figures.levels = (struct plan_levels){number(reader, one, "base_ios_per_s"),
						     number(reader, one, "burst_ios_per_s"),
						     number(reader, one, "burst_s")};
	for (unsigned d = 0; d < NPLAN_DIRS; d++) {
		const json_t *dir = json_read_object(reader, all, plan_dir_names[d]);

		if (!dir)
			continue;
		entry->figures.ios[d] = json_read_u64(reader, dir, "ios");
		for (unsigned m = 0; m < NCELL_METRIC; m++)
			entry->figures.value[d][m] =
				number(reader, dir, cell_metrics[m].column);
		read_counts(reader, dir, &entry->hist[d]);
	}
}

/* None in an export of before runs were judged. */
static void read_judged(struct json_reader *reader, const json_t *one, struct plan_entry *entry)
{
	const json_t *all = json_read_array(reader, one, "judged");
	unsigned count = (unsigned)json_array_size(all);

	entry->judged = arena_array(reader->arena, struct plan_judged, count + 1UL);
	for (unsigned i = 0; i < count && !reader->rc; i++) {
		const json_t *from = json_array_get(all, i);

		entry->judged[entry->njudged++] = (struct plan_judged){
			.rule = text(reader, from, "rule"),
			.outcome = outcome_of(text(reader, from, "outcome")),
			.value = number(reader, from, "value"),
			.threshold = number(reader, from, "threshold"),
			.measured = text(reader, from, "measured"),
			.limit = text(reader, from, "limit"),
		};
	}
}

static void read_entry(struct json_reader *reader, const json_t *one, struct plan_entry *entry)
{
	unsigned state =
		json_read_word(reader, one, "state", plan_entry_states, NPLAN_ENTRY_STATES);

	*entry = (struct plan_entry){
		.task = read_task(reader, one),
		.number = json_read_u32(reader, one, "number"),
		.state = (enum plan_entry_state)(state % NPLAN_ENTRY_STATES),
		.step_name = text(reader, one, "step_name"),
		.cell_name = text(reader, one, "cell_name"),
		.run_uid = json_read_text(reader, one, "run"),
		.began_unix_ns = json_read_u64(reader, one, "began_unix_ns"),
		.span_ns = json_read_u64(reader, one, "span_ns"),
		.written_bytes = json_read_u64(reader, one, "written_bytes"),
		.moved_percent = number(reader, one, "moved_percent"),
		.note = json_read_text(reader, one, "note"),
	};
	read_figures(reader, one, entry);
	read_judged(reader, one, entry);
	json_read_health(reader, json_read_array(reader, one, "health"), &entry->health,
			 &entry->nhealth);
}

static struct plan_round_row read_round(struct json_reader *reader, const json_t *one)
{
	return (struct plan_round_row){.task = read_task(reader, one),
				       .variable = text(reader, one, "variable"),
				       .attained = json_read_bool(reader, one, "steady"),
				       .first_round = json_read_u32(reader, one, "first_round"),
				       .rounds = json_read_u32(reader, one, "rounds"),
				       .mean = number(reader, one, "mean"),
				       .slope = number(reader, one, "slope"),
				       .range_percent = number(reader, one, "range_percent"),
				       .slope_percent = number(reader, one, "slope_percent")};
}

static struct plan_verdict_row read_verdict(struct json_reader *reader, const json_t *one)
{
	return (struct plan_verdict_row){.task = read_task(reader, one),
					 .step_name = text(reader, one, "step_name"),
					 .cell_name = text(reader, one, "cell_name"),
					 .rule = text(reader, one, "rule"),
					 .outcome = text(reader, one, "outcome"),
					 .text = text(reader, one, "text"),
					 .value = number(reader, one, "value"),
					 .threshold = number(reader, one, "threshold")};
}

static void read_targets(struct json_reader *reader, const json_t *one,
			 struct plan_record *plan)
{
	const json_t *targets = json_read_array(reader, one, "targets");
	size_t count = json_array_size(targets);

	if (!count || count > TARGETS_MAX) {
		(void)json_read_fail(reader, "targets", "are none, or more than 64");
		return;
	}
	plan->targets = arena_array(reader->arena, struct plan_target, count);
	for (; plan->ntargets < count; plan->ntargets++) {
		const json_t *target = json_array_get(targets, plan->ntargets);

		plan->targets[plan->ntargets] = (struct plan_target){
			.path = text(reader, target, "path"),
			.model = text(reader, target, "model"),
			.serial = text(reader, target, "serial"),
			.firmware = text(reader, target, "firmware"),
			.size_bytes = json_read_u64(reader, target, "size_bytes"),
		};
	}
}

static void read_lists(struct json_reader *reader, const json_t *one, struct plan_record *plan)
{
	const json_t *journal = json_read_array(reader, one, "journal");
	const json_t *rounds = json_read_array(reader, one, "rounds");
	const json_t *verdicts = json_read_array(reader, one, "verdicts");
	struct arena *arena = reader->arena;

	plan->nentries = (unsigned)json_array_size(journal);
	plan->nrounds = (unsigned)json_array_size(rounds);
	plan->nverdicts = (unsigned)json_array_size(verdicts);
	plan->entries = arena_array(arena, struct plan_entry, plan->nentries + 1);
	plan->rounds = arena_array(arena, struct plan_round_row, plan->nrounds + 1);
	plan->verdicts = arena_array(arena, struct plan_verdict_row, plan->nverdicts + 1);
	for (unsigned i = 0; i < plan->nentries && !reader->rc; i++)
		read_entry(reader, json_array_get(journal, i), &plan->entries[i]);
	for (unsigned i = 0; i < plan->nrounds && !reader->rc; i++)
		plan->rounds[i] = read_round(reader, json_array_get(rounds, i));
	for (unsigned i = 0; i < plan->nverdicts && !reader->rc; i++)
		plan->verdicts[i] = read_verdict(reader, json_array_get(verdicts, i));
}

static void read_added(struct json_reader *reader, const json_t *one, struct plan_record *plan)
{
	const json_t *tags = json_read_array(reader, one, "tags");
	const json_t *remarks = json_read_array(reader, one, "remarks");

	for (size_t i = 0; i < json_array_size(tags); i++) {
		const char *tag = json_string_value(json_array_get(tags, i));

		if (tag)
			plan_record_add_tag(plan, tag);
		else
			(void)json_read_fail(reader, "tags", "holds what is no text");
	}
	for (size_t i = 0; i < json_array_size(remarks); i++) {
		const json_t *remark = json_array_get(remarks, i);

		plan_record_add_remark(plan, json_read_u64(reader, remark, "unix_ns"),
				       text(reader, remark, "text"));
	}
}

static int read_plan(const json_t *one, struct plan_record *plan, struct err *err)
{
	struct json_reader reader = {.arena = &plan->arena, .err = err};
	const char *uid = text(&reader, one, "uid");

	if (strlen(uid) != RECORD_UID_BYTES - 1 ||
	    strspn(uid, "0123456789abcdef") != RECORD_UID_BYTES - 1)
		return json_read_fail(&reader, "uid", "is not 32 hexadecimal digits");
	memcpy(plan->uid, uid, RECORD_UID_BYTES);
	plan->name = text(&reader, one, "name");
	plan->title = json_read_text(&reader, one, "title");
	plan->text = text(&reader, one, "text");
	plan->spec = json_read_text(&reader, one, "spec");
	plan->settings = json_read_text(&reader, one, "settings");
	plan->scale = json_read_u32(&reader, one, "scale");
	plan->repetitions = json_read_u32(&reader, one, "repetitions");
	plan->parallel = json_read_bool(&reader, one, "parallel");
	plan->max_write_bytes = json_read_u64(&reader, one, "max_write_bytes");
	plan->state = text(&reader, one, "state");
	plan->started_unix_ns = json_read_u64(&reader, one, "started_unix_ns");
	plan->ended_unix_ns = json_read_u64(&reader, one, "ended_unix_ns");
	if (!plan->scale || !plan->repetitions)
		(void)json_read_fail(&reader, "scale", "or \"repetitions\" is 0");
	read_targets(&reader, one, plan);
	read_added(&reader, one, plan);
	if (!reader.rc)
		read_lists(&reader, one, plan);
	return reader.rc;
}

int plan_records_read(struct arena *arena, const char *text, size_t bytes,
		      struct plan_record **ret_plans, unsigned *ret_count, struct err *err)
{
	json_t *root;
	const json_t *plans;
	int rc = 0;

	*ret_plans = NULL;
	*ret_count = 0;
	if (!strstr(text, "\"plans\"")) /* most texts: do not read them twice */
		return 0;
	root = json_read_parse(text, bytes, NULL);
	plans = json_object_get(root, "plans");
	if (json_array_size(plans) > PLANS_MAX)
		rc = err_input(err, "more than %u plans in one file", PLANS_MAX);
	*ret_plans = arena_array(arena, struct plan_record, json_array_size(plans) + 1);
	for (size_t i = 0; i < json_array_size(plans) && !rc; i++) {
		plan_record_init(&(*ret_plans)[(*ret_count)++]);
		rc = read_plan(json_array_get(plans, i), &(*ret_plans)[i], err);
	}
	json_decref(root);
	return rc;
}
