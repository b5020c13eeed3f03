#include "stat/outlier.h"

#include <math.h>
#include <stdlib.h>

#include "base/assert.h"

#define NORMAL_OF_MAD	  0.6745 /* the deviation of a normal distribution, from its MAD */
#define NORMAL_OF_MEAN_AD 1.2533

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Sorts. */
static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* What a distance from the median is divided by; 0: all are equal. */
static double scale_of(double *distances, unsigned count)
{
	double mad = median(distances, count), sum = 0;

	if (mad > 0)
		return mad / NORMAL_OF_MAD;
	for (unsigned i = 0; i < count; i++)
		sum += distances[i];
	return NORMAL_OF_MEAN_AD * sum / count;
}

void outliers_find(const double *values, unsigned count, struct outlier *ret_outliers)
{
	double known[OUTLIER_VALUES_MAX], middle, scale;
	unsigned n = 0;

	assert(count <= OUTLIER_VALUES_MAX);
	for (unsigned i = 0; i < count; i++) {
		ret_outliers[i] = (struct outlier){0};
		if (isfinite(values[i]))
			known[n++] = values[i];
	}
	if (n < OUTLIER_VALUES_MIN)
		return;
	middle = median(known, n);
	for (unsigned i = 0; i < n; i++)
		known[i] = fabs(known[i] - middle);
	scale = scale_of(known, n);
	for (unsigned i = 0; i < count; i++) {
		struct outlier *one = &ret_outliers[i];

		if (!isfinite(values[i]) || !(scale > 0))
			continue;
		one->score = (values[i] - middle) / scale;
		one->share = middle != 0 ? values[i] / middle - 1 : (double)INFINITY;
		one->marked =
			fabs(one->score) > OUTLIER_SCORE && fabs(one->share) >= OUTLIER_LEAST;
	}
}
