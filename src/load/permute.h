/*
 * A full-period permutation of [0, n) for any n, without memory that grows with n: what gives a
 * random job its "each block exactly once".
 *
 * A Feistel network of four rounds on pairs (x, y) of Z_a x Z_b, where a = ceil(sqrt(n)) and
 * b = ceil(n / a), so that a * b exceeds n by less than a. A round adds to one half a keyed
 * hash of the other, modulo its size (Black and Rogaway, "Ciphers with arbitrary finite
 * domains", 2002: the generalised Feistel construction, and cycle walking for the excess).
 * Walking through all pairs in order and leaving out results of n and more visits each of
 * [0, n) once; the share left out is below 1 / sqrt(n). No division in a draw.
 */
#pragma once

#include <stdint.h>

#define PERMUTE_ROUNDS 4
#define PERMUTE_MAX    (1ULL << 62)

struct permute {
	uint64_t n;
	uint64_t a, b;	  /* at most 2^32 each */
	uint64_t a_recip; /* floor((2^64 - 1) / a) */
	uint64_t key[PERMUTE_ROUNDS];
	uint64_t x, y; /* the cursor: the next pair to draw */
};

/* n in [1, PERMUTE_MAX]. Another seed is another order. The cursor is at the start. */
void permute_init(struct permute *p, uint64_t n, uint64_t seed);

/* The image of `i` < n; a bijection of [0, n) by cycle walking. In another order than the
 * cursor's. */
uint64_t permute_map(const struct permute *p, uint64_t i);

/* Puts the cursor at the pair `i` < a * b; draws go on from there. */
void permute_seek(struct permute *p, uint64_t i);

/* Half of a round: [0, size) from the other half. size <= 2^32. */
static inline uint64_t permute_hash(uint64_t half, uint64_t key, uint64_t size)
{
	uint64_t h = (half + key) * 0x9e3779b97f4a7c15ULL;

	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ULL;
	return ((h >> 32) * size) >> 32;
}

/* x + y modulo size, for x and y below size. */
static inline uint64_t permute_add(uint64_t x, uint64_t y, uint64_t size)
{
	uint64_t sum = x + y;

	return sum >= size ? sum - size : sum;
}

/* One pair through the network: a number in [0, a * b). */
static inline uint64_t permute_pair(const struct permute *p, uint64_t x, uint64_t y)
{
	x = permute_add(x, permute_hash(y, p->key[0], p->a), p->a);
	y = permute_add(y, permute_hash(x, p->key[1], p->b), p->b);
	x = permute_add(x, permute_hash(y, p->key[2], p->a), p->a);
	y = permute_add(y, permute_hash(x, p->key[3], p->b), p->b);
	return y * p->a + x;
}

/* The next of the order. At most n draws from the start: the caller counts. */
static inline uint64_t permute_next(struct permute *p)
{
	uint64_t v;

	do {
		v = permute_pair(p, p->x, p->y);
		if (++p->x == p->a) {
			p->x = 0;
			p->y++;
		}
	} while (__builtin_expect(v >= p->n, 0));
	return v;
}
