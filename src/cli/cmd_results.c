/* assay results: what was kept. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/lang.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/unit.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/keep.h"
#include "cli/plan_kept.h"
#include "cli/results_priv.h"
#include "plan/execute.h"
#include "report/figures.h"

/* --- list --- */

struct listing {
	struct document *doc;
	struct table table;
	struct json json;
	unsigned incomplete;
};

static void list_text(void *context, const struct store_entry *entry)
{
	struct listing *list = context;
	struct document *doc = list->doc;
	const char *what;

	table_cell(doc, &list->table, "r%" PRId64, entry->run);
	table_cell(doc, &list->table, "%s", figure_when(doc, entry->started_unix_ns) ?: "–");
	what = entry->title ? entry->title : entry->kind;
	if (entry->cut_off)
		what = document_text(
			doc, entry->goes_on ? N_("%s, going on") : N_("%s, cut off"), what);
	else if (entry->incomplete)
		what = document_text(doc, "%s, not complete", what);
	list->incomplete += entry->cut_off || entry->incomplete;
	if (entry->things > 1) /* the figures of one of them */
		table_cell(doc, &list->table, "%s: %s, 1st of %u", what,
			   entry->first_name ? entry->first_name : "", entry->things);
	else
		table_cell(doc, &list->table, "%s", what);
	table_cell(doc, &list->table, "%s", entry->device ? entry->device : "–");
	table_cell(doc, &list->table, "%s",
		   entry->ios_per_s > 0 ? figure_plain(doc, entry->ios_per_s) : "–");
	table_cell(doc, &list->table, "%s",
		   entry->bytes_per_s > 0 ? figure_mb(doc, entry->bytes_per_s) : "–");
	table_cell(doc, &list->table, "%s", entry->tags ? entry->tags : "");
}

static void list_json(void *context, const struct store_entry *entry)
{
	struct json *json = &((struct listing *)context)->json;
	char id[32];

	(void)snprintf(id, sizeof(id), "r%" PRId64, entry->run);
	json_open_object(json, NULL);
	json_add_string(json, "id", id);
	json_add_u64(json, "started_unix_ns", entry->started_unix_ns);
	json_add_u64(json, "span_ns", entry->span_ns);
	json_add_string(json, "kind", entry->kind);
	json_add_string(json, N_("state"),
			entry->goes_on	    ? "running"
			: entry->cut_off    ? "cut off"
			: entry->incomplete ? "not complete"
					    : "done");
	json_add_text(json, "incomplete", entry->incomplete);
	json_add_string(json, "title", entry->title ? entry->title : "");
	json_add_string(json, "device", entry->device ? entry->device : "");
	json_add_string(json, "host", entry->host ? entry->host : "");
	json_add_string(json, N_("tags"), entry->tags ? entry->tags : "");
	json_add_u64(json, N_("cells"), entry->cells);
	json_add_u64(json, "groups", entry->things);
	json_add_string(json, "figures_of", entry->first_name ? entry->first_name : "");
	json_add_double(json, "ios_per_s", entry->ios_per_s);
	json_add_double(json, "bytes_per_s", entry->bytes_per_s);
	json_close_object(json);
}

static void list_plan_text(void *context, const struct store_plan_entry *entry)
{
	struct listing *list = context;
	struct document *doc = list->doc;

	table_cell(doc, &list->table, "p%" PRId64, entry->id);
	table_cell(doc, &list->table, "%s", figure_when(doc, entry->started_unix_ns) ?: "–");
	table_cell(doc, &list->table, "%s", entry->name);
	table_cell(doc, &list->table, "%s", entry->targets ? entry->targets : "–");
	table_cell(doc, &list->table, "%s", document_say(doc, entry->state));
	table_cell(doc, &list->table, "%u", entry->cells);
	table_cell(doc, &list->table, "%s", entry->tags ? entry->tags : "");
}

static void list_plan_json(void *context, const struct store_plan_entry *entry)
{
	struct json *json = &((struct listing *)context)->json;
	char id[32];

	(void)snprintf(id, sizeof(id), "p%" PRId64, entry->id);
	json_open_object(json, NULL);
	json_add_string(json, "id", id);
	json_add_u64(json, "started_unix_ns", entry->started_unix_ns);
	json_add_string(json, "kind", N_("plan"));
	json_add_string(json, "title", entry->name);
	json_add_string(json, N_("targets"), entry->targets ? entry->targets : "");
	json_add_string(json, N_("state"), entry->state);
	json_add_string(json, N_("tags"), entry->tags ? entry->tags : "");
	json_add_u64(json, N_("cells"), entry->cells);
	json_add_u64(json, "scale", entry->scale);
	json_close_object(json);
}

