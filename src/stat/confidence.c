#include "stat/confidence.h"

#include <math.h>

#define STEPS_MAX 300
#define TINY	  1e-300

/* The continued fraction of I_x(a, b), modified Lentz. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < TINY ? TINY : d);
	h = d;
	for (int m = 1; m <= STEPS_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < TINY ? TINY : d);
		c = fabs(c) < TINY ? TINY : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < TINY ? TINY : d);
		c = fabs(c) < TINY ? TINY : c;
		h *= d * c;
		if (fabs(d * c - 1) < 1e-14)
			break;
	}
	return h;
}

/* lgamma() of the C library writes a global; this one does not. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) +
		    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double incomplete_gamma(double a, double x)
{
	double front, sum, term, b, c, d, h;

	if (x <= 0)
		return 0;
	front = exp(-x + a * log(x) - log_gamma(a));
	if (x < a + 1) { /* the series */
		sum = term = 1 / a;
		for (int n = 1; fabs(term) > fabs(sum) * 1e-15; n++)
			sum += term *= x / (a + n);
		return sum * front;
	}
	b = x + 1 - a; /* the continued fraction of the upper tail */
	c = 1 / TINY;
	h = d = 1 / b;
	for (int i = 1; i <= STEPS_MAX * 100; i++) {
		double an = -i * (i - a);

		b += 2;
		d = an * d + b;
		c = b + an / c;
		d = 1 / (fabs(d) < TINY ? TINY : d);
		c = fabs(c) < TINY ? TINY : c;
		h *= d * c;
		if (fabs(d * c - 1) < 1e-14)
			break;
	}
	return 1 - front * h;
}

double student_tails(double t, double freedom)
{
	return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double freedom, double confidence)
{
	double low = 0, high = 1e4;

	for (int i = 0; i < 80; i++) {
		double middle = (low + high) / 2;

		if (student_tails(middle, freedom) > 1 - confidence)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The x in [0, high] at which a falling or rising probability reaches `target`. */
static double gamma_quantile(double a, double target)
{
	double low = 0, high = a + 20 * sqrt(a) + 50;

	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (incomplete_gamma(a, middle) < target)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static double beta_quantile(double a, double b, double target)
{
	double low = 0, high = 1;

	for (int i = 0; i < 200 && high - low > low * 1e-12; i++) {
		double middle = (low + high) / 2;

		if (incomplete_beta(a, b, middle) < target)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Above these counts the exact forms and Wilson's agree to far below the width; the continued
 * fractions would need more steps than they have. */
#define EXACT_MAX 10000.0

static double normal_z(void)
{
	return 1.959963984540054; /* of 95 %, two-sided */
}

struct bounds poisson_bounds(double events)
{
	double tail = (1 - CONFIDENCE) / 2, z = normal_z();

	if (events <= 0)
		return (struct bounds){0, -log(1 - CONFIDENCE)};
	if (events > EXACT_MAX)
		return (struct bounds){events + z * z / 2 - z * sqrt(events + z * z / 4),
				       events + z * z / 2 + z * sqrt(events + z * z / 4)};
	return (struct bounds){gamma_quantile(events, tail),
			       gamma_quantile(events + 1, 1 - tail)};
}

static struct bounds wilson(double hits, double trials)
{
	double z = normal_z(), share = hits / trials, center, half;

	center = (share + z * z / (2 * trials)) / (1 + z * z / trials);
	half = z / (1 + z * z / trials) *
	       sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials));
	return (struct bounds){center - half, center + half};
}

/* At most half of the trials are hits. */
static struct bounds rare_bounds(double hits, double trials)
{
	double tail = (1 - CONFIDENCE) / 2;

	if (hits > EXACT_MAX)
		return wilson(hits, trials);
	if (trials > 1e6 && hits / trials < 1e-3) { /* Poisson's limit of the binomial */
		struct bounds events = poisson_bounds(hits);

		return (struct bounds){events.low / trials, events.high / trials};
	}
	if (trials > 1e6)
		return wilson(hits, trials);
	return (struct bounds){beta_quantile(hits, trials - hits + 1, tail),
			       beta_quantile(hits + 1, trials - hits, 1 - tail)};
}

struct bounds share_bounds(double hits, double trials)
{
	if (trials <= 0)
		return (struct bounds){0, 1};
	if (hits <= 0)
		return (struct bounds){0, -expm1(log(1 - CONFIDENCE) / trials)};
	if (hits >= trials)
		return (struct bounds){exp(log(1 - CONFIDENCE) / trials), 1};
	if (hits > trials - hits) { /* the same from the other side, where small is exact */
		struct bounds rest = rare_bounds(trials - hits, trials);

		return (struct bounds){1 - rest.high, 1 - rest.low};
	}
	return rare_bounds(hits, trials);
}

uint64_t share_needs(double hits, double trials, double limit)
{
	double low = 1, high = 1;

	if (trials <= 0)
		trials = 1;
	for (;;) {
		struct bounds bounds = share_bounds(hits * high, trials * high);

		if (bounds.high < limit || bounds.low > limit)
			break;
		if (high > 1e9)
			return UINT64_MAX; /* the limit is what was seen */
		low = high;
		high *= 2;
	}
	for (int i = 0; i < 50 && high / low > 1.0001; i++) {
		double middle = (low + high) / 2;
		struct bounds bounds = share_bounds(hits * middle, trials * middle);

		if (bounds.high < limit || bounds.low > limit)
			high = middle;
		else
			low = middle;
	}
	return (uint64_t)ceil(trials * high);
}
