/* HTML and CSV: whole, alone, and deaf to what names from outside try. */
#include "report/html.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "report/graph.h"
#include "report/markup.h"
#include "unit.h"

static const char *const hostile[] = {
	"<script>alert(1)</script>",
	"\"><img src=x onerror=alert(1)>",
	"' onmouseover='alert(1)",
	"</style><script>alert(1)</script>",
	"</title><svg onload=alert(1)>",
	"]]>--><b>",
	"&lt;script&gt;",
	"javascript:alert(1)",
	"\x01\x02\x7f\xff\xfe nul and worse",
	("\xed\xa0\x80\xc0\xbc"
	 "script>"),
	"=HYPERLINK(\"http://evil\",\"x\")",
	"a,b\"c\nd",
};

static const double values[] = {1, 5, (double)NAN, 3, 900, 2};

static void a_page(struct document *doc, const char *text)
{
	static const char *const plain[] = {"", "IOPS", NULL};
	const char *const heads[] = {text, text, NULL};
	const struct fact facts[] = {{text, text}, {"gone", NULL}};
	const struct graph_line line = {
		.name = text, .stroke = {INK_BLUE, 1.5, DASH_SOLID}, .y = values, .count = 6};
	const struct graph_limit limit = {.at = 100, .text = text};
	const struct graph_shade shade = {.from = 1, .to = 2, .ink = INK_PINK, .text = text};
	struct graph graph = {.id = "iops",
			      .title = text,
			      .note = text,
			      .x_words = text,
			      .y_words = text,
			      .unit = text,
			      .x = {.unit = SCALE_SECONDS, .high = 6},
			      .step = 1,
			      .lines = &line,
			      .nlines = 1,
			      .limits = &limit,
			      .nlimits = 1,
			      .shades = &shade,
			      .nshades = 1};
	struct table table;

	graph_fit_y(&graph);
	document_heading(doc, 1, "%s", text);
	document_anchor(doc, "part-%d", 1);
	document_heading(doc, 2, "%s", text);
	document_heading(doc, 3, "%s", text);
	for (enum tone tone = TONE_PLAIN; tone <= TONE_CODE; tone++)
		document_prose(doc, tone, "%s", text);
	document_facts(doc, facts, ARRAY_SIZE(facts));
	table_init(&table, heads);
	table_cell(doc, &table, "%s", text);
	table_cell(doc, &table, "%s", text);
	table_link(doc, &table, &(struct table_link){"iops", 1, 2.5});
	table_cell(doc, &table, "%s", text);
	table_cell(doc, &table, "%s", text);
	table_heat(doc, &table, 0.5);
	document_table(doc, &table);
	table_init(&table, plain);
	document_table(doc, &table); /* without rows: nothing */
	document_graph(doc, &graph);
	document_chart(doc, &(struct chart){text, text, values, 6, text, NULL});
}

static void render_html(const char *text, struct str *out)
{
	const struct html_head head = {.title = text, .program = text};
	struct document doc;

	document_init_html(&doc, out, &head);
	a_page(&doc, text);
	document_done(&doc);
	assert_int_equal(strlen(out->text), out->length);
	without_script(out);
}

/* Of every tag, its name alone: what is in the page, whatever it says. */
static void skeleton(const char *html, struct str *out)
{
	for (const char *at = html; (at = strchr(at, '<')); at++) {
		str_add_bytes(out, at, strcspn(at, " >\n"));
		str_add_char(out, '\n');
	}
}

static void no_text_becomes_markup(void **state)
{
	autostr plain = {0}, want = {0};

	(void)state;
	render_html("plain words", &plain);
	skeleton(str_text(&plain), &want);
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		autostr out = {0}, have = {0};

		render_html(hostile[i], &out);
		skeleton(str_text(&out), &have);
		assert_string_equal(str_text(&have), str_text(&want));
		assert_balanced(str_text(&out));
		assert_int_equal(count_of(out.text, "<script"),
				 count_of(plain.text, "<script"));
	}
}

static void a_page_asks_for_nothing_from_elsewhere(void **state)
{
	autostr out = {0};

	(void)state;
	render_html("plain words", &out);
	assert_non_null(strstr(out.text, "default-src 'none'"));
	assert_int_equal(count_of(out.text, "http://www.w3.org/"), count_of(out.text, "http:"));
	assert_int_equal(count_of(out.text, "https:"), 0);
	assert_int_equal(count_of(out.text, "src=\""), 0);
	assert_int_equal(count_of(out.text, "@import"), 0);
	assert_int_equal(count_of(out.text, "url("), 0);
	assert_non_null(strstr(out.text, "prefers-color-scheme:dark"));
	assert_non_null(strstr(out.text, "@media print"));
	assert_non_null(strstr(out.text, "<a href=\"#iops\" data-from=\"1\" data-to=\"2.5\">"));
	assert_non_null(strstr(out.text, "<figure id=\"iops\">"));
	assert_null(strstr(out.text, "<dt>gone"));
}

