/* --max-write of a plan: the count beside the store, and what is said of it. */
#pragma once

#include "base/json.h"
#include "cli/plan_estimate.h"
#include "cli/plan_session.h"

/* The exit code of a process of --parallel that came to the limit; the one that has them all says
 * it once. */
#define PLAN_AT_LIMIT_CODE 100

/* Of a new plan, and of one that goes on: with --max-write of the command, else with its own. */
int plan_limit_begin(struct plan_session *s, struct err *err);
/* `done`: the plan came to its end, and the count is of no use any more. */
void plan_limit_end(struct plan_session *s, bool done);
/* Where it stopped, what was written, what is undone, and how it goes on. */
void plan_limit_text(const struct plan_session *s, struct str *out);

/* The step that takes the bytes beyond the limit, by the estimate. */
struct plan_limit_at {
	bool found;
	unsigned target, step;
};
struct plan_limit_outlook {
	struct plan_limit_at will, may;
};
/* `guesses` are of each drive the steps. */
void plan_limit_find(const struct plan_outlook *outlook, const struct plan_guess *guesses,
		     struct plan_limit_outlook *ret_at);
void plan_limit_page(struct document *doc, const struct plan_outlook *outlook,
		     const struct plan_guess *guesses);
void plan_limit_json(struct json *json, const struct plan_outlook *outlook,
		     const struct plan_guess *guesses);
