#include "stat/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "stat/select.h"

#define BATCHES_MAX 60
#define VALUES_MIN  8

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), ascending);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Means of `batches` pieces, equal to within one value. */
static void batch_means(const double *values, unsigned count, unsigned batches, double *ret)
{
	for (unsigned b = 0; b < batches; b++) {
		unsigned from = (unsigned)muldiv_u64(b, count, batches);
		unsigned to = (unsigned)muldiv_u64(b + 1, count, batches);
		double sum = 0;

		for (unsigned i = from; i < to; i++)
			sum += values[i];
		ret[b] = sum / (to - from);
	}
}

struct trend trend_of(const double *values, unsigned count, struct arena *scratch)
{
	unsigned n = (unsigned)min_u64(count, BATCHES_MAX), pairs = 0;
	double *means, *slopes, middle, s = 0, spread;
	struct trend trend = {.p = 1};

	if (count < VALUES_MIN)
		return trend;
	means = arena_array(scratch, double, n);
	slopes = arena_array(scratch, double, (size_t)n *(n - 1) / 2);
	batch_means(values, count, n, means);
	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = i + 1; j < n; j++) {
			slopes[pairs++] = (means[j] - means[i]) / (j - i);
			s += (means[j] > means[i]) - (means[j] < means[i]);
		}
	}
	trend.known = true;
	middle = median(slopes, pairs) * (n - 1);
	spread = median(means, n);
	trend.change = spread != 0 ? middle / spread : 0;
	/* with the continuity correction; ties make it cautious */
	spread = sqrt((double)n * (n - 1) * (2.0 * n + 5) / 18);
	s = fabs(s) > 1 ? (fabs(s) - 1) / spread : 0;
	trend.p = erfc(s / sqrt(2));
	return trend;
}

static double covariance(const double *values, unsigned count, double mean, unsigned lag)
{
	double sum = 0;

	for (unsigned i = 0; i + lag < count; i++)
		sum += (values[i] - mean) * (values[i + lag] - mean);
	return sum / count;
}

static void dependence(struct evenness *even, const double *values, unsigned count)
{
	double variance = covariance(values, count, even->mean, 0), sum = 0;

	even->dependence = 1;
	if (variance <= 0 || count < 4)
		return;
	even->autocorrelation = covariance(values, count, even->mean, 1) / variance;
	for (unsigned lag = 1; lag + 1 < count / 2; lag += 2) {
		double pair = (covariance(values, count, even->mean, lag) +
			       covariance(values, count, even->mean, lag + 1)) /
			      variance;

		if (pair <= 0)
			break;
		sum += pair;
	}
	even->dependence = fmax(1, 1 + 2 * sum);
}

struct evenness evenness_of(const double *values, unsigned count, struct arena *scratch)
{
	unsigned worst = (unsigned)max_u64(1, (count + 999) / 1000), enough = 0;
	struct evenness even = {.count = count};
	double sum = 0, *sorted;

	if (!count)
		return even;
	for (unsigned i = 0; i < count; i++)
		sum += values[i];
	even.mean = sum / count;
	even.deviation = sqrt(covariance(values, count, even.mean, 0));
	for (unsigned i = 0; i < count; i++)
		enough += values[i] >= 0.9 * even.mean;
	even.share_at_least = (double)enough / count;
	sorted = arena_array(scratch, double, count);
	memcpy(sorted, values, count * sizeof(*values));
	(void)select_nth(sorted, count, worst - 1);
	qsort(sorted, worst, sizeof(*sorted), ascending); /* their sum is one of an order */
	even.min = sorted[0];
	sum = 0;
	for (unsigned i = 0; i < worst; i++)
		sum += sorted[i];
	even.worst = even.mean > 0 ? sum / worst / even.mean : 0;
	even.variation = even.mean > 0 ? even.deviation / even.mean : 0;
	dependence(&even, values, count);
	return even;
}
