#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lang.h"
#include "base/str.h"

#define MARK	   "user.assay.output"
#define MARK_BYTES 80

/* The numbers of device nodes that Documentation/admin-guide/devices.txt fixes. */
#define MEMORY_MAJOR	1
#define TERMINAL_MAJOR	4
#define OWN_TTY_MAJOR	5
#define PTY_MAJOR_FIRST 136
#define PTY_MAJOR_LAST	143

static bool takes_anything(dev_t node)
{
	unsigned major_number = major(node), minor_number = minor(node);

	if (major_number == MEMORY_MAJOR) /* /dev/null, /dev/zero, /dev/full; not /dev/mem */
		return minor_number == 3 || minor_number == 5 || minor_number == 7;
	return major_number == TERMINAL_MAJOR || major_number == OWN_TTY_MAJOR ||
	       (major_number >= PTY_MAJOR_FIRST && major_number <= PTY_MAJOR_LAST);
}

static void mark_of(const struct stat *st, char ret_mark[MARK_BYTES])
{
	(void)snprintf(ret_mark, MARK_BYTES, "%lld %lld.%09ld", (long long)st->st_size,
		       (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
}

static bool is_marked(const char *path, const struct stat *st)
{
	char found[MARK_BYTES] = "", right[MARK_BYTES];

	mark_of(st, right);
	return getxattr(path, MARK, found, sizeof(found) - 1) > 0 && str_equal(found, right);
}

static int check_regular(const char *path, const struct stat *st, enum outfile_rule rule,
			 struct err *err)
{
	if (rule == OUTFILE_ANY || !st->st_size)
		return 0;
	if (rule == OUTFILE_NEW)
		return err_input(err, "\"%s\" is there already: remove it, or name another",
				 path);
	if (is_marked(path, st))
		return 0;
	return err_input(err,
			 "\"%s\" is there already, and not as assay wrote it: remove it, or "
			 "name another",
			 path);
}

static int check_kind(const char *path, const struct stat *st, enum outfile_rule rule,
		      struct err *err)
{
	if (S_ISREG(st->st_mode))
		return check_regular(path, st, rule, err);
	if (S_ISFIFO(st->st_mode) || (S_ISCHR(st->st_mode) && takes_anything(st->st_rdev)))
		return 0;
	if (S_ISDIR(st->st_mode))
		return err_env(err, -EISDIR, "\"%s\" is a folder: name a file", path);
	return err_input(
		err,
		S_ISBLK(st->st_mode)
			? N_("\"%s\" is a block device, and no place for a file: name another")
		: S_ISCHR(st->st_mode)
			? N_("\"%s\" is a device, and no place for a file: name another")
			: N_("\"%s\" is a socket, and no place for a file: name another"),
		path);
}

int outfile_check(const char *path, enum outfile_rule rule, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? 0
				       : err_env(err, -errno, "\"%s\" cannot be written: %s",
						 path, err_name(errno));
	return check_kind(path, &st, rule, err);
}

int outfile_open(const char *path, enum outfile_rule rule, int flags, struct err *err)
{
	int rc = outfile_check(path, rule, err);
	autofd fd = -1;
	struct stat st;

	if (rc)
		return rc;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | flags, 0666);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_env(err, -errno, "\"%s\" cannot be written: %s", path,
			       err_name(errno));
	rc = check_kind(path, &st, rule, err); /* of what was opened, whatever was looked at */
	return rc ? rc : file_keep_fd(&fd);
}

int outfile_empty(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || (S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0))
		return err_env(err, -errno, "\"%s\" cannot be emptied: %s", path,
			       err_name(errno));
	return 0;
}

void outfile_remove(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		(void)unlink(path); /* gone already is as good */
}

FILE *outfile_open_stream(const char *path, enum outfile_rule rule, struct err *err)
{
	autofd fd = outfile_open(path, rule, 0, err);
	FILE *stream;

	if (fd < 0 || outfile_empty(fd, path, err))
		return NULL;
	stream = fdopen(fd, "w");
	if (stream)
		return (void)file_keep_fd(&fd), stream; /* the stream's now */
	(void)err_env(err, -errno, "\"%s\": %s", path, err_name(errno));
	outfile_remove(path);
	return NULL;
}

void outfile_undo(void *path)
{
	outfile_remove(*(const char **)path);
}

void outfile_mark(int fd)
{
	char mark[MARK_BYTES];
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	mark_of(&st, mark);
	(void)fsetxattr(fd, MARK, mark, strlen(mark), 0); /* see the header */
}

void outfile_mark_path(const char *path)
{
	autofd fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		outfile_mark(fd);
}
