#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

void file_close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* read-only, or checked before */
	*fd = -1;
}

int file_keep_fd(int *fd)
{
	int kept = *fd;

	*fd = -1;
	return kept;
}

void file_close_stream(FILE **stream)
{
	if (*stream)
		(void)fclose(*stream);
	*stream = NULL;
}

int file_read(const char *path, size_t limit_bytes, struct str *ret_text)
{
	autofd fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t total = 0;
	char part[4096];

	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t n = read(fd, part, sizeof(part));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		total += (size_t)n;
		if (total > limit_bytes)
			return -EFBIG;
		str_add_bytes(ret_text, part, (size_t)n);
	}
}

int file_read_line(const char *path, char *ret_line, size_t size_bytes)
{
	autofd fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	ret_line[0] = '\0';
	if (fd < 0)
		return -errno;
	do
		n = read(fd, ret_line, size_bytes - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		ret_line[0] = '\0';
		return -errno;
	}
	ret_line[n] = '\0';
	ret_line[strcspn(ret_line, "\n")] = '\0';
	return 0;
}

int file_write_all(int fd, const void *bytes, size_t count)
{
	const char *at = bytes;

	while (count > 0) {
		ssize_t n = write(fd, at, count);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += n;
		count -= (size_t)n;
	}
	return 0;
}

int file_replace(const char *path, const char *text, size_t bytes)
{
	autostr temporary = {0};
	struct memory_end end;
	autofd fd = -1;
	int rc;

	str_printf(&temporary, "%s.%d.tmp", path, (int)getpid());
	fd = open(temporary.text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	memory_end_add(&end, memory_end_unlink, temporary.text); /* other threads go on */
	rc = file_write_all(fd, text, bytes);
	if (!rc && fsync(fd) < 0 && errno != EINVAL)
		rc = -errno;
	if (!rc && rename(temporary.text, path) < 0)
		rc = -errno;
	if (rc)
		(void)unlink(temporary.text); /* the first cause counts */
	memory_end_remove(&end);
	return rc;
}
