/*
 * Bytes of a file, of a part of one, or of standard input ("-"), decompressed on the way: gzip,
 * zstd and fio's .fz (zlib streams one after another) are known by their first bytes, not by
 * the name. One owner, no thread safety; memory is 128 KiB and the decompressor's own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum input_packing { INPUT_PLAIN, INPUT_ZLIB, INPUT_ZSTD };

struct trace_input;

struct trace_input *input_open(const char *path, struct err *err);
/* The packed end of a stream may be missing (a copy that broke off): that is the end, and
 * input_is_cut() says so. Returns bytes, 0 at the end, or a negative errno with the cause. */
ssize_t input_read(struct trace_input *input, void *buf, size_t bytes, struct err *err);
bool input_is_cut(const struct trace_input *input);
enum input_packing input_packing(const struct trace_input *input);
const char *input_packing_name(const struct trace_input *input); /* "plain", "gzip", ... */
/* Bytes of the file; 0 where that is not known (a pipe). */
uint64_t input_size_bytes(const struct trace_input *input);
/* Plain regular files alone: only the bytes [from, to) are read from now on. */
bool input_can_seek(const struct trace_input *input);
void input_set_range(struct trace_input *input, uint64_t from, uint64_t to);
void input_close(struct trace_input *input);
