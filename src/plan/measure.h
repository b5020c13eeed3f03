/* Figures of a cell, made of the result of its run. */
#pragma once

#include "plan/journal.h"
#include "result/result.h"

struct plan_step;
/* Asks the checks of the step's policies of the run's rows, into entry->judged (in the
 * arena). An error only where the rows cannot be read. */
int plan_entry_judge(const struct plan_step *step, const struct result *result,
		     struct arena *arena, struct plan_entry *entry, struct err *err);

/* Fills the entry's figures, histograms (kept in the arena) and moved_percent. */
void plan_entry_measure(struct result *result, struct arena *arena, struct plan_entry *entry);
