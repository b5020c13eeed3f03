#include "stat/ratio.h"

#include <math.h>

#include "base/arena.h"
#include "base/assert.h"
#include "stat/confidence.h"

#define ALPHA	 0.05
#define RUNS_MAX 10000

struct logs {
	double mean, variance; /* of the mean */
	bool known;
};

static struct logs logs_of(const double *values, unsigned count)
{
	struct logs logs = {.known = count > 0};
	double squares = 0;

	for (unsigned i = 0; i < count; i++) {
		logs.known &= values[i] > 0;
		logs.mean += log(values[i]) / count;
	}
	for (unsigned i = 0; i < count; i++)
		squares += pow(log(values[i]) - logs.mean, 2);
	if (count > 1)
		logs.variance = squares / (count - 1) / count;
	return logs;
}

struct ratio ratio_of(const double *a, unsigned na, const double *b, unsigned nb)
{
	struct ratio ratio = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, 0, false};
	struct logs one = logs_of(a, na), other = logs_of(b, nb);
	double sum = one.variance + other.variance, half;

	if (!one.known || !other.known)
		return ratio;
	ratio.value = exp(other.mean - one.mean);
	if (na < 2 || nb < 2)
		return ratio;
	ratio.log_error = sqrt(sum);
	ratio.freedom = na + nb - 2;
	if (sum > 0)
		ratio.freedom = sum * sum /
				(one.variance * one.variance / (na - 1) +
				 other.variance * other.variance / (nb - 1));
	half = student_quantile(ratio.freedom, CONFIDENCE) * ratio.log_error;
	ratio.low = ratio.value * exp(-half);
	ratio.high = ratio.value * exp(half);
	return ratio;
}

bool ratio_is_undecided(const struct ratio *ratio)
{
	return !(ratio->low > 1) && !(ratio->high < 1);
}

const char *gate_outcome_name(enum gate_outcome outcome)
{
	static const char *const names[] = {
		[GATE_PASS] = "pass", [GATE_FAIL] = "fail", [GATE_CANNOT_TELL] = "cannot tell"};

	return names[outcome];
}

void holm_adjust(double *p, unsigned count)
{
	double least = 0;

	/* The smallest that is left is taken in turn: marked by going below 0. */
	for (unsigned step = 0; step < count; step++) {
		unsigned at = count;

		for (unsigned i = 0; i < count; i++)
			if (p[i] >= 0 && (at == count || p[i] < p[at]))
				at = i;
		assert(at < count);
		least = fmax(least, fmin(1, p[at] * (count - step)));
		p[at] = -1 - least;
	}
	for (unsigned i = 0; i < count; i++)
		p[i] = -1 - p[i];
}

/* The logarithm of how much worse it is than what the margin allows; above 0: too much. */
static double beyond(const struct gate_item *item)
{
	double worse = log(item->ratio.value);

	return (item->less_is_better ? worse : -worse) - log1p(item->margin);
}

/* Runs a side until this distance would be told at this spread. */
static unsigned runs_more(const struct gate_item *item, unsigned runs)
{
	double spread = item->ratio.log_error * sqrt(runs / 2.0), away = fabs(beyond(item));

	if (!(spread > 0) || !(away > 0))
		return 0;
	for (unsigned n = runs + 1; n < RUNS_MAX; n++)
		if (student_tails(away / (spread * sqrt(2.0 / n)), 2 * n - 2) < ALPHA)
			return n - runs;
	return RUNS_MAX;
}

static void holm_items(struct gate_item *items, unsigned count)
{
	struct arena arena;
	double *p;

	arena_init(&arena);
	p = arena_array(&arena, double, count + 1);
	for (unsigned i = 0; i < count; i++)
		p[i] = items[i].p;
	holm_adjust(p, count);
	for (unsigned i = 0; i < count; i++)
		items[i].p = p[i];
	arena_done(&arena);
}

void gate_decide(struct gate_item *items, unsigned count, unsigned runs)
{
	for (unsigned i = 0; i < count; i++) {
		struct gate_item *item = &items[i];
		double log_worse =
			item->less_is_better ? log(item->ratio.value) : -log(item->ratio.value);

		item->worse = expm1(log_worse);
		item->p = 1;
		if (item->ratio.log_error > 0)
			item->p = student_tails(beyond(item) / item->ratio.log_error,
						item->ratio.freedom);
		else if (item->ratio.log_error >= 0 && beyond(item) != 0)
			item->p = 0; /* all runs alike to the last digit */
	}
	holm_items(items, count);
	for (unsigned i = 0; i < count; i++) {
		items[i].outcome = items[i].p >= ALPHA	   ? GATE_CANNOT_TELL
				   : beyond(&items[i]) > 0 ? GATE_FAIL
							   : GATE_PASS;
		items[i].runs_more =
			items[i].outcome == GATE_CANNOT_TELL && !items[i].ratio.of_pair
				? runs_more(&items[i], runs)
				: 0;
	}
}

enum gate_outcome gate_of_all(const struct gate_item *items, unsigned count)
{
	enum gate_outcome outcome = count ? GATE_PASS : GATE_CANNOT_TELL;

	for (unsigned i = 0; i < count; i++) {
		if (items[i].outcome == GATE_FAIL)
			return GATE_FAIL;
		if (items[i].outcome == GATE_CANNOT_TELL)
			outcome = GATE_CANNOT_TELL;
	}
	return outcome;
}
