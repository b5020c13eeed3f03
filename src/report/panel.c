/* One panel of a plot: frame, axes, key, and the four kinds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/quantity.h"
#include "report/plot_priv.h"

#define TICKS_Y		  5
#define PIXELS_PER_TICK_X 90

static void caption(struct panel *panel, double x, double y, const struct lettering *lettering,
		    const char *text)
{
	panel->canvas->ops->text(panel->canvas, &(struct point){x, y}, lettering, text);
}

static void segment(struct panel *panel, struct point from, struct point to,
		    const struct stroke *stroke)
{
	const struct point points[] = {from, to};

	panel->canvas->ops->line(panel->canvas, points, 2, stroke);
}

static void axis_x(struct panel *panel, const char *name)
{
	const struct lettering small = {.ink = INK_MUTED, .size = 12, .anchor = ANCHOR_MIDDLE};
	const struct stroke grid = {INK_GRID, 1, DASH_SOLID};
	struct scale_tick ticks[SCALE_TICKS_MAX];
	double bottom = panel->box.y + panel->box.height;
	unsigned count =
		scale_ticks(&panel->x, (unsigned)(panel->box.width / PIXELS_PER_TICK_X), ticks);

	for (unsigned i = 0; i < count; i++) {
		double x = scale_pixel(&panel->x, ticks[i].value);

		segment(panel, (struct point){x, panel->box.y}, (struct point){x, bottom},
			&grid);
		caption(panel, x, bottom + 16, &small, ticks[i].text);
	}
	caption(panel, panel->box.x + panel->box.width / 2, bottom + 34, &small, name);
}

static void axis_y(struct panel *panel, const char *name)
{
	const struct lettering small = {.ink = INK_MUTED, .size = 12, .anchor = ANCHOR_END};
	const struct lettering up = {
		.ink = INK_MUTED, .size = 12, .anchor = ANCHOR_MIDDLE, .upright = true};
	const struct stroke grid = {INK_GRID, 1, DASH_SOLID};
	struct scale_tick ticks[SCALE_TICKS_MAX];
	unsigned count = scale_ticks(&panel->y, TICKS_Y, ticks);

	for (unsigned i = 0; i < count; i++) {
		double y = scale_pixel(&panel->y, ticks[i].value);

		segment(panel, (struct point){panel->box.x, y},
			(struct point){panel->box.x + panel->box.width, y}, &grid);
		caption(panel, panel->box.x - 8, y + 4, &small, ticks[i].text);
	}
	caption(panel, panel->box.x - 60, panel->box.y + panel->box.height / 2, &up, name);
}

/* To `columns` code points; the end of a name tells more than its middle. */
static void shorten(struct str *text, unsigned columns)
{
	size_t at = text->length, keep = 0;

	if (str_columns(str_text(text)) <= columns)
		return;
	while (at && keep < columns / 2)
		keep += (text->text[--at] & 0xc0) != 0x80;
	for (size_t i = 0; i < at; i++) {
		if ((text->text[i] & 0xc0) == 0x80 || ++keep < columns)
			continue;
		autostr tail = {0};

		str_add(&tail, text->text + at);
		text->text[i] = '\0';
		text->length = i;
		str_printf(text, "…%s", str_text(&tail));
		return;
	}
}

void panel_axes(struct panel *panel, const char *title, const char *x_words,
		const char *y_words)
{
	const struct lettering head = {.ink = INK_TEXT, .size = 13.5, .bold = true};
	unsigned fit = (unsigned)(panel->box.width / 8.2);
	autostr text = {0};

	panel->x.begin = panel->box.x;
	panel->x.end = panel->box.x + panel->box.width;
	panel->y.begin = panel->box.y + panel->box.height;
	panel->y.end = panel->box.y;
	scale_round(&panel->x);
	scale_round(&panel->y);
	axis_x(panel, x_words);
	axis_y(panel, y_words);
	str_add(&text, title);
	if (panel->plot->nlogs > 1)
		str_printf(&text, " – %s", panel->log->name);
	shorten(&text, fit);
	caption(panel, panel->box.x, panel->box.y - 26, &head, str_text(&text));
}

