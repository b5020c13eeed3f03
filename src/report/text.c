/*
 * The document as text for a terminal: aligned columns, 80 wide; a table that is wider is
 * folded into several, each with the first column. Colour only where it was asked for.
 */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "report/graph.h"

#define GAP 2 /* spaces between columns */

static const char *readable(struct document *doc, const char *text)
{
	autostr plain = {0};
	char *copy;

	if (!doc->style.utf8)
		document_ascii(text, &plain);
	copy = arena_strdup(&doc->arena, doc->style.utf8 ? text : str_text(&plain));
	for (char *c = copy; *c; c++)
		*c = document_is_control(*c) ? '?' : *c;
	str_make_safe(copy);
	return copy;
}

static void color(struct document *doc, const char *code)
{
	if (doc->style.color)
		str_printf(doc->out, "\033[%sm", code);
}

/* Signs that may not begin a line: they stay with the one before. */
static bool clings(const char *text)
{
	static const char *const signs[] = {"，", "。", "；", "：", "、", "）", "”", "」"};

	for (unsigned i = 0; i < ARRAY_SIZE(signs); i++) {
		if (str_starts(text, signs[i]))
			return true;
	}
	return false;
}

/* The next word; a number keeps its unit ("5 %", "3 ms") beside it. Between wide signs a line
 * may end anywhere, so each is a word. */
static size_t word_length(const char *text)
{
	size_t length = 0, end = strcspn(text, " ");

	if (str_is_wide(text)) {
		length = 3;
		while (clings(text + length))
			length += 3;
		return length;
	}
	while (length < end && !str_is_wide(text + length))
		length++;
	while (clings(text + length))
		length += 3;
	if (length && length == end && text[length - 1] >= '0' && text[length - 1] <= '9' &&
	    text[length] == ' ')
		length += 1 + strcspn(text + length + 1, " ");
	return length;
}

/* Words into lines; `used` columns of the first are taken, the others begin at `indent`. A
 * word that is longer than a line stays whole. */
static void add_wrapped(struct document *doc, const char *text, unsigned used, unsigned indent)
{
	unsigned column = used, gap = 0;
	bool first = true;

	while (*text) {
		size_t length = word_length(text);
		const char *word = arena_strndup(&doc->arena, text, length);
		unsigned width = str_columns(word);

		if (!first && column + gap + width > doc->style.columns) {
			str_add_char(doc->out, '\n');
			str_add_left(doc->out, "", indent);
			column = indent;
		} else if (gap) {
			str_add_char(doc->out, ' ');
			column++;
		}
		str_add(doc->out, word);
		column += width;
		first = false;
		text += length;
		gap = *text == ' ';
		text += strspn(text, " ");
	}
	str_add_char(doc->out, '\n');
}

/* One, whatever stands before; none at the top. */
static void blank_line(struct document *doc)
{
	if (doc->out->length && !str_has_end(doc->out, "\n\n"))
		str_add_char(doc->out, '\n');
}

static void text_heading(struct document *doc, unsigned level, const char *text)
{
	text = readable(doc, text);
	blank_line(doc);
	color(doc, level == 1 ? "1;4" : "1");
	str_add(doc->out, text);
	color(doc, "0");
	str_add_char(doc->out, '\n');
}

/* Lines stay as they are, to be copied. */
static void add_lines(struct document *doc, const char *text)
{
	blank_line(doc);
	while (*text) {
		size_t length = strcspn(text, "\n");

		str_add(doc->out, readable(doc, arena_strndup(&doc->arena, text, length)));
		str_add_char(doc->out, '\n');
		text += length + (text[length] == '\n');
	}
}

static void text_prose(struct document *doc, enum tone tone, const char *text)
{
	static const struct {
		const char *word, *code;
	} tones[] = {
		[TONE_PLAIN] = {"", ""},
		[TONE_INFO] = {N_("note: "), "36"},
		[TONE_WARNING] = {N_("warning: "), "33"},
		[TONE_VERDICT] = {"", "1"},
		[TONE_MARK] = {"", "1;7"},
		[TONE_CODE] = {"", ""},
	};
	const char *word = lang_text(doc->style.lang, tones[tone].word);
	unsigned indent = str_columns(word);

	if (tone == TONE_CODE) {
		add_lines(doc, text);
		return;
	}
	if (tone == TONE_VERDICT)
		blank_line(doc);
	if (*tones[tone].code)
		color(doc, tones[tone].code);
	str_add(doc->out, word);
	if (*tones[tone].word)
		color(doc, "0");
	add_wrapped(doc, readable(doc, text), indent, indent ? 2 : 0);
	if (*tones[tone].code && !*tones[tone].word)
		color(doc, "0");
}

