/* Where plans are found: by path, in the user's own folder, and among those that are part of
 * the program (plans/NAME.plan). */
#pragma once

#include "plan/plan.h"

/* The shipped ones, in order of name; NULL after the last. */
struct plan_text {
	const char *name, *text;
};
extern const struct plan_text plan_texts[];
const char *plan_text_find(const char *name); /* NULL: there is none */

/* The text of the plan that `name` stands for, and where it came from: a path with "/" or
 * ending in ".plan"; NAME.plan in $XDG_DATA_HOME/assay/plans; a shipped one. */
int plan_text_load(const char *name, struct str *ret_text, struct str *ret_path,
		   struct err *err);
/* Reads it. */
int plan_open(struct plan *ret_plan, const char *name, const struct plan_wish *wish,
	      struct err *err);
/* The folder of the user's own plans. */
void plan_own_folder(struct str *ret_path);
