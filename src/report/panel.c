/* One panel of a plot: frame, axes, key, and the four kinds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "report/plot_priv.h"

static void panel_axes(struct panel *panel, const char *title, const char *x_words,
		       const char *y_words)
{
	struct axes_words words = {
		.title = lang_here(title), .x = lang_here(x_words), .y = lang_here(y_words)};
	autostr text = {0};

	if (panel->plot->nlogs > 1) {
		str_printf(&text, "%s – %s", words.title, panel->log->name);
		words.title = str_text(&text);
	}
	axes_draw(&panel->axes, &words);
}

static void panel_keys(struct panel *panel, struct axes_key *keys, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		keys[i].text = lang_here(keys[i].text);
	axes_keys(&panel->axes, keys, count);
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

	envelope_init(&panel->axes, &envelope);
	for (unsigned i = run->range.first; cells && i < run->range.end; i++) {
		if (!cells[i].count)
			envelope.cut[envelope_at(&panel->axes, &envelope, middle_s(run, i))] =
				true;
		else if (band_value(&cells[i], which) > 0)
			envelope_add(&panel->axes, &envelope, middle_s(run, i),
				     band_value(&cells[i], which));
	}
	envelope_draw(&panel->axes, &envelope, stroke);
}

/* The image has a pixel a column of time and a row of latency; it is clipped to the panel. */
static void density_image(struct panel *panel)
{
	const struct density *density = panel->log->density;
	double column_s = (double)density->column_ns / 1e9, most = 1;
	unsigned from = (unsigned)fmin(floor(panel->axes.x.low / column_s), density->ncolumns);
	unsigned width = density->ncolumns - from;
	unsigned low = hist_index((uint64_t)panel->axes.y.low) / DENSITY_BUCKETS_PER_ROW;
	unsigned high = hist_index((uint64_t)panel->axes.y.high) / DENSITY_BUCKETS_PER_ROW + 1;
	unsigned height = high - low;
	uint8_t *pixels = arena_array(panel->axes.arena, uint8_t, (size_t)width * height + 1);
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
	box.x = scale_pixel(&panel->axes.x, from * column_s);
	box.width = (density->ncolumns - from) * column_s /
		    (panel->axes.x.high - panel->axes.x.low) * panel->axes.box.width;
	box.y = panel->axes.y.begin -
		log10((double)hist_low_ns(high * DENSITY_BUCKETS_PER_ROW) / panel->axes.y.low) /
			log10(panel->axes.y.high / panel->axes.y.low) * panel->axes.box.height;
	box.height = log10((double)hist_low_ns(high * DENSITY_BUCKETS_PER_ROW) /
			   (double)max_u64(hist_low_ns(low * DENSITY_BUCKETS_PER_ROW), 1)) /
		     log10(panel->axes.y.high / panel->axes.y.low) * panel->axes.box.height;
	if (width)
		panel->axes.canvas->ops->image(panel->axes.canvas, &box, &raster);
}

static void limit_lines(struct panel *panel)
{
	const struct stroke stroke = {INK_TEXT, 1.3, DASH_LONG};
	const struct lettering words = {.ink = INK_TEXT, .size = 12, .anchor = ANCHOR_END};

	for (unsigned i = 0; i < panel->plot->nlimits; i++) {
		double y = scale_pixel(&panel->axes.y, (double)panel->plot->limits_ns[i]);
		autostr text = {0};

		quantity_time(panel->plot->limits_ns[i], &text);
		axes_segment(&panel->axes, (struct point){panel->axes.box.x, y},
			     (struct point){panel->axes.box.x + panel->axes.box.width, y},
			     &stroke);
		axes_caption(&panel->axes, panel->axes.box.x + panel->axes.box.width - 4, y - 4,
			     &words, str_text(&text));
	}
}

static void time_scale(struct panel *panel)
{
	panel->axes.x = (struct scale){
		.unit = SCALE_SECONDS,
		.low = panel->ranges->begin_s,
		.high = fmax(panel->ranges->end_s, panel->ranges->begin_s + 0.001)};
}

