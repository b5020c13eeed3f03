/*
 * A plan: a whole qualification of a drive as a list of steps, read from a file. It is the job
 * language plus a few keys (doc/plans.md): one grammar (job/ini.h), and what a step measures is
 * set through job_set_option() alone. Everything that can be wrong with a plan is found here,
 * before anything runs, and named with file and line.
 *
 * A plan owns its arena: every text and array in it lives until plan_done(). It is const
 * once it was read. Pure: nothing here prints, runs, or looks at a target.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "job/job.h"
#include "result/plan_record.h"
#include "stat/check.h"

enum plan_kind {
	PLAN_RUN,	   /* one cell */
	PLAN_SWEEP,	   /* a cell for each combination of values */
	PLAN_ROUNDS,	   /* the cells again and again, until they are steady */
	PLAN_FIND,	   /* the highest load at which a check holds, and the curve up to it */
	PLAN_FILL,	   /* the range written once or more, sequentially */
	PLAN_PRECONDITION, /* the same at random */
	PLAN_PURGE,
	PLAN_IDLE,
	PLAN_SOAK,     /* one load for days, judged slice by slice */
	PLAN_SNAPSHOT, /* the drive's health */
	PLAN_CHECK,    /* limits on figures of other steps; does nothing to the drive */
	NPLAN_KINDS
};

/* --- parts of steps --- */

/* "bs=4k,8k numjobs=1,4": axes of a sweep, or which of its cells are meant. */
struct plan_axis {
	const char *key; /* of a job option */
	const char **values;
	const char **canonical; /* the same as the option prints them: 4096 is 4k */
	unsigned count;
};
struct plan_axes {
	const struct plan_axis *axis;
	unsigned count;
};

struct plan_cell {
	const char *name;	   /* "bs=4k numjobs=8"; "" for the only one of a step */
	const unsigned char *pick; /* an index of each axis' values */
};
#define PLAN_CELLS_MAX	10000
#define PLAN_VALUES_MAX 200 /* of one axis */

struct plan_variable {	  /* what until= tracks */
	const char *text; /* as written: "read.iops[bs=4k]" */
	enum plan_dir dir;
	enum cell_metric metric;
	unsigned cell;
};
#define PLAN_VARIABLES_MAX 8
struct plan_until {
	struct plan_variable variable[PLAN_VARIABLES_MAX];
	unsigned count;	 /* 0: no rule */
	unsigned window; /* judged rounds */
	unsigned stride; /* one round in so many is judged, from the first on; 1: each */
	double range_percent, slope_percent;
};

enum plan_by { PLAN_BY_RATE, PLAN_BY_IODEPTH, PLAN_BY_NUMJOBS };
#define PLAN_LOADS_MAX 64
struct plan_find {
	const char *check, *where;
	enum plan_by by;
	uint64_t from, to;	     /* of iodepth, numjobs */
	double precision_percent;    /* of rate */
	double load[PLAN_LOADS_MAX]; /* of rate: percent of what a run without rate does */
	unsigned nloads;
};

struct plan_check {
	const char *text, *where;
	struct plan_axes only; /* cells that it is asked of; none: every one */
	/* Against what was sold, with a third word. Entitled: what stays of it, after a
	 * burst. */
	bool delivered, entitled;
	const char *policy; /* whose it is: asked of each cell's run by its rows; NULL */
};
#define PLAN_ENTITLED_WITHIN 0.05 /* of what was sold: a throttle keeps to its rate */

enum plan_write_cache { PLAN_CACHE_AS_IS, PLAN_CACHE_ON, PLAN_CACHE_OFF };
/* What stands for several repetitions of a cell. */
enum plan_aggregate { PLAN_MEDIAN, PLAN_MEAN, PLAN_BEST };
extern const char *const plan_aggregate_names[];
enum plan_method { /* of purge; of precondition PLAN_AUTO or PLAN_ONE_PASS */
		   PLAN_AUTO,
		   PLAN_FORMAT,
		   PLAN_SANITIZE,
		   PLAN_SECURE_ERASE,
		   PLAN_TRIM_ALL,
		   PLAN_ZERO,
		   PLAN_PASSES,
		   PLAN_ONE_PASS,
};

