/* Drives side by side as pictures: each kind of load over what changes within it (requests in
 * flight, else block size), a line a side; and the ratio of each cell with its interval. */
#include <math.h>

#include "base/bits.h"
#include "report/graph.h"
#include "report/lineup_page.h"
#include "report/pair_graphs.h"
#include "result/figure.h"
#include "result/result_qos.h"

#define POINTS_MAX 64

/* --- one kind of load --- */

static bool same_kind(const struct lineup_cell *a, const struct lineup_cell *b)
{
	return str_equal(a->like.load, b->like.load) && a->like.dir == b->like.dir &&
	       a->like.read_percent == b->like.read_percent;
}

/* What changes within a kind. */
enum change { CHANGE_IN_FLIGHT, CHANGE_BLOCK };

static double x_of(const struct lineup_cell *cell, enum change change)
{
	return change == CHANGE_BLOCK ? (double)cell->like.bs_bytes / KiB
				      : (double)cell->like.jobs * cell->like.depth;
}

/* Cells that stand in one line: of the same block size where requests in flight change. */
static bool same_line(const struct lineup_cell *a, const struct lineup_cell *b,
		      enum change change)
{
	return same_kind(a, b) &&
	       (change == CHANGE_BLOCK || a->like.bs_bytes == b->like.bs_bytes);
}

/* Is this the first cell of its line? Lines begin there. */
static bool begins_line(const struct lineup *lineup, unsigned cell, enum change change)
{
	for (unsigned c = 0; c < cell; c++)
		if (same_line(&lineup->cells[c], &lineup->cells[cell], change))
			return false;
	return true;
}

/* One graph that is being made. */
struct sketch {
	struct document *doc;
	const struct lineup *lineup;
	enum change change;
	enum cell_metric metric;
	struct graph graph;
	struct graph_line lines[GRAPH_LINES_MAX];
};

/* Points stand in order of x. */
static void add_point(struct graph_line *line, double *x, double *y, double at, double value)
{
	unsigned i = line->count;

	if (i == POINTS_MAX || isnan(value))
		return;
	for (; i > 0 && x[i - 1] > at; i--) {
		x[i] = x[i - 1];
		y[i] = y[i - 1];
	}
	x[i] = at;
	y[i] = value;
	line->count++;
}

static bool is_rate(enum cell_metric metric)
{
	return metric == CELL_IOS_PER_S || metric == CELL_BYTES_PER_S;
}

static const char *line_name(const struct sketch *s, const struct lineup_cell *like,
			     unsigned side)
{
	const char *letter = lineup_letter(s->doc, side);

	return s->change == CHANGE_BLOCK ? letter
					 : document_text(s->doc, "%s, %g KiB", letter,
							 (double)like->like.bs_bytes / KiB);
}

static void add_line(struct sketch *s, unsigned first, unsigned side)
{
	const struct lineup_cell *cells = s->lineup->cells, *like = &cells[first];
	struct graph_line *line = &s->lines[s->graph.nlines];
	double *x = arena_array(&s->doc->arena, double, POINTS_MAX);
	double *y = arena_array(&s->doc->arena, double, POINTS_MAX);

	if (s->graph.nlines == GRAPH_LINES_MAX)
		return;
	*line = (struct graph_line){.name = line_name(s, like, side),
				    .stroke = graph_stroke(s->graph.nlines),
				    .x = x,
				    .y = y};
	for (unsigned c = first; c < s->lineup->ncells; c++)
		if (same_line(&cells[c], like, s->change))
			add_point(line, x, y, x_of(&cells[c], s->change),
				  lineup_value(s->lineup, &cells[c], side, s->metric) *
					  (is_rate(s->metric) ? cell_metrics[s->metric].scale
							      : 1));
	if (!line->count)
		return;
	s->graph.x.low = s->graph.nlines ? fmin(s->graph.x.low, x[0]) : x[0];
	s->graph.x.high = fmax(s->graph.x.high, x[line->count - 1]);
	s->graph.nlines++;
}

static void draw_kind(struct document *doc, const struct lineup *lineup, unsigned first,
		      enum change change, enum cell_metric metric)
{
	const struct record_cell *like = &lineup->cells[first].like;
	struct sketch s = {.doc = doc, .lineup = lineup, .change = change, .metric = metric};
	const char *mix = like->read_percent && like->read_percent < 100
				  ? document_text(doc, " %u/%u", like->read_percent,
						  100 - like->read_percent)
				  : "";

	s.graph = (struct graph){
		.id = document_text(doc, "cells-%u-%s", first, cell_metrics[metric].column),
		.title = document_text(doc, "%s%s, %s: %s", like->load, mix,
				       figure_dir_names[like->dir], cell_metrics[metric].name),
		.x_words = change == CHANGE_BLOCK ? N_("block size, KiB")
						  : N_("requests in flight: jobs x depth"),
		.y_words = is_rate(metric) ? cell_metrics[metric].unit : "latency",
		.unit = is_rate(metric) ? cell_metrics[metric].unit : "ns",
		.x = {.kind = SCALE_LOG},
		.y = {.kind = SCALE_LOG, .unit = is_rate(metric) ? SCALE_PLAIN : SCALE_TIME_NS},
		.lines = s.lines};
	for (unsigned c = first; c < lineup->ncells; c++)
		if (same_kind(&lineup->cells[c], &lineup->cells[first]) &&
		    begins_line(lineup, c, change))
			for (unsigned side = 0; side < lineup->nsides; side++)
				add_line(&s, c, side);
	if (!s.graph.nlines || !(s.graph.x.high > s.graph.x.low))
		return;
	graph_fit_y(&s.graph);
	document_graph(doc, &s.graph);
}