void panel_latency(struct panel *panel)
{
	struct axes_key keys[BANDS] = {
		[BAND_MIN] = {"minimum", {INK_PINK, 1.2, DASH_SHORT}},
		[BAND_P50] = {N_("median"), {INK_GREEN, 1.8, DASH_SOLID}},
		[BAND_P99] = {"p99", {INK_ORANGE, 1.5, DASH_LONG}},
		[BAND_MAX] = {N_("maximum of each interval"), {INK_RED, 1.2, DASH_SOLID}},
	};

	time_scale(panel);
	panel->axes.y = (struct scale){.kind = SCALE_LOG,
				       .unit = SCALE_TIME_NS,
				       .low = fmax(panel->ranges->low_ns, 1),
				       .high = panel->ranges->high_ns};
	panel_axes(panel, N_("Latency over time"), N_("time since the log's zero"),
		   N_("latency"));
	if (!panel->log->run->has_latency) {
		const struct lettering words = {.ink = INK_MUTED, .size = 13};

		axes_caption(&panel->axes, panel->axes.box.x + 12, panel->axes.box.y + 24,
			     &words, lang_here("this log holds no latencies"));
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
	double foot = panel->axes.box.y + panel->axes.box.height, last = -1;

	for (unsigned i = run->range.first; cells && i < run->range.end; i++) {
		double x = scale_pixel(&panel->axes.x, middle_s(run, i));

		if (cells[i].count || x < last + 0.5)
			continue;
		last = x;
		panel->axes.canvas->ops->fill(
			panel->axes.canvas,
			&(struct box){x - 1.5, panel->axes.box.y, 3, panel->axes.box.height},
			INK_PINK, 0.2);
		axes_segment(&panel->axes, (struct point){x, foot - 12},
			     (struct point){x, foot + 3}, &stroke);
	}
}

static unsigned dir_keys(const struct qos_run *run, struct axes_key *keys)
{
	unsigned count = 0;

	for (unsigned d = 0; d < SERIES_ALL; d++) {
		if (run->part[d].cells)
			keys[count++] =
				(struct axes_key){qos_dir_name((enum series_dir)d),
						  {plot_dir_ink((enum series_dir)d), 1.6,
						   plot_dir_dash((enum series_dir)d)}};
	}
	return count;
}

void panel_iops(struct panel *panel)
{
	const struct qos_run *run = panel->log->run;
	struct axes_key keys[SERIES_DIRS + 1];
	unsigned nkeys = dir_keys(run, keys);
	static const char *const titles[] = {[QOS_COMPLETIONS] = N_("Completions over time"),
					     [QOS_BANDWIDTH] = N_("Bandwidth over time"),
					     [QOS_MEAN_LATENCY] = N_("Mean latency over time")};
	const struct qos_zeros *zeros = &panel->log->facts[SERIES_ALL].zeros;
	char words[120];

	time_scale(panel);
	panel->axes.y = (struct scale){.unit = run->level == QOS_MEAN_LATENCY ? SCALE_TIME_NS
									      : SCALE_PLAIN,
				       .high = fmax(panel->ranges->iops, 1)};
	panel_axes(panel, titles[run->level], N_("time since the log's zero"),
		   run->level == QOS_MEAN_LATENCY ? "" : qos_level_unit(run));
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		const struct series_cell *cells = run->part[d].cells;
		const struct stroke stroke = {plot_dir_ink((enum series_dir)d), 1.4,
					      DASH_SOLID};
		struct envelope envelope;

		if (!cells)
			continue;
		envelope_init(&panel->axes, &envelope);
		for (unsigned i = run->range.first; i < run->range.end; i++)
			envelope_add(&panel->axes, &envelope, middle_s(run, i),
				     qos_level_of(run, &cells[i]));
		envelope_draw(&panel->axes, &envelope, &stroke);
	}
	zero_marks(panel);
	for (unsigned i = 0; i < nkeys; i++)
		keys[i].stroke.dash = DASH_SOLID;
	if (zeros->count + zeros->untold == 1)
		(void)snprintf(words, sizeof(words),
			       lang_here(zeros->idle ? N_("%u empty interval, and idle ones")
						     : N_("%u empty interval")),
			       zeros->count + zeros->untold);
	else
		(void)snprintf(
			words, sizeof(words),
			lang_here(zeros->idle
					  ? PLURAL(zeros->count + zeros->untold,
						   "%u empty interval, and idle ones",
						   "%u empty intervals, and idle ones")
					  : PLURAL(zeros->count + zeros->untold,
						   "%u empty interval", "%u empty intervals")),
			zeros->count + zeros->untold);
	if (zeros->count + zeros->untold + zeros->idle)
		keys[nkeys++] = (struct axes_key){words, {INK_PINK, 4, DASH_SOLID}};
	panel_keys(panel, keys, nkeys);
}

