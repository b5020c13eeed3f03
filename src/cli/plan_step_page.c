/* One step of a plan's page: its rounds, its search, its cells, its notes. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "base/memory.h"
#include "cli/plan_page_priv.h"
#include "report/cells_page.h"
#include "report/figures.h"
#include "stat/pts.h"

/* --- rounds and searches --- */

/* The window as SNIA's reports have it: what was measured beside what the rule allows, the fit over
 * the rounds (from 1), and the lines at 90 and 110 % of the average. */
static void add_windows(struct document *doc, const struct plan_lane *lane, unsigned number,
			const struct plan_steady *steady)
{
	static const char *const heads[] = {
		N_("steady window"), N_("average"), N_("max - min"), N_("allowed"), N_("slope"),
		N_("allowed"),	     "90 %",	    "110 %",	     N_("fit"),	    NULL};
	const struct plan_step *step = &lane->plan->steps[number];
	struct table table;

	table_init(&table, heads);
	for (unsigned v = 0; v < step->until.count; v++) {
		enum cell_metric metric = step->until.variable[v].metric;
		const struct plan_proof *proof = &steady->proof[v];
		double share = proof->mean / 100;
		double middle = steady->first_round + 1 + (steady->nwindow - 1) / 2.0;
		double slope = proof->slope / step->until.stride; /* a round */
		const double columns[] = {proof->mean,
					  proof->range_percent * share,
					  step->until.range_percent * share,
					  proof->slope_percent * share,
					  step->until.slope_percent * share,
					  90 * share,
					  110 * share};

		table_cell(doc, &table, "%s", step->until.variable[v].text);
		for (unsigned i = 0; i < ARRAY_SIZE(columns); i++)
			table_cell(doc, &table, "%s", cells_value(doc, metric, columns[i]));
		table_cell(doc, &table, "%s%s R + %s", slope < 0 ? "-" : "",
			   cells_value(doc, metric, fabs(slope)),
			   cells_value(doc, metric, proof->mean - slope * middle));
	}
	document_table(doc, &table);
}

/* How the drive got from new to steady. */
static void add_saturation(struct document *doc, const struct plan_lane *lane, unsigned number,
			   unsigned rounds)
{
	const struct plan_step *step = &lane->plan->steps[number];
	double *values = arena_array(&doc->arena, double, rounds);
	double *bytes = arena_array(&doc->arena, double, rounds);
	const struct pts_samples samples = {
		.per_s = values, .bytes = bytes, .count = rounds, .stride = step->until.stride};
	enum cell_metric metric = step->until.variable[0].metric;
	const struct plan_entry *entry;
	struct pts_saturation found;
	unsigned from = 0;

	(void)plan_rounds_series(lane, number, step->repeat - 1, 0, values, rounds);
	while ((entry = plan_entry_next(lane, number, &from)))
		if (entry->task.pass == step->repeat - 1 && entry->task.round < rounds)
			bytes[entry->task.round] += (double)entry->written_bytes;
	pts_saturation(&samples, &found);
	if (found.has_plateau)
		document_prose(
			doc, TONE_PLAIN,
			"As new: %s %s for %.2f rounds, until %s were written. Level: %s, "
			"%.1f %% of that, from round %u on, after %s.",
			cells_value(doc, metric, found.plateau), cell_metrics[metric].name,
			found.plateau_end, figure_decimal(doc, (uint64_t)found.plateau_bytes),
			cells_value(doc, metric, found.level),
			100 * found.level / found.plateau, found.window.first + 1,
			figure_decimal(doc, (uint64_t)found.steady_bytes));
	else
		document_prose(doc, TONE_PLAIN,
			       "No level of a new drive was seen before its steady one.");
}

static void add_tracked(struct document *doc, const struct plan_lane *lane, unsigned number,
			const struct plan_steady *steady, unsigned v)
{
	const struct plan_step *step = &lane->plan->steps[number];
	double *values = arena_array(&doc->arena, double, steady->rounds);
	const struct plan_rounds_view view = {
		.id = document_text(doc, "rounds-%u-%u-%u-%u", lane->target, lane->repetition,
				    number, v),
		.title = document_text(doc, "%s: %s by round", step->name,
				       step->until.variable[v].text),
		.name = step->until.variable[v].text,
		.steady = steady,
		.variable = v,
		.metric = step->until.variable[v].metric,
		.values = values};

	(void)plan_rounds_series(lane, number, step->repeat - 1, v, values, steady->rounds);
	plan_rounds_graph(doc, &view);
}

/* A few requests in a few seconds look level by chance, or do not by chance. */
#define WINDOW_MIN_S   30.0
#define WINDOW_MIN_IOS 10000u

