#include "base/json.h"

#include <inttypes.h>
#include <math.h>

#include "base/assert.h"

void json_init(struct json *json, struct str *out)
{
	*json = (struct json){.out = out};
}

void json_init_compact(struct json *json, struct str *out)
{
	*json = (struct json){.out = out, .compact = true};
}

static void new_line(struct json *json)
{
	if (json->compact)
		return;
	str_add_char(json->out, '\n');
	for (unsigned i = 0; i < json->depth; i++)
		str_add(json->out, "  ");
}

/* Bytes of the UTF-8 sequence that begins here; 0 where none does (RFC 3629: no overlong forms,
 * no surrogates, nothing above U+10FFFF). File names may hold any bytes; JSON may not. */
static unsigned utf8_length(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	unsigned length = c[0] < 0xc2	? 0
			  : c[0] < 0xe0 ? 2
			  : c[0] < 0xf0 ? 3
			  : c[0] < 0xf5 ? 4
					: 0;

	for (unsigned i = 1; i < length; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
	    (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
		return 0;
	return length;
}

static void add_quoted(struct str *out, const char *text)
{
	str_add_char(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		unsigned length = c < 0x80 ? 1 : utf8_length(text);

		if (!length) {
			str_add(out, "\\ufffd");
			continue;
		}
		if (length > 1) {
			str_add_bytes(out, text, length);
			text += length - 1;
			continue;
		}
		if (c == '"' || c == '\\')
			str_printf(out, "\\%c", c);
		else if (c < 0x20)
			str_printf(out, "\\u%04x", c);
		else
			str_add_char(out, (char)c);
	}
	str_add_char(out, '"');
}

static void begin(struct json *json, const char *key)
{
	if (json->depth > 0) {
		if (json->comma[json->depth])
			str_add(json->out, json->compact ? ", " : ",");
		json->comma[json->depth] = true;
		new_line(json);
	}
	if (key) {
		add_quoted(json->out, key);
		str_add(json->out, json->compact ? ": " : " : ");
	}
}

static void open_with(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	str_add_char(json->out, bracket);
	json->depth++;
	assert(json->depth < JSON_DEPTH_MAX);
	json->comma[json->depth] = false;
}

static void close_with(struct json *json, char bracket)
{
	bool had_members;

	assert(json->depth > 0);
	had_members = json->comma[json->depth];
	json->depth--;
	if (had_members)
		new_line(json);
	str_add_char(json->out, bracket);
}

void json_open_object(struct json *json, const char *key)
{
	open_with(json, key, '{');
}

void json_close_object(struct json *json)
{
	close_with(json, '}');
}

void json_open_array(struct json *json, const char *key)
{
	open_with(json, key, '[');
}

void json_close_array(struct json *json)
{
	close_with(json, ']');
}

void json_add_string(struct json *json, const char *key, const char *text)
{
	begin(json, key);
	add_quoted(json->out, text);
}

void json_add_u64(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	str_printf(json->out, "%" PRIu64, value);
}

void json_add_i64(struct json *json, const char *key, int64_t value)
{
	begin(json, key);
	str_printf(json->out, "%" PRId64, value);
}

void json_add_bool(struct json *json, const char *key, bool value)
{
	begin(json, key);
	str_add(json->out, value ? "true" : "false");
}

void json_add_null(struct json *json, const char *key)
{
	begin(json, key);
	str_add(json->out, "null");
}

void json_add_double(struct json *json, const char *key, double value)
{
	begin(json, key);
	if (isfinite(value))
		str_printf(json->out, "%.6f", value);
	else
		str_add(json->out, "null");
}

void json_add_exact(struct json *json, const char *key, double value)
{
	begin(json, key);
	if (isfinite(value))
		str_printf(json->out, "%.17g", value);
	else
		str_add(json->out, "null");
}

void json_add_raw(struct json *json, const char *key, const char *text)
{
	begin(json, key);
	str_add(json->out, text);
}

void json_add_text(struct json *json, const char *key, const char *text)
{
	if (text && *text)
		json_add_string(json, key, text);
	else
		json_add_null(json, key);
}
