/* What the writers of logs share. */
#pragma once

#include "base/err.h"
#include "base/file.h"

static inline int trace_write(int fd, const void *bytes, size_t count, struct err *err)
{
	int rc = file_write_all(fd, bytes, count);

	return rc ? err_env(err, rc, "the log cannot be written: %s", err_name(rc)) : 0;
}
