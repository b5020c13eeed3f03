#include "device/sysfs_priv.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

#define PROC_LIMIT_BYTES (16u << 20) /* a mountinfo of 100,000 mounts */

void text_set(char *text, size_t size_bytes, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, size_bytes, fmt, args);
	va_end(args);
}

void text_trim(char *text)
{
	size_t length = strlen(text), skip = strspn(text, " \t\r\n");

	while (length > skip && strchr(" \t\r\n", text[length - 1]))
		length--;
	memmove(text, text + skip, length - skip);
	text[length - skip] = '\0';
}

bool text_u64(const char *text, uint64_t *ret_value)
{
	char *end;
	unsigned long long value;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end)
		return false;
	*ret_value = value;
	return true;
}

int sysfs_line(const struct device_roots *roots, const char *folder, const char *attribute,
	       char *ret_line, size_t size_bytes)
{
	char path[SYSFS_PATH_BYTES];
	int rc;

	TEXT_SET(path, "%s%s/%s", roots->sys, folder, attribute);
	rc = file_read_line(path, ret_line, size_bytes);
	text_trim(ret_line);
	return rc < 0 ? rc : 0;
}

uint64_t sysfs_u64(const struct device_roots *roots, const char *folder, const char *attribute,
		   uint64_t unknown)
{
	char line[32];
	uint64_t value;

	SYSFS_LINE(roots, folder, attribute, line);
	return text_u64(line, &value) ? value : unknown;
}

enum answer sysfs_answer(const struct device_roots *roots, const char *folder,
			 const char *attribute)
{
	uint64_t value = sysfs_u64(roots, folder, attribute, UINT64_MAX);

	if (value == UINT64_MAX)
		return ANSWER_UNKNOWN;
	return value ? ANSWER_YES : ANSWER_NO;
}

bool sysfs_exists(const struct device_roots *roots, const char *folder, const char *entry)
{
	char path[SYSFS_PATH_BYTES];

	TEXT_SET(path, "%s%s/%s", roots->sys, folder, entry);
	return access(path, F_OK) == 0;
}

size_t sysfs_bytes(const struct device_roots *roots, const char *folder, const char *attribute,
		   void *ret_bytes, size_t size_bytes)
{
	char path[SYSFS_PATH_BYTES];
	ssize_t n;

	TEXT_SET(path, "%s%s/%s", roots->sys, folder, attribute);
	autofd fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, ret_bytes, size_bytes);
	return n < 0 ? 0 : (size_t)n;
}

int sysfs_resolve(const struct device_roots *roots, const char *folder, const char *entry,
		  char *ret_folder, size_t size_bytes)
{
	char path[SYSFS_PATH_BYTES], root[PATH_MAX], real[PATH_MAX];
	size_t length;

	TEXT_SET(path, "%s%s%s%s", roots->sys, folder, entry[0] ? "/" : "", entry);
	if (!realpath(roots->sys, root) || !realpath(path, real))
		return -errno;
	length = strlen(root);
	if (strncmp(real, root, length) != 0 || real[length] != '/')
		return -ENOENT; /* a link that leads out of the tree */
	if (strlen(real + length) >= size_bytes)
		return -ENAMETOOLONG;
	text_set(ret_folder, size_bytes, "%s", real + length);
	return 0;
}

DIR *sysfs_open(const struct device_roots *roots, const char *folder, const char *entry)
{
	char path[SYSFS_PATH_BYTES];

	TEXT_SET(path, "%s%s/%s", roots->sys, folder, entry);
	return opendir(path);
}

const char *sysfs_next(DIR *dir)
{
	struct dirent *entry;

	do
		entry = readdir(dir);
	while (entry && entry->d_name[0] == '.');
	return entry ? entry->d_name : NULL;
}

void sysfs_close(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

int proc_read(const struct device_roots *roots, const char *path, struct str *ret_text)
{
	char whole[SYSFS_PATH_BYTES];

	TEXT_SET(whole, "%s/%s", roots->proc, path);
	return file_read(whole, PROC_LIMIT_BYTES, ret_text);
}
