#include "report/graph_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/json.h"
#include "base/memory.h"
#include "report/pack.h"
#include "report/png.h"

#define LEAST_EXPONENT	  (-10)
#define GREATEST_EXPONENT 18
#define MANTISSAS	  9000
#define TILE_POINTS	  400  /* a coarser tile has at least so many points */
#define XY_POINTS	  2000 /* lines over an x of their own keep at most twice as many */
#define PACK_LEVEL	  3    /* 6 takes 0.1 s of CPU more for a day, and saves 1 % */
#define PLANES		  3

/* 10 to the n-th, exact; a pow() a value would be a fortieth of a day's report. */
static double power_of_ten(int n)
{
	static const double powers[] = {1e0,  1e1,  1e2,  1e3,	1e4,  1e5,  1e6,
					1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
					1e14, 1e15, 1e16, 1e17, 1e18};

	_Static_assert(ARRAY_SIZE(powers) == GREATEST_EXPONENT + 1, "all of them");
	return powers[n];
}

uint32_t graph_code(double value)
{
	int exponent;
	double mantissa;

	if (isnan(value))
		return 0;
	if (!(value > 0))
		return 1;
	exponent = (int)floor(log10(value)) - 3;
	exponent = exponent < LEAST_EXPONENT	  ? LEAST_EXPONENT
		   : exponent > GREATEST_EXPONENT ? GREATEST_EXPONENT
						  : exponent;
	mantissa = round(exponent < 0 ? value * power_of_ten(-exponent)
				      : value / power_of_ten(exponent));
	if (mantissa > 9999 && exponent < GREATEST_EXPONENT) {
		mantissa = 1000;
		exponent++;
	}
	mantissa = fmin(fmax(mantissa, 1000), 9999);
	return 2 + (uint32_t)(exponent - LEAST_EXPONENT) * MANTISSAS +
	       (uint32_t)(mantissa - 1000);
}

double graph_decode(uint32_t code)
{
	int exponent;
	double mantissa;

	if (code < 2)
		return code ? 0 : (double)NAN;
	exponent = (int)((code - 2) / MANTISSAS) + LEAST_EXPONENT;
	mantissa = 1000 + (code - 2) % MANTISSAS;
	return exponent < 0 ? mantissa / power_of_ten(-exponent)
			    : mantissa * power_of_ten(exponent);
}

unsigned graph_tiles(unsigned count, unsigned *ret_join)
{
	static const unsigned joins[GRAPH_TILES_MAX] = {1, 10, 60};
	unsigned tiles = 0;

	while (tiles < GRAPH_TILES_MAX && (tiles == 0 || count / joins[tiles] >= TILE_POINTS)) {
		ret_join[tiles] = joins[tiles];
		tiles++;
	}
	return tiles;
}

/* --- planes of bytes --- */

struct planes {
	unsigned char *bytes;
	size_t used;
};

static uint32_t zigzag(uint32_t code, uint32_t last)
{
	int32_t step = (int32_t)(code - last);

	return ((uint32_t)step << 1) ^ (uint32_t)(step >> 31);
}

static void add_planes(unsigned char *at, const uint32_t *codes, unsigned count, bool steps)
{
	uint32_t last = 0;

	for (unsigned i = 0; i < count; i++) {
		uint32_t code = steps ? zigzag(codes[i], last) : codes[i];

		last = codes[i];
		at[i] = (unsigned char)code;
		at[count + i] = (unsigned char)(code >> 8);
		at[2 * (size_t)count + i] = (unsigned char)(code >> 16);
	}
}

/* Bits that the planes take when each byte is coded by how often it occurs. */
static double bits_of(const unsigned char *planes, unsigned count)
{
	double bits = 0;

	for (unsigned plane = 0; plane < PLANES; plane++) {
		unsigned seen[256] = {0};

		for (unsigned i = 0; i < count; i++)
			seen[planes[(size_t)plane * count + i]]++;
		for (unsigned i = 0; i < ARRAY_SIZE(seen); i++)
			bits += seen[i] ? seen[i] * log2((double)count / seen[i]) : 0;
	}
	return bits;
}

