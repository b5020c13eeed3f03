/* The native formats of a result: --format=text|json|markdown, -o FILE. */
#pragma once

#include "base/err.h"
#include "report/quick_page.h"
#include "result/result.h"

enum native_format { NATIVE_TEXT, NATIVE_JSON, NATIVE_MARKDOWN };

/* NULL is text. */
int native_format_parse(const char *text, enum native_format *ret_format, struct err *err);

int native_emit_run(struct result *result, enum native_format format, const char *path,
		    struct err *err);
int native_emit_quick(struct quick *quick, enum native_format format, const char *path,
		      struct err *err);
