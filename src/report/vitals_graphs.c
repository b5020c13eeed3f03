#include "report/vitals_graphs.h"

#include <math.h>

#include "base/bits.h"
#include "report/graph.h"

/* A page has its size: */
#define CORES_MAX     8	   /* CPUs that are drawn one by one */
#define CORE_ROWS_MAX 1440 /* and only in a run of so many steps at most */
#define POINTS_MAX    1440 /* of a line; of more, the least and the greatest of some steps */

/* One graph holds one or two kinds of the same unit. */
static const struct vitals_graph {
	const char *id, *title, *unit;
	enum vital_kind first, second;
	double least_high; /* the axis reaches up to there at least */
	bool from_zero;
	const char *note;
} vitals_graph_kinds[] = {
	{"temperature", N_("Temperature of the drives"), N_("degrees C"), VITAL_TEMPERATURE,
	 VITAL_TEMPERATURE, 0, false,
	 N_("Drives are asked every 10 s (NVMe) or every 60 s (SATA); what they said stands "
	    "until then.")},
	{"power-state", N_("Power state of the drives"), N_("state"), VITAL_POWER_STATE,
	 VITAL_POWER_STATE, 4, true,
	 N_("Of the PCI function, as the kernel knows it: 0 awake (D0) to 3 and 4 (D3hot, "
	    "D3cold).")},
	{"power", N_("Power of the CPUs and their memory"), N_("W"), VITAL_POWER, VITAL_POWER,
	 1, true, NULL},
	{"cpu", N_("CPU use"), N_("percent"), VITAL_CPU, VITAL_STEAL, 100, true,
	 N_("Of the whole machine, whoever used it.")},
	{"interrupts", N_("Interrupts"), N_("per second"), VITAL_INTERRUPTS, VITAL_INTERRUPTS,
	 1, true, NULL},
	{"frequency", N_("Clock rate of the CPUs"), N_("MHz"), VITAL_FREQUENCY, VITAL_FREQUENCY,
	 1, true, NULL},
};

static bool is_core(const struct vital_channel *channel)
{
	return channel->kind == VITAL_CPU && str_starts(channel->name, "cpu");
}

static unsigned count_cores(const struct vitals *vitals)
{
	unsigned count = 0;

	for (unsigned c = 0; c < vitals->nchannels; c++)
		count += is_core(&vitals->channels[c]);
	return count;
}

static const char *line_name(struct document *doc, const struct vital_channel *channel)
{
	bool all = str_equal(channel->name, "all");

	if (channel->kind == VITAL_CPU && all)
		return N_("all CPUs");
	if (channel->kind == VITAL_CPU && str_equal(channel->name, "busiest"))
		return N_("the busiest CPU");
	if (channel->kind == VITAL_STEAL)
		return N_("kept by the hypervisor");
	if (channel->kind == VITAL_INTERRUPTS)
		return N_("all CPUs");
	if (channel->kind == VITAL_FREQUENCY)
		return str_equal(channel->name, "mean") ? N_("mean") : N_("lowest");
	return arena_strdup(&doc->arena, channel->name);
}

/* So many steps give two points: 0 where each is one. */
static unsigned steps_joined(const struct vitals *vitals)
{
	return vitals->nrows <= POINTS_MAX ? 0
					   : (2 * vitals->nrows + POINTS_MAX - 1) / POINTS_MAX;
}

/* The least and the greatest of the steps from `from` on, as they came. */
static void ends_of(const float *values, unsigned from, unsigned end, double ret_ends[2])
{
	unsigned low = from, high = from;

	for (unsigned i = from; i < end; i++) {
		low = isnan(values[low]) || values[i] < values[low] ? i : low;
		high = isnan(values[high]) || values[i] > values[high] ? i : high;
	}
	ret_ends[0] = (double)values[low < high ? low : high];
	ret_ends[1] = (double)values[low < high ? high : low];
}

static unsigned points_of(const struct vitals *vitals, const float *values, double *ret_y)
{
	unsigned join = steps_joined(vitals), count = 0;

	for (unsigned i = 0; !join && i < vitals->nrows; i++)
		ret_y[count++] = (double)values[i];
	for (unsigned i = 0; join && i < vitals->nrows; i += join, count += 2)
		ends_of(values, i, (unsigned)min_u64(i + join, vitals->nrows), &ret_y[count]);
	return count;
}

