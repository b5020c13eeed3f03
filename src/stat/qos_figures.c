#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "stat/confidence.h"
#include "stat/qos.h"

#define BATCHES	    10 /* of what a mean or percentile is widened by */
#define BATCHES_MIN 4

struct figure_call {
	struct qos *qos;
	const struct qos_run *run;
	const struct qos_part *part;
	const struct qos_facts *facts;
	enum series_dir dir;
	double argument; /* NAN: not known */
	struct check_value *value;
};

static void unknown(struct check_value *value, const char *reason)
{
	value->state = CHECK_UNKNOWN;
	(void)snprintf(value->reason, sizeof(value->reason), "%s", reason);
}

static void exact(struct check_value *value, double number)
{
	value->value = value->low = value->high = number;
}

/* The value of the k-th largest sample as a bucket; k from 1. */
static unsigned bucket_of_largest(const struct hist *hist, double k)
{
	double seen = 0;

	for (unsigned i = HIST_BUCKETS; i-- > 0;) {
		seen += (double)hist->count[i];
		if (seen >= k)
			return i;
	}
	return 0;
}

/* The number of samples above the true percentile is binomial: the ranks between which it lies
 * with 95 %. *ret_first is 0 where even the largest sample may be below the percentile. */
static void ranks_above(double n, double share, double *ret_first, double *ret_last)
{
	double mean = n * share, sd = sqrt(mean * (1 - share)), sum = 0, term = exp(-mean);
	unsigned k = 0;

	if (mean > 200) {
		*ret_first = floor(mean - 1.959963984540054 * sd);
		*ret_last = ceil(mean + 1.959963984540054 * sd);
		return;
	}
	*ret_first = -1;
	for (; k < 2000; k++) {
		sum += term;
		if (*ret_first < 0 && sum > 0.025)
			*ret_first = k;
		if (sum >= 0.975)
			break;
		term *= mean / (k + 1.0);
	}
	*ret_last = k;
}

/* How far the parts of the run spread the percentile: the half-width, on a log scale, of the
 * t-interval over batches. 0 where there are too few batches that know it. */
static double spread_of_units(const struct qos_run *run, const struct qos_part *part,
			      double percent)
{
	unsigned batches = (unsigned)min_u64(BATCHES, run->nunits), known = 0;
	double sum = 0, squares = 0, variance;

	for (unsigned b = 0; part->units && b < batches; b++) {
		unsigned from = (unsigned)muldiv_u64(b, run->nunits, batches);
		unsigned to = (unsigned)muldiv_u64(b + 1, run->nunits, batches);
		static const struct hist none;
		struct hist hist = none;
		double value;

		for (unsigned i = from; i < to; i++)
			hist_merge(&hist, &part->units[i]);
		if ((double)hist_total(&hist) * (1 - percent / 100) < 1)
			continue;
		value = log((double)max_u64(hist_percentile_ns(&hist, percent), 1));
		sum += value;
		squares += value * value;
		known++;
	}
	if (known < BATCHES_MIN)
		return 0;
	variance = fmax(0, (squares - sum * sum / known) / (known - 1));
	return student_quantile(known - 1, CONFIDENCE) * sqrt(variance / known);
}

void qos_percentile(const struct qos_run *run, enum series_dir dir, double percent,
		    struct check_value *ret_value)
{
	const struct qos_part *part = &run->part[dir];
	double n = (double)part->sums.total, first, last, factor;
	double min = (double)part->sums.min_ns, max = (double)part->sums.max_ns;
	unsigned low, high;

	*ret_value = (struct check_value){.unit = CHECK_TIME, .samples = n};
	if (!run->has_latency) {
		unknown(ret_value, run->why_no_latency ? run->why_no_latency
						       : N_("latencies were not measured"));
		return;
	}
	if (!part->sums.total) {
		unknown(ret_value, N_("no request completed"));
		return;
	}
	ret_value->value =
		fmin(fmax((double)hist_percentile_ns(part->hist, percent), min), max);
	ranks_above(n, 1 - percent / 100, &first, &last);
	low = bucket_of_largest(part->hist, fmin(last + 1, n));
	ret_value->low = fmax((double)hist_low_ns(low), min);
	ret_value->high = (double)INFINITY;
	if (first >= 1) {
		high = bucket_of_largest(part->hist, first);
		ret_value->high =
			fmin((double)(hist_low_ns(high) + hist_width_ns(high) - 1), max);
	}
	factor = exp(spread_of_units(run, part, percent));
	ret_value->low = fmax(min, fmin(ret_value->low, ret_value->value / factor));
	ret_value->high = fmax(ret_value->high, ret_value->value * factor);
}

