#include "stat/qos.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "stat/change.h"
#include "stat/select.h"

#define TREND_DEPENDENCE_MAX 1000
#define CHANGE_LEAST	     0.05 /* smaller steps are not worth a line */

void qos_from_series(const struct series *series, struct qos_run *ret_run)
{
	assert(series->finished);
	*ret_run = (struct qos_run){
		.interval_ns = series->interval_ns,
		.begin_ns = series->any ? series->begin_ns : 0,
		.end_ns = series->end_ns,
		.last_ns = series->last_ns,
		.nunits = series->nunits,
		.unit_cells = series->unit_cells,
		.nthresholds = series->nthresholds,
		.has_latency = series->has_latency,
		.outstanding = series->has_latency ? QOS_BY_LATENCY : QOS_UNKNOWN,
	};
	memcpy(ret_run->thresholds_ns, series->thresholds_ns, sizeof(series->thresholds_ns));
	series_range(series, &ret_run->range);
	for (unsigned d = 0; d < SERIES_DIRS; d++) {
		const struct series_part *part = &series->part[d];

		if (!part->cells)
			continue;
		ret_run->part[d] = (struct qos_part){.cells = part->cells,
						     .hist = &part->hist,
						     .units = part->units,
						     .sums = part->sums,
						     .bytes = part->bytes,
						     .over = part->over};
	}
}

const char *qos_dir_name(enum series_dir dir)
{
	static const char *const names[] = {
		[SERIES_READ] = "read",
		[SERIES_WRITE] = "write",
		[SERIES_TRIM] = "trim",
		[SERIES_ALL] = "all",
	};

	return names[dir];
}

double qos_level_of(const struct qos_run *run, const struct series_cell *cell)
{
	double per_s = (double)NS_PER_S / (double)run->interval_ns;

	switch (run->level) {
	case QOS_COMPLETIONS:
		break;
	case QOS_BANDWIDTH:
		return (double)cell->bytes * per_s;
	case QOS_MEAN_LATENCY:
		return series_cell_mean_ns(cell);
	}
	return (double)cell->count * per_s;
}

const char *qos_level_unit(const struct qos_run *run)
{
	static const char *const units[] = {
		[QOS_COMPLETIONS] = "IOPS", [QOS_BANDWIDTH] = "B/s", [QOS_MEAN_LATENCY] = "ns"};

	return units[run->level];
}

enum empty { EMPTY_NOT, EMPTY_ZERO, EMPTY_IDLE, EMPTY_UNTOLD };

static bool is_lost(const struct qos_run *run, unsigned at)
{
	uint64_t begin_ns = at * run->interval_ns;

	for (unsigned i = 0; i < run->nlost; i++)
		if (run->lost[i].begin_ns < begin_ns + run->interval_ns &&
		    run->lost[i].end_ns >= begin_ns)
			return true;
	return false;
}

static enum empty cell_empty(const struct qos_run *run, const struct series_cell *cell,
			     unsigned at)
{
	if (cell->count)
		return EMPTY_NOT;
	if (is_lost(run, at))
		return EMPTY_UNTOLD;
	switch (run->outstanding) {
	case QOS_ALWAYS:
		return EMPTY_ZERO;
	case QOS_UNKNOWN:
		return EMPTY_UNTOLD;
	case QOS_BY_LATENCY:
		break;
	}
	if (run->last_ns && at * run->interval_ns >= run->last_ns)
		return EMPTY_UNTOLD;
	/* What was in flight in an empty interval was so until its end: the earliest start says
	 * for how long. */
	return cell->waiting_since_ns <= at * run->interval_ns + run->interval_ns / 2
		       ? EMPTY_ZERO
		       : EMPTY_IDLE;
}

/* From the completion before the empty interval `at` to the one after the interval `last`. */
static void gap_around(const struct qos_run *run, const struct series_cell *cells, unsigned at,
		       unsigned last, struct qos_span *ret_span)
{
	ret_span->begin_ns = at * run->interval_ns;
	ret_span->end_ns = (last + 1) * run->interval_ns;
	ret_span->max_ns = 0;
	ret_span->count = last + 1 - at;
	if (at && cells[at - 1].last_ns)
		ret_span->begin_ns = cells[at - 1].last_ns;
	if (last + 1 < run->range.end + run->range.partial_last && cells[last + 1].count &&
	    cells[last + 1].first_ns)
		ret_span->end_ns = cells[last + 1].first_ns;
}

