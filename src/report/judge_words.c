#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "report/judge_priv.h"

void judge_span(enum lang lang, const struct qos_span *span, struct str *out)
{
	str_printf(out, lang_text(lang, "%.3f s to %.3f s"), (double)span->begin_ns / 1e9,
		   (double)span->end_ns / 1e9);
}

static void add_time(struct str *out, double ns)
{
	quantity_time((uint64_t)fmax(ns, 0), out);
}

/* How often: a count of rare requests, as a rate with its bound. */
static void beside_count(enum lang lang, const struct judged *judged,
			 const struct qos_subject *subject, struct str *out)
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
	autostr all = {0}, span = {0}, found = {0}, most = {0}, longest = {0};

	qos_figures(&qos, &figures);
	(void)snprintf(figure.name, sizeof(figure.name), "%s%srate_over",
		       subject->dir == SERIES_ALL ? "" : qos_dir_name(subject->dir),
		       subject->dir == SERIES_ALL ? "" : ".");
	if (figures.find(&qos, &figure, &rate, NULL) || rate.state != CHECK_KNOWN)
		return;
	quantity_count(part->sums.total, &all);
	add_time(&span, hours * 3600e9);
	quantity_plain(rate.value, &found);
	quantity_plain(rate.high, &most);
	lang_printf(lang, out,
		    PLURAL(part->sums.total,
			   "%.0f of %s request in %s: %s per hour, at most %s with 95 %%",
			   "%.0f of %s requests in %s: %s per hour, at most %s with 95 %%"),
		    qos_count_over(run, subject->dir, subject->argument), str_text(&all),
		    str_text(&span), str_text(&found), str_text(&most));
	if (bursts.count)
		lang_printf(lang, out,
			    bursts.longest_intervals == 1
				    ? PLURAL(bursts.count, "; %u burst, over %u interval",
					     "; %u bursts, the longest over %u interval")
				    : PLURAL(bursts.count, "; %u burst, over %u intervals",
					     "; %u bursts, the longest over %u intervals"),
			    bursts.count, bursts.longest_intervals);
	add_time(&longest, (double)part->sums.max_ns);
	lang_printf(lang, out, "; longest request %s", str_text(&longest));
}

static void beside_percentile(enum lang lang, const struct judged *judged,
			      const struct qos_subject *subject, double limit, struct str *out)
{
	const struct qos_run *run = judged->qos->run;
	const struct qos_part *part = &run->part[subject->dir];
	double over = qos_count_over(run, subject->dir, limit);
	autostr longest = {0}, share = {0}, bound = {0};

	add_time(&longest, (double)part->sums.max_ns);
	add_time(&bound, limit);
	if (over > 0 && over / (double)part->sums.total < 1e-4)
		str_printf(&share, "%.3g ppm", over / (double)part->sums.total * 1e6);
	else
		str_printf(&share, "%.3g %%", over / (double)part->sums.total * 100);
	lang_printf(lang, out, "maximum %s; %s of the requests (%.0f) above %s",
		    str_text(&longest), str_text(&share), over, str_text(&bound));
}

static void beside_within(enum lang lang, const struct judged *judged,
			  const struct qos_subject *subject, struct str *out)
{
	const struct qos_run *run = judged->qos->run;
	const struct qos_facts *facts = &judged->qos->facts[subject->dir];
	const struct series_cell *cells = run->part[subject->dir].cells;
	autostr bound = {0}, worst = {0};
	unsigned often = 0;

	for (unsigned i = run->range.first; i < run->range.end; i++)
		often += (double)cells[i].max_ns > subject->argument;
	add_time(&bound, subject->argument);
	lang_printf(lang, out,
		    PLURAL(often, "bound %s; %u interval beyond it",
			   "bound %s; %u intervals beyond it"),
		    str_text(&bound), often);
	if (facts->worst >= run->range.end)
		return;
	add_time(&worst, (double)cells[facts->worst].max_ns);
	lang_printf(lang, out, "; the worst has %s at %.3f s", str_text(&worst),
		    (double)facts->worst * (double)run->interval_ns / 1e9);
}

