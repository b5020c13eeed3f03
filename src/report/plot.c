#include "report/plot.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "report/plot_priv.h"
#include "report/svg.h"

/* Pixels. */
#define PANEL_WIDTH_ONE	 920.0
#define PANEL_WIDTH_MANY 500.0
#define PANEL_HEIGHT	 230.0
#define MARGIN_LEFT	 76.0
#define MARGIN_RIGHT	 34.0
#define MARGIN_TOP	 52.0
#define MARGIN_BOTTOM	 44.0
#define TITLE_HEIGHT	 40.0
#define COLUMNS_MAX	 3

static panel_draw *const panels[] = {panel_latency, panel_iops, panel_percentiles,
				     panel_histogram};

static unsigned columns_of(const struct plot *plot)
{
	return (unsigned)min_u64(plot->nlogs, COLUMNS_MAX);
}

static unsigned bands_of(const struct plot *plot)
{
	return (plot->nlogs + COLUMNS_MAX - 1) / COLUMNS_MAX;
}

static double panel_width(const struct plot *plot)
{
	return plot->nlogs > 1 ? PANEL_WIDTH_MANY : PANEL_WIDTH_ONE;
}

static bool has_latency(const struct plot *plot)
{
	for (unsigned i = 0; i < plot->nlogs; i++) {
		if (plot->logs[i].run->has_latency)
			return true;
	}
	return false;
}

static unsigned panels_of(const struct plot *plot)
{
	return has_latency(plot) ? ARRAY_SIZE(panels) : 1;
}

struct plot_size plot_size(const struct plot *plot)
{
	return (struct plot_size){
		.width = columns_of(plot) * panel_width(plot),
		.height = TITLE_HEIGHT + bands_of(plot) * panels_of(plot) *
						 (PANEL_HEIGHT + MARGIN_TOP + MARGIN_BOTTOM)};
}

void plot_draw(const struct plot *plot, struct canvas *canvas)
{
	const struct lettering title = {.ink = INK_TEXT, .size = 17, .bold = true};
	double width = panel_width(plot), y = TITLE_HEIGHT;
	double height = PANEL_HEIGHT + MARGIN_TOP + MARGIN_BOTTOM;
	bool latency = has_latency(plot);
	struct plot_ranges ranges;

	plot_ranges(plot, &ranges);
	canvas->ops->text(canvas, &(struct point){MARGIN_LEFT, 27}, &title, plot->title);
	for (unsigned p = 0; p < ARRAY_SIZE(panels); p++) {
		if (!latency && panels[p] != panel_iops)
			continue;
		for (unsigned i = 0; i < plot->nlogs; i++) {
			unsigned column = i % COLUMNS_MAX, band = i / COLUMNS_MAX;
			struct arena arena;
			struct panel panel = {
				.axes = {.canvas = canvas,
					 .box = {column * width + MARGIN_LEFT,
						 y + band * height + MARGIN_TOP,
						 width - MARGIN_LEFT - MARGIN_RIGHT,
						 PANEL_HEIGHT},
					 .arena = &arena},
				.plot = plot,
				.log = &plot->logs[i],
				.ranges = &ranges};

			arena_init(&arena);
			panels[p](&panel);
			arena_done(&arena);
		}
		y += bands_of(plot) * height;
	}
}

void plot_svg(const struct plot *plot, struct str *out)
{
	struct plot_size size = plot_size(plot);
	struct svg svg;

	svg_begin(&svg, size.width, size.height, plot->title, out);
	plot_draw(plot, &svg.canvas);
	svg_end(&svg);
}

void plot_html(const struct plot *plot, struct str *out)
{
	str_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width\">\n"
		     "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
	svg_escape(plot->title, out);
	str_add(out, "</title>\n<style>body{margin:0 auto;max-width:1500px}"
		     "svg{max-width:100%;height:auto;display:block;margin:auto}"
		     "@media (prefers-color-scheme:dark){body{background:#14171a}}"
		     "</style></head>\n<body>\n");
	plot_svg(plot, out);
	str_add(out, "</body></html>\n");
}

double plot_nines(uint64_t total)
{
	return total > HIST_NEEDS_ABOVE ? log10((double)total / HIST_NEEDS_ABOVE) : 0;
}

void plot_rows(const struct hist *hist, double *ret_share)
{
	double total = (double)max_u64(hist_total(hist), 1);

	for (unsigned r = 0; r < DENSITY_ROWS; r++) {
		uint64_t sum = 0;

		for (unsigned i = 0; i < DENSITY_BUCKETS_PER_ROW; i++)
			sum += hist->count[r * DENSITY_BUCKETS_PER_ROW + i];
		ret_share[r] = 100 * (double)sum / total;
	}
}

static void widen_by_latency(const struct plot_log *log, struct plot_ranges *ranges)
{
	for (unsigned d = 0; d < SERIES_DIRS; d++) {
		const struct qos_part *part = &log->run->part[d];
		double share[DENSITY_ROWS];

		if (!part->cells || !part->sums.total || !log->run->has_latency)
			continue;
		ranges->latency = true;
		ranges->low_ns = fmin(ranges->low_ns, fmax((double)part->sums.min_ns, 1));
		ranges->high_ns = fmax(ranges->high_ns, (double)part->sums.max_ns);
		ranges->nines = fmax(ranges->nines, plot_nines(part->sums.total));
		plot_rows(part->hist, share);
		for (unsigned r = 0; r < DENSITY_ROWS && d != SERIES_ALL; r++)
			ranges->share = fmax(ranges->share, share[r]);
	}
}

void plot_ranges(const struct plot *plot, struct plot_ranges *ret_ranges)
{
	struct plot_ranges ranges = {.begin_s = (double)INFINITY, .low_ns = (double)INFINITY};

	for (unsigned i = 0; i < plot->nlogs; i++) {
		const struct plot_log *log = &plot->logs[i];
		const struct qos_run *run = log->run;
		const struct series_cell *cells = run->part[SERIES_ALL].cells;

		ranges.begin_s = fmin(ranges.begin_s, (double)run->begin_ns / 1e9);
		ranges.end_s = fmax(ranges.end_s, (double)run->end_ns / 1e9);
		for (unsigned c = run->range.first; cells && c < run->range.end; c++)
			ranges.iops = fmax(ranges.iops, qos_level_of(run, &cells[c]));
		widen_by_latency(log, &ranges);
	}
	if (ranges.begin_s < 0.1 * ranges.end_s)
		ranges.begin_s = 0;
	for (unsigned i = 0; i < plot->nlimits && ranges.latency; i++)
		ranges.high_ns = fmax(ranges.high_ns, 1.3 * (double)plot->limits_ns[i]);
	*ret_ranges = ranges;
}

enum ink plot_dir_ink(enum series_dir dir)
{
	static const enum ink inks[] = {
		[SERIES_READ] = INK_BLUE,
		[SERIES_WRITE] = INK_RED,
		[SERIES_TRIM] = INK_GREEN,
		[SERIES_ALL] = INK_TEXT,
	};

	return inks[dir];
}

enum dash plot_dir_dash(enum series_dir dir)
{
	static const enum dash dashes[] = {
		[SERIES_READ] = DASH_SOLID,
		[SERIES_WRITE] = DASH_LONG,
		[SERIES_TRIM] = DASH_SHORT,
		[SERIES_ALL] = DASH_SOLID,
	};

	return dashes[dir];
}
