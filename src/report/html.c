#include "report/html.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "report/graph.h"
#include "report/svg.h"

#include "report/graph_data.h"
#include "report/page_script.inc"

static const char page_style[] =
#include "report/page.css.inc"
	;

#define SENTENCE_COLUMNS 24

struct html_state {
	const char *program;
};

static void add_text(struct document *doc, const char *text)
{
	svg_escape(text, doc->out);
}

/* <name class="kind">text</name> */
static void add_element(struct document *doc, const char *name, const char *kind,
			const char *text)
{
	str_printf(doc->out, kind ? "<%s class=\"%s\">" : "<%s>", name, kind);
	add_text(doc, text);
	str_printf(doc->out, "</%s>", name);
}

static void html_heading(struct document *doc, unsigned level, const char *text)
{
	static const char *const names[] = {"h1", "h2", "h3"};
	const char *name = names[level < ARRAY_SIZE(names) ? level - 1 : ARRAY_SIZE(names) - 1];

	if (doc->anchor)
		str_printf(doc->out, "<%s id=\"%s\">", name, doc->anchor);
	else
		str_printf(doc->out, "<%s>", name);
	add_text(doc, text);
	str_printf(doc->out, "</%s>\n", name);
}

static void add_code(struct document *doc, const char *text)
{
	str_add(doc->out, "<pre tabindex=\"0\"><code>");
	while (*text) {
		size_t length = strcspn(text, "\n");

		add_text(doc, arena_strndup(&doc->arena, text, length));
		text += length;
		if (*text == '\n') {
			str_add_char(doc->out, '\n');
			text++;
		}
	}
	str_add(doc->out, "</code></pre>\n");
}

static void html_prose(struct document *doc, enum tone tone, const char *text)
{
	static const struct {
		const char *kind, *word;
	} tones[] = {
		[TONE_PLAIN] = {NULL, ""},	  [TONE_INFO] = {"note", N_("note: ")},
		[TONE_WARNING] = {"warning", ""}, [TONE_VERDICT] = {"verdict", ""},
		[TONE_MARK] = {"mark", ""},	  [TONE_CODE] = {NULL, ""},
	};

	if (tone == TONE_CODE) {
		add_code(doc, text);
		return;
	}
	if (tones[tone].kind)
		str_printf(doc->out, "<p class=\"%s\">", tones[tone].kind);
	else
		str_add(doc->out, "<p>");
	if (tone == TONE_WARNING)
		add_element(doc, "strong", NULL, lang_text(doc->style.lang, N_("warning: ")));
	else
		add_text(doc, lang_text(doc->style.lang, tones[tone].word));
	add_text(doc, text);
	str_add(doc->out, "</p>\n");
}

static void html_facts(struct document *doc, const struct fact *facts, unsigned count)
{
	bool any = false;

	for (unsigned i = 0; i < count; i++) {
		if (!facts[i].value)
			continue;
		str_add(doc->out, any ? "" : "<dl>\n");
		any = true;
		add_element(doc, "dt", NULL, facts[i].name);
		add_element(doc, "dd", NULL, facts[i].value);
		str_add_char(doc->out, '\n');
	}
	str_add(doc->out, any ? "</dl>\n" : "");
}

/* Outcomes have colours beside their words. */
static const char *kind_of_cell(enum lang lang, const char *text)
{
	static const struct {
		const char *word, *kind;
	} words[] = {{N_("pass"), "pass"}, {N_("fail"), "fail"}, {N_("cannot tell"), "untold"}};

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
		if (str_equal(text, lang_text(lang, words[i].word)))
			return words[i].kind;
	}
	return NULL;
}

static void add_cell(struct document *doc, const struct table *table, unsigned cell)
{
	const char *text = table->cells[cell] ? table->cells[cell] : "";
	const struct table_link *link = table->links ? &table->links[cell] : NULL;
	const char *kind;

	if (table->heat && !isnan(table->heat[cell])) {
		str_printf(doc->out, "<td class=\"heat\" style=\"--h:%.3f\">",
			   table->heat[cell]);
		add_text(doc, text);
		str_add(doc->out, "</td>");
		return;
	}
	if (!link || !link->graph) {
		add_element(doc, "td", kind_of_cell(doc->style.lang, text), text);
		return;
	}
	kind = kind_of_cell(doc->style.lang, text);
	str_printf(doc->out, kind ? "<td class=\"%s\">" : "<td>", kind);
	str_printf(doc->out, "<a href=\"#%s\"", link->graph);
	if (link->from < link->to)
		str_printf(doc->out, " data-from=\"%.9g\" data-to=\"%.9g\"", link->from,
			   link->to);
	str_add_char(doc->out, '>');
	add_text(doc, text);
	str_add(doc->out, "</a></td>");
}

/* A column that has a sentence in it may break its lines: class "w3" of the table is for the
 * third. */
static void add_table(struct document *doc, const struct table *table)
{
	str_add(doc->out, "<table class=\"");
	for (unsigned c = 0; c < table->columns; c++) {
		unsigned longest = 0;

		for (unsigned i = c; i < table->count; i += table->columns)
			if (table->cells[i])
				longest = (unsigned)max_u64(longest,
							    str_columns(table->cells[i]));
		if (longest > SENTENCE_COLUMNS)
			str_printf(doc->out, "w%u ", c + 1);
	}
	str_add(doc->out, "\">\n<thead><tr>");
}

