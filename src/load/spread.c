#include "load/spread.h"

#include <math.h>

#include "base/assert.h"
#include "base/bits.h"

/* --- zipf. a: theta; b: H(1.5) - 1; c: H(n + 1/2); d: the quick-accept distance --- */

/* (e^t - 1) / t and log(1 + t) / t without cancellation near 0. */
static double expm1_over(double t)
{
	return fabs(t) > 1e-8 ? expm1(t) / t : 1 + t / 2;
}

static double log1p_over(double t)
{
	return fabs(t) > 1e-8 ? log1p(t) / t : 1 - t / 2;
}

/* H(x) = integral of t^-theta from 1 to x, its inverse, and the density itself. */
static double zipf_integral(double theta, double x)
{
	double log_x = log(x);

	return expm1_over((1 - theta) * log_x) * log_x;
}

static double zipf_inverse(double theta, double y)
{
	double t = fmax(y * (1 - theta), -1);

	return exp(log1p_over(t) * y);
}

static double zipf_density(double theta, double x)
{
	return exp(-theta * log(x));
}

static void zipf_init(struct spread *s)
{
	s->b = zipf_integral(s->a, 1.5) - 1;
	s->c = zipf_integral(s->a, (double)s->n + 0.5);
	s->d = 2 - zipf_inverse(s->a, zipf_integral(s->a, 2.5) - zipf_density(s->a, 2));
}

static uint64_t zipf_rank(const struct spread *s, struct rng *rng)
{
	for (;;) {
		double y = s->c + rng_unit(rng) * (s->b - s->c);
		double x = zipf_inverse(s->a, y);
		double k = fmin(fmax(floor(x + 0.5), 1), (double)s->n);

		if (k - x <= s->d || y >= zipf_integral(s->a, k + 0.5) - zipf_density(s->a, k))
			return (uint64_t)k - 1;
	}
}

/* --- pareto. a: the power p --- */

static uint64_t pareto_rank(const struct spread *s, struct rng *rng)
{
	return (uint64_t)((double)s->n * pow(rng_unit(rng), s->a));
}

/* --- normal. a: the deviation in units. Marsaglia's polar method, one of the pair used. --- */

static uint64_t normal_rank(const struct spread *s, struct rng *rng)
{
	for (;;) {
		double x = 2 * rng_unit(rng) - 1, y = 2 * rng_unit(rng) - 1;
		double square = x * x + y * y, v;

		if (square >= 1 || square == 0)
			continue;
		v = (double)s->n / 2 + s->a * x * sqrt(-2 * log(square) / square);
		if (v >= 0 && v < (double)s->n)
			return (uint64_t)v;
	}
}

/* --- zones --- */

static void zones_init(struct spread *s, const struct dist *dist, uint64_t unit_bytes, int op)
{
	uint64_t access = 0, span = 0, from = 0;

	for (unsigned i = 0; i < dist->nzones[op]; i++) {
		struct spread_zone *zone = &s->zone[op][s->nzones[op]];
		uint64_t to;

		access += dist->zone[op][i].access_percent;
		span += dist->zone[op][i].span;
		to = dist->kind == DIST_ZONED ? muldiv_u64(s->n, span, 100) : span / unit_bytes;
		to = min_u64(to, s->n);
		zone->upto = (access << 32) / 100;
		zone->first = min_u64(from, s->n - 1);
		zone->count = to > zone->first ? to - zone->first : 1;
		from = max_u64(to, from);
		s->nzones[op] += dist->zone[op][i].access_percent > 0;
	}
	if (s->nzones[op] == 0)
		s->zone[op][s->nzones[op]++] = (struct spread_zone){.count = s->n};
	s->zone[op][s->nzones[op] - 1].upto = 1ULL << 32;
}

static uint64_t zones_next(const struct spread *s, struct rng *rng, enum op op)
{
	const struct spread_zone *zone = s->zone[op];
	uint64_t random = rng_next(rng) >> 32;

	while (random >= zone->upto)
		zone++;
	return zone->first + rng_below(rng, zone->count);
}

/* --- all --- */

uint64_t spread_rank(const struct spread *spread, struct rng *rng)
{
	uint64_t rank;

	switch (spread->kind) {
	case DIST_ZIPF:
		rank = zipf_rank(spread, rng);
		break;
	case DIST_PARETO:
		rank = pareto_rank(spread, rng);
		break;
	case DIST_NORMAL:
		rank = normal_rank(spread, rng);
		break;
	case DIST_RANDOM:
	case DIST_ZONED:
	case DIST_ZONED_ABS:
	default:
		rank = rng_below(rng, spread->n);
		break;
	}
	return min_u64(rank, spread->n - 1);
}

uint64_t spread_next(const struct spread *spread, struct rng *rng, enum op op)
{
	uint64_t at;

	if (spread->kind == DIST_ZONED || spread->kind == DIST_ZONED_ABS)
		return zones_next(spread, rng, op);
	at = permute_map(&spread->scatter, spread_rank(spread, rng)) + spread->shift;
	return at >= spread->n ? at - spread->n : at;
}

void spread_init(struct spread *spread, const struct dist *dist, uint64_t n,
		 uint64_t unit_bytes, uint64_t seed)
{
	uint64_t hottest = dist->kind == DIST_NORMAL ? n / 2 : 0;

	assert(n > 0);
	*spread = (struct spread){.kind = dist->kind, .n = n, .a = dist->value};
	permute_init(&spread->scatter, n, seed);
	if (dist->center >= 0) {
		uint64_t want = min_u64((uint64_t)((double)n * dist->center), n - 1);

		spread->shift = (want + n - permute_map(&spread->scatter, hottest)) % n;
	}
	if (dist->kind == DIST_ZIPF)
		zipf_init(spread);
	else if (dist->kind == DIST_PARETO)
		spread->a = log(dist->value) / log1p(-dist->value);
	else if (dist->kind == DIST_NORMAL)
		spread->a = fmax((double)n * dist->value / 100, 1e-9);
	for (int op = 0; op < NDATA && dist->kind >= DIST_ZONED; op++)
		zones_init(spread, dist, unit_bytes, op);
}
