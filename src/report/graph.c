#include "report/graph.h"

#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/quantity.h"
#include "report/axes.h"
#include "report/svg.h"

/* Pixels. */
#define WIDTH	      760.0
#define BOX_HEIGHT    220.0
#define MARGIN_LEFT   76.0
#define MARGIN_RIGHT  22.0
#define MARGIN_BOTTOM 46.0
#define MARGIN_TOP    12.0
#define TITLE_HEIGHT  28.0
#define KEY_HEIGHT    16.0
#define KEYS_MAX      (GRAPH_LINES_MAX + 8)
#define KEY_LETTER    6.6
#define SHADES_DRAWN  2000 /* more would only cover each other */
#define FIELD_PIXEL   2.0  /* pixels of the picture for each of the raster, across and up */

double graph_line_x(const struct graph *graph, const struct graph_line *line, unsigned i)
{
	return line->x ? line->x[i] : graph->begin + (i + 0.5) * graph->step;
}

struct stroke graph_stroke(unsigned line)
{
	static const enum ink inks[] = {INK_BLUE, INK_ORANGE, INK_GREEN, INK_RED, INK_PINK};
	static const enum dash dashes[] = {DASH_SOLID, DASH_LONG, DASH_SHORT};

	return (struct stroke){inks[line % ARRAY_SIZE(inks)], 1.7,
			       dashes[line % ARRAY_SIZE(dashes)]};
}

bool graph_is_time(const struct graph *graph)
{
	return graph->x.unit == SCALE_SECONDS;
}

void graph_fit_y(struct graph *graph)
{
	bool is_log = graph->y.kind == SCALE_LOG, any = false;
	double low = 0, high = 0;

	for (unsigned l = 0; l < graph->nlines; l++) {
		const struct graph_line *line = &graph->lines[l];

		for (unsigned i = 0; i < line->count; i++) {
			double y = line->y[i];

			if (isnan(y) || (is_log && y <= 0))
				continue;
			low = any ? fmin(low, y) : y;
			high = any ? fmax(high, y) : y;
			any = true;
		}
	}
	if (!any)
		return;
	graph->y.low = is_log ? low : fmin(low, 0);
	graph->y.high = high;
}

/* The least value above 0, from which a logarithmic axis can begin. */
static double least_above_0(const struct graph *graph)
{
	double least = graph->y.high;

	for (unsigned l = 0; l < graph->nlines; l++) {
		const struct graph_line *line = &graph->lines[l];

		for (unsigned i = 0; i < line->count; i++)
			if (line->y[i] > 0)
				least = fmin(least, line->y[i]);
	}
	return least;
}

bool graph_other(const struct graph *graph, enum lang lang, struct arena *arena,
		 struct graph *ret_other)
{
	bool to_log = graph->y.kind == SCALE_LINEAR;

	if (!graph->both)
		return false;
	*ret_other = *graph;
	ret_other->id = arena_printf(arena, "%s-%s", graph->id, to_log ? "log" : "linear");
	ret_other->title = arena_printf(
		arena, "%s, %s", graph->title,
		lang_text(lang, to_log ? N_("logarithmic scale") : N_("linear scale")));
	ret_other->y.kind = to_log ? SCALE_LOG : SCALE_LINEAR;
	ret_other->y.low = to_log ? least_above_0(graph) : 0;
	return true;
}

/* --- the key --- */

struct keys {
	struct axes_key key[KEYS_MAX];
	unsigned count;
	unsigned row_end[KEYS_MAX]; /* index behind the last key of each row */
	unsigned rows;
};

static void add_key(struct keys *keys, const char *text, const struct stroke *stroke)
{
	if (!text || keys->count == KEYS_MAX)
		return;
	for (unsigned i = 0; i < keys->count; i++) {
		if (str_equal(keys->key[i].text, text))
			return;
	}
	keys->key[keys->count++] = (struct axes_key){text, *stroke};
}

static void keys_of(const struct graph *graph, struct keys *keys)
{
	double used = 0;

	*keys = (struct keys){0};
	for (unsigned i = 0; i < graph->nlines; i++)
		add_key(keys, graph->lines[i].name, &graph->lines[i].stroke);
	for (unsigned i = 0; i < graph->nshades; i++)
		add_key(keys, graph->shades[i].text,
			&(struct stroke){graph->shades[i].ink, 5, DASH_SOLID});
	for (unsigned i = 0; i < keys->count; i++) {
		double width = 41 + KEY_LETTER * str_columns(keys->key[i].text);

		if (i && used + width > WIDTH - MARGIN_LEFT - MARGIN_RIGHT) {
			keys->row_end[keys->rows++] = i;
			used = 0;
		}
		used += width;
	}
	if (keys->count)
		keys->row_end[keys->rows++] = keys->count;
}

