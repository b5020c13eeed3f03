#include "load/permute.h"

#include "base/assert.h"
#include "base/rng.h"

/* ceil(sqrt(n)) in integers. */
static uint64_t sqrt_up(uint64_t n)
{
	uint64_t low = 1, high = 1ULL << 32;

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if ((unsigned __int128)mid * mid >= n)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

void permute_init(struct permute *p, uint64_t n, uint64_t seed)
{
	uint64_t state = seed;

	assert(n > 0);
	assert(n <= PERMUTE_MAX);
	p->n = n;
	p->a = sqrt_up(n);
	p->b = (n - 1) / p->a + 1;
	p->a_recip = UINT64_MAX / p->a;
	for (int i = 0; i < PERMUTE_ROUNDS; i++)
		p->key[i] = rng_splitmix(&state);
	p->x = p->y = 0;
}

/* The reciprocal is below 2^64 / a by less than one, so the quotient is short by one at most:
 * one correction. */
static uint64_t divide_by_a(const struct permute *p, uint64_t i, uint64_t *ret_rest)
{
	uint64_t quotient = (uint64_t)(((unsigned __int128)i * p->a_recip) >> 64);
	uint64_t rest = i - quotient * p->a;

	while (rest >= p->a) {
		rest -= p->a;
		quotient++;
	}
	*ret_rest = rest;
	return quotient;
}

uint64_t permute_map(const struct permute *p, uint64_t i)
{
	debug_assert(i < p->n);
	do {
		uint64_t x, y = divide_by_a(p, i, &x);

		i = permute_pair(p, x, y);
	} while (i >= p->n);
	return i;
}

void permute_seek(struct permute *p, uint64_t i)
{
	assert(i < p->a * p->b);
	p->y = divide_by_a(p, i, &p->x);
}
