#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/quantity.h"
#include "report/judge_priv.h"

void judge_span(const struct qos_span *span, struct str *out)
{
	str_printf(out, "%.3f s to %.3f s", (double)span->begin_ns / 1e9,
		   (double)span->end_ns / 1e9);
}

static void add_time(struct str *out, double ns)
{
	quantity_time((uint64_t)fmax(ns, 0), out);
}

/* How often: a count of rare requests, as a rate with its bound. */
static void beside_count(const struct judged *judged, const struct qos_subject *subject,
			 struct str *out)
{
	const struct qos_run *run = judged->qos->run;
	const struct qos_part *part = &run->part[subject->dir];
	double hours = (double)(run->end_ns - run->begin_ns) / 3600e9;
	struct qos_bursts bursts = qos_bursts(run, subject->dir, subject->argument);
	struct check_figure figure = {.argument = subject->argument,
				      .argument_unit = CHECK_TIME};
	struct check_figures figures;
	struct check_value rate;
	struct qos qos = *judged->qos;

	qos_figures(&qos, &figures);
	(void)snprintf(figure.name, sizeof(figure.name), "%s%srate_over",
		       subject->dir == SERIES_ALL ? "" : qos_dir_name(subject->dir),
		       subject->dir == SERIES_ALL ? "" : ".");
	if (figures.find(&qos, &figure, &rate, NULL) || rate.state != CHECK_KNOWN)
		return;
	str_printf(out, "%.0f of ", qos_count_over(run, subject->dir, subject->argument));
	quantity_count(part->sums.total, out);
	str_add(out, " requests in ");
	add_time(out, hours * 3600e9);
	str_add(out, ": ");
	quantity_plain(rate.value, out);
	str_add(out, " per hour, at most ");
	quantity_plain(rate.high, out);
	str_add(out, " with 95 %");
	if (bursts.count)
		str_printf(out, "; %u %s, the longest over %u %s", bursts.count,
			   bursts.count == 1 ? "burst" : "bursts", bursts.longest_intervals,
			   bursts.longest_intervals == 1 ? "interval" : "intervals");
	str_add(out, "; longest request ");
	add_time(out, (double)part->sums.max_ns);
}

static void beside_percentile(const struct judged *judged, const struct qos_subject *subject,
			      double limit, struct str *out)
{
	const struct qos_run *run = judged->qos->run;
	const struct qos_part *part = &run->part[subject->dir];
	double over = qos_count_over(run, subject->dir, limit);

	str_add(out, "maximum ");
	add_time(out, (double)part->sums.max_ns);
	str_add(out, "; ");
	if (over > 0 && over / (double)part->sums.total < 1e-4)
		str_printf(out, "%.3g ppm", over / (double)part->sums.total * 1e6);
	else
		str_printf(out, "%.3g %%", over / (double)part->sums.total * 100);
	str_printf(out, " of the requests (%.0f) above ", over);
	add_time(out, limit);
}

static void beside_within(const struct judged *judged, const struct qos_subject *subject,
			  struct str *out)
{
	const struct qos_run *run = judged->qos->run;
	const struct qos_facts *facts = &judged->qos->facts[subject->dir];
	const struct series_cell *cells = run->part[subject->dir].cells;
	unsigned often = 0;

	for (unsigned i = run->range.first; i < run->range.end; i++)
		often += (double)cells[i].max_ns > subject->argument;
	str_add(out, "bound ");
	add_time(out, subject->argument);
	str_printf(out, "; %u %s beyond it", often, often == 1 ? "interval" : "intervals");
	if (facts->worst >= run->range.end)
		return;
	str_add(out, "; the worst has ");
	add_time(out, (double)cells[facts->worst].max_ns);
	str_printf(out, " at %.3f s", (double)facts->worst * (double)run->interval_ns / 1e9);
}

static void beside_zeros(const struct judged *judged, const struct qos_subject *subject,
			 struct str *out)
{
	const struct qos_zeros *zeros = &judged->qos->facts[subject->dir].zeros;