static void draw_keys(const struct axes *axes, const struct keys *keys)
{
	unsigned from = 0;

	for (unsigned row = 0; row < keys->rows; row++) {
		struct axes moved = *axes;

		moved.box.y -= (keys->rows - 1 - row) * KEY_HEIGHT;
		axes_keys(&moved, &keys->key[from], keys->row_end[row] - from);
		from = keys->row_end[row];
	}
}

static double top_of(const struct keys *keys, bool titled)
{
	return MARGIN_TOP + (titled ? TITLE_HEIGHT : 0) + keys->rows * KEY_HEIGHT;
}

struct graph_size graph_size(const struct graph *graph, bool titled)
{
	struct keys keys;

	keys_of(graph, &keys);
	return (struct graph_size){WIDTH, top_of(&keys, titled) + BOX_HEIGHT + MARGIN_BOTTOM};
}

/* --- inside the box --- */

static void draw_shades(const struct graph *graph, struct axes *axes)
{
	double last = -1;
	unsigned drawn = 0;

	for (unsigned i = 0; i < graph->nshades && drawn < SHADES_DRAWN; i++) {
		const struct graph_shade *shade = &graph->shades[i];
		double from = scale_pixel(&axes->x, shade->from);
		double to = fmax(scale_pixel(&axes->x, shade->to), from + 2);

		if (to <= last + 0.5)
			continue; /* inside the one before */
		axes->canvas->ops->fill(
			axes->canvas,
			&(struct box){from, axes->box.y, to - from, axes->box.height},
			shade->ink, 0.2);
		last = to;
		drawn++;
	}
}

static double scale_value(const struct scale *scale, double pixel)
{
	double share = (pixel - scale->begin) / (scale->end - scale->begin);

	if (scale->kind == SCALE_LOG)
		return scale->low * pow(scale->high / scale->low, share);
	return scale->low + share * (scale->high - scale->low);
}

