/* A plan that is being carried out: what `plan run` and `plan resume` hold while it goes on. */
#pragma once

#include "cli/crew.h"
#include "cli/keep.h"
#include "cli/plan_kept.h"
#include "cli/plan_priv.h"
#include "cli/show.h"
#include "cli/watch.h"
#include "plan/estimate.h"
#include "plan/execute.h"

struct plan_session {
	struct plan_options *options;
	struct plan_kept kept;	       /* a new one, or one that goes on */
	const struct plan_spec *sheet; /* the one that counts; NULL */
	struct plan_execution x;
	struct keep keep;
	struct job_set set; /* of the command: what show wants to know */
	struct show show;
	struct run_hooks shown, run_hooks; /* those of show; with those who watch */
	struct watch watch;
	char consent[300];
	char folder[4096];			     /* the store's */
	struct plan_speeds speeds[PLAN_TARGETS_MAX]; /* for the time that is left */
	bool is_new;				     /* not one that goes on */
	int lock_fd;
	int say_fd; /* of a process that works on one target; -1 */
	char heard[PLAN_TARGETS_MAX][CREW_LINE_BYTES]; /* the newest line of each */
	struct plan_record reread;		       /* what they kept */
};
_Static_assert(PLAN_TARGETS_MAX == CREW_MAX, "one process a target");

/* A signal that came since it was asked last; 0 none. */
int plan_take_signal(void *context);
/* plan_at_once.c: plan_execute() with a process a target. */
int plan_all_at_once(struct plan_session *s, struct err *err);
/* plan_live.c: all hooks but `stop`, and those of its runs. */
void plan_live_hooks(struct plan_session *s, struct plan_hooks *hooks);
/* plan_consent.c: what the command line and the environment consent to; "" nothing. */
const char *plan_consented(struct plan_session *s);
/* Once for the whole plan; what was consented to is kept with it. */
int plan_ask_all(struct plan_session *s, struct err *err);
/* Of one that goes on: only where a drive carries what was not consented to. */
int plan_ask_strangers(struct plan_session *s, struct err *err);
/* Asks whoever sits at the terminal; -ENOTTY: nobody. */
int plan_live_ask(void *context, const struct guard_verdict *verdict, char *ret_token,
		  size_t size_bytes);
