/*
 * Languages of what people read. The English text is the key: lang_text() finds its translation in
 * a table that the build makes from the catalogues of po/ (gettext's format), and English itself
 * where there is none. The tables are part of the program, so that a language needs no locale of
 * the system. Formats are translated before they are filled in.
 *
 * Texts that were filled in already (a note that the store kept) are found by the format that
 * they must have come from: lang_say().
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"

enum lang { LANG_EN, LANG_ZH, LANG_JA, NLANGS };

/* Marks a text of a table for the catalogues; it is translated where it is used. */
#define N_(text) text

const char *lang_code(enum lang lang); /* "en": of HTML's lang attribute */
/* "zh", "zh_CN.UTF-8", "ja-JP"; false: none of ours. */
bool lang_parse(const char *name, enum lang *ret_lang);
/* What LC_ALL, LC_MESSAGES or LANG, the first that is set, asks for; English for any other. */
enum lang lang_of_environment(void);
bool lang_environment_is_utf8(void); /* it names UTF-8 */

const char *lang_text(enum lang lang, const char *text) __attribute__((format_arg(2)));
void lang_say(enum lang lang, const char *text, struct str *out);

/* The table, for tests: pairs of English and translation, ascending; NULL for English. */
struct lang_entry {
	const char *english, *text;
};
const struct lang_entry *lang_entries(enum lang lang, unsigned *ret_count);
