#include "report/qos_graphs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/quantity.h"
#include "report/closeup_lines.h"
#include "report/graph.h"
#include "report/plot_priv.h"
#include "stat/rhythm.h"

#define MEDIAN_OF      15 /* intervals that the smoothed line takes together */
#define MEDIAN_FROM    45 /* intervals from which on it is drawn */
#define BOUNDS_STEPS   40 /* of its bounds: each takes all parts of the run */
#define SHADES_MAX     4096
#define EMPTY_INTERVAL N_("no completions")
#define CLOSEUP_RATES                                                                       \
	N_("Zoomed to a few seconds, the worst are shown in steps of 10 ms: their rates a " \
	   "second exceed those of whole intervals.")
#define CLOSEUP_LATENCIES                                                                 \
	N_("Zoomed to a few seconds, the worst are shown in steps of 10 ms: minimum and " \
	   "maximum of each; percentiles stay those of whole intervals.")

/* What is being built: one graph's data, released when it is written. */
struct sketch {
	const struct qos_graphs *in;
	struct document *doc;
	struct arena arena;
	struct graph graph;
	struct graph_line lines[GRAPH_LINES_MAX];
	struct graph_limit limits[QOS_GRAPHS_LIMITS_MAX];
	struct closeup_view closeups;
};

void qos_ranges_init(struct qos_ranges *ranges)
{
	*ranges = (struct qos_ranges){.begin_s = (double)INFINITY};
}

void qos_ranges_add(struct qos_ranges *ranges, const struct qos_run *run)
{
	double per_s = 1e9 / (double)run->interval_ns;

	ranges->begin_s =
		fmin(ranges->begin_s, run->range.first * (double)run->interval_ns / 1e9);
	ranges->end_s = fmax(ranges->end_s, run->range.end * (double)run->interval_ns / 1e9);
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		const struct qos_part *part = &run->part[d];

		for (unsigned i = run->range.first; part->cells && i < run->range.end; i++) {
			ranges->iops = fmax(ranges->iops, (double)part->cells[i].count * per_s);
			ranges->mb_s =
				fmax(ranges->mb_s, (double)part->cells[i].bytes * per_s / 1e6);
		}
		if (!part->cells || !part->sums.total || !run->has_latency)
			continue;
		ranges->low_ns = ranges->low_ns > 0
					 ? fmin(ranges->low_ns, (double)part->sums.min_ns)
					 : (double)part->sums.min_ns;
		ranges->low_ns = fmax(ranges->low_ns, 1);
		ranges->high_ns = fmax(ranges->high_ns, (double)part->sums.max_ns);
	}
}

/* --- beginning and ending a graph --- */

static const char *remark_of(const struct sketch *sketch, const char *id)
{
	const char *all = NULL;

	for (unsigned i = 0; i < sketch->in->nremarks; i++) {
		const struct graph_remark *remark = &sketch->in->remarks[i];

		if (!str_equal(remark->graph, id))
			continue;
		all = all ? document_text(sketch->doc, "%s; %s", all, remark->text)
			  : remark->text;
	}
	return all;
}

static void begin(struct sketch *sketch, struct document *doc, const struct qos_graphs *in,
		  const char *id, const char *title)
{
	*sketch = (struct sketch){.in = in, .doc = doc};
	arena_init(&sketch->arena);
	sketch->graph = (struct graph){
		.id = arena_printf(&doc->arena, "%s%s", in->prefix, id),
		.title = in->mark ? document_text(doc, N_("%s (%s)"),
						  lang_text(doc->style.lang, title),
						  lang_text(doc->style.lang, in->mark))
				  : title,
		.note = remark_of(sketch, id),
		.lines = sketch->lines,
		.limits = sketch->limits,
	};
}

static void end(struct sketch *sketch)
{
	if (sketch->graph.nlines || sketch->graph.field)
		document_graph(sketch->doc, &sketch->graph);
	arena_done(&sketch->arena);
}

static double *add_line(struct sketch *sketch, const char *name, const struct stroke *stroke,
			unsigned count)
{
	double *y = arena_array(&sketch->arena, double, count + 1);

	sketch->lines[sketch->graph.nlines++] =
		(struct graph_line){.name = name, .stroke = *stroke, .y = y, .count = count};
	return y;
}

