/*
 * mem=mmap:FILE: the file that lies behind a worker's buffers. It never gets its name: it is made
 * nameless beside it, so that nothing that exists is touched and nothing is left, whatever
 * happens to the run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Its descriptor, with room for `bytes` taken up: what is missing later would be a SIGBUS. `huge`:
 * of huge pages, so FILE must lie on a hugetlbfs. */
int buffer_file_open(const char *path, size_t bytes, bool huge, struct err *err);