/* One array: whether it is differences, and three planes; what scatters without a memory takes
 * less as it is, what drifts as differences. */
static void add_codes(struct planes *planes, const uint32_t *codes, unsigned count)
{
	unsigned char *at = planes->bytes + planes->used;
	double plain;

	add_planes(at + 1, codes, count, false);
	plain = bits_of(at + 1, count);
	add_planes(at + 1, codes, count, true);
	*at = plain > bits_of(at + 1, count);
	if (!*at)
		add_planes(at + 1, codes, count, false);
	planes->used += 1 + PLANES * (size_t)count;
}

/* The least and the greatest known value of `join` steps from `from` on; an unknown one among
 * known ones is passed over. */
static void ends_of(const struct graph_line *line, unsigned from, unsigned join,
		    double *ret_low, double *ret_high)
{
	double low = (double)NAN, high = (double)NAN;

	for (unsigned i = from; i < from + join && i < line->count; i++) {
		low = fmin(low, line->y[i]); /* fmin and fmax pass NAN over */
		high = fmax(high, line->y[i]);
	}
	*ret_low = low;
	*ret_high = high;
}

/* Which of the next finer tile's points is the least, and which the greatest: a byte each. What is
 * chosen takes its place at the front of `codes`, for the tile after this. */
static void add_choice(struct planes *planes, uint32_t *codes, unsigned count, unsigned ratio,
		       bool greatest)
{
	for (unsigned i = 0; i * ratio < count; i++) {
		unsigned best = i * ratio;

		for (unsigned k = best; k < (i + 1) * ratio && k < count; k++) {
			bool better =
				greatest ? codes[k] > codes[best] : codes[k] < codes[best];

			if (codes[k] && (better || !codes[best])) /* 0 is unknown */
				best = k;
		}
		planes->bytes[planes->used++] = (unsigned char)(best - i * ratio);
		codes[i] = codes[best];
	}
}

/* A line: its points, then for each coarser tile the choices of the least and of the greatest.
 * `low` and `high` are room for a code a point. */
static void add_line_tiles(struct planes *planes, const struct graph_line *line,
			   const unsigned *join, unsigned tiles, uint32_t *low, uint32_t *high)
{
	unsigned count = line->count;

	for (unsigned i = 0; i < count; i++)
		low[i] = high[i] = graph_code(line->y[i]);
	add_codes(planes, low, count);
	for (unsigned t = 1; t < tiles; t++) {
		unsigned ratio = join[t] / join[t - 1];

		add_choice(planes, low, count, ratio, false);
		add_choice(planes, high, count, ratio, true);
		count = (count + ratio - 1) / ratio;
	}
}

/* "key": "base64 of zlib's form" */
static void add_packed(struct json *json, const char *key, const unsigned char *bytes,
		       size_t count)
{
	size_t packed_bytes;
	char *packed = pack_zlib(bytes, count, PACK_LEVEL, &packed_bytes);

	json_add_raw(json, key, "\""); /* straight to its place: this is megabytes */
	base64_write(packed, packed_bytes, json->out);
	str_add_char(json->out, '"');
	free(packed);
}

/* --- the parts of a graph --- */

/* A logarithmic axis may begin at 1e-9. */
static void add_real(struct json *json, const char *key, double value)
{
	autostr text = {0};

	if (isnan(value) || isinf(value)) {
		json_add_null(json, key);
		return;
	}
	str_printf(&text, "%.9g", value);
	json_add_raw(json, key, str_text(&text));
}

static void add_scale(struct json *json, const char *key, const struct scale *scale)
{
	static const char *const kinds[] = {
		[SCALE_LINEAR] = "linear", [SCALE_LOG] = "log", [SCALE_NINES] = "nines"};
	static const char *const units[] = {[SCALE_PLAIN] = "plain",
					    [SCALE_TIME_NS] = "ns",
					    [SCALE_SECONDS] = "s",
					    [SCALE_PERCENT] = "percent"};
	struct scale round = *scale;

	scale_round(&round);
	json_open_object(json, key);
	json_add_string(json, "kind", kinds[scale->kind]);
	json_add_string(json, "unit", units[scale->unit]);
	add_real(json, "low", round.low);
	add_real(json, "high", round.high);
	json_close_object(json);
}

