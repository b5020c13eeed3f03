/*
 * The tables of SNIA's performance test specification, as functions over what was measured: the
 * report of a steady window, mixes put together, and write saturation. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The block that each test reports of its tracked variable: "steady state measurement". */
struct pts_window {
	unsigned first, count; /* rounds of it; from 0 */
	double average;
	double allowed_range,
		range; /* in the variable's unit: 20 % of the average, and max - min */
	double allowed_slope,
		slope; /* 10 % of it, and what the fit rises over the window; >= 0 */
	double per_round, at_zero; /* the fit: y = per_round * R + at_zero, R from 1 */
	double above, below;	   /* the lines at 110 % and 90 % */
	bool steady;
};
/* The first window of `window` rounds, each `stride` after the one before, that is steady; where
 * none is, the last one. Fewer rounds than that: count 0. */
void pts_window(const double *values, unsigned rounds, unsigned window, unsigned stride,
		struct pts_window *ret_window);

/* Write saturation: one value a sample (a minute), with what was written in it. */
struct pts_saturation {
	bool has_plateau; /* the drive began above its steady level, and stayed there a while */
	double plateau;	  /* the level of the new drive */
	double plateau_end;   /* samples that it lasted, the part of the last one included */
	double plateau_bytes; /* written until then */
	struct pts_window window; /* of samples `stride` apart */
	double level;		  /* mean of all samples of the window's span */
	double steady_bytes;	  /* written until the window begins */
};
struct pts_samples {
	const double *per_s, *bytes; /* of each sample */
	unsigned count;
	unsigned stride; /* PTS: 30 of a minute each */
};
void pts_saturation(const struct pts_samples *samples, struct pts_saturation *ret_saturation);
