/* assay history: one target over its runs, with the points where a figure went to another level. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/lang.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/keep.h"
#include "cli/native.h"
#include "report/cells_page.h"
#include "report/figures.h"
#include "report/graph.h"
#include "report/html.h"
#include "stat/change.h"

#define SERIES_MIN 6 /* runs, below which no change can be told */

struct reading {
	int64_t run;
	uint64_t unix_ns;
	double value;
};

/* One cell of the target: its figure in each run, oldest first. */
struct line {
	const char *key;
	struct reading *points;
	unsigned count, room;
};

struct history {
	const char *target, *store_path, *output;
	enum native_format format;
	enum cell_metric metric;
	struct arena arena;
	struct line *lines;
	unsigned count, room;
	unsigned left_out; /* runs that did not come to their end: no figure of theirs counts */
};

static void *wider(struct arena *arena, void *items, unsigned count, size_t bytes)
{
	void *room = arena_calloc(arena, 2 * (size_t)count + 16, bytes, _Alignof(max_align_t));

	if (count)
		memcpy(room, items, count * bytes);
	return room;
}

static struct line *line_of(struct history *history, const char *key)
{
	for (unsigned i = 0; i < history->count; i++)
		if (str_equal(history->lines[i].key, key))
			return &history->lines[i];
	if (history->count == history->room) {
		history->lines = wider(&history->arena, history->lines, history->count,
				       sizeof(*history->lines));
		history->room = 2 * history->room + 16;
	}
	history->lines[history->count] = (struct line){.key = key};
	return &history->lines[history->count++];
}

static void add_run(struct history *history, int64_t run, const struct record *record)
{
	for (unsigned i = 0; i < record->ncells; i++) {
		const struct record_cell *cell = &record->cells[i];
		struct line *line;

		if (isnan(cell->value[history->metric]))
			continue;
		line = line_of(history, record_cell_key(&history->arena, cell));
		if (line->count == line->room) {
			line->points = wider(&history->arena, line->points, line->count,
					     sizeof(*line->points));
			line->room = 2 * line->room + 16;
		}
		line->points[line->count++] =
			(struct reading){.run = run,
					 .unix_ns = record->started_unix_ns,
					 .value = cell->value[history->metric]};
	}
}

/* Runs are taken as independent: a dependence measured here would be the change itself. */
static unsigned changes_in(const struct line *line, struct change *changes, struct arena *arena)
{
	double *values = arena_array(arena, double, line->count);

	for (unsigned i = 0; i < line->count; i++)
		values[i] = line->points[i].value;
	return change_find(values, line->count, 1, 0, changes, arena);
}

static bool is_worse(const struct history *history, const struct change *change)
{
	return (change->after > change->before) == cell_metrics[history->metric].less_is_better;
}

/* --- the page --- */

struct level {
	struct change changes[CHANGE_MAX];
	unsigned nchanges;
	bool told; /* there are runs enough */
};

static void changes_of(struct document *doc, const struct history *history,
		       const struct line *line, const struct level *level)
{
	if (!level->told) {
		document_prose(doc, TONE_INFO,
			       PLURAL(line->count, "%u run: a change can be told from %u on",
				      "%u runs: a change can be told from %u on"),
			       line->count, SERIES_MIN);
		return;
	}
	for (unsigned i = 0; i < level->nchanges; i++) {
		const struct change *change = &level->changes[i];
		bool worse = is_worse(history, change);

		document_prose(doc, worse ? TONE_WARNING : TONE_INFO,
			       worse ? N_("worse since r%" PRId64
					  ": %s before, %s after (%+.1f %%, p %.2g)")
				     : N_("better since r%" PRId64
					  ": %s before, %s after (%+.1f %%, p %.2g)"),
			       line->points[change->at].run,
			       cells_value(doc, history->metric, change->before),
			       cells_value(doc, history->metric, change->after),
			       100 * (change->after / change->before - 1), change->p);
	}
	if (!level->nchanges)
		document_prose(doc, TONE_PLAIN, "No change of level in %u runs.", line->count);
}

/* The mean between two changes, from the first run of that level to its last. */
static struct graph_line level_line(struct document *doc, const double *values,
				    const struct level *level, unsigned count)
{
	double *x = arena_array(&doc->arena, double, 3UL * CHANGE_MAX + 3);
	double *y = arena_array(&doc->arena, double, 3UL * CHANGE_MAX + 3);
	unsigned n = 0, from = 0;

	for (unsigned i = 0; i <= level->nchanges; i++) {
		unsigned end = i < level->nchanges ? level->changes[i].at : count;
		double sum = 0;

		for (unsigned k = from; k < end; k++)
			sum += values[k];
		x[n] = from + 0.6;
		y[n++] = sum / (end - from);
		x[n] = end + 0.4;
		y[n++] = sum / (end - from);
		x[n] = end + 0.5; /* the pen is lifted */
		y[n++] = (double)NAN;
		from = end;
	}
	return (struct graph_line){.name = N_("level"),
				   .stroke = {INK_TEXT, 1.6, DASH_LONG},
				   .x = x,
				   .y = y,
				   .count = n};
}

