/* A graph in a terminal. */
#include <math.h>

#include "base/bits.h"
#include "base/lang.h"
#include "report/graph.h"

#define ROWS	    9
#define LABEL_WIDTH 11
#define WIDTH_MAX   200
#define DOTS_X	    2 /* of a sign of Braille */
#define DOTS_Y	    4

struct grid {
	uint8_t *dots; /* [row * width + column], bits of Braille */
	unsigned width;
	struct scale x, y; /* pixels are dots, y from the top */
};

static void set_dot(struct grid *grid, unsigned x, unsigned y)
{
	static const uint8_t bits[DOTS_Y][DOTS_X] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
	unsigned column = x / DOTS_X, row = y / DOTS_Y;

	if (column < grid->width && row < ROWS)
		grid->dots[row * grid->width + column] |= bits[y % DOTS_Y][x % DOTS_X];
}

static void add_line(const struct graph *graph, const struct graph_line *line,
		     struct grid *grid)
{
	double last_x = (double)NAN, last_y = 0;

	for (unsigned i = 0; i < line->count; i++) {
		double x = scale_pixel(&grid->x, graph_line_x(graph, line, i)), y;
		unsigned steps = 1;

		if (isnan(line->y[i])) {
			last_x = (double)NAN;
			continue;
		}
		y = scale_pixel(&grid->y, line->y[i]);
		if (isnan(last_x) || line->dots) {
			last_x = x;
			last_y = y;
		}
		steps += (unsigned)fmax(fabs(x - last_x), fabs(y - last_y));
		for (unsigned k = 1; k <= steps; k++)
			set_dot(grid, (unsigned)(last_x + (x - last_x) * k / steps),
				(unsigned)(last_y + (y - last_y) * k / steps));
		last_x = x;
		last_y = y;
	}
}

static void add_field(const struct graph *graph, struct grid *grid)
{
	const struct graph_field *field = graph->field;

	for (unsigned c = 0; c < field->columns; c++) {
		double x = scale_pixel(&grid->x, field->x_low + (c + 0.5) * field->x_step);

		for (unsigned r = 0; r < field->rows; r++) {
			double middle = sqrt(fmax(field->edges[r], 1) * field->edges[r + 1]);

			if (field->count[(size_t)c * field->rows + r])
				set_dot(grid, (unsigned)x,
					(unsigned)scale_pixel(&grid->y, middle));
		}
	}
}

static void add_braille(uint8_t dots, bool utf8, struct str *out)
{
	const char sign[] = {(char)0xe2, (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 0x3f)),
			     '\0'};

	if (!dots)
		str_add_char(out, ' ');
	else if (utf8)
		str_add(out, sign);
	else
		str_add_char(out, dots & (64 | 128) ? '_' : dots & (1 | 8) ? '\'' : '-');
}

static void add_grid(const struct grid *grid, const struct page_style *style, struct str *out)
{
	for (unsigned row = 0; row < ROWS; row++) {
		autostr label = {0};

		if (row == 0)
			graph_value(&grid->y, grid->y.high, &label);
		else if (row == ROWS - 1)
			graph_value(&grid->y, grid->y.low, &label);
		str_add_right(out, str_text(&label), LABEL_WIDTH - 2);
		str_add(out, style->utf8 ? " │" : " |");
		for (unsigned c = 0; c < grid->width; c++)
			add_braille(grid->dots[row * grid->width + c], style->utf8, out);
		while (out->text[out->length - 1] == ' ')
			out->text[--out->length] = '\0';
		str_add_char(out, '\n');
	}
}

static void add_axis(const struct graph *graph, const struct grid *grid, struct str *out)
{
	autostr low = {0}, high = {0};
	unsigned used;

	graph_value(&grid->x, grid->x.low, &low);
	graph_value(&grid->x, grid->x.high, &high);
	used = str_columns(str_text(&high));
	str_add_left(out, "", LABEL_WIDTH);
	str_add_left(out, str_text(&low), grid->width > used ? grid->width - used : 0);
	str_printf(out, "%s\n", str_text(&high));
	str_add_left(out, "", LABEL_WIDTH);
	str_printf(out, "%s\n", graph->x_words);
}

static void add_range(const struct graph *graph, const struct graph_line *line, enum lang lang,
		      struct str *out)
{
	double low = (double)INFINITY, high = -(double)INFINITY;
	autostr least = {0}, greatest = {0};
	unsigned known = 0;

	for (unsigned i = 0; i < line->count; i++) {
		if (isnan(line->y[i]))
			continue;
		low = fmin(low, line->y[i]);
		high = fmax(high, line->y[i]);
		known++;
	}
	if (!known)
		return;
	graph_value(&graph->y, low, &least);
	graph_value(&graph->y, high, &greatest);
	str_printf(out,
		   lang_text(lang, PLURAL(known, "  %s: %s to %s (%u point)",
					  "  %s: %s to %s (%u points)")),
		   line->name, str_text(&least), str_text(&greatest), known);
	str_add_char(out, '\n');
}

void graph_text(const struct graph *graph, const struct page_style *style, struct str *out)
{
	unsigned columns = style->columns ? style->columns : 80;
	struct arena arena;
	struct grid grid = {.x = graph->x, .y = graph->y};
	bool fits = str_columns(graph->title) + str_columns(graph->y_words) + 3 <= columns;

	grid.width = (unsigned)min_u64(max_u64(columns, 40) - LABEL_WIDTH - 1, WIDTH_MAX);
	arena_init(&arena);
	grid.dots = arena_array(&arena, uint8_t, (size_t)grid.width * ROWS);
	scale_round(&grid.x);
	scale_round(&grid.y);
	grid.x.begin = 0;
	grid.x.end = grid.width * DOTS_X - 1;
	grid.y.begin = ROWS * DOTS_Y - 1;
	grid.y.end = 0;
	if (graph->field)
		add_field(graph, &grid);
	for (unsigned i = 0; i < graph->nlines; i++)
		add_line(graph, &graph->lines[i], &grid);
	str_printf(out, fits ? "%s (%s)\n" : "%s\n(%s)\n", graph->title, graph->y_words);
	add_grid(&grid, style, out);
	add_axis(graph, &grid, out);
	for (unsigned i = 0; i < graph->nlines; i++)
		add_range(graph, &graph->lines[i], style->lang, out);
	arena_done(&arena);
}
