#include "base/lang.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/catalogues.inc"

#define PIECES_MAX 16 /* arguments of a format that lang_say() takes apart */

static const struct {
	const char *code;
	const struct lang_entry *entries;
	unsigned count;
} langs[NLANGS] = {
	[LANG_EN] = {"en", NULL, 0},
	[LANG_ZH] = {"zh", entries_zh, ARRAY_SIZE(entries_zh)},
	[LANG_JA] = {"ja", entries_ja, ARRAY_SIZE(entries_ja)},
};

const char *lang_code(enum lang lang)
{
	return langs[lang].code;
}

bool lang_parse(const char *name, enum lang *ret_lang)
{
	for (unsigned i = 0; i < NLANGS; i++) {
		if (strncmp(name, langs[i].code, 2) != 0 || !strchr("_-.@", name[2]))
			continue; /* strchr finds the NUL at the end too */
		*ret_lang = (enum lang)i;
		return true;
	}
	return false;
}

static const char *of_environment(void)
{
	static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return value;
	}
	return "C";
}

enum lang lang_of_environment(void)
{
	enum lang lang = LANG_EN;

	(void)lang_parse(of_environment(), &lang); /* others read English */
	return lang;
}

bool lang_environment_is_utf8(void)
{
	const char *value = of_environment();

	return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "utf-8");
}

static int compare_entries(const void *key, const void *entry)
{
	return strcmp(key, ((const struct lang_entry *)entry)->english);
}

const char *lang_text(enum lang lang, const char *text)
{
	const struct lang_entry *found = NULL;

	if (langs[lang].count)
		found = bsearch(text, langs[lang].entries, langs[lang].count,
				sizeof(struct lang_entry), compare_entries);
	return found ? found->text : text;
}

const struct lang_entry *lang_entries(enum lang lang, unsigned *ret_count)
{
	*ret_count = langs[lang].count;
	return langs[lang].entries;
}

/* --- texts that were filled in --- */

/* The length of a conversion ("%.1f", "%2$s", "%llu") at `format`, 0 where none begins; "%%" is
 * text. *ret_number is its argument's, from 0, or -1: the next one. */
static size_t conversion(const char *format, int *ret_number, bool *ret_silent)
{
	size_t length = 1;

	*ret_number = -1;
	*ret_silent = false;
	if (*format != '%' || format[1] == '%')
		return 0;
	if (format[1] >= '1' && format[1] <= '9' && format[2] == '$') {
		*ret_number = format[1] - '1';
		length = 3;
	}
	*ret_silent = strncmp(format + length, ".0s", 3) == 0;
	length += strspn(format + length, " #+-0123456789.hlzj");
	return format[length] ? length + 1 : length;
}

struct piece {
	const char *text;
	size_t length;
};

/* The literal text up to the next conversion: its bytes, with "%%" as one. */
static size_t literal(const char **format, struct str *out)
{
	int number;
	bool silent;

	str_clear(out);
	while (**format && !conversion(*format, &number, &silent)) {
		*format += **format == '%';
		str_add_char(out, *(*format)++);
	}
	return out->length;
}

/* What stood for each argument, where `text` can come from `format`; the number of literal bytes
 * that agree says how good a match it is, 0 that it is none. */
static size_t match(const char *format, const char *text, struct piece *pieces)
{
	autostr words = {0};
	size_t agreed = 0;
	unsigned count = 0;

	if (literal(&format, &words) && strncmp(text, words.text, words.length) != 0)
		return 0;
	agreed = words.length;
	text += words.length;
	while (*format) {
		const char *end;
		int number;
		bool silent;

		format += conversion(format, &number, &silent);
		literal(&format, &words);
		end = !*format && !words.length ? text + strlen(text)
		      : words.length		? strstr(text, words.text)
						: text;
		if (!*format && words.length) { /* the last words stand at the end */
			size_t length = strlen(text);

			end = length >= words.length && str_ends(text, words.text)
				      ? text + length - words.length
				      : NULL;
		}
		if (!end || count == PIECES_MAX)
			return 0;
		pieces[count++] = (struct piece){text, (size_t)(end - text)};
		text = end + words.length;
		agreed += words.length;
	}
	return *text ? 0 : agreed;
}

/* The translated format with the pieces in its places. */
static void fill(const char *format, const struct piece *pieces, struct str *out)
{
	unsigned next = 0;

	while (*format) {
		int number;
		bool silent;
		size_t length = conversion(format, &number, &silent);

		if (!length) {
			format += *format == '%';
			str_add_char(out, *format++);
			continue;
		}
		number = number < 0 ? (int)next++ : number;
		if (!silent && number < PIECES_MAX && pieces[number].text)
			str_add_bytes(out, pieces[number].text, pieces[number].length);
		format += length;
	}
}

void lang_say(enum lang lang, const char *text, struct str *out)
{
	const struct lang_entry *best = NULL;
	struct piece best_pieces[PIECES_MAX] = {0};
	const char *whole = lang_text(lang, text);
	size_t most = strlen(text) / 4; /* a match that is mostly arguments is none */

	for (unsigned i = 0; i < langs[lang].count && whole == text; i++) {
		struct piece pieces[PIECES_MAX] = {0};
		size_t agreed = match(langs[lang].entries[i].english, text, pieces);

		if (agreed <= most)
			continue;
		most = agreed;
		best = &langs[lang].entries[i];
		memcpy(best_pieces, pieces, sizeof(pieces));
	}
	if (best)
		fill(best->text, best_pieces, out);
	else
		str_add(out, whole);
}
