/*
 * Close-ups as a graph's finer values: windows of 10 ms bins, and a line's value in each
 * bin. A bin that the measurement fills only in part is unknown, one without completions has
 * a rate of zero and no latency.
 */
#pragma once

#include "report/graph.h"
#include "stat/closeup.h"
#include "stat/qos.h"

enum closeup_value { CLOSEUP_IOPS, CLOSEUP_MB_S, CLOSEUP_MIN_NS, CLOSEUP_MAX_NS };

/* What is drawn of a run: what is shown and lies in its intervals. */
struct closeup_view {
	const struct closeup *closeup;
	const struct qos_run *run;
	uint64_t seconds[CLOSEUP_SHOWN];
	unsigned count;
};
void closeup_view_init(struct closeup_view *view, const struct closeup *closeup,
		       const struct qos_run *run);

void closeup_windows(const struct closeup_view *view, struct graph *graph, struct arena *arena);
/* For graph_line.fine. */
const double *closeup_line(const struct closeup_view *view, enum series_dir dir,
			   enum closeup_value what, struct arena *arena);
