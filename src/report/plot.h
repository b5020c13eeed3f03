/*
 * The pictures of logs: latency over time as a density image under bands of minimum, median,
 * p99 and maximum, with the policy's limits; IOPS over time with the empty intervals marked;
 * the percentile curve to the last nine that the samples support; the histogram. Several logs
 * are small multiples with the same axes.
 *
 * Where a pixel holds several intervals, bands show the whole range of their values: nothing is
 * averaged away.
 */
#pragma once

#include "report/canvas.h"
#include "stat/density.h"
#include "stat/qos.h"

#define PLOT_LOGS_MAX	16
#define PLOT_LIMITS_MAX 4

struct plot_log {
	const char *name;
	const struct qos_run *run;
	const struct qos_facts *facts; /* SERIES_DIRS of them */
	const struct density *density; /* NULL: no latencies */
};

struct plot {
	const char *title;
	const struct plot_log *logs;
	unsigned nlogs;
	uint64_t limits_ns[PLOT_LIMITS_MAX]; /* lines across the latencies */
	unsigned nlimits;
};

struct plot_size {
	double width, height;
};
struct plot_size plot_size(const struct plot *plot);
void plot_draw(const struct plot *plot, struct canvas *canvas);

/* A whole file each. */
void plot_svg(const struct plot *plot, struct str *out);
void plot_html(const struct plot *plot, struct str *out);
/* For a terminal of `columns`; shades where UTF-8 can be shown, else characters of ASCII. */
void plot_text(const struct plot *plot, unsigned columns, bool utf8, struct str *out);
