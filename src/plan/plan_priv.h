/* What the files of plan/ share while a plan is read. */
#pragma once

#include "plan/cell.h"
#include "plan/plan.h"

struct plan_reading {
	struct plan *plan;
	const struct plan_wish *wish;
	struct job_set *scratch; /* where values of job options are tried */
	struct job_spec *spec;
	struct plan_draft *drafts;
	unsigned ndrafts;
	struct plan_draft global;
	struct given *variables;
	const char **defaults; /* of the variables, as the file has them */
	unsigned nvariables;
	struct plan_when *whens;
	unsigned nwhens;
	bool left_out; /* the section that is being read: a when= of it does not hold */
	struct err *err;
};

/* "WHERE: text" into err. */
int plan_refuse(struct plan_reading *r, const char *where, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* keys.c: the plan's own keys, in the order in which they are read. */
struct plan_key {
	const char *name;
	unsigned kinds; /* bits 1 << enum plan_kind */
	bool many;	/* may stand several times */
	int (*parse)(struct plan_reading *r, struct plan_step *step, const struct given *given);
	const char *form, *help;
};
extern const struct plan_key plan_keys[];
extern const unsigned plan_nkeys;
const struct plan_key *plan_key_find(const char *name);
int plan_kind_parse(const char *name, enum plan_kind *ret_kind);

/* when.c: "NAME=V,V ...": does every variable named have one of its values? */
struct plan_when {
	const char *name, *values, *where; /* values: "V,V" */
};
int plan_when_parse(struct plan_reading *r, const char *text, const char *where,
		    bool *ret_holds);
/* A value that --set gives such a variable is its default, or stands in a when= somewhere. */
int plan_whens_check(struct plan_reading *r);

/* axes.c */
/* An option that would lead a job elsewhere than to the plan's target; else 0. */
int plan_refuse_target(struct plan_reading *r, const char *where, const char *key);
int plan_axes_parse(struct plan_reading *r, const char *text, const char *where,
		    struct plan_axes *ret_axes);
/* A text that begins with "[bs=4k]": axes and what comes after; without one all is left. */
int plan_axes_take(struct plan_reading *r, const char **text, const char *where,
		   struct plan_axes *ret_axes);
/* Each key is one of the step's axes, and each value one of the axis'. */
int plan_axes_check(struct plan_reading *r, const struct plan_step *step,
		    const struct plan_axes *axes, const char *where);
int plan_cells_make(struct plan_reading *r, struct plan_step *step, const char *where);
/* Takes those out that `skip` names. */
int plan_cells_skip(struct plan_reading *r, struct plan_step *step,
		    const struct plan_axes *skip, const char *where);

/* until.c */
int plan_until_parse(struct plan_reading *r, struct plan_step *step, const char *text,
		     const char *where);
/* "read.iops": direction and figure; false if it is none. */
bool plan_metric_parse(const char *text, size_t length, enum plan_dir *ret_dir,
		       enum cell_metric *ret_metric);

/* settle.c: order, needs, and every cell and check tried once. */
int plan_settle(struct plan_reading *r);

/* judge.c: do the checks name figures that there will be? */
int plan_checks_try(const struct plan *plan, const struct plan_step *step,
		    const struct plan_spec *spec, struct err *err);

/* judge.c: "p99 < 1ms: 0.84 ms" and both sides; what could not be told says why. */
struct check_result;
struct plan_verdict;
void plan_verdict_describe(const struct check_result *result, const char *text,
			   struct plan_verdict *verdict);
/* judge_run.c: what a policy's check said of the runs behind a cell, the worst of them; of
 * one alone where `entry` is one. False: none of them was asked, which the verdict says. */
struct plan_lane;
struct plan_entry;
bool plan_judged_verdict(const struct plan_lane *lane, const struct plan_check *check,
			 const struct plan_entry *entry, struct plan_verdict *verdict);

/* slices.c: one slice that fails fails all: a bad hour is not made good by the others.
 * `verdict` comes with what all slices together are, which stands where none fails. */
void plan_slices_judge(const struct plan_lane *lane, const struct plan_check *check,
		       struct plan_verdict *verdict);
