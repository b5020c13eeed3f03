/*
 * Runs or logs of several drives against each other: every interval as a dot, a picture a drive
 * beside the others on equal axes; the percentile curves of all in one graph; and for two of them
 * the ratio of B's latency to A's at each percentile (the shift function), where an overlay hides
 * what differs by little.
 */
#pragma once

#include "report/qos_graphs.h"

struct pair_side {
	const char *name; /* "A", "a.log" */
	const struct qos_run *run;
};

/* `ranges` are those of all sides together. */
void pair_graphs(struct document *doc, const struct pair_side *sides, unsigned nsides,
		 const struct qos_ranges *ranges);
