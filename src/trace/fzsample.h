/*
 * fio's .fz logs (log_store_compressed): zlib streams of fio 3's samples as they stand in memory
 * on a little-endian machine. They become the text that `fio --inflate-log` prints, and are read
 * as any other log. Seen of fio 3.33; other versions' samples are recognised as such and refused.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "trace/sample.h"

#define FZSAMPLE_BYTES_MAX 40  /* with an offset; else 32 */
#define FZSAMPLE_TEXT_MAX  128 /* bytes of one row */

/* One sample to one row at `out`. Returns the bytes of the sample, 0 when `bytes` hold no whole
 * one, or an error. */
ssize_t fzsample_to_text(const uint8_t *sample, size_t bytes, char *out, size_t *ret_length,
			 struct err *err);
/* The other way: FZSAMPLE_BYTES_MAX at `out` or fewer; returns how many. */
size_t fzsample_from(const struct sample *sample, uint8_t *out);