/* A mean over the judged intervals of what `of` takes from each, by batches of neighbours. */
static void batch_mean(const struct figure_call *call, double (*of)(const struct series_cell *),
		       double (*weight)(const struct series_cell *))
{
	const struct series_range *range = &call->run->range;
	unsigned n = range->end - range->first, batches = (unsigned)min_u64(BATCHES, n);
	double all = 0, all_weight = 0, sum = 0, squares = 0, half;

	for (unsigned b = 0; b < batches; b++) {
		double part = 0, part_weight = 0;

		for (unsigned i = (unsigned)muldiv_u64(b, n, batches);
		     i < (unsigned)muldiv_u64(b + 1, n, batches); i++) {
			part += of(&call->part->cells[range->first + i]);
			part_weight += weight(&call->part->cells[range->first + i]);
		}
		all += part;
		all_weight += part_weight;
		part /= part_weight > 0 ? part_weight : 1;
		sum += part;
		squares += part * part;
	}
	call->value->samples = n;
	if (batches < BATCHES_MIN || all_weight <= 0) {
		unknown(call->value,
			N_("fewer than 4 intervals: run longer, or take shorter ones"));
		return;
	}
	exact(call->value, all / all_weight);
	half = student_quantile(batches - 1, CONFIDENCE) *
	       sqrt(fmax(0, squares - sum * sum / batches) / (batches - 1) / batches);
	call->value->low -= half;
	call->value->high += half;
}

static double cell_count(const struct series_cell *cell)
{
	return (double)cell->count;
}

static double cell_bytes(const struct series_cell *cell)
{
	return (double)cell->bytes;
}

static double cell_sum(const struct series_cell *cell)
{
	return cell->sum_ns;
}

static double cell_one(const struct series_cell *cell)
{
	(void)cell;
	return 1;
}

static void per_second(const struct figure_call *call)
{
	double factor = (double)NS_PER_S / (double)call->run->interval_ns;

	call->value->value *= factor;
	call->value->low *= factor;
	call->value->high *= factor;
}

static void figure_iops(const struct figure_call *call)
{
	batch_mean(call, cell_count, cell_one);
	per_second(call);
}

static void figure_bandwidth(const struct figure_call *call)
{
	batch_mean(call, cell_bytes, cell_one);
	per_second(call);
}

static void figure_mean(const struct figure_call *call)
{
	batch_mean(call, cell_sum, cell_count);
}

static void figure_max(const struct figure_call *call)
{
	exact(call->value, (double)call->part->sums.max_ns);
}

static void figure_min(const struct figure_call *call)
{
	exact(call->value, call->part->sums.total ? (double)call->part->sums.min_ns : 0);
}

static void figure_count(const struct figure_call *call)
{
	exact(call->value, (double)call->part->sums.total);
}

static void figure_bytes(const struct figure_call *call)
{
	exact(call->value, (double)call->part->bytes);
}

static void figure_span(const struct figure_call *call)
{
	exact(call->value, (double)(call->run->end_ns - call->run->begin_ns));
}

static void figure_intervals(const struct figure_call *call)
{
	exact(call->value, call->run->range.end - call->run->range.first);
}

static void figure_zero_intervals(const struct figure_call *call)
{
	const struct qos_zeros *zeros = &call->facts->zeros;

	exact(call->value, zeros->count);
	if (zeros->untold && !zeros->count && call->run->nlost)
		(void)snprintf(
			call->value->reason, sizeof(call->value->reason),
			PLURAL(zeros->untold,
			       "%u interval without completions, and rows of the log are lost",
			       "%u intervals without completions, and rows of the log are "
			       "lost"),
			zeros->untold);
	else if (zeros->untold && !zeros->count)
		(void)snprintf(
			call->value->reason, sizeof(call->value->reason),
			PLURAL(zeros->untold,
			       "%u interval without completions, and the log does not tell "
			       "whether work was outstanding: --outstanding says that it was",
			       "%u intervals without completions, and the log does not tell "
			       "whether work was outstanding: --outstanding says that it was"),
			zeros->untold);
	call->value->high += zeros->untold;
	if (call->run->range.end == call->run->range.first)
		unknown(call->value, N_("no interval was measured from begin to end"));
}

static void figure_zero_longest(const struct figure_call *call)
{
	exact(call->value, (double)call->facts->zeros.longest_ns);
	if (!call->facts->zeros.count && call->facts->zeros.untold)
		call->value->low = 0;
}

