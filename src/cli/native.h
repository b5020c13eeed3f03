/* The native formats of a result: --format=text|json|markdown, -o FILE. */
#pragma once

#include "base/err.h"
#include "report/document.h"
#include "result/record.h"

enum native_format {
	NATIVE_TEXT,
	NATIVE_JSON,
	NATIVE_MARKDOWN,
	NATIVE_CSV, /* these are of single commands: no words of native_format_parse() */
	NATIVE_CDM,
	NATIVE_HTML, /* no format of native_begin_page() */
};

/* NULL is text. */
int native_format_parse(const char *text, enum native_format *ret_format, struct err *err);

/* A document of the format, onto `out`; `path` is where it will go. Not for NATIVE_JSON. */
void native_begin_page(struct document *doc, struct str *out, enum native_format format,
		       const char *path);

/* The record of a run or of `assay quick`, as it was live; of figures that others measured or
 * printed, their table. */
int native_emit_record(struct record *record, enum native_format format, const char *path,
		       struct err *err);
