#include "report/document.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"

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

	str_vprintf(&text, fmt, args);
	return arena_strdup(&doc->arena, str_text(&text));
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
	doc->ops->facts(doc, facts, count);
}

void document_table(struct document *doc, const struct table *table)
{
	assert(table->count % table->columns == 0);
	if (table->count)
		doc->ops->table(doc, table);
}

void document_chart(struct document *doc, const struct chart *chart)
{
	if (chart->count || chart->graph)
		doc->ops->chart(doc, chart);
}

void document_graph(struct document *doc, const struct graph *graph)
{
	const struct chart chart = {.graph = graph};

	document_chart(doc, &chart);
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

static void make_room(struct document *doc, struct table *table)
{
	unsigned room = table->room ? 2 * table->room : 64;
	const char **cells = arena_array(&doc->arena, const char *, room);
	struct table_link *links = NULL;

	if (table->links)
		links = arena_array(&doc->arena, struct table_link, room);
	for (unsigned i = 0; i < table->count; i++) {
		cells[i] = table->cells[i];
		if (links)
			links[i] = table->links[i];
	}
	table->cells = cells;
	table->links = links;
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