static unsigned cells_of(const struct qos_run *run)
{
	return run->range.end - run->range.first;
}

static void over_time(struct sketch *sketch)
{
	const struct qos_run *run = sketch->in->run;
	double step = (double)run->interval_ns / 1e9;

	sketch->graph.x_words = N_("time since the start");
	sketch->graph.x = (struct scale){.unit = SCALE_SECONDS,
					 .low = sketch->in->ranges->begin_s,
					 .high = sketch->in->ranges->end_s};
	sketch->graph.begin = run->range.first * step;
	sketch->graph.step = step;
}

/* The line that was added last, in bins of 10 ms where they are known. */
static void add_fine(struct sketch *sketch, unsigned d, enum closeup_value what)
{
	sketch->lines[sketch->graph.nlines - 1].fine =
		closeup_line(&sketch->closeups, (enum series_dir)d, what, &sketch->arena);
}

static void close_up(struct sketch *sketch, const char *note)
{
	closeup_view_init(&sketch->closeups, sketch->in->closeup, sketch->in->run);
	closeup_windows(&sketch->closeups, &sketch->graph, &sketch->arena);
	sketch->graph.fine_note = sketch->closeups.count ? note : NULL;
}

static void latency_scale(struct sketch *sketch, struct scale *scale)
{
	*scale = (struct scale){.kind = SCALE_LOG,
				.unit = SCALE_TIME_NS,
				.low = sketch->in->ranges->low_ns,
				.high = sketch->in->ranges->high_ns};
}

static void limits_at(struct sketch *sketch, bool upright)
{
	for (unsigned i = 0; i < sketch->in->nlimits; i++) {
		autostr text = {0};

		quantity_time(sketch->in->limits_ns[i], &text);
		sketch->limits[sketch->graph.nlimits++] = (struct graph_limit){
			.at = (double)sketch->in->limits_ns[i],
			.upright = upright,
			.text = document_text(sketch->doc, "%s", str_text(&text))};
	}
}

static bool has(const struct qos_run *run, unsigned d)
{
	return run->part[d].cells && cells_of(run) > 0;
}

static bool has_latency(const struct qos_run *run, unsigned d)
{
	return run->has_latency && run->part[d].cells && run->part[d].sums.total > 0;
}

static struct stroke stroke_of(unsigned d, double width)
{
	return (struct stroke){plot_dir_ink((enum series_dir)d), width,
			       plot_dir_dash((enum series_dir)d)};
}

/* --- rates over time --- */

/* The place of a value in an ascending window, or where it would stand. */
static unsigned window_place(const double *window, unsigned count, double value)
{
	unsigned at = 0;

	while (at < count && window[at] < value)
		at++;
	return at;
}

/* One value leaves, another comes. */
static void window_move(double *window, double leaves, double comes)
{
	unsigned from = window_place(window, MEDIAN_OF, leaves), to;

	memmove(&window[from], &window[from + 1], (MEDIAN_OF - 1 - from) * sizeof(*window));
	to = window_place(window, MEDIAN_OF - 1, comes);
	memmove(&window[to + 1], &window[to], (MEDIAN_OF - 1 - to) * sizeof(*window));
	window[to] = comes;
}

static void smooth_line(const double *y, unsigned count, double *ret_smooth)
{
	double window[MEDIAN_OF];

	for (unsigned i = 0; i < MEDIAN_OF; i++) {
		unsigned at = window_place(window, i, y[i]);

		memmove(&window[at + 1], &window[at], (i - at) * sizeof(*window));
		window[at] = y[i];
	}
	for (unsigned i = 0; i < count; i++) {
		if (i < MEDIAN_OF / 2 || i + MEDIAN_OF / 2 >= count) {
			ret_smooth[i] = (double)NAN;
			continue;
		}
		if (i > MEDIAN_OF / 2)
			window_move(window, y[i - MEDIAN_OF / 2 - 1], y[i + MEDIAN_OF / 2]);
		ret_smooth[i] = window[MEDIAN_OF / 2];
	}
}