static void line_graph(struct document *doc, const struct history *history,
		       const struct line *line, const double *values, const struct level *level)
{
	const struct cell_metric_facts *facts = &cell_metrics[history->metric];
	unsigned number = (unsigned)(line - history->lines) + 1;
	double *x = arena_array(&doc->arena, double, line->count);
	struct graph_limit limits[CHANGE_MAX];
	const struct graph_line lines[] = {
		{.name = facts->name,
		 .stroke = {INK_BLUE, 1.6, DASH_SOLID},
		 .x = x,
		 .y = values,
		 .count = line->count},
		level_line(doc, values, level, line->count),
	};
	struct graph graph = {.id = arena_printf(&doc->arena, "history-%u", number),
			      .title = document_text(doc, "%s over the runs", facts->name),
			      .x_words = N_("runs, oldest first"),
			      .y_words = facts->unit,
			      .unit = facts->unit,
			      .x = {.high = line->count + 1},
			      .lines = lines,
			      .nlines = level->told ? 2 : 1,
			      .limits = limits,
			      .nlimits = level->nchanges};
	const struct chart chart = {.title = facts->name,
				    .unit = facts->unit,
				    .values = values,
				    .count = line->count,
				    .span = N_("a run"),
				    .graph = &graph};

	for (unsigned i = 0; i < line->count; i++)
		x[i] = i + 1;
	for (unsigned i = 0; i < level->nchanges; i++) {
		unsigned at = level->changes[i].at;

		limits[i] = (struct graph_limit){
			.at = at + 0.5,
			.upright = true,
			.text = document_text(doc, "r%" PRId64, line->points[at].run)};
	}
	graph_fit_y(&graph);
	document_chart(doc, &chart);
}

static void line_page(struct document *doc, const struct history *history,
		      const struct line *line)
{
	double *values = arena_array(&doc->arena, double, line->count);
	struct level level = {.told = line->count >= SERIES_MIN};

	if (level.told)
		level.nchanges = changes_in(line, level.changes, &doc->arena);
	for (unsigned i = 0; i < line->count; i++)
		values[i] = line->points[i].value * cell_metrics[history->metric].scale;
	document_heading(doc, 2, "%s", line->key);
	line_graph(doc, history, line, values, &level);
	changes_of(doc, history, line, &level);
}

/* --- JSON --- */

/* null where too few runs can tell. */
static void changes_json(struct json *json, struct history *history, const struct line *line)
{
	double scale = cell_metrics[history->metric].scale;
	struct change changes[CHANGE_MAX];
	unsigned count;

	if (line->count < SERIES_MIN) {
		json_add_null(json, "changes");
		return;
	}
	count = changes_in(line, changes, &history->arena);
	json_open_array(json, "changes");
	for (unsigned i = 0; i < count; i++) {
		char run[32];

		(void)snprintf(run, sizeof(run), "r%" PRId64, line->points[changes[i].at].run);
		json_open_object(json, NULL);
		json_add_string(json, "since", run);
		json_add_double(json, "before", changes[i].before * scale);
		json_add_double(json, "after", changes[i].after * scale);
		json_add_double(json, "p", changes[i].p);
		json_add_bool(json, "worse", is_worse(history, &changes[i]));
		json_close_object(json);
	}
	json_close_array(json);
}

static void line_json(struct json *json, struct history *history, const struct line *line)
{
	double scale = cell_metrics[history->metric].scale;

	json_open_object(json, NULL);
	json_add_string(json, "cell", line->key);
	json_open_array(json, "runs");
	for (unsigned i = 0; i < line->count; i++) {
		char run[32];

		(void)snprintf(run, sizeof(run), "r%" PRId64, line->points[i].run);
		json_open_object(json, NULL);
		json_add_string(json, "run", run);
		json_add_u64(json, "started_unix_ns", line->points[i].unix_ns);
		json_add_double(json, "value", line->points[i].value * scale);
		json_close_object(json);
	}
	json_close_array(json);
	changes_json(json, history, line);
	json_close_object(json);
}

static void history_json(struct history *history, struct str *out)
{
	struct json json;

	json_init(&json, out);
	json_open_object(&json, NULL);
	json_add_u64(&json, "schema_version", 1);
	json_add_string(&json, "target", history->target);
	json_add_string(&json, "metric", cell_metrics[history->metric].name);
	json_add_string(&json, "unit", cell_metrics[history->metric].unit);
	json_add_u64(&json, "runs_left_out", history->left_out);
	json_open_array(&json, "cells");
	for (unsigned i = 0; i < history->count; i++)
		line_json(&json, history, &history->lines[i]);
	json_close_array(&json);
	json_close_object(&json);
	str_add_char(out, '\n');
}

