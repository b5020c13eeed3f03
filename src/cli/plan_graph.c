/* The rounds of a plan as the graphs that SNIA's tests ask for: the tracked figure of each, and in
 * the window its average, the band of 10 % around it, and the fit whose slope was judged; all
 * cells by round; and how a new drive got to its steady state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "base/memory.h"
#include "cli/plan_page_priv.h"
#include "report/graph.h"
#include "result/codec.h"

#define BAND 0.1 /* of the average, to each side */

struct window {
	double first, last; /* numbers of rounds, from 1 */
	const struct plan_proof *proof;
};

static const double *ends(struct document *doc, double from, double to)
{
	double *two = arena_array(&doc->arena, double, 2);

	two[0] = from;
	two[1] = to;
	return two;
}

static struct graph_line across(struct document *doc, const char *name,
				const struct window *window, double from, double to)
{
	return (struct graph_line){.name = name,
				   .stroke = {INK_TEXT, 1.1, DASH_SHORT},
				   .x = ends(doc, window->first, window->last),
				   .y = ends(doc, from, to),
				   .count = 2};
}

void plan_rounds_graph(struct document *doc, const struct plan_rounds_view *view)
{
	const struct plan_steady *steady = view->steady;
	const struct plan_proof *proof = &steady->proof[view->variable];
	const struct window window = {steady->first_round + 1, steady->rounds, proof};
	double unit = plan_drawn_value(view->metric, 1), mean = proof->mean * unit;
	double half = proof->slope * unit * (window.last - window.first) / 2;
	double *x = arena_array(&doc->arena, double, steady->rounds);
	double *values = arena_array(&doc->arena, double, steady->rounds);
	const struct graph_shade shade = {window.first - 0.4, window.last + 0.4, INK_GREEN,
					  steady->attained ? N_("steady window")
							   : N_("last window")};
	const struct graph_line lines[] = {
		{.name = view->name,
		 .stroke = {INK_BLUE, 1.8, DASH_SOLID},
		 .x = x,
		 .y = values,
		 .count = steady->rounds},
		across(doc, N_("average of the window"), &window, mean, mean),
		across(doc, N_("average +- 10 %"), &window, mean * (1 + BAND),
		       mean * (1 + BAND)),
		across(doc, N_("average +- 10 %"), &window, mean * (1 - BAND),
		       mean * (1 - BAND)),
		{.name = N_("fit"),
		 .stroke = {INK_RED, 1.4, DASH_LONG},
		 .x = ends(doc, window.first, window.last),
		 .y = ends(doc, mean - half, mean + half),
		 .count = 2},
	};
	struct graph graph = {.id = view->id,
			      .title = view->title,
			      .x_words = N_("round"),
			      .x = {.low = 0, .high = steady->rounds + 1},
			      .lines = lines,
			      .nlines = ARRAY_SIZE(lines),
			      .shades = &shade,
			      .nshades = 1};
	struct chart chart = {.title = view->name,
			      .values = values,
			      .count = steady->rounds,
			      .span = N_("a round each"),
			      .graph = &graph};

	for (unsigned i = 0; i < steady->rounds; i++) {
		x[i] = i + 1;
		values[i] = view->values[i] * unit;
	}
	plan_name_values(view->metric, &graph);
	chart.unit = graph.unit;
	graph_fit_y(&graph);
	document_chart(doc, &chart);
}

/* --- all cells by round --- */

static double *numbers_from_one(struct document *doc, unsigned count)
{
	double *x = arena_array(&doc->arena, double, count);

	for (unsigned i = 0; i < count; i++)
		x[i] = i + 1;
	return x;
}

/* The lines of those cells whose first option has its `first`-th value (all, where there is but
 * one option). Returns how many. */
static unsigned cell_lines(struct document *doc, const struct plan_lane *lane, unsigned number,
			   unsigned first, unsigned rounds, struct graph_line *lines)
{
	const struct plan_step *step = &lane->plan->steps[number];
	enum cell_metric metric = step->until.variable[0].metric;
	bool many = step->sweep.count > 1;
	const double *x = numbers_from_one(doc, rounds);
	unsigned count = 0;

	for (unsigned c = 0; c < step->ncells && count < GRAPH_LINES_MAX; c++) {
		const struct plan_entry *entry;
		double *y;
		unsigned from = 0;

		if (many && step->cells[c].pick[0] != first)
			continue;
		y = arena_array(&doc->arena, double, rounds);
		for (unsigned i = 0; i < rounds; i++)
			y[i] = (double)NAN;
		while ((entry = plan_entry_next(lane, number, &from)))
			if (entry->task.cell == c && entry->task.pass == step->repeat - 1 &&
			    entry->task.round < rounds)
				y[entry->task.round] = plan_drawn_value(
					metric, entry->figures.value[PLAN_ALL][metric]);
		lines[count] =
			(struct graph_line){.name = many ? strchr(step->cells[c].name, ' ') + 1
							 : step->cells[c].name,
					    .stroke = graph_stroke(count),
					    .x = x,
					    .y = y,
					    .count = rounds};
		count++;
	}
	return count;
}