static void beside_zeros(enum lang lang, const struct judged *judged,
			 const struct qos_subject *subject, struct str *out)
{
	const struct qos_zeros *zeros = &judged->qos->facts[subject->dir].zeros;

	autostr longest = {0};

	if (zeros->longest_ns) {
		add_time(&longest, (double)zeros->longest_ns);
		lang_printf(lang, out, "longest time without a completion %s",
			    str_text(&longest));
	}
	if (zeros->longest_ns && zeros->idle)
		str_add(out, "; ");
	if (zeros->idle)
		lang_printf(lang, out,
			    PLURAL(zeros->idle,
				   "%u empty interval with nothing outstanding: no fault",
				   "%u empty intervals with nothing outstanding: no fault"),
			    zeros->idle);
}

void judge_beside(enum lang lang, const struct judged *judged,
		  const struct check_comparison *one, struct str *out)
{
	struct qos_subject subject = qos_subject(&one->left.figure);

	if (one->left.value.state != CHECK_KNOWN || !judged->qos->run->part[subject.dir].cells)
		return;
	switch (subject.kind) {
	case QOS_PERCENTILE:
		beside_percentile(lang, judged, &subject, one->right.value.value, out);
		break;
	case QOS_WITHIN:
		beside_within(lang, judged, &subject, out);
		break;
	case QOS_ZEROS:
		beside_zeros(lang, judged, &subject, out);
		break;
	case QOS_OVER:
		if (!one->left.value.share)
			beside_count(lang, judged, &subject, out);
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
	autostr there = {0}, lacking = {0};

	if (one->outcome != OUTCOME_CANNOT_TELL)
		return;
	if (*left->reason || *right->reason) {
		str_add(out, *left->reason ? left->reason : right->reason);
		return;
	}
	if (one->needs == UINT64_MAX) {
		str_add(out, N_("what was measured is the limit itself: no number of samples "
				"will do"));
		return;
	}
	if (!one->needs || more <= 0) {
		str_add(out, N_("the bounds lie on both sides of the limit"));
		return;
	}
	quantity_count((uint64_t)ceil(left->samples), &there);
	quantity_count((uint64_t)ceil(more), &lacking);
	str_printf(
		out,
		qos_subject(&one->left.figure).kind == QOS_WITHIN
			? PLURAL(ceil(more),
				 "too few samples: %s, and about %s more interval like these "
				 "would tell",
				 "too few samples: %s, and about %s more intervals like these "
				 "would tell")
			: PLURAL(ceil(more),
				 "too few samples: %s, and about %s more request like these "
				 "would tell",
				 "too few samples: %s, and about %s more requests like these "
				 "would tell"),
		str_text(&there), str_text(&lacking));
}

void judge_bounds(enum lang lang, const struct check_value *value, struct str *out)
{
	autostr low = {0}, high = {0};
	struct check_value bound = *value;

	if (value->state != CHECK_KNOWN || value->low >= value->high)
		return;
	bound.value = value->low;
	check_format(&bound, &low);
	bound.value = value->high;
	if (isinf(value->high))
		str_add(&high, "?");
	else
		check_format(&bound, &high);
	str_printf(out, lang_text(lang, "%s to %s"), str_text(&low), str_text(&high));
}

static const struct judge_rating ratings[] = {
	{N_("slowest 0.1 % / mean"), "consistency", 0.9, 0.5, true},
	{N_("share at 90 % of the mean"), "steady_share", 0.99, 0.9, true},
	{N_("standard deviation / mean"), "variation", 0.1, 0.2, false},
	{N_("trend over the run"), "trend", 0.05, 0.1, false},
	{N_("change points of 5 % and more"), "changes", 0, 2, false},
	{N_("p99 / p50 of the maxima"), "scatter", 2, 5, false},
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
		return N_("good");
	return (rating->more ? value >= rating->fair : value <= rating->fair) ? N_("fair")
									      : N_("poor");
}
