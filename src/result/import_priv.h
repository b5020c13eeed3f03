/* The readers of one form each. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"
#include "result/import.h"

/* One document of fio's; `record` is initialised. */
int import_fio(struct record *record, const json_t *root, struct err *err);

/* All terse lines of a text, as one record; 0 lines is no error (*ret_lines). */
int import_terse(struct record *record, const char *text, unsigned *ret_lines, struct err *err);

/* What a file tells as a count of `scale` units each; nonsense (negative, not finite, beyond what
 * our JSON holds) is 0. */
static inline uint64_t import_whole(double value, double scale)
{
	return value * scale >= 1 && value * scale < 0x1p62 ? (uint64_t)(value * scale) : 0;
}

/* A part with an empty job set of fio's face, and a job with one result in it. */
struct record_part *import_part(struct record *record, unsigned jobs_room);
struct job_result *import_job(struct record_part *part, const char *name);
/* One more result of the same job: its next clone. */
struct job_result *import_clone(struct record_part *part, const struct job_result *of);
