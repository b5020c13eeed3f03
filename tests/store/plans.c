/* Plans in the store: the journal comes back as it went in, and goes with its plan. */
#include "store/store_plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/plan_json.h"
#include "result/record_json.h"
#include "result/sample.h"
#include "unit.h"

struct bed {
	char folder[64], path[160];
	struct store *store;
	struct plan_record plan;
};

static int bed_make(void **state)
{
	struct bed *bed = calloc(1, sizeof(*bed));
	struct err err = {0};

	(void)snprintf(bed->folder, sizeof(bed->folder), "/tmp/assay-plans-%s",
		       "XX"
		       "XX"
		       "XX");
	if (!mkdtemp(bed->folder))
		return -1;
	(void)snprintf(bed->path, sizeof(bed->path), "%s/results.db", bed->folder);
	if (store_open(bed->path, STORE_WRITE, &bed->store, &err))
		fail_msg("%s", err.text);
	plan_record_init(&bed->plan);
	bed->plan.name = "small";
	bed->plan.title = "A small one";
	bed->plan.text = "[a]\nstep=run\n";
	bed->plan.spec = "iops = 5\n";
	bed->plan.settings = "time=5s";
	bed->plan.scale = 4;
	bed->plan.repetitions = 2;
	bed->plan.parallel = true;
	bed->plan.started_unix_ns = 1700000000000000000;
	bed->plan.targets = arena_array(&bed->plan.arena, struct plan_target, 2);
	bed->plan.ntargets = 2;
	bed->plan.targets[0] = (struct plan_target){.path = "/dev/a \"b\"",
						    .model = "M",
						    .serial = "S",
						    .firmware = "F",
						    .size_bytes = 1000,
						    .token = "S"};
	bed->plan.targets[1] =
		(struct plan_target){.path = "f", .model = "", .serial = "", .firmware = ""};
	if (store_plan_begin(bed->store, &bed->plan, &err))
		fail_msg("%s", err.text);
	*state = bed;
	return 0;
}

static int bed_clear(void **state)
{
	struct bed *bed = *state;
	char command[200];

	plan_record_done(&bed->plan);
	store_close(bed->store);
	(void)snprintf(command, sizeof(command), "rm -r %s", bed->folder);
	if (system(command))
		return -1;
	free(bed);
	return 0;
}

/* What codec_hist_encode() made of one request. */
static struct str counts;

static void make_counts(void)
{
	static struct hist hist;

	hist_add(&hist, 5000, 1);
	codec_hist_encode(&hist, &counts);
}

static void give_health(struct plan_entry *entry, unsigned n)
{
	static struct health_facts drive;

	drive.device = "sda";
	health_init(&drive.before, "");
	drive.before.at_unix_ns = 1;
	drive.before.value[HEALTH_HOST_READS] = n;
	drive.after = drive.before;
	drive.after.value[HEALTH_HOST_READS] = 3 * (int64_t)n;
	entry->health = &drive;
	entry->nhealth = 1;
}

static void give_judged(struct plan_entry *entry, unsigned n)
{
	static struct plan_judged judged[2];

	judged[0] = (struct plan_judged){.rule = "max <= 5ms or p99 < 1ms",
					 .outcome = (enum outcome)(n % 4),
					 .value = (double)NAN,
					 .threshold = (double)NAN,
					 .measured = "400 ms; the worst at 1.000 s",
					 .limit = "5 ms, 1 ms"};
	judged[1] = (struct plan_judged){.rule = "zero_intervals == 0",
					 .outcome = OUTCOME_FAIL,
					 .value = n,
					 .threshold = 0.5,
					 .measured = "",
					 .limit = ""};
	entry->judged = judged;
	entry->njudged = 1 + n % 2;
}

