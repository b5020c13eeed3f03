/*
 * Our JSON: one object for one run, everything the result holds. Its schema stands in
 * doc/result.schema.json, and a test holds the two together. Keys carry their units; a
 * percentile that rests on fewer than ten samples is null and stands under `needs` with the
 * number it takes; what was not measured is null. Histograms are sparse: buckets with a count,
 * as [lowest ns, width ns, count].
 */
#pragma once

#include "base/str.h"
#include "result/result.h"

#define NATIVE_JSON_SCHEMA 1 /* changes when a key changes its meaning or goes */

/* `result` is written to only for what merging takes from its arena. */
void native_json(struct result *result, const char *version, struct str *out);

/* Several results in one document (assay quick): {"schema_version", ..., "runs": [{"name":
 * ..., "load": ..., "result": {...}}]}. */
struct native_json_run {
	const char *name, *load; /* "RND4K Q1T1", "read" */
	unsigned repeat;	 /* from 0 */
	struct result *result;
};
void native_json_runs(const struct native_json_run *runs, unsigned count, const char *version,
		      struct str *out);
