#include "base/lang.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"

#ifndef ASSAY_CATALOGUES
#define ASSAY_CATALOGUES "base/catalogues.inc"
#endif
#include ASSAY_CATALOGUES

#define PIECES_MAX   16 /* arguments of a format that lang_say() takes apart */
#define DEPTH_MAX    3	/* formats in arguments of formats */
#define PIECE_AGREES 9	/* bytes in which an argument agrees with a format, at least */

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

/* The first of the three that is set, as setlocale() looks for a category's locale. */
static const char *locale_of(const char *category)
{
	const char *const names[] = {"LC_ALL", category, "LANG"};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return value;
	}
	return "C";
}

/* "C", "C.UTF-8", "POSIX": nobody's language, whatever LANGUAGE says. */
static bool is_plain(const char *locale)
{
	return str_equal(locale, "C") || str_starts(locale, "C.") || str_equal(locale, "POSIX");
}

/* The first of "ja:zh_CN:en" that is one of ours. */
static bool parse_list(const char *list, enum lang *ret_lang)
{
	char name[16];

	while (*list) {
		size_t length = strcspn(list, ":");

		if (length < sizeof(name)) {
			memcpy(name, list, length);
			name[length] = '\0';
			if (lang_parse(name, ret_lang))
				return true;
		}
		list += length + (list[length] == ':');
	}
	return false;
}

enum lang lang_of_environment(void)
{
	const char *locale = locale_of("LC_MESSAGES"), *list = getenv("LANGUAGE");
	enum lang lang = LANG_EN;

	if (is_plain(locale))
		return LANG_EN;
	if (!list || !parse_list(list, &lang))
		(void)lang_parse(locale, &lang); /* others read English */
	return lang;
}

bool lang_environment_is_utf8(void)
{
	const char *charset = strchr(locale_of("LC_CTYPE"), '.');

	return charset && (strncasecmp(charset, ".UTF-8", 6) == 0 ||
			   strncasecmp(charset, ".utf8", 5) == 0);
}

enum lang lang_of_messages(void)
{
	return lang_environment_is_utf8() ? lang_of_environment() : LANG_EN;
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

const char *lang_here(const char *text)
{
	return lang_text(lang_of_messages(), text);
}

const struct lang_entry *lang_entries(enum lang lang, unsigned *ret_count)
{
	*ret_count = langs[lang].count;
	return langs[lang].entries;
}

/* --- texts that were filled in --- */

/* The length of a conversion ("%.1f", "%2$s", "%llu") at `format`, 0 where none begins; "%%" is
 * text, and so is a sign by itself ("95 % bounds", "5%"). *ret_number is its argument's, from 0,
 * or -1: the next one. */
static size_t conversion(const char *format, int *ret_number, bool *ret_silent)
{
	size_t length = 1;

	*ret_number = -1;
	*ret_silent = false;
	if (*format != '%' || !format[1] || strchr("% ", format[1]))
		return 0;
	if (format[1] >= '1' && format[1] <= '9' && format[2] == '$') {
		*ret_number = format[1] - '1';
		length = 3;
	}
	*ret_silent = strncmp(format + length, ".0s", 3) == 0;
	length += strspn(format + length, " #+-0123456789.*hlzj");
	return format[length] ? length + 1 : length;
}

struct piece {
	const char *text;
	size_t length;
	bool quoted; /* somebody's words */
};

/* The literal text up to the next conversion: its bytes, with "%%" as one. */
static size_t literal(const char **format, struct str *out)
{
	int number;
	bool silent;

	str_clear(out);
	while (**format && !conversion(*format, &number, &silent)) {
		*format += strncmp(*format, "%%", 2) == 0;
		str_add_char(out, *(*format)++);
	}
	return out->length;
}

/* What stood for each argument, where `text` can come from `format`; the number of literal
 * bytes that agree says how good a match it is, 0 that it is none. */
static size_t match(const char *format, const char *text, struct piece *pieces)
{
	autostr words = {0};
	size_t agreed = 0;
	unsigned count = 0;
	bool quoted;

	if (literal(&format, &words) && strncmp(text, words.text, words.length) != 0)
		return 0;
	quoted = words.length && words.text[words.length - 1] == '"';
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
		pieces[count++] = (struct piece){text, (size_t)(end - text), quoted};
		quoted = words.length && words.text[words.length - 1] == '"';
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
			format += strncmp(format, "%%", 2) == 0;
			str_add_char(out, *format++);
			continue;
		}
		number = number < 0 ? (int)next++ : number;
		if (!silent && number < PIECES_MAX && pieces[number].text)
			str_add_bytes(out, pieces[number].text, pieces[number].length);
		format += length;
	}
}

/* The format that agrees with most of `text`, in more than `least` bytes; NULL: none does. */
static const struct lang_entry *find_format(enum lang lang, const char *text, size_t least,
					    struct piece ret_pieces[PIECES_MAX])
{
	const struct lang_entry *best = NULL;

	for (unsigned i = 0; i < langs[lang].count; i++) {
		struct piece pieces[PIECES_MAX] = {0};
		size_t agreed = match(langs[lang].entries[i].english, text, pieces);

		if (agreed <= least)
			continue;
		least = agreed;
		best = &langs[lang].entries[i];
		memcpy(ret_pieces, pieces, sizeof(pieces));
	}
	return best;
}

/* Formats in arguments of formats: at most DEPTH_MAX deep. */
/* NOLINTBEGIN(misc-no-recursion) */

static void say_piece(enum lang lang, struct piece piece, unsigned depth, struct str *out);

