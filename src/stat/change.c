#include "stat/change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "stat/confidence.h"

#define SEGMENT_MIN 4 /* batches on each side of a point */

struct search {
	const double *values;
	unsigned count;
	/* prefix[i * (count + 1) + j]: the sum of |x_a - x_b| over a < i, b < j */
	double *prefix;
};

/* The sum of distances between two ranges of values. */
static double distances(const struct search *search, const unsigned *a, const unsigned *b)
{
	const double *p = search->prefix;
	size_t w = search->count + 1;

	return p[a[1] * w + b[1]] - p[a[0] * w + b[1]] - p[a[1] * w + b[0]] +
	       p[a[0] * w + b[0]];
}

/* The energy statistic of a cut of [from, to) at `at`. */
static double energy(const struct search *search, unsigned from, unsigned at, unsigned to)
{
	const unsigned left[] = {from, at}, right[] = {at, to};
	double n = at - from, m = to - at;
	double between = distances(search, left, right) / (n * m);
	double within = distances(search, left, left) / (n * n) +
			distances(search, right, right) / (m * m);

	return (2 * between - within) * n * m / (n + m);
}

static unsigned best_cut(const struct search *search, unsigned from, unsigned to)
{
	unsigned best = 0;
	double most = 0;

	for (unsigned at = from + SEGMENT_MIN; at + SEGMENT_MIN <= to; at++) {
		double here = energy(search, from, at, to);

		if (here > most) {
			most = here;
			best = at;
		}
	}
	return best;
}

static double mean_of(const double *values, unsigned from, unsigned to, double *ret_squares)
{
	double sum = 0, squares = 0, mean;

	for (unsigned i = from; i < to; i++)
		sum += values[i];
	mean = sum / (to - from);
	for (unsigned i = from; i < to; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	*ret_squares = squares;
	return mean;
}

/* Welch's t-test of both sides. */
static void test(const double *values, const unsigned *cut, struct change *change)
{
	double n = cut[1] - cut[0], m = cut[2] - cut[1], a, b, freedom;

	change->before = mean_of(values, cut[0], cut[1], &a);
	change->after = mean_of(values, cut[1], cut[2], &b);
	a /= (n - 1) * n;
	b /= (m - 1) * m;
	if (a + b <= 0) {
		change->p = change->before == change->after ? 1 : 0;
		return;
	}
	freedom = (a + b) * (a + b) / (a * a / (n - 1) + b * b / (m - 1));
	change->p = student_tails((change->after - change->before) / sqrt(a + b), freedom);
}

static void prepare(struct search *search, struct arena *scratch)
{
	size_t w = search->count + 1;

	search->prefix = arena_array(scratch, double, w *w);
	for (unsigned i = 1; i < w; i++) {
		double row = 0;

		for (unsigned j = 1; j < w; j++) {
			row += fabs(search->values[i - 1] - search->values[j - 1]);
			search->prefix[i * w + j] = search->prefix[(i - 1) * w + j] + row;
		}
	}
}

/* Cuts, sorted, with both ends: as long as a cut of a segment is significant, its halves are
 * looked at too. */
static unsigned bisect(const struct search *search, unsigned *cuts)
{
	unsigned ncuts = 2;

	cuts[0] = 0;
	cuts[1] = search->count;
	for (unsigned s = 0; s + 1 < ncuts && ncuts < CHANGE_MAX + 2;) {
		unsigned at = best_cut(search, cuts[s], cuts[s + 1]);
		const unsigned cut[] = {cuts[s], at, cuts[s + 1]};
		struct change change = {.p = 1};

		if (at)
			test(search->values, cut, &change);
		if (change.p >= CHANGE_P) {
			s++;
			continue;
		}
		memmove(cuts + s + 2, cuts + s + 1, (ncuts - s - 1) * sizeof(*cuts));
		cuts[s + 1] = at;
		ncuts++;
	}
	return ncuts;
}

unsigned change_find(const double *values, unsigned count, double dependence, double least,
		     struct change *ret_changes, struct arena *scratch)
{
	unsigned length = (unsigned)max_u64((uint64_t)ceil(dependence),
					    (count + CHANGE_BATCHES - 1) / CHANGE_BATCHES);
	unsigned cuts[CHANGE_MAX + 2], ncuts, found = 0;
	struct search search = {0};
	double *means;

	length = (unsigned)max_u64(length, 1);
	search.count = count / length;
	if (search.count < 2 * SEGMENT_MIN)
		return 0;
	means = arena_array(scratch, double, search.count);
	for (unsigned i = 0; i < search.count; i++) {
		double unused;

		means[i] = mean_of(values, i * length, (i + 1) * length, &unused);
	}
	search.values = means;
	prepare(&search, scratch);
	ncuts = bisect(&search, cuts);
	for (unsigned i = 1; i + 1 < ncuts; i++) {
		struct change change = {.at = cuts[i] * length};

		test(means, cuts + i - 1, &change);
		if (change.p < CHANGE_P &&
		    fabs(change.after - change.before) >= least * fabs(change.before))
			ret_changes[found++] = change;
	}
	return found;
}
