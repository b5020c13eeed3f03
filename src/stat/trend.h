/*
 * A trend in values of equal spans of time: the slope by Theil and Sen (the median of all
 * pairs' slopes, P. K. Sen, JASA 63 (1968) 1379), its significance by Mann and Kendall's test
 * (Kendall, "Rank Correlation Methods"), both on the means of at most 60 batches, so that
 * neighbours that resemble each other do not count as evidence one by one.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

struct trend {
	double change; /* over the whole run, as a share of the median; -0.1: fell by 10 % */
	double p;      /* probability of a trend as clear as this where there is none */
	bool known;    /* false: fewer than 8 values */
};

/* `scratch` is used for the call alone. */
struct trend trend_of(const double *values, unsigned count, struct arena *scratch);

/* How evenly values are spread: the drive makers' "IOPS consistency" and its kin. */
struct evenness {
	unsigned count;
	double mean, deviation, min;
	double variation;	/* deviation / mean */
	double worst;		/* mean of the lowest 0.1 % (at least one) / mean */
	double share_at_least;	/* of the values that reach 90 % of the mean */
	double autocorrelation; /* of neighbours */
	/* How many neighbours count as one: 1 + 2 * the sum of the autocorrelations, taken in
	 * pairs while they are positive (Geyer, Statistical Science 7 (1992) 473). */
	double dependence;
};
struct evenness evenness_of(const double *values, unsigned count, struct arena *scratch);
