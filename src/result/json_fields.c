#include "result/json_fields.h"

#include <string.h>

#include "base/json.h"
#include "result/native_json_priv.h"

void json_add_fields(struct json *json, const struct json_field *fields, const void *owner)
{
	for (const struct json_field *field = fields; field->key; field++) {
		const char *at = (const char *)owner + field->offset;
		uint64_t value = 0;
		uint32_t narrow = 0;
		bool yes = false;

		switch (field->kind) {
		case FIELD_CHARS:
			json_add_text(json, field->key, at);
			break;
		case FIELD_U64:
			memcpy(&value, at, sizeof(value));
			json_add_u64(json, field->key, value);
			break;
		case FIELD_I64:
			memcpy(&value, at, sizeof(value));
			json_add_i64(json, field->key, (int64_t)value);
			break;
		case FIELD_KNOWN_U64:
			memcpy(&value, at, sizeof(value));
			json_add_known(json, field->key, value);
			break;
		case FIELD_KNOWN_U32:
			memcpy(&narrow, at, sizeof(narrow));
			json_add_known(json, field->key, narrow);
			break;
		case FIELD_BOOL:
			memcpy(&yes, at, sizeof(yes));
			json_add_bool(json, field->key, yes);
			break;
		}
	}
}
