#include "device/attached.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/str.h"
#include "device/device_priv.h"
#include "device/sysfs_priv.h"

#define PATH_SHOWN 40 /* characters of the end of a path */

static const char *end_of(const char *path)
{
	size_t length = strlen(path);

	return length > PATH_SHOWN ? path + length - PATH_SHOWN : path;
}

/* A device number of 0:N is the kernel's for one mount: of FUSE's and of network file systems,
 * other after the next. The path says more. */
static void name_of(const char *path, const struct statx *stx, char *ret_text,
		    size_t size_bytes)
{
	if (stx->stx_mask & STATX_BTIME)
		text_set(ret_text, size_bytes, "inode %llu born %lld.%09u",
			 (unsigned long long)stx->stx_ino, (long long)stx->stx_btime.tv_sec,
			 stx->stx_btime.tv_nsec);
	else if (stx->stx_dev_major)
		text_set(ret_text, size_bytes, "inode %llu of %u:%u",
			 (unsigned long long)stx->stx_ino, stx->stx_dev_major,
			 stx->stx_dev_minor);
	else
		text_set(ret_text, size_bytes, "inode %llu of %s",
			 (unsigned long long)stx->stx_ino, end_of(path));
}

void file_identity(const char *path, char *ret_text, size_t size_bytes)
{
	struct statx stx;

	*ret_text = '\0';
	if (statx(AT_FDCWD, path, 0, STATX_TYPE | STATX_INO | STATX_BTIME, &stx) == 0 &&
	    S_ISREG(stx.stx_mode))
		name_of(path, &stx, ret_text, size_bytes);
}

bool attached_same(const char *before, const char *after)
{
	static const char inode[] = "inode ";
	size_t length = strlen(inode) +
			strspn(before + min_u64(strlen(before), strlen(inode)), "0123456789");

	if (str_equal(before, after))
		return true;
	return str_starts(before, inode) && strncmp(before, after, length) == 0 &&
	       after[length] == ' ' &&
	       (strstr(before, " born ") != NULL) != (strstr(after, " born ") != NULL);
}

/* What the kernel says to those who may open the device: the file itself, whatever has since been
 * put under its name. */
static bool loop_file(const char *name, const struct device_roots *roots,
		      struct loop_info64 *ret_info)
{
	char path[100];
	autofd fd = -1;

	TEXT_SET(path, "%s/%s", roots->dev, name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, ret_info) == 0;
}

static void identity_loop(struct device *device, const char *name, const char *folder,
			  const struct device_roots *roots)
{
	char path[sizeof(device->backing)];
	struct loop_info64 info;
	struct statx stx;
	uint64_t offset = sysfs_u64(roots, folder, "loop/offset", 0);
	bool is_told, is_there;

	SYSFS_LINE(roots, folder, "loop/backing_file", path);
	if (!*path)
		return; /* nothing is attached */
	is_told = loop_file(name, roots, &info);
	is_there = statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &stx) == 0 &&
		   (!is_told ||
		    (stx.stx_ino == info.lo_inode &&
		     makedev(stx.stx_dev_major, stx.stx_dev_minor) == (dev_t)info.lo_device));
	if (is_there)
		name_of(path, &stx, device->serial, sizeof(device->serial));
	else if (is_told)
		text_set(device->serial, sizeof(device->serial), "inode %llu of %u:%u",
			 (unsigned long long)info.lo_inode, major((dev_t)info.lo_device),
			 minor((dev_t)info.lo_device));
	else
		text_set(device->serial, sizeof(device->serial), "file %s", end_of(path));
	if (offset)
		TEXT_SET(path, "%s", device->serial);
	if (offset)
		text_set(device->serial, sizeof(device->serial), "%.50s at %llu", path,
			 (unsigned long long)offset);
}

/* The number of this attachment, good until the machine starts again. */
static void identity_sequence(struct device *device, const struct device_roots *roots)
{
	autostr boot = {0};

	if (device->diskseq && proc_read(roots, "sys/kernel/random/boot_id", &boot) == 0 &&
	    boot.length >= 8)
		text_set(device->serial, sizeof(device->serial), "attachment %llu of boot %.8s",
			 (unsigned long long)device->diskseq, str_text(&boot));
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* "raid1 of sda1 sdb1": what it is made of, in the order of the names. */
static void identity_members(struct device *device, const char *what, const char *folder,
			     const struct device_roots *roots)
{
	char names[32][32];
	unsigned count = 0;
	const char *name;
	autostr text = {0};
	autodir dir = sysfs_open(roots, folder, "slaves");

	while (dir && count < ARRAY_SIZE(names) && (name = sysfs_next(dir))) {
		TEXT_SET(names[count], "%s", name);
		count++;
	}
	if (!count)
		return;
	qsort(names, count, sizeof(names[0]), compare_lines);
	str_printf(&text, "%s of", what);
	for (unsigned i = 0; i < count; i++)
		str_printf(&text, " %s", names[i]);
	text_set(device->serial, sizeof(device->serial), "%s", str_text(&text));
}

void attached_identity(struct device *device, const char *name, const char *folder,
		       const struct device_roots *roots)
{
	char text[160];

	if (device->serial[0])
		return;
	if (str_starts(name, "loop")) {
		identity_loop(device, name, folder, roots);
	} else if (str_starts(name, "dm-")) {
		if (device->wwid[0])
			text_set(device->serial, sizeof(device->serial), "%s", device->wwid);
		else
			identity_members(device, device->model, folder, roots);
	} else if (str_starts(name, "md")) {
		SYSFS_LINE(roots, folder, "md/uuid", device->serial);
		SYSFS_LINE(roots, folder, "md/level", text);
		if (!device->serial[0])
			identity_members(device, text, folder, roots);
	} else if (str_starts(name, "nbd")) {
		SYSFS_LINE(roots, folder, "backend", device->serial);
	} else if (str_starts(name, "zram") || str_starts(name, "ram")) {
		identity_sequence(device, roots);
	}
}