void plan_convergence_graphs(struct document *doc, const struct plan_lane *lane,
			     unsigned number, const struct plan_steady *steady)
{
	const struct plan_step *step = &lane->plan->steps[number];
	const struct plan_axis *axis = step->sweep.axis;
	enum cell_metric metric = step->until.variable[0].metric;
	unsigned count = step->sweep.count > 1 ? axis->count : 1;
	const struct graph_shade shade = {
		steady->first_round + 0.6, steady->first_round + steady->nwindow + 0.4,
		INK_GREEN, steady->attained ? N_("steady window") : N_("last window")};

	for (unsigned i = 0; i < count && step->ncells > 1; i++) {
		struct graph_line lines[GRAPH_LINES_MAX];
		struct graph graph = {
			.id = document_text(doc, "%s-rounds-%u",
					    plan_step_id(doc, lane, number), i),
			.title = document_text(doc, "%s: %s of all rounds%s%s%s%s", step->name,
					       cell_metrics[metric].name, count > 1 ? ", " : "",
					       count > 1 ? axis->key : "", count > 1 ? "=" : "",
					       count > 1 ? axis->values[i] : ""),
			.x_words = N_("round"),
			.x = {.low = 0, .high = steady->rounds + 1},
			.y = {.kind = SCALE_LOG},
			.lines = lines,
			.shades = &shade,
			.nshades = steady->nwindow > 0};

		graph.nlines = cell_lines(doc, lane, number, i, steady->rounds, lines);
		plan_name_values(metric, &graph);
		graph_fit_y(&graph);
		if (graph.y.high > 0)
			document_graph(doc, &graph);
	}
}

/* --- from new to steady --- */

enum { MEAN, P999, FIVE_NINES, MAX, LATENCIES };

struct samples {
	double *time_s, *bytes; /* at the middle of each, since the first */
	double *ios_per_s, *mb_per_s, *latency_ns[LATENCIES];
	unsigned count;
};

/* p99.999 is not kept: it comes out of the sample's histogram, where that has enough requests. */
static double five_nines_ns(const struct plan_entry *entry, struct hist *hist)
{
	const struct plan_blob *blob = &entry->hist[PLAN_ALL];

	*hist = (struct hist){0};
	if (!blob->count || codec_hist_merge(blob->bytes, blob->count, hist) ||
	    !hist_percentile_is_sound(hist_total(hist), 99.999))
		return (double)NAN;
	return fmin((double)hist_percentile_ns(hist, 99.999),
		    entry->figures.value[PLAN_ALL][CELL_MAX_NS]);
}

static void add_sample(const struct plan_entry *entry, struct hist *hist,
		       struct samples *samples, double *time_s, double *bytes)
{
	const double *value = entry->figures.value[PLAN_ALL];
	double span_s = (double)entry->span_ns / 1e9, more = (double)entry->written_bytes;
	unsigned i = samples->count++;

	samples->time_s[i] = *time_s + span_s / 2;
	samples->bytes[i] = *bytes + more / 2;
	samples->ios_per_s[i] = value[CELL_IOS_PER_S];
	samples->mb_per_s[i] = value[CELL_BYTES_PER_S] * 1e-6;
	samples->latency_ns[MEAN][i] = value[CELL_MEAN_NS];
	samples->latency_ns[P999][i] = value[CELL_P999_NS];
	samples->latency_ns[FIVE_NINES][i] = five_nines_ns(entry, hist);
	samples->latency_ns[MAX][i] = value[CELL_MAX_NS];
	*time_s += span_s;
	*bytes += more;
}

static void samples_of(struct document *doc, const struct plan_lane *lane, unsigned number,
		       unsigned rounds, struct samples *samples)
{
	const struct plan_step *step = &lane->plan->steps[number];
	struct hist *hist = memory_zeroed(1, sizeof(*hist));
	const struct plan_entry *entry;
	double time_s = 0, bytes = 0;
	unsigned from = 0;
	double **arrays[] = {&samples->time_s,
			     &samples->bytes,
			     &samples->ios_per_s,
			     &samples->mb_per_s,
			     &samples->latency_ns[MEAN],
			     &samples->latency_ns[P999],
			     &samples->latency_ns[FIVE_NINES],
			     &samples->latency_ns[MAX]};

	*samples = (struct samples){0};
	for (unsigned i = 0; i < ARRAY_SIZE(arrays); i++)
		*arrays[i] = arena_array(&doc->arena, double, rounds);
	while ((entry = plan_entry_next(lane, number, &from)) && samples->count < rounds)
		if (entry->task.pass == step->repeat - 1 && !entry->task.cell)
			add_sample(entry, hist, samples, &time_s, &bytes);
	free(hist);
}

