/* See pts.h. */
#include "stat/pts.h"

#include <math.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/memory.h"
#include "stat/steady.h"

#define LINES	      0.10 /* above and below the average */
#define PLATEAU_DROP  0.10 /* a sample this much below the plateau so far ends it */
#define PLATEAU_ABOVE 1.10 /* of the steady level; less is no plateau */
#define EDGE_SAMPLES  2	   /* before the first that is below, which may have begun to fall */
#define SLICES	      100  /* of a sample: how finely its edge is found */

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
	double *picked = memory_take((rounds + !rounds) * sizeof(*picked));

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

/* The first sample that has left the level of those before it for good; the mean of those that are
 * clear of it. */
static unsigned first_below(const struct pts_samples *samples, double *ret_level)
{
	double sum = 0;
	unsigned n = 0, clear;

	while (n < samples->count) {
		double level = n ? sum / n : samples->per_s[0];

		if (samples->per_s[n] < level * (1 - PLATEAU_DROP))
			break;
		sum += samples->per_s[n++];
	}
	clear = n > EDGE_SAMPLES ? n - EDGE_SAMPLES : n > 0;
	*ret_level = 0;
	for (unsigned i = 0; i < clear; i++)
		*ret_level += samples->per_s[i] / clear;
	return n;
}

/* What comes after the plateau, as the line through the two samples behind its edge. */
struct fall {
	double level, at, per_sample; /* its level in the middle of a sample, and its slope */
};

/* The mean of sample `k` if the plateau ends at `end`: parts of a sample are slices. */
static double expected(const struct fall *fall, double plateau, double end, unsigned k)
{
	double sum = 0;

	for (unsigned i = 0; i < SLICES; i++) {
		double at = k + (i + 0.5) / SLICES;
		double line = fall->level + fall->per_sample * (at - fall->at);

		sum += at < end ? plateau : fmin(plateau, line);
	}
	return sum / SLICES;
}

/* The end that explains the samples around the edge best, by least squares. A step makes one of
 * them a mean of both levels; a slope hides its beginning in samples that are hardly below. */
static double edge_of(const struct pts_samples *samples, double plateau, unsigned below)
{
	const double *y = samples->per_s;
	struct fall fall = {.at = below + 1.5};
	unsigned from = below > EDGE_SAMPLES ? below - EDGE_SAMPLES : 0;
	double best = (double)INFINITY, end = below;

	if (below + 1 >= samples->count)
		return below;
	fall.level = y[below + 1];
	if (below + 2 < samples->count)
		fall.per_sample = fmin(0, y[below + 2] - y[below + 1]);
	for (unsigned i = 0; i <= (below + 1 - from) * SLICES; i++) {
		double at = from + (double)i / SLICES, error = 0;

		for (unsigned k = from; k <= below; k++) {
			double miss = y[k] - expected(&fall, plateau, at, k);

			error += miss * miss;
		}
		if (error <=
		    best) { /* of equals the last: it is the plateau as long as it can be */
			best = error;
			end = at;
		}
	}
	return end;
}

static double bytes_until(const struct pts_samples *samples, double end)
{
	double bytes = 0;
	unsigned whole = (unsigned)end;

	for (unsigned i = 0; i < whole; i++)
		bytes += samples->bytes[i];
	return bytes;
}

/* Of the sample that the edge lies in, the part before it went at the plateau's rate. */
static double plateau_bytes(const struct pts_samples *samples, double plateau, double end)
{
	unsigned whole = (unsigned)end;
	double bytes = bytes_until(samples, end);

	if (whole >= samples->count || !(samples->per_s[whole] > 0))
		return bytes;
	return bytes +
	       samples->bytes[whole] * fmin(1, (end - whole) * plateau / samples->per_s[whole]);
}

void pts_saturation(const struct pts_samples *samples, struct pts_saturation *ret_saturation)
{
	struct pts_saturation found = {0};
	unsigned span, below = samples->count ? first_below(samples, &found.plateau) : 0;

	found.plateau_end = below < samples->count ? edge_of(samples, found.plateau, below)
						   : samples->count;
	pts_window(samples->per_s, samples->count, STEADY_SNIA_WINDOW, samples->stride,
		   &found.window);
	span = found.window.count ? (found.window.count - 1) * samples->stride + 1 : 0;
	for (unsigned i = 0; i < span; i++)
		found.level += samples->per_s[found.window.first + i] / span;
	found.plateau_bytes = plateau_bytes(samples, found.plateau, found.plateau_end);
	found.steady_bytes = bytes_until(samples, found.window.first);
	found.has_plateau = span > 0 && below > 0 && below < samples->count &&
			    found.plateau >= PLATEAU_ABOVE * found.level;
	*ret_saturation = found;
}
