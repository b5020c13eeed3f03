/* Write amplification from theory; theory.h names the papers. */
#include "stat/theory.h"

#include <math.h>
#include <stdbool.h>

double theory_fifo(double op)
{
	double alpha = 1 + op, valid = 0, last;

	/* u = exp(-alpha (1 - u)), the smaller root; from 0 the iteration rises to it. */
	do {
		last = valid;
		valid = exp(-alpha * (1 - valid));
	} while (valid - last > 1e-13);
	return 1 / (1 - valid);
}

double theory_greedy(double op, unsigned pages_per_block)
{
	double k = 1 + 1 / (2.0 * pages_per_block);

	return theory_fifo(k * (1 + op) - 1) / k;
}

double theory_trimmed_op(double op, double trimmed)
{
	return (1 + op) / (1 - trimmed) - 1;
}

double theory_hot(double op, double writes, double space)
{
	double alpha = 1 + op, wa = 1, last;

	do {
		double hot = writes / space * alpha / wa;
		double cold = (1 - writes) / (1 - space) * alpha / wa;

		last = wa;
		wa = 1 + writes / expm1(hot) + (1 - writes) / expm1(cold);
	} while (fabs(wa - last) > 1e-12 * wa);
	return wa;
}

/*
 * The mean field: q(i) is the share of blocks with i valid pages, Q(i) its sum. In balance as many
 * blocks fall from i + 1 to i as are taken from i and below: with G collections a block's worth of
 * host writes, q(i + 1) = G / alpha / (i + 1) * (1 - (1 - Q(i))^d).
 */
struct field {
	double alpha;
	unsigned pages, choices;
};

/* Both sums that must come out, for G collections and q(start). */
struct sums {
	double share; /* of q: 1 in balance */
	double freed; /* G times the share of a block that a collection frees: 1 in balance */
};

static struct sums field_sums(const struct field *field, double collections, double first,
			      unsigned start)
{
	double sum = first, taken = 0;

	for (unsigned i = start; i < field->pages; i++) {
		double below = sum < 1 ? -expm1(field->choices * log1p(-sum)) : 1;

		taken += below;
		sum += collections / field->alpha / (i + 1) * below;
	}
	return (struct sums){sum, collections * taken / field->pages};
}

/* Finds q(start) for which the shares sum to 1, and returns the other sum. */
static double field_freed(const struct field *field, double collections)
{
	double low = -700, high = 0;
	unsigned start = 0;

	/* With large blocks the emptiest are rarer than a double can say: begin above them. */
	while (start + 1 < field->pages &&
	       field_sums(field, collections, exp(low), start).share > 1)
		start++;
	for (int i = 0; i < 80; i++) {
		double middle = (low + high) / 2;

		if (field_sums(field, collections, exp(middle), start).share > 1)
			high = middle;
		else
			low = middle;
	}
	return field_sums(field, collections, exp(low), start).freed;
}

double theory_choices(double op, unsigned pages_per_block, unsigned choices)
{
	struct field field = {1 + op, pages_per_block, choices};
	double low = 1, high = 2 * (2 + 1 / op);

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (field_freed(&field, middle) < 1)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