static void html_table(struct document *doc, const struct table *table)
{
	str_add(doc->out, "<div class=\"scroll\" tabindex=\"0\">");
	add_table(doc, table);
	for (unsigned i = 0; i < table->columns; i++) {
		str_add(doc->out, "<th scope=\"col\">");
		add_text(doc, table->head[i]);
		str_add(doc->out, "</th>");
	}
	str_add(doc->out, "</tr></thead>\n<tbody>\n");
	for (unsigned i = 0; i < table->count; i += table->columns) {
		str_add(doc->out, "<tr>");
		for (unsigned c = 0; c < table->columns; c++)
			add_cell(doc, table, i + c);
		str_add(doc->out, "</tr>\n");
	}
	str_add(doc->out, "</tbody></table></div>\n");
	if (table->heat)
		add_element(doc, "p", "under",
			    lang_text(doc->style.lang,
				      N_("The deeper the colour the greater the value, on a "
					 "logarithmic scale.")));
}

/* False in a build without uPlot: the pictures are all there is. */
static bool has_script(void)
{
	return page_script[0] != '\0';
}

static void add_picture(struct document *doc, const struct graph *graph)
{
	struct graph_size size = graph_size(graph, false);
	struct svg svg;

	svg_begin_inside(&svg, size.width, size.height, graph->title, doc->out);
	graph_draw(graph, false, &svg.canvas);
	svg_end(&svg);
}

static void html_graph(struct document *doc, const struct graph *graph)
{
	struct graph other;

	str_printf(doc->out, "<figure id=\"%s\"%s><figcaption>", graph->id,
		   graph->half ? " class=\"half\"" : "");
	add_text(doc, graph->title);
	str_add(doc->out, " <span class=\"unit\">");
	add_text(doc, graph->y_words);
	str_add(doc->out, "</span></figcaption>\n<div class=\"still\" tabindex=\"0\">");
	add_picture(doc, graph);
	if (graph_other(graph, doc->style.lang, &doc->arena, &other))
		add_picture(doc, &other);
	str_add(doc->out, "</div>\n");
	if (has_script()) {
		str_add(doc->out, "<script type=\"application/json\">");
		graph_data(graph, doc->out);
		str_add(doc->out, "</script>\n");
		if (graph->fine_note)
			add_element(doc, "p", "under", graph->fine_note);
	}
	if (graph->note)
		add_element(doc, "p", "under", graph->note);
	str_add(doc->out, "</figure>\n");
}

static void html_chart(struct document *doc, const struct chart *chart)
{
	autostr line = {0};

	if (chart->graph) {
		html_graph(doc, chart->graph);
		return;
	}
	document_sparkline(chart, true, 80, &line);
	str_add(doc->out, "<figure><figcaption>");
	add_text(doc, chart->title);
	str_printf(doc->out, " <span class=\"unit\">");
	add_text(doc, chart->unit);
	str_printf(doc->out, ", %u × ", chart->count);
	add_text(doc, chart->span);
	str_add(doc->out, "</span></figcaption><div class=\"bars\">");
	add_text(doc, str_text(&line));
	str_add(doc->out, "</div></figure>\n");
}

static void html_end(struct document *doc)
{
	const struct html_state *state = doc->state;

	if (state->program)
		add_element(doc, "p", "end", state->program);
	str_add(doc->out, "\n</main>\n");
	if (has_script()) {
		str_add(doc->out, "<script>");
		str_add_bytes(doc->out, (const char *)page_script, sizeof(page_script) - 1);
		str_add(doc->out, "</script>\n");
	}
	str_add(doc->out, "</body></html>\n");
}

static const struct document_ops html_ops = {
	.heading = html_heading,
	.prose = html_prose,
	.facts = html_facts,
	.table = html_table,
	.chart = html_chart,
	.end = html_end,
};

/* Inks as variables, for what the script draws. */
static void add_inks(bool dark, struct str *out)
{
	str_add(out, ":root{");
	for (unsigned i = 0; i < NINKS; i++)
		str_printf(out, "--ink-%s:#%06x;", ink_colors[i].name,
			   dark ? ink_colors[i].dark : ink_colors[i].light);
	str_add(out, "}");
}

static void add_style(struct str *out)
{
	str_add(out, "<style>\n");
	svg_style(out);
	add_inks(false, out);
	str_add(out, "@media (prefers-color-scheme:dark){");
	add_inks(true, out);
	str_add(out, "}\n");
	str_add(out, page_style);
	str_add_bytes(out, (const char *)page_script_style, sizeof(page_script_style) - 1);
	str_add(out, "</style>");
}

/* Nothing may be loaded from anywhere; the script is the one with this digest, or none. */
static void add_policy(struct str *out)
{
	str_printf(out,
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "img-src data:; style-src 'unsafe-inline'; script-src '%s'; "
		   "base-uri 'none'; form-action 'none'\">\n",
		   has_script() ? page_script_digest : "none");
}

void document_init_html(struct document *doc, struct str *out, const struct html_head *head)
{
	struct html_state *state;

	*doc = (struct document){.ops = &html_ops,
				 .out = out,
				 .style = {.utf8 = true, .columns = 80, .lang = head->lang}};
	arena_init(&doc->arena);
	state = arena_new(&doc->arena, struct html_state);
	state->program = head->program ? arena_strdup(&doc->arena, head->program) : NULL;
	doc->state = state;
	str_printf(out, "<!DOCTYPE html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\">\n",
		   lang_code(head->lang));
	add_policy(out);
	str_add(out, "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		     "<link rel=\"icon\" href=\"data:,\">\n<title>");
	add_text(doc, document_say(doc, head->title));
	str_add(out, "</title>\n");
	add_style(out);
	str_printf(out,
		   "</head>\n<body data-log=\"%s\" data-all=\"%s\" data-copy=\"%s\">\n<main>\n",
		   lang_text(head->lang, N_("log scale")),
		   lang_text(head->lang, N_("show all")), lang_text(head->lang, N_("copy")));
}
