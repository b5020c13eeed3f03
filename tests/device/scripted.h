/*
 * Stand-ins for what no test machine has: programs of the test's own in the PATH, which note how
 * they were called, and a drive that answers ioctl. They prove what is asked and how errors are
 * told; that real drives understand it is proved in the guest (tests/cli/test_guest.py).
 */
#pragma once

#include <ftw.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "device/device.h"
#include "unit.h"

struct scripted {
	char top[64], dev[80], path[2000];
	struct device_roots roots;
};

static inline void scripted_write(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static inline void scripted_open(struct scripted *s)
{
	const char *path = getenv("PATH");

	(void)snprintf(s->top, sizeof(s->top),
		       "/tmp/assay-scripted-XX"
		       "XX"
		       "XX");
	assert_non_null(mkdtemp(s->top));
	(void)snprintf(s->dev, sizeof(s->dev), "%s/dev", s->top);
	assert_int_equal(mkdir(s->dev, 0700), 0);
	(void)snprintf(s->path, sizeof(s->path), "%s", path ? path : "/usr/bin:/bin");
	{
		autostr ours = {0};

		str_printf(&ours, "%s:%s", s->top, s->path);
		assert_int_equal(setenv("PATH", str_text(&ours), 1), 0);
	}
	s->roots = (struct device_roots){.sys = "/sys", .proc = "/proc", .dev = s->dev};
}

/* A program whose body is shell; what it is called with is a line of the file "asked". */
static inline void scripted_program(const struct scripted *s, const char *name,
				    const char *body)
{
	autostr path = {0}, text = {0};

	str_printf(&path, "%s/%s", s->top, name);
	str_printf(&text, "#!/bin/sh\necho \"%s $*\" >> %s/asked\n%s\n", name, s->top, body);
	scripted_write(str_text(&path), str_text(&text), 0755);
}

static inline void scripted_asked(const struct scripted *s, struct str *ret_text)
{
	autostr path = {0};

	str_printf(&path, "%s/asked", s->top);
	str_clear(ret_text);
	(void)file_read(str_text(&path), 1 << 20, ret_text);
}

static inline void scripted_node(const struct scripted *s, const char *name)
{
	autostr path = {0};

	str_printf(&path, "%s/%s", s->dev, name);
	scripted_write(str_text(&path), "", 0600);
}

static inline int scripted_remove(const char *path, const struct stat *st, int type,
				  struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static inline void scripted_close(struct scripted *s)
{
	(void)nftw(s->top, scripted_remove, 16, FTW_DEPTH | FTW_PHYS);
	assert_int_equal(setenv("PATH", s->path, 1), 0);
}