static void add_median(struct sketch *sketch, unsigned d, const double *y)
{
	unsigned count = cells_of(sketch->in->run);
	struct stroke stroke = {INK_TEXT, 1.6, plot_dir_dash((enum series_dir)d)};
	double *smooth = add_line(sketch,
				  document_text(sketch->doc, "%s, median of %u intervals",
						lang_text(sketch->doc->style.lang,
							  qos_dir_name((enum series_dir)d)),
						MEDIAN_OF),
				  &stroke, count);

	smooth_line(y, count, smooth);
}

/* Neighbouring empty intervals are one shade. */
static void shade_empty(struct sketch *sketch)
{
	const struct qos_run *run = sketch->in->run;
	const struct series_cell *cells = run->part[SERIES_ALL].cells;
	double step = sketch->graph.step;
	struct graph_shade *shades =
		arena_array(&sketch->arena, struct graph_shade, SHADES_MAX);
	unsigned count = 0;

	for (unsigned i = run->range.first; cells && i < run->range.end; i++) {
		if (cells[i].count)
			continue;
		if (count && shades[count - 1].to >= i * step - step / 2)
			shades[count - 1].to = (i + 1) * step;
		else if (count < SHADES_MAX)
			shades[count++] = (struct graph_shade){i * step, (i + 1) * step,
							       INK_PINK, EMPTY_INTERVAL};
	}
	sketch->graph.shades = shades;
	sketch->graph.nshades = count;
}

static void rate_graph(struct document *doc, const struct qos_graphs *in, bool bytes)
{
	const struct qos_run *run = in->run;
	double per_s = 1e9 / (double)run->interval_ns;
	struct sketch sketch;

	begin(&sketch, doc, in, bytes ? "bandwidth" : "iops",
	      bytes ? N_("Bandwidth over time") : N_("Completions over time"));
	over_time(&sketch);
	close_up(&sketch, CLOSEUP_RATES);
	sketch.graph.y_words = sketch.graph.unit = bytes ? N_("MB/s") : N_("IOPS");
	sketch.graph.y.high = fmax(bytes ? in->ranges->mb_s : in->ranges->iops, 1);
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		const struct series_cell *cells = run->part[d].cells;
		struct stroke stroke = stroke_of(d, 1.2);
		double *y;

		if (!has(run, d) || (bytes && !run->part[d].bytes))
			continue;
		y = add_line(&sketch, qos_dir_name((enum series_dir)d), &stroke, cells_of(run));
		add_fine(&sketch, d, bytes ? CLOSEUP_MB_S : CLOSEUP_IOPS);
		for (unsigned i = 0; i < cells_of(run); i++) {
			const struct series_cell *cell = &cells[run->range.first + i];

			y[i] = bytes ? (double)cell->bytes * per_s / 1e6
				     : (double)cell->count * per_s;
		}
		if (!bytes && cells_of(run) >= MEDIAN_FROM)
			add_median(&sketch, d, y);
	}
	if (!bytes) {
		sketch.graph.both = true;
		shade_empty(&sketch);
	}
	end(&sketch);
}

/* The strongest period of each direction, as words below the graph. */
static void note_period(struct sketch *sketch, unsigned d, const struct rhythm_step *best)
{
	struct document *doc = sketch->doc;
	autostr period = {0};
	const char *text;

	quantity_time((uint64_t)(best->period * (double)sketch->in->run->interval_ns), &period);
	text = document_text(doc,
			     "%s: the strongest recurs every %s, with %.0f %% of the variance",
			     lang_text(doc->style.lang, qos_dir_name((enum series_dir)d)),
			     str_text(&period), 100 * best->share);
	sketch->graph.note = sketch->graph.note
				     ? document_text(doc, "%s; %s", sketch->graph.note, text)
				     : text;
}

