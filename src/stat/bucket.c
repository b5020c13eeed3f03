/* See bucket.h. */
#include "stat/bucket.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define BURST_MIN     3	   /* intervals of a level, or it is an outlier */
#define CORNER_WITHIN 0.10 /* neighbours that meet the same limit */

struct level {
	double sum, squares;
	unsigned count;
};

static double error_of(const struct level *level)
{
	return level->count ? level->squares - level->sum * level->sum / level->count : 0;
}

/* The first interval of the second level; `count` where one level is as good. */
static unsigned best_split(const double *values, unsigned count)
{
	struct level all = {0}, left = {0};
	double best;
	unsigned split = count;

	for (unsigned i = 0; i < count; i++) {
		all.sum += values[i];
		all.squares += values[i] * values[i];
		all.count++;
	}
	best = error_of(&all);
	for (unsigned i = 1; i < count; i++) {
		struct level right = all;
		double error;

		left.sum += values[i - 1];
		left.squares += values[i - 1] * values[i - 1];
		left.count++;
		right.sum -= left.sum;
		right.squares -= left.squares;
		right.count -= left.count;
		error = error_of(&left) + error_of(&right);
		if (error < best) {
			best = error;
			split = i;
		}
	}
	return split;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median_of(const double *values, unsigned count)
{
	double *sorted = memory_take((count + !count) * sizeof(*sorted)), median;

	if (!count) {
		free(sorted);
		return 0;
	}
	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_value);
	median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
	free(sorted);
	return median;
}

static double variation_of(const double *values, unsigned count)
{
	struct level level = {.count = count};
	double mean;

	for (unsigned i = 0; i < count; i++)
		level.sum += values[i];
	mean = count ? level.sum / count : 0;
	for (unsigned i = 0; i < count; i++)
		level.squares += (values[i] - mean) * (values[i] - mean);
	return count && mean > 0 ? sqrt(level.squares / count) / mean : 0;
}

/* Where the burst ended: an interval that saw both levels is shared out. */
static double end_of_burst(const double *values, unsigned split, unsigned count,
			   const struct bucket_fit *fit)
{
	double end = split, step = fit->burst_per_s - fit->base_per_s;
	double before = (values[split - 1] - fit->base_per_s) / step;
	double after = split < count ? (values[split] - fit->base_per_s) / step : 0;

	if (before < 1 - BUCKET_VARIATION)
		end -= 1 - fmax(before, 0);
	else if (after > BUCKET_VARIATION)
		end += fmin(after, 1);
	return end;
}

void bucket_fit(const double *per_s, unsigned count, double interval_s,
		struct bucket_fit *ret_fit)
{
	struct bucket_fit fit = {0};
	unsigned split, tail;

	*ret_fit = fit;
	if (count < BUCKET_INTERVALS_MIN)
		return;
	split = best_split(per_s, count);
	fit.base_per_s = median_of(per_s, count);
	fit.base_variation = variation_of(per_s, count);
	fit.is_level = fit.base_variation <= BUCKET_VARIATION;
	tail = split + 1; /* an interval that both levels share belongs to neither */
	if (!fit.is_level && split < BURST_MIN && tail + BURST_MIN <= count) {
		/* Too short for a level of its own: credits of a moment's rest, or a start. */
		fit.base_variation = variation_of(per_s + tail, count - tail);
		fit.is_level = fit.base_variation <= BUCKET_VARIATION;
	}
	if (split >= BURST_MIN && tail + BURST_MIN <= count) {
		double burst = median_of(per_s, split);
		double base = median_of(per_s + tail, count - tail);

		if (burst >= BUCKET_STEP * base &&
		    variation_of(per_s, split - 1) <= BUCKET_VARIATION &&
		    variation_of(per_s + tail, count - tail) <= BUCKET_VARIATION) {
			fit.has_burst = true;
			fit.is_level = false;
			fit.burst_per_s = burst;
			fit.base_per_s = base;
			fit.base_variation = variation_of(per_s + tail, count - tail);
			fit.burst_s = end_of_burst(per_s, split, count, &fit) * interval_s;
			fit.credits = fit.burst_s * (burst - base);
		}
	}
	*ret_fit = fit;
}

static double limit_of(const struct corner_point *points, unsigned count, bool in_bytes)
{
	double *rates = memory_take((count + !count) * sizeof(*rates)), limit;

	for (unsigned i = 0; i < count; i++)
		rates[i] = points[i].ios_per_s * (in_bytes ? points[i].block_bytes : 1);
	limit = median_of(rates, count);
	free(rates);
	return limit;
}

void corner_of(const struct corner_point *points, unsigned count, struct corner *ret_corner)
{
	struct corner corner = {0};
	unsigned small = 0, large = 0;

	for (unsigned i = 0; i < count; i++) {
		corner.ios_per_s = fmax(corner.ios_per_s, points[i].ios_per_s);
		corner.bytes_per_s =
			fmax(corner.bytes_per_s, points[i].ios_per_s * points[i].block_bytes);
	}
	while (small < count &&
	       points[small].ios_per_s >= corner.ios_per_s * (1 - CORNER_WITHIN))
		small++;
	while (large < count &&
	       points[count - 1 - large].ios_per_s * points[count - 1 - large].block_bytes >=
		       corner.bytes_per_s * (1 - CORNER_WITHIN))
		large++;
	corner.has_both = small >= 2 && large >= 2;
	/* A size that still had credits is one of several at each end. */
	if (corner.has_both) {
		corner.ios_per_s = limit_of(points, small, false);
		corner.bytes_per_s = limit_of(points + count - large, large, true);
	}
	if (corner.ios_per_s > 0)
		corner.block_bytes = corner.bytes_per_s / corner.ios_per_s;
	*ret_corner = corner;
}
