/* Several targets of one plan beside each other: a table of all, and which of them is not like
 * the others (stat/outlier.h). */
#pragma once

#include "base/json.h"
#include "cli/plan_page.h"

/* Nothing for a single target. */
void plan_targets_tables(struct document *doc, const struct plan_view *view);
/* "outliers": what was marked. */
void plan_targets_json(const struct plan_view *view, struct json *json);