/* Calls `span` for each run of neighbouring intervals of which `is` says yes. */
typedef bool (*cell_test)(const struct qos_run *run, const struct series_cell *cell,
			  unsigned at, double argument);

static unsigned run_end(const struct qos_run *run, const struct series_cell *cells, unsigned at,
			cell_test is, double argument)
{
	while (at < run->range.end && is(run, &cells[at], at, argument))
		at++;
	return at;
}

static bool is_zero(const struct qos_run *run, const struct series_cell *cell, unsigned at,
		    double argument)
{
	enum empty empty = cell_empty(run, cell, at);

	(void)argument;
	return empty == EMPTY_ZERO || empty == EMPTY_UNTOLD;
}

static bool is_beyond(const struct qos_run *run, const struct series_cell *cell, unsigned at,
		      double argument)
{
	(void)run, (void)at;
	return cell->count && (double)cell->max_ns > argument;
}

static void zeros_of(const struct qos_run *run, const struct series_cell *cells,
		     struct qos_zeros *ret_zeros)
{
	struct qos_zeros zeros = {0};
	struct qos_span span;

	for (unsigned i = run->range.first; i < run->range.end; i++) {
		switch (cell_empty(run, &cells[i], i)) {
		case EMPTY_NOT:
			continue;
		case EMPTY_IDLE:
			zeros.idle++;
			continue;
		case EMPTY_UNTOLD:
			zeros.untold++;
			continue;
		case EMPTY_ZERO:
			break;
		}
		zeros.count++;
	}
	for (unsigned i = run->range.first; i < run->range.end;) {
		unsigned end = run_end(run, cells, i, is_zero, 0);

		if (end > i) {
			gap_around(run, cells, i, end - 1, &span);
			zeros.longest_ns =
				max_u64(zeros.longest_ns, span.end_ns - span.begin_ns);
		}
		i = end + 1;
	}
	*ret_zeros = zeros;
}

static double scatter_of(const struct qos_run *run, const struct series_cell *cells,
			 struct arena *scratch)
{
	unsigned n = 0, room = run->range.end - run->range.first, last;
	double middle, *maxima = arena_array(scratch, double, max_u64(room, 1));

	for (unsigned i = run->range.first; i < run->range.end; i++) {
		if (cells[i].count)
			maxima[n++] = (double)cells[i].max_ns;
	}
	if (!n || !run->has_latency)
		return (double)NAN;
	last = n - 1;
	middle = fmax(select_nth(maxima, n, last / 2), 1);
	return select_nth(maxima, n, last - last / 100) / middle;
}

static void facts_of(const struct qos_run *run, const struct series_cell *cells,
		     struct qos_facts *facts, struct arena *arena)
{
	unsigned n = run->range.end - run->range.first;
	double *values = arena_array(arena, double, max_u64(n, 1));
	struct change changes[CHANGE_MAX];

	zeros_of(run, cells, &facts->zeros);
	facts->worst = run->range.first;
	for (unsigned i = 0; i < n; i++) {
		unsigned at = run->range.first + i;

		values[i] = qos_level_of(run, &cells[at]);
		if (cells[at].max_ns > cells[facts->worst].max_ns)
			facts->worst = at;
	}
	facts->even = evenness_of(values, n, arena);
	facts->trend = trend_of(values, n, arena);
	facts->scatter = scatter_of(run, cells, arena);
	facts->nchanges =
		change_find(values, n, fmin(facts->even.dependence, TREND_DEPENDENCE_MAX),
			    CHANGE_LEAST, changes, arena);
	for (unsigned i = 0; i < facts->nchanges; i++)
		facts->changes[i] = (struct qos_change){
			.at_ns = (run->range.first + changes[i].at) * run->interval_ns,
			.before = changes[i].before,
			.after = changes[i].after,
		};
}

void qos_init(struct qos *qos, const struct qos_run *run, struct arena *arena)
{
	_Static_assert(ARRAY_SIZE(qos->facts[0].changes) == CHANGE_MAX, "one size");
	*qos = (struct qos){.run = run};
	for (unsigned d = 0; d < SERIES_DIRS; d++) {
		struct arena scratch;

		if (!run->part[d].cells)
			continue;
		arena_init(&scratch);
		facts_of(run, run->part[d].cells, &qos->facts[d], &scratch);
		arena_done(&scratch);
	}
	(void)arena;
}

