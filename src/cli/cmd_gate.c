/* assay gate: is the new one no worse than the baseline? */
#include <math.h>
#include <string.h>

#include "base/unit.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/native.h"
#include "cli/sides.h"
#include "report/gate_page.h"

#define MARGIN 0.03

/* Bandwidth at a fixed block size is IOPS again, and a maximum is one request: neither is a
 * question of its own. */
static const enum cell_metric judged[] = {CELL_IOS_PER_S, CELL_MEAN_NS, CELL_P50_NS,
					  CELL_P99_NS,	  CELL_P999_NS, CELL_P9999_NS};
#define NJUDGED (sizeof(judged) / sizeof(judged[0]))

struct gate {
	const char *names[2], *output;
	unsigned nnames;
	enum native_format format;
	bool junit;
	double margin[NCELL_METRIC];
	struct side_source source;
	struct side side[2];
};

static int parse_margin(struct gate *gate, const char *text, struct err *err)
{
	const char *colon = strchr(text, ':');
	uint32_t percent_x100;
	int rc = unit_parse_percent(colon ? colon + 1 : text, &percent_x100, err);
	bool known = !colon;

	if (rc) {
		err_context(err, "margin");
		return rc;
	}
	for (unsigned m = 0; m < NCELL_METRIC; m++) {
		size_t length = strlen(cell_metrics[m].name);

		if (colon && ((size_t)(colon - text) != length ||
			      strncmp(text, cell_metrics[m].name, length) != 0))
			continue;
		gate->margin[m] = percent_x100 / 1e4;
		known = true;
	}
	return known ? 0
		     : err_input(err,
				 "margin: \"%.*s\" is none of iops, bw, mean, p50, p99, p99.9, "
				 "p99.99",
				 (int)(colon - text), text);
}

static int set_option(struct gate *gate, const char *word, struct err *err)
{
	const char *value = strchr(word, '=');

	if (!value)
		return err_input(err, "gate: there is no option \"%s\", or it lacks its value",
				 word);
	value++;
	if (str_starts(word, "--store="))
		gate->source.store_path = value;
	else if (str_starts(word, "--output="))
		gate->output = value;
	else if (str_starts(word, "--margin="))
		return parse_margin(gate, value, err);
	else if (str_equal(word, "--format=junit"))
		gate->junit = true;
	else if (str_starts(word, "--format="))
		return native_format_parse(value, &gate->format, err);
	else
		return err_input(err, "gate: there is no option \"%s\"", word);
	return 0;
}

static int parse(struct gate *gate, int argc, char **argv, struct err *err)
{
	int rc = 0;

	for (unsigned m = 0; m < NCELL_METRIC; m++)
		gate->margin[m] = MARGIN;
	for (int i = 1; i < argc && !rc; i++) {
		if (str_equal(argv[i], "-o") && i + 1 < argc)
			gate->output = argv[++i];
		else if (str_starts(argv[i], "--"))
			rc = set_option(gate, argv[i], err);
		else if (gate->nnames < 2)
			gate->names[gate->nnames++] = argv[i];
		else
			rc = err_input(err, "gate: BASELINE and NEW, not \"%s\" too", argv[i]);
	}
	if (!rc && gate->nnames != 2)
		rc = err_input(err, "gate: BASELINE and NEW (runs, tags or files)");
	return rc;
}

static void add_line(const struct gate *gate, const struct lineup *lineup, unsigned c,
		     enum cell_metric metric, struct gate_report *report)
{
	const struct lineup_cell *cell = &lineup->cells[c];
	unsigned a = lineup_values(lineup, cell, 0, metric)->count;
	unsigned b = lineup_values(lineup, cell, 1, metric)->count;
	struct gate_line *line = &report->lines[report->count];
	struct gate_item *item = &report->items[report->count];

