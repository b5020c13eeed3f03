/*
 * A streaming JSON writer onto a struct str. It exists because fio's readers grep for fio's
 * exact layout ("key" : value, two spaces, six decimals); our own JSON uses the same code.
 * Misuse (a value without a key inside an object, an unbalanced end) is a programmer's error
 * and asserts. No name here is one of jansson's, which lives in the same program.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define JSON_DEPTH_MAX 32

struct json {
	struct str *out;
	unsigned depth;
	bool compact;		    /* one line, for progress lines */
	bool comma[JSON_DEPTH_MAX]; /* something stands before at this depth */
};

void json_init(struct json *json, struct str *out);
void json_init_compact(struct json *json, struct str *out);

/* `key` is NULL inside an array and at the top. */
void json_open_object(struct json *json, const char *key);
void json_close_object(struct json *json);
void json_open_array(struct json *json, const char *key);
void json_close_array(struct json *json);

void json_add_string(struct json *json, const char *key, const char *text);
void json_add_u64(struct json *json, const char *key, uint64_t value);
void json_add_i64(struct json *json, const char *key, int64_t value);
void json_add_bool(struct json *json, const char *key, bool value);
void json_add_null(struct json *json, const char *key);
/* NULL and "" become null. */
void json_add_text(struct json *json, const char *key, const char *text);
/* Six decimals, as fio prints; NaN and infinities become null (JSON has no word for them). */
void json_add_double(struct json *json, const char *key, double value);
/* With all its digits, so that it is read back as the same number; NAN is null. */
void json_add_exact(struct json *json, const char *key, double value);
/* `text` is a JSON value already. */
void json_add_raw(struct json *json, const char *key, const char *text);
