/* The panels of a plot, and what they share. */
#pragma once

#include "report/axes.h"
#include "report/plot.h"

/* Values that all logs share, so that panels can be compared by eye. */
struct plot_ranges {
	double begin_s, end_s;
	double low_ns, high_ns;
	double iops;
	double nines; /* the last that any log's samples support */
	double share; /* of the histogram's fullest row, in percent */
	bool latency;
};
void plot_ranges(const struct plot *plot, struct plot_ranges *ret_ranges);

struct panel {
	struct axes axes;
	const struct plot *plot;
	const struct plot_log *log;
	const struct plot_ranges *ranges;
};

typedef void panel_draw(struct panel *panel);
panel_draw panel_latency, panel_iops, panel_percentiles, panel_histogram;

/* Histogram rows of an eighth of an octave. */
void plot_rows(const struct hist *hist, double *ret_share /* DENSITY_ROWS */);
/* Nines that `total` samples support. */
double plot_nines(uint64_t total);
enum ink plot_dir_ink(enum series_dir dir);
enum dash plot_dir_dash(enum series_dir dir);
