#include "result/json_read_priv.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "result/json_fields.h"

int json_read_fail(struct json_reader *reader, const char *key, const char *what)
{
	if (!reader->rc)
		reader->rc = err_input(reader->err, "\"%s\" %s", key, what);
	return reader->rc;
}

/* NULL for a missing key and for null. */
static const json_t *value_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_null(value) ? NULL : value;
}

int64_t json_read_i64(struct json_reader *reader, const json_t *object, const char *key)
{
	const json_t *value = value_of(object, key);

	if (value && !json_is_integer(value))
		(void)json_read_fail(reader, key, "is not a whole number");
	return json_integer_value(value);
}

uint64_t json_read_u64(struct json_reader *reader, const json_t *object, const char *key)
{
	int64_t value = json_read_i64(reader, object, key);

	if (value < 0)
		(void)json_read_fail(reader, key, "is negative");
	return value < 0 ? 0 : (uint64_t)value;
}

uint32_t json_read_u32(struct json_reader *reader, const json_t *object, const char *key)
{
	uint64_t value = json_read_u64(reader, object, key);

	if (value > UINT32_MAX)
		(void)json_read_fail(reader, key, "is too large");
	return (uint32_t)value;
}

double json_read_double(struct json_reader *reader, const json_t *object, const char *key)
{
	const json_t *value = value_of(object, key);

	if (value && !json_is_number(value))
		(void)json_read_fail(reader, key, "is not a number");
	return json_number_value(value);
}

bool json_read_bool(struct json_reader *reader, const json_t *object, const char *key)
{
	const json_t *value = value_of(object, key);

	if (value && !json_is_boolean(value))
		(void)json_read_fail(reader, key, "is neither true nor false");
	return json_is_true(value);
}

static const char *text_of(struct json_reader *reader, const json_t *object, const char *key)
{
	const json_t *value = value_of(object, key);

	if (value && !json_is_string(value))
		(void)json_read_fail(reader, key, "is not a text");
	return json_string_value(value);
}

const char *json_read_text(struct json_reader *reader, const json_t *object, const char *key)
{
	const char *text = text_of(reader, object, key);

	return text ? arena_strdup(reader->arena, text) : NULL;
}

void json_read_chars(struct json_reader *reader, const json_t *object, const char *key,
		     char *ret_text, size_t size_bytes)
{
	const char *text = text_of(reader, object, key);

	(void)snprintf(ret_text, size_bytes, "%s", text ? text : "");
}

const json_t *json_read_object(struct json_reader *reader, const json_t *object,
			       const char *key)
{
	const json_t *value = value_of(object, key);

	if (value && !json_is_object(value))
		(void)json_read_fail(reader, key, "is not an object");
	return json_is_object(value) ? value : NULL;
}

const json_t *json_read_array(struct json_reader *reader, const json_t *object, const char *key)
{
	const json_t *value = value_of(object, key);

	if (value && !json_is_array(value))
		(void)json_read_fail(reader, key, "is not an array");
	return json_is_array(value) ? value : NULL;
}

unsigned json_read_word(struct json_reader *reader, const json_t *object, const char *key,
			const char *const *words, unsigned count)
{
	const char *text = text_of(reader, object, key);

	for (unsigned i = 0; i < count; i++)
		if (text && words[i] && str_equal(text, words[i]))
			return i;
	(void)json_read_fail(reader, key, "is none of the words that may stand there");
	return count;
}

void json_read_fields(struct json_reader *reader, const json_t *object,
		      const struct json_field *fields, void *owner)
{
	for (const struct json_field *field = fields; field->key; field++) {
		char *at = (char *)owner + field->offset;
		uint64_t value;
		uint32_t narrow;
		bool yes;

		switch (field->kind) {
		case FIELD_CHARS:
			json_read_chars(reader, object, field->key, at, field->bytes);
			break;
		case FIELD_U64:
		case FIELD_KNOWN_U64:
			value = json_read_u64(reader, object, field->key);
			memcpy(at, &value, sizeof(value));
			break;
		case FIELD_I64:
			value = (uint64_t)json_read_i64(reader, object, field->key);
			memcpy(at, &value, sizeof(value));
			break;
		case FIELD_KNOWN_U32:
			narrow = json_read_u32(reader, object, field->key);
			memcpy(at, &narrow, sizeof(narrow));
			break;
		case FIELD_BOOL:
			yes = json_read_bool(reader, object, field->key);
			memcpy(at, &yes, sizeof(yes));
			break;
		}
	}
}
