/* Figures of a cell, made of the result of its run. */
#pragma once

#include "plan/journal.h"
#include "result/result.h"

/* Fills the entry's figures, histograms (kept in the arena) and moved_percent. */
void plan_entry_measure(struct result *result, struct arena *arena, struct plan_entry *entry);
