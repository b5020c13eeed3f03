#include "load/buffer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/file.h"
#include "base/str.h"

static void folder_of(const char *path, struct str *out)
{
	const char *slash = strrchr(path, '/');

	if (slash == path)
		str_add(out, "/");
	else if (slash)
		str_add_bytes(out, path, (size_t)(slash - path));
	else
		str_add(out, ".");
}

int buffer_file_open(const char *path, size_t bytes, bool huge, struct err *err)
{
	autostr folder = {0};
	autofd fd = -1;
	struct statfs fs;
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return err_input(err, "mem: \"%s\" is no file that buffers could lie in", path);
	folder_of(path, &folder);
	fd = open(str_text(&folder), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_env(err, -errno,
			       "mem: no file for buffers can be made in \"%s\": %s",
			       str_text(&folder), err_name(errno));
	if (huge && (fstatfs(fd, &fs) < 0 || fs.f_type != HUGETLBFS_MAGIC))
		return err_env(err, -EINVAL,
			       "mem: \"%s\" does not lie on a hugetlbfs; mount one, or take "
			       "mem=mmap",
			       path);
	if (fallocate(fd, 0, 0, (off_t)bytes) < 0)
		return err_env(err, -errno,
			       "mem: no room for %zu bytes of buffers in \"%s\": %s", bytes,
			       str_text(&folder), err_name(errno));
	return file_keep_fd(&fd);
}