void panel_keys(struct panel *panel, const struct panel_key *keys, unsigned count)
{
	const struct lettering small = {.ink = INK_TEXT, .size = 11.5};
	double x = panel->box.x, y = panel->box.y - 9;

	for (unsigned i = 0; i < count; i++) {
		segment(panel, (struct point){x, y - 4}, (struct point){x + 20, y - 4},
			&keys[i].stroke);
		caption(panel, x + 25, y, &small, keys[i].text);
		x += 41 + 6.6 * str_columns(keys[i].text);
	}
}

/* Collects, for each pixel column, the least and the greatest value of the intervals in it. */
struct envelope {
	double *low, *high;
	bool *cut; /* an empty interval lies in it: the pen is lifted */
	unsigned width;
};

static void envelope_init(struct panel *panel, struct envelope *envelope)
{
	envelope->width = (unsigned)panel->box.width + 1;
	envelope->low = arena_array(panel->arena, double, envelope->width);
	envelope->high = arena_array(panel->arena, double, envelope->width);
	envelope->cut = arena_array(panel->arena, bool, envelope->width);
	for (unsigned i = 0; i < envelope->width; i++)
		envelope->low[i] = envelope->high[i] = (double)NAN;
}

static unsigned envelope_at(const struct panel *panel, const struct envelope *envelope,
			    double time_s)
{
	double x = scale_pixel(&panel->x, time_s) - panel->box.x;

	return (unsigned)fmin(fmax(x, 0), envelope->width - 1);
}

static void envelope_add(struct panel *panel, struct envelope *envelope, double time_s,
			 double value)
{
	unsigned at = envelope_at(panel, envelope, time_s);

	envelope->low[at] = fmin(envelope->low[at], value); /* fmin and fmax pass NAN over */
	envelope->high[at] = fmax(envelope->high[at], value);
}

/* One line through both ends of each column. Where there are fewer intervals than pixels it
 * passes over the columns between them. */
static void envelope_draw(struct panel *panel, const struct envelope *envelope,
			  const struct stroke *stroke)
{
	struct point *points = arena_array(panel->arena, struct point, 3UL * envelope->width);
	unsigned count = 0;

	for (unsigned i = 0; i < envelope->width; i++) {
		double x = panel->box.x + i;

		if (envelope->cut[i])
			points[count++] = (struct point){x, (double)NAN};
		if (isnan(envelope->low[i]))
			continue;
		points[count++] = (struct point){x, scale_pixel(&panel->y, envelope->high[i])};
		if (envelope->low[i] < envelope->high[i])
			points[count++] =
				(struct point){x, scale_pixel(&panel->y, envelope->low[i])};
	}
	panel->canvas->ops->line(panel->canvas, points, count, stroke);
}

static double middle_s(const struct qos_run *run, unsigned at)
{
	return ((double)at + 0.5) * (double)run->interval_ns / 1e9;
}

enum band { BAND_MIN, BAND_P50, BAND_P99, BAND_MAX };
#define BANDS 4

static double band_value(const struct series_cell *cell, enum band band)
{
	switch (band) {
	case BAND_MIN:
		return (double)cell->min_ns;
	case BAND_P50:
		return (double)cell->p50_ns;
	case BAND_P99:
		return (double)cell->p99_ns;
	case BAND_MAX:
		return (double)cell->max_ns;
	}
	return 0;
}

static void band(struct panel *panel, enum band which, const struct stroke *stroke)
{
	const struct qos_run *run = panel->log->run;
	const struct series_cell *cells = run->part[SERIES_ALL].cells;
	struct envelope envelope;

	envelope_init(panel, &envelope);
	for (unsigned i = run->range.first; cells && i < run->range.end; i++) {
		if (!cells[i].count)
			envelope.cut[envelope_at(panel, &envelope, middle_s(run, i))] = true;
		else if (band_value(&cells[i], which) > 0)
			envelope_add(panel, &envelope, middle_s(run, i),
				     band_value(&cells[i], which));
	}
	envelope_draw(panel, &envelope, stroke);
}

