/*
 * Members of a struct that are members of a JSON object, by name: one table for writer and reader,
 * so that what one writes the other knows. Ends with a key of NULL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json;

enum json_field_kind {
	FIELD_CHARS, /* char[]; "" is null */
	FIELD_U64,
	FIELD_I64,
	FIELD_BOOL,
	FIELD_KNOWN_U32, /* 0 stands for unknown, and is null */
	FIELD_KNOWN_U64,
};

struct json_field {
	const char *key;
	enum json_field_kind kind;
	uint16_t offset, bytes;
};

/* The kind must fit the member, or it does not compile. */
#define JSON_FIELD(kind, type, owner, member, key)                                          \
	{                                                                                   \
		key, kind,                                                                  \
			offsetof(owner, member) +                                           \
				0 * sizeof(char[_Generic(((owner *)0)->member, type : 1)]), \
			sizeof(((owner *)0)->member)                                        \
	}
#define JSON_U64(owner, member, key)  JSON_FIELD(FIELD_U64, uint64_t, owner, member, key)
#define JSON_I64(owner, member, key)  JSON_FIELD(FIELD_I64, int64_t, owner, member, key)
#define JSON_BOOL(owner, member, key) JSON_FIELD(FIELD_BOOL, bool, owner, member, key)
#define JSON_KNOWN_U32(owner, member, key) \
	JSON_FIELD(FIELD_KNOWN_U32, uint32_t, owner, member, key)
#define JSON_KNOWN_U64(owner, member, key) \
	JSON_FIELD(FIELD_KNOWN_U64, uint64_t, owner, member, key)
#define JSON_CHARS(owner, member, key) JSON_FIELD(FIELD_CHARS, char *, owner, member, key)

/* Into the object that is open. */
void json_add_fields(struct json *json, const struct json_field *fields, const void *owner);
