/*
 * The files that a command writes for its user (-o FILE, figures, logs), and what may be written
 * over: nothing that holds data which is not known to be our own output. What assay wrote carries
 * a mark beside its content, an extended attribute with the size and the time of the last change:
 * a file that somebody changed since, that came from elsewhere, or that lies on a file system
 * without attributes is somebody's data.
 */
#pragma once

#include "base/err.h"
#include <stdio.h>

enum outfile_rule {
	OUTFILE_NEW,   /* nothing that holds a byte is replaced: logs */
	OUTFILE_AGAIN, /* nor anything but what assay wrote and nobody has changed since */
	OUTFILE_ANY,   /* any regular file, as fio does */
};

/* May `path` be written? It may be a regular file by the rule, a FIFO, a terminal, /dev/null, or
 * missing; under no rule a block device or another device node. Only looks: opens nothing. */
int outfile_check(const char *path, enum outfile_rule rule, struct err *err);

/* Checked, then opened for writing and made where it is missing, with `flags` of open(2) besides;
 * what it holds stays until the caller cuts it. The descriptor, or an error. */
int outfile_open(const char *path, enum outfile_rule rule, int flags, struct err *err);

/* Of what is no regular file there is nothing to cut. */
int outfile_empty(int fd, const char *path, struct err *err);

/* Checked, opened and emptied, for what is too long for one text. NULL: err. */
FILE *outfile_open_stream(const char *path, enum outfile_rule rule, struct err *err);

/* `path` was opened so, was emptied, and will not be whole: it goes if it is a regular file. */
void outfile_remove(const char *path);
void outfile_undo(void *path); /* the same for base/memory.h; of a `const char **` */

/* After the last byte: this is ours, as it stands. Where there are no attributes it is left out,
 * and the next one will not replace it. */
void outfile_mark(int fd);
void outfile_mark_path(const char *path);