static void make_entry(struct plan_entry *entry, unsigned n)
{
	*entry = (struct plan_entry){
		.task = {n % 2, n % 3, n % 5, n % 7, n, n % 4, n * 1.5},
		.state = (enum plan_entry_state)(n % NPLAN_ENTRY_STATES),
		.step_name = "a",
		.cell_name = n % 2 ? "bs=4k" : "",
		.began_unix_ns = 5 + n,
		.span_ns = 7 * n,
		.written_bytes = n,
		.moved_percent = n % 2 ? (double)NAN : n,
		.note = n % 3 ? NULL : "x",
	};
	if (n % 4 == 1)
		give_health(entry, n);
	if (n % 3 == 1)
		give_judged(entry, n);
	plan_figures_init(&entry->figures);
	entry->figures.errors = n;
	entry->figures.intervals = 2 * n;
	entry->figures.zero_intervals = n / 2;
	if (n % 3)
		entry->figures.levels = (struct plan_levels){n * 1.5, n * 2.5, n / 8.0};
	for (unsigned d = PLAN_WRITE; d < NPLAN_DIRS; d += 2) {
		entry->figures.ios[d] = 10 + n + d;
		for (unsigned m = 0; m < NCELL_METRIC - 1; m++)
			entry->figures.value[d][m] = n * 3.25 + m;
		entry->hist[d] = (struct plan_blob){counts.text, counts.length};
	}
}

static void assert_same_number(double a, double b)
{
	assert_true(isnan(a) ? isnan(b) : a == b);
}

static void assert_same(const struct plan_entry *a, const struct plan_entry *b)
{
	assert_memory_equal(&a->task, &b->task, sizeof(a->task));
	assert_int_equal(a->state, b->state);
	assert_string_equal(a->step_name, b->step_name);
	assert_string_equal(a->cell_name, b->cell_name);
	assert_int_equal(a->began_unix_ns, b->began_unix_ns);
	assert_int_equal(a->span_ns, b->span_ns);
	assert_int_equal(a->written_bytes, b->written_bytes);
	assert_same_number(a->moved_percent, b->moved_percent);
	assert_same_number(a->figures.levels.base_per_s, b->figures.levels.base_per_s);
	assert_same_number(a->figures.levels.burst_per_s, b->figures.levels.burst_per_s);
	assert_same_number(a->figures.levels.burst_s, b->figures.levels.burst_s);
	assert_int_equal(a->nhealth, b->nhealth);
	for (unsigned i = 0; i < a->nhealth; i++) {
		assert_string_equal(a->health[i].device, b->health[i].device);
		assert_memory_equal(a->health[i].before.value, b->health[i].before.value,
				    sizeof(a->health[i].before.value));
		assert_memory_equal(a->health[i].after.value, b->health[i].after.value,
				    sizeof(a->health[i].after.value));
	}
	assert_int_equal(a->njudged, b->njudged);
	for (unsigned i = 0; i < a->njudged; i++) {
		assert_string_equal(a->judged[i].rule, b->judged[i].rule);
		assert_int_equal(a->judged[i].outcome, b->judged[i].outcome);
		assert_same_number(a->judged[i].value, b->judged[i].value);
		assert_same_number(a->judged[i].threshold, b->judged[i].threshold);
		assert_string_equal(a->judged[i].measured, b->judged[i].measured);
		assert_string_equal(a->judged[i].limit, b->judged[i].limit);
	}
	assert_int_equal(a->figures.errors, b->figures.errors);
	assert_int_equal(a->figures.intervals, b->figures.intervals);
	assert_int_equal(a->figures.zero_intervals, b->figures.zero_intervals);
	for (unsigned d = 0; d < NPLAN_DIRS; d++) {
		assert_int_equal(a->figures.ios[d], b->figures.ios[d]);
		for (unsigned m = 0; m < NCELL_METRIC; m++)
			assert_same_number(a->figures.value[d][m], b->figures.value[d][m]);
		assert_int_equal(a->hist[d].count, b->hist[d].count);
		if (a->hist[d].count)
			assert_memory_equal(a->hist[d].bytes, b->hist[d].bytes,
					    a->hist[d].count);
	}
	if (a->note)
		assert_string_equal(a->note, b->note);
	else
		assert_null(b->note);
}