static bool is_first_of_kind(const struct lineup *lineup, unsigned cell)
{
	for (unsigned c = 0; c < cell; c++)
		if (same_kind(&lineup->cells[c], &lineup->cells[cell]))
			return false;
	return true;
}

static enum change change_of(const struct lineup *lineup, unsigned first)
{
	double in_flight = x_of(&lineup->cells[first], CHANGE_IN_FLIGHT);

	for (unsigned c = first; c < lineup->ncells; c++)
		if (same_kind(&lineup->cells[c], &lineup->cells[first]) &&
		    x_of(&lineup->cells[c], CHANGE_IN_FLIGHT) != in_flight)
			return CHANGE_IN_FLIGHT;
	return CHANGE_BLOCK;
}

/* --- ratios --- */

/* By the number of the cell in the table: the ratio, and the ends of its interval. */
static void draw_ratios(struct document *doc, const struct lineup *lineup, unsigned other,
			enum cell_metric metric)
{
	unsigned count = lineup->ncells;
	double *number = arena_array(&doc->arena, double, count);
	double *middle = arena_array(&doc->arena, double, count);
	double *low = arena_array(&doc->arena, double, count);
	double *high = arena_array(&doc->arena, double, count);
	const char *bounds = document_text(doc, "95 %% bounds");
	const struct graph_line lines[] = {
		{.name = "ratio",
		 .stroke = {INK_BLUE, 2, DASH_SOLID},
		 .x = number,
		 .y = middle,
		 .count = count,
		 .dots = true},
		{.name = bounds,
		 .stroke = {INK_ORANGE, 2, DASH_SOLID},
		 .x = number,
		 .y = low,
		 .count = count,
		 .dots = true},
		{.name = bounds,
		 .stroke = {INK_ORANGE, 2, DASH_SOLID},
		 .x = number,
		 .y = high,
		 .count = count,
		 .dots = true},
	};
	const struct graph_limit even = {.at = 1, .text = "alike"};
	struct graph graph = {
		.id = document_text(doc, "ratio-%u-%s", other, cell_metrics[metric].column),
		.title = document_text(doc, "%s: A ÷ %s", cell_metrics[metric].name,
				       lineup_letter(doc, other)),
		.note = N_(
			"Below 1 A has less. Where no bounds are drawn, one run a side does not "
			"tell what a repetition would give."),
		.x_words = N_("number of the cell in the table"),
		.y_words = "ratio",
		.unit = "",
		.x = {.low = 0, .high = count + 1},
		.y = {.kind = SCALE_LOG},
		.lines = lines,
		.nlines = ARRAY_SIZE(lines),
		.limits = &even,
		.nlimits = 1};
	bool any = false, bounded = false;

	for (unsigned c = 0; c < count; c++) {
		struct ratio ratio =
			lineup_ratio_pair(lineup, &lineup->cells[c], other, 0, metric);

		number[c] = c + 1;
		middle[c] = ratio.value;
		low[c] = ratio.low;
		high[c] = ratio.high;
		any |= !isnan(ratio.value);
		bounded |= !isnan(ratio.low);
	}
	if (!any)
		return;
	if (!bounded)
		graph.nlines = 1;
	graph_fit_y(&graph);
	graph.y.low = fmin(graph.y.low, 0.9);
	graph.y.high = fmax(graph.y.high, 1.1);
	document_graph(doc, &graph);
}

/* --- runs against each other --- */

/* Of sides that are one run each, whose rows were read too. */
static void draw_together(struct document *doc, const struct lineup *lineup)
{
	struct pair_side *sides = arena_array(&doc->arena, struct pair_side, lineup->nsides);
	struct qos_run *runs = arena_array(&doc->arena, struct qos_run, lineup->nsides);
	struct qos_ranges ranges;

	qos_ranges_init(&ranges);
	for (unsigned i = 0; i < lineup->nsides; i++) {
		const struct record *record = lineup->first[i];

		if (lineup->nrecords[i] != 1 || record->nparts != 1 ||
		    record->parts[0].result->nrows < 2)
			return;
		result_qos(record->parts[0].result, &doc->arena, &runs[i]);
		qos_ranges_add(&ranges, &runs[i]);
		sides[i] = (struct pair_side){lineup_letter(doc, i), &runs[i]};
	}
	pair_graphs(doc, sides, lineup->nsides, &ranges);
}

void lineup_graphs(struct document *doc, const struct lineup *lineup)
{
	static const enum cell_metric drawn[] = {CELL_IOS_PER_S, CELL_BYTES_PER_S,
						 CELL_MEAN_NS};

	for (unsigned i = 1; i < lineup->nsides; i++)
		for (unsigned m = 0; m < ARRAY_SIZE(drawn); m++)
			draw_ratios(doc, lineup, i, drawn[m]);
	for (unsigned c = 0; c < lineup->ncells; c++)
		for (unsigned m = 0; m < ARRAY_SIZE(drawn) && is_first_of_kind(lineup, c); m++)
			draw_kind(doc, lineup, c, change_of(lineup, c), drawn[m]);
	draw_together(doc, lineup);
}
