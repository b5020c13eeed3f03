/* Figures of a plan's cells as curves over an option, and the distribution of a single cell. */
#include <math.h>

#include "base/lang.h"
#include "base/unit.h"
#include "cli/plan_page_priv.h"
#include "report/graph.h"
#include "report/qos_graphs.h"
#include "stat/hist.h"

#define LOG_FROM 8 /* greatest by least value from which on an axis is logarithmic */

/* The values of an option as numbers: block sizes in KiB. False: some are none. */
static bool numbers_of(const struct plan_axis *axis, double *ret_values)
{
	bool sizes = str_equal(axis->key, "bs");

	for (unsigned i = 0; i < axis->count; i++) {
		uint64_t bytes;

		if (sizes ? unit_parse_size(axis->values[i], &bytes, NULL)
			  : unit_parse_double(axis->values[i], &ret_values[i], NULL))
			return false;
		if (sizes)
			ret_values[i] = (double)bytes / KiB;
	}
	return true;
}

/* Places of the values, ascending. */
static void order_of(const double *values, unsigned count, unsigned *ret_order)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned at = i;

		for (; at > 0 && values[ret_order[at - 1]] > values[i]; at--)
			ret_order[at] = ret_order[at - 1];
		ret_order[at] = i;
	}
}

static struct scale scale_over(const double *x, unsigned count)
{
	struct scale scale = {.low = x[0], .high = x[count - 1]};

	if (x[0] > 0 && x[count - 1] / x[0] >= LOG_FROM)
		scale.kind = SCALE_LOG;
	return scale;
}

double plan_drawn_value(enum cell_metric metric, double value)
{
	return metric == CELL_BYTES_PER_S ? value * cell_metrics[metric].scale : value;
}

void plan_name_values(enum cell_metric metric, struct graph *graph)
{
	bool rate = metric == CELL_IOS_PER_S || metric == CELL_BYTES_PER_S;

	graph->y.unit = rate ? SCALE_PLAIN : SCALE_TIME_NS;
	graph->unit = rate ? cell_metrics[metric].unit : "ns";
	graph->y_words = rate ? graph->unit : cell_metrics[metric].name;
}

void plan_curves_graph(struct document *doc, const struct plan_curves *curves)
{
	const struct plan_axis *axis = curves->x, *line = curves->line;
	unsigned count = axis->count, nlines = line ? line->count : 1;
	double *given = arena_array(&doc->arena, double, count);
	double *x = arena_array(&doc->arena, double, count);
	unsigned *order = arena_array(&doc->arena, unsigned, count);
	struct graph_line *lines = arena_array(&doc->arena, struct graph_line, nlines);
	struct graph graph = {.id = curves->id,
			      .title = curves->title,
			      .x_words = str_equal(axis->key, "bs")
						 ? N_("block size, KiB")
						 : document_text(doc, "%s", axis->key),
			      .lines = lines,
			      .nlines = nlines};

	if (count < 2 || nlines > GRAPH_LINES_MAX || !numbers_of(axis, given))
		return;
	order_of(given, count, order);
	for (unsigned i = 0; i < count; i++)
		x[i] = given[order[i]];
	for (unsigned l = 0; l < nlines; l++) {
		double *y = arena_array(&doc->arena, double, count);

		for (unsigned i = 0; i < count; i++)
			y[i] = plan_drawn_value(curves->metric,
						curves->values[l * count + order[i]]);
		lines[l] = (struct graph_line){
			.name = line ? document_text(doc, "%s=%s", line->key, line->values[l])
				     : curves->name,
			.stroke = graph_stroke(l),
			.x = x,
			.y = y,
			.count = count};
	}
	graph.x = scale_over(x, count);
	graph.y.kind = SCALE_LOG;
	plan_name_values(curves->metric, &graph);
	graph_fit_y(&graph);
	if (graph.y.high > 0) /* something was measured */
		document_graph(doc, &graph);
}

/* --- the distribution of one cell --- */

static void fill_part(const struct plan_lane *lane, unsigned step, unsigned dir,
		      const struct plan_figures *figures, struct arena *arena,
		      struct qos_part *part)
{
	struct hist *hist = arena_new(arena, struct hist);
	unsigned first = 0;

	hist_sums_init(&part->sums);
	plan_cell_hist(lane, step, 0, (enum plan_dir)dir, hist);
	part->sums.total = hist_total(hist);
	if (!part->sums.total)
		return;
	while (!hist->count[first])
		first++;
	part->hist = hist;
	part->cells = arena_new(arena, struct series_cell); /* no intervals: one, and empty */
	part->sums.min_ns = hist_low_ns(first);
	part->sums.max_ns = (uint64_t)figures->value[dir][CELL_MAX_NS];
	part->sums.sum_ns = (unsigned __int128)(figures->value[dir][CELL_MEAN_NS] *
						(double)part->sums.total);
}

void plan_distribution(struct document *doc, const struct plan_lane *lane, unsigned step)
{
	static const enum series_dir dirs[] = {[PLAN_READ] = SERIES_READ,
					       [PLAN_WRITE] = SERIES_WRITE,
					       [PLAN_TRIM] = SERIES_TRIM,
					       [PLAN_ALL] = SERIES_ALL};
	struct qos_run *run = arena_new(&doc->arena, struct qos_run);
	struct qos_ranges ranges;
	struct qos_graphs graphs = {
		.run = run,
		.ranges = &ranges,
		.limits_ns = {5 * NS_PER_MS, 200 * NS_PER_MS},
		.nlimits = 2,
		.prefix = document_text(doc, "%s-", plan_step_id(doc, lane, step))};
	struct plan_figures figures;

	if (!plan_cell_figures(lane, step, 0, &figures))
		return;
	*run = (struct qos_run){
		.interval_ns = NS_PER_S, .range = {.end = 1}, .has_latency = true};
	for (unsigned d = 0; d < NPLAN_DIRS; d++)
		fill_part(lane, step, d, &figures, &doc->arena, &run->part[dirs[d]]);
	if (!run->part[SERIES_ALL].cells)
		return;
	qos_ranges_init(&ranges);
	qos_ranges_add(&ranges, run);
	qos_graphs(doc, &graphs);
	qos_percentile_table(doc, run);
}