static double *divided(struct document *doc, const double *values, unsigned count, double by)
{
	double *quotients = arena_array(&doc->arena, double, count);

	for (unsigned i = 0; i < count; i++)
		quotients[i] = values[i] / by;
	return quotients;
}

/* One figure of the samples over one axis. */
struct over {
	const char *id, *title, *x_words, *y_words;
	const double *x, *y;
	enum scale_kind kind;
	bool time;
};

static void sample_graph(struct document *doc, const char *prefix, const struct over *over,
			 unsigned count)
{
	const struct graph_line line = {.name = over->y_words,
					.stroke = graph_stroke(0),
					.x = over->x,
					.y = over->y,
					.count = count};
	struct graph graph = {.id = document_text(doc, "%s-%s", prefix, over->id),
			      .title = over->title,
			      .x_words = over->x_words,
			      .y_words = over->y_words,
			      .unit = over->y_words,
			      .axis = prefix,
			      .x = {.unit = over->time ? SCALE_SECONDS : SCALE_PLAIN,
				    .high = over->x[count - 1]},
			      .y = {.kind = over->kind},
			      .lines = &line,
			      .nlines = 1};

	graph_fit_y(&graph);
	document_graph(doc, &graph);
}

static void latency_graph(struct document *doc, const char *prefix,
			  const struct samples *samples)
{
	static const char *const names[] = {
		[MEAN] = "mean", [P999] = "p99.9", [FIVE_NINES] = "p99.999", [MAX] = "maximum"};
	struct graph_line lines[LATENCIES];
	struct graph graph = {
		.id = document_text(doc, "%s-latency", prefix),
		.title = N_("Latency of each sample"),
		.axis = prefix,
		.note = N_("p99.999 is drawn where a sample has 1,000,000 requests."),
		.x_words = N_("time since the first sample"),
		.y_words = "latency",
		.unit = "ns",
		.x = {.unit = SCALE_SECONDS, .high = samples->time_s[samples->count - 1]},
		.y = {.kind = SCALE_LOG, .unit = SCALE_TIME_NS},
		.lines = lines};

	for (unsigned i = 0; i < LATENCIES; i++) {
		bool any = false;

		for (unsigned k = 0; k < samples->count; k++)
			any |= !isnan(samples->latency_ns[i][k]);
		if (any)
			lines[graph.nlines++] = (struct graph_line){.name = names[i],
								    .stroke = graph_stroke(i),
								    .x = samples->time_s,
								    .y = samples->latency_ns[i],
								    .count = samples->count};
	}
	graph_fit_y(&graph);
	if (graph.nlines)
		document_graph(doc, &graph);
}

void plan_saturation_graphs(struct document *doc, const struct plan_view *view,
			    const struct plan_lane *lane, unsigned number, unsigned rounds)
{
	const char *prefix = plan_step_id(doc, lane, number);
	double size = (double)view->record->targets[lane->target].size_bytes;
	struct samples s;

	samples_of(doc, lane, number, rounds, &s);
	if (s.count < 2)
		return;
	const struct over graphs[] = {
		{"time", N_("IOPS over time"), N_("time since the first sample"), "IOPS",
		 s.time_s, s.ios_per_s, SCALE_LINEAR, true},
		{"time-log", N_("IOPS over time, logarithmic"),
		 N_("time since the first sample"), "IOPS", s.time_s, s.ios_per_s, SCALE_LOG,
		 true},
		{"written", N_("IOPS over bytes written"), N_("GB written"), "IOPS",
		 divided(doc, s.bytes, s.count, 1e9), s.ios_per_s, SCALE_LINEAR, false},
		{"fills", N_("IOPS over fills of the drive"), N_("written, times the capacity"),
		 "IOPS", size > 0 ? divided(doc, s.bytes, s.count, size) : NULL, s.ios_per_s,
		 SCALE_LINEAR, false},
		{"bandwidth", N_("Bandwidth over time"), N_("time since the first sample"),
		 "MB/s", s.time_s, s.mb_per_s, SCALE_LINEAR, true},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(graphs); i++)
		if (graphs[i].x)
			sample_graph(doc, prefix, &graphs[i], s.count);
	latency_graph(doc, prefix, &s);
}