/* The row of the field at a value; `rows` where it lies outside. */
static unsigned row_at(const struct graph_field *field, double value)
{
	unsigned low = 0, high = field->rows;

	if (value < field->edges[0] || value >= field->edges[high])
		return field->rows;
	while (high - low > 1) {
		unsigned middle = (low + high) / 2;

		if (field->edges[middle] <= value)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The greatest count of the field's cells below a raster's pixel: a single one is seen. */
static uint32_t count_below(const struct graph *graph, const struct axes *axes, double x,
			    double y)
{
	const struct graph_field *field = graph->field;
	double left = (scale_value(&axes->x, x) - field->x_low) / field->x_step;
	double right = (scale_value(&axes->x, x + FIELD_PIXEL) - field->x_low) / field->x_step;
	unsigned bottom = row_at(field, scale_value(&axes->y, y + FIELD_PIXEL));
	unsigned top = row_at(field, scale_value(&axes->y, y));
	unsigned from = (unsigned)fmax(left, 0), to = (unsigned)fmax(ceil(right - 1e-9), 0);
	uint32_t most = 0;

	if (bottom == field->rows || right <= 0)
		return 0;
	top = top == field->rows ? field->rows - 1 : top;
	to = to > from ? to : from + 1;
	for (unsigned c = from; c < to && c < field->columns; c++) {
		for (unsigned r = bottom; r <= top; r++)
			most = (uint32_t)max_u64(most,
						 field->count[(size_t)c * field->rows + r]);
	}
	return most;
}

static void draw_field(const struct graph *graph, struct axes *axes)
{
	const struct graph_field *field = graph->field;
	unsigned width = (unsigned)(axes->box.width / FIELD_PIXEL);
	unsigned height = (unsigned)(axes->box.height / FIELD_PIXEL);
	uint8_t *pixels = arena_array(axes->arena, uint8_t, (size_t)width * height);
	const struct raster raster = {width, height, pixels, INK_BLUE};
	uint32_t most = 1;

	for (size_t i = 0; i < (size_t)field->columns * field->rows; i++)
		most = (uint32_t)max_u64(most, field->count[i]);
	for (unsigned r = 0; r < height; r++) {
		for (unsigned c = 0; c < width; c++) {
			uint32_t n = count_below(graph, axes, axes->box.x + c * FIELD_PIXEL,
						 axes->box.y + r * FIELD_PIXEL);

			if (n)
				pixels[(size_t)r * width + c] =
					(uint8_t)(1 + 254 * log(n) / fmax(log(most), 1e-9));
		}
	}
	axes->canvas->ops->image(axes->canvas, &axes->box, &raster);
}

static bool is_dense(const struct graph_line *line, const struct axes *axes)
{
	return line->count > axes->box.width && !graph_line_scatters(line);
}

static void draw_envelope(const struct graph *graph, const struct graph_line *line,
			  struct axes *axes)
{
	struct envelope envelope;

	envelope_init(axes, &envelope);
	for (unsigned i = 0; i < line->count; i++) {
		double x = graph_line_x(graph, line, i);

		if (isnan(line->y[i]))
			envelope.cut[envelope_at(axes, &envelope, x)] = true;
		else
			envelope_add(axes, &envelope, x, line->y[i]);
	}
	envelope_draw(axes, &envelope, &line->stroke);
}

static void draw_points(const struct graph *graph, const struct graph_line *line,
			struct axes *axes)
{
	struct point *points = arena_array(axes->arena, struct point, line->count + 1);

	for (unsigned i = 0; i < line->count; i++) {
		double x = scale_pixel(&axes->x, graph_line_x(graph, line, i));
		double y = isnan(line->y[i]) ? (double)NAN : scale_pixel(&axes->y, line->y[i]);
		/* A point between unknown ones would leave no ink as a line. */
		bool alone = (i == 0 || isnan(line->y[i - 1])) &&
			     (i + 1 == line->count || isnan(line->y[i + 1]));

		points[i] = (struct point){x, y};
		if (!isnan(y) && (line->dots || alone))
			axes->canvas->ops->fill(axes->canvas,
						&(struct box){x - 1.5, y - 1.5, 3, 3},
						line->stroke.ink, 1);
	}
	if (!line->dots)
		axes->canvas->ops->line(axes->canvas, points, line->count, &line->stroke);
}

static void draw_lines(const struct graph *graph, struct axes *axes)
{
	for (unsigned i = 0; i < graph->nlines; i++) {
		const struct graph_line *line = &graph->lines[i];

		if (is_dense(line, axes))
			draw_envelope(graph, line, axes);
		else
			draw_points(graph, line, axes);
	}
}

static void draw_limits(const struct graph *graph, struct axes *axes)
{
	const struct stroke stroke = {INK_TEXT, 1.2, DASH_LONG};
	const struct lettering words = {.ink = INK_TEXT, .size = 12, .anchor = ANCHOR_END};
	double right = axes->box.x + axes->box.width, foot = axes->box.y + axes->box.height;

	for (unsigned i = 0; i < graph->nlimits; i++) {
		const struct graph_limit *limit = &graph->limits[i];
		const struct scale *scale = limit->upright ? &axes->x : &axes->y;
		double at = scale_pixel(scale, limit->at);

		if (limit->at < scale->low || limit->at > scale->high)
			continue;
		if (limit->upright)
			axes_segment(axes, (struct point){at, axes->box.y},
				     (struct point){at, foot}, &stroke);
		else
			axes_segment(axes, (struct point){axes->box.x, at},
				     (struct point){right, at}, &stroke);
		if (limit->text)
			axes_caption(axes, limit->upright ? at - 4 : right - 4,
				     limit->upright ? axes->box.y + 12 : at - 4, &words,
				     limit->text);
	}
}

void graph_draw(const struct graph *graph, bool titled, struct canvas *canvas)
{
	struct axes_words words = {.title = NULL, .x = graph->x_words, .y = graph->y_words};
	const struct lettering head = {.ink = INK_TEXT, .size = 14, .bold = true};
	struct axes axes = {.canvas = canvas, .x = graph->x, .y = graph->y};
	struct arena arena;
	struct keys keys;

	arena_init(&arena);
	axes.arena = &arena;
	keys_of(graph, &keys);
	axes.box = (struct box){MARGIN_LEFT, top_of(&keys, titled),
				WIDTH - MARGIN_LEFT - MARGIN_RIGHT, BOX_HEIGHT};
	if (titled)
		axes_caption(&axes, MARGIN_LEFT, 22, &head, graph->title);
	axes_draw(&axes, &words);
	draw_shades(graph, &axes);
	if (graph->field)
		draw_field(graph, &axes);
	draw_lines(graph, &axes);
	draw_limits(graph, &axes);
	draw_keys(&axes, &keys);
	arena_done(&arena);
}

void graph_svg(const struct graph *graph, struct str *out)
{
	struct graph_size size = graph_size(graph, true);
	struct svg svg;

	svg_begin(&svg, size.width, size.height, graph->title, out);
	graph_draw(graph, true, &svg.canvas);
	svg_end(&svg);
}

void graph_value(const struct scale *scale, double value, struct str *out)
{
	switch (scale->unit) {
	case SCALE_TIME_NS:
		quantity_time((uint64_t)fmax(value + 0.5, 0), out);
		return;
	case SCALE_SECONDS:
		str_printf(out, "%.4g s", value);
		return;
	case SCALE_PERCENT:
		str_printf(out, "%.7g %%", 100 - 100 * pow(10, -value));
		return;
	case SCALE_PLAIN:
		break;
	}
	if (value < 0) {
		str_add_char(out, '-');
		value = -value;
	}
	quantity_plain(value, out);
}