static void warn_of_short_windows(struct document *doc, const struct plan_lane *lane,
				  unsigned number)
{
	const struct plan_step *step = &lane->plan->steps[number];
	struct plan_figures figures;

	for (unsigned v = 0; v < step->until.count; v++) {
		const struct plan_variable *tracked = &step->until.variable[v];
		double seconds;

		if (!plan_cell_figures(lane, number, tracked->cell, &figures))
			continue;
		seconds =
			(double)figures.ios[PLAN_ALL] / figures.value[PLAN_ALL][CELL_IOS_PER_S];
		if (seconds < WINDOW_MIN_S && figures.ios[PLAN_ALL] < WINDOW_MIN_IOS)
			document_prose(doc, TONE_WARNING,
				       "%s: the window holds %" PRIu64
				       " requests of %.3g s: below %u requests and %.0f s it "
				       "says little of a steady state",
				       tracked->text, figures.ios[PLAN_ALL], seconds,
				       WINDOW_MIN_IOS, WINDOW_MIN_S);
	}
}

static void add_rounds(struct document *doc, const struct plan_view *view,
		       const struct plan_lane *lane, unsigned number)
{
	const struct plan_step *step = &lane->plan->steps[number];
	struct plan_steady *steady = memory_zeroed(1, sizeof(*steady));

	plan_steady(lane, number, step->repeat - 1, steady);
	if (steady->rounds && steady->attained)
		document_prose(doc, TONE_PLAIN,
			       "Steady in round %u: the figures are those of rounds %u to %u.",
			       steady->rounds, steady->first_round + 1, steady->rounds);
	else if (steady->rounds)
		document_prose(
			doc, TONE_WARNING,
			PLURAL(steady->rounds,
			       "not steady after %u round%s: the figures are those of round "
			       "%u (of %u)",
			       "not steady after %u rounds%s: the figures are those of "
			       "rounds %u to %u"),
			steady->rounds,
			steady->is_full ? document_text(doc, ", which wrote %.2f x the target",
							steady->fills)
					: "",
			steady->first_round + 1, steady->rounds);
	if (steady->rounds)
		warn_of_short_windows(doc, lane, number);
	if (steady->nwindow > 1)
		add_windows(doc, lane, number, steady);
	for (unsigned v = 0; steady->rounds && v < step->until.count; v++)
		add_tracked(doc, lane, number, steady, v);
	if (steady->rounds && !view->brief)
		plan_convergence_graphs(doc, lane, number, steady);
	if (steady->rounds && step->until.stride > 1) {
		add_saturation(doc, lane, number, steady->rounds);
		if (!view->brief)
			plan_saturation_graphs(doc, view, lane, number, steady->rounds);
	}
	free(steady);
}

static void add_found(struct document *doc, const struct plan_view *view,
		      const struct plan_lane *lane, unsigned number)
{
	static const char *const loads[] = {[PLAN_BY_RATE] = N_("load %"),
					    [PLAN_BY_IODEPTH] = "iodepth",
					    [PLAN_BY_NUMJOBS] = "numjobs"};
	const struct plan_find *find = &lane->plan->steps[number].find;
	bool by_rate = find->by == PLAN_BY_RATE;
	const char *heads[] = {loads[find->by],
			       "IOPS",
			       "mean us",
			       "p99 us",
			       "",
			       by_rate ? N_("of asked %") : NULL,
			       NULL};
	struct plan_found *found = memory_zeroed(1, sizeof(*found));
	struct table table;

	plan_found(lane, number, found);
	table_init(&table, heads);
	for (unsigned i = 0; i < found->count; i++) {
		const struct plan_point *point = &found->point[i];

		table_cell(doc, &table, "%s", figure_plain(doc, point->load));
		table_cell(doc, &table, "%s",
			   cells_value(doc, CELL_IOS_PER_S, point->ios_per_s));
		table_cell(doc, &table, "%s", cells_value(doc, CELL_MEAN_NS, point->mean_ns));
		table_cell(doc, &table, "%s", cells_value(doc, CELL_P99_NS, point->p99_ns));
		table_cell(doc, &table, "%s%s%s",
			   point->holds ? document_say(doc, N_("holds")) : "",
			   (int)i == found->best ? document_say(doc, N_(", best")) : "",
			   (int)i == found->knee ? document_say(doc, N_(", knee")) : "");
		if (by_rate)
			table_cell(doc, &table, "%.1f",
				   1e4 * point->ios_per_s /
					   (point->load * found->saturated_ios_per_s));
	}
	document_table(doc, &table);
	if (found->count && found->best >= 0)
		document_prose(
			doc, TONE_PLAIN, "%s holds up to %s: %s IOPS.", find->check,
			document_text(doc, "%s %s", loads[find->by],
				      figure_plain(doc, found->point[found->best].load)),
			cells_value(doc, CELL_IOS_PER_S, found->point[found->best].ios_per_s));
	else if (found->count)
		document_prose(doc, TONE_WARNING, "%s holds at none of these loads",
			       find->check);
	if (!view->brief)
		plan_found_graph(doc, lane, number, found);
	free(found);
}

static void add_corner(struct document *doc, const struct plan_lane *lane, unsigned number)
{
	struct corner corner;

	if (!plan_corner(lane, number, &corner))
		return;
	if (corner.has_both)
		document_prose(doc, TONE_PLAIN,
			       "Two limits: %s IOPS for small blocks, %s MB/s for large ones; "
			       "they meet at %.1f KiB.",
			       cells_value(doc, CELL_IOS_PER_S, corner.ios_per_s),
			       cells_value(doc, CELL_BYTES_PER_S, corner.bytes_per_s),
			       corner.block_bytes / KiB);
}

