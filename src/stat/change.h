/*
 * Change points: where a series of values goes over to another level. Hierarchical bisection
 * by the energy statistic (Matteson & James, JASA 109 (2014) 334), in the form that Hunter
 * proposes (Fleming et al., "Hunter", ICPE 2023): each candidate is tested by Student's t
 * between its two neighbours instead of by permutations, so that the same values always give
 * the same points. Values are means of batches, at most CHANGE_BATCHES, each at least as long
 * as `dependence` says that neighbours resemble each other: the t-test takes them as
 * independent.
 */
#pragma once

#include "base/arena.h"

#define CHANGE_BATCHES 200
#define CHANGE_P       0.001
#define CHANGE_MAX     32

struct change {
	unsigned at;	      /* index of the first value of the new level */
	double before, after; /* means of the neighbours */
	double p;
};

/* At most CHANGE_MAX of them, in order; changes of less than `least` of the level before are
 * left out. Returns how many. */
unsigned change_find(const double *values, unsigned count, double dependence, double least,
		     struct change *ret_changes, struct arena *scratch);
