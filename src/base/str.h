/*
 * struct str: text that grows. The renderers of report/ fill one, cli/ writes it out. Heap
 * memory, owned by the caller, released with str_done; { 0 } is an empty one. Plus the few
 * string helpers that several folders need.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
	char *text; /* NUL-terminated once anything was added; NULL before */
	size_t length, size_bytes;
};

void str_done(struct str *s);
void str_clear(struct str *s);
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const char *text, size_t bytes);
void str_add_char(struct str *s, char c);
void str_printf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_vprintf(struct str *s, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));
/* A word for a shell, in quotes where it needs them: 'it'"'"'s'. */
void str_add_shell(struct str *s, const char *text);
/* Control characters as \\n, \\t and \\x1b: one line on any terminal. */
/* Texts from outside (names, lines of files) may hold what moves a terminal: control characters but
 * for ends of lines and tabs, marks that turn the direction of writing, bytes that are no UTF-8
 * become "?", in place. */
void str_make_safe(char *text);
void str_add_plain(struct str *s, const char *text);
/* `text` padded with spaces to `columns` display columns (UTF-8 counted by code point). */
void str_add_left(struct str *s, const char *text, unsigned columns);
void str_add_right(struct str *s, const char *text, unsigned columns);
/* Never NULL. */
const char *str_text(const struct str *s);
/* Looks at its end alone, however long it is. */
bool str_has_end(const struct str *s, const char *suffix);

bool str_equal(const char *a, const char *b);
bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);
/* Damerau-Levenshtein distance, for "did you mean"; texts are cut at 64 bytes. */
unsigned str_distance(const char *a, const char *b);
/* What "did you mean" may not reach: names nearer than this to a mistyped one are like it. */
unsigned str_near_limit(const char *typed);
/* Does a Chinese, Japanese or Korean sign begin here, which takes two columns (the blocks of
 * Unicode's East Asian Width below U+10000)? */
bool str_is_wide(const char *text);
/* Display columns of UTF-8 text: one a code point, two where it is wide. */
unsigned str_columns(const char *text);
/* As many signs of `text` as fit into `columns`. */
void str_add_columns(struct str *s, const char *text, unsigned columns);

#define autostr __attribute__((cleanup(str_done))) struct str
