/*
 * A graph as data: lines, a field of counts, limits and shades over two axes. One function
 * draws it on any canvas (SVG, PNG), one tells it to a terminal, one writes it as columns;
 * the page of HTML carries its numbers for the reader's own zoom. The arrays are the
 * caller's and must live as long as the graph is used.
 */
#pragma once

#include "report/canvas.h"
#include "report/document.h"
#include "report/scale.h"

#define GRAPH_LINES_MAX 16

struct graph_line {
	const char *name;
	struct stroke stroke;
	const double *x; /* NULL: the middles of equal steps, begin + (i + 0.5) * step */
	const double *y; /* NAN: not known, the pen is lifted */
	unsigned count;
	bool dots;
	/* Finer values in the graph's windows, one window after the other; NULL: none. */
	const double *fine;
};

/* Dots at an x of their own: several may have the same, and between two of them is nothing. */
static inline bool graph_line_scatters(const struct graph_line *line)
{
	return line->dots && line->x;
}

/* How many lie in each cell of x by y, rows from the lowest. */
struct graph_field {
	unsigned columns, rows;
	double x_low, x_step;
	const double *edges;   /* of the rows, rows + 1 ascending */
	const uint32_t *count; /* [column * rows + row] */
};

/* A line across: horizontal, or upright at an x. */
struct graph_limit {
	double at;
	bool upright;
	const char *text; /* NULL: none */
};

/* A stretch of x: the steady window, an interval without completions. */
struct graph_shade {
	double from, to;
	enum ink ink;
	const char *text; /* for the key; of equal texts one is shown; NULL: none */
};

/* A stretch of x of which more is known than the steps: `count` steps of the graph's fine_step. */
struct graph_window {
	double begin;
	unsigned count;
};

struct graph {
	const char *id; /* "iops": unique in its page; letters, digits and "-" */
	const char *title;
	const char *note; /* a sentence below: sample counts, what to mind; NULL: none */
	const char *x_words, *y_words;
	const char *unit;  /* of the lines' values, for words and columns: "ns", "IOPS" */
	struct scale x, y; /* kind, unit, low and high; pixels are set by who draws */
	const char
		*axis; /* graphs over one time move together: whose it is; NULL: the page's */
	double begin, step;
	const struct graph_line *lines;
	unsigned nlines;
	const struct graph_window *windows; /* ascending, apart; for the page's own zoom only */
	unsigned nwindows;
	double fine_step;
	const char *fine_note;		 /* a sentence on them; NULL: none */
	const struct graph_field *field; /* NULL: none */
	const struct graph_limit *limits;
	unsigned nlimits;
	const struct graph_shade *shades;
	unsigned nshades;
	bool both; /* matters on a linear y axis and a logarithmic one: pictures show it on each */
	bool half; /* stands beside the next one of its kind, where the page is wide enough */
};

/* A stroke for the n-th line of a graph, told apart from the others by ink and dashes: 15 of
 * them. */
struct stroke graph_stroke(unsigned line);

struct graph_size {
	double width, height;
};
/* `titled`: with its title, as a picture that stands alone has it. */
struct graph_size graph_size(const struct graph *graph, bool titled);
void graph_draw(const struct graph *graph, bool titled, struct canvas *canvas);
/* A whole file. */
void graph_svg(const struct graph *graph, struct str *out);
/* Dots of Braille (or signs of ASCII), and the least and greatest value of each line. */
void graph_text(const struct graph *graph, const struct page_style *style, struct str *out);
/* A line a point: x, then the value of each line there ("" where none is known). Of a field a line
 * a cell: where it begins, its two edges, and its count. */
void graph_csv(const struct graph *graph, struct str *out);

/* The same on the other kind of y axis, for a picture: false where `graph` is not of both. Its id
 * and title are in `arena`. */
bool graph_other(const struct graph *graph, enum lang lang, struct arena *arena,
		 struct graph *ret_other);

double graph_line_x(const struct graph *graph, const struct graph_line *line, unsigned i);
bool graph_is_time(const struct graph *graph);
/* Low and high of y from the lines' values: `graph->y` where there are none. On a logarithmic
 * scale only what is above 0 counts. */
void graph_fit_y(struct graph *graph);
/* "12.3 ms", "1,235", "99.9 %": a value of the axis as words. */
void graph_value(const struct scale *scale, double value, struct str *out);