static void share(const struct figure_call *call, double hits, double trials)
{
	struct bounds bounds = share_bounds(hits, trials);

	*call->value = (struct check_value){.share = true,
					    .value = trials > 0 ? hits / trials : 0,
					    .low = bounds.low,
					    .high = bounds.high,
					    .samples = trials};
	if (trials <= 0)
		unknown(call->value, "nothing was measured");
}

static void figure_within(const struct figure_call *call)
{
	double hits = 0, trials = 0;

	for (unsigned i = call->run->range.first; i < call->run->range.end; i++) {
		const struct series_cell *cell = &call->part->cells[i];

		trials += cell->count > 0;
		hits += cell->count && (double)cell->max_ns <= call->argument;
	}
	share(call, hits, trials);
}

static void figure_share_over(const struct figure_call *call)
{
	share(call, qos_count_over(call->run, call->dir, call->argument),
	      (double)call->part->sums.total);
}

static void figure_count_over(const struct figure_call *call)
{
	exact(call->value, qos_count_over(call->run, call->dir, call->argument));
}

static void figure_rate_over(const struct figure_call *call)
{
	double hours = (double)(call->run->end_ns - call->run->begin_ns) / 3600e9;
	double events = qos_count_over(call->run, call->dir, call->argument);
	struct bounds bounds = poisson_bounds(events);

	call->value->samples = (double)call->part->sums.total;
	if (hours <= 0) {
		unknown(call->value, N_("no time passed"));
		return;
	}
	call->value->value = events / hours;
	call->value->low = bounds.low / hours;
	call->value->high = bounds.high / hours;
}

static void figure_worst_share_over(const struct figure_call *call)
{
	const struct qos_run *run = call->run;
	unsigned t = 0;
	double worst = 0;

	while (t < run->nthresholds && (double)run->thresholds_ns[t] != call->argument)
		t++;
	if (t == run->nthresholds) {
		unknown(call->value,
			N_("not counted for each interval: write the latency as a number"));
		return;
	}
	for (unsigned i = run->range.first; i < run->range.end; i++) {
		const struct series_cell *cell = &call->part->cells[i];

		if (cell->count)
			worst = fmax(worst, (double)cell->over[t] / (double)cell->count);
	}
	call->value->share = true;
	exact(call->value, worst);
	if (run->range.end == run->range.first)
		unknown(call->value, N_("no interval was measured from begin to end"));
}

static void figure_bursts_over(const struct figure_call *call)
{
	exact(call->value, qos_bursts(call->run, call->dir, call->argument).count);
}

static void of_intervals(const struct figure_call *call, double value, bool is_share)
{
	call->value->share = is_share;
	call->value->samples = call->facts->even.count;
	exact(call->value, value);
	if (call->facts->even.count < BATCHES)
		unknown(call->value,
			N_("fewer than 10 intervals: run longer, or take shorter ones"));
}

static void figure_variation(const struct figure_call *call)
{
	of_intervals(call, call->facts->even.variation, true);
}

static void figure_consistency(const struct figure_call *call)
{
	of_intervals(call, call->facts->even.worst, true);
}

static void figure_steady_share(const struct figure_call *call)
{
	of_intervals(call, call->facts->even.share_at_least, true);
}

static void figure_min_iops(const struct figure_call *call)
{
	of_intervals(call, call->facts->even.min, false);
}

static void figure_trend(const struct figure_call *call)
{
	of_intervals(call, call->facts->trend.change, true);
}

static void figure_changes(const struct figure_call *call)
{
	of_intervals(call, call->facts->nchanges, false);
}

static void figure_scatter(const struct figure_call *call)
{
	of_intervals(call, call->facts->scatter, false);
}

/* What the log has to tell: one of IOPS has no latencies, a windowed one a single figure. */
enum figure_needs {
	NEEDS_NOTHING,
	NEEDS_LATENCY,
	NEEDS_COUNT,
	NEEDS_BYTES,
	NEEDS_RATE, /* of requests or of bytes */
};

