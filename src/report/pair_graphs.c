#include "report/pair_graphs.h"

#include <math.h>

#include "base/bits.h"
#include "report/graph.h"
#include "report/plot_priv.h"

/* --- every interval as a dot --- */

static unsigned cells_of(const struct qos_run *run)
{
	return run->range.end - run->range.first;
}

static double dot_of(const struct qos_run *run, const struct series_cell *cell, bool latency)
{
	if (!latency)
		return (double)cell->count * 1e9 / (double)run->interval_ns;
	return cell->count && cell->max_ns ? (double)cell->max_ns : (double)NAN;
}

static void add_dots(struct document *doc, const struct qos_run *run, unsigned d, bool latency,
		     struct graph_line *ret_line)
{
	unsigned count = cells_of(run);
	double *y = arena_array(&doc->arena, double, count + 1UL);

	for (unsigned i = 0; i < count; i++)
		y[i] = dot_of(run, &run->part[d].cells[run->range.first + i], latency);
	*ret_line = (struct graph_line){.name = qos_dir_name((enum series_dir)d),
					.stroke = {plot_dir_ink((enum series_dir)d), 1.2,
						   plot_dir_dash((enum series_dir)d)},
					.y = y,
					.count = count,
					.dots = true};
}

static void dots_graph(struct document *doc, const struct pair_side *side, unsigned number,
		       const struct qos_ranges *ranges, bool latency)
{
	const struct qos_run *run = side->run;
	double step = (double)run->interval_ns / 1e9;
	struct graph_line lines[SERIES_ALL];
	struct graph graph = {
		.id = arena_printf(&doc->arena, "dots-%s-%u", latency ? "latency" : "iops",
				   number + 1),
		.title = latency ? document_text(doc, "Greatest latency, %s", side->name)
				 : document_text(doc, "Completions, %s", side->name),
		.x_words = N_("time since the start"),
		.y_words = latency ? N_("greatest latency of each interval") : N_("IOPS"),
		.unit = latency ? N_("ns") : N_("IOPS"),
		.x = {.unit = SCALE_SECONDS, .low = ranges->begin_s, .high = ranges->end_s},
		.begin = run->range.first * step,
		.step = step,
		.lines = lines,
		.half = true};

	graph.y = latency ? (struct scale){.kind = SCALE_LOG,
					   .unit = SCALE_TIME_NS,
					   .low = ranges->low_ns,
					   .high = ranges->high_ns}
			  : (struct scale){.high = fmax(ranges->iops, 1)};
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		if (run->part[d].cells && cells_of(run) > 1 && (!latency || run->has_latency))
			add_dots(doc, run, d, latency, &lines[graph.nlines++]);
	}
	if (graph.nlines)
		document_graph(doc, &graph);
}

/* --- percentiles of all --- */

static bool has_curve(const struct qos_run *run, unsigned d)
{
	return run->has_latency && run->part[d].cells &&
	       plot_nines(run->part[d].sums.total) > 0;
}

static void curves_graph(struct document *doc, const struct pair_side *sides, unsigned nsides)
{
	struct graph_line lines[GRAPH_LINES_MAX];
	struct graph graph = {
		.id = "percentiles-of-all",
		.title = N_("Latency by percentile, all of them"),
		.note = N_("Each curve ends where fewer than ten requests lie beyond it."),
		.x_words = N_("share of the requests that take at most this long"),
		.y_words = N_("latency"),
		.unit = N_("ns"),
		.x = {.kind = SCALE_NINES, .unit = SCALE_PERCENT},
		.y = {.kind = SCALE_LOG, .unit = SCALE_TIME_NS},
		.lines = lines};

	for (unsigned i = 0; i < nsides * SERIES_ALL && graph.nlines < GRAPH_LINES_MAX; i++) {
		unsigned side = i / SERIES_ALL, d = i % SERIES_ALL;
		double *x, *y;

		if (!has_curve(sides[side].run, d))
			continue;
		x = arena_array(&doc->arena, double, QOS_CURVE_POINTS);
		y = arena_array(&doc->arena, double, QOS_CURVE_POINTS);
		qos_curve(&sides[side].run->part[d], x, y);
		lines[graph.nlines] = (struct graph_line){
			.name = document_text(
				doc, "%s, %s", sides[side].name,
				lang_text(doc->style.lang, qos_dir_name((enum series_dir)d))),
			.stroke = graph_stroke(graph.nlines),
			.x = x,
			.y = y,
			.count = QOS_CURVE_POINTS};
		graph.nlines++;
		graph.x.high = fmax(graph.x.high, x[QOS_CURVE_POINTS - 1]);
	}
	graph_fit_y(&graph);
	if (graph.nlines)
		document_graph(doc, &graph);
}

