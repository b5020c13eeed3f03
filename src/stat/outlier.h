/*
 * Which of several like things is not like the others: drives of one model under one load.
 *
 * The rule is Iglewicz and Hoaglin's modified z-score, as NIST's e-Handbook of Statistical Methods
 * has it (1.3.5.17): M = 0.6745 (x - median) / MAD, an outlier where |M| > 3.5. It is made of
 * medians, which the outlier itself does not move. Where more than half of the values are equal
 * the MAD is 0, and the mean absolute deviation stands for it, M = (x - median) / (1.2533 MeanAD)
 * (the same authors). Drives may lie so close together that noise is 3.5 of their deviations: less
 * than OUTLIER_LEAST of the median is never marked. That bound is ours.
 */
#pragma once

#include <stdbool.h>

#define OUTLIER_SCORE	   3.5
#define OUTLIER_LEAST	   0.05
#define OUTLIER_VALUES_MIN 3 /* of two nobody can say which is odd */
#define OUTLIER_VALUES_MAX 64

struct outlier {
	double score; /* M; 0 where the value is no number or there are too few */
	double share; /* value / median - 1 */
	bool marked;
};
/* Values that are no numbers take no part. `count` is at most OUTLIER_VALUES_MAX. */
void outliers_find(const double *values, unsigned count, struct outlier *ret_outliers);