static void text_facts(struct document *doc, const struct fact *facts, unsigned count)
{
	unsigned width = 0;

	for (unsigned i = 0; i < count; i++)
		if (facts[i].value && str_columns(facts[i].name) > width)
			width = str_columns(facts[i].name);
	for (unsigned i = 0; i < count; i++) {
		if (!facts[i].value)
			continue;
		str_add_left(doc->out, readable(doc, facts[i].name), width + GAP);
		add_wrapped(doc, readable(doc, facts[i].value), width + GAP, width + GAP);
	}
}

static unsigned column_width(const struct table *table, unsigned column)
{
	unsigned width = str_columns(table->head[column]);

	for (unsigned i = column; i < table->count; i += table->columns) {
		unsigned cell = table->cells[i] ? str_columns(table->cells[i]) : 0;

		width = cell > width ? cell : width;
	}
	return width;
}

/* Columns [from, to) beside the first one. `cells` NULL writes the heads. */
static void text_row(struct document *doc, const unsigned *width, const char *const *cells,
		     unsigned from, unsigned to)
{
	size_t end;

	str_add_left(doc->out, cells[0] ? cells[0] : "", width[0]);
	for (unsigned column = from; column < to; column++) {
		str_add_left(doc->out, "", GAP);
		str_add_right(doc->out, cells[column] ? cells[column] : "", width[column]);
	}
	for (end = doc->out->length; end && doc->out->text[end - 1] == ' '; end--)
		;
	doc->out->text[end] = '\0';
	doc->out->length = end;
	str_add_char(doc->out, '\n');
}

static void text_part(struct document *doc, const struct table *table, const unsigned *width,
		      unsigned from, unsigned to)
{
	blank_line(doc);
	color(doc, "1");
	text_row(doc, width, table->head, from, to);
	color(doc, "0");
	for (unsigned i = 0; i < table->count; i += table->columns)
		text_row(doc, width, &table->cells[i], from, to);
}

static void text_table(struct document *doc, const struct table *given)
{
	struct table table = *given;
	unsigned width[TABLE_COLUMNS_MAX] = {0}, from = 1;

	table.cells = arena_array(&doc->arena, const char *, table.count);
	for (unsigned i = 0; i < table.count; i++)
		table.cells[i] = given->cells[i] ? readable(doc, given->cells[i]) : NULL;
	for (unsigned column = 0; column < table.columns; column++) {
		table.head[column] = readable(doc, given->head[column]);
		width[column] = column_width(&table, column);
	}
	do {
		unsigned to = from, used = width[0];

		while (to < table.columns &&
		       (to == from || used + GAP + width[to] <= doc->style.columns)) {
			used += GAP + width[to];
			to++;
		}
		text_part(doc, &table, width, from, to);
		from = to;
	} while (from < table.columns);
	blank_line(doc);
}

static void text_graph(struct document *doc, const struct graph *graph)
{
	autostr text = {0};

	graph_text(graph, &doc->style, &text);
	add_lines(doc, str_text(&text));
	if (graph->note)
		text_prose(doc, TONE_PLAIN, graph->note);
}

static void text_chart(struct document *doc, const struct chart *chart)
{
	double min = (double)INFINITY, max = 0;
	autostr least = {0}, most = {0}, line = {0};

	if (chart->graph && !chart->count) {
		text_graph(doc, chart->graph);
		return;
	}
	for (unsigned i = 0; i < chart->count; i++) {
		min = fmin(min, chart->values[i]);
		max = fmax(max, chart->values[i]);
	}
	quantity_plain(isinf(min) ? 0 : min, &least);
	quantity_plain(max, &most);
	document_sparkline(chart, doc->style.utf8, doc->style.columns - 2, &line);
	blank_line(doc);
	lang_printf(doc->style.lang, doc->out,
		    PLURAL(chart->count, "%s: %s to %s %s, %u interval of %s",
			   "%s: %s to %s %s, %u intervals of %s"),
		    readable(doc, chart->title), str_text(&least), str_text(&most),
		    readable(doc, chart->unit), chart->count,
		    document_say(doc, chart->span ? chart->span : ""));
	str_printf(doc->out, "\n  %s\n", str_text(&line));
}

static const struct document_ops text_ops = {
	.heading = text_heading,
	.prose = text_prose,
	.facts = text_facts,
	.table = text_table,
	.chart = text_chart,
};

void document_init_text(struct document *doc, struct str *out, const struct page_style *style)
{
	*doc = (struct document){.ops = &text_ops, .out = out, .style = *style};
	if (!doc->style.columns)
		doc->style.columns = 80;
	arena_init(&doc->arena);
}
