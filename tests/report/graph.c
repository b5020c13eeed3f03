/* Graphs: no spike is lost on the way to a pixel, unknown is a gap, each format has its form. */
#include "report/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "report/markup.h"
#include "unit.h"

#define POINTS 86400

static struct graph_line line = {.name = "read", .stroke = {INK_RED, 1.2, DASH_SOLID}};

static struct graph graph_of(const double *y, unsigned count)
{
	struct graph graph = {.id = "t",
			      .title = "Latency over time",
			      .x_words = "time",
			      .y_words = "latency",
			      .unit = "ns",
			      .x = {.unit = SCALE_SECONDS, .high = count},
			      .y = {.unit = SCALE_TIME_NS},
			      .step = 1,
			      .lines = &line,
			      .nlines = 1};

	line.y = y;
	line.count = count;
	line.x = NULL;
	line.dots = false;
	graph_fit_y(&graph);
	return graph;
}

/* All points of all polylines with the class of red ink. */
static unsigned red_points(const char *svg, struct point *points, unsigned room)
{
	unsigned count = 0;

	for (; (svg = strstr(svg, "<polyline class=\"l-red\"")); svg++) {
		const char *at = strstr(svg, "points=\"") + 8;

		while (*at != '"' && count < room) {
			char *end;

			points[count].x = strtod(at, &end);
			points[count].y = strtod(end + 1, &end);
			count++;
			at = end + (*end == ' ');
		}
	}
	return count;
}

/* One second of a day, anywhere: a spike up and a stall down both reach their pixel. */
static void no_single_interval_of_a_day_is_lost(void **state)
{
	static double y[POINTS];
	struct point *points = calloc(10000, sizeof(*points));
	struct rng rng;

	(void)state;
	rng_seed(&rng, 6, 0);
	for (unsigned round = 0; round < 20; round++) {
		unsigned up = (unsigned)rng_below(&rng, POINTS);
		unsigned down = (unsigned)rng_below(&rng, POINTS);
		double least = 1e9, greatest = 0;
		struct graph graph;
		autostr svg = {0};
		unsigned count;

		for (unsigned i = 0; i < POINTS; i++)
			y[i] = 400 + 100 * rng_unit(&rng);
		y[down] = 0;
		y[up] = 1000;
		graph = graph_of(y, POINTS);
		graph_svg(&graph, &svg);
		count = red_points(svg.text, points, 10000);
		assert_true(count > 0 && count < 3000);
		for (unsigned i = 0; i < count; i++) {
			least = fmin(least, points[i].y);
			greatest = fmax(greatest, points[i].y);
		}
		/* the box is 220 high and the scale goes from 0 to 1000 */
		assert_true(greatest - least > 219);
	}
	free(points);
}

static void unknown_lifts_the_pen(void **state)
{
	static const double y[] = {1, 2, (double)NAN, 3, (double)NAN, 4, 5};
	struct graph graph = graph_of(y, ARRAY_SIZE(y));
	autostr svg = {0};

	(void)state;
	graph_svg(&graph, &svg);
	assert_balanced(svg.text);
	assert_null(strstr(svg.text, "nan"));
	/* the key's sign, two pieces, and the point that stands alone twice */
	assert_int_equal(count_of(svg.text, "class=\"l-red\""), 4);
	assert_int_equal(count_of(svg.text, "<rect class=\"f-red\""), 1);
}

static void a_field_is_a_picture_and_one_request_is_seen(void **state)
{
	static const double edges[] = {1e3, 1e4, 1e5, 1e6};
	static uint32_t counts[40 * 3];
	struct graph_field field = {
		.columns = 40, .rows = 3, .x_step = 1, .edges = edges, .count = counts};
	struct graph graph = graph_of(NULL, 0);
	autostr svg = {0}, text = {0}, empty = {0}, csv = {0}, page = {0};
	struct document doc;

	(void)state;
	graph.field = &field;
	graph.nlines = 0;
	graph.x.high = 40;
	graph.y = (struct scale){
		.kind = SCALE_LOG, .unit = SCALE_TIME_NS, .low = 1e3, .high = 1e6};
	graph_svg(&graph, &empty);
	counts[17 * 3 + 1] = 1;
	graph_svg(&graph, &svg);
	assert_int_equal(count_of(svg.text, "data:image/png;base64,"), 1);
	assert_string_not_equal(svg.text, empty.text);
	graph_text(&graph, &(struct page_style){.utf8 = true, .columns = 80}, &text);
	assert_non_null(strstr(text.text, "\xe2\xa0"));
	graph_csv(&graph, &csv);
	assert_non_null(strstr(csv.text, "\n17,10000,100000,1\n"));
	document_init_markdown(&doc, &page);
	document_graph(&doc, &graph);
	document_done(&doc);
	assert_int_equal(count_of(page.text, "```\n"), 2);
}

