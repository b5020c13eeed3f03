/* See pts.h. */
#include "stat/pts.h"

#include <math.h>
#include <stdlib.h>

#include "base/assert.h"
#include "stat/steady.h"

#define LINES	      0.10 /* above and below the average */
#define PLATEAU_DROP  0.10 /* a sample this much below the plateau so far ends it */
#define PLATEAU_ABOVE 1.10 /* of the steady level; less is no plateau */

static void describe(const double *values, unsigned count, struct pts_window *window)
{
	struct steady_snia snia;
	double middle = window->first + 1 + (count - 1) / 2.0;

	steady_snia(values, count, &snia);
	window->average = snia.mean;
	window->allowed_range = snia.mean * STEADY_SNIA_RANGE / 100;
	window->range = snia.mean * snia.range_percent / 100;
	window->allowed_slope = snia.mean * STEADY_SNIA_SLOPE / 100;
	window->slope = fabs(snia.slope) * (count - 1);
	window->per_round = snia.slope;
	window->at_zero = snia.mean - snia.slope * middle;
	window->above = snia.mean * (1 + LINES);
	window->below = snia.mean * (1 - LINES);
	window->steady = snia.attained;
}

void pts_window(const double *values, unsigned rounds, unsigned window, unsigned stride,
		struct pts_window *ret_window)
{
	unsigned judged = 0;
	double *picked = malloc((rounds + !rounds) * sizeof(*picked));

	assert(picked);
	assert(window >= 2);
	assert(stride >= 1);
	*ret_window = (struct pts_window){0};
	for (unsigned i = 0; i < rounds; i += stride)
		picked[judged++] = values[i];
	for (unsigned at = 0; at + window <= judged && !ret_window->steady; at++) {
		*ret_window = (struct pts_window){.first = at, .count = window};
		describe(picked + at, window, ret_window);
		ret_window->first = at * stride;
	}
	free(picked);
}

/* Samples until the level of the first ones is left for good; the mean of those before. */
static unsigned plateau_of(const struct pts_samples *samples, double *ret_level)
{
	double sum = 0;
	unsigned n = 0;

	while (n < samples->count) {
		double level = n ? sum / n : samples->per_s[0];

		if (samples->per_s[n] < level * (1 - PLATEAU_DROP))
			break;
		sum += samples->per_s[n++];
	}
	*ret_level = n ? sum / n : 0;
	return n;
}

static double bytes_until(const struct pts_samples *samples, unsigned end)
{
	double bytes = 0;

	for (unsigned i = 0; i < end; i++)
		bytes += samples->bytes[i];
	return bytes;
}

void pts_saturation(const struct pts_samples *samples, struct pts_saturation *ret_saturation)
{
	struct pts_saturation found = {0};
	unsigned span;

	if (samples->count)
		found.plateau_end = plateau_of(samples, &found.plateau);
	pts_window(samples->per_s, samples->count, STEADY_SNIA_WINDOW, samples->stride,
		   &found.window);
	span = found.window.count ? (found.window.count - 1) * samples->stride + 1 : 0;
	for (unsigned i = 0; i < span; i++)
		found.level += samples->per_s[found.window.first + i] / span;
	found.plateau_bytes = bytes_until(samples, found.plateau_end);
	found.steady_bytes = bytes_until(samples, found.window.first);
	found.has_plateau = span > 0 && found.plateau_end > 0 &&
			    found.plateau_end < samples->count &&
			    found.plateau >= PLATEAU_ABOVE * found.level;
	*ret_saturation = found;
}
