/* The panels of a plot, and what they share. */
#pragma once

#include "base/arena.h"
#include "report/plot.h"
#include "report/scale.h"

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
	struct canvas *canvas;
	const struct plot *plot;
	const struct plot_log *log;
	const struct plot_ranges *ranges;
	struct box box; /* of the plot area; words stand outside */
	struct scale x, y;
	struct arena *arena;
};

typedef void panel_draw(struct panel *panel);
panel_draw panel_latency, panel_iops, panel_percentiles, panel_histogram;

/* Frame, grid, ticks and captions by panel->x and panel->y; then the lines may be drawn. */
void panel_axes(struct panel *panel, const char *title, const char *x_words,
		const char *y_words);
/* A key at the upper edge; entries stand side by side. */
struct panel_key {
	const char *text;
	struct stroke stroke;
};
void panel_keys(struct panel *panel, const struct panel_key *keys, unsigned count);

/* Histogram rows of an eighth of an octave. */
void plot_rows(const struct hist *hist, double *ret_share /* DENSITY_ROWS */);
/* Nines that `total` samples support. */
double plot_nines(uint64_t total);
enum ink plot_dir_ink(enum series_dir dir);
enum dash plot_dir_dash(enum series_dir dir);