static const struct figure_row {
	const char *name;
	enum check_unit unit;
	enum qos_kind kind;
	bool takes_latency; /* an argument */
	enum figure_needs needs;
	void (*figure)(const struct figure_call *call);
} rows[] = {
	{"iops", CHECK_NUMBER, QOS_OTHER, false, NEEDS_COUNT, figure_iops},
	{"bandwidth", CHECK_BYTES_PER_S, QOS_OTHER, false, NEEDS_BYTES, figure_bandwidth},
	{"count", CHECK_NUMBER, QOS_OTHER, false, NEEDS_COUNT, figure_count},
	{"bytes", CHECK_BYTES, QOS_OTHER, false, NEEDS_BYTES, figure_bytes},
	{"span", CHECK_TIME, QOS_OTHER, false, NEEDS_NOTHING, figure_span},
	{"intervals", CHECK_NUMBER, QOS_OTHER, false, NEEDS_NOTHING, figure_intervals},
	{"mean", CHECK_TIME, QOS_OTHER, false, NEEDS_LATENCY, figure_mean},
	{"min", CHECK_TIME, QOS_OTHER, false, NEEDS_LATENCY, figure_min},
	{"max", CHECK_TIME, QOS_EXTREME, false, NEEDS_LATENCY, figure_max},
	{"zero_intervals", CHECK_NUMBER, QOS_ZEROS, false, NEEDS_NOTHING,
	 figure_zero_intervals},
	{"zero_longest", CHECK_TIME, QOS_ZEROS, false, NEEDS_NOTHING, figure_zero_longest},
	{"share_max_within", CHECK_NUMBER, QOS_WITHIN, true, NEEDS_LATENCY, figure_within},
	{"share_over", CHECK_NUMBER, QOS_OVER, true, NEEDS_LATENCY, figure_share_over},
	{"count_over", CHECK_NUMBER, QOS_OVER, true, NEEDS_LATENCY, figure_count_over},
	{"rate_over", CHECK_PER_HOUR, QOS_OVER, true, NEEDS_LATENCY, figure_rate_over},
	{"worst_share_over", CHECK_NUMBER, QOS_OVER, true, NEEDS_LATENCY,
	 figure_worst_share_over},
	{"bursts_over", CHECK_NUMBER, QOS_OVER, true, NEEDS_LATENCY, figure_bursts_over},
	{"variation", CHECK_NUMBER, QOS_OTHER, false, NEEDS_RATE, figure_variation},
	{"consistency", CHECK_NUMBER, QOS_OTHER, false, NEEDS_RATE, figure_consistency},
	{"steady_share", CHECK_NUMBER, QOS_OTHER, false, NEEDS_RATE, figure_steady_share},
	{"min_iops", CHECK_NUMBER, QOS_OTHER, false, NEEDS_COUNT, figure_min_iops},
	{"trend", CHECK_NUMBER, QOS_OTHER, false, NEEDS_RATE, figure_trend},
	{"changes", CHECK_NUMBER, QOS_OTHER, false, NEEDS_NOTHING, figure_changes},
	{"scatter", CHECK_NUMBER, QOS_OTHER, false, NEEDS_LATENCY, figure_scatter},
};

/* "read.p99" -> read, "p99". */
static const char *split_dir(const char *name, enum series_dir *ret_dir)
{
	*ret_dir = SERIES_ALL;
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		const char *word = qos_dir_name((enum series_dir)d);

		if (!str_starts(name, word) || name[strlen(word)] != '.')
			continue;
		*ret_dir = (enum series_dir)d;
		return name + strlen(word) + 1;
	}
	return name;
}

/* "p99.9": the digits of a number in [0, 100]. */
static bool is_percentile(const char *name, double *ret_percent)
{
	char *end;

	if (name[0] != 'p' || name[1] < '0' || name[1] > '9' ||
	    strspn(name + 1, "0123456789.") != strlen(name + 1))
		return false;
	*ret_percent = strtod(name + 1, &end);
	return !*end && *ret_percent > 0 && *ret_percent < 100;
}

