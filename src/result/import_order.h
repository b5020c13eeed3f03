/*
 * When each job of an imported run ran. fio prints no times of its jobs before 3.34, and of a
 * stonewall only one that was written with a value ("stonewall=1"), so the order of groups is what
 * the options say, and where they do not, what fits the time that the run took. Pure, cold.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct result;

enum import_wall {
	WALL_UNKNOWN,
	WALL_STANDS, /* it waits for all before it */
	WALL_NONE,   /* it runs beside those before it */
};

/* Where one job of the result stands. */
struct import_place {
	unsigned client;       /* clients of a remote run ran side by side */
	unsigned group;	       /* fio's groupid: a new one at a stonewall and at new_group */
	enum import_wall wall; /* of the first job of a group */
	uint64_t start_ms;     /* since 1970; 0: not told */
	uint64_t elapsed_ns;   /* the run took less than this; 0: not told */
};

/* Sets begin_ns and end_ns of all jobs (until now 0 and the length of the job) and the result's
 * span; `places` has one a job. Says in a note what had to be assumed. */
void import_order(struct result *result, const struct import_place *places);