static int show(struct history *history, struct err *err)
{
	const struct html_head head = {.title = history->target,
				       .program = "assay " ASSAY_VERSION,
				       .lang = lang_of_environment()};
	struct document doc;
	autostr out = {0};

	if (history->format == NATIVE_JSON) {
		history_json(history, &out);
		return emit_text(history->output, &out, err);
	}
	if (history->format == NATIVE_HTML)
		document_init_html(&doc, &out, &head);
	else
		native_begin_page(&doc, &out, history->format, history->output);
	document_heading(&doc, 1, "history of %s, %s", history->target,
			 cell_metrics[history->metric].name);
	if (history->left_out)
		document_prose(&doc, TONE_INFO,
			       PLURAL(history->left_out,
				      "%u of its runs did not come to its end and is left out",
				      "%u of its runs did not come to their end and are left "
				      "out"),
			       history->left_out);
	for (unsigned i = 0; i < history->count; i++)
		line_page(&doc, history, &history->lines[i]);
	document_done(&doc);
	return emit_text(history->output, &out, err);
}

/* --- reading --- */

struct ids {
	struct history *history;
	int64_t *runs;
	unsigned count, room;
};

static void keep_id(void *context, const struct store_entry *entry)
{
	struct ids *ids = context;

	if (entry->cut_off || entry->incomplete) {
		ids->history->left_out++;
		return;
	}
	if (ids->count == ids->room) {
		ids->runs =
			wider(&ids->history->arena, ids->runs, ids->count, sizeof(*ids->runs));
		ids->room = 2 * ids->room + 16;
	}
	ids->runs[ids->count++] = entry->run;
}

static int gather(struct history *history, struct err *err)
{
	const struct store_filter filter = {.target = history->target};
	struct ids ids = {.history = history};
	struct store *store = NULL;
	int rc = keep_open_for(history->store_path, STORE_READ, &store, err);

	if (!rc)
		rc = store_list(store, &filter, keep_id, &ids, err);
	if (!rc && !ids.count && history->left_out)
		rc = err_input(err,
			       "no run of \"%s\" came to its end: %u are kept, and all are "
			       "left out",
			       history->target, history->left_out);
	else if (!rc && !ids.count)
		rc = err_input(
			err, "no run of \"%s\" is kept; `assay results list` shows the targets",
			history->target);
	for (unsigned i = 0; i < ids.count && !rc; i++) {
		struct record record;

		rc = store_load(store, ids.runs[i], STORE_TOTALS, &record, err);
		if (!rc)
			add_run(history, ids.runs[i], &record);
		record_done(&record);
	}
	store_close(store);
	return rc;
}

static int set_metric(struct history *history, const char *name, struct err *err)
{
	for (enum cell_metric m = 0; m < NCELL_METRIC; m++) {
		if (!str_equal(cell_metrics[m].name, name))
			continue;
		history->metric = m;
		return 0;
	}
	return err_input(err,
			 "metric: \"%s\" is none of iops, bw, mean, p50, p99, p99.9, p99.99, "
			 "max",
			 name);
}

/* As --format says, or the ending of the file's name. */
static int set_format(struct history *history, const char *word, struct err *err)
{
	const char *dot = history->output ? strrchr(history->output, '.') : NULL;

	if (!word && dot &&
	    (str_equal(dot, ".html") || str_equal(dot, ".csv") || str_equal(dot, ".json")))
		word = dot + 1;
	else if (!word && dot && str_equal(dot, ".md"))
		word = "markdown";
	if (word && str_equal(word, "html"))
		history->format = NATIVE_HTML;
	else if (word && str_equal(word, "csv"))
		history->format = NATIVE_CSV;
	else
		return native_format_parse(word, &history->format, err);
	return 0;
}

static int parse(struct history *history, int argc, char **argv, struct err *err)
{
	const char *format = NULL;
	int rc = 0;

	for (int i = 1; i < argc && !rc; i++) {
		const char *word = argv[i], *value = strchr(word, '=');

		if (str_equal(word, "-o") && i + 1 < argc)
			history->output = argv[++i];
		else if (str_starts(word, "--store="))
			history->store_path = value + 1;
		else if (str_starts(word, "--metric="))
			rc = set_metric(history, value + 1, err);
		else if (str_starts(word, "--format="))
			format = value + 1;
		else if (str_starts(word, "-") || history->target)
			rc = err_input(err,
				       "history: \"%s\": one TARGET, and options that "
				       "`assay help history` lists",
				       word);
		else
			history->target = word;
	}
	if (!rc && !history->target)
		rc = err_input(err,
			       "history: of which TARGET (a path, a model, a serial number)?");
	return rc ? rc : set_format(history, format, err);
}

int cmd_history(int argc, char **argv)
{
	struct history history = {.metric = CELL_IOS_PER_S};
	struct err err = {0};
	int rc;

	arena_init(&history.arena);
	rc = parse(&history, argc, argv, &err);
	if (!rc)
		rc = emit_check_place(history.output, argc, argv, &err);
	if (!rc)
		rc = gather(&history, &err);
	if (!rc)
		rc = show(&history, &err);
	arena_done(&history.arena);
	return rc ? emit_error(&err) : 0;
}
