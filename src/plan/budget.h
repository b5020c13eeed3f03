/*
 * What a plan may write in all (--max-write), and what of it is left: a page of a file beside the
 * store, "plan-UID.budget", that every process which works on the plan has in its memory. Each
 * write is taken from it before it goes out, also by a cell that is cut off later, so that the
 * count outlives a kill and a resume has what is left. A power failure loses what was counted
 * since the last cell that was kept.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct plan_budget_page;
struct plan_budget {
	struct plan_budget_page *page; /* NULL: no limit */
};

/* A new one, of which so much has gone already. */
int plan_budget_make(struct plan_budget *ret_budget, const char *path, uint64_t limit_bytes,
		     uint64_t written_bytes, struct err *err);
/* -ENOENT: there is none; `err` is not filled then. */
int plan_budget_open(struct plan_budget *ret_budget, const char *path, struct err *err);
void plan_budget_close(struct plan_budget *budget);

/* False: not so much is left, and nothing was taken. Without a limit it is always true. */
bool plan_budget_take(struct plan_budget *budget, uint64_t bytes);
/* What was written already, by others than us: it may be more than was left. */
void plan_budget_count(struct plan_budget *budget, uint64_t bytes);
/* Another limit; what was written stays. */
void plan_budget_change(struct plan_budget *budget, uint64_t limit_bytes);
/* On its way to the disk as well. */
void plan_budget_sync(const struct plan_budget *budget);

/* UINT64_MAX without a limit. */
uint64_t plan_budget_left(const struct plan_budget *budget);
uint64_t plan_budget_written(const struct plan_budget *budget);
uint64_t plan_budget_limit(const struct plan_budget *budget);
/* For a run, whose workers take from it; NULL without a limit. */
_Atomic int64_t *plan_budget_counter(const struct plan_budget *budget);