static void a_journal_comes_back_as_it_went_in(void **state)
{
	struct bed *bed = *state;
	struct plan_record back;
	struct err err = {0};

	for (unsigned n = 0; n < 40; n++) {
		struct plan_entry entry;

		make_entry(&entry, n);
		entry.number = 3 * n; /* several processes number by turns: with gaps */
		assert_int_equal(store_plan_cell(bed->store, &bed->plan, NULL, &entry, &err),
				 0);
	}
	assert_int_equal(store_plan_load(bed->store, bed->plan.id, &back, &err), 0);
	assert_string_equal(back.uid, bed->plan.uid);
	assert_string_equal(back.name, "small");
	assert_string_equal(back.title, "A small one");
	assert_string_equal(back.text, bed->plan.text);
	assert_string_equal(back.spec, bed->plan.spec);
	assert_string_equal(back.settings, "time=5s");
	assert_true(back.parallel);
	assert_string_equal(back.state, "cut off"); /* kept as running, and nobody holds it */
	assert_int_equal(back.scale, 4);
	assert_int_equal(back.repetitions, 2);
	assert_int_equal(back.ntargets, 2);
	assert_string_equal(back.targets[0].path, "/dev/a \"b\"");
	assert_string_equal(back.targets[0].token, "S");
	assert_int_equal(back.targets[0].size_bytes, 1000);
	assert_null(back.targets[1].token);
	assert_int_equal(back.nentries, 40);
	for (unsigned n = 0; n < 40; n++) {
		struct plan_entry entry;

		make_entry(&entry, n);
		assert_same(&entry, &back.entries[n]);
	}
	plan_record_done(&back);
}

static void export(struct store *store, int64_t id, struct str *out)
{
	struct plan_record plan, *one = &plan;
	struct err err = {0};

	if (store_plan_load(store, id, &plan, &err))
		fail_msg("%s", err.text);
	record_export_json(&(const struct record_export){.plans = &one, .nplans = 1}, "0.1.0",
			   out);
	plan_record_done(&plan);
}

/* Reads the plan of an export into a store; was it known? */
static bool import(struct store *store, const struct str *text)
{
	struct plan_record *plans;
	struct err err = {0};
	struct arena arena;
	unsigned count;
	bool known = false;

	arena_init(&arena);
	if (plan_records_read(&arena, str_text(text), text->length, &plans, &count, &err) ||
	    store_plan_save(store, plans, &known, &err))
		fail_msg("%s", err.text);
	assert_int_equal(count, 1);
	assert_null(plans->targets[0].token); /* a consent does not travel */
	plan_record_done(plans);
	arena_done(&arena);
	return known;
}

static void put_entries(struct bed *bed, unsigned from, unsigned to)
{
	struct err err = {0};

	for (unsigned n = from; n < to; n++) {
		struct plan_entry entry;

		make_entry(&entry, n);
		entry.number = n;
		assert_int_equal(store_plan_cell(bed->store, &bed->plan, NULL, &entry, &err),
				 0);
	}
}

/* Exported early, and again when it is done: what is new comes, and only once. */
static void an_export_is_imported_once_and_brings_what_is_new(void **state)
{
	struct bed *bed = *state;
	autostr early = {0}, late = {0}, again = {0}, path = {0};
	struct store *other;
	struct plan_record back;
	struct err err = {0};

	str_printf(&path, "%s/other.db", bed->folder);
	assert_int_equal(store_open(str_text(&path), STORE_WRITE, &other, &err), 0);
	put_entries(bed, 0, 5);
	export(bed->store, bed->plan.id, &early);
	put_entries(bed, 5, 9);
	bed->plan.state = "done";
	assert_int_equal(store_plan_update(bed->store, &bed->plan, &err), 0);
	export(bed->store, bed->plan.id, &late);
	assert_false(import(other, &early));
	assert_int_equal(store_plan_load(other, 1, &back, &err), 0);
	assert_string_equal(back.state, "unfinished"); /* it goes on where it began */
	plan_record_done(&back);
	assert_true(import(other, &early));
	assert_false(import(other, &late));
	assert_true(import(other, &late));
	assert_true(import(other, &early)); /* takes nothing away */
	export(other, 1, &again);
	assert_string_equal(str_text(&late), str_text(&again));
	store_close(other);
}

