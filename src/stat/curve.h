/*
 * A curve of load: what comes back, and how long it takes, at each load in order. Pure.
 *
 * The knee is where a curve bends most: of all points the one farthest from the chord between
 * its ends, both axes scaled to 1 (Satopaa et al., "Finding a Kneedle in a Haystack", ICDCSW
 * 2011). A straight line has none.
 */
#pragma once

#include <stdbool.h>

#define CURVE_BEND 0.05 /* less of a bend than this share of the axes is a straight line */

enum curve_shape {
	CURVE_SATURATES, /* throughput over depth: steep, then flat */
	CURVE_TAKES_OFF, /* latency over rate: flat, then steep */
};
/* The index of the knee; -1: it has none. `x` rises. */
int curve_knee(const double *x, const double *y, unsigned count, enum curve_shape shape);
