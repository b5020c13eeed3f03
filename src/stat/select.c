#include "stat/select.h"

#include <stdint.h>

#include "base/assert.h"

/* The values between two indices: less than the pivot, equal, greater. */
struct thirds {
	size_t equal, greater; /* where they begin */
};

static void swap(double *a, double *b)
{
	double value = *a;

	*a = *b;
	*b = value;
}

static struct thirds split(double *values, size_t low, size_t high, double pivot)
{
	struct thirds thirds = {low, high};

	for (size_t i = low; i < thirds.greater;) {
		if (values[i] < pivot)
			swap(&values[i++], &values[thirds.equal++]);
		else if (values[i] > pivot)
			swap(&values[i], &values[--thirds.greater]);
		else
			i++;
	}
	return thirds;
}

double select_nth(double *values, size_t count, size_t nth)
{
	uint64_t draw = 1; /* any pivot will do that no order of the values can foresee */
	size_t low = 0, high = count;

	assert(nth < count);
	for (;;) {
		double pivot;
		struct thirds thirds;

		draw = draw * 6364136223846793005 + 1442695040888963407;
		pivot = values[low + (draw >> 33) % (high - low)];
		thirds = split(values, low, high, pivot);
		if (nth < thirds.equal)
			high = thirds.equal;
		else if (nth >= thirds.greater)
			low = thirds.greater;
		else
			return pivot;
	}
}