/* The points of a line over an x of its own; where there are more than a screen has columns,
 * the least and the greatest of neighbours stand for all. */
static void add_points(struct json *json, const struct graph *graph,
		       const struct graph_line *line, bool of_x)
{
	unsigned join =
		line->count > 2 * XY_POINTS ? (line->count + XY_POINTS - 1) / XY_POINTS : 1;

	json_open_array(json, of_x ? "x" : "y");
	for (unsigned i = 0; i < line->count; i += join) {
		double low, high;

		ends_of(line, i, join, &low, &high);
		add_real(json, NULL, of_x ? graph_line_x(graph, line, i) : low);
		if (join > 1)
			add_real(json, NULL, of_x ? graph_line_x(graph, line, i) : high);
	}
	json_close_array(json);
}

static void add_lines(struct json *json, const struct graph *graph)
{
	json_open_array(json, "lines");
	for (unsigned i = 0; i < graph->nlines; i++) {
		const struct graph_line *line = &graph->lines[i];

		json_open_object(json, NULL);
		json_add_string(json, "name", line->name);
		json_add_string(json, "ink", ink_colors[line->stroke.ink].name);
		add_real(json, "width", line->stroke.width);
		json_add_u64(json, "dash", line->stroke.dash);
		json_add_bool(json, "dots", line->dots);
		if (line->x) {
			add_points(json, graph, line, true);
			add_points(json, graph, line, false);
		}
		json_close_object(json);
	}
	json_close_array(json);
}

static void add_tiles(struct json *json, const struct graph *graph)
{
	unsigned join[GRAPH_TILES_MAX], count = graph->lines[0].count;
	unsigned tiles = graph_tiles(count, join);
	uint32_t *codes = memory_zeroed(2 * (count + 1UL), sizeof(*codes));
	size_t line_bytes = 1 + PLANES * (size_t)count;
	struct planes planes = {0};

	for (unsigned t = 1; t < tiles; t++)
		line_bytes += 2 * ((size_t)count + join[t] - 1) / join[t] + 2;
	planes.bytes = memory_take(line_bytes * graph->nlines);
	add_real(json, "begin", graph->begin);
	add_real(json, "step", graph->step);
	json_add_u64(json, "count", count);
	json_open_array(json, "join");
	for (unsigned t = 0; t < tiles; t++)
		json_add_u64(json, NULL, join[t]);
	json_close_array(json);
	for (unsigned i = 0; i < graph->nlines; i++)
		add_line_tiles(&planes, &graph->lines[i], join, tiles, codes, codes + count);
	assert(planes.used <= line_bytes * graph->nlines);
	add_packed(json, "tiles", planes.bytes, planes.used);
	free(codes);
	free(planes.bytes);
}

static unsigned fine_count(const struct graph *graph)
{
	unsigned count = 0;

	for (unsigned i = 0; i < graph->nwindows; i++)
		count += graph->windows[i].count;
	return count;
}

static void add_fine(struct json *json, const struct graph *graph)
{
	unsigned count = fine_count(graph);
	uint32_t *codes = memory_zeroed(count + 1UL, sizeof(*codes));
	size_t line_bytes = 1 + PLANES * (size_t)count;
	struct planes planes = {.bytes = memory_take(line_bytes * graph->nlines)};

	json_open_object(json, "fine");
	add_real(json, "step", graph->fine_step);
	json_open_array(json, "windows");
	for (unsigned i = 0; i < graph->nwindows; i++) {
		json_open_array(json, NULL);
		add_real(json, NULL, graph->windows[i].begin);
		json_add_u64(json, NULL, graph->windows[i].count);
		json_close_array(json);
	}
	json_close_array(json);
	json_open_array(json, "lines");
	for (unsigned l = 0; l < graph->nlines; l++) {
		if (!graph->lines[l].fine)
			continue;
		json_add_u64(json, NULL, l);
		for (unsigned i = 0; i < count; i++)
			codes[i] = graph_code(graph->lines[l].fine[i]);
		add_codes(&planes, codes, count);
	}
	json_close_array(json);
	add_packed(json, "tiles", planes.bytes, planes.used);
	json_close_object(json);
	free(codes);
	free(planes.bytes);
}