/* The image has a pixel a column of time and a row of latency; it is clipped to the panel. */
static void density_image(struct panel *panel)
{
	const struct density *density = panel->log->density;
	double column_s = (double)density->column_ns / 1e9, most = 1;
	unsigned from = (unsigned)fmin(floor(panel->x.low / column_s), density->ncolumns);
	unsigned width = density->ncolumns - from;
	unsigned low = hist_index((uint64_t)panel->y.low) / DENSITY_BUCKETS_PER_ROW;
	unsigned high = hist_index((uint64_t)panel->y.high) / DENSITY_BUCKETS_PER_ROW + 1;
	unsigned height = high - low;
	uint8_t *pixels = arena_array(panel->arena, uint8_t, (size_t)width * height + 1);
	struct raster raster = {width, height, pixels, INK_BLUE};
	struct box box;

	for (size_t i = 0; i < (size_t)DENSITY_COLUMNS * DENSITY_ROWS; i++)
		most = fmax(most, density->count[i]);
	for (unsigned c = 0; c < width; c++) {
		for (unsigned r = 0; r < height && low + r < DENSITY_ROWS; r++) {
			uint32_t n =
				density->count[(size_t)(from + c) * DENSITY_ROWS + low + r];

			if (n)
				pixels[(size_t)(height - 1 - r) * width + c] =
					(uint8_t)(1 + 254 * log(n) / fmax(log(most), 1e-9));
		}
	}
	/* Rows are equal steps of the histogram's own scale, nearly logarithmic: an octave has
	 * eight. Their edges fall on powers of two, between which the error is at most 9 % of an
	 * octave. */
	box.x = scale_pixel(&panel->x, from * column_s);
	box.width = (density->ncolumns - from) * column_s / (panel->x.high - panel->x.low) *
		    panel->box.width;
	box.y = panel->y.begin -
		log10((double)hist_low_ns(high * DENSITY_BUCKETS_PER_ROW) / panel->y.low) /
			log10(panel->y.high / panel->y.low) * panel->box.height;
	box.height = log10((double)hist_low_ns(high * DENSITY_BUCKETS_PER_ROW) /
			   (double)max_u64(hist_low_ns(low * DENSITY_BUCKETS_PER_ROW), 1)) /
		     log10(panel->y.high / panel->y.low) * panel->box.height;
	if (width)
		panel->canvas->ops->image(panel->canvas, &box, &raster);
}

static void limit_lines(struct panel *panel)
{
	const struct stroke stroke = {INK_TEXT, 1.3, DASH_LONG};
	const struct lettering words = {.ink = INK_TEXT, .size = 12, .anchor = ANCHOR_END};

	for (unsigned i = 0; i < panel->plot->nlimits; i++) {
		double y = scale_pixel(&panel->y, (double)panel->plot->limits_ns[i]);
		autostr text = {0};

		quantity_time(panel->plot->limits_ns[i], &text);
		segment(panel, (struct point){panel->box.x, y},
			(struct point){panel->box.x + panel->box.width, y}, &stroke);
		caption(panel, panel->box.x + panel->box.width - 4, y - 4, &words,
			str_text(&text));
	}
}

static void time_scale(struct panel *panel)
{
	panel->x = (struct scale){
		.unit = SCALE_SECONDS,
		.low = panel->ranges->begin_s,
		.high = fmax(panel->ranges->end_s, panel->ranges->begin_s + 0.001)};
}