static void outcomes_have_a_colour_beside_their_word(void **state)
{
	static const char *const heads[] = {"rule", "outcome", NULL};
	static const char *const outcomes[] = {"pass", "fail", "cannot tell"};
	const struct html_head head = {.title = "t"};
	struct document doc;
	struct table table;
	autostr out = {0};

	(void)state;
	document_init_html(&doc, &out, &head);
	table_init(&table, heads);
	for (unsigned i = 0; i < 100; i++) {
		table_cell(&doc, &table, "rule %u", i);
		table_cell(&doc, &table, "%s", outcomes[i % 3]);
		if (i == 99)
			table_link(
				&doc, &table,
				&(struct table_link){
					.graph = "x"}); /* the array was made anew meanwhile */
	}
	document_table(&doc, &table);
	document_done(&doc);
	assert_int_equal(count_of(out.text, "<td class=\"pass\">pass</td>"), 33);
	assert_int_equal(count_of(out.text, "<td class=\"fail\">fail</td>"), 33);
	assert_int_equal(count_of(out.text, "<td class=\"untold\">cannot tell</td>"), 33);
	assert_int_equal(count_of(out.text, "<a href=\"#x\">pass</a>"), 1);
}

static void a_heading_has_the_anchor_that_was_set_and_no_later_one_has(void **state)
{
	autostr out = {0};

	(void)state;
	render_html("plain words", &out);
	assert_int_equal(count_of(out.text, "<h2 id=\"part-1\">plain words</h2>"), 1);
	assert_int_equal(count_of(out.text, "<h3>plain words</h3>"), 1);
	assert_int_equal(count_of(out.text, "part-1"), 1);
}

static void cells_are_coloured_by_their_share_alone(void **state)
{
	static const char *const heads[] = {"cell", NULL};
	const struct html_head head = {.title = "t"};
	struct document doc;
	struct table table;
	autostr out = {0};

	(void)state;
	document_init_html(&doc, &out, &head);
	table_init(&table, heads);
	for (unsigned i = 0; i < 200; i++) { /* the array is made anew on the way */
		table_cell(&doc, &table, "%u", i);
		if (i % 2)
			table_heat(&doc, &table, i / 199.0);
	}
	document_table(&doc, &table);
	document_done(&doc);
	assert_int_equal(count_of(out.text, "class=\"heat\" style=\"--h:"), 100);
	assert_non_null(strstr(out.text, "<td>0</td>"));
	assert_non_null(strstr(out.text, "style=\"--h:0.005\">1</td>"));
	assert_non_null(strstr(out.text, "style=\"--h:1.000\">199</td>"));
	assert_int_equal(count_of(out.text, "The deeper the colour"), 1);
}

/* Reads one cell by RFC 4180; false at the end of a line. */
static bool next_cell(const char **at, struct str *out)
{
	bool quoted = **at == '"';

	str_clear(out);
	*at += quoted;
	while (**at && (quoted || (**at != ',' && **at != '\n'))) {
		if (quoted && **at == '"' && (*at)[1] != '"') {
			(*at)++;
			break;
		}
		*at += quoted && **at == '"';
		str_add_char(out, *(*at)++);
	}
	if (**at == ',') {
		(*at)++;
		return true;
	}
	return false;
}

static void csv_reads_back_and_starts_no_formula(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		struct document doc;
		autostr out = {0}, cell = {0}, want = {0};
		const char *at;

		document_init_csv(&doc, &out);
		document_prose(&doc, TONE_PLAIN, "%s", hostile[i]);
		document_done(&doc);
		at = str_text(&out);
		assert_true(next_cell(&at, &cell));
		assert_string_equal(str_text(&cell), "text");
		assert_false(next_cell(&at, &cell));
		str_printf(&want, "%s%s", strchr("=+-@", hostile[i][0]) ? "'" : "", hostile[i]);
		assert_string_equal(str_text(&cell), str_text(&want));
		assert_string_equal(at, "\n");
	}
}

static void csv_has_the_numbers_of_a_graph(void **state)
{
	struct document doc;
	autostr out = {0};

	(void)state;
	document_init_csv(&doc, &out);
	a_page(&doc, "words");
	document_done(&doc);
	assert_non_null(strstr(out.text, "words,words (words)\n0.5,1\n1.5,5\n2.5,\n3.5,3\n"));
	assert_non_null(strstr(out.text, "1,1\n2,5\n3,\n4,3\n5,900\n"));
	assert_true(str_starts(out.text, "# words\n\n## words\n"));
	assert_non_null(strstr(out.text, "\nwarning,words\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_text_becomes_markup),
		cmocka_unit_test(a_page_asks_for_nothing_from_elsewhere),
		cmocka_unit_test(outcomes_have_a_colour_beside_their_word),
		cmocka_unit_test(a_heading_has_the_anchor_that_was_set_and_no_later_one_has),
		cmocka_unit_test(cells_are_coloured_by_their_share_alone),
		cmocka_unit_test(csv_reads_back_and_starts_no_formula),
		cmocka_unit_test(csv_has_the_numbers_of_a_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