static void add_field(struct json *json, const struct graph_field *field)
{
	size_t cells = (size_t)field->columns * field->rows;
	unsigned char *bytes = memory_take(4 * cells + 1);

	for (size_t i = 0; i < cells; i++) {
		for (unsigned k = 0; k < 4; k++)
			bytes[k * cells + i] = (unsigned char)(field->count[i] >> 8 * k);
	}
	json_open_object(json, "field");
	json_add_u64(json, "columns", field->columns);
	json_add_u64(json, "rows", field->rows);
	add_real(json, "x_low", field->x_low);
	add_real(json, "x_step", field->x_step);
	json_open_array(json, "edges");
	for (unsigned i = 0; i <= field->rows; i++)
		add_real(json, NULL, field->edges[i]);
	json_close_array(json);
	add_packed(json, "counts", bytes, 4 * cells);
	json_close_object(json);
	free(bytes);
}

static void add_marks(struct json *json, const struct graph *graph)
{
	json_open_array(json, "limits");
	for (unsigned i = 0; i < graph->nlimits; i++) {
		json_open_object(json, NULL);
		add_real(json, "at", graph->limits[i].at);
		json_add_bool(json, "upright", graph->limits[i].upright);
		json_add_string(json, "text",
				graph->limits[i].text ? graph->limits[i].text : "");
		json_close_object(json);
	}
	json_close_array(json);
	json_open_array(json, "shades");
	for (unsigned i = 0; i < graph->nshades; i++) {
		json_open_object(json, NULL);
		add_real(json, "from", graph->shades[i].from);
		add_real(json, "to", graph->shades[i].to);
		json_add_string(json, "ink", ink_colors[graph->shades[i].ink].name);
		json_add_string(json, "text",
				graph->shades[i].text ? graph->shades[i].text : "");
		json_close_object(json);
	}
	json_close_array(json);
}

/* Lines of equal steps of one length: then they are tiles. */
static bool is_tiled(const struct graph *graph)
{
	for (unsigned i = 0; i < graph->nlines; i++) {
		if (graph->lines[i].x || graph->lines[i].count != graph->lines[0].count)
			return false;
	}
	return graph->nlines > 0;
}

/* Inside a script element "<" could end it, whatever the quotes say. */
static void hide_markup(struct str *out, size_t from)
{
	autostr rest = {0};

	if (!strchr(out->text + from, '<'))
		return;
	str_add(&rest, out->text + from);
	out->length = from;
	for (const char *c = str_text(&rest); *c; c++) {
		if (*c == '<')
			str_add(out, "\\u003c");
		else
			str_add_char(out, *c);
	}
}

void graph_data(const struct graph *graph, struct str *out)
{
	size_t from = out->length;
	struct json json;

	json_init_compact(&json, out);
	json_open_object(&json, NULL);
	json_add_string(&json, "title", graph->title);
	json_add_string(&json, "x_words", graph->x_words);
	json_add_string(&json, "y_words", graph->y_words);
	json_add_string(&json, "unit", graph->unit ? graph->unit : "");
	json_add_string(&json, "axis", graph->axis ? graph->axis : "");
	add_scale(&json, "x", &graph->x);
	add_scale(&json, "y", &graph->y);
	add_lines(&json, graph);
	if (is_tiled(graph))
		add_tiles(&json, graph);
	if (is_tiled(graph) && graph->nwindows)
		add_fine(&json, graph);
	if (graph->field)
		add_field(&json, graph->field);
	add_marks(&json, graph);
	json_close_object(&json);
	hide_markup(out, from);
}
