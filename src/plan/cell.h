/* The jobs of one cell: the options of its step, its place in the sweep. */
#pragma once

#include "plan/plan.h"

/* A new job of the set, not yet added to it, which loads `target`. */
int plan_cell_spec(struct job_set *set, const struct plan_step *step,
		   const struct plan_cell *cell, const char *target, struct job_spec **ret_spec,
		   struct err *err);