#define CURVE_STEPS 400

void panel_percentiles(struct panel *panel)
{
	const struct qos_run *run = panel->log->run;
	struct axes_key keys[SERIES_DIRS];
	unsigned nkeys = dir_keys(run, keys);

	panel->axes.x = (struct scale){
		.kind = SCALE_NINES, .unit = SCALE_PERCENT, .high = panel->ranges->nines};
	panel->axes.y = (struct scale){.kind = SCALE_LOG,
				       .unit = SCALE_TIME_NS,
				       .low = fmax(panel->ranges->low_ns, 1),
				       .high = panel->ranges->high_ns};
	panel_axes(
		panel, N_("Latency by percentile"),
		N_("share of the requests that take at most this long, as far as the samples "
		   "tell"),
		N_("latency"));
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
			points[i] = (struct point){
				scale_pixel(&panel->axes.x, last * i / CURVE_STEPS),
				scale_pixel(&panel->axes.y, (double)values[i])};
		panel->axes.canvas->ops->line(
			panel->axes.canvas, points, CURVE_STEPS + 1,
			&(struct stroke){plot_dir_ink((enum series_dir)d), 1.8,
					 plot_dir_dash((enum series_dir)d)});
	}
	limit_lines(panel);
	panel_keys(panel, keys, nkeys);
}

void panel_histogram(struct panel *panel)
{
	const struct qos_run *run = panel->log->run;
	struct axes_key keys[SERIES_DIRS];
	unsigned nkeys = dir_keys(run, keys);

	panel->axes.x = (struct scale){.kind = SCALE_LOG,
				       .unit = SCALE_TIME_NS,
				       .low = fmax(panel->ranges->low_ns, 1),
				       .high = panel->ranges->high_ns};
	panel->axes.y = (struct scale){.kind = SCALE_LOG,
				       .unit = SCALE_PLAIN,
				       .low = 1e-4,
				       .high = fmax(panel->ranges->share, 1e-3)};
	panel_axes(panel, N_("Histogram of latency"),
		   N_("latency, eight steps to each doubling"), N_("% of the requests"));
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
			double y = share[r] > 0 ? scale_pixel(&panel->axes.y, share[r])
						: panel->axes.y.begin;

			if (to <= panel->axes.x.low || from >= panel->axes.x.high)
				continue;
			if (share[r] > 0 || share[r - 1] > 0)
				points[count++] =
					(struct point){scale_pixel(&panel->axes.x, from), y};
			if (share[r] > 0 || share[r + 1] > 0)
				points[count++] =
					(struct point){scale_pixel(&panel->axes.x, to), y};
			else
				points[count++] = (struct point){
					scale_pixel(&panel->axes.x, to), (double)NAN};
		}
		panel->axes.canvas->ops->line(
			panel->axes.canvas, points, count,
			&(struct stroke){plot_dir_ink((enum series_dir)d), 1.5,
					 plot_dir_dash((enum series_dir)d)});
	}
	panel_keys(panel, keys, nkeys);
}
