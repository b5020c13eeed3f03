/* The page of a build without npm and without web/vendor: no script, and all that it would show is
 * there as pictures. html.c is built once more here, with what page_script.py writes then. */
#include "report/page_script_static.inc"

#include "report/html.c"
#include "unit.h"

static void a_page(struct str *out)
{
	static const double values[] = {1, 5, 900, 2};
	const struct graph_line line = {.name = "read",
					.stroke = {INK_BLUE, 1.5, DASH_SOLID},
					.y = values,
					.count = ARRAY_SIZE(values)};
	struct graph graph = {.id = "iops",
			      .title = "Completions over time",
			      .x_words = "time",
			      .y_words = "IOPS",
			      .unit = "IOPS",
			      .x = {.unit = SCALE_SECONDS, .high = 4},
			      .step = 1,
			      .lines = &line,
			      .nlines = 1};
	const struct html_head head = {.title = "t"};
	struct document doc;

	graph_fit_y(&graph);
	document_init_html(&doc, out, &head);
	document_heading(&doc, 1, "t");
	document_graph(&doc, &graph);
	document_done(&doc);
}

static void without_uplot_a_page_is_pictures(void **state)
{
	autostr out = {0};

	(void)state;
	a_page(&out);
	assert_null(strstr(out.text, "<script"));
	assert_non_null(strstr(out.text, "script-src 'none'"));
	assert_non_null(strstr(out.text, "<figure id=\"iops\">"));
	assert_non_null(strstr(out.text, "<polyline class=\"l-blue\""));
	assert_non_null(strstr(out.text, "</html>\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(without_uplot_a_page_is_pictures)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