/* --- the shift of two --- */

static struct graph_line shift_line(struct document *doc, const struct qos_part *a,
				    const struct qos_part *b, unsigned d)
{
	double *x = arena_array(&doc->arena, double, QOS_CURVE_POINTS);
	double *y = arena_array(&doc->arena, double, QOS_CURVE_POINTS);
	double last = fmin(plot_nines(a->sums.total), plot_nines(b->sums.total));
	double percents[QOS_CURVE_POINTS];
	uint64_t of_a[QOS_CURVE_POINTS], of_b[QOS_CURVE_POINTS];

	for (unsigned i = 0; i < QOS_CURVE_POINTS; i++) {
		x[i] = last * i / (QOS_CURVE_POINTS - 1);
		percents[i] = 100 - 100 * pow(10, -x[i]);
	}
	hist_percentiles_ns(a->hist, percents, QOS_CURVE_POINTS, of_a);
	hist_percentiles_ns(b->hist, percents, QOS_CURVE_POINTS, of_b);
	for (unsigned i = 0; i < QOS_CURVE_POINTS; i++)
		y[i] = of_a[i] ? (double)of_b[i] / (double)of_a[i] : (double)NAN;
	return (struct graph_line){.name = qos_dir_name((enum series_dir)d),
				   .stroke = {plot_dir_ink((enum series_dir)d), 1.8,
					      plot_dir_dash((enum series_dir)d)},
				   .x = x,
				   .y = y,
				   .count = QOS_CURVE_POINTS};
}

static void shift_graph(struct document *doc, const struct pair_side *a,
			const struct pair_side *b)
{
	const struct graph_limit even = {.at = 1, .text = document_say(doc, N_("alike"))};
	struct graph_line lines[SERIES_ALL];
	struct graph graph = {
		.id = "shift",
		.title = document_text(doc, "Latency at each percentile: %s ÷ %s", b->name,
				       a->name),
		.note = N_(
			"Above 1 the second takes longer. As far as ten requests of both lie "
			"beyond."),
		.x_words = N_("share of the requests that take at most this long"),
		.y_words = N_("ratio"),
		.unit = N_("ratio"),
		.x = {.kind = SCALE_NINES, .unit = SCALE_PERCENT},
		.y = {.kind = SCALE_LOG},
		.lines = lines,
		.limits = &even,
		.nlimits = 1};

	for (unsigned d = 0; d < SERIES_ALL; d++) {
		if (!has_curve(a->run, d) || !has_curve(b->run, d))
			continue;
		lines[graph.nlines] = shift_line(doc, &a->run->part[d], &b->run->part[d], d);
		graph.x.high = fmax(graph.x.high, lines[graph.nlines].x[QOS_CURVE_POINTS - 1]);
		graph.nlines++;
	}
	graph_fit_y(&graph);
	graph.y.low = fmin(graph.y.low, 0.9);
	graph.y.high = fmax(graph.y.high, 1.1);
	if (graph.nlines)
		document_graph(doc, &graph);
}

void pair_graphs(struct document *doc, const struct pair_side *sides, unsigned nsides,
		 const struct qos_ranges *ranges)
{
	document_heading(doc, 2, "side by side");
	for (unsigned latency = 0; latency < 2; latency++) {
		if (latency && !(ranges->high_ns > 0))
			continue;
		for (unsigned i = 0; i < nsides; i++)
			dots_graph(doc, &sides[i], i, ranges, latency);
	}
	curves_graph(doc, sides, nsides);
	if (nsides == 2)
		shift_graph(doc, &sides[0], &sides[1]);
}
