/*
 * Bounds that hold for what was counted: distribution-free and exact where an exact form
 * exists. Sources: Clopper & Pearson, Biometrika 26 (1934) 404; Garwood, Biometrika 28 (1936)
 * 437 (Poisson); order statistics, David & Nagaraja, "Order Statistics", 7.1; the incomplete
 * beta by Lentz's continued fraction (Numerical Recipes 6.4); Student's t through it.
 * Confidence is 95 %, two-sided, unless said.
 */
#pragma once

#include <stdint.h>

#define CONFIDENCE 0.95

struct bounds {
	double low, high;
};

/* I_x(a, b), the regularised incomplete beta function. */
double incomplete_beta(double a, double b, double x);
/* P(a, x), the regularised lower incomplete gamma function. */
double incomplete_gamma(double a, double x);

/* Student's t: the value that |t| exceeds with probability 1 - confidence. */
double student_quantile(double freedom, double confidence);
/* The probability that |T| exceeds |t|. */
double student_tails(double t, double freedom);

/* The expectation of a Poisson count of which `events` were seen. With none seen the upper
 * bound is one-sided (3.0: the rule of three). */
struct bounds poisson_bounds(double events);
/* The share of which `hits` of `trials` were seen; one-sided where it is none or all. */
struct bounds share_bounds(double hits, double trials);

/* Samples that a bound on `share` within the limit needs, at the rate seen: how large
 * `trials` must be until share_bounds() lies on one side of `limit`. UINT64_MAX where no
 * number will do. */
uint64_t share_needs(double hits, double trials, double limit);
