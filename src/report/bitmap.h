/*
 * A canvas that paints a PNG through the cairo library. Cairo is opened when a bitmap is asked
 * for and not before: it brings along a dozen libraries, which neither a run's start nor a
 * server without fonts should pay for. Where it is missing the error names the package, and SVG
 * goes without.
 */
#pragma once

#include "base/err.h"
#include "report/canvas.h"

struct bitmap {
	struct canvas canvas;
	struct bitmap_library *library;
	void *surface, *context; /* cairo's */
};

/* `scale`: pixels of the bitmap for each of the canvas. */
int bitmap_begin(struct bitmap *bitmap, double width, double height, double scale,
		 struct err *err);
/* Writes the file and releases the canvas. */
int bitmap_end(struct bitmap *bitmap, const char *path, struct err *err);
