/*
 * Quality of service of one run, as figures that a check can ask for. The math is pure: it
 * reads the const arrays of a struct qos_run, whether a log filled them (series.h) or a live
 * run did (its rows).
 *
 * Intervals are the cells [range.first, range.end); a first and last one that the measurement
 * fills only in part are left out of everything that is said of intervals, and in everything
 * that is said of requests.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "stat/check.h"
#include "stat/series.h"
#include "stat/trend.h"

enum qos_outstanding {
	QOS_BY_LATENCY, /* the cells say since when a request was in flight; of a run whose jobs
			 * keep their depth filled, whether one ran */
	QOS_ALWAYS,	/* who reads a log says so */
	QOS_UNKNOWN,
};

/* What the level of an interval is: a windowed log holds one figure, and no other. */
enum qos_level {
	QOS_COMPLETIONS,  /* a second; bytes may be unknown */
	QOS_BANDWIDTH,	  /* bytes a second; how many requests there were is not known */
	QOS_MEAN_LATENCY, /* nothing else is known */
};

struct qos_part {
	const struct series_cell *cells; /* NULL: nothing of this direction */
	const struct hist *hist;
	const struct hist *units; /* may be NULL: then bounds take requests as independent */
	struct hist_sums sums;
	uint64_t bytes;
	const uint64_t *over; /* the run's, by threshold; NULL: counted from the histogram */
};

/* Neighbouring intervals that a rule is about. */
struct qos_span {
	uint64_t begin_ns, end_ns;
	uint64_t max_ns; /* the greatest latency inside; 0 where nothing completed */
	uint64_t count;	 /* what was counted in it: requests, or intervals for zeros */
};

struct qos_run {
	struct qos_part part[SERIES_DIRS];
	uint64_t interval_ns, begin_ns, end_ns;
	struct series_range range;
	unsigned nunits, unit_cells; /* of qos_part.units; intervals a unit */
	uint64_t thresholds_ns[SERIES_THRESHOLDS_MAX];
	unsigned nthresholds;
	bool has_latency;
	bool windowed; /* of a windowed log: `level` is all that it tells */
	enum qos_level level;
	enum qos_outstanding outstanding;
	/* The last completion: requests that never completed tell nothing of the intervals after
	 * it; 0: not known, and no matter. */
	uint64_t last_ns;
	/* Stretches of which the samples are lost: what is missing there, nobody knows. */
	const struct qos_span *lost;
	unsigned nlost;
	const char *why_no_latency; /* "a log of IOPS holds no latencies"; may be NULL */
};

/* A view of a finished series, which must outlive it. */
void qos_from_series(const struct series *series, struct qos_run *ret_run);

/* Intervals without completions of a direction. */
struct qos_zeros {
	unsigned count;	     /* while work was outstanding for half of the interval at least */
	unsigned idle;	     /* with nothing outstanding: no fault */
	unsigned untold;     /* nobody knows whether work was outstanding */
	uint64_t longest_ns; /* from the completion before to the one after; 0: none */
};

/* Everything that is said of the intervals of one direction. */
struct qos_facts {
	struct qos_zeros zeros;
	struct evenness even; /* of the completions of each interval */
	struct trend trend;   /* of the same */
	unsigned nchanges;
	struct qos_change {
		uint64_t at_ns;
		double before, after; /* completions per second */
	} changes[32];
	double scatter; /* p99 / p50 of the intervals' maxima; NAN: no latency */
	unsigned worst; /* the interval with the greatest latency */
};

/* The context of the figures; the arena holds what is computed once. */
struct qos {
	const struct qos_run *run;
	struct qos_facts facts[SERIES_DIRS];
	/* "spec.iops" and the like: names without the prefix. */
	const struct qos_spec {
		const char *name;
		struct check_value value;
	} * specs;
	unsigned nspecs;
};

void qos_init(struct qos *qos, const struct qos_run *run, struct arena *arena);

/* The figures of doc/checks.md. */
void qos_figures(struct qos *qos, struct check_figures *ret_figures);

/* The name, the direction and the argument of a figure told apart: for what stands beside a
 * rule. */
enum qos_kind {
	QOS_PERCENTILE,
	QOS_EXTREME, /* min, max */
	QOS_ZEROS,
	QOS_WITHIN, /* share of intervals whose maximum is within the argument */
	QOS_OVER,   /* requests above the argument */
	QOS_OTHER,
};
struct qos_subject {
	enum qos_kind kind;
	enum series_dir dir;
	double argument;
};
struct qos_subject qos_subject(const struct check_figure *figure);

/* The spans that a comparison is about, worst first, at most `room`; *ret_total says how many
 * there are in all. `limit` is the comparison's right side. */
unsigned qos_concerned(const struct qos_run *run, const struct check_comparison *comparison,
		       struct qos_span *ret_spans, unsigned room, unsigned *ret_total);

/* Requests above a latency: exact for the thresholds, else from the histogram. */
double qos_count_over(const struct qos_run *run, enum series_dir dir, double latency_ns);

/* Runs of neighbouring intervals that hold requests above a latency. */
struct qos_bursts {
	unsigned count, longest_intervals;
	uint64_t most; /* requests in the largest one */
};
struct qos_bursts qos_bursts(const struct qos_run *run, enum series_dir dir, double latency_ns);

/* A percentile with its bounds: order statistics, widened where the run's parts differ by more
 * than independent requests would (doc/checks.md). */
void qos_percentile(const struct qos_run *run, enum series_dir dir, double percent,
		    struct check_value *ret_value);

/* The level of an interval, and its unit: "IOPS", "B/s", "ns". */
double qos_level_of(const struct qos_run *run, const struct series_cell *cell);
const char *qos_level_unit(const struct qos_run *run);

const char *qos_dir_name(enum series_dir dir);