static void what_is_no_plan_is_an_error(void **state)
{
	static const char uid[] =
		"\"uid\": \"0123456789abcdef0123456789abcdef\", \"scale\": 1, "
		"\"repetitions\": 1, \"targets\": [{\"path\": \"a\"}]";
	static const char *const wrong[] = {
		"\"uid\": \"short\"",
		"\"uid\": \"0123456789abcdef0123456789abcdef\", \"scale\": 0",
		"\"uid\": \"0123456789abcdef0123456789abcdef\", \"scale\": 1, "
		"\"repetitions\": 1, \"targets\": []",
		"@, \"journal\": [{\"state\": \"maybe\"}]",
		"@, \"journal\": [{\"state\": \"done\", \"step\": -1}]",
		"@, \"journal\": [{\"state\": \"done\", \"figures\": {\"all\": "
		"{\"histogram\": \"AAAA\"}}}]",
		"@, \"rounds\": [{\"mean\": \"much\"}]",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		bool rest = wrong[i][0] == '@';
		struct plan_record *plans;
		struct err err = {0};
		struct arena arena;
		autostr text = {0};
		unsigned count;

		arena_init(&arena);
		str_printf(&text, "{\"plans\": [{%s%s}]}", rest ? uid : "", wrong[i] + rest);
		if (!plan_records_read(&arena, str_text(&text), text.length, &plans, &count,
				       &err))
			fail_msg("taken: %s", str_text(&text));
		assert_true(err.text[0]);
		for (unsigned k = 0; k < count; k++)
			plan_record_done(&plans[k]);
		arena_done(&arena);
	}
}

static void rounds_and_verdicts_replace_those_before(void **state)
{
	struct bed *bed = *state;
	struct plan_record back;
	struct err err = {0};
	struct plan_round_row round = {.task = {1, 1, 2, 3, 0, 0, 0},
				       .variable = "iops",
				       .attained = true,
				       .first_round = 4,
				       .rounds = 9,
				       .mean = 5.5,
				       .slope = -1,
				       .range_percent = 3,
				       .slope_percent = (double)NAN};
	struct plan_verdict_row verdict = {.task = {1, 0, 2, 0, 0, 0, 0},
					   .step_name = "a",
					   .cell_name = "bs=4k",
					   .rule = "iops > 5",
					   .outcome = "pass",
					   .text = "iops > 5: 6",
					   .value = 6,
					   .threshold = 5};

	bed->plan.rounds = &round;
	bed->plan.verdicts = &verdict;
	bed->plan.nrounds = bed->plan.nverdicts = 1;
	for (unsigned i = 0; i < 3; i++) {
		bed->plan.state = i == 2 ? "done" : "stopped";
		assert_int_equal(store_plan_update(bed->store, &bed->plan, &err), 0);
	}
	assert_int_equal(store_plan_load(bed->store, bed->plan.id, &back, &err), 0);
	assert_string_equal(back.state, "done");
	assert_int_equal(back.nrounds, 1);
	assert_memory_equal(&back.rounds[0].task, &round.task, sizeof(round.task));
	assert_string_equal(back.rounds[0].variable, "iops");
	assert_int_equal(back.rounds[0].rounds, 9);
	assert_true(isnan(back.rounds[0].slope_percent));
	assert_int_equal(back.nverdicts, 1);
	assert_string_equal(back.verdicts[0].rule, "iops > 5");
	assert_string_equal(back.verdicts[0].cell_name, "bs=4k");
	assert_true(back.verdicts[0].threshold == 5);
	plan_record_done(&back);
}

static void count_one(void *context, const struct store_plan_entry *entry)
{
	(void)entry;
	++*(unsigned *)context;
}

static void a_run_goes_with_its_plan_and_a_plan_has_a_name(void **state)
{
	struct bed *bed = *state;
	struct sample sample;
	struct job_set set;
	struct record record;
	struct plan_entry entry;
	const struct store_plan_filter unfinished = {.unfinished = true};
	struct err err = {0};
	unsigned count = 0;
	int64_t id = 0;

	sample_spoken(&sample, &set);
	record_init(&record, "plan");
	record_add_live(&record, NULL, NULL, 0, &sample.result, &set);
	record_settle(&record);
	make_entry(&entry, 0);
	assert_int_equal(store_plan_cell(bed->store, &bed->plan, &record, &entry, &err), 0);
	assert_true(entry.run > 0);
	assert_non_null(record.id);
	assert_int_equal(store_plan_find(bed->store, "p1", &id, &err), 0);
	assert_int_equal(id, bed->plan.id);
	assert_int_equal(store_plan_find(bed->store, "@plan", &id, &err), 0);
	assert_int_equal(store_plan_find(bed->store, "p7", &id, &err), -EINVAL);
	err = (struct err){0};
	assert_int_equal(store_plan_find(bed->store, "r1", &id, &err), -EINVAL);
	err = (struct err){0};
	assert_int_equal(store_plan_list(bed->store, &unfinished, count_one, &count, &err), 0);
	assert_int_equal(count, 1);
	assert_int_equal(store_plan_remove(bed->store, id, &err), 0);
	assert_int_equal(store_plan_list(bed->store, &(const struct store_plan_filter){0},
					 count_one, &count, &err),
			 0);
	assert_int_equal(count, 1);
	{
		struct record gone;

		assert_true(store_load(bed->store, entry.run, STORE_TOTALS, &gone, &err) < 0);
		record_done(&gone);
	}
	record_done(&record);
	sample_done(&sample);
	job_set_done(&set);
}