/* Their targets are named in the list itself. */
static int list_plans(struct results *results, struct listing *list, struct err *err)
{
	static const char *const heads[] = {N_("plan"),	 "started",   "what",	  N_("targets"),
					    N_("state"), N_("cells"), N_("tags"), NULL};
	const struct store_plan_filter filter = {.tag = results->tag};
	struct store *store = results->source.store;
	int rc;

	if (results->target)
		return 0;
	if (results->format == NATIVE_JSON)
		return store_plan_list(store, &filter, list_plan_json, list, err);
	table_init(&list->table, heads);
	list->table.names = 1u << 2 | 1u << 3 | 1u << 6; /* of plan and targets, and tags */
	rc = store_plan_list(store, &filter, list_plan_text, list, err);
	document_table(list->doc, &list->table);
	return rc;
}

static int results_list(struct results *results, struct err *err)
{
	static const char *const heads[] = {N_("run"), "started", "what",     "device",
					    "IOPS",    "MB/s",	  N_("tags"), NULL};
	const struct store_filter filter = {
		.tag = results->tag, .target = results->target, .limit = results->limit};
	struct listing list = {0};
	struct document doc;
	autostr out = {0};
	int rc = side_store(&results->source, STORE_READ, err);

	if (rc)
		return rc;
	if (results->format == NATIVE_JSON) {
		json_init(&list.json, &out);
		json_open_array(&list.json, NULL);
		rc = store_list(results->source.store, &filter, list_json, &list, err);
		rc = rc ? rc : list_plans(results, &list, err);
		json_close_array(&list.json);
		str_add_char(&out, '\n');
	} else {
		native_begin_page(&doc, &out, results->format, results->output);
		table_init(&list.table, heads);
		list.table.names = 1u << 3 | 1u << 6; /* of the device, and tags */
		list.doc = &doc;
		rc = store_list(results->source.store, &filter, list_text, &list, err);
		document_table(&doc, &list.table);
		if (list.incomplete)
			document_prose(
				&doc, TONE_INFO,
				"cut off: it was killed; not complete: it was stopped or "
				"ended by an error, and its figures are of the time "
				"until then. history leaves such runs out, gate cannot "
				"tell.");
		rc = rc ? rc : list_plans(results, &list, err);
		document_done(&doc);
	}
	return rc ? rc : emit_text(results->output, &out, err);
}

/* --- show --- */

static int show_plan(struct results *results, const char *name, struct err *err)
{
	struct plan_kept *kept = calloc(1, sizeof(*kept));
	struct plan_view view;
	int rc = kept ? side_store(&results->source, STORE_READ, err) : -ENOMEM;

	if (rc) {
		free(kept);
		return err_env(err, rc, "no memory for a plan");
	}
	rc = plan_kept_load(kept, results->source.store, name, err);
	view = plan_kept_view(kept);
	if (!rc && results->jobs) {
		autostr out = {0};

		str_add(&out, kept->record.text);
		rc = emit_text(results->output, &out, err);
	} else if (!rc) {
		rc = plan_emit(&view, results->format, results->output, err);
	}
	plan_kept_done(kept);
	free(kept);
	return rc;
}

static int no_cdm(struct err *err)
{
	return err_input(err, "format: cdm is for plans, as in assay results show p4");
}

static int show_one(struct results *results, struct record *record, struct err *err)
{
	autostr out = {0};

	if (results->format == NATIVE_CDM)
		return no_cdm(err);
	if (!results->jobs)
		return native_emit_record(record, results->format, results->output, err);
	if (!record->job_text)
		return record->id ? err_input(err,
					      "no job text was kept with %s: it was not run by "
					      "assay",
					      record->id)
				  : err_input(err,
					      "no job text was kept with it: it was not run by "
					      "assay");
	str_add(&out, record->job_text);
	return emit_text(results->output, &out, err);
}

