/* The five verbs as text and Markdown; width, alignment and ASCII as properties of the output. */
#include "report/document.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "unit.h"

static const struct page_style wide = {.utf8 = true}, ascii = {.utf8 = false};

static void a_table_is_aligned_with_units_in_its_heads(void **state)
{
	static const char *const heads[] = {"", "IOPS", "p99 us", NULL};
	struct document doc;
	struct table table;
	autostr out = {0};

	(void)state;
	document_init_text(&doc, &out, &wide);
	table_init(&table, heads);
	table_cell(&doc, &table, "read");
	table_cell(&doc, &table, "%d", 12345);
	table_cell(&doc, &table, "–");
	table_cell(&doc, &table, "write");
	table_cell(&doc, &table, "7");
	table_cell(&doc, &table, "812");
	document_table(&doc, &table);
	assert_string_equal(str_text(&out), "        IOPS  p99 us\n"
					    "read   12345       –\n"
					    "write      7     812\n\n");
	document_done(&doc);
}

/* Every line of `text` has at most `columns` columns. */
static void check_width(const char *text, unsigned columns)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		char line[1000];

		assert_true(length < sizeof(line));
		memcpy(line, text, length);
		line[length] = '\0';
		assert_true(str_columns(line) <= columns);
		text += length + (text[length] == '\n');
	}
}

static void a_table_too_wide_is_folded_with_its_first_column(void **state)
{
	static const char *const heads[] = {"direction", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
					    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
					    "cccccccccccccccccccccccccccccc", NULL};
	struct document doc;
	struct table table;
	autostr out = {0};

	(void)state;
	document_init_text(&doc, &out, &wide);
	table_init(&table, heads);
	table_cell(&doc, &table, "read");
	for (int i = 1; i <= 3; i++)
		table_cell(&doc, &table, "%d", i);
	document_table(&doc, &table);
	check_width(str_text(&out), 80);
	assert_non_null(strstr(str_text(&out), "\n\ndirection  ccc"));
	assert_non_null(
		strstr(str_text(&out), "\nread                                    3\n"));
	document_done(&doc);
}

static void prose_is_wrapped_and_loses_no_word(void **state)
{
	struct document doc;
	autostr out = {0}, words = {0}, joined = {0};

	(void)state;
	for (int i = 0; i < 200; i++)
		str_printf(&words, "%sword%d", i ? " " : "", i * i * i);
	document_init_text(&doc, &out, &wide);
	document_prose(&doc, TONE_WARNING, "%s", str_text(&words));
	check_width(str_text(&out), 80);
	assert_true(str_starts(str_text(&out), "warning: word0 "));
	for (const char *c = str_text(&out) + strlen("warning: "); *c; c++)
		if (*c != '\n')
			str_add_char(&joined, *c);
		else if (c[1])
			c += 2, str_add_char(&joined, ' ');
	assert_string_equal(str_text(&joined), str_text(&words));
	document_done(&doc);
}

static void facts_without_value_are_left_out(void **state)
{
	static const struct fact facts[] = {
		{"device", "nvme0n1"}, {"firmware", NULL}, {"size", "1.92 TB"}};
	struct document doc;
	autostr out = {0};

	(void)state;
	document_init_text(&doc, &out, &wide);
	document_facts(&doc, facts, ARRAY_SIZE(facts));
	assert_string_equal(str_text(&out), "device  nvme0n1\nsize    1.92 TB\n");
	document_done(&doc);
}

static void plain_style_holds_ascii_only_and_no_escape(void **state)
{
	static const double values[] = {1, 2, 3};
	const struct chart chart = {"IOPS", "IOPS", values, 3, "1 s", NULL};
	struct document doc;
	autostr out = {0};

	(void)state;
	document_init_text(&doc, &out, &ascii);
	document_heading(&doc, 1, "4 × 3 – a µ ≥ b");
	document_prose(&doc, TONE_INFO, "näher");
	document_chart(&doc, &chart);
	for (const char *c = str_text(&out); *c; c++) {
		assert_true(*c == '\n' || *c >= ' ');
		assert_true((unsigned char)*c < 0x7f);
	}
	assert_non_null(strstr(str_text(&out), "4 x 3 - a u >= b"));
	assert_non_null(strstr(str_text(&out), "n?her"));
	document_done(&doc);
}

static void colour_comes_only_when_asked_and_adds_no_text(void **state)
{
	static const struct page_style colored = {.utf8 = true, .color = true};
	struct document doc;
	autostr plain = {0}, color = {0}, stripped = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		document_init_text(&doc, i ? &color : &plain, i ? &colored : &wide);
		document_heading(&doc, 1, "title");
		document_prose(&doc, TONE_WARNING, "careful");
		document_prose(&doc, TONE_VERDICT, "end");
		document_done(&doc);
	}
	assert_null(strchr(str_text(&plain), '\033'));
	assert_non_null(strchr(str_text(&color), '\033'));
	for (const char *c = str_text(&color); *c; c++)
		if (*c == '\033')
			c += strcspn(c, "m");
		else
			str_add_char(&stripped, *c);
	assert_string_equal(str_text(&stripped), str_text(&plain));
}

static void a_sparkline_marks_zeros_even_where_bars_are_shared(void **state)
{
	static double values[1000];
	struct chart chart = {"", "", values, ARRAY_SIZE(values), "1 s", NULL};
	autostr out = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = 100;
	values[501] = 0;
	document_sparkline(&chart, false, 50, &out);
	assert_int_equal(strlen(str_text(&out)), 50);
	assert_int_equal(strcspn(str_text(&out), "0"), 25);
	assert_null(strchr(str_text(&out) + 26, '0'));
}

static void a_sparkline_grows_with_the_value(void **state)
{
	static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, (double)NAN, 0};
	const struct chart chart = {"", "", values, ARRAY_SIZE(values), "1 s", NULL};
	autostr fine = {0}, plain = {0};

	(void)state;
	document_sparkline(&chart, true, 80, &fine);
	document_sparkline(&chart, false, 80, &plain);
	assert_string_equal(str_text(&fine), "▂▃▄▅▆▇██ 0");
	assert_string_equal(str_text(&plain), ":-=+*#@@ 0");
}

static void markdown_quotes_what_would_be_markup(void **state)
{
	static const char *const heads[] = {"job", "MB/s", NULL};
	struct document doc;
	struct table table;
	autostr out = {0};

	(void)state;
	document_init_markdown(&doc, &out);
	document_heading(&doc, 1, "a_b");
	table_init(&table, heads);
	table_cell(&doc, &table, "x|y");
	table_cell(&doc, &table, "1.5");
	document_table(&doc, &table);
	document_prose(&doc, TONE_WARNING, "2 * 2");
	assert_string_equal(str_text(&out), "## a\\_b\n\n"
					    "| job | MB/s |\n|:---|---:|\n| x\\|y | 1.5 |\n\n"
					    "- **warning:** 2 \\* 2\n");
	document_done(&doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_is_aligned_with_units_in_its_heads),
		cmocka_unit_test(a_table_too_wide_is_folded_with_its_first_column),
		cmocka_unit_test(prose_is_wrapped_and_loses_no_word),
		cmocka_unit_test(facts_without_value_are_left_out),
		cmocka_unit_test(plain_style_holds_ascii_only_and_no_escape),
		cmocka_unit_test(colour_comes_only_when_asked_and_adds_no_text),
		cmocka_unit_test(a_sparkline_marks_zeros_even_where_bars_are_shared),
		cmocka_unit_test(a_sparkline_grows_with_the_value),
		cmocka_unit_test(markdown_quotes_what_would_be_markup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