static void add_rhythm(struct sketch *sketch, unsigned d)
{
	const struct qos_run *run = sketch->in->run;
	const struct stroke stroke = stroke_of(d, 1.6);
	struct rhythm_step steps[RHYTHM_STEPS_MAX], *best = steps;
	double *values = arena_array(&sketch->arena, double, cells_of(run)), *x, *y;
	unsigned count;

	for (unsigned i = 0; i < cells_of(run); i++)
		values[i] = (double)run->part[d].cells[run->range.first + i].count;
	count = rhythm_of(values, cells_of(run), &sketch->arena, steps);
	if (!count)
		return;
	x = arena_array(&sketch->arena, double, count);
	y = add_line(sketch, qos_dir_name((enum series_dir)d), &stroke, count);
	sketch->lines[sketch->graph.nlines - 1].x = x;
	for (unsigned i = 0; i < count; i++) {
		const struct rhythm_step *step = &steps[count - 1 - i];

		x[i] = step->period * (double)run->interval_ns;
		y[i] = 100 * step->share;
		best = step->share > best->share ? &steps[count - 1 - i] : best;
	}
	sketch->graph.x.low = x[0];
	sketch->graph.x.high = x[count - 1];
	note_period(sketch, d, best);
}

/* What recurs in the completions: a drive that collects garbage every so often shows it here. */
static void rhythm_graph(struct document *doc, const struct qos_graphs *in)
{
	struct sketch sketch;

	begin(&sketch, doc, in, "rhythm", N_("What recurs in the completions"));
	sketch.graph.x = (struct scale){.kind = SCALE_LOG, .unit = SCALE_TIME_NS};
	sketch.graph.x_words = N_("period, twelve steps to each doubling");
	sketch.graph.y_words = N_("percent of the variance");
	sketch.graph.unit = N_("percent of the variance");
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		if (has(in->run, d))
			add_rhythm(&sketch, d);
	}
	graph_fit_y(&sketch.graph);
	end(&sketch);
}

/* What the drive takes after so many bytes: the end of its cache, the beginning of collection. */
static void written_graph(struct document *doc, const struct qos_graphs *in)
{
	const struct qos_run *run = in->run;
	const struct series_cell *cells = run->part[SERIES_WRITE].cells;
	unsigned count = cells_of(run);
	const struct stroke stroke = stroke_of(SERIES_WRITE, 1.4);
	double written = 0, *x, *y;
	struct sketch sketch;

	if (!has(run, SERIES_WRITE) || !run->part[SERIES_WRITE].bytes || count < 2)
		return;
	begin(&sketch, doc, in, "written", N_("Write rate over bytes written"));
	x = arena_array(&sketch.arena, double, count);
	y = add_line(&sketch, "write", &stroke, count);
	for (unsigned i = 0; i < run->range.first; i++)
		written += (double)cells[i].bytes;
	sketch.graph.x = (struct scale){.unit = SCALE_PLAIN, .low = written / 1e9};
	for (unsigned i = 0; i < count; i++) {
		double bytes = (double)cells[run->range.first + i].bytes;

		x[i] = (written + bytes / 2) / 1e9;
		y[i] = bytes * 1e9 / (double)run->interval_ns / 1e6;
		written += bytes;
	}
	sketch.lines[0].x = x;
	sketch.graph.x.high = written / 1e9;
	sketch.graph.x_words = N_("GB written since the start");
	sketch.graph.y_words = sketch.graph.unit = N_("MB/s");
	sketch.graph.y.high = fmax(in->ranges->mb_s, 1);
	end(&sketch);
}

/* --- latencies over time --- */

enum band { BAND_MIN, BAND_P50, BAND_P99, BAND_P999, BAND_MAX, BANDS };

static double band_value(const struct series_cell *cell, enum band band)
{
	static const double percents[BANDS] = {
		[BAND_P50] = 50, [BAND_P99] = 99, [BAND_P999] = 99.9};
	const uint64_t values[BANDS] = {[BAND_MIN] =
						cell->min_ns == UINT64_MAX ? 0 : cell->min_ns,
					[BAND_P50] = (uint64_t)cell->p50_ns,
					[BAND_P99] = (uint64_t)cell->p99_ns,
					[BAND_P999] = (uint64_t)cell->p999_ns,
					[BAND_MAX] = cell->max_ns};

	/* A percentile that rests on fewer than ten requests is none. */
	if (!cell->count || !values[band] ||
	    (percents[band] > 0 && !hist_percentile_is_sound(cell->count, percents[band])))
		return (double)NAN;
	return (double)values[band];
}

