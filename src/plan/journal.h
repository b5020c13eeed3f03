/*
 * The journal of a plan that runs: what was done, in order. What comes next is a pure function
 * of the plan and its journal (plan_next), so that a plan that was cut off goes on by itself
 * where it stood: the journal is read back from the store, and asked.
 *
 * A lane is one target in one repetition of the whole plan; lanes run one after another, with
 * repetitions A B B A, or those of each target beside those of the others (--parallel).
 */
#pragma once

#include "plan/plan.h"
#include "stat/bucket.h"

struct plan_journal {
	struct arena arena;
	struct plan_entry *entries; /* in the arena, grows */
	unsigned count;
	const uint64_t *size_bytes; /* of each target, as far as the plan uses it; 0 unknown */
	unsigned ntargets;
};

void plan_journal_init(struct plan_journal *journal);
void plan_journal_done(struct plan_journal *journal);
/* The targets' sizes, from their record; before plan_next() is asked. */
void plan_journal_sizes(struct plan_journal *journal, const struct plan_record *record);
/* Texts and histograms are copied. */
void plan_journal_add(struct plan_journal *journal, const struct plan_entry *entry);

/* How many entries a target has: what is made of it depends on no other target, so that all see
 * the same loads in whatever order they are worked on. */
unsigned plan_journal_of(const struct plan_journal *journal, unsigned target);
/* Up to the last of which any target has an entry; at least one. */
unsigned plan_repetitions_begun(const struct plan_journal *journal);

struct plan_lane {
	const struct plan *plan;
	const struct plan_journal *journal;
	const struct plan_spec *spec; /* for the check of find; NULL */
	unsigned target, repetition;
};

/* How many lanes: each target in each repetition. */
struct plan_size {
	unsigned targets, repetitions;
};

/* next.c: what is to be done now; false: all of it is. */
bool plan_next(const struct plan *plan, const struct plan_journal *journal,
	       const struct plan_spec *spec, const struct plan_size *size,
	       struct plan_task *ret_task);
/* The same of one target alone, where all are worked on at once. */
bool plan_target_next(const struct plan_lane *first, unsigned repetitions,
		      struct plan_task *ret_task);
/* Of one lane, and of one step of it. */
bool plan_lane_next(const struct plan_lane *lane, struct plan_task *ret_task);
bool plan_step_next(const struct plan_lane *lane, unsigned step, struct plan_task *ret_task);

/* Entries of a step in a lane, one after another: `from` is where to look on. */
const struct plan_entry *plan_entry_next(const struct plan_lane *lane, unsigned step,
					 unsigned *from);

/* --- rounds.c --- */

struct plan_proof {					  /* of one tracked variable */
	double mean, slope, range_percent, slope_percent; /* of the window */
	bool attained;
};
struct plan_steady {
	bool attained;
	unsigned rounds;	       /* finished ones */
	double fills;		       /* times the target that they wrote; 0: size unknown */
	bool is_full;		       /* as often as the step allows */
	unsigned first_round, nwindow; /* all rounds from the window's first to its last */
	struct plan_proof proof[PLAN_VARIABLES_MAX];
};
/* How the rounds of one pass stand. */
void plan_steady(const struct plan_lane *lane, unsigned step, unsigned pass,
		 struct plan_steady *ret_steady);
/* One variable over all rounds, for charts; NAN where a round lacks it. Returns how many. */
unsigned plan_rounds_series(const struct plan_lane *lane, unsigned step, unsigned pass,
			    unsigned variable, double *ret_values, unsigned max);

/* --- departure.c --- */

/* A cell beside the level at which rounds before it were steady with the same load. */
struct plan_departure {
	unsigned step, variable; /* the rounds, and what they tracked */
	double level, value, percent;
	bool left; /* by more than half of the range that the rule allows: 10 % */
};
/* False: there is no such level. Of several variables the one that has gone furthest. */
bool plan_departure(const struct plan_lane *lane, const struct plan_entry *entry,
		    struct plan_departure *ret_departure);

/* --- find.c --- */

struct plan_point { /* of the curve, in order of load */
	double load, ios_per_s, mean_ns, p99_ns;
	bool holds;
};
#define PLAN_POINTS_MAX 256
struct plan_found {
	struct plan_point point[PLAN_POINTS_MAX];
	unsigned count;
	int best; /* the highest point that holds; -1 none */
	int knee; /* where more load begins to cost more than it brings; -1 unknown */
	double saturated_ios_per_s; /* without a rate */
};
void plan_found(const struct plan_lane *lane, unsigned step, struct plan_found *ret_found);
bool plan_find_next(const struct plan_lane *lane, unsigned step, double *ret_load);

/* --- measure.c --- */

/* What a cell stands for in the table: its repetitions (without the discarded ones) put
 * together, or the rounds of the window. False: nothing was measured yet. */
bool plan_cell_figures(const struct plan_lane *lane, unsigned step, unsigned cell,
		       struct plan_figures *ret_figures);

/* The same, one by one: the figure of each repetition (of rounds, of the window); how many. */
unsigned plan_cell_values(const struct plan_lane *lane, unsigned step, unsigned cell,
			  enum cell_metric metric, double *ret_values, unsigned room);

/* The entries that stand for a cell, into `ret_entries`; how many, of at most `room`. */
unsigned plan_cell_entries(const struct plan_lane *lane, unsigned step, unsigned cell,
			   const struct plan_entry **ret_entries, unsigned room);

/* Of a sweep of block sizes alone; false: it is none, or nothing was measured. */
bool plan_corner(const struct plan_lane *lane, unsigned step, struct corner *ret_corner);

/* Adds the latencies that these figures are of. */
struct hist;
void plan_entry_hist(const struct plan_entry *entry, enum plan_dir dir, struct hist *into);
void plan_cell_hist(const struct plan_lane *lane, unsigned step, unsigned cell,
		    enum plan_dir dir, struct hist *into);

/* --- judge.c --- */

struct plan_verdict {
	unsigned step, check; /* whose, and which of its checks */
	int cell;	      /* -1: of the step */
	enum outcome outcome;
	double value, threshold;       /* NAN: more than one comparison */
	char text[300];		       /* "p99 < 1ms: 0.84 ms" */
	char measured[160], limit[80]; /* "0.84 ms" or why it is not known, "1 ms" */
};
/* A check on one cell (-1: on figures of other steps alone). Figures that are not there yet
 * make it "cannot tell". An error only where the text is wrong. */
int plan_check_judge(const struct plan_lane *lane, unsigned step,
		     const struct plan_check *check, int cell, struct plan_verdict *ret_verdict,
		     struct err *err);
/* All verdicts of a step that is done, into an array in the arena. */
unsigned plan_step_verdicts(const struct plan_lane *lane, unsigned step, struct arena *arena,
			    struct plan_verdict **ret_verdicts);
/* The same for one entry alone: a load of find. */
enum outcome plan_check_entry(const struct plan_lane *lane, unsigned step, const char *text,
			      const struct plan_entry *entry);
/* A slice of a soak by itself; of all of them plan_check_judge() tells the worst. */
int plan_slice_judge(const struct plan_lane *lane, const struct plan_check *check,
		     const struct plan_entry *entry, struct plan_verdict *ret_verdict);
/* Did the step fail: errors, or a check that says so? */
bool plan_step_failed(const struct plan_lane *lane, unsigned step);
