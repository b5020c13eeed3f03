/*
 * The pictures of one run or log (stat/qos.h), as graphs for a document: rates and latencies over
 * time, where in time by how long requests took, percentiles, histogram, exceedance, the rate over
 * what was written. A graph whose data do not exist is left out.
 */
#pragma once

#include "report/document.h"
#include "stat/closeup.h"
#include "stat/density.h"
#include "stat/qos.h"
#include "stat/slowest.h"

/* Values that several runs share, so that they can be compared by eye. */
struct qos_ranges {
	double begin_s, end_s;
	double low_ns, high_ns; /* 0: no latency */
	double iops, mb_s;
};
void qos_ranges_init(struct qos_ranges *ranges);
void qos_ranges_add(struct qos_ranges *ranges, const struct qos_run *run);

/* A sentence that belongs beside one graph. */
struct graph_remark {
	const char *graph; /* its id without the prefix: "iops" */
	const char *text;
};

#define QOS_GRAPHS_LIMITS_MAX 4
struct qos_graphs {
	const struct qos_run *run;
	const struct qos_ranges *ranges;
	/* Of each direction, or of all; NULL: not known. */
	const struct density *density[SERIES_DIRS];
	const struct closeup *closeup;		   /* NULL: none */
	uint64_t limits_ns[QOS_GRAPHS_LIMITS_MAX]; /* lines across the latencies */
	unsigned nlimits;
	const char *prefix; /* of the ids: "" or "b-" */
	const char *mark;   /* behind titles: "simulated"; NULL: none */
	const struct graph_remark *remarks;
	unsigned nremarks;
};

void qos_graphs(struct document *doc, const struct qos_graphs *graphs);

/* The percentile curve of a part that has latencies, in nines, to the last that ten requests lie
 * beyond. */
#define QOS_CURVE_POINTS 201
void qos_curve(const struct qos_part *part, double *ret_nines, double *ret_ns);

/* The intervals with the slowest requests, at most `most`; their times lead to the graphs. */
void qos_worst_table(struct document *doc, const struct qos_graphs *graphs, unsigned most);
/* The slowest requests, at most `most`, where each is known; their times lead to the graphs
 * likewise. */
void qos_slowest_table(struct document *doc, const struct qos_graphs *graphs,
		       const struct slowest *slowest, unsigned most);
/* Percentiles with their bounds and sample counts, a row each. */
void qos_percentile_table(struct document *doc, const struct qos_run *run);
