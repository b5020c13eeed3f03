/*
 * Histograms as compact blobs, for the store: exact, and merged without being unpacked by the
 * caller. A blob is a version byte, the number of non-empty buckets in two
 * bytes, low first, and bits: for
 * each such bucket the empty ones before it (Elias gamma) and its count, as the difference from
 * its neighbour's (zigzag, Rice; the parameter follows the differences so far). A second of real
 * I/O has 100 to 300 neighbouring buckets whose counts resemble each other: about 6 bits each,
 * half of what whole bytes take (measured on normal and log-normal latencies).
 *
 * There is one blob for each histogram and none that stands for two: what decodes encodes to the
 * same bytes again.
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

/* The same for who makes few sums of many blobs: a tenth of the cost. The spelling is not checked;
 * where the blob turns out to be damaged on the way, what came before is in `into`. */
int codec_hist_add(const void *blob, size_t bytes, struct hist *into);