static void a_terminal_gets_lines_within_its_width(void **state)
{
	static double y[500];
	struct graph graph;
	autostr fine = {0}, plain = {0};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(y); i++)
		y[i] = i == 250 ? 9e6 : 1e6;
	graph = graph_of(y, ARRAY_SIZE(y));
	graph_text(&graph, &(struct page_style){.utf8 = true, .columns = 60}, &fine);
	graph_text(&graph, &(struct page_style){.columns = 60}, &plain);
	assert_non_null(strstr(fine.text, "read: 1 ms to 9 ms (500 points)"));
	for (const char *at = plain.text; *at; at += strcspn(at, "\n") + 1) {
		size_t length = strcspn(at, "\n");

		assert_true(length <= 60);
		for (size_t i = 0; i < length; i++)
			assert_true(at[i] >= ' ' && at[i] <= '~');
	}
	for (const char *at = fine.text; *at; at += strcspn(at, "\n") + 1) {
		autostr one = {0};

		str_add_bytes(&one, at, strcspn(at, "\n"));
		assert_true(str_columns(str_text(&one)) <= 60);
	}
}

static void long_keys_take_rows_and_equal_ones_are_one(void **state)
{
	static const double y[] = {1, 2, 3};
	struct graph_line lines[GRAPH_LINES_MAX];
	struct graph_shade shades[50];
	struct graph graph = graph_of(y, 3);
	double height = graph_size(&graph, false).height;
	autostr svg = {0};

	(void)state;
	for (unsigned i = 0; i < GRAPH_LINES_MAX; i++) {
		lines[i] = line;
		lines[i].name = i < 8 ? "the same long name of a line" : "another long name";
	}
	for (unsigned i = 0; i < ARRAY_SIZE(shades); i++)
		shades[i] = (struct graph_shade){i, i + 0.5, INK_PINK, "empty intervals"};
	graph.lines = lines;
	graph.nlines = GRAPH_LINES_MAX;
	graph.shades = shades;
	graph.nshades = ARRAY_SIZE(shades);
	graph_svg(&graph, &svg);
	assert_int_equal(count_of(svg.text, ">the same long name of a line<"), 1);
	assert_int_equal(count_of(svg.text, ">empty intervals<"), 1);
	assert_true(graph_size(&graph, false).height == height);
	for (unsigned i = 0; i < 8; i++)
		lines[i].name = &"12345678 and a very long name of a line it is"[i];
	assert_true(graph_size(&graph, false).height > height);
	assert_true(graph_size(&graph, true).height > graph_size(&graph, false).height);
}

static void values_have_their_units(void **state)
{
	static const struct {
		struct scale scale;
		double value;
		const char *text;
	} table[] = {
		{{.unit = SCALE_TIME_NS}, 1.5e6, "1.50 ms"},
		{{.unit = SCALE_SECONDS}, 12.25, "12.25 s"},
		{{.kind = SCALE_NINES, .unit = SCALE_PERCENT}, 3, "99.9 %"},
		{{.unit = SCALE_PLAIN}, -12.3, "-12.3"},
		{{.unit = SCALE_PLAIN}, 12345, "12,345"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
		autostr out = {0};

		graph_value(&table[i].scale, table[i].value, &out);
		assert_string_equal(str_text(&out), table[i].text);
	}
}

static void a_graph_of_both_scales_has_another_form(void **state)
{
	const double y[] = {0, 20, 3000};
	struct graph graph = graph_of(y, 3), other;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_false(graph_other(&graph, LANG_EN, &arena, &other));
	graph.both = true;
	assert_true(graph_other(&graph, LANG_EN, &arena, &other));
	assert_int_equal(other.y.kind, SCALE_LOG);
	assert_true(other.y.low == 20); /* 0 has no place there */
	assert_string_equal(other.id, "t-log");
	assert_string_equal(other.title, "Latency over time, logarithmic scale");
	graph.y = other.y;
	assert_true(graph_other(&graph, LANG_EN, &arena, &other));
	assert_int_equal(other.y.kind, SCALE_LINEAR);
	assert_true(other.y.low == 0 && other.y.high == 3000);
	assert_string_equal(other.id, "t-linear");
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_single_interval_of_a_day_is_lost),
		cmocka_unit_test(unknown_lifts_the_pen),
		cmocka_unit_test(a_field_is_a_picture_and_one_request_is_seen),
		cmocka_unit_test(a_terminal_gets_lines_within_its_width),
		cmocka_unit_test(long_keys_take_rows_and_equal_ones_are_one),
		cmocka_unit_test(values_have_their_units),
		cmocka_unit_test(a_graph_of_both_scales_has_another_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
