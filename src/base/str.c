#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/memory.h"

void str_done(struct str *s)
{
	free(s->text);
	*s = (struct str){0};
}

void str_clear(struct str *s)
{
	s->length = 0;
	if (s->text)
		s->text[0] = '\0';
}

static void str_room(struct str *s, size_t more)
{
	size_t want = s->length + more + 1;
	char *text;

	if (want <= s->size_bytes)
		return;
	want = want < 2 * s->size_bytes ? 2 * s->size_bytes : want;
	want = want < 128 ? 128 : want;
	text = realloc(s->text, want);
	if (!text)
		memory_short(want);
	s->text = text;
	s->size_bytes = want;
}

void str_add_bytes(struct str *s, const char *text, size_t bytes)
{
	str_room(s, bytes);
	memcpy(s->text + s->length, text, bytes);
	s->length += bytes;
	s->text[s->length] = '\0';
}

void str_add(struct str *s, const char *text)
{
	str_add_bytes(s, text, strlen(text));
}

void str_add_shell(struct str *s, const char *text)
{
	if (*text &&
	    strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			 "/._-,:=+@%") == strlen(text)) {
		str_add(s, text);
		return;
	}
	str_add_char(s, '\'');
	for (; *text; text++)
		str_printf(s, *text == '\'' ? "'\"'\"'" : "%c", *text);
	str_add_char(s, '\'');
}

/* Bytes of the UTF-8 sign at `text`; 0: none. */
static unsigned utf8_bytes(const unsigned char *text)
{
	unsigned length = *text < 0x80			  ? 1
			  : *text >= 0xc2 && *text < 0xe0 ? 2
			  : (*text & 0xf0) == 0xe0	  ? 3
			  : *text >= 0xf0 && *text < 0xf5 ? 4
							  : 0;

	for (unsigned i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

static bool is_unsafe(const unsigned char *text, unsigned length)
{
	switch (length) {
	case 1:
		return (*text < ' ' && *text != '\n' && *text != '\t') || *text == 0x7f;
	case 2: /* U+0080 to U+009F */
		return text[0] == 0xc2 && text[1] < 0xa0;
	case 3: /* U+202A to U+202E, U+2066 to U+2069 */
		return text[0] == 0xe2 &&
		       ((text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae) ||
			(text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9));
	default:
		return !length;
	}
}

void str_make_safe(char *text)
{
	while (*text) {
		unsigned length = utf8_bytes((const unsigned char *)text);
		unsigned bytes = length ? length : 1;

		if (is_unsafe((const unsigned char *)text, length))
			memset(text, '?', bytes);
		text += bytes;
	}
}

void str_add_plain(struct str *s, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n' || *text == '\t')
			str_add(s, *text == '\n' ? "\\n" : "\\t");
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			str_printf(s, "\\x%02x", (unsigned char)*text);
		else
			str_add_char(s, *text);
	}
}

void str_add_char(struct str *s, char c)
{
	str_add_bytes(s, &c, 1);
}

void str_vprintf(struct str *s, const char *fmt, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, args);
	assert(n >= 0);
	str_room(s, (size_t)n);
	(void)vsnprintf(s->text + s->length, (size_t)n + 1, fmt, again);
	va_end(again);
	s->length += (size_t)n;
}

void str_printf(struct str *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	str_vprintf(s, fmt, args);
	va_end(args);
}

bool str_is_wide(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	unsigned point;

	if ((at[0] & 0xf0) != 0xe0 || !at[1] || !at[2])
		return false;
	point = (at[0] & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
	return (point >= 0x2e80 && point <= 0xa4cf) || (point >= 0xac00 && point <= 0xd7a3) ||
	       (point >= 0xf900 && point <= 0xfaff) || (point >= 0xfe30 && point <= 0xfe6f) ||
	       (point >= 0xff00 && point <= 0xff60) || (point >= 0xffe0 && point <= 0xffe6);
}

unsigned str_columns(const char *text)
{
	unsigned columns = 0;

	for (; *text; text++)
		columns += (((unsigned char)*text & 0xc0) != 0x80) + str_is_wide(text);
	return columns;
}

void str_add_columns(struct str *s, const char *text, unsigned columns)
{
	while (*text) {
		unsigned wide = str_is_wide(text) ? 2 : 1;
		size_t bytes = 1;

		if (wide > columns)
			return;
		while (((unsigned char)text[bytes] & 0xc0) == 0x80)
			bytes++;
		str_add_bytes(s, text, bytes);
		columns -= wide;
		text += bytes;
	}
}

static void str_pad(struct str *s, const char *text, unsigned columns)
{
	unsigned have = str_columns(text);

	for (; have < columns; have++)
		str_add_char(s, ' ');
}

void str_add_left(struct str *s, const char *text, unsigned columns)
{
	str_add(s, text);
	str_pad(s, text, columns);
}

void str_add_right(struct str *s, const char *text, unsigned columns)
{
	str_pad(s, text, columns);
	str_add(s, text);
}

const char *str_text(const struct str *s)
{
	return s->text ? s->text : "";
}

bool str_equal(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

bool str_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);

	return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

bool str_has_end(const struct str *s, const char *suffix)
{
	size_t length = strlen(suffix);

	return s->length >= length && memcmp(s->text + s->length - length, suffix, length) == 0;
}

#define DISTANCE_MAX 64

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

unsigned str_distance(const char *a, const char *b)
{
	unsigned rows[3][DISTANCE_MAX + 1];
	size_t n = strnlen(a, DISTANCE_MAX), m = strnlen(b, DISTANCE_MAX);

	for (size_t j = 0; j <= m; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3],
			 *before = rows[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned differs = a[i - 1] != b[j - 1];

			now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + differs);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = (unsigned)min_u64(now[j], before[j - 2] + 1);
		}
	}
	return rows[n % 3][m];
}

unsigned str_near_limit(const char *typed)
{
	return (unsigned)min_u64(4, strlen(typed) / 3 + 1);
}
