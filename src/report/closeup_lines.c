#include "report/closeup_lines.h"

#include <math.h>

void closeup_view_init(struct closeup_view *view, const struct closeup *closeup,
		       const struct qos_run *run)
{
	uint64_t begin_ns = run->range.first * run->interval_ns;
	uint64_t end_ns = run->range.end * run->interval_ns, seconds[CLOSEUP_SHOWN];
	unsigned count;

	*view = (struct closeup_view){.closeup = closeup, .run = run};
	if (!closeup || run->interval_ns <= CLOSEUP_BIN_NS)
		return;
	count = closeup_shown(closeup, seconds);
	for (unsigned i = 0; i < count; i++) {
		if (seconds[i] * NS_PER_S >= begin_ns && (seconds[i] + 1) * NS_PER_S <= end_ns)
			view->seconds[view->count++] = seconds[i];
	}
}

void closeup_windows(const struct closeup_view *view, struct graph *graph, struct arena *arena)
{
	struct graph_window *windows = arena_array(arena, struct graph_window, view->count + 1);
	unsigned count = 0;

	for (unsigned i = 0; i < view->count; i++) {
		if (i && view->seconds[i] == view->seconds[i - 1] + 1)
			windows[count - 1].count += CLOSEUP_BINS;
		else
			windows[count++] =
				(struct graph_window){(double)view->seconds[i], CLOSEUP_BINS};
	}
	graph->windows = windows;
	graph->nwindows = count;
	graph->fine_step = CLOSEUP_BIN_NS / 1e9;
}

static double value_of(const struct closeup_bin *bin, enum closeup_value what)
{
	double per_s = (double)NS_PER_S / CLOSEUP_BIN_NS;

	switch (what) {
	case CLOSEUP_IOPS:
		return (double)bin->count * per_s;
	case CLOSEUP_MB_S:
		return (double)bin->bytes * per_s / 1e6;
	case CLOSEUP_MIN_NS:
		return bin->count ? (double)bin->min_ns : (double)NAN;
	case CLOSEUP_MAX_NS:
		return bin->count ? (double)bin->max_ns : (double)NAN;
	}
	return (double)NAN;
}

const double *closeup_line(const struct closeup_view *view, enum series_dir dir,
			   enum closeup_value what, struct arena *arena)
{
	static const struct closeup_bin empty;
	double *y;
	unsigned at = 0;

	if (!view->count)
		return NULL;
	y = arena_array(arena, double, view->count *(size_t)CLOSEUP_BINS);
	for (unsigned i = 0; i < view->count; i++) {
		const struct closeup_second *one =
			closeup_find(view->closeup, view->seconds[i]);

		for (unsigned b = 0; b < CLOSEUP_BINS; b++) {
			uint64_t from_ns = view->seconds[i] * NS_PER_S + b * CLOSEUP_BIN_NS;
			bool is_whole = from_ns >= view->run->begin_ns &&
					from_ns + CLOSEUP_BIN_NS <= view->run->end_ns;

			y[at++] = is_whole ? value_of(one ? &one->bin[b][dir] : &empty, what)
					   : (double)NAN;
		}
	}
	return y;
}
