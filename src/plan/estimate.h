/*
 * What a plan will take, before anything is done: time, and bytes written, of each step.
 * Pure arithmetic on the plan, the size of the target and the rates that are known of it;
 * what is not known exactly is a range.
 */
#pragma once

#include "plan/journal.h"

/* Bytes per second, from the least to the greatest that is to be expected. */
struct plan_speed {
	double least, most; /* most 0: unknown */
};
struct plan_speeds {
	struct plan_speed read, write, random_write; /* of large blocks, many at once */
	double ios_most;    /* small random requests a second, 32 at once; 0: unknown */
	const char *source; /* where they come from, for people */
};

struct plan_guess {
	uint64_t least_ns, most_ns;
	uint64_t least_written, most_written;
	unsigned least_cells, most_cells; /* runs */
	bool open;			  /* the upper ends are not known: no rate */
};

/* One target, as the plan sees it. */
struct plan_subject {
	const char *path;
	uint64_t size_bytes; /* that the plan uses; 0: unknown, a file that is to be made */
	bool is_file;	     /* it is laid out before it is read */
	bool purge_zeroes[PLAN_STEPS_MAX]; /* a purge step: nothing but zeros will do it */
	unsigned scale;
	struct plan_speeds speeds;
};

void plan_estimate_step(const struct plan *plan, unsigned step,
			const struct plan_subject *subject, struct plan_guess *ret_guess);
/* All steps, once. */
void plan_estimate(const struct plan *plan, const struct plan_subject *subject,
		   struct plan_guess *ret_guess);
/* What a lane still has before it. Rates are those of the subject, but of what it has filled
 * already: as it went. */
void plan_estimate_left(const struct plan_lane *lane, const struct plan_subject *subject,
			struct plan_guess *ret_guess);
void plan_guess_add(struct plan_guess *guess, const struct plan_guess *other);
