/*
 * Languages of what people read. The English text is the key: lang_text() finds its
 * translation in a table that the build makes from the catalogues of po/ (gettext's format),
 * and English itself where there is none. The tables are part of the program, so that a
 * language needs no locale of the system. Formats are translated before they are filled in.
 *
 * Texts that were filled in already (a note that the store kept) are found by the format that
 * they must have come from: lang_say().
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

#include "base/str.h"

enum lang { LANG_EN, LANG_ZH, LANG_JA, NLANGS };

/* Marks a text of a table for the catalogues; it is translated where it is used. */
#define N_(text) text
/*
 * One of two formats by a count, ngettext's pair in the catalogues: PLURAL(n, "%u run", "%u runs").
 * Both take the same arguments; the languages with one form say it for both.
 */
#define PLURAL(count, one, many) ((count) == 1 ? one : many)

const char *lang_code(enum lang lang); /* "en": of HTML's lang attribute */
/* "zh", "zh_CN.UTF-8", "ja-JP"; false: none of ours. */
bool lang_parse(const char *name, enum lang *ret_lang);
/*
 * What the environment asks for, as gettext reads it: LC_ALL, LC_MESSAGES or LANG, the first
 * that is set, and before it the first language of ours in LANGUAGE, unless the locale is C
 * or POSIX. English for any other.
 */
enum lang lang_of_environment(void);
bool lang_environment_is_utf8(
	void); /* LC_ALL, LC_CTYPE or LANG, the first that is set, names UTF-8 */
/* What messages are said in: the environment's language, English where UTF-8 cannot be shown. */
enum lang lang_of_messages(void);

const char *lang_text(enum lang lang, const char *text) __attribute__((format_arg(2)));
/* The same in the language of messages. */
const char *lang_here(const char *text) __attribute__((format_arg(1)));
void lang_say(enum lang lang, const char *text, struct str *out);
/*
 * The translated format filled in. Arguments that are texts of the program (a cause, a hint)
 * are translated too; those in quotation marks are somebody's words and stay as they are.
 */
void lang_vprintf(enum lang lang, struct str *out, const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));

/* The same with arguments. */
void lang_printf(enum lang lang, struct str *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same in the language of messages. */
void lang_add(struct str *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The table, for tests: pairs of English and translation, ascending; NULL for English. */
struct lang_entry {
	const char *english, *text;
};
const struct lang_entry *lang_entries(enum lang lang, unsigned *ret_count);
