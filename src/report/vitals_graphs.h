/*
 * How the machine and the drives fared, below the rates and on the same time: temperatures,
 * power states, power, CPU use, interrupts, clock rates, each a graph where anything is
 * known of it. CPUs have a line each where they are few; in a run of hours all of them and
 * the busiest one.
 */
#pragma once

#include "report/document.h"
#include "result/result.h"

struct vitals_view {
	const struct vitals *vitals;
	double begin_s, end_s; /* of the time axis */
	const char *prefix;    /* of the ids: "" or "part2-" */
	bool simulated;
	const char *axis; /* as a graph's; NULL */
	double joined_s; /* two values are the least and the greatest of so many; 0: each is one */
};
void vitals_graphs(struct document *doc, const struct vitals_view *view);
