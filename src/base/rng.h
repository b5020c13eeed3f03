/*
 * Random numbers: xoshiro256** (Blackman & Vigna, "Scrambled linear pseudorandom number
 * generators", ACM TOMS 2021), seeded by splitmix64. Integers only: the same seed gives the
 * same sequence on every machine and compiler. Each user owns its state; nothing is shared.
 */
#pragma once

#include <stdint.h>

struct rng {
	uint64_t s[4];
};

static inline uint64_t rng_splitmix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Streams of one seed (worker, purpose) are independent: give each its own `stream`. */
static inline void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed ^ (stream * 0xd1342543de82ef95ULL);

	for (int i = 0; i < 4; i++)
		rng->s[i] = rng_splitmix(&state);
}

static inline uint64_t rng_rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t *s = rng->s, result = rng_rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rng_rotl(s[3], 45);
	return result;
}

/* Uniform in [0, limit); limit 0 gives 0. Lemire's multiply; the bias is below limit / 2^64. */
static inline uint64_t rng_below(struct rng *rng, uint64_t limit)
{
	return (uint64_t)(((unsigned __int128)rng_next(rng) * limit) >> 64);
}

/* Uniform in [0, 1) on a grid of 2^-53. */
static inline double rng_unit(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) * 0x1p-53;
}