static int results_show(struct results *results, struct err *err)
{
	int rc = 0;

	if (!results->nwords)
		return err_input(err, "results show: which run? (@last is the newest)");
	for (unsigned i = 0; i < results->nwords && !rc; i++) {
		struct side side;
		const char *plan;

		rc = side_plan(&results->source, results->words[i], &plan, err);
		if (rc)
			return rc;
		if (plan) {
			rc = show_plan(results, plan, err);
			continue;
		}
		rc = side_load(&results->source, results->words[i], &side, err);
		if (rc)
			return rc;
		if (results->output && (side.count > 1 || results->nwords > 1))
			rc = err_input(err, "results show: -o is for one run: the next would "
					    "replace it in the file");
		for (unsigned k = 0; k < side.count && !rc; k++)
			rc = show_one(results, side.records[k], err);
		side_done(&side);
	}
	return rc;
}

/* --- what people do with runs and plans --- */

/* What one argument stands for: a plan, or runs. */
struct runs {
	int64_t plan; /* 0: runs */
	int64_t *ids;
	unsigned count;
};

static int find_runs(struct results *results, const char *name, struct runs *ret_runs,
		     struct err *err)
{
	struct store *store;
	const char *plan;
	int rc = side_store(&results->source, STORE_READ, err);

	if (!rc && side_is_file(name))
		rc = err_input(err, "\"%s\" is a file: import it first", name);
	if (!rc)
		rc = side_plan(&results->source, name, &plan, err);
	if (rc)
		return rc;
	store = results->source.store;
	return plan ? store_plan_find(store, plan, &ret_runs->plan, err)
		    : store_find(store, name, &results->source.arena, &ret_runs->ids,
				 &ret_runs->count, err);
}

static int tag_runs(struct store *store, const struct runs *runs, const char *word,
		    struct err *err)
{
	bool off = word[0] == '-';
	int rc = 0;

	if (runs->plan)
		return store_plan_tag(store, runs->plan, word + off, !off, err);
	for (unsigned i = 0; i < runs->count && !rc; i++)
		rc = store_tag(store, runs->ids[i], word + off, !off, err);
	return rc;
}

static int results_tag(struct results *results, struct err *err)
{
	struct runs runs = {0};
	int rc;

	if (results->nwords < 2)
		return err_input(err, "results tag: RUN and TAG (-TAG takes it away)");
	rc = find_runs(results, results->words[0], &runs, err);
	for (unsigned k = 1; k < results->nwords && !rc; k++)
		rc = tag_runs(results->source.store, &runs, results->words[k], err);
	return rc;
}

static int results_note(struct results *results, struct err *err)
{
	const struct record_remark remark = {clock_wall_ns(), results->words[1]};
	struct runs runs = {0};
	int rc;

	if (results->nwords != 2)
		return err_input(err, "results note: RUN and one TEXT (quote it)");
	rc = find_runs(results, results->words[0], &runs, err);
	if (!rc && runs.plan)
		return store_plan_remark(results->source.store, runs.plan, &remark, err);
	for (unsigned i = 0; !rc && i < runs.count; i++)
		rc = store_remark(results->source.store, runs.ids[i], remark.unix_ns,
				  remark.text, err);
	return rc;
}

static int rm_plan(struct results *results, int64_t id, struct err *err)
{
	struct store *store = results->source.store;
	struct plan_record record;
	char folder[PATH_MAX];
	int rc;

	plan_record_init(&record);
	rc = store_plan_load(store, id, &record, err);
	if (!rc && store_plan_goes_on(store, record.uid))
		rc = err_set(err, ERR_REFUSED, -EBUSY,
			     "p%" PRId64 " is being carried out: stop it first", id);
	if (!rc)
		rc = store_plan_remove(store, id, err);
	if (!rc) {
		keep_folder(store, folder, sizeof(folder));
		plan_remove_files(folder, record.uid);
	}
	plan_record_done(&record);
	return rc;
}

/* All names are looked up before the first run goes. */
static int results_rm(struct results *results, struct err *err)
{
	struct runs *runs = arena_array(&results->source.arena, struct runs, results->nwords);
	int rc = results->nwords ? 0 : err_input(err, "results rm: which run?");

	for (unsigned i = 0; i < results->nwords && !rc; i++)
		rc = find_runs(results, results->words[i], &runs[i], err);
	for (unsigned i = 0; i < results->nwords && !rc; i++) {
		if (runs[i].plan)
			rc = rm_plan(results, runs[i].plan, err);
		for (unsigned k = 0; k < runs[i].count && !rc; k++)
			rc = store_remove(results->source.store, runs[i].ids[k], err);
	}
	return rc;
}

/* --- sql --- */

