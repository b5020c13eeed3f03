/* The document as Markdown (GitHub's tables), short, to paste into an issue or a chat. */
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "report/graph.h"

#define CHART_COLUMNS 60

/* What Markdown would take for its own is quoted. */
static void add_quoted(struct str *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\`*_|<>[]", *text))
			str_add_char(out, '\\');
		str_add_char(out, document_is_control(*text) ? '?' : *text);
	}
}

/* One, whatever stands before; none at the top. */
static void blank_line(struct document *doc)
{
	if (doc->out->length && !str_has_end(doc->out, "\n\n"))
		str_add_char(doc->out, '\n');
}

static void markdown_heading(struct document *doc, unsigned level, const char *text)
{
	blank_line(doc);
	str_printf(doc->out, "%s ", level == 1 ? "##" : "###");
	add_quoted(doc->out, text);
	str_add(doc->out, "\n\n");
}

/* A block of code; its fence is longer than any in it. */
static void add_code(struct document *doc, const char *text)
{
	static const char wide[] = "``````````````````````````````";
	unsigned fence = 3;

	while (fence + 1 < sizeof(wide) && strstr(text, &wide[sizeof(wide) - 1 - fence]))
		fence++;
	blank_line(doc);
	str_printf(doc->out, "%s\n", &wide[sizeof(wide) - 1 - fence]);
	for (const char *c = text; *c; c++)
		str_add_char(doc->out, document_is_control(*c) && *c != '\n' ? '?' : *c);
	if (!str_has_end(doc->out, "\n"))
		str_add_char(doc->out, '\n');
	str_printf(doc->out, "%s\n\n", &wide[sizeof(wide) - 1 - fence]);
}

static void markdown_prose(struct document *doc, enum tone tone, const char *text)
{
	static const char *const before[] = {
		[TONE_PLAIN] = "",
		[TONE_INFO] = N_("- note: "),
		[TONE_WARNING] = N_("- **warning:** "),
		[TONE_VERDICT] = "**",
		[TONE_MARK] = "> **",
		[TONE_CODE] = "",
	};
	bool bold = tone == TONE_VERDICT || tone == TONE_MARK;

	if (tone == TONE_CODE) {
		add_code(doc, text);
		return;
	}
	if (bold)
		blank_line(doc);
	str_add(doc->out, document_say(doc, before[tone]));
	add_quoted(doc->out, text);
	str_add(doc->out, bold ? "**\n" : "\n");
	if (tone == TONE_MARK)
		str_add_char(doc->out, '\n');
}

static void markdown_facts(struct document *doc, const struct fact *facts, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (!facts[i].value)
			continue;
		str_add(doc->out, "- ");
		add_quoted(doc->out, facts[i].name);
		str_add(doc->out, ": ");
		add_quoted(doc->out, facts[i].value);
		str_add_char(doc->out, '\n');
	}
}

static void markdown_row(struct document *doc, const char *const *cells, unsigned columns)
{
	for (unsigned i = 0; i < columns; i++) {
		str_add(doc->out, i ? " | " : "| ");
		add_quoted(doc->out, cells[i] ? cells[i] : "");
	}
	str_add(doc->out, " |\n");
}

static void markdown_table(struct document *doc, const struct table *table)
{
	blank_line(doc);
	markdown_row(doc, table->head, table->columns);
	for (unsigned i = 0; i < table->columns; i++)
		str_add(doc->out, i ? "---:|" : "|:---|");
	str_add_char(doc->out, '\n');
	for (unsigned i = 0; i < table->count; i += table->columns)
		markdown_row(doc, &table->cells[i], table->columns);
	str_add_char(doc->out, '\n');
}

/* A field has no lines: its dots, as a screen of text has them. */
static void markdown_field(struct document *doc, const struct graph *graph)
{
	autostr text = {0};

	graph_text(graph, &doc->style, &text);
	str_printf(doc->out, "```\n%s```\n", str_text(&text));
}

/* Each line of a graph as bars: what can be pasted everywhere. */
static void markdown_graph(struct document *doc, const struct graph *graph)
{
	blank_line(doc);
	str_add(doc->out, "**");
	add_quoted(doc->out, graph->title);
	str_add(doc->out, "** (");
	add_quoted(doc->out, graph->y_words);
	str_add(doc->out, ")\n\n");
	if (graph->field)
		markdown_field(doc, graph);
	for (unsigned i = 0; i < graph->nlines; i++) {
		const struct graph_line *line = &graph->lines[i];
		const struct chart bars = {.values = line->y, .count = line->count};
		autostr text = {0};

		document_sparkline(&bars, true, CHART_COLUMNS, &text);
		str_add(doc->out, "- ");
		add_quoted(doc->out, line->name);
		document_add(doc, doc->out,
			     PLURAL(line->count, ", %u point: `%s`", ", %u points: `%s`"),
			     line->count, str_text(&text));
		str_add_char(doc->out, '\n');
	}
	if (graph->note) {
		str_add_char(doc->out, '\n');
		markdown_prose(doc, TONE_PLAIN, graph->note);
	}
	str_add_char(doc->out, '\n');
}

static void markdown_chart(struct document *doc, const struct chart *chart)
{
	autostr line = {0};

	if (chart->graph && !chart->count) {
		markdown_graph(doc, chart->graph);
		return;
	}
	document_sparkline(chart, true, CHART_COLUMNS, &line);
	str_add(doc->out, "- ");
	add_quoted(doc->out, chart->title);
	document_add(doc, doc->out,
		     PLURAL(chart->count, " (%s), %u interval of %s: `%s`",
			    " (%s), %u intervals of %s: `%s`"),
		     chart->unit, chart->count,
		     document_say(doc, chart->span ? chart->span : ""), str_text(&line));
	str_add_char(doc->out, '\n');
}

static const struct document_ops markdown_ops = {
	.heading = markdown_heading,
	.prose = markdown_prose,
	.facts = markdown_facts,
	.table = markdown_table,
	.chart = markdown_chart,
};

void document_init_markdown(struct document *doc, struct str *out)
{
	*doc = (struct document){
		.ops = &markdown_ops, .out = out, .style = {.utf8 = true, .columns = 80}};
	arena_init(&doc->arena);
}
