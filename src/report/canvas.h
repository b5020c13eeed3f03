/*
 * A canvas: the few strokes that a chart is made of, in pixels from the upper left corner, with
 * inks instead of colours so that a picture has a light and a dark form. Two of them: SVG
 * (svg.h), and a bitmap by the cairo library (bitmap.h).
 *
 * The palette is Okabe and Ito's, told apart by all common forms of colour vision; lines differ
 * in their dashes too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum ink {
	INK_PAPER,
	INK_TEXT,
	INK_MUTED, /* ticks, captions */
	INK_GRID,
	INK_BLUE,
	INK_ORANGE,
	INK_GREEN,
	INK_RED,
	INK_PINK,
	NINKS,
};

struct ink_colors {
	const char *name;
	uint32_t light, dark; /* 0xrrggbb */
};
extern const struct ink_colors ink_colors[NINKS];

enum dash { DASH_SOLID, DASH_LONG, DASH_SHORT };
enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

struct point {
	double x, y;
};

struct stroke {
	enum ink ink;
	double width;
	enum dash dash;
};

struct lettering {
	enum ink ink;
	double size;
	enum anchor anchor;
	bool upright; /* turned by 90 degrees to the left */
	bool bold;
};

struct box {
	double x, y, width, height;
};

/* Small palette pictures: one byte a pixel, rows from the top. Index 0 is transparent; index i
 * is the ink at an opacity that grows with i. */
struct raster {
	unsigned width, height;
	const uint8_t *pixels;
	enum ink ink;
};
#define RASTER_OPACITY_MIN 0.22 /* of index 1: a single request must be seen */
double raster_opacity(unsigned index);

struct canvas;
struct canvas_ops {
	/* A NAN in y lifts the pen. */
	void (*line)(struct canvas *canvas, const struct point *points, unsigned count,
		     const struct stroke *stroke);
	void (*fill)(struct canvas *canvas, const struct box *box, enum ink ink,
		     double opacity);
	void (*text)(struct canvas *canvas, const struct point *at,
		     const struct lettering *lettering, const char *text);
	void (*image)(struct canvas *canvas, const struct box *box,
		      const struct raster *raster);
};

struct canvas {
	const struct canvas_ops *ops;
	double width, height;
};
