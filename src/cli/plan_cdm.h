/* A plan of single cells (as cdm) in the layout of CrystalDiskMark. */
#pragma once

#include "cli/plan_page.h"

/* Can it be shown like that? Asked before it runs. */
int plan_cdm_check(const struct plan *plan, struct err *err);

/* One page a target and repetition; an error where the plan has other steps. */
int plan_cdm(const struct plan_view *view, struct str *out, struct err *err);
