#include "engine/target.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/str.h"
#include "engine/done_priv.h"
#include "engine/req.h"

void target_mode_from(struct target_mode *mode, const struct job_spec *spec)
{
	*mode = (struct target_mode){
		.reads = spec->rw.does[OP_READ],
		.writes = spec->rw.does[OP_WRITE],
		.trims = spec->rw.does[OP_TRIM],
		.direct = spec->direct,
		.create = spec->allow_file_create,
		.sync = spec->sync,
	};
}

/* Where a file lives: a line of /proc/self/mountinfo. */
struct mount {
	char point[PATH_MAX];
	char type[64];
};

/* "36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/root rw" (proc(5)). */
static bool mount_parse(const char *line, const char *dev, struct mount *ret_mount)
{
	const char *type = strstr(line, " - ");
	char found_dev[32], point[PATH_MAX];

	if (!type || sscanf(line, "%*s %*s %31s %*s %4095s", found_dev, point) != 2)
		return false;
	if (!str_equal(found_dev, dev))
		return false;
	(void)snprintf(ret_mount->point, sizeof(ret_mount->point), "%s", point);
	return sscanf(type, " - %63s", ret_mount->type) == 1;
}

/* The mount that `dev` is; "" for both where it cannot be found. */
static void mount_find(dev_t dev, struct mount *ret_mount)
{
	autostream mounts = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, text[32];
	size_t size = 0;

	(void)snprintf(text, sizeof(text), "%u:%u", major(dev), minor(dev));
	*ret_mount = (struct mount){0};
	while (mounts && getline(&line, &size, mounts) > 0)
		if (mount_parse(line, text, ret_mount))
			break;
	free(line);
}

/* The directory that holds `path`; "." if it names none. */
static void path_parent(const char *path, char *ret_parent, size_t size)
{
	char copy[PATH_MAX];

	(void)snprintf(copy, sizeof(copy), "%s", path);
	(void)snprintf(ret_parent, size, "%s", dirname(copy));
}

/*
 * A mistyped device becomes a file in memory unless somebody asks where it would be made.
 * The type comes from the table of mounts: statfs() calls devtmpfs what it calls tmpfs
 * (0x01021994, as its files are shmem's). Containers have a plain tmpfs on /dev, so that
 * place counts as well.
 */
static int target_may_create(const char *path, struct err *err)
{
	static const char *const barred[] = {"devtmpfs",   "proc",    "sysfs",	 "cgroup",
					     "cgroup2",	   "debugfs", "tracefs", "devpts",
					     "securityfs", "bpf",     "configfs"};
	char parent[PATH_MAX];
	struct mount mount;
	struct stat st;

	path_parent(path, parent, sizeof(parent));
	if (stat(parent, &st))
		return err_env(err, -errno, "\"%s\": its directory \"%s\": %s", path, parent,
			       err_name(errno));
	mount_find(st.st_dev, &mount);
	for (unsigned i = 0; i < sizeof(barred) / sizeof(barred[0]); i++)
		if (str_equal(mount.type, barred[i]))
			return err_input(err,
					 "\"%s\" does not exist, and no file is made on %s: is "
					 "the device's name spelled right?",
					 path, mount.type);
	if (str_equal(mount.point, "/dev"))
		return err_input(err,
				 "\"%s\" does not exist, and no file is made in /dev: is the "
				 "device's name spelled right?",
				 path);
	return 0;
}

static int target_flags(const struct target_mode *mode)
{
	int flags = O_CLOEXEC | (mode->writes || mode->trims ? O_RDWR : O_RDONLY);

	if (mode->direct)
		flags |= O_DIRECT;
	if (mode->sync == SYNC_SYNC)
		flags |= O_SYNC;
	if (mode->sync == SYNC_DSYNC)
		flags |= O_DSYNC;
	return flags;
}

