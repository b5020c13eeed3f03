/*
 * The bytes of a served drive: a sparse file, and for each write that a power cut may still undo
 * what its pages held before. Memory: one page for each page that the drive's volatile cache and
 * the requests in flight hold.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CONTENTS_SECTOR_BYTES 512u
#define CONTENTS_PAGE_BYTES   4096u /* what the model loses or keeps as a whole */

struct contents_undo {
	uint64_t write, page;  /* number of the write; page of the drive */
	unsigned char *before; /* NULL: trimmed since, nothing comes back */
};

struct contents {
	int fd;
	uint64_t size_bytes;
	struct contents_undo *undos; /* a ring, by number of the write, then by page */
	size_t first, count, room;   /* room is a power of two */
};

/* `path` is a regular file of just that size, or a new one; it stays. NULL: a file without a name
 * below $TMPDIR or /var/tmp. Nobody else may serve it meanwhile. */
int contents_open(struct contents *contents, const char *path, uint64_t size_bytes,
		  struct err *err);
void contents_close(struct contents *contents);

int contents_read(const struct contents *contents, uint64_t offset, void *data, size_t bytes);
/* `write`: its number, higher than all before; 0: no power cut can undo it. */
int contents_write(struct contents *contents, uint64_t write, uint64_t offset, const void *data,
		   size_t bytes);
/* Zeros from now on, whatever a power cut undoes. */
int contents_trim(struct contents *contents, uint64_t offset, uint64_t bytes);
int contents_sync(const struct contents *contents);

/* The writes up to this number are safe: what was before them is forgotten. */
void contents_settle(struct contents *contents, uint64_t write);
/* The page as it was before this write, but for its first `kept` sectors. Later writes of the
 * page come first. A write that is not known leaves the page alone. */
int contents_undo(struct contents *contents, uint64_t write, uint64_t page, unsigned kept);