void panel_latency(struct panel *panel)
{
	static const struct panel_key keys[BANDS] = {
		[BAND_MIN] = {"minimum", {INK_PINK, 1.2, DASH_SHORT}},
		[BAND_P50] = {"median", {INK_GREEN, 1.8, DASH_SOLID}},
		[BAND_P99] = {"p99", {INK_ORANGE, 1.5, DASH_LONG}},
		[BAND_MAX] = {"maximum of each interval", {INK_RED, 1.2, DASH_SOLID}},
	};

	time_scale(panel);
	panel->y = (struct scale){.kind = SCALE_LOG,
				  .unit = SCALE_TIME_NS,
				  .low = fmax(panel->ranges->low_ns, 1),
				  .high = panel->ranges->high_ns};
	panel_axes(panel, "Latency over time", "time since the log's zero", "latency");
	if (!panel->log->run->has_latency) {
		const struct lettering words = {.ink = INK_MUTED, .size = 13};

		caption(panel, panel->box.x + 12, panel->box.y + 24, &words,
			"this log holds no latencies");
		return;
	}
	if (panel->log->density)
		density_image(panel);
	for (unsigned i = 0; i < BANDS; i++)
		band(panel, (enum band)i, &keys[i].stroke);
	limit_lines(panel);
	panel_keys(panel, keys, BANDS);
}

/* A mark at the foot of each empty interval, and its shade: a stall of one pixel is seen. */
static void zero_marks(struct panel *panel)
{
	const struct qos_run *run = panel->log->run;
	const struct series_cell *cells = run->part[SERIES_ALL].cells;
	const struct stroke stroke = {INK_PINK, 3, DASH_SOLID};
	double foot = panel->box.y + panel->box.height, last = -1;

	for (unsigned i = run->range.first; cells && i < run->range.end; i++) {
		double x = scale_pixel(&panel->x, middle_s(run, i));

		if (cells[i].count || x < last + 0.5)
			continue;
		last = x;
		panel->canvas->ops->fill(
			panel->canvas,
			&(struct box){x - 1.5, panel->box.y, 3, panel->box.height}, INK_PINK,
			0.2);
		segment(panel, (struct point){x, foot - 12}, (struct point){x, foot + 3},
			&stroke);
	}
}

static unsigned dir_keys(const struct qos_run *run, struct panel_key *keys)
{
	unsigned count = 0;

	for (unsigned d = 0; d < SERIES_ALL; d++) {
		if (run->part[d].cells)
			keys[count++] =
				(struct panel_key){qos_dir_name((enum series_dir)d),
						   {plot_dir_ink((enum series_dir)d), 1.6,
						    plot_dir_dash((enum series_dir)d)}};
	}
	return count;
}

void panel_iops(struct panel *panel)
{
	const struct qos_run *run = panel->log->run;
	double per_s = (double)NS_PER_S / (double)run->interval_ns;
	struct panel_key keys[SERIES_DIRS + 1];
	unsigned nkeys = dir_keys(run, keys);
	const struct qos_zeros *zeros = &panel->log->facts[SERIES_ALL].zeros;
	char words[80];

	time_scale(panel);
	panel->y = (struct scale){.unit = SCALE_PLAIN, .high = fmax(panel->ranges->iops, 1)};
	panel_axes(panel, "Completions over time", "time since the log's zero", "IOPS");
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		const struct series_cell *cells = run->part[d].cells;
		const struct stroke stroke = {plot_dir_ink((enum series_dir)d), 1.4,
					      DASH_SOLID};
		struct envelope envelope;

		if (!cells)
			continue;
		envelope_init(panel, &envelope);
		for (unsigned i = run->range.first; i < run->range.end; i++)
			envelope_add(panel, &envelope, middle_s(run, i),
				     (double)cells[i].count * per_s);
		envelope_draw(panel, &envelope, &stroke);
	}
	zero_marks(panel);
	for (unsigned i = 0; i < nkeys; i++)
		keys[i].stroke.dash = DASH_SOLID;
	(void)snprintf(words, sizeof(words), "%u empty %s%s", zeros->count + zeros->untold,
		       zeros->count + zeros->untold == 1 ? "interval" : "intervals",
		       zeros->idle ? ", and idle ones" : "");
	if (zeros->count + zeros->untold + zeros->idle)
		keys[nkeys++] = (struct panel_key){words, {INK_PINK, 4, DASH_SOLID}};
	panel_keys(panel, keys, nkeys);
}

#define CURVE_STEPS 400

