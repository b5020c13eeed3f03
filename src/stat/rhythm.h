/*
 * What recurs in values of equal spans of time, such as a drive's collection of garbage: how much
 * of their variance swings with which period. A periodogram (Hann's window, one transform of the
 * whole), summed over steps of a twelfth of a doubling of the period.
 */
#pragma once

#include "base/arena.h"

#define RHYTHM_VALUES_MIN 64 /* fewer tell no period */
#define RHYTHM_STEPS_MAX  256

struct rhythm_step {
	double period; /* in spans, the strongest of the step: from 2 to half of the values,
			* descending */
	double share;  /* of the variance; those of all steps are at most 1 */
};

/* How many steps; 0: too few values, or all the same. `scratch` is used for the call alone. */
unsigned rhythm_of(const double *values, unsigned count, struct arena *scratch,
		   struct rhythm_step *ret_steps /* RHYTHM_STEPS_MAX */);
