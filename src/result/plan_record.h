/*
 * What one execution of a plan left behind, as it is kept: its journal (each thing that was
 * done, in order, with its figures), how its rounds stood, and verdicts. plan/ makes it, the
 * store saves and loads it, pages show it. All texts lie in the record's arena.
 */
#pragma once

#include "result/record.h"
#include "stat/check.h"

/* What a cell's figures are of: a direction, or all together (latencies weighted by requests,
 * percentiles of the merged histogram). */
enum plan_dir { PLAN_READ, PLAN_WRITE, PLAN_TRIM, PLAN_ALL, NPLAN_DIRS };
extern const char *const plan_dir_names[NPLAN_DIRS]; /* "read", ..., "all" */

/* A rate of requests as a token bucket (stat/bucket.h), of all directions together. */
struct plan_levels {
	double base_per_s;	     /* the level that stays; NAN: too short, or none held */
	double burst_per_s, burst_s; /* before it, and for how long; NAN: no burst ended */
};

struct plan_figures {
	uint64_t ios[NPLAN_DIRS], errors;	/* ios 0: nothing of this direction */
	uint64_t intervals, zero_intervals;	/* whole ones, and of them without any I/O */
	double value[NPLAN_DIRS][NCELL_METRIC]; /* NAN: unknown */
	struct plan_levels levels;		/* of one run at full load */
};
/* Nothing known. */
void plan_figures_init(struct plan_figures *figures);

/* One thing to do, and where it belongs. */
struct plan_task {
	unsigned target, repetition; /* the lane */
	unsigned step, pass;	     /* a place in the plan's order; of its repetitions */
	unsigned round, cell;	     /* from 0; a soak's slice is a round */
	double load; /* of find: percent of the rate (0: without one), depth or jobs; else 0 */
};

struct plan_blob { /* a histogram as result/codec.h packs it */
	const char *bytes;
	size_t count;
};

enum plan_entry_state {
	PLAN_DONE,
	PLAN_ERRORS,  /* I/O errors or a failed worker: figures are those of the rest */
	PLAN_SKIPPED, /* a step that was needed had failed, or this drive cannot do it */
	NPLAN_ENTRY_STATES
};
extern const char *const plan_entry_states[NPLAN_ENTRY_STATES];

/* A check of a policy, asked of the run behind an entry while its rows were at hand. */
struct plan_judged {
	const char *rule; /* as the policy has it */
	enum outcome outcome;
	double value, threshold;      /* NAN: more than one comparison, or unknown */
	const char *measured, *limit; /* "3, the worst at 1.100 s", "0" */
};

struct plan_entry {
	struct plan_task task;
	unsigned number; /* in the store: the order of the journal, not without gaps */
	enum plan_entry_state state;
	const char *step_name, *cell_name; /* NULL while it is in a plan's own journal */
	int64_t run;			   /* in the store; 0: none */
	const char *run_uid;		   /* of one that was read back; NULL: none */
	uint64_t began_unix_ns, span_ns, written_bytes;
	struct plan_figures figures;
	struct plan_blob hist[NPLAN_DIRS]; /* latencies that the figures are of */
	double moved_percent; /* range of five parts of the cell, of their mean; NAN unknown */
	const char *note;     /* what was really done: "TRIM of the whole device"; NULL */
	/* What the drives said before and after; NULL where none has a log. */
	struct health_facts *health;
	unsigned nhealth;
	struct plan_judged *judged; /* of judged_by= */
	unsigned njudged;
};

/* A target as the plan found it: what must not change, and what was consented to. */
struct plan_target {
	const char *path;
	const char *model, *serial, *firmware; /* "" unknown */
	uint64_t size_bytes;
	const char *token; /* that was consented to; NULL: none was needed */
	const char *found; /* file systems and tables on it then, a line each; NULL unknown */
};

/* How the rounds of one pass ended, by one tracked variable. */
struct plan_round_row {
	struct plan_task task; /* target, repetition, step, pass */
	const char *variable;
	bool attained;
	unsigned first_round, rounds; /* of the window; all that were done */
	double mean, slope, range_percent, slope_percent;
};

struct plan_verdict_row {
	struct plan_task task; /* target, repetition, step */
	const char *step_name, *cell_name, *rule, *outcome, *text;
	double value, threshold;
};

struct plan_record {
	struct arena arena;
	int64_t id; /* 4 of p4; 0: not kept */
	char uid[RECORD_UID_BYTES];
	const char *name, *title, *text; /* text: what plan_format() made */
	const char *spec;		 /* the data sheet, lines NAME = VALUE; NULL none */
	const char *settings;		 /* --set, a line each */
	struct plan_target *targets;
	unsigned ntargets, scale, repetitions;
	bool parallel;		  /* all targets at once */
	uint64_t max_write_bytes; /* that all of it may write; 0: no limit */
	const char *state;	  /* "running", "done", "stopped", "cut off", "unfinished" */
	uint64_t started_unix_ns, ended_unix_ns;
	struct plan_entry *entries;
	unsigned nentries;
	struct plan_round_row *rounds;
	unsigned nrounds;
	struct plan_verdict_row *verdicts;
	unsigned nverdicts;
	const char **tags; /* what people added */
	unsigned ntags;
	struct record_remark *remarks;
	unsigned nremarks;
};

struct plan_judged *plan_judged_copy(struct arena *arena, const struct plan_judged *judged,
				     unsigned count);

void plan_record_init(struct plan_record *record);
void plan_record_done(struct plan_record *record);
void plan_record_add_tag(struct plan_record *record, const char *tag);
void plan_record_add_remark(struct plan_record *record, uint64_t unix_ns, const char *text);