#define PLAN_MATRIX_MAX 4
struct plan_step {
	const char *name, *where, *about;
	enum plan_kind kind;
	const unsigned *needs; /* places of steps before it */
	unsigned nneeds;
	const struct given *options; /* of the job: the plan's globals first, then its own */
	unsigned noptions, nglobals;
	uint32_t range_percent_x100; /* active range; 10000: all */
	enum plan_write_cache write_cache;
	/* Its jobs use a file in a file system that is made for the step; NULL: the target. */
	const char *filesystem, *mkfs_options, *mount_options;
	const char
		*against; /* a step before it, of which its cells are told as a ratio; NULL */
	const char *against_where;
	unsigned against_step;

	struct plan_axes sweep;
	const struct plan_cell *cells;
	unsigned ncells;
	unsigned repeat, discard; /* each cell this often; the first ones are not counted */
	enum plan_aggregate aggregate;
	uint64_t pause_ns;	   /* before each cell */
	uint64_t for_ns, every_ns; /* of idle and soak; soak's slices */
	unsigned passes, workers;
	enum plan_method method;
	struct plan_until until;
	unsigned max_rounds;
	unsigned max_fills; /* times that the target was written end them too; 0: no limit */
	struct plan_find find;
	uint64_t refresh_ns; /* its load, before it goes on after a pause; 0 none */

	const struct plan_check *checks;
	unsigned nchecks;
	enum cell_metric matrix[PLAN_MATRIX_MAX]; /* figures of one field of its table */
	unsigned nmatrix;			  /* 0: a table a figure */
};

/* A section as it was read, variables put in: [global] first. */
struct plan_draft {
	const char *name, *where;
	struct given *settings; /* in order; value NULL: bare */
	unsigned nsettings;
};

struct plan {
	struct arena arena;
	const char *name, *path; /* "pcie-ssd"; the file */
	const char *title, *about;
	const struct given *variables; /* as they were settled */
	unsigned nvariables;
	struct plan_step *steps; /* in the order in which they run */
	unsigned nsteps;
	const struct plan_draft *drafts; /* what was read: [global] and the steps */
	unsigned ndrafts;
};
#define PLAN_STEPS_MAX 200

/* What the command line says. */
struct plan_wish {
	const char *const *set; /* "name=value" */
	unsigned nset;
	const struct plan_spec *spec; /* --spec=FILE; NULL none */
};

/*
 * Reads a plan from text that is in memory (plan/shipped.h finds it); `name` is its file in
 * messages, and what it includes lies beside it. On failure there is one error, with file and
 * line, and the plan is empty.
 */
int plan_read_text(struct plan *ret_plan, const char *name, const char *text,
		   const struct plan_wish *wish, struct err *err);
void plan_done(struct plan *plan);

/* The plan as one text without includes and variables, which reads back to the same plan: what
 * the store keeps. */
void plan_format(const struct plan *plan, struct str *out);

const char *plan_kind_name(enum plan_kind kind);
/* Does the step run jobs, and do they write? */
bool plan_step_loads(const struct plan_step *step);
bool plan_step_writes(const struct plan_step *step);
/* The first step that works through a file system of its own; NULL: none does. */
const struct plan_step *plan_makes_filesystem(const struct plan *plan);
const struct plan_step *plan_find_step(const struct plan *plan, const char *name);

/* How many cells of a step `only` names, and the last of them. */
unsigned plan_cells_named(const struct plan_step *step, const struct plan_axes *only,
			  unsigned *ret_cell);
/* Is `cell` one of those that `only` names? */
bool plan_cell_is(const struct plan_step *step, const struct plan_cell *cell,
		  const struct plan_axes *only);

/* --- datasheets --- */

/* --spec=FILE: lines "iops = 90000", "bw = 2GB/s", "p99 = 5ms": spec.NAME in checks. */
struct plan_spec {
	struct arena arena;
	const char *path;
	const char **names, **texts; /* as written */
	struct check_value *values;
	unsigned count;
};
int plan_spec_read(struct plan_spec *ret_spec, const char *path, struct err *err);
/* The same from text; and text of it, to be kept. */
int plan_spec_parse(struct plan_spec *ret_spec, const char *path, const char *text,
		    struct err *err);
void plan_spec_format(const struct plan_spec *spec, struct str *out);
void plan_spec_done(struct plan_spec *spec);
const struct check_value *plan_spec_find(const struct plan_spec *spec, const char *name);