/* --- a step --- */

/* Steady before it, and elsewhere now. */
static void add_departure(struct document *doc, const struct plan_lane *lane,
			  const struct plan_entry *entry)
{
	const struct plan_step *steps = lane->plan->steps;
	const char *name = steps[entry->task.step].cells[entry->task.cell].name;
	const struct plan_until *until;
	struct plan_departure gone;
	enum cell_metric metric;

	if (!plan_departure(lane, entry, &gone) || !gone.left)
		return;
	until = &steps[gone.step].until;
	metric = until->variable[gone.variable].metric;
	document_prose(
		doc, TONE_WARNING,
		gone.percent < 0
			? N_("%s: %s is %s, %.1f %% below the level of %s at which %s was "
			     "steady: the drive has left its steady state, and the figures%s "
			     "are not of it")
			: N_("%s: %s is %s, %.1f %% above the level of %s at which %s was "
			     "steady: the drive has left its steady state, and the figures%s "
			     "are not of it"),
		*name ? name : steps[entry->task.step].name,
		until->variable[gone.variable].text, cells_value(doc, metric, gone.value),
		fabs(gone.percent), cells_value(doc, metric, gone.level), steps[gone.step].name,
		steps[entry->task.step].kind == PLAN_FIND ? "" : " (*)");
}

static void add_notes(struct document *doc, const struct plan_lane *lane, unsigned number)
{
	const struct plan_step *step = &lane->plan->steps[number];
	const struct plan_entry *entry;
	const char *said = "";
	unsigned from = 0, moved = 0;

	while ((entry = plan_entry_next(lane, number, &from))) {
		const char *name = step->cells[entry->task.cell].name;

		/* What holds for all cells is said of the first. */
		if (entry->note && !str_equal(entry->note, said)) {
			said = entry->note;
			document_prose(doc, TONE_INFO, "%s%s%s", name, *name ? ": " : "", said);
		}
		if (entry->state == PLAN_ERRORS)
			document_prose(
				doc, TONE_WARNING,
				"%s ended with errors: its figures are those of the rest "
				"(assay results show r%" PRId64 ")",
				*name ? name : step->name, entry->run);
		moved += entry->moved_percent > 20;
		add_departure(doc, lane, entry);
	}
	if (moved && step->kind != PLAN_FILL && step->kind != PLAN_PRECONDITION)
		document_prose(
			doc, TONE_WARNING,
			PLURAL(moved,
			       "%u cell did not stand still: the IOPS of five parts of the "
			       "time lie more than 20 %% of their mean apart, so the drive "
			       "was not in a steady state",
			       "%u cells did not stand still: the IOPS of five parts of the "
			       "time lie more than 20 %% of their mean apart, so the drive "
			       "was not in a steady state"),
			moved);
}

const char *plan_step_id(struct document *doc, const struct plan_lane *lane, unsigned step)
{
	return document_text(doc, "step-%u-%u-%u", lane->target, lane->repetition, step);
}

/* One load, for minutes: the distribution of its latencies says more than its percentiles. */
static bool has_distribution(const struct plan_step *step)
{
	return step->ncells == 1 && (step->kind == PLAN_ROUNDS || step->kind == PLAN_SOAK ||
				     (step->kind == PLAN_RUN && step->repeat == 1));
}

void plan_step_page(struct document *doc, const struct plan_view *view,
		    const struct plan_lane *lane, unsigned number)
{
	const struct plan_step *step = &lane->plan->steps[number];
	unsigned from = 0;

	if (!plan_entry_next(lane, number, &from))
		return;
	document_anchor(doc, "%s", plan_step_id(doc, lane, number));
	document_heading(doc, 2, "%s", step->name);
	if (step->about)
		document_prose(doc, TONE_PLAIN, "%s", step->about);
	if (step->repeat > 1 && step->kind != PLAN_ROUNDS)
		document_prose(
			doc, TONE_PLAIN,
			PLURAL(step->repeat - step->discard, "Of %u repetition%s: the %s.",
			       "Of %u repetitions%s: the %s."),
			step->repeat - step->discard,
			step->discard ? document_text(doc,
						      PLURAL(step->discard,
							     " (%u more was not counted)",
							     " (%u more were not counted)"),
						      step->discard)
				      : "",
			document_say(doc, plan_aggregate_names[step->aggregate]));
	if (step->kind == PLAN_ROUNDS)
		add_rounds(doc, view, lane, number);
	if (step->kind == PLAN_FIND)
		add_found(doc, view, lane, number);
	else if (plan_step_loads(step))
		plan_matrix(doc, view, lane, number);
	if (plan_step_loads(step) && step->ncells > 1 && !view->brief)
		plan_stick_graph(doc, lane, number);
	if (step->kind == PLAN_SOAK)
		plan_slices_table(doc, view, lane, number);
	if (has_distribution(step) && !view->brief)
		plan_distribution(doc, lane, number);
	add_corner(doc, lane, number);
	add_notes(doc, lane, number);
}
