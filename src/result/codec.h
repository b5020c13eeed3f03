/*
 * Histograms as compact blobs, for the store: exact, and merged without being unpacked by the
 * caller. A blob is a version byte, then runs of adjacent non-empty buckets:
 *
 *	gap   empty buckets before the run (at least 1 after the first run)
 *	count buckets in the run, at least 1
 *	...   that many counts, each at least 1
 *
 * all as LEB128 varints. A second of real I/O is some 100 neighbouring buckets with small counts:
 * 1 to 2 bytes each. There is one blob for each histogram and none that stands for two: what
 * decodes encodes to the same bytes again.
 */
#pragma once

#include <stddef.h>

#include "base/str.h"
#include "stat/hist.h"

#define CODEC_HIST_VERSION 1

void codec_hist_encode(const struct hist *hist, struct str *out);

/* Adds the blob's counts to `into`. -EBADMSG, and `into` untouched, when it is no blob of ours:
 * cut off, damaged, of another version, or with counts that overflow. */
int codec_hist_merge(const void *blob, size_t bytes, struct hist *into);
