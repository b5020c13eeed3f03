/*
 * The axes of a picture: frame, grid, ticks and words around a box, a key above it, and envelopes
 * inside: lines that hold the least and the greatest value of each pixel column, so that no spike
 * is lost however many intervals share one.
 */
#pragma once

#include "base/arena.h"
#include "report/canvas.h"
#include "report/scale.h"

struct axes {
	struct canvas *canvas;
	struct box box; /* of the lines; words stand outside */
	struct scale x, y;
	struct arena *arena;
};

/* `title` NULL: none, and no room for it. */
struct axes_words {
	const char *title, *x, *y;
};
/* By axes->x and axes->y, which are rounded and get their pixels; then lines may be drawn. */
void axes_draw(struct axes *axes, const struct axes_words *words);

void axes_caption(struct axes *axes, double x, double y, const struct lettering *lettering,
		  const char *text);
void axes_segment(struct axes *axes, struct point from, struct point to,
		  const struct stroke *stroke);

/* A key at the upper edge; entries stand side by side. */
struct axes_key {
	const char *text;
	struct stroke stroke;
};
void axes_keys(struct axes *axes, const struct axes_key *keys, unsigned count);

struct envelope {
	double *low, *high;
	bool *cut; /* an empty interval lies in it: the pen is lifted */
	unsigned width;
};
void envelope_init(struct axes *axes, struct envelope *envelope);
unsigned envelope_at(const struct axes *axes, const struct envelope *envelope, double x);
void envelope_add(struct axes *axes, struct envelope *envelope, double x, double y);
void envelope_draw(struct axes *axes, const struct envelope *envelope,
		   const struct stroke *stroke);
