/*
 * One pass of random writes that leaves an SSD which was empty in the steady state of random
 * writes (sprandom): no second pass, no convergence over ten.
 *
 * In the steady state each valid page is overwritten with the same chance by each host write, so
 * of a block that was written x of a turn of the log ago exp(-x alpha / A) is still valid: alpha
 * is the flash per page of the user, A the write amplification. An empty drive has nothing to
 * collect, and what is written lies on flash in the order of writing. So the pass writes alpha
 * times the region, and overwrites what it has written with just that chance: each write goes to
 * one of A x units places at random; a place that was written is overwritten, any other stands for
 * the next unit in a random order. The share written, A (1 - exp(-s alpha / A)) after the part s
 * of the pass, is 1 at the pass's end, for A = 1 / (1 - exp(-alpha / A)) (stat/theory.h).
 *
 * No memory grows with the drive. Where the drive was not empty, or its spare space is another
 * than was said, the pass is plain random writing and no worse.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "load/permute.h"

struct onepass {
	struct permute order; /* of first writes */
	struct rng rng;
	uint64_t units, touched; /* of the region; of these, written */
	uint64_t places;	 /* A x units */
};

/* `spare` is the drive's over-provisioning, (flash - user) / user, within SPR_OP_MIN and _MAX;
 * `units` in [1, 2^48]. Another seed is another order. */
void onepass_init(struct onepass *pass, uint64_t units, double spare, uint64_t seed);

/* Writes that the pass is expected to take: (1 + spare) x units, but for chance. */
uint64_t onepass_total(uint64_t units, double spare);

/* The next unit to write; false: every unit has been written, the pass is over. */
static inline bool onepass_next(struct onepass *pass, uint64_t *ret_unit)
{
	uint64_t place;

	if (pass->touched == pass->units)
		return false;
	place = rng_below(&pass->rng, pass->places);
	if (place >= pass->touched)
		place = pass->touched++;
	*ret_unit = permute_map(&pass->order, place);
	return true;
}
