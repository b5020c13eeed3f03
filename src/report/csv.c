/*
 * The document as CSV (RFC 4180): for spreadsheets and scripts. Parts are told apart by an empty
 * line; a heading stands alone in the first column behind "#", facts are a row each, and graphs
 * are columns of numbers without units, which stand in their heads.
 */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "report/graph.h"

/* Quoted where RFC 4180 wants it; a text that a spreadsheet would take for a formula gets an
 * apostrophe in front. */
static void add_cell(const char *text, struct str *out)
{
	bool formula = *text && strchr("=+-@\t\r", *text) &&
		       !(*text == '-' && text[1] >= '0' && text[1] <= '9');
	bool quote = formula || strpbrk(text, ",\"\r\n");

	if (quote)
		str_add_char(out, '"');
	if (formula)
		str_add_char(out, '\'');
	for (; *text; text++) {
		if (*text == '"')
			str_add_char(out, '"');
		str_add_char(out, *text);
	}
	if (quote)
		str_add_char(out, '"');
}

static void csv_head(const struct graph *graph, const struct graph_line *line, struct str *out)
{
	autostr name = {0};

	str_printf(&name, "%s (%s)", line->name, graph->unit);
	add_cell(str_text(&name), out);
}

/* Lines over the same points are columns beside each other. */
static bool shares_x(const struct graph_line *a, const struct graph_line *b)
{
	return a->x == b->x && a->count == b->count;
}

static void csv_group(const struct graph *graph, unsigned first, struct str *out)
{
	const struct graph_line *lead = &graph->lines[first];

	add_cell(graph->x_words, out);
	for (unsigned l = first; l < graph->nlines; l++) {
		if (!shares_x(lead, &graph->lines[l]))
			continue;
		str_add_char(out, ',');
		csv_head(graph, &graph->lines[l], out);
	}
	str_add(out, "\n");
	for (unsigned i = 0; i < lead->count; i++) {
		double x = graph_line_x(graph, lead, i);

		if (graph->x.kind == SCALE_NINES)
			x = 100 - 100 * pow(10, -x);
		str_printf(out, "%.12g", x);
		for (unsigned l = first; l < graph->nlines; l++) {
			const struct graph_line *line = &graph->lines[l];

			if (!shares_x(lead, line))
				continue;
			str_add_char(out, ',');
			if (!isnan(line->y[i]))
				str_printf(out, "%.12g", line->y[i]);
		}
		str_add_char(out, '\n');
	}
}

/* A line for each cell that holds anything. */
static void csv_field(const struct graph *graph, struct str *out)
{
	const struct graph_field *field = graph->field;

	add_cell(graph->x_words, out);
	str_add_char(out, ',');
	add_cell(graph->y_words, out);
	str_add(out, ",,");
	add_cell(graph->unit, out);
	str_add_char(out, '\n');
	for (size_t i = 0; i < (size_t)field->columns * field->rows; i++) {
		size_t column = i / field->rows, row = i % field->rows;

		if (field->count[i])
			str_printf(out, "%.12g,%.12g,%.12g,%u\n",
				   field->x_low + (double)column * field->x_step,
				   field->edges[row], field->edges[row + 1], field->count[i]);
	}
}

void graph_csv(const struct graph *graph, struct str *out)
{
	if (graph->field)
		csv_field(graph, out);
	for (unsigned l = 0; l < graph->nlines; l++) {
		bool seen = false;

		for (unsigned k = 0; k < l; k++)
			seen |= shares_x(&graph->lines[k], &graph->lines[l]);
		if (!seen)
			csv_group(graph, l, out);
	}
}

static void add_row(struct document *doc, const char *const *cells, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (i)
			str_add_char(doc->out, ',');
		add_cell(cells[i] ? cells[i] : "", doc->out);
	}
	str_add_char(doc->out, '\n');
}

static void blank_line(struct document *doc)
{
	if (doc->out->length && !str_has_end(doc->out, "\n\n"))
		str_add_char(doc->out, '\n');
}

static void csv_heading(struct document *doc, unsigned level, const char *text)
{
	const char *line = document_text(doc, "%s %s", level == 1 ? "#" : "##", text);

	blank_line(doc);
	add_row(doc, &line, 1);
}

static void csv_prose(struct document *doc, enum tone tone, const char *text)
{
	static const char *const words[] = {
		[TONE_PLAIN] = "text",	    [TONE_INFO] = "note", [TONE_WARNING] = "warning",
		[TONE_VERDICT] = "verdict", [TONE_MARK] = "mark", [TONE_CODE] = "code",
	};
	const char *const cells[] = {words[tone], text};

	add_row(doc, cells, 2);
}

static void csv_facts(struct document *doc, const struct fact *facts, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const char *const cells[] = {facts[i].name, facts[i].value};

		if (facts[i].value)
			add_row(doc, cells, 2);
	}
}

static void csv_table(struct document *doc, const struct table *table)
{
	blank_line(doc);
	add_row(doc, table->head, table->columns);
	for (unsigned i = 0; i < table->count; i += table->columns)
		add_row(doc, &table->cells[i], table->columns);
	str_add_char(doc->out, '\n');
}

static void csv_chart(struct document *doc, const struct chart *chart)
{
	const char *const title[] = {chart->graph ? chart->graph->title : chart->title};
	const char *const heads[] = {chart->span, chart->unit};

	blank_line(doc);
	add_row(doc, title, 1);
	if (chart->graph) {
		graph_csv(chart->graph, doc->out);
		str_add_char(doc->out, '\n');
		return;
	}
	add_row(doc, heads, 2);
	for (unsigned i = 0; i < chart->count; i++) {
		str_printf(doc->out, "%u,", i + 1);
		if (!isnan(chart->values[i]))
			str_printf(doc->out, "%.12g", chart->values[i]);
		str_add_char(doc->out, '\n');
	}
	str_add_char(doc->out, '\n');
}

static const struct document_ops csv_ops = {
	.heading = csv_heading,
	.prose = csv_prose,
	.facts = csv_facts,
	.table = csv_table,
	.chart = csv_chart,
};

void document_init_csv(struct document *doc, struct str *out)
{
	*doc = (struct document){
		.ops = &csv_ops, .out = out, .style = {.utf8 = true, .columns = 80}};
	arena_init(&doc->arena);
}