	if (zeros->longest_ns) {
		str_add(out, "longest time without a completion ");
		add_time(out, (double)zeros->longest_ns);
	}
	if (zeros->idle)
		str_printf(out, "%s%u empty %s with nothing outstanding: no fault",
			   zeros->longest_ns ? "; " : "", zeros->idle,
			   zeros->idle == 1 ? "interval" : "intervals");
}

void judge_beside(const struct judged *judged, const struct check_comparison *one,
		  struct str *out)
{
	struct qos_subject subject = qos_subject(&one->left.figure);

	if (one->left.value.state != CHECK_KNOWN || !judged->qos->run->part[subject.dir].cells)
		return;
	switch (subject.kind) {
	case QOS_PERCENTILE:
		beside_percentile(judged, &subject, one->right.value.value, out);
		break;
	case QOS_WITHIN:
		beside_within(judged, &subject, out);
		break;
	case QOS_ZEROS:
		beside_zeros(judged, &subject, out);
		break;
	case QOS_OVER:
		if (!one->left.value.share)
			beside_count(judged, &subject, out);
		break;
	case QOS_EXTREME:
	case QOS_OTHER:
		break;
	}
}

void judge_why(const struct check_comparison *one, struct str *out)
{
	const struct check_value *left = &one->left.value, *right = &one->right.value;
	double more = (double)one->needs - left->samples;

	if (one->outcome != OUTCOME_CANNOT_TELL)
		return;
	if (*left->reason || *right->reason) {
		str_add(out, *left->reason ? left->reason : right->reason);
		return;
	}
	if (one->needs == UINT64_MAX) {
		str_add(out,
			"what was measured is the limit itself: no number of samples will do");
		return;
	}
	if (!one->needs || more <= 0) {
		str_add(out, "the bounds lie on both sides of the limit");
		return;
	}
	str_add(out, "too few samples: ");
	quantity_count((uint64_t)ceil(left->samples), out);
	str_add(out, ", and about ");
	quantity_count((uint64_t)ceil(more), out);
	str_add(out, qos_subject(&one->left.figure).kind == QOS_WITHIN
			     ? " more intervals like these would tell"
			     : " more requests like these would tell");
}

void judge_bounds(const struct check_value *value, struct str *out)
{
	struct check_value bound = *value;

	if (value->state != CHECK_KNOWN || value->low >= value->high)
		return;
	bound.value = value->low;
	check_format(&bound, out);
	str_add(out, " to ");
	if (isinf(value->high)) {
		str_add(out, "?");
		return;
	}
	bound.value = value->high;
	check_format(&bound, out);
}

static const struct judge_rating ratings[] = {
	{"slowest 0.1 % / mean", "consistency", 0.9, 0.5, true},
	{"share at 90 % of the mean", "steady_share", 0.99, 0.9, true},
	{"standard deviation / mean", "variation", 0.1, 0.2, false},
	{"trend over the run", "trend", 0.05, 0.1, false},
	{"change points of 5 % and more", "changes", 0, 2, false},
	{"p99 / p50 of the maxima", "scatter", 2, 5, false},
};

const struct judge_rating *judge_ratings(unsigned *ret_count)
{
	*ret_count = ARRAY_SIZE(ratings);
	return ratings;
}

const char *judge_rate(const struct judged *judged, const struct judge_rating *rating,
		       enum series_dir dir, struct check_value *ret_value)
{
	struct check_figure figure = {.argument = (double)NAN};
	struct qos qos = *judged->qos;
	struct check_figures figures;
	double value;

	qos_figures(&qos, &figures);
	(void)snprintf(figure.name, sizeof(figure.name), "%s%s%s",
		       dir == SERIES_ALL ? "" : qos_dir_name(dir), dir == SERIES_ALL ? "" : ".",
		       rating->figure);
	if (figures.find(&qos, &figure, ret_value, NULL) || ret_value->state != CHECK_KNOWN ||
	    isnan(ret_value->value))
		return "-";
	value = fabs(ret_value->value);
	if (rating->more ? value >= rating->good : value <= rating->good)
		return "good";
	return (rating->more ? value >= rating->fair : value <= rating->fair) ? "fair" : "poor";
}