static int target_explain_direct(const struct target *target, struct err *err)
{
	struct mount mount;
	struct stat st;

	if (stat(target->path, &st) || S_ISCHR(st.st_mode))
		return err_env(
			err, -EINVAL,
			"direct I/O refused by \"%s\": character devices have no page cache "
			"to pass by: use direct=0",
			target->path);
	mount_find(st.st_dev, &mount);
	if (!*mount.type)
		return err_env(
			err, -EINVAL,
			"direct I/O refused by the file system of \"%s\": use direct=0, or a "
			"file elsewhere",
			target->path);
	return err_env(
		err, -EINVAL,
		"direct I/O refused by the file system of \"%s\" (%s): use direct=0, or a "
		"file elsewhere",
		target->path, mount.type);
}

/* Why open() said no, with the remedy. */
static int target_explain(const struct target *target, int flags, int code, struct err *err)
{
	const char *path = target->path;
	bool writes = (flags & O_ACCMODE) != O_RDONLY;

	switch (-code) {
	case EINVAL:
		if (flags & O_DIRECT)
			return target_explain_direct(target, err);
		break;
	case EROFS:
		return err_env(err, code,
			       "\"%s\" cannot be written: its file system is read-only", path);
	case EACCES:
	case EPERM:
		if (writes && !access(path, R_OK))
			return err_env(
				err, code,
				"\"%s\" is read-only here (%s): choose a target that may "
				"be written, or read only",
				path, err_name(code));
		return err_env(err, code, "\"%s\": %s: run as its owner or as root", path,
			       err_name(code));
	case ENOENT:
		return err_env(err, code, "\"%s\" does not exist", path);
	case EISDIR:
		return err_input(err, "\"%s\" is a directory: name a file in it (filename=)",
				 path);
	case ENXIO:
	case ENOMEDIUM:
	case ENODEV:
		return err_env(err, code, "\"%s\": there is no device behind it (%s)", path,
			       err_name(code));
	case EBUSY:
		return err_env(err, code, "\"%s\" is in exclusive use by another program",
			       path);
	case EMFILE:
		return err_env(err, code,
			       "\"%s\": no file descriptor left: raise ulimit -n, or lower "
			       "nrfiles or numjobs",
			       path);
	default:
		break;
	}
	return err_env(err, code, "cannot open \"%s\": %s", path, err_name(code));
}

/* Before open(), because that would wait for the other end of a fifo. */
static int target_check_kind(const char *path, mode_t mode, struct err *err)
{
	if (S_ISDIR(mode))
		return err_input(err, "\"%s\" is a directory: name a file in it (filename=)",
				 path);
	if (S_ISREG(mode) || S_ISBLK(mode) || S_ISCHR(mode))
		return 0;
	return err_input(
		err,
		S_ISFIFO(mode)
			? N_("\"%s\" is a fifo: targets are files, block and character devices")
		: S_ISSOCK(mode)
			? N_("\"%s\" is a socket: targets are files, block and character "
			     "devices")
			: N_("\"%s\" is a special file: targets are files, block and "
			     "character devices"),
		path);
}

static void target_ask_alignment(struct target *target)
{
	struct statx stx = {0};

	target->dio_mem_align = target->dio_offset_align = 0;
#if defined(STATX_DIOALIGN)
	if (!statx(target->fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) &&
	    (stx.stx_mask & STATX_DIOALIGN)) {
		target->dio_mem_align = stx.stx_dio_mem_align;
		target->dio_offset_align = stx.stx_dio_offset_align;
	}
#endif
}

static int target_ask_block(struct target *target, const struct target_mode *mode,
			    struct err *err)
{
	int logical_bytes = 0, read_only = 0;

	if (ioctl(target->fd, BLKGETSIZE64, &target->size_bytes) ||
	    ioctl(target->fd, BLKSSZGET, &logical_bytes))
		return err_env(err, -errno, "\"%s\" does not tell its size: %s", target->path,
			       err_name(errno));
	/* Opening such a device for writing succeeds; each write then fails with EPERM. */
	if ((mode->writes || mode->trims) && !ioctl(target->fd, BLKROGET, &read_only) &&
	    read_only)
		return err_env(err, -EROFS,
			       "\"%s\" is a read-only device (blockdev --setrw, where it can "
			       "be written at all): choose another, or read only",
			       target->path);
	if (!target->dio_offset_align)
		target->dio_offset_align = (uint32_t)logical_bytes;
	if (!target->dio_mem_align)
		target->dio_mem_align = (uint32_t)logical_bytes; /* enough before Linux 6.0 */
	return 0;
}

