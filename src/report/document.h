/*
 * A page is written once, against five verbs: heading, prose, facts, table, chart. A format
 * implements the five: text.c for terminals, markdown.c to paste, html.c for a browser, csv.c for
 * spreadsheets. Pure: a document fills the struct str it was given and prints nothing.
 *
 * Formats and words are English, and translated on their way into the document (base/lang.h): the
 * formats of all functions below, heads of tables, names of facts, the words of graphs, and cells
 * that are a word of the catalogue.
 *
 * Pages write UTF-8. Where the reader's locale has ASCII only, every text goes through
 * document_ascii() before it is measured, so that columns stay aligned.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/lang.h"
#include "base/str.h"

enum tone {
	TONE_PLAIN,
	TONE_INFO,    /* "note: ..." */
	TONE_WARNING, /* "warning: ..." */
	TONE_VERDICT, /* the one sentence at the end */
	TONE_MARK,    /* what nobody may miss: "simulated" */
	TONE_CODE,    /* lines to copy, kept as they are */
};

/* A name and what is said about it; value NULL leaves the line out. */
struct fact {
	const char *name, *value;
};

#define TABLE_COLUMNS_MAX 16

/* Where a cell leads: to a graph or a heading, by its id, and the stretch of the graph's x axis
 * that is spoken of (equal ends: all of it). */
struct table_link {
	const char *graph; /* NULL: nowhere */
	double from, to;
};

/* Cells in order, row by row; the first column is text, the others are figures. */
struct table {
	const char *head[TABLE_COLUMNS_MAX];
	unsigned columns;
	const char **cells; /* columns * rows, NULL is an empty one; in the document's arena */
	struct table_link *links; /* beside cells; NULL: no cell has one */
	double *heat;		  /* beside cells, 0 to 1, NAN none; NULL: no cell has any */
	unsigned count, room;
	unsigned
		names; /* a bit for each column of somebody's names, which are not translated */
};

/* One value per equal span of time; NAN where nothing can be said (a partial interval). Or a
 * whole graph (graph.h). With both, formats for a screen of text take the values, the others the
 * graph. */
struct graph;
struct chart {
	const char *title, *unit;
	const double *values;
	unsigned count;
	const char *span; /* "1 s each" */
	const struct graph *graph;
};

struct document;
struct document_ops {
	void (*heading)(struct document *doc, unsigned level, const char *text);
	void (*prose)(struct document *doc, enum tone tone, const char *text);
	void (*facts)(struct document *doc, const struct fact *facts, unsigned count);
	void (*table)(struct document *doc, const struct table *table);
	void (*chart)(struct document *doc, const struct chart *chart);
	void (*end)(struct document *doc); /* NULL: nothing is left to write */
};

struct page_style {
	bool utf8, color;
	unsigned columns; /* 0: 80 */
	enum lang lang;
};

struct document {
	const struct document_ops *ops;
	struct page_style style;
	struct str *out;    /* the caller's */
	struct arena arena; /* texts of cells; emptied by document_done */
	const char *anchor; /* document_anchor()'s; NULL none */
	void *state;	    /* the format's own, in the arena; NULL: it has none */
};

void document_init_text(struct document *doc, struct str *out, const struct page_style *style);
void document_init_markdown(struct document *doc, struct str *out);
void document_init_csv(struct document *doc, struct str *out);
/* Writes what a format has at its end. */
void document_done(struct document *doc);

/* Level 1 is the page, 2 a part of it. */
void document_heading(struct document *doc, unsigned level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The id of the next heading, for links: letters, digits and "-", unique in its page. Only formats
 * that have links heed it. */
void document_anchor(struct document *doc, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void document_prose(struct document *doc, enum tone tone, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void document_facts(struct document *doc, const struct fact *facts, unsigned count);
/* A table without rows, or a chart without values, leaves nothing. */
void document_table(struct document *doc, const struct table *table);
void document_chart(struct document *doc, const struct chart *chart);
void document_graph(struct document *doc, const struct graph *graph);

/* `heads` ends with NULL. */
void table_init(struct table *table, const char *const *heads);
/* The text is kept in the document's arena. */
void table_cell(struct document *doc, struct table *table, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Of the last cell. */
void table_link(struct document *doc, struct table *table, const struct table_link *link);
/* How much of the greatest, on whatever scale: the last cell is coloured by it, where a format has
 * colours. */
void table_heat(struct document *doc, struct table *table, double share);
/* A text that the document keeps: for facts and cells put together from several pieces. */
const char *document_text(struct document *doc, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same onto the end of a text that grows. */
void document_add(struct document *doc, struct str *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A text that was put together in English before: a note, a word of a table. */
const char *document_say(struct document *doc, const char *english);

/* A control character would move the reader's terminal: names from outside may hold any. */
static inline bool document_is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* `text` with its UTF-8 signs spelled in ASCII ("–" is "-", "×" is "x"); what has no spelling
 * becomes "?". */
void document_ascii(const char *text, struct str *out);

/* A line of `width` bars at most, scaled to the greatest value; intervals without anything
 * show as "0", also where several share a bar; unknown ones as a space. */
void document_sparkline(const struct chart *chart, bool utf8, unsigned width, struct str *out);
