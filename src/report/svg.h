/*
 * A canvas that writes SVG 1.1: one file, nothing loaded from elsewhere, light and dark by the
 * reader's preference. Texts are escaped; what is not UTF-8 in them becomes "?".
 */
#pragma once

#include "base/str.h"
#include "report/canvas.h"

struct svg {
	struct canvas canvas;
	struct str *out; /* the caller's */
};

/* Writes the head; `title` is what screen readers say. */
void svg_begin(struct svg *svg, double width, double height, const char *title,
	       struct str *out);
/* Inside a page of HTML that has svg_style() in its own style; no paper below it. */
void svg_begin_inside(struct svg *svg, double width, double height, const char *title,
		      struct str *out);
void svg_end(struct svg *svg);

/* For SVG and HTML: & < > " and control characters. */
void svg_escape(const char *text, struct str *out);
/* The two sets of colours, as rules of CSS for both SVG and HTML. */
void svg_style(struct str *out);