static int target_ask(struct target *target, const struct target_mode *mode, struct err *err)
{
	struct stat st;
	int rc;

	if (fstat(target->fd, &st))
		return err_env(err, -errno, "\"%s\": %s", target->path, err_name(errno));
	rc = target_check_kind(target->path, st.st_mode, err);
	if (rc)
		return rc;
	target->dev = S_ISREG(st.st_mode) ? st.st_dev : st.st_rdev;
	target_ask_alignment(target);
	if (S_ISBLK(st.st_mode)) {
		target->kind = TARGET_BLOCK;
		return target_ask_block(target, mode, err);
	}
	target->kind = S_ISREG(st.st_mode) ? TARGET_FILE : TARGET_CHAR;
	target->size_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return 0;
}

/* Makes the file that is not there, and leaves a file alone that came in between. */
static int target_create(struct target *target, int flags, struct err *err)
{
	int rc = target_may_create(target->path, err);

	if (rc)
		return rc;
	target->fd = open(target->path, flags | O_RDWR | O_CREAT | O_EXCL, 0644);
	if (target->fd < 0) {
		bool half_made = errno == EINVAL && (flags & O_DIRECT);

		rc = target_explain(target, flags, -errno, err);
		/* The file is made before O_DIRECT is refused. */
		if (half_made)
			(void)unlink(target->path);
		return rc;
	}
	target->created = true;
	return 0;
}

int target_open(struct target *target, const struct target_mode *mode, struct err *err)
{
	int flags = target_flags(mode), rc;
	struct stat st;

	target->fd = -1;
	target->created = false;
	target->direct = mode->direct;
	if (stat(target->path, &st)) {
		rc = -errno;
		if (rc != -ENOENT || !mode->create)
			return target_explain(target, flags, rc, err);
		rc = target_create(target, flags, err);
	} else {
		rc = target_check_kind(target->path, st.st_mode, err);
		if (rc)
			return rc;
		target->fd = open(target->path, flags);
		/* Writing alone needs no right to read. */
		if (target->fd < 0 && errno == EACCES && !mode->reads && mode->writes)
			target->fd = open(target->path, (flags & ~O_ACCMODE) | O_WRONLY);
		rc = target->fd < 0 ? target_explain(target, flags, -errno, err) : 0;
	}
	if (!rc)
		rc = target_ask(target, mode, err);
	if (rc)
		target_close(target);
	return rc;
}

void target_close(struct target *target)
{
	if (target->fd >= 0)
		(void)close(target->fd); /* fsync, where asked for, has told of late errors */
	target->fd = -1;
}

int target_trim(const struct target *target, uint64_t offset, uint64_t length)
{
	uint64_t range[2] = {offset, length};
	int rc = -1;

	switch (target->kind) {
	case TARGET_BLOCK:
		rc = ioctl(target->fd, BLKDISCARD, range);
		break;
	case TARGET_FILE:
		rc = fallocate(target->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       (off_t)offset, (off_t)length);
		break;
	case TARGET_CHAR:
	case TARGET_SIM:
	case TARGET_NONE:
		errno = EOPNOTSUPP;
		break;
	}
	return rc ? -errno : 0;
}

int32_t target_other(const struct target *target, const struct req *req)
{
	int rc;

	if (req->op == OP_TRIM) {
		rc = target_trim(target, req->offset, req->len);
		return rc ? rc : done_all(req);
	}
	rc = req->op == OP_FSYNC ? fsync(target->fd) : fdatasync(target->fd);
	return rc ? -errno : 0;
}
