/*
 * The reader of job files: sections, "key=value" lines, bare keys, comments, "include FILE".
 * It knows no option: it hands each section and each key with its place to a sink, so that
 * other tables (plans) can be read by the same grammar, and so that it can be fuzzed alone.
 * Values come out expanded (job/expand.h).
 *
 * What differs by face is said in doc/job-language.md; in short: in the fio face ";" and "#"
 * start a comment anywhere on a line and blanks after "=" belong to the value; in the native
 * face a comment starts the line or follows a blank.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "job/expand.h"
#include "job/job.h"

#define INI_BYTES_MAX	 (16u << 20) /* one file */
#define INI_INCLUDES_MAX 32	     /* files inside files */

/* Texts live during the call only. `where` is "file:line". A non-zero return ends the
 * reading and is passed on. */
struct ini_sink {
	void *arg;
	int (*section)(void *arg, const char *name, const char *where, struct err *err);
	/* `value` is NULL for a bare key. */
	int (*setting)(void *arg, const char *key, const char *value, const char *where,
		       struct err *err);
	/* fio face: a text was understood in fio's odd way. May be NULL. */
	void (*doubt)(void *arg, const char *where, const char *text);
};

struct ini_source {
	const char *name; /* in messages; includes are looked for beside it */
	const char *text;
	size_t bytes;
	enum face face;
	/* Reads a whole included file, 0 or a negative errno. NULL: nothing may be included. */
	int (*load)(const char *path, struct str *ret_text);
	const struct expand_names *names; /* NULL: the environment's alone */
};

int ini_read(const struct ini_source *source, const struct ini_sink *sink, struct err *err);
