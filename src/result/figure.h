/*
 * Figures of a result that every reader of it shares: the JSON, the pages, the store. What is
 * sound enough to be told is decided here, once.
 */
#pragma once

#include "result/result.h"

extern const char *const figure_dir_names[NDIR]; /* "read", "write", "trim", "sync" */

/* The percentile within what was seen; false where it is not sound. */
bool figure_percentile_ns(const struct lat *lat, double percent, uint64_t *ret_ns);

/* CPU time per completed request, with what was spent beyond the worker's thread for it; 0
 * without requests. */
double figure_cpu_ns_per_io(const struct job_result *job);
uint64_t figure_total_ios(const struct job_result *job);

/* The kind that stands for the service time: LAT_TOTAL, else LAT_CLAT where only that was
 * measured, or only of that percentiles are known (imports). `ret_name` ("service",
 * "completion") may be NULL. */
const struct lat *figure_service(const struct dir_result *figures, const char **ret_name);
