/* One level, or a burst first? Of a run's whole intervals, all jobs together. */
#pragma once

#include "result/result.h"
#include "stat/bucket.h"

/* All false and zero where it cannot be told: too short, or the load has a rate of its own. */
void result_levels(const struct result *result, struct bucket_fit *ret_fit);