static void add_band(struct sketch *sketch, unsigned d, enum band band)
{
	static const struct {
		const char *name;
		struct stroke stroke;
	} bands[BANDS] = {
		[BAND_MIN] = {N_("minimum"), {INK_BLUE, 1.1, DASH_SHORT}},
		[BAND_P50] = {N_("median"), {INK_GREEN, 1.7, DASH_SOLID}},
		[BAND_P99] = {N_("p99"), {INK_ORANGE, 1.4, DASH_LONG}},
		[BAND_P999] = {N_("p99.9"), {INK_PINK, 1.2, DASH_SHORT}},
		[BAND_MAX] = {N_("maximum"), {INK_RED, 1.2, DASH_SOLID}},
	};
	const struct qos_run *run = sketch->in->run;
	const struct series_cell *cells = run->part[d].cells;
	bool any = false;
	double *y = add_line(sketch, bands[band].name, &bands[band].stroke, cells_of(run));

	for (unsigned i = 0; i < cells_of(run); i++) {
		y[i] = band_value(&cells[run->range.first + i], band);
		any |= !isnan(y[i]);
	}
	if (!any)
		sketch->graph.nlines--;
	else if (band == BAND_MIN || band == BAND_MAX)
		add_fine(sketch, d, band == BAND_MIN ? CLOSEUP_MIN_NS : CLOSEUP_MAX_NS);
}

static void latency_graph(struct document *doc, const struct qos_graphs *in, unsigned d)
{
	const char *name = qos_dir_name((enum series_dir)d);
	struct sketch sketch;

	if (!has(in->run, d) || !has_latency(in->run, d))
		return;
	begin(&sketch, doc, in, arena_printf(&doc->arena, "latency-%s", name),
	      document_text(doc, "Latency over time, %s", lang_text(doc->style.lang, name)));
	over_time(&sketch);
	close_up(&sketch, CLOSEUP_LATENCIES);
	sketch.graph.y_words = N_("latency of each interval");
	sketch.graph.unit = N_("ns");
	latency_scale(&sketch, &sketch.graph.y);
	for (unsigned band = 0; band < BANDS; band++)
		add_band(&sketch, d, (enum band)band);
	limits_at(&sketch, false);
	end(&sketch);
}

/* The rows between the lowest and the highest that hold anything. */
static struct graph_field field_of(const struct density *density, struct arena *arena)
{
	unsigned first = DENSITY_ROWS, end = 0;
	struct graph_field field = {.columns = density->ncolumns,
				    .x_step = (double)density->column_ns / 1e9};
	double *edges;
	uint32_t *count;

	for (size_t i = 0; i < (size_t)density->ncolumns * DENSITY_ROWS; i++) {
		if (!density->count[i])
			continue;
		first = (unsigned)min_u64(first, i % DENSITY_ROWS);
		end = (unsigned)max_u64(end, i % DENSITY_ROWS + 1);
	}
	if (end == 0)
		return (struct graph_field){0};
	field.rows = end - first;
	edges = arena_array(arena, double, field.rows + 1UL);
	count = arena_array(arena, uint32_t, (size_t)field.columns * field.rows);
	for (unsigned r = first; r <= end; r++)
		edges[r - first] = r < DENSITY_ROWS
					   ? (double)hist_low_ns(r * DENSITY_BUCKETS_PER_ROW)
					   : (double)(1ULL << HIST_MAX_BITS);
	for (unsigned c = 0; c < field.columns; c++)
		memcpy(&count[(size_t)c * field.rows],
		       &density->count[(size_t)c * DENSITY_ROWS + first],
		       field.rows * sizeof(*count));
	field.edges = edges;
	field.count = count;
	return field;
}

