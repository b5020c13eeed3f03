/* Latency over rate: what more requests in flight, or more load, buy and cost. Where requests in
 * flight change, the latency that Little's law asks for at that rate is drawn beside it: where the
 * two lie apart, rate and latency do not describe the same load. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/plan_page_priv.h"
#include "plan/cell.h"
#include "report/graph.h"

#define STICKS_MAX (GRAPH_LINES_MAX / 2) /* each has a line beside it */
#define POINTS_MAX PLAN_POINTS_MAX

struct stick_point {
	double ios_per_s, ns[2]; /* two latencies */
};

struct stick {
	struct stick_point
		point[POINTS_MAX]; /* ascending by rate: axes of pages ask for that */
	unsigned count;
};

static void stick_add(struct stick *stick, const struct stick_point *point)
{
	unsigned at = stick->count;

	if (at == POINTS_MAX || !(point->ios_per_s > 0) || isnan(point->ns[0]))
		return;
	for (; at > 0 && stick->point[at - 1].ios_per_s > point->ios_per_s; at--)
		stick->point[at] = stick->point[at - 1];
	stick->point[at] = *point;
	stick->count++;
}

/* The latency `which` of a stick's points. */
static struct graph_line line_of(struct document *doc, const struct stick *stick,
				 unsigned which, const char *name, const struct stroke *stroke)
{
	double *x = arena_array(&doc->arena, double, stick->count + 1UL);
	double *y = arena_array(&doc->arena, double, stick->count + 1UL);

	for (unsigned i = 0; i < stick->count; i++) {
		x[i] = stick->point[i].ios_per_s;
		y[i] = stick->point[i].ns[which];
	}
	return (struct graph_line){
		.name = name, .stroke = *stroke, .x = x, .y = y, .count = stick->count};
}

static void draw(struct document *doc, struct graph *graph)
{
	graph->x_words = N_("IOPS");
	graph->y_words = N_("latency");
	graph->unit = N_("ns");
	graph->y = (struct scale){.kind = SCALE_LOG, .unit = SCALE_TIME_NS};
	for (unsigned l = 0; l < graph->nlines; l++)
		graph->x.high =
			fmax(graph->x.high, graph->lines[l].x[graph->lines[l].count - 1]);
	graph_fit_y(graph);
	document_graph(doc, graph);
}

/* --- requests in flight --- */

static bool is_in_flight(const struct plan_axis *axis)
{
	return str_equal(axis->key, "iodepth") || str_equal(axis->key, "numjobs");
}

/* Do the cells differ in nothing but their requests in flight? */
static bool same_but_in_flight(const struct plan_step *step, unsigned a, unsigned b)
{
	for (unsigned i = 0; i < step->sweep.count; i++)
		if (!is_in_flight(&step->sweep.axis[i]) &&
		    step->cells[a].pick[i] != step->cells[b].pick[i])
			return false;
	return true;
}

static bool has_rate(const struct job_spec *spec)
{
	for (unsigned d = 0; d < NDATA; d++)
		if (spec->rate[d] || spec->rate_iops[d])
			return true;
	return false;
}

/* NAN: not known, or a rate says how many there are. */
static double in_flight(const struct plan_step *step, unsigned cell)
{
	struct job_set set;
	struct job_spec *spec;
	double count = (double)NAN;

	job_set_init(&set, FACE_NATIVE);
	if (!plan_cell_spec(&set, step, &step->cells[cell], "TARGET", &spec, NULL))
		count = has_rate(spec) ? (double)NAN : (double)spec->iodepth * spec->numjobs;
	job_set_done(&set);
	return count;
}

static const char *name_of(struct document *doc, const struct plan_step *step, unsigned cell)
{
	autostr name = {0};

	for (unsigned i = 0; i < step->sweep.count; i++) {
		const struct plan_axis *axis = &step->sweep.axis[i];

		if (!is_in_flight(axis))
			str_printf(&name, "%s%s=%s", name.length ? " " : "", axis->key,
				   axis->values[step->cells[cell].pick[i]]);
	}
	return document_text(doc, "%s", name.length ? str_text(&name) : step->name);
}

