#include "load/onepass.h"

#include "base/assert.h"
#include "job/spec.h"
#include "stat/theory.h"

/* A in parts of 2^16: a last digit of exp() that differs between machines changes no order. */
#define PART_BITS 16

void onepass_init(struct onepass *pass, uint64_t units, double spare, uint64_t seed)
{
	uint64_t parts;

	assert(units > 0);
	assert(units <= 1ULL << 48);
	assert(spare >= SPR_OP_MIN);
	assert(spare <= SPR_OP_MAX);
	parts = (uint64_t)(theory_fifo(spare) * (1 << PART_BITS) + .5);
	*pass = (struct onepass){.units = units};
	pass->places = (uint64_t)(((unsigned __int128)units * parts) >> PART_BITS);
	permute_init(&pass->order, units, seed);
	rng_seed(&pass->rng, seed, 6);
}

uint64_t onepass_total(uint64_t units, double spare)
{
	return units + (uint64_t)((double)units * spare);
}
