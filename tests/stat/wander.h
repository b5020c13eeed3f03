/* Runs of a process that wanders, for comparisons of which the truth is known. */
#pragma once

#include <math.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/rng.h"
#include "stat/series.h"

/* A normal variate: one of the quantiles (k + 0.5) / WANDER_NORMALS, by bisection of erfc. One draw
 * and one load, where a sum of twelve draws was half of this test's time. */
#define WANDER_NORMALS 4096

static double wander_normals[WANDER_NORMALS];

static inline void wander_init(void)
{
	for (unsigned k = 0; k < WANDER_NORMALS; k++) {
		double share = (k + 0.5) / WANDER_NORMALS, low = -8, high = 8;

		for (unsigned i = 0; i < 50; i++) {
			double middle = (low + high) / 2;

			*(erfc(-middle / sqrt(2)) / 2 < share ? &low : &high) = middle;
		}
		wander_normals[k] = low;
	}
}

static inline double wander_noise(struct rng *rng)
{
	return wander_normals[rng_below(rng, WANDER_NORMALS)];
}

/* `seconds` intervals of about 60 requests; level and rate of each interval wander as AR(1). */
static inline void wander_feed(struct series *series, struct rng *rng, unsigned seconds,
			       double rho, double factor)
{
	double x = wander_noise(rng), y = wander_noise(rng);

	series_init(series, NS_PER_S);
	for (unsigned s = 0; s < seconds; s++) {
		unsigned rate;

		x = rho * x + sqrt(1 - rho * rho) * wander_noise(rng);
		y = rho * y + sqrt(1 - rho * rho) * wander_noise(rng);
		rate = (unsigned)(60 * exp(0.1 * y) / factor);
		for (unsigned i = 0; i < rate; i++) {
			struct series_sample sample = {
				.time_ns = s * NS_PER_S + (i + 1) * (NS_PER_S / (rate + 1)),
				.bytes = 4096,
				.count = 1,
				.dir = SERIES_READ};

			sample.latency_ns = (uint64_t)(100e3 * factor *
						       exp(0.1 * x + 0.3 * wander_noise(rng)));
			(void)series_add(series, &sample,
					 NULL); /* in order, so none is refused */
		}
	}
	(void)series_end(series, seconds * NS_PER_S, NULL);
	series_finish(series);
}
