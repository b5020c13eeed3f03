/* Temperatures, power, CPU use and interrupts of all runs of a plan, on the plan's time: as
 * the clock on the wall had it, and of a simulated plan one run after the other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "cli/plan_kept.h"
#include "cli/plan_page_priv.h"
#include "report/graph.h"
#include "report/vitals_graphs.h"

#define PIECES_MAX    720
#define PIECE_LEAST_S 2 /* of steps of a second */
#define PIECES_LEAST  8 /* of fewer nothing can be seen */
#define TARGETS_MAX   64

/* --- on which time --- */

/* When each entry began: never before the one of its target before it had ended. */
static double lay_out(const struct plan_journal *journal, double *ret_begin_s)
{
	double end_s[TARGETS_MAX] = {0}, last_s = 0;
	uint64_t zero_ns = UINT64_MAX;

	for (unsigned i = 0; i < journal->count; i++)
		if (journal->entries[i].began_unix_ns < zero_ns)
			zero_ns = journal->entries[i].began_unix_ns;
	for (unsigned i = 0; i < journal->count; i++) {
		const struct plan_entry *entry = &journal->entries[i];
		double *end = &end_s[entry->task.target % TARGETS_MAX];

		ret_begin_s[i] = fmax(*end, (double)(entry->began_unix_ns - zero_ns) / 1e9);
		*end = ret_begin_s[i] + (double)entry->span_ns / 1e9;
		last_s = fmax(last_s, *end);
	}
	return last_s;
}

/* --- into pieces --- */

struct gathering {
	struct plan_vitals *of;
	double begin_s;	  /* of the run at hand */
	unsigned channel; /* of the value before */
};

static float *row_of(const struct plan_vitals *of, unsigned channel)
{
	return &of->vitals.values[(size_t)channel * of->vitals.nrows];
}

/* What held from one time to another is of each piece that has a part of it. */
static void hold(const struct plan_vitals *of, float *row, double from_s, double to_s,
		 float value)
{
	unsigned pieces = of->vitals.nrows / 2;
	unsigned first = (unsigned)fmin(from_s / of->piece_s, pieces - 1);
	unsigned last = (unsigned)fmin(ceil(to_s / of->piece_s - 1e-9), pieces);

	for (unsigned i = first; i < last; i++) {
		float *piece = &row[2UL * i]; /* NAN: nothing yet */

		piece[0] = fminf(piece[0], value);
		piece[1] = fmaxf(piece[1], value);
	}
}

static float *unknown(struct arena *arena, size_t count)
{
	float *values = arena_array(arena, float, count);

	for (size_t i = 0; i < count; i++)
		values[i] = NAN;
	return values;
}

static bool is_channel(const struct vital_channel *channel, const struct store_vital *vital)
{
	return channel->kind == vital->kind && str_equal(channel->name, vital->name);
}

/* -1: there are too many. */
static int channel_of(struct gathering *g, const struct store_vital *vital)
{
	struct vitals *vitals = &g->of->vitals;

	if (g->channel < vitals->nchannels && is_channel(&vitals->channels[g->channel], vital))
		return (int)g->channel;
	for (unsigned c = 0; c < vitals->nchannels; c++)
		if (is_channel(&vitals->channels[c], vital))
			return (int)(g->channel = c);
	if (vitals->nchannels == VITALS_MAX)
		return -1;
	g->channel = vitals->nchannels++;
	vitals->channels[g->channel].kind = vital->kind;
	(void)snprintf(vitals->channels[g->channel].name,
		       sizeof(vitals->channels[g->channel].name), "%s", vital->name);
	return (int)g->channel;
}

static void take(void *context, const struct store_vital *vital)
{
	struct gathering *g = context;
	int channel = channel_of(g, vital);

	if (channel >= 0)
		hold(g->of, row_of(g->of, (unsigned)channel),
		     g->begin_s + (double)vital->begin_ns / 1e9,
		     g->begin_s + (double)vital->end_ns / 1e9, (float)vital->value);
}

