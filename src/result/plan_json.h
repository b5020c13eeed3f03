/*
 * A whole plan in an export, beside the records of its runs: what it was, its journal with figures,
 * histograms and health, how its rounds stood, verdicts. Runs are named by their uid. A consent is
 * left out: it was given for a drive, on the machine where it was given.
 */
#pragma once

#include "result/plan_record.h"

struct json;

/* The array "plans" of an export. */
void plan_records_json(struct json *json, struct plan_record *const *plans, unsigned count);

/* The plans of an export; other texts hold none. Each is the caller's to release, also those before
 * an error. Whether the journal fits the plan's text is not looked at here. */
int plan_records_read(struct arena *arena, const char *text, size_t bytes,
		      struct plan_record **ret_plans, unsigned *ret_count, struct err *err);
