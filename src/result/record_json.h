/*
 * Records as JSON: the export form, which describes itself and is read back whole.
 *
 *	{"schema_version": 1, "assay_version": "0.1.0", "records": [{"record": {...uid, kind,
 *	 title, tags...}, "runs": [{"name", "load", "repeat", "result": {...}}], "cells": [...]}]}
 *
 * "cells" are there for printed figures alone: others follow from the results.
 */
#pragma once

#include "base/str.h"
#include "result/record.h"

struct plan_record;
struct record_export {
	struct record *const *records;
	struct plan_record *const *plans; /* whole ones (result/plan_json.h): "plans" */
	unsigned count, nplans;
};
void record_export_json(const struct record_export *all, const char *version, struct str *out);

/* What `assay run` and `assay quick` print: the result alone, or all of them, with the record's
 * id and uid before it. */
void record_run_json(const struct record *record, const char *version, struct str *out);

/*
 * Reads an export, or the JSON that a run printed. `ret_records` (in `arena`) are initialised
 * and the caller's to release, each with record_done(), also those before an error.
 */
int record_read_json(struct arena *arena, const char *text, size_t bytes,
		     struct record **ret_records, unsigned *ret_count, struct err *err);

/* For the store: one part without what the store keeps in tables (histograms, series, notes)
 * and without its environment; and that. */
void record_part_json(const struct record_part *part, struct str *out);
void record_environment_json(const struct record_part *part, struct str *out);
/* The other way. The texts are the store's own, yet checked like any. */
int record_part_read(struct record_part *part, const char *document, const char *environment,
		     struct err *err);
