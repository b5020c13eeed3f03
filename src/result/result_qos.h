/*
 * A run's result as the judge sees it (stat/qos.h): the rows are the intervals, the histograms
 * of all workers the run. The same policies judge a live run, a stored one and a log.
 *
 * What rows do not hold is left unknown: minima and counts above a latency of single
 * intervals; and, where rows have no histograms, the spread of percentiles between the parts
 * of the run, so that their bounds take requests as independent.
 */
#pragma once

#include "result/result.h"
#include "stat/density.h"
#include "stat/qos.h"

/* Cells and histograms are made in `arena`; `result` is only read, and holds its series. */
void result_qos(const struct result *result, struct arena *arena, struct qos_run *ret_run);

/* The same, and where in time the requests of each direction lie by their latency, from the
 * rows' histograms: SERIES_ALL densities of at most RESULT_DENSITY_COLUMNS columns, each a
 * whole number of rows, from the run's start; released with density_done(). One whose count
 * is NULL has no data: a row's histogram is missing, or nothing was measured. The series may stand
 * elsewhere: an error where that cannot be read. */
#define RESULT_DENSITY_COLUMNS 512
int result_qos_density(const struct result *result, struct arena *arena,
		       struct qos_run *ret_run, struct density *ret_density /* SERIES_ALL */,
		       struct err *err);