/* False: nothing is known of it at any time. */
static bool add_line(struct document *doc, const struct vitals *vitals, unsigned channel,
		     unsigned number, struct graph_line *ret_line)
{
	const float *values = vitals->values + (size_t)channel * vitals->nrows;
	double *y = arena_array(&doc->arena, double, min_u64(vitals->nrows, POINTS_MAX) + 2);
	unsigned count = points_of(vitals, values, y);
	bool any = false;

	for (unsigned i = 0; i < count; i++)
		any |= !isnan(y[i]);
	*ret_line = (struct graph_line){.name = line_name(doc, &vitals->channels[channel]),
					.stroke = graph_stroke(number),
					.y = y,
					.count = count};
	ret_line->stroke.width = is_core(&vitals->channels[channel]) ? 0.8 : 1.4;
	return any;
}

/* An axis that ends on whole fives around what was seen. */
static void fit_temperature(struct graph *graph)
{
	double low = (double)INFINITY;

	for (unsigned l = 0; l < graph->nlines; l++)
		for (unsigned i = 0; i < graph->lines[l].count; i++)
			low = fmin(low, graph->lines[l].y[i]);
	graph->y.low = floor((low - 2) / 5) * 5;
	graph->y.high = ceil((graph->y.high + 2) / 5) * 5;
}

/* What a longer run's points are, behind what is to be said anyway. */
static const char *note_of(struct document *doc, const struct vitals_view *view,
			   const char *note)
{
	unsigned join = steps_joined(view->vitals);
	double seconds = view->joined_s > 0 ? view->joined_s
					    : join * (double)view->vitals->step_ns / 1e9;

	note = view->simulated || !note ? NULL : lang_text(doc->style.lang, note);
	if (!(seconds > 0))
		return note;
	return document_text(
		doc, N_("%s%sOf every %.0f s the least and the greatest value are drawn."),
		note ? note : "", note ? " " : "", seconds);
}

static void one_graph(struct document *doc, const struct vitals_view *view,
		      const struct vitals_graph *kind)
{
	const struct vitals *vitals = view->vitals;
	bool cores = count_cores(vitals) <= CORES_MAX && vitals->nrows <= CORE_ROWS_MAX;
	struct graph_line lines[GRAPH_LINES_MAX];
	struct graph graph = {
		.id = arena_printf(&doc->arena, "%s%s", view->prefix, kind->id),
		.title = kind->title,
		.x_words = N_("time since the start"),
		.y_words = kind->unit,
		.unit = kind->unit,
		.note = note_of(doc, view, kind->note),
		.axis = view->axis,
		.x = {.unit = SCALE_SECONDS, .low = view->begin_s, .high = view->end_s},
		.step = (double)vitals->step_ns / 1e9 *
			(steps_joined(vitals) ? steps_joined(vitals) / 2.0 : 1),
		.lines = lines,
		.half = true};

	for (unsigned c = 0; c < vitals->nchannels && graph.nlines < GRAPH_LINES_MAX; c++) {
		const struct vital_channel *channel = &vitals->channels[c];

		if ((channel->kind != kind->first && channel->kind != kind->second) ||
		    (is_core(channel) && !cores))
			continue;
		graph.nlines += add_line(doc, vitals, c, graph.nlines, &lines[graph.nlines]);
	}
	if (!graph.nlines)
		return;
	graph_fit_y(&graph);
	graph.y.high = fmax(graph.y.high, kind->least_high);
	if (!kind->from_zero)
		fit_temperature(&graph);
	if (view->simulated)
		graph.title = document_text(doc, N_("%s (%s)"),
					    lang_text(doc->style.lang, kind->title),
					    lang_text(doc->style.lang, N_("simulated")));
	document_graph(doc, &graph);
}

void vitals_graphs(struct document *doc, const struct vitals_view *view)
{
	for (unsigned i = 0; view->vitals->nrows && i < ARRAY_SIZE(vitals_graph_kinds); i++)
		one_graph(doc, view, &vitals_graph_kinds[i]);
}