/* The same number twice is a mistake of ours: nothing of the second is kept. */
static void a_number_is_taken_once(void **state)
{
	struct bed *bed = *state;
	struct plan_record back;
	struct plan_entry entry;
	struct err err = {0};

	make_entry(&entry, 1);
	assert_int_equal(store_plan_cell(bed->store, &bed->plan, NULL, &entry, &err), 0);
	assert_true(store_plan_cell(bed->store, &bed->plan, NULL, &entry, &err) < 0);
	err = (struct err){0};
	assert_int_equal(store_plan_load(bed->store, bed->plan.id, &back, &err), 0);
	assert_int_equal(back.nentries, 1);
	plan_record_done(&back);
	assert_int_equal(store_plan_load(bed->store, 99, &back, &err), -EINVAL);
	plan_record_done(&back);
}

/* Of a plan as of a run: a tag that it alone carries stands for it. */
static void a_plan_has_tags_and_remarks(void **state)
{
	struct bed *bed = *state;
	const struct record_remark remark = {.unix_ns = 7, .text = "new firmware"};
	const struct store_plan_filter base = {.tag = "base"}, other = {.tag = "other"};
	struct plan_record loaded;
	struct err err = {0};
	unsigned count = 0;
	int64_t id = 0;

	assert_int_equal(store_plan_tag(bed->store, bed->plan.id, "base", true, &err), 0);
	assert_int_equal(store_plan_remark(bed->store, bed->plan.id, &remark, &err), 0);
	assert_int_equal(store_plan_find(bed->store, "base", &id, &err), 0);
	assert_int_equal(id, bed->plan.id);
	assert_int_equal(store_plan_list(bed->store, &other, count_one, &count, &err), 0);
	assert_int_equal(count, 0);
	assert_int_equal(store_plan_list(bed->store, &base, count_one, &count, &err), 0);
	assert_int_equal(count, 1);
	assert_int_equal(store_plan_load(bed->store, id, &loaded, &err), 0);
	assert_int_equal(loaded.ntags, 1);
	assert_string_equal(loaded.tags[0], "base");
	assert_int_equal(loaded.nremarks, 1);
	assert_string_equal(loaded.remarks[0].text, "new firmware");
	plan_record_done(&loaded);
	assert_int_equal(store_plan_tag(bed->store, id, "r17", true, &err), -EINVAL);
	err = (struct err){0};
	assert_int_equal(store_plan_tag(bed->store, id, "base", false, &err), 0);
	assert_int_equal(store_plan_tag(bed->store, id, "base", false, &err), -EINVAL);
	assert_non_null(strstr(err.text, "has no tag"));
	assert_int_equal(store_plan_tagged(bed->store, "base", &id, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_journal_comes_back_as_it_went_in, bed_make,
						bed_clear),
		cmocka_unit_test_setup_teardown(rounds_and_verdicts_replace_those_before,
						bed_make, bed_clear),
		cmocka_unit_test_setup_teardown(a_run_goes_with_its_plan_and_a_plan_has_a_name,
						bed_make, bed_clear),
		cmocka_unit_test_setup_teardown(
			an_export_is_imported_once_and_brings_what_is_new, bed_make, bed_clear),
		cmocka_unit_test_setup_teardown(a_plan_has_tags_and_remarks, bed_make,
						bed_clear),
		cmocka_unit_test(what_is_no_plan_is_an_error),
		cmocka_unit_test_setup_teardown(a_number_is_taken_once, bed_make, bed_clear),
	};

	make_counts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
