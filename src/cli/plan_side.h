/* A plan as a side of a comparison: each cell once, with what stands for it in the plan's page. */
#pragma once

#include "cli/sides.h"

/* "p4", "p4:2" (its second target), "@plan". */
bool plan_side_is_name(const char *name);
/* A record for each repetition of the plan; the store is open. */
int plan_side_load(struct side_source *source, const char *name, struct side *side,
		   struct err *err);