static void field_graph(struct document *doc, const struct qos_graphs *in, unsigned d)
{
	const struct density *density = in->density[d];
	const char *name = qos_dir_name((enum series_dir)d);
	const char *id =
		d == SERIES_ALL ? "field" : arena_printf(&doc->arena, "field-%s", name);
	struct graph_field field;
	struct sketch sketch;

	if (!density || !density->count || !in->run->has_latency)
		return;
	begin(&sketch, doc, in, id,
	      d == SERIES_ALL ? N_("Where requests lie: time by latency")
			      : document_text(doc, "Heat map of latency, %s",
					      lang_text(doc->style.lang, name)));
	over_time(&sketch);
	sketch.graph.y_words = N_("latency (darker: more requests)");
	sketch.graph.unit = N_("requests");
	latency_scale(&sketch, &sketch.graph.y);
	field = field_of(density, &sketch.arena);
	if (field.rows)
		sketch.graph.field = &field;
	sketch.graph.both = true;
	limits_at(&sketch, false);
	end(&sketch);
}

/* --- distributions --- */

void qos_curve(const struct qos_part *part, double *ret_nines, double *ret_ns)
{
	double last = plot_nines(part->sums.total), percents[QOS_CURVE_POINTS];
	uint64_t values[QOS_CURVE_POINTS];

	for (unsigned i = 0; i < QOS_CURVE_POINTS; i++) {
		ret_nines[i] = last * i / (QOS_CURVE_POINTS - 1);
		percents[i] = 100 - 100 * pow(10, -ret_nines[i]);
	}
	hist_percentiles_ns(part->hist, percents, QOS_CURVE_POINTS, values);
	for (unsigned i = 0; i < QOS_CURVE_POINTS; i++)
		ret_ns[i] = (double)min_u64(max_u64(values[i], part->sums.min_ns),
					    part->sums.max_ns);
}

static void add_curve(struct sketch *sketch, unsigned d)
{
	const struct stroke stroke = stroke_of(d, 1.8);
	double *x = arena_array(&sketch->arena, double, QOS_CURVE_POINTS);
	double *y =
		add_line(sketch, qos_dir_name((enum series_dir)d), &stroke, QOS_CURVE_POINTS);

	sketch->lines[sketch->graph.nlines - 1].x = x;
	qos_curve(&sketch->in->run->part[d], x, y);
	sketch->graph.x.high = fmax(sketch->graph.x.high, x[QOS_CURVE_POINTS - 1]);
}

/* The 95 % bounds of the curve, as far as they have an end. */
static void add_bounds(struct sketch *sketch, unsigned d)
{
	const struct qos_run *run = sketch->in->run;
	double last = plot_nines(run->part[d].sums.total);
	const struct stroke stroke = {plot_dir_ink((enum series_dir)d), 0.9, DASH_SHORT};
	const char *name = document_text(
		sketch->doc, "%s, 95 %% bounds",
		lang_text(sketch->doc->style.lang, qos_dir_name((enum series_dir)d)));
	double *x = arena_array(&sketch->arena, double, BOUNDS_STEPS + 1);
	double *low = add_line(sketch, name, &stroke, BOUNDS_STEPS + 1);
	double *high = add_line(sketch, name, &stroke, BOUNDS_STEPS + 1);

	sketch->lines[sketch->graph.nlines - 1].x = x;
	sketch->lines[sketch->graph.nlines - 2].x = x;
	for (unsigned i = 0; i <= BOUNDS_STEPS; i++) {
		struct check_value value = {0};

		x[i] = last * i / BOUNDS_STEPS;
		low[i] = high[i] = (double)NAN;
		qos_percentile(run, (enum series_dir)d, 100 - 100 * pow(10, -x[i]), &value);
		if (value.state != CHECK_KNOWN || !(value.low > 0) || isinf(value.high))
			continue;
		low[i] = value.low;
		high[i] = value.high;
	}
}

