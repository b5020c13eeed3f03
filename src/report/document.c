#include "report/document.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "report/graph.h"

void document_done(struct document *doc)
{
	if (doc->ops && doc->ops->end)
		doc->ops->end(doc);
	arena_done(&doc->arena);
	*doc = (struct document){0};
}

static const char *keep(struct document *doc, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));
static const char *keep(struct document *doc, const char *fmt, va_list args)
{
	autostr text = {0};

	lang_vprintf(doc->style.lang, &text, fmt, args);
	return arena_strdup(&doc->arena, str_text(&text));
}

void document_add(struct document *doc, struct str *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	lang_vprintf(doc->style.lang, out, fmt, args);
	va_end(args);
}

const char *document_say(struct document *doc, const char *english)
{
	autostr text = {0};

	if (doc->style.lang == LANG_EN)
		return english;
	lang_say(doc->style.lang, english, &text);
	return arena_strdup(&doc->arena, str_text(&text));
}

/* NULL stays NULL. */
static const char *word(struct document *doc, const char *english)
{
	return english ? lang_text(doc->style.lang, english) : NULL;
}

/* A single word of a table may be somebody's name; several may have been put together. */
static const char *words_of(struct document *doc, const char *english)
{
	return english && strchr(english, ' ') ? document_say(doc, english)
					       : word(doc, english);
}

const char *document_text(struct document *doc, const char *fmt, ...)
{
	const char *text;
	va_list args;

	va_start(args, fmt);
	text = keep(doc, fmt, args);
	va_end(args);
	return text;
}

void document_heading(struct document *doc, unsigned level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	doc->ops->heading(doc, level, keep(doc, fmt, args));
	va_end(args);
	doc->anchor = NULL;
}

void document_anchor(struct document *doc, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	doc->anchor = keep(doc, fmt, args);
	va_end(args);
}

void document_prose(struct document *doc, enum tone tone, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	doc->ops->prose(doc, tone, keep(doc, fmt, args));
	va_end(args);
}

void document_facts(struct document *doc, const struct fact *facts, unsigned count)
{
	struct fact *words = arena_array(&doc->arena, struct fact, count + 1);

	for (unsigned i = 0; i < count; i++)
		words[i] =
			(struct fact){word(doc, facts[i].name), words_of(doc, facts[i].value)};
	doc->ops->facts(doc, words, count);
}

void document_table(struct document *doc, const struct table *table)
{
	struct table words = *table;

	assert(table->count % table->columns == 0);
	if (!table->count)
		return;
	for (unsigned i = 0; i < table->columns; i++)
		words.head[i] = word(doc, table->head[i]);
	words.cells = arena_array(&doc->arena, const char *, table->count);
	for (unsigned i = 0; i < table->count; i++)
		words.cells[i] = table->names >> i % table->columns & 1
					 ? table->cells[i]
					 : word(doc, table->cells[i]);
	doc->ops->table(doc, &words);
}

/* The lines of a graph with their names translated. */
static const struct graph_line *line_words(struct document *doc, const struct graph *graph)
{
	struct graph_line *lines =
		arena_array(&doc->arena, struct graph_line, graph->nlines + 1);

	for (unsigned i = 0; i < graph->nlines; i++) {
		lines[i] = graph->lines[i];
		lines[i].name = word(doc, lines[i].name);
	}
	return lines;
}

static struct graph graph_words(struct document *doc, const struct graph *graph)
{
	struct graph words = *graph;
	struct graph_shade *shades =
		arena_array(&doc->arena, struct graph_shade, graph->nshades + 1);
	struct graph_limit *limits =
		arena_array(&doc->arena, struct graph_limit, graph->nlimits + 1);

	words.title = word(doc, graph->title);
	words.note = word(doc, graph->note);
	words.fine_note = word(doc, graph->fine_note);
	words.x_words = word(doc, graph->x_words);
	words.y_words = word(doc, graph->y_words);
	words.unit = word(doc, graph->unit);
	words.lines = line_words(doc, graph);
	for (unsigned i = 0; i < graph->nshades; i++) {
		shades[i] = graph->shades[i];
		shades[i].text = word(doc, shades[i].text);
	}
	for (unsigned i = 0; i < graph->nlimits; i++) {
		limits[i] = graph->limits[i];
		limits[i].text = word(doc, limits[i].text);
	}
	words.shades = shades;
	words.limits = limits;
	return words;
}

void document_chart(struct document *doc, const struct chart *chart)
{
	struct chart words = *chart;
	struct graph graph;

	if (!chart->count)
		return;
	words.title = word(doc, chart->title);
	words.unit = word(doc, chart->unit);
	if (chart->graph) {
		graph = graph_words(doc, chart->graph);
		words.graph = &graph;
	}
	doc->ops->chart(doc, &words);
}

