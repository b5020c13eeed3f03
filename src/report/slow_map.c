#include "report/slow_map.h"

#include <math.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/quantity.h"
#include "report/graph.h"

#define CLASSES 3

/* The worst are drawn last, over the others. */
static const struct slow_class {
	uint64_t above_ns;
	const char *name;
	struct stroke stroke;
} classes[CLASSES] = {
	{0, N_("the slowest of the others"), {INK_BLUE, 1.4, DASH_SOLID}},
	{5 * NS_PER_MS, N_("5 ms to 200 ms"), {INK_ORANGE, 1.4, DASH_SOLID}},
	{200 * NS_PER_MS, N_("above 200 ms"), {INK_RED, 1.4, DASH_SOLID}},
};

static unsigned class_of(uint64_t latency_ns)
{
	unsigned class = CLASSES - 1;

	while (class > 0 && latency_ns <= classes[class].above_ns)
		class --;
	return class;
}

/* Points of a line are in the order of time. */
static int earlier(const void *a, const void *b)
{
	const struct slow_request *const *x = a, *const *y = b;

	if ((*x)->time_ns != (*y)->time_ns)
		return (*x)->time_ns < (*y)->time_ns ? -1 : 1;
	return (*x)->number < (*y)->number ? -1 : 1;
}

/* Those that say where they went. */
static unsigned placed_of(const struct slowest *slowest, const struct slow_request **ret_placed)
{
	unsigned count = 0;

	for (unsigned i = 0; i < slowest->count; i++) {
		if (slowest->request[i].has_offset)
			ret_placed[count++] = &slowest->request[i];
	}
	if (count)
		qsort(ret_placed, count, sizeof(struct slow_request *), earlier);
	return count;
}

static struct graph_line line_of(struct document *doc, unsigned class,
				 const struct slow_request *const *placed, unsigned count)
{
	double *x = arena_array(&doc->arena, double, count);
	double *y = arena_array(&doc->arena, double, count);
	unsigned points = 0;

	for (unsigned i = 0; i < count; i++) {
		if (class_of(placed[i]->latency_ns) != class)
			continue;
		x[points] = (double)placed[i]->time_ns / 1e9;
		y[points++] = (double)placed[i]->offset / 1e9;
	}
	return (struct graph_line){.name = classes[class].name,
				   .stroke = classes[class].stroke,
				   .x = x,
				   .y = y,
				   .count = points,
				   .dots = true};
}

/* Which of all requests these are: what is not drawn was not necessarily fast. */
static const char *choice_of(struct document *doc, const struct slowest *slowest,
			     unsigned placed)
{
	autostr mildest = {0}, seen = {0};
	const char *text;

	quantity_time(slowest->request[slowest->count - 1].latency_ns, &mildest);
	quantity_count(slowest->seen, &seen);
	if (slowest->count == slowest->seen)
		text = document_text(doc, "All %s requests of the log, by their completion.",
				     str_text(&seen));
	else
		text = document_text(
			doc,
			"The %u slowest of %s requests, by their completion: all that took "
			"longer than %s.",
			slowest->count, str_text(&seen), str_text(&mildest));
	if (placed < slowest->count)
		text = document_text(doc, "%s Of %u of them the log has no offset.", text,
				     slowest->count - placed);
	return text;
}

void slow_map(struct document *doc, const struct qos_graphs *graphs,
	      const struct slowest *slowest)
{
	const struct slow_request **placed =
		arena_array(&doc->arena, const struct slow_request *, slowest->count + 1UL);
	unsigned count = placed_of(slowest, placed);
	uint64_t least = slowest->least_offset;
	/* From the beginning of the target, unless all lie far behind it. */
	double from = least > slowest->offsets_end / 2 ? (double)least : 0;
	struct graph_line lines[CLASSES];
	struct graph graph = {
		.id = arena_printf(&doc->arena, "%sslow-map", graphs->prefix),
		.title = N_("Where the slowest requests went: time by offset"),
		.x_words = N_("time since the start"),
		.y_words = N_("offset, GB"),
		.unit = N_("GB"),
		.x = {.unit = SCALE_SECONDS,
		      .low = graphs->ranges->begin_s,
		      .high = graphs->ranges->end_s},
		.y = {.low = from / 1e9, .high = (double)slowest->offsets_end / 1e9},
		.lines = lines};

	if (!count)
		return;
	for (unsigned class = 0; class < CLASSES; class ++) {
		lines[graph.nlines] = line_of(doc, class, placed, count);
		graph.nlines += lines[graph.nlines].count > 0;
	}
	/* Those before the first whole interval and after the last one too. */
	graph.x.low = fmin(graph.x.low, (double)placed[0]->time_ns / 1e9);
	graph.x.high = fmax(graph.x.high, (double)placed[count - 1]->time_ns / 1e9);
	graph.note = choice_of(doc, slowest, count);
	document_graph(doc, &graph);
}
