/* Bytes as text of 64 letters (RFC 4648, with padding): for JSON. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/str.h"

void base64_add(struct str *out, const void *bytes, size_t count);
/* Room that base64_decode needs for a text of `length`. */
#define BASE64_ROOM(length) ((length) / 4 * 3 + 3)
/* Returns how many bytes came out, or -1: the text is no such thing. */
ssize_t base64_decode(const char *text, size_t length, void *ret_bytes);
