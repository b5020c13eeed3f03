#include "result/plan_record.h"

#include <math.h>

const char *const plan_dir_names[NPLAN_DIRS] = {
	[PLAN_READ] = "read", [PLAN_WRITE] = "write", [PLAN_TRIM] = "trim", [PLAN_ALL] = "all"};

const char *const plan_entry_states[NPLAN_ENTRY_STATES] = {
	[PLAN_DONE] = "done", [PLAN_ERRORS] = "errors", [PLAN_SKIPPED] = "skipped"};

void plan_figures_init(struct plan_figures *figures)
{
	*figures = (struct plan_figures){.levels = {(double)NAN, (double)NAN, (double)NAN}};
	for (unsigned d = 0; d < NPLAN_DIRS; d++)
		for (unsigned m = 0; m < NCELL_METRIC; m++)
			figures->value[d][m] = (double)NAN;
}

void plan_record_init(struct plan_record *record)
{
	*record = (struct plan_record){.state = "running", .scale = 1, .repetitions = 1};
	arena_init(&record->arena);
}

void plan_record_done(struct plan_record *record)
{
	arena_done(&record->arena);
	*record = (struct plan_record){0};
}
