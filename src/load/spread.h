/*
 * The uneven distributions of random_distribution: which of n units the next request goes to.
 *
 * zipf: P(rank k) ~ k^-theta, k = 1..n, by rejection-inversion (Hoermann and Derflinger,
 * "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS
 * 1996): exact for every n, no table. pareto: the self-similar distribution of Gray et al.,
 * "Quickly generating billion-record synthetic databases", SIGMOD 1994, floor(n * u^p) with
 * p = log h / log (1 - h): the hottest share h gets 1 - h of the accesses, the hottest share x
 * gets x^(1/p). normal: mean in the middle, deviation in percent of n, cut to the range. zoned:
 * shares of accesses over shares (or bytes) of the range, uniform inside each.
 *
 * Ranks are scattered by a permutation, so that hot units lie anywhere but stay apart, and the
 * theoretical shares hold exactly; with a centre the hottest is there, as in fio. zoned ones
 * stay where the job says. Floating point is used by the first three: the one exception in the
 * hot path, some 50 ns a draw.
 */
#pragma once

#include <stdint.h>

#include "base/rng.h"
#include "job/spec.h"
#include "load/permute.h"

struct spread_zone {
	uint64_t upto; /* of 2^32 */
	uint64_t first, count;
};

struct spread {
	enum dist_kind kind;
	uint64_t n;
	double a, b, c, d; /* spread.c says what they are for each kind */
	uint64_t shift;	   /* added modulo n after scattering */
	struct permute scatter;
	unsigned nzones[NDATA];
	struct spread_zone zone[NDATA][ZONES_MAX];
};

/* n > 0 units of `unit_bytes`. */
void spread_init(struct spread *spread, const struct dist *dist, uint64_t n,
		 uint64_t unit_bytes, uint64_t seed);
uint64_t spread_next(const struct spread *spread, struct rng *rng, enum op op);

/* The rank of the next access before scattering, 0 the hottest of zipf and pareto; for tests. */
uint64_t spread_rank(const struct spread *spread, struct rng *rng);
