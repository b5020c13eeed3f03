#include "stat/steady.h"

#include <math.h>

void steady_fit(const double *values, unsigned count, struct steady_line *ret_line)
{
	struct steady_line line = {0};
	double middle = ((double)count - 1) / 2, least, most, rise = 0, run = 0;

	*ret_line = line;
	if (!count)
		return;
	least = most = values[0];
	for (unsigned i = 0; i < count; i++) {
		line.mean += values[i];
		least = fmin(least, values[i]);
		most = fmax(most, values[i]);
	}
	line.mean /= count;
	line.range = most - least;
	for (unsigned i = 0; i < count; i++) {
		double x = i - middle; /* centred: no large sums cancel each other */

		rise += x * (values[i] - line.mean);
		run += x * x;
	}
	line.slope = run > 0 ? rise / run : 0;
	line.max_deviation = fmax(most - line.mean, line.mean - least);
	*ret_line = line;
}

/* 0 of nothing is nothing; anything of nothing has no bound. */
static double percent_of(double value, double whole)
{
	if (whole > 0)
		return 100 * value / whole;
	return value == 0 ? 0 : copysign((double)INFINITY, value);
}

void steady_judge(const struct steady_line *line, const struct steady_rule *rule,
		  struct steady_judgement *ret_judgement)
{
	double value = rule->is_slope ? line->slope : line->max_deviation;

	if (rule->is_percent)
		value = percent_of(value, rule->is_slope ? floor(line->mean) : line->mean);
	ret_judgement->criterion = value;
	ret_judgement->attained = fabs(value) <= rule->limit;
}

void steady_snia(const double *values, unsigned count, struct steady_snia *ret_snia)
{
	struct steady_line line;

	steady_fit(values, count, &line);
	*ret_snia = (struct steady_snia){.mean = line.mean, .slope = line.slope};
	ret_snia->range_percent = percent_of(line.range, line.mean);
	ret_snia->slope_percent =
		percent_of(fabs(line.slope) * (count > 1 ? count - 1 : 0), line.mean);
	ret_snia->attained = count > 1 && ret_snia->range_percent <= STEADY_SNIA_RANGE &&
			     ret_snia->slope_percent <= STEADY_SNIA_SLOPE;
}
