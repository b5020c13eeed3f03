/*
 * A result from its JSON (native_json.h), so that one that was stored or exported is shown
 * exactly as it was live: what is written again is the same text. The workers of a group are not
 * in the JSON: each group comes back as one job_result with its members counted.
 *
 * Input from anywhere: whatever the text, it is a result or an error, and never more.
 */
#pragma once

#include <stddef.h>

#include "job/job.h"
#include "result/result.h"

/* `set` and `result` are initialised here and belong to the caller, also after an error. */
int native_json_read(const char *text, size_t bytes, struct job_set *set, struct result *result,
		     struct err *err);
