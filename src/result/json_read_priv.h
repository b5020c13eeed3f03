/*
 * Reading JSON that others may have written or damaged: the values of one object by key, with
 * one sticky error for all of them, so that a reader is as plain as its writer. A key that is
 * missing or null gives zero; one of the wrong type, or out of range, is an error that names it.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

struct json_reader {
	struct arena *arena; /* texts are copied into it */
	struct err *err;
	int rc; /* of the first error */
};

int json_read_fail(struct json_reader *reader, const char *key, const char *what);
uint64_t json_read_u64(struct json_reader *reader, const json_t *object, const char *key);
uint32_t json_read_u32(struct json_reader *reader, const json_t *object, const char *key);
int64_t json_read_i64(struct json_reader *reader, const json_t *object, const char *key);
double json_read_double(struct json_reader *reader, const json_t *object, const char *key);
bool json_read_bool(struct json_reader *reader, const json_t *object, const char *key);
/* NULL where there is none. */
const char *json_read_text(struct json_reader *reader, const json_t *object, const char *key);
/* Into an array; "" where there is none, cut where it is too long. */
void json_read_chars(struct json_reader *reader, const json_t *object, const char *key,
		     char *ret_text, size_t size_bytes);
/* NULL where there is none. */
const json_t *json_read_object(struct json_reader *reader, const json_t *object,
			       const char *key);
const json_t *json_read_array(struct json_reader *reader, const json_t *object,
			      const char *key);
/* The place of a text in a list; `count` where it is none of them (and an error). */
unsigned json_read_word(struct json_reader *reader, const json_t *object, const char *key,
			const char *const *words, unsigned count);

/* What `fields` name; a member that is missing stays zero. */
struct json_field;
void json_read_fields(struct json_reader *reader, const json_t *object,
		      const struct json_field *fields, void *owner);
