/* Real block devices for a test: loop devices on sparse files below a temporary folder. What a
 * test made goes away in rig_close, by name, in the reverse order. Needs root. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/str.h"
#include "unit.h"

#define RIG_UNDO_MAX 16

struct rig {
	char top[64];
	char undo[RIG_UNDO_MAX][300]; /* shell commands */
	unsigned nundo;
};

__attribute__((format(printf, 1, 2))) static inline int rig_run(const char *fmt, ...)
{
	char command[1000];
	va_list args;
	int status;

	va_start(args, fmt);
	(void)vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The first line that the command prints. */
static inline bool rig_ask(const char *command, char *ret_line, size_t size_bytes)
{
	FILE *pipe = popen(command, "re");
	bool got;

	assert_non_null(pipe);
	got = fgets(ret_line, (int)size_bytes, pipe) != NULL;
	if (got)
		ret_line[strcspn(ret_line, "\n")] = '\0';
	return pclose(pipe) == 0 && got;
}

static inline bool rig_has(const char *program)
{
	return rig_run("command -v %s >/dev/null 2>&1", program) == 0;
}

__attribute__((format(printf, 2, 3))) static inline void rig_undo(struct rig *rig,
								  const char *fmt, ...)
{
	va_list args;

	assert_true(rig->nundo < RIG_UNDO_MAX);
	va_start(args, fmt);
	(void)vsnprintf(rig->undo[rig->nundo++], sizeof(rig->undo[0]), fmt, args);
	va_end(args);
}

/* Skips the test, by name, where the machine cannot give real devices. */
static inline void rig_open(struct rig *rig)
{
	*rig = (struct rig){.nundo = 0};
	if (geteuid() != 0 || access("/dev/loop-control", W_OK) < 0 || !rig_has("losetup")) {
		print_message("needs root and loop devices\n");
		skip();
	}
	(void)snprintf(rig->top, sizeof(rig->top),
		       "/var/tmp/assay-rig-XX"
		       "XX"
		       "XX");
	assert_non_null(mkdtemp(rig->top));
}

static inline int rig_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static inline void rig_close(struct rig *rig)
{
	while (rig->nundo)
		(void)rig_run("( %s ) >/dev/null 2>&1", rig->undo[--rig->nundo]);
	if (rig->top[0])
		(void)nftw(rig->top, rig_remove, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static inline void rig_file(const struct rig *rig, const char *name, uint64_t bytes,
			    char ret_path[200])
{
	int fd;

	(void)snprintf(ret_path, 200, "%s/%s", rig->top, name);
	fd = open(ret_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	(void)close(fd);
}

/* `options` are losetup's; `path` may be a block device. */
static inline void rig_loop(struct rig *rig, const char *path, const char *options,
			    char ret_device[200])
{
	char command[500];

	(void)snprintf(command, sizeof(command), "losetup -f --show %s %s", options, path);
	assert_true(rig_ask(command, ret_device, 200));
	rig_undo(rig, "losetup -d %s", ret_device);
	/* blockdev --setro outlives the attachment that it was meant for */
	assert_int_equal(rig_run("blockdev --setrw %s", ret_device), 0);
}

static inline void rig_disk(struct rig *rig, const char *name, uint64_t bytes,
			    char ret_device[200])
{
	char path[200];

	rig_file(rig, name, bytes, path);
	rig_loop(rig, path, "-P", ret_device);
}

static inline void rig_mount(struct rig *rig, const char *device, const char *name,
			     char ret_point[200])
{
	(void)snprintf(ret_point, 200, "%s/%s", rig->top, name);
	assert_int_equal(mkdir(ret_point, 0700), 0);
	assert_int_equal(rig_run("mount %s %s", device, ret_point), 0);
	rig_undo(rig, "umount %s", ret_point);
}

/* Past the page cache of neither side: written and synced through the block device. */
static inline void rig_write(const char *path, uint64_t offset, const void *bytes, size_t count)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	if (pwrite(fd, bytes, count, (off_t)offset) != (ssize_t)count)
		fail_msg("%s at %llu: %s", path, (unsigned long long)offset, strerror(errno));
	assert_int_equal(fsync(fd), 0);
	(void)close(fd);
}