double qos_count_over(const struct qos_run *run, enum series_dir dir, double latency_ns)
{
	const struct qos_part *part = &run->part[dir];

	for (unsigned i = 0; i < run->nthresholds && part->over; i++) {
		if ((double)run->thresholds_ns[i] == latency_ns)
			return (double)part->over[i];
	}
	if (!part->hist || latency_ns >= (double)part->sums.max_ns)
		return 0;
	return hist_count_above(part->hist, (uint64_t)fmax(latency_ns, 0));
}

struct qos_bursts qos_bursts(const struct qos_run *run, enum series_dir dir, double latency_ns)
{
	const struct series_cell *cells = run->part[dir].cells;
	unsigned end = run->range.end + run->range.partial_last, length = 0, threshold = 0;
	struct qos_bursts bursts = {0};
	uint64_t sum = 0;

	while (threshold < run->nthresholds &&
	       (double)run->thresholds_ns[threshold] != latency_ns)
		threshold++;
	for (unsigned i = run->range.first - run->range.partial_first; cells && i < end; i++) {
		if (!is_beyond(run, &cells[i], i, latency_ns)) {
			/* A stall leaves empty intervals before its late completion: they do
			 * not cut a burst in two. */
			if (cells[i].count)
				length = 0;
			continue;
		}
		if (!length++) {
			bursts.count++;
			sum = 0;
		}
		sum += threshold < run->nthresholds ? cells[i].over[threshold] : 1;
		bursts.longest_intervals = (unsigned)max_u64(bursts.longest_intervals, length);
		bursts.most = max_u64(bursts.most, sum);
	}
	return bursts;
}

static int worse(const void *a, const void *b)
{
	const struct qos_span *x = a, *y = b;

	if (x->max_ns != y->max_ns)
		return x->max_ns < y->max_ns ? 1 : -1;
	if (x->end_ns - x->begin_ns != y->end_ns - y->begin_ns)
		return x->end_ns - x->begin_ns < y->end_ns - y->begin_ns ? 1 : -1;
	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Keeps the `room` worst of what it is given, in a heap of no particular order. */
static void keep(struct qos_span *spans, unsigned *count, unsigned room,
		 const struct qos_span *span)
{
	unsigned least = 0;

	if (*count < room) {
		spans[(*count)++] = *span;
		return;
	}
	for (unsigned i = 1; i < room; i++) {
		if (worse(&spans[i], &spans[least]) > 0)
			least = i;
	}
	if (room && worse(span, &spans[least]) < 0)
		spans[least] = *span;
}

static void sum_up(const struct qos_run *run, const struct series_cell *cells, unsigned at,
		   unsigned end, struct qos_span *ret_span)
{
	*ret_span = (struct qos_span){.begin_ns = at * run->interval_ns,
				      .end_ns = end * run->interval_ns,
				      .count = end - at};
	for (unsigned i = at; i < end; i++)
		ret_span->max_ns = max_u64(ret_span->max_ns, cells[i].max_ns);
}

unsigned qos_concerned(const struct qos_run *run, const struct check_comparison *comparison,
		       struct qos_span *ret_spans, unsigned room, unsigned *ret_total)
{
	struct qos_subject subject = qos_subject(&comparison->left.figure);
	const struct series_cell *cells = run->part[subject.dir].cells;
	double limit =
		isnan(subject.argument) ? comparison->right.value.value : subject.argument;
	cell_test is = subject.kind == QOS_ZEROS ? is_zero : is_beyond;
	unsigned count = 0;

	*ret_total = 0;
	if (!cells || subject.kind == QOS_OTHER || !*comparison->left.figure.name)
		return 0;
	if (subject.kind != QOS_ZEROS && !run->has_latency)
		return 0;
	for (unsigned i = run->range.first; i < run->range.end;) {
		unsigned end = run_end(run, cells, i, is, limit);
		struct qos_span span;

		if (end > i) {
			if (subject.kind == QOS_ZEROS)
				gap_around(run, cells, i, end - 1, &span);
			else
				sum_up(run, cells, i, end, &span);
			keep(ret_spans, &count, room, &span);
			++*ret_total;
		}
		i = end + 1;
	}
	if (count) /* ret_spans may be NULL where nobody wants any */
		qsort(ret_spans, count, sizeof(*ret_spans), worse);
	return count;
}