static const struct figure_row *find_row(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		if (str_equal(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

struct qos_subject qos_subject(const struct check_figure *figure)
{
	struct qos_subject subject = {.kind = QOS_OTHER, .argument = figure->argument};
	const char *name = split_dir(figure->name, &subject.dir);
	const struct figure_row *row = find_row(name);
	double percent;

	if (is_percentile(name, &percent))
		subject.kind = QOS_PERCENTILE;
	else if (row)
		subject.kind = row->kind;
	if (!row || !row->takes_latency)
		subject.argument = (double)NAN;
	return subject;
}

static int no_figure(const char *name, struct err *err)
{
	const char *near = "p99.9";
	unsigned best = 100;

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned distance = str_distance(name, rows[i].name);

		if (distance < best) {
			best = distance;
			near = rows[i].name;
		}
	}
	return err_input(err, "there is no figure \"%s\"; \"%s\" is one, doc/checks.md has all",
			 name, near);
}

static int find_spec(const struct qos *qos, const char *name, struct check_value *ret_value,
		     struct err *err)
{
	for (unsigned i = 0; i < qos->nspecs; i++) {
		if (str_equal(qos->specs[i].name, name)) {
			*ret_value = qos->specs[i].value;
			return 0;
		}
	}
	return err_input(err, "\"spec.%s\" is not known: give it with --spec=%s=VALUE", name,
			 name);
}

/* Why a run does not tell what a figure needs; NULL: it does. */
static const char *why_not_told(const struct qos_run *run, enum figure_needs needs)
{
	bool counts = run->level == QOS_COMPLETIONS;

	switch (needs) {
	case NEEDS_NOTHING:
		break;
	case NEEDS_LATENCY:
		if (run->has_latency)
			return NULL;
		return run->why_no_latency ? run->why_no_latency
					   : N_("latencies were not measured");
	case NEEDS_COUNT:
		return counts ? NULL
			      : N_("how many requests there were is not in a windowed log");
	case NEEDS_BYTES:
		return run->level == QOS_BANDWIDTH || !run->windowed
			       ? NULL
			       : N_("bytes are not in a windowed log of IOPS or latencies");
	case NEEDS_RATE:
		return run->level == QOS_MEAN_LATENCY
			       ? N_("a windowed log of latencies holds no rates")
			       : NULL;
	}
	return NULL;
}

static int check_argument(const struct figure_row *row, const struct check_figure *figure,
			  struct err *err)
{
	bool given = figure->argument_unit != CHECK_NUMBER || !isnan(figure->argument);

	if (row && row->takes_latency && figure->argument_unit != CHECK_TIME)
		return err_input(err, "\"%s\" takes a latency: write %s(5ms)", figure->name,
				 figure->name);
	if ((!row || !row->takes_latency) && given)
		return err_input(err, "\"%s\" takes nothing in brackets", figure->name);
	return 0;
}

static int find(void *ctx, const struct check_figure *figure, struct check_value *ret_value,
		struct err *err)
{
	struct figure_call call = {
		.qos = ctx, .argument = figure->argument, .value = ret_value};
	const char *name = split_dir(figure->name, &call.dir);
	const struct figure_row *row = find_row(name);
	double percent = 0;
	int rc;

	if (str_starts(name, "spec."))
		return find_spec(call.qos, name + 5, ret_value, err);
	if (!row && !is_percentile(name, &percent))
		return no_figure(name, err);
	rc = check_argument(row, figure, err);
	if (rc)
		return rc;
	*ret_value = (struct check_value){.unit = row ? row->unit : CHECK_TIME};
	call.run = call.qos->run;
	call.part = &call.run->part[call.dir];
	call.facts = &call.qos->facts[call.dir];
	if (!call.part->cells) {
		ret_value->state = CHECK_ABSENT;
		return 0;
	}
	if (why_not_told(call.run, row ? row->needs : NEEDS_LATENCY))
		unknown(ret_value, why_not_told(call.run, row ? row->needs : NEEDS_LATENCY));
	else if (row && row->takes_latency && isnan(call.argument))
		unknown(ret_value, N_("the latency in brackets is not known"));
	else if (row)
		row->figure(&call);
	else
		qos_percentile(call.run, call.dir, percent, ret_value);
	return 0;
}

static uint64_t needs(void *ctx, const struct check_figure *figure, double limit)
{
	struct qos *qos = ctx;
	struct qos_subject subject = qos_subject(figure);
	const struct qos_part *part = &qos->run->part[subject.dir];
	double percent = 0, n, over, far, wide;
	struct check_value value = {0};
	uint64_t enough;
	enum series_dir dir;

	if (find(ctx, figure, &value, NULL) || value.samples <= 0)
		return 0;
	n = value.samples;
	if (subject.kind == QOS_WITHIN || (subject.kind == QOS_OVER && value.share))
		return share_needs(value.value * n, n, limit);
	if (!is_percentile(split_dir(figure->name, &dir), &percent))
		return 0;
	over = hist_count_above(part->hist, (uint64_t)fmax(limit, 0));
	enough = share_needs(over, n, 1 - percent / 100);
	/* Where the run's parts differ, more of them are needed, not more of the same. */
	far = fabs(value.value - limit);
	wide = isinf(value.high) ? 0 : (value.high - value.low) / 2;
	if (wide > far && far > 0 && n * wide / far * wide / far < 1e18)
		enough = max_u64(enough, (uint64_t)(n * wide / far * wide / far));
	return enough;
}

void qos_figures(struct qos *qos, struct check_figures *ret_figures)
{
	*ret_figures = (struct check_figures){.ctx = qos, .find = find, .needs = needs};
}
