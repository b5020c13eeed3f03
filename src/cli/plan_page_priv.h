/* The parts of a plan's page. */
#pragma once

#include "cli/plan_page.h"

/* The id of a step's heading (document_anchor); unique among lanes and steps. */
const char *plan_step_id(struct document *doc, const struct plan_lane *lane, unsigned step);

/* "/dev/sda, repetition 2: " where there are several lanes, else "". */
const char *plan_lane_words(struct document *doc, const struct plan_view *view,
			    const struct plan_task *task);

/* The cells of a step (its number: a place in the plan's order) as tables and curves; nothing
 * where none was measured. */
void plan_matrix(struct document *doc, const struct plan_view *view,
		 const struct plan_lane *lane, unsigned number);
/* plan_slices.c: those of a soak. Words of one that failed, for who looks on; false: none. */
void plan_slices_table(struct document *doc, const struct plan_view *view,
		       const struct plan_lane *lane, unsigned number);
bool plan_slice_words(const struct plan_lane *lane, const struct plan_entry *entry,
		      struct str *out);
/* A step with its heading; nothing where it was not begun. */
void plan_step_page(struct document *doc, const struct plan_view *view,
		    const struct plan_lane *lane, unsigned number);

/* One figure of a step's cells over the values of one option, a line a value of another. */
struct plan_curves {
	const char *id, *title;
	enum cell_metric metric;
	const struct plan_axis *x, *line; /* line NULL: one line, called `name` */
	const char *name;
	const double *values; /* [line * x->count + x]; NAN: not measured */
};
/* Nothing where the option's values are no numbers. */
void plan_curves_graph(struct document *doc, const struct plan_curves *curves);

/* A figure as graphs draw it: MB/s, else as it is (the axis finds the unit of latencies); and
 * the unit and words of the axis. */
struct graph;
double plan_drawn_value(enum cell_metric metric, double value);
void plan_name_values(enum cell_metric metric, struct graph *graph);

/* All rounds of a step of several cells: the tracked figure of each cell, and the window. */
void plan_convergence_graphs(struct document *doc, const struct plan_lane *lane,
			     unsigned number, const struct plan_steady *steady);
/* How a new drive got to its steady state: over time, bytes written, fills of the drive. */
void plan_saturation_graphs(struct document *doc, const struct plan_view *view,
			    const struct plan_lane *lane, unsigned number, unsigned rounds);
/* Latency over rate: of cells that differ in their requests in flight, and of a search. */
struct plan_found;
void plan_stick_graph(struct document *doc, const struct plan_lane *lane, unsigned number);
void plan_found_graph(struct document *doc, const struct plan_lane *lane, unsigned number,
		      const struct plan_found *found);
/* The distribution of the latencies of a step's only cell. */
void plan_distribution(struct document *doc, const struct plan_lane *lane, unsigned step);

/* plan_against.c: ratios of steps that stand against one before them; nothing where none does. */
#define PLAN_AGAINST_MAX 8
struct json;
void plan_against_page(struct document *doc, const struct plan_view *view, unsigned target);
void plan_against_json(struct json *json, const struct plan_view *view);

/* plan_vitals.c: nothing where nothing is known. */
void plan_vitals_page(struct document *doc, const struct plan_view *view);

/* plan_verdict_page.c: how it came out, and what a reviewer asks. */
void plan_verdict_page(struct document *doc, const struct plan_view *view);

/* plan_facts_page.c: what it was carried out on and how; each nothing where nothing is known. */
void plan_facts(struct document *doc, const struct plan_view *view);
void plan_machine(struct document *doc, const struct plan_view *view);
void plan_preparation(struct document *doc, const struct plan_view *view);
void plan_conditions(struct document *doc, const struct plan_view *view);
void plan_environment(struct document *doc, const struct plan_view *view);
void plan_again(struct document *doc, const struct plan_view *view);

/* plan_health_page.c: each drive of a target, from before the first step to after the last one;
 * and rows of three cells for what a reviewer asks. */
void plan_health(struct document *doc, const struct plan_view *view, unsigned target);
void plan_amplification(struct document *doc, const struct plan_view *view,
			const struct plan_lane *lane, struct table *table);
void plan_complaints(struct document *doc, const struct plan_view *view,
		     const struct plan_lane *lane, struct table *table);
