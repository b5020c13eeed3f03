/* How the commands print: reports to a file or stdout, errors to stderr, the terminal's ways. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "report/document.h"

/* "assay: MESSAGE" on stderr; returns the exit code of its kind. */
int emit_error(const struct err *err);

/* The whole text to `path`, or to stdout for NULL and "-". Full disks and closed pipes are
 * errors. */
int emit_text(const char *path, const struct str *text, struct err *err);

/* Before a run: can the report be written there at the end? Makes the file where it is
 * missing. */
int emit_check(const char *path, struct err *err);

/* Colour, UTF-8 and width as stdout (or a file) takes them: NO_COLOR, the locale, the
 * terminal. */
void emit_style(struct page_style *style, bool to_file);

/* Columns of the terminal on `fd`; 80 where there is none. */
unsigned emit_columns(int fd);
