/* Whole small files and descriptors that close themselves. Cold code only. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"

/* Appends the file's bytes (at most `limit_bytes`, more is -EFBIG) to `ret_text`. Works on
 * /proc and /sys, whose files have no size. Returns 0 or a negative errno; fills no err: the
 * caller knows what the file is for. */
int file_read(const char *path, size_t limit_bytes, struct str *ret_text);

/* First line without its newline, cut at `size_bytes` - 1; "" when the file cannot be read (the
 * return value says why). For sysfs attributes. */
int file_read_line(const char *path, char *ret_line, size_t size_bytes);

/* All of it, however often the system call gives only a part. 0, or a negative errno. */
int file_write_all(int fd, const void *bytes, size_t count);

/* Writes a new file at `path` whole or not at all: temporary beside it, fsync, rename. */
int file_replace(const char *path, const char *text, size_t bytes);

void file_close_fd(int *fd);
/* The descriptor, which an autofd then no longer closes. */
int file_keep_fd(int *fd);
void file_close_stream(FILE **stream);
#define autofd	   __attribute__((cleanup(file_close_fd))) int
#define autostream __attribute__((cleanup(file_close_stream))) FILE *
