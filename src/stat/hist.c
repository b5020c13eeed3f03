#include "stat/hist.h"

#include <math.h>

#include "base/assert.h"

_Static_assert(HIST_BUCKETS == (unsigned long)HIST_SUB * (HIST_MAX_BITS - HIST_SUB_BITS + 1),
	       "the geometry");

uint64_t hist_low_ns(unsigned bucket)
{
	unsigned shift;

	assert(bucket < HIST_BUCKETS);
	if (bucket < 2 * HIST_SUB)
		return bucket;
	shift = (bucket >> HIST_SUB_BITS) - 1;
	return (uint64_t)(HIST_SUB + (bucket & (HIST_SUB - 1))) << shift;
}

uint64_t hist_width_ns(unsigned bucket)
{
	assert(bucket < HIST_BUCKETS);
	return bucket < 2 * HIST_SUB ? 1 : 1ULL << ((bucket >> HIST_SUB_BITS) - 1);
}

uint64_t hist_mid_ns(unsigned bucket)
{
	return hist_low_ns(bucket) + hist_width_ns(bucket) / 2;
}

void hist_add(struct hist *hist, uint64_t ns, uint64_t count)
{
	hist->count[hist_index(ns)] += count;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		into->count[i] += from->count[i];
}

uint64_t hist_total(const struct hist *hist)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		total += hist->count[i];
	return total;
}

/* ceil(percent / 100 * total), at least 1; the small slack keeps 99.9 % of 1000 at 999. */
static uint64_t rank_of(uint64_t total, double percent)
{
	double rank = ceil(percent / 100.0 * (double)total - 1e-9 * (double)total / 1e3);

	return rank < 1 ? 1 : min_u64((uint64_t)rank, total);
}

void hist_percentiles_of_part_ns(const struct hist *hist, struct hist_part part,
				 const double *percents, unsigned count, uint64_t *ret_ns)
{
	uint64_t seen = 0;
	unsigned p = 0;

	assert(part.last < HIST_BUCKETS);
	for (unsigned i = part.first; i <= part.last && p < count && part.total; i++) {
		seen += hist->count[i];
		while (p < count && hist->count[i] && seen >= rank_of(part.total, percents[p]))
			ret_ns[p++] = hist_mid_ns(i);
	}
	for (; p < count; p++)
		ret_ns[p] = 0; /* only an empty histogram comes here */
}

void hist_percentiles_ns(const struct hist *hist, const double *percents, unsigned count,
			 uint64_t *ret_ns)
{
	const struct hist_part all = {.last = HIST_BUCKETS - 1, .total = hist_total(hist)};

	hist_percentiles_of_part_ns(hist, all, percents, count, ret_ns);
}

uint64_t hist_percentile_ns(const struct hist *hist, double percent)
{
	uint64_t ns;

	hist_percentiles_ns(hist, &percent, 1, &ns);
	return ns;
}

double hist_count_above(const struct hist *hist, uint64_t ns)
{
	unsigned at = hist_index(ns);
	double above = 0;

	for (unsigned i = at + 1; i < HIST_BUCKETS; i++)
		above += (double)hist->count[i];
	if (ns >> HIST_MAX_BITS)
		return above;
	/* the part of the bucket that lies above ns, its samples taken as spread evenly */
	return above + (double)hist->count[at] *
			       (double)(hist_low_ns(at) + hist_width_ns(at) - 1 - ns) /
			       (double)hist_width_ns(at);
}

double hist_deviation_ns(const struct hist *hist, double mean_ns)
{
	double squares = 0;
	uint64_t total = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		double away;

		if (!hist->count[i])
			continue;
		away = (double)hist_mid_ns(i) - mean_ns;
		squares += (double)hist->count[i] * away * away;
		total += hist->count[i];
	}
	return total < 2 ? 0 : sqrt(squares / (double)total);
}

bool hist_percentile_is_sound(uint64_t total, double percent)
{
	return total >= hist_needs(percent);
}

uint64_t hist_needs(double percent)
{
	double share = 1.0 - percent / 100.0;

	if (share <= 0)
		return 1; /* the maximum needs no more than one */
	return (uint64_t)ceil((double)HIST_NEEDS_ABOVE / share - 1e-6);
}

/* fio's groups begin at 64 where ours begin at 128; the rule is the same. */
#define FIO_SUB_BITS 6

unsigned hist_fio_index(uint64_t ns)
{
	unsigned shift, index;

	if (ns < 2u << FIO_SUB_BITS)
		return (unsigned)ns;
	shift = log2_u64(ns) - FIO_SUB_BITS;
	if (shift > FIO_HIST_BUCKETS / 64 - 2)
		return FIO_HIST_BUCKETS - 1;
	index = (shift << FIO_SUB_BITS) + (unsigned)(ns >> shift);
	return index;
}

uint64_t hist_fio_mid_ns(unsigned bucket)
{
	unsigned shift;

	assert(bucket < FIO_HIST_BUCKETS);
	if (bucket < 2u << FIO_SUB_BITS)
		return bucket;
	shift = (bucket >> FIO_SUB_BITS) - 1;
	return ((uint64_t)(64 + (bucket & 63)) << shift) + (1ULL << shift) / 2;
}

void hist_to_fio(const struct hist *hist, uint64_t *ret_count)
{
	for (unsigned i = 0; i < FIO_HIST_BUCKETS; i++)
		ret_count[i] = 0;
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		ret_count[hist_fio_index(hist_low_ns(i))] += hist->count[i];
}

void hist_sums_init(struct hist_sums *sums)
{
	*sums = (struct hist_sums){.min_ns = UINT64_MAX};
}

void hist_sums_add(struct hist_sums *sums, uint64_t ns, uint64_t count)
{
	if (!count)
		return;
	sums->total += count;
	sums->sum_ns += (unsigned __int128)ns * count;
	sums->min_ns = min_u64(sums->min_ns, ns);
	sums->max_ns = max_u64(sums->max_ns, ns);
}

void hist_sums_merge(struct hist_sums *into, const struct hist_sums *from)
{
	into->total += from->total;
	into->sum_ns += from->sum_ns;
	into->min_ns = min_u64(into->min_ns, from->min_ns);
	into->max_ns = max_u64(into->max_ns, from->max_ns);
}

double hist_sums_mean_ns(const struct hist_sums *sums)
{
	return sums->total ? (double)sums->sum_ns / (double)sums->total : 0;
}
