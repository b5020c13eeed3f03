/*
 * Figures of a result as cells of a table: the one place that decides what is sound enough to be
 * printed, and how many digits it has. Latencies of one table share a unit.
 */
#pragma once

#include "report/document.h"
#include "result/figure.h"
#include "result/result.h"

/* The unit of a column of latencies. */
struct lat_unit {
	const char *name; /* "us" */
	uint64_t ns;
};
/* ms where the typical request takes 10 ms and more, else us. */
struct lat_unit figure_lat_unit(uint64_t typical_ns);

/* "12.3"; "–" for a latency that was not measured. */
const char *figure_mean(struct document *doc, const struct lat *lat, struct lat_unit unit);
const char *figure_max(struct document *doc, const struct lat *lat, struct lat_unit unit);
/* "12.3", or "– (needs 10000)" where fewer than ten samples lie above. */
const char *figure_percentile(struct document *doc, const struct lat *lat, double percent,
			      struct lat_unit unit);

const char *figure_count(struct document *doc, uint64_t count);
const char *figure_plain(struct document *doc, double value);
const char *figure_mb(struct document *doc, double bytes); /* millions of bytes */

const char *figure_time(struct document *doc, uint64_t ns);
const char *figure_size(struct document *doc, uint64_t bytes);
const char *figure_decimal(struct document *doc, uint64_t bytes);
const char *figure_rate(struct document *doc, double bytes_per_s);

/* "read", in the document's language. */
const char *figure_dir(struct document *doc, enum dir dir);
/* When something began: "2026-11-30 14:19:15 UTC"; NULL: not known. */
const char *figure_when(struct document *doc, uint64_t unix_ns);
