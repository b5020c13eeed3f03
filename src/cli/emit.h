/* How the commands print: reports to a file or stdout, errors to stderr, the terminal's ways. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "report/document.h"

/* "assay: MESSAGE" on stderr; returns the exit code of its kind. */
int emit_error(const struct err *err);

/*
 * Where reports go: `path`, or stdout for NULL and "-". A file must be a new one, an empty one, or
 * what assay wrote there before (base/outfile.h), and nothing that the command uses besides: no
 * word of `argv`, no name in an option's value, and never the store.
 */

/* Before the work of a command that only reads. */
int emit_check_place(const char *path, int argc, char **argv, struct err *err);

/* Before a run: can the report be written there at the end, too? Makes the file where it is
 * missing. */
int emit_check(const char *path, int argc, char **argv, struct err *err);

/* fio's --output, emptied: any regular file that the command does not use. The descriptor. */
int emit_open_fio(const char *path, int argc, char **argv, struct err *err);

/* The whole text. Full disks and closed pipes are errors; what could not be written to its file
 * stands on stdout. */
int emit_text(const char *path, const struct str *text, struct err *err);

/* Colour, UTF-8 and width as stdout (or a file) takes them: NO_COLOR, the locale, the
 * terminal. */
void emit_style(struct page_style *style, bool to_file);

/* Columns of the terminal on `fd`; 80 where there is none. */
unsigned emit_columns(int fd);
