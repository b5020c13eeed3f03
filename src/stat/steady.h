/*
 * Steady state: is a figure, measured once per interval, the same over a window? Pure functions
 * on the window's values, oldest first, one pass each. Two rules, and they differ:
 *
 * fio's: the greatest distance of a value from the mean, or the slope of the fitted line *per
 * interval*, is within a limit; in the figure's unit or in percent of the mean. A drift of 0.3 %
 * an interval passes a limit of 0.3 % however long the window is.
 *
 * SNIA's (PTS 2.0, "steady state"): range and slope excursion over the *whole* window are within
 * 20 % and 10 % of the mean, both.
 */
#pragma once

#include <stdbool.h>

struct steady_line {
	double mean, slope;   /* least squares, per interval */
	double max_deviation; /* greatest distance of a value from the mean */
	double range;	      /* greatest value - least */
};
/* All zero without values; a single one has slope 0. */
void steady_fit(const double *values, unsigned count, struct steady_line *ret_line);

struct steady_rule {
	bool is_slope, is_percent;
	double limit;
};
struct steady_judgement {
	bool attained;
	double criterion; /* signed for a slope; in percent where the rule is */
};
/*
 * Percent of a slope are percent of the mean cut to a whole number, as fio has it; of a
 * deviation they are of the mean itself. A mean of zero is steady only when nothing moves.
 */
void steady_judge(const struct steady_line *line, const struct steady_rule *rule,
		  struct steady_judgement *ret_judgement);

#define STEADY_SNIA_WINDOW 5	/* rounds */
#define STEADY_SNIA_RANGE  20.0 /* percent of the mean, and below */
#define STEADY_SNIA_SLOPE  10.0

struct steady_snia {
	bool attained;
	double mean, slope;
	double range_percent,
		slope_percent; /* of the mean; the slope's over the whole window */
};
/* The rule on a window of any length from 2 values on; fewer never attain it. */
void steady_snia(const double *values, unsigned count, struct steady_snia *ret_snia);
