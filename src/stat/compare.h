/*
 * Two runs side by side: the ratio of a figure of B to that of A, with a confidence interval.
 *
 * Requests within a second resemble each other, and so do seconds. So blocks of the run are
 * what is resampled: whole units of the series, as many neighbours together as twice the
 * measured dependence of the intervals (trend.h), at least COMPARE_BLOCKS_MIN blocks. The
 * bootstrap (Künsch, Annals of Statistics 17 (1989) 1217, with blocks that do not overlap)
 * gives the standard error of the figure's logarithm; with so few blocks the interval is
 * Student's, its degrees of freedom by Welch. The seed makes it the same every time.
 *
 * What it says is of this pair of runs, never of the drives: how much a drive differs from run
 * to run a single pair cannot show.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "stat/qos.h"

#define COMPARE_RESAMPLES  500 /* a standard error from so many is off by 3 % */
#define COMPARE_BLOCKS_MIN 6
#define COMPARE_SEED	   20 /* the default */

enum compare_outcome {
	COMPARE_LESS, /* B's whole interval lies below A's value */
	COMPARE_MORE,
	COMPARE_ALIKE,	     /* the whole interval lies within the margin */
	COMPARE_CANNOT_TELL, /* it holds 1, or too few blocks */
};
const char *compare_outcome_name(enum compare_outcome outcome);

struct compare_figure {
	char name[16]; /* "p99.9", "IOPS" */
	enum series_dir dir;
	bool is_rate;		   /* more is better; else a latency */
	double a, b;		   /* ns, or completions per second */
	double ratio;		   /* b / a */
	double low, high;	   /* NAN: no interval can be given */
	double log_error, freedom; /* that the interval is of: of the ratio's logarithm */
	enum compare_outcome outcome;
};

#define COMPARE_FIGURES_MAX (SERIES_DIRS * 9)
struct comparison {
	struct compare_figure figures[COMPARE_FIGURES_MAX];
	unsigned nfigures;
	unsigned blocks_a, blocks_b; /* that the runs were cut into */
	/* The run that is too short for its dependence needs to be this many times longer; 1
	 * where both are long enough. */
	double longer_a, longer_b;
};

struct compare_options {
	uint64_t seed;
	double margin; /* 0.03: what differs by up to 3 % is alike; 0: nothing is */
};

/* Figures that both runs have; a percentile only where both have the samples for it. */
void compare_runs(const struct qos_run *a, const struct qos_run *b,
		  const struct compare_options *options, struct arena *arena,
		  struct comparison *ret_comparison);
