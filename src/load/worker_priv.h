/* What worker.c and worker_setup.c share. */
#pragma once

#include "load/worker.h"

/* The instant at which a row begins. */
static inline uint64_t worker_row_ticks(const struct worker *w, uint64_t row)
{
	return w->shared->grid_ticks + clock_span_ticks(w->clock, row * w->shared->interval_ns);
}
