/*
 * What writes carry. Prepared once for the worker's buffers; fill_next() is called for each
 * write where fill_is_needed(), and is not called otherwise. Content by the options
 * zero_buffers, refill_buffers, scramble_buffers, buffer_pattern, buffer_compress_percentage,
 * dedupe_percentage, and the native default: every write differs from every other.
 *
 * Fresh data come from a pool of random bytes: a run of it from a random place, XORed with a
 * key of 256 random bits that is drawn for each write (and each FILL_RUN of it). Two writes
 * then share no words but by chance: neither compression nor block hashes find anything, at
 * the cost of a copy. The pool is the source always, so what a read left in a buffer never
 * is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "job/spec.h"

#define FILL_POOL_BYTES (64u << 10)
#define FILL_RUN_BYTES	(32u << 10) /* at most this much of the pool under one key */

struct fill; /* fill.c */

int fill_open(const struct job_spec *spec, uint64_t seed, struct arena *arena,
	      struct fill **ret_fill);
/* The first content of a buffer, before the run. */
void fill_first(struct fill *fill, void *buf, size_t bytes);
bool fill_is_needed(const struct fill *fill);
/* Hot: new content for one write. */
void fill_next(struct fill *fill, void *buf, uint32_t bytes, uint64_t offset);
/* "random data, each write different", "one pattern of 8 bytes repeated": for the report. */
void fill_describe(const struct job_spec *spec, struct str *out);