static void sql_row(void *context, unsigned columns, const char *const *names,
		    const char *const *values)
{
	struct str *out = context;

	for (unsigned i = 0; i < columns; i++) {
		const char *text = values ? values[i] : names[i];

		if (i)
			str_add_char(out, '\t');
		for (; text && *text; text++)
			str_add_char(out, *text == '\t' || *text == '\n' ? ' ' : *text);
	}
	str_add_char(out, '\n');
}

static int results_sql(struct results *results, struct err *err)
{
	autostr out = {0};
	int rc;

	if (results->nwords != 1)
		return err_input(err,
				 "results sql: one QUERY (quote it); doc/store.md lists the "
				 "views");
	rc = side_store(&results->source, STORE_READ, err);
	if (!rc)
		rc = store_query(results->source.store, results->words[0], sql_row, &out, err);
	return rc ? rc : emit_text(results->output, &out, err);
}

/* --- the command --- */

static const struct {
	const char *name;
	results_word *run;
} words[] = {
	{"list", results_list},	    {"show", results_show},   {"tag", results_tag},
	{"note", results_note},	    {"rm", results_rm},	      {"export", results_export},
	{"import", results_import}, {"merge", results_merge}, {"sql", results_sql},
};

static int set_option(struct results *results, const char *word, struct err *err)
{
	const char *value = strchr(word, '=');
	size_t length = value ? (size_t)(value - word) : strlen(word);
	char key[40];
	uint64_t count;
	int rc;

	(void)snprintf(key, sizeof(key), "%.*s", (int)length, word);
	value = value ? value + 1 : NULL;
	if (str_equal(key, "--anonymous"))
		results->anonymous = true;
	else if (str_equal(key, "--jobs"))
		results->jobs = true;
	else if (!value)
		return err_input(
			err, "results: there is no option \"%s\", or it lacks its value", word);
	else if (str_equal(key, "--store"))
		results->source.store_path = value;
	else if (str_equal(key, "--tag"))
		results->tag = value;
	else if (str_equal(key, "--target"))
		results->target = value;
	else if (str_equal(key, "--output"))
		results->output = value;
	else if (str_equal(key, "--format") && str_equal(value, "cdm"))
		results->format = NATIVE_CDM; /* of plans; show refuses it of runs */
	else if (str_equal(key, "--format"))
		return native_format_parse(value, &results->format, err);
	else if (str_equal(key, "--limit")) {
		rc = unit_parse_count(value, &count, err);
		if (rc)
			err_context(err, "%s", key);
		results->limit = (unsigned)(count < 1000000000 ? count : 1000000000);
		return rc;
	} else
		return err_input(err, "results: there is no option \"%s\"", word);
	return 0;
}

static int parse(struct results *results, int argc, char **argv, struct err *err)
{
	for (int i = 2; i < argc; i++) {
		int rc = 0;

		if (str_equal(argv[i], "-o") && i + 1 < argc)
			results->output = argv[++i];
		else if (str_starts(argv[i], "--"))
			rc = set_option(results, argv[i], err);
		else if (results->nwords < RESULTS_WORDS_MAX)
			results->words[results->nwords++] = argv[i];
		else
			rc = err_input(err, "results: more than %u names", RESULTS_WORDS_MAX);
		if (rc)
			return rc;
	}
	return 0;
}

/* Of other words it would say nothing, and names would stand where none are looked for. */
static int check_anonymous(const struct results *results, const char *name, struct err *err)
{
	if (!results->anonymous || str_equal(name, "export"))
		return 0;
	return err_input(
		err,
		"results %s: --anonymous is of export: export it with -o FILE, and show "
		"the file",
		name);
}

int cmd_results(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "list";
	struct results *results = memory_zeroed(1, sizeof(*results));
	results_word *run = NULL;
	struct err err = {0};
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_equal(words[i].name, name))
			run = words[i].run;
	if (!run) {
		free(results);
		(void)err_input(&err,
				"results: \"%s\" is none of list, show, tag, note, rm, "
				"export, import, merge, sql",
				name);
		return emit_error(&err);
	}
	side_source_init(&results->source, NULL, STORE_WHOLE);
	rc = parse(results, argc, argv, &err);
	if (!rc)
		rc = check_anonymous(results, name, &err);
	if (!rc)
		rc = emit_check_place(results->output, argc, argv, &err);
	if (!rc && results->format == NATIVE_CDM && !str_equal(name, "show"))
		rc = no_cdm(&err);
	if (!rc)
		rc = run(results, &err);
	side_source_done(&results->source);
	free(results);
	return rc ? emit_error(&err) : 0;
}