static void stick_of(const struct plan_lane *lane, unsigned number, unsigned first,
		     struct stick *stick)
{
	const struct plan_step *step = &lane->plan->steps[number];

	*stick = (struct stick){0};
	for (unsigned c = first; c < step->ncells; c++) {
		struct plan_figures figures;
		const double *value = figures.value[PLAN_ALL];
		struct stick_point point;

		if (!same_but_in_flight(step, first, c) ||
		    !plan_cell_figures(lane, number, c, &figures))
			continue;
		point = (struct stick_point){
			value[CELL_IOS_PER_S],
			{value[CELL_MEAN_NS],
			 in_flight(step, c) * 1e9 / value[CELL_IOS_PER_S]}};
		stick_add(stick, &point);
	}
}

static bool is_first_of_its_stick(const struct plan_step *step, unsigned cell)
{
	for (unsigned c = 0; c < cell; c++)
		if (same_but_in_flight(step, c, cell))
			return false;
	return true;
}

void plan_stick_graph(struct document *doc, const struct plan_lane *lane, unsigned number)
{
	const struct plan_step *step = &lane->plan->steps[number];
	const struct stroke beside = {INK_TEXT, 1.1, DASH_SHORT};
	struct stick *stick = memory_zeroed(1, sizeof(*stick));
	struct graph_line lines[GRAPH_LINES_MAX];
	struct graph graph = {
		.id = document_text(doc, "%s-stick", plan_step_id(doc, lane, number)),
		.title = document_text(doc, "%s: mean latency over rate", step->name),
		.note = N_("Where a dot stands apart from Little's, its rate and its "
			   "latency do not describe the same load."),
		.lines = lines};
	unsigned sticks = 0;

	for (unsigned c = 0; c < step->ncells && sticks < STICKS_MAX; c++) {
		const struct stroke stroke = graph_stroke(sticks);

		if (!is_first_of_its_stick(step, c))
			continue;
		stick_of(lane, number, c, stick);
		if (stick->count < 2)
			continue;
		lines[graph.nlines] = line_of(
			doc, stick, 1, N_("requests in flight ÷ IOPS (Little's law)"), &beside);
		lines[graph.nlines + 1] =
			line_of(doc, stick, 0, name_of(doc, step, c), &stroke);
		/* Dots: more in flight may bring less, and a line would turn back. */
		lines[graph.nlines].dots = lines[graph.nlines + 1].dots = true;
		graph.nlines += 2;
		sticks++;
	}
	free(stick);
	if (sticks)
		draw(doc, &graph);
}

/* --- load that was searched --- */

void plan_found_graph(struct document *doc, const struct plan_lane *lane, unsigned number,
		      const struct plan_found *found)
{
	const struct stroke mean = graph_stroke(0), p99 = graph_stroke(1);
	struct stick *stick = memory_zeroed(1, sizeof(*stick));
	struct graph_line lines[2];
	struct graph graph = {
		.id = document_text(doc, "%s-stick", plan_step_id(doc, lane, number)),
		.title = document_text(doc, "%s: latency over rate",
				       lane->plan->steps[number].name),
		.lines = lines,
		.nlines = ARRAY_SIZE(lines)};

	for (unsigned i = 0; i < found->count; i++)
		stick_add(stick, &(struct stick_point){
					 found->point[i].ios_per_s,
					 {found->point[i].mean_ns, found->point[i].p99_ns}});
	lines[0] = line_of(doc, stick, 0, N_("mean"), &mean);
	lines[1] = line_of(doc, stick, 1, N_("p99"), &p99);
	if (stick->count > 1)
		draw(doc, &graph);
	free(stick);
}