/* "one note; another": each for itself; "name: what is said of it": what is said. */
static void say_parts(enum lang lang, const char *text, unsigned depth, struct str *out)
{
	const char *end = strstr(text, "; "), *colon = strstr(text, ": ");

	if (!end && !colon) {
		str_add(out, text);
		return;
	}
	if (!end) {
		colon += strlen(": ");
		str_add_bytes(out, text, (size_t)(colon - text));
		text = colon;
	}
	for (; end; end = strstr(text, "; ")) {
		say_piece(lang, (struct piece){text, (size_t)(end - text), false}, depth + 1,
			  out);
		str_add(out, "; ");
		text = end + strlen("; ");
	}
	say_piece(lang, (struct piece){text, strlen(text), false}, depth + 1, out);
}

static void say(enum lang lang, const char *text, size_t least, unsigned depth, struct str *out)
{
	struct piece pieces[PIECES_MAX] = {0};
	struct str said[PIECES_MAX] = {0};
	const char *whole = lang_text(lang, text);
	const struct lang_entry *best =
		whole == text ? find_format(lang, text, least, pieces) : NULL;

	if (whole != text)
		str_add(out, whole);
	else if (!best)
		say_parts(lang, text, depth, out);
	for (unsigned i = 0; best && i < PIECES_MAX && pieces[i].text; i++) {
		say_piece(lang, pieces[i], depth + 1, &said[i]);
		pieces[i].text = str_text(&said[i]);
		pieces[i].length = said[i].length;
	}
	if (best)
		fill(best->text, pieces, out);
	for (unsigned i = 0; i < PIECES_MAX; i++)
		str_done(&said[i]);
}

/* Only texts of several words are the program's: "read" may be the name of a job, and so may be
 * what agrees with a format in a few letters. */
static void say_piece(enum lang lang, struct piece piece, unsigned depth, struct str *out)
{
	autostr text = {0};

	str_add_bytes(&text, piece.text, piece.length);
	if (piece.quoted || depth > DEPTH_MAX || !strchr(str_text(&text), ' '))
		str_add(out, str_text(&text));
	else
		say(lang, str_text(&text), max_u64(PIECE_AGREES, text.length / 4), depth, out);
}

/* NOLINTEND(misc-no-recursion) */

void lang_say(enum lang lang, const char *text, struct str *out)
{
	if (!langs[lang].count)
		str_add(out, text);
	else
		say(lang, text, strlen(text) / 4, 0, out); /* mostly arguments is no match */
}

/* --- texts that are filled in now --- */

#define SEPARATOR '\x1f'

struct bare {
	struct str text;
	unsigned count, quoted; /* a bit for each that stands in quotation marks */
};

/* The conversions alone ("%s\x1f%u"), whose result is each argument as English writes it. */
static __attribute__((format_arg(1))) const char *bare_format(const char *fmt,
							      struct bare *bare)
{
	for (const char *at = fmt; *at;) {
		int number;
		bool silent;
		size_t length = conversion(at, &number, &silent);

		if (!length) {
			at += strncmp(at, "%%", 2) == 0 ? 2 : 1;
			continue;
		}
		if (bare->count < PIECES_MAX && at > fmt && at[-1] == '"')
			bare->quoted |= 1u << bare->count;
		if (bare->count++)
			str_add_char(&bare->text, SEPARATOR);
		str_add_bytes(&bare->text, at, length);
		at += length;
	}
	return str_text(&bare->text);
}

/* Cut `text` at its separators; the number of pieces. */
static unsigned cut(const char *text, struct piece pieces[PIECES_MAX])
{
	unsigned count = 0;

	for (const char *end = text; end; text = end + 1) {
		end = strchr(text, SEPARATOR);
		if (count < PIECES_MAX)
			pieces[count] = (struct piece){
				text, end ? (size_t)(end - text) : strlen(text), false};
		count++;
		if (!end)
			break;
	}
	return count;
}

/* The arguments into `said`, each translated; false: they cannot be told apart. */
static bool say_arguments(enum lang lang, const char *filled, const struct bare *bare,
			  struct str said[PIECES_MAX])
{
	struct piece pieces[PIECES_MAX];

	if (bare->count > PIECES_MAX || (bare->count && cut(filled, pieces) != bare->count))
		return false;
	for (unsigned i = 0; i < bare->count; i++) {
		pieces[i].quoted = bare->quoted >> i & 1;
		say_piece(lang, pieces[i], 1, &said[i]);
	}
	return true;
}

void lang_vprintf(enum lang lang, struct str *out, const char *fmt, va_list args)
{
	struct str said[PIECES_MAX] = {0};
	struct piece pieces[PIECES_MAX];
	autostr filled = {0};
	struct bare bare = {0};
	va_list again;

	va_copy(again, args);
	if (lang != LANG_EN)
		str_vprintf(&filled, bare_format(fmt, &bare), again);
	va_end(again);
	if (lang != LANG_EN && say_arguments(lang, str_text(&filled), &bare, said)) {
		for (unsigned i = 0; i < PIECES_MAX; i++)
			pieces[i] = (struct piece){str_text(&said[i]), said[i].length, false};
		fill(lang_text(lang, fmt), pieces, out);
	} else { /* somebody's words may hold a separator */
		str_vprintf(out, fmt, args);
	}
	for (unsigned i = 0; i < PIECES_MAX; i++)
		str_done(&said[i]);
	str_done(&bare.text);
}

void lang_printf(enum lang lang, struct str *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	lang_vprintf(lang, out, fmt, args);
	va_end(args);
}

void lang_add(struct str *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	lang_vprintf(lang_of_messages(), out, fmt, args);
	va_end(args);
}