	if (!a || !b)
		return;
	*line = (struct gate_line){.cell = cell,
				   .metric = metric,
				   .baseline = lineup_value(lineup, cell, 0, metric),
				   .fresh = lineup_value(lineup, cell, 1, metric),
				   .runs_baseline = a,
				   .runs_fresh = b};
	*item = (struct gate_item){.ratio = lineup_ratio_pair(lineup, cell, 0, 1, metric),
				   .less_is_better = cell_metrics[metric].less_is_better,
				   .margin = gate->margin[metric]};
	report->count++;
}

/* A run that was stopped is another measurement than was asked for: a fresh drive's, a burst's.
 * Finished cells of a plan are whole. */
static bool is_partial(const struct side *side)
{
	for (unsigned i = 0; i < side->count; i++)
		if (side->records[i]->incomplete && !str_equal(side->records[i]->kind, "plan"))
			return true;
	return false;
}

static void judge_incomplete(const struct gate *gate, struct gate_report *report)
{
	const char *const *incomplete = report->lineup->incomplete;

	if (is_partial(&gate->side[0]) || is_partial(&gate->side[1]))
		for (unsigned i = 0; i < report->count; i++)
			report->items[i].outcome = GATE_CANNOT_TELL;
	report->outcome = gate_of_all(report->items, report->count);
	if (report->outcome == GATE_PASS && (incomplete[0] || incomplete[1]))
		report->outcome = GATE_CANNOT_TELL;
}

static void judge(struct gate *gate, const struct lineup *lineup, struct gate_report *report)
{
	struct arena *arena = &gate->source.arena;
	unsigned room = lineup->ncells * (unsigned)NJUDGED + 1, least = 1000000;
	struct gate_item *items = arena_array(arena, struct gate_item, room);

	*report = (struct gate_report){.lineup = lineup,
				       .lines = arena_array(arena, struct gate_line, room),
				       .items = items};
	for (unsigned c = 0; c < lineup->ncells; c++)
		for (size_t m = 0; m < NJUDGED; m++)
			add_line(gate, lineup, c, judged[m], report);
	for (unsigned i = 0; i < report->count; i++) {
		unsigned a = report->lines[i].runs_baseline, b = report->lines[i].runs_fresh;

		least = a < least ? a : least;
		least = b < least ? b : least;
	}
	gate_decide(items, report->count, least);
	judge_incomplete(gate, report);
}

static int show(struct gate *gate, const struct gate_report *report, struct err *err)
{
	struct document doc;
	autostr out = {0};

	if (gate->junit) {
		gate_junit(report, &out);
	} else if (gate->format == NATIVE_JSON) {
		gate_json(report, &out);
	} else {
		native_begin_page(&doc, &out, gate->format, gate->output);
		gate_page(&doc, report);
		document_done(&doc);
	}
	return emit_text(gate->output, &out, err);
}

int cmd_gate(int argc, char **argv)
{
	struct gate_report report = {0};
	struct gate gate = {0};
	struct lineup lineup;
	struct err err = {0};
	int rc, code = 0;

	side_source_init(&gate.source, NULL, STORE_WHOLE); /* of a pair its rows are asked */
	rc = parse(&gate, argc, argv, &err);
	if (!rc)
		rc = emit_check_place(gate.output, argc, argv, &err);
	if (!rc)
		lineup_init(&lineup, &gate.source.arena, 2);
	for (unsigned i = 0; i < 2 && !rc; i++) {
		rc = side_load(&gate.source, gate.names[i], &gate.side[i], &err);
		if (!rc)
			lineup_add(&lineup, i, gate.names[i], gate.side[i].records,
				   gate.side[i].count);
	}
	if (!rc) {
		judge(&gate, &lineup, &report);
		code = (int)report.outcome; /* 0, 1, 2 */
		rc = report.count ? 0
				  : err_input(&err, "gate: the two have no figure in common");
	}
	if (!rc)
		rc = show(&gate, &report, &err);
	for (unsigned i = 0; i < 2; i++)
		side_done(&gate.side[i]);
	side_source_done(&gate.source);
	return rc ? emit_error(&err) : code;
}
