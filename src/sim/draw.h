/*
 * Random times for the simulated drives, from integers alone: no floating point and no libm, so
 * that a seed gives the same run from every compiler at every optimisation.
 */
#pragma once

#include <stdint.h>

#include "base/rng.h"

/* Exponential with this mean; its tail reaches 44 means. The error against the exact logarithm of
 * the same random number is below 2^-20 of the mean. */
uint64_t draw_exponential(struct rng *rng, uint64_t mean_ns);

/* Normal with this mean and standard deviation, cut at six deviations and at 0: the sum of twelve
 * uniform numbers. */
uint64_t draw_normal(struct rng *rng, uint64_t mean_ns, uint64_t deviation_ns);
