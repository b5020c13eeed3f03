/* The rounds of a plan as the graph that SNIA's tests ask for: the tracked figure of each, and in
 * the window its average, the band of 10 % around it, and the fit whose slope was judged. */
#include <math.h>

#include "cli/plan_page.h"
#include "report/graph.h"

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
	double half = proof->slope * (window.last - window.first) / 2;
	double *x = arena_array(&doc->arena, double, steady->rounds);
	const struct graph_shade shade = {window.first - 0.4, window.last + 0.4, INK_GREEN,
					  steady->attained ? "steady window" : "last window"};
	const struct graph_line lines[] = {
		{.name = view->name,
		 .stroke = {INK_BLUE, 1.8, DASH_SOLID},
		 .x = x,
		 .y = view->values,
		 .count = steady->rounds},
		across(doc, "average of the window", &window, proof->mean, proof->mean),
		across(doc, "average +- 10 %", &window, proof->mean * (1 + BAND),
		       proof->mean * (1 + BAND)),
		across(doc, "average +- 10 %", &window, proof->mean * (1 - BAND),
		       proof->mean * (1 - BAND)),
		{.name = "fit",
		 .stroke = {INK_RED, 1.4, DASH_LONG},
		 .x = ends(doc, window.first, window.last),
		 .y = ends(doc, proof->mean - half, proof->mean + half),
		 .count = 2},
	};
	struct graph graph = {.id = view->id,
			      .title = view->title,
			      .x_words = "round",
			      .y_words = view->name,
			      .unit = "",
			      .x = {.low = 0, .high = steady->rounds + 1},
			      .lines = lines,
			      .nlines = ARRAY_SIZE(lines),
			      .shades = &shade,
			      .nshades = 1};
	const struct chart chart = {.title = view->name,
				    .unit = "",
				    .values = view->values,
				    .count = steady->rounds,
				    .span = "a round each",
				    .graph = &graph};

	for (unsigned i = 0; i < steady->rounds; i++)
		x[i] = i + 1;
	graph_fit_y(&graph);
	document_chart(doc, &chart);
}
