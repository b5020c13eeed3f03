/*
 * How much one thing is of another, from repeated measurements: the ratio of the geometric means
 * with Student's interval on the logarithms (Welch's degrees of freedom). With one value a side
 * there is a ratio and no interval: it says nothing of what a repetition would give.
 *
 * A gate asks on which side of a margin the ratio lies. Several figures asked together are
 * adjusted by Holm's method (Scandinavian Journal of Statistics 6 (1979) 65), so that in 95 of
 * 100 comparisons no verdict at all is wrong.
 */
#pragma once

#include <stdbool.h>

struct ratio {
	double value;	  /* b / a */
	double low, high; /* 95 %; NAN: no interval can be given */
	double log_error; /* standard error of the logarithm; NAN as above */
	double freedom;
	bool of_pair; /* the interval is that of one pair of runs, from their own seconds */
};

/* Values must be above 0, or the ratio is NAN. */
struct ratio ratio_of(const double *a, unsigned na, const double *b, unsigned nb);

/* Does the interval hold 1, or is there none? Then none of both may be called the better. */
bool ratio_is_undecided(const struct ratio *ratio);

enum gate_outcome { GATE_PASS, GATE_FAIL, GATE_CANNOT_TELL };
const char *gate_outcome_name(enum gate_outcome outcome);

struct gate_item {
	struct ratio ratio;
	bool less_is_better;
	double margin; /* 0.03: up to 3 % worse passes */
	/* Filled by gate_decide(): */
	double worse; /* how much worse, as a share: 0.02; below 0: better */
	double p;     /* adjusted */
	unsigned
		runs_more; /* a side, that it would take at this spread; 0: decided, or unknown,
			    * as the spread from run to run is of a single pair */
	enum gate_outcome outcome;
};

/* Decides all items together. `runs` is the number of runs a side, for runs_more. */
void gate_decide(struct gate_item *items, unsigned count, unsigned runs);
/* Fail where one fails, else cannot tell where one cannot, or there is none; else pass. */
enum gate_outcome gate_of_all(const struct gate_item *items, unsigned count);

/* Holm's step-down: `p` in any order becomes the adjusted ones, in place. */
void holm_adjust(double *p, unsigned count);