void document_graph(struct document *doc, const struct graph *graph)
{
	const struct graph words = graph_words(doc, graph);
	const struct chart chart = {.graph = &words};

	doc->ops->chart(doc, &chart);
}

void table_init(struct table *table, const char *const *heads)
{
	*table = (struct table){0};
	while (heads[table->columns]) {
		assert(table->columns < TABLE_COLUMNS_MAX);
		table->head[table->columns] = heads[table->columns];
		table->columns++;
	}
	assert(table->columns > 0);
}

static double *cold(struct document *doc, unsigned count)
{
	double *heat = arena_array(&doc->arena, double, count);

	for (unsigned i = 0; i < count; i++)
		heat[i] = (double)NAN;
	return heat;
}

static void make_room(struct document *doc, struct table *table)
{
	unsigned room = table->room ? 2 * table->room : 64;
	const char **cells = arena_array(&doc->arena, const char *, room);
	struct table_link *links = NULL;
	double *heat = NULL;

	if (table->links)
		links = arena_array(&doc->arena, struct table_link, room);
	if (table->heat)
		heat = cold(doc, room);
	for (unsigned i = 0; i < table->count; i++) {
		cells[i] = table->cells[i];
		if (links)
			links[i] = table->links[i];
		if (heat)
			heat[i] = table->heat[i];
	}
	table->cells = cells;
	table->links = links;
	table->heat = heat;
	table->room = room;
}

void table_cell(struct document *doc, struct table *table, const char *fmt, ...)
{
	va_list args;

	if (table->count == table->room)
		make_room(doc, table);
	va_start(args, fmt);
	table->cells[table->count++] = keep(doc, fmt, args);
	va_end(args);
}

void table_link(struct document *doc, struct table *table, const struct table_link *link)
{
	assert(table->count > 0);
	if (!table->links)
		table->links = arena_array(&doc->arena, struct table_link, table->room);
	table->links[table->count - 1] = *link;
}

void table_heat(struct document *doc, struct table *table, double share)
{
	assert(table->count > 0);
	if (!table->heat)
		table->heat = cold(doc, table->room);
	table->heat[table->count - 1] = share;
}

void document_ascii(const char *text, struct str *out)
{
	static const struct {
		const char *sign, *spelling;
	} spellings[] = {
		{"–", "-"},  {"—", "-"},  {"×", "x"},	{"µ", "u"}, {"≥", ">="},
		{"≤", "<="}, {"±", "+-"}, {"…", "..."}, {"·", "."}, {"→", "->"},
	};

	while (*text) {
		size_t i = 0, length = 1;

		if ((unsigned char)*text < 0x80) {
			str_add_char(out, *text++);
			continue;
		}
		while (i < ARRAY_SIZE(spellings) && !str_starts(text, spellings[i].sign))
			i++;
		while (((unsigned char)text[length] & 0xc0) == 0x80)
			length++;
		str_add(out, i < ARRAY_SIZE(spellings) ? spellings[i].spelling : "?");
		text += length;
	}
}

/* What stands for values[from, to): the mean of the known ones, 0 if any is 0, NAN if none is
 * known. */
static double bar_value(const double *values, unsigned from, unsigned to)
{
	double sum = 0;
	unsigned known = 0;

	for (unsigned i = from; i < to; i++) {
		if (isnan(values[i]))
			continue;
		if (values[i] <= 0)
			return 0;
		sum += values[i];
		known++;
	}
	return known ? sum / known : (double)NAN;
}

void document_sparkline(const struct chart *chart, bool utf8, unsigned width, struct str *out)
{
	static const char *const fine[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const plain[] = {".", ":", "-", "=", "+", "*", "#", "@"};
	const unsigned levels = ARRAY_SIZE(fine);
	unsigned bars = chart->count < width ? chart->count : width;
	double max = 0;

	for (unsigned i = 0; i < chart->count; i++)
		max = fmax(max, chart->values[i]); /* fmax passes over NAN */
	for (unsigned bar = 0; bar < bars; bar++) {
		unsigned from = (unsigned)muldiv_u64(bar, chart->count, bars);
		unsigned to = (unsigned)muldiv_u64(bar + 1, chart->count, bars);
		double value = bar_value(chart->values, from, to);
		unsigned level;

		if (isnan(value)) {
			str_add_char(out, ' ');
		} else if (value <= 0) {
			str_add_char(out, '0');
		} else {
			level = (unsigned)(value / max * levels);
			level = level < levels ? level : levels - 1;
			str_add(out, utf8 ? fine[level] : plain[level]);
		}
	}
}