void panel_percentiles(struct panel *panel)
{
	const struct qos_run *run = panel->log->run;
	struct panel_key keys[SERIES_DIRS];
	unsigned nkeys = dir_keys(run, keys);

	panel->x = (struct scale){
		.kind = SCALE_NINES, .unit = SCALE_PERCENT, .high = panel->ranges->nines};
	panel->y = (struct scale){.kind = SCALE_LOG,
				  .unit = SCALE_TIME_NS,
				  .low = fmax(panel->ranges->low_ns, 1),
				  .high = panel->ranges->high_ns};
	panel_axes(
		panel, "Latency by percentile",
		"share of the requests that take at most this long, as far as the samples tell",
		"latency");
	for (unsigned d = 0; d < SERIES_ALL && run->has_latency; d++) {
		const struct qos_part *part = &run->part[d];
		struct point points[CURVE_STEPS + 1];
		double percents[CURVE_STEPS + 1], last = plot_nines(part->sums.total);
		uint64_t values[CURVE_STEPS + 1];

		if (!part->cells || last <= 0)
			continue;
		for (unsigned i = 0; i <= CURVE_STEPS; i++)
			percents[i] = 100 - 100 * pow(10, -last * i / CURVE_STEPS);
		hist_percentiles_ns(part->hist, percents, CURVE_STEPS + 1, values);
		for (unsigned i = 0; i <= CURVE_STEPS; i++)
			points[i] =
				(struct point){scale_pixel(&panel->x, last * i / CURVE_STEPS),
					       scale_pixel(&panel->y, (double)values[i])};
		panel->canvas->ops->line(panel->canvas, points, CURVE_STEPS + 1,
					 &(struct stroke){plot_dir_ink((enum series_dir)d), 1.8,
							  plot_dir_dash((enum series_dir)d)});
	}
	limit_lines(panel);
	panel_keys(panel, keys, nkeys);
}

void panel_histogram(struct panel *panel)
{
	const struct qos_run *run = panel->log->run;
	struct panel_key keys[SERIES_DIRS];
	unsigned nkeys = dir_keys(run, keys);

	panel->x = (struct scale){.kind = SCALE_LOG,
				  .unit = SCALE_TIME_NS,
				  .low = fmax(panel->ranges->low_ns, 1),
				  .high = panel->ranges->high_ns};
	panel->y = (struct scale){.kind = SCALE_LOG,
				  .unit = SCALE_PLAIN,
				  .low = 1e-4,
				  .high = fmax(panel->ranges->share, 1e-3)};
	panel_axes(panel, "Histogram of latency", "latency, eight steps to each doubling",
		   "% of the requests");
	for (unsigned d = 0; d < SERIES_ALL && run->has_latency; d++) {
		struct point points[3 * DENSITY_ROWS];
		double share[DENSITY_ROWS];
		unsigned count = 0;

		if (!run->part[d].cells)
			continue;
		plot_rows(run->part[d].hist, share);
		for (unsigned r = 1; r + 1 < DENSITY_ROWS; r++) {
			double from = (double)hist_low_ns(r * DENSITY_BUCKETS_PER_ROW);
			double to = (double)hist_low_ns((r + 1) * DENSITY_BUCKETS_PER_ROW);
			double y = share[r] > 0 ? scale_pixel(&panel->y, share[r])
						: panel->y.begin;

			if (to <= panel->x.low || from >= panel->x.high)
				continue;
			if (share[r] > 0 || share[r - 1] > 0)
				points[count++] =
					(struct point){scale_pixel(&panel->x, from), y};
			if (share[r] > 0 || share[r + 1] > 0)
				points[count++] = (struct point){scale_pixel(&panel->x, to), y};
			else
				points[count++] =
					(struct point){scale_pixel(&panel->x, to), (double)NAN};
		}
		panel->canvas->ops->line(panel->canvas, points, count,
					 &(struct stroke){plot_dir_ink((enum series_dir)d), 1.5,
							  plot_dir_dash((enum series_dir)d)});
	}
	panel_keys(panel, keys, nkeys);
}
