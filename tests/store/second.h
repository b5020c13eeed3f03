/* What tests/store/budget.c and bench/store_fill.c store by the day: one drive's second. */
#pragma once

#include "base/rng.h"
#include "stat/hist.h"

/* Most requests around 80 us, a thin tail to milliseconds. */
static inline void a_second(struct rng *rng, struct hist *hist)
{
	*hist = (struct hist){0};
	for (unsigned i = 0; i < 12000; i++) {
		double ns = 40000;

		for (unsigned k = 0; k < 8; k++)
			ns += 10000 * rng_unit(rng);
		if (!rng_below(rng, 200))
			ns *= 1 + 20 * rng_unit(rng);
		hist_add(hist, (uint64_t)ns, 1);
	}
}