static void percentile_graph(struct document *doc, const struct qos_graphs *in)
{
	struct sketch sketch;

	begin(&sketch, doc, in, "percentiles", N_("Latency by percentile"));
	sketch.graph.x = (struct scale){.kind = SCALE_NINES, .unit = SCALE_PERCENT};
	sketch.graph.x_words = N_("share of the requests that take at most this long");
	sketch.graph.y_words = N_("latency");
	sketch.graph.unit = N_("ns");
	latency_scale(&sketch, &sketch.graph.y);
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		if (!has_latency(in->run, d) || plot_nines(in->run->part[d].sums.total) <= 0)
			continue;
		add_curve(&sketch, d);
		add_bounds(&sketch, d);
	}
	limits_at(&sketch, false);
	if (sketch.graph.nlines && !sketch.graph.note)
		sketch.graph.note =
			N_("Each curve ends where fewer than ten requests lie beyond it.");
	end(&sketch);
}

static double row_middle(unsigned row)
{
	double low = (double)hist_low_ns(row * DENSITY_BUCKETS_PER_ROW);
	double high = row + 1 < DENSITY_ROWS
			      ? (double)hist_low_ns((row + 1) * DENSITY_BUCKETS_PER_ROW)
			      : (double)(1ULL << HIST_MAX_BITS);

	return sqrt(fmax(low, 1) * high);
}

/* A step for each eighth of an octave between the first and the last that holds anything. */
static void add_shares(struct sketch *sketch, unsigned d, bool exceed)
{
	const struct stroke stroke = stroke_of(d, 1.6);
	double share[DENSITY_ROWS], above = 100, *x, *y;
	double least = 50 / (double)sketch->in->run->part[d].sums.total; /* half a request */
	unsigned first = 0, last = DENSITY_ROWS - 1, count;

	plot_rows(sketch->in->run->part[d].hist, share);
	while (first < last && !(share[first] > 0))
		first++;
	while (last > first && !(share[last] > 0))
		last--;
	count = last - first + 1;
	x = arena_array(&sketch->arena, double, count);
	y = add_line(sketch, qos_dir_name((enum series_dir)d), &stroke, count);
	sketch->lines[sketch->graph.nlines - 1].x = x;
	for (unsigned i = 0; i < count; i++) {
		/* From the least on, of which all are. */
		x[i] = exceed ? fmax((double)hist_low_ns((first + i) * DENSITY_BUCKETS_PER_ROW),
				     (double)sketch->in->run->part[d].sums.min_ns)
			      : row_middle(first + i);
		y[i] = exceed ? above : share[first + i];
		above -= share[first + i];
		if (!(y[i] > least)) /* what is left of the rounding */
			y[i] = (double)NAN;
	}
}

static void share_graph(struct document *doc, const struct qos_graphs *in, bool exceed)
{
	struct sketch sketch;

	begin(&sketch, doc, in, exceed ? "exceedance" : "histogram",
	      exceed ? N_("How many requests take longer") : N_("Histogram of latency"));
	latency_scale(&sketch, &sketch.graph.x);
	sketch.graph.x_words =
		exceed ? N_("latency") : N_("latency, eight steps to each doubling");
	sketch.graph.y_words = sketch.graph.unit = N_("percent of the requests");
	sketch.graph.y = (struct scale){.kind = SCALE_LOG, .low = 1e-4, .high = 100};
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		if (has_latency(in->run, d))
			add_shares(&sketch, d, exceed);
	}
	graph_fit_y(&sketch.graph);
	sketch.graph.y.low = fmin(sketch.graph.y.low, sketch.graph.y.high / 10);
	limits_at(&sketch, true);
	end(&sketch);
}

void qos_graphs(struct document *doc, const struct qos_graphs *graphs)
{
	if (cells_of(graphs->run) > 1) {
		rate_graph(doc, graphs, false);
		rate_graph(doc, graphs, true);
		for (unsigned d = 0; d < SERIES_ALL; d++)
			latency_graph(doc, graphs, d);
		for (unsigned d = 0; d < SERIES_DIRS; d++)
			field_graph(doc, graphs, d);
		written_graph(doc, graphs);
		if (!graphs->run->windowed || graphs->run->level == QOS_COMPLETIONS)
			rhythm_graph(doc, graphs);
	}
	if (!(graphs->ranges->high_ns > 0))
		return;
	percentile_graph(doc, graphs);
	share_graph(doc, graphs, false);
	share_graph(doc, graphs, true);
}