void plan_vitals_load(struct plan_vitals *vitals, struct store *store,
		      const struct plan_journal *journal)
{
	struct gathering g = {.of = vitals};
	unsigned pieces;
	double *begin_s;

	*vitals = (struct plan_vitals){0};
	arena_init(&vitals->arena);
	vitals->has = true;
	begin_s = arena_array(&vitals->arena, double, journal->count + 1UL);
	vitals->end_s = lay_out(journal, begin_s);
	vitals->piece_s = fmax(ceil(vitals->end_s / PIECES_MAX), PIECE_LEAST_S);
	pieces = (unsigned)ceil(vitals->end_s / vitals->piece_s);
	if (pieces < PIECES_LEAST || !store)
		return;
	vitals->vitals = (struct vitals){
		.nrows = 2 * pieces,
		.step_ns = (uint64_t)(vitals->piece_s * 5e8),
		.channels = arena_array(&vitals->arena, struct vital_channel, VITALS_MAX),
		.values = unknown(&vitals->arena, (size_t)VITALS_MAX * 2 * pieces)};
	vitals->rates = unknown(&vitals->arena, 2UL * pieces);
	for (unsigned i = 0; i < journal->count; i++) {
		const struct plan_entry *entry = &journal->entries[i];
		double rate = entry->figures.value[PLAN_ALL][CELL_IOS_PER_S];

		g.begin_s = begin_s[i];
		if (isfinite(rate) && rate > 0)
			hold(vitals, vitals->rates, g.begin_s,
			     g.begin_s + (double)entry->span_ns / 1e9, (float)rate);
		if (entry->run)
			(void)store_each_vital(store, entry->run, take, &g,
					       NULL); /* one that was removed has none */
	}
}

void plan_vitals_done(struct plan_vitals *vitals)
{
	if (vitals->has)
		arena_done(&vitals->arena);
	vitals->has = false;
}

/* --- the page --- */

static void rates_graph(struct document *doc, const struct plan_vitals *vitals)
{
	unsigned count = vitals->vitals.nrows;
	double *y = arena_array(&doc->arena, double, count);
	const struct graph_line line = {
		.name = "IOPS", .stroke = graph_stroke(0), .y = y, .count = count};
	struct graph graph = {.id = "plan-iops",
			      .title = N_("IOPS of each run, over the whole plan"),
			      .x_words = N_("time since the start"),
			      .y_words = "IOPS",
			      .unit = "IOPS",
			      .axis = "plan",
			      .x = {.unit = SCALE_SECONDS, .high = vitals->end_s},
			      .step = vitals->piece_s / 2,
			      .lines = &line,
			      .nlines = 1};

	for (unsigned i = 0; i < count; i++)
		y[i] = (double)vitals->rates[i];
	graph_fit_y(&graph);
	if (graph.y.high > 0)
		document_graph(doc, &graph);
}

/* Pieces in which anything was looked at: runs below a second have none. */
static unsigned pieces_known(const struct plan_vitals *vitals)
{
	unsigned known = 0;

	for (unsigned i = 0; i < vitals->vitals.nrows; i += 2) {
		bool any = false;

		for (unsigned c = 0; c < vitals->vitals.nchannels; c++)
			any |= !isnan(row_of(vitals, c)[i]);
		known += any;
	}
	return known;
}

void plan_vitals_page(struct document *doc, const struct plan_view *view)
{
	const struct plan_vitals *vitals = view->vitals;

	if (pieces_known(vitals) < PIECES_LEAST)
		return;
	document_heading(doc, 2, "the machine and the drives meanwhile");
	rates_graph(doc, vitals);
	vitals_graphs(doc,
		      &(struct vitals_view){
			      .vitals = &vitals->vitals,
			      .end_s = vitals->end_s,
			      .prefix = "plan-",
			      .axis = "plan",
			      .joined_s = vitals->piece_s,
			      .simulated = str_starts(view->record->targets[0].path, "sim:")});
}
