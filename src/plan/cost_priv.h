/* What one run of a cell takes, and what its files cost before: parts of the estimate. */
#pragma once

#include "plan/estimate.h"
#include "plan/plan_priv.h"

/* A range of a figure; `most` INFINITY: unknown. */
struct span {
	double least, most;
};
struct cell_cost {
	struct span ns, written;
};

/* Nanoseconds for so many bytes. */
struct span cost_time(double bytes, struct plan_speed speed);

struct cell_cost cost_of_cell(const struct plan_subject *subject, const struct plan_step *step,
			      unsigned cell);
struct cell_cost cost_of_fill(const struct plan_subject *subject, const struct plan_step *step);

/* Files are filled before they are read: how far the target's file reaches before and after a
 * step, and what is written to get there. */
struct cost_layout {
	double file_bytes, written;
};
void cost_lay_out(const struct plan_subject *subject, const struct plan_step *step,
		  struct cost_layout *layout);
