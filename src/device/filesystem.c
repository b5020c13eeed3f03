#include "device/filesystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/str.h"
#include "device/filesystem_priv.h"
#include "device/mounts_priv.h"
#include "device/sysfs_priv.h"

#define LINKS_MAX 40 /* as the kernel's own limit */

/* By statfs' magic (linux/magic.h). devtmpfs shares tmpfs' and is told by its name. */
static const struct {
	unsigned long magic;
	enum filesystem_kind kind;
} magics[] = {
	{0x9fa0, FILESYSTEM_KERNEL},	  /* proc */
	{0x62656572, FILESYSTEM_KERNEL},  /* sysfs */
	{0x1cd1, FILESYSTEM_KERNEL},	  /* devpts */
	{0x27e0eb, FILESYSTEM_KERNEL},	  /* cgroup */
	{0x63677270, FILESYSTEM_KERNEL},  /* cgroup2 */
	{0x64626720, FILESYSTEM_KERNEL},  /* debugfs */
	{0x74726163, FILESYSTEM_KERNEL},  /* tracefs */
	{0x73636673, FILESYSTEM_KERNEL},  /* securityfs */
	{0x62656570, FILESYSTEM_KERNEL},  /* configfs */
	{0xcafe4a11, FILESYSTEM_KERNEL},  /* bpf */
	{0x6165676c, FILESYSTEM_KERNEL},  /* pstore */
	{0xde5e81e4, FILESYSTEM_KERNEL},  /* efivarfs */
	{0x42494e4d, FILESYSTEM_KERNEL},  /* binfmt_misc */
	{0x19800202, FILESYSTEM_KERNEL},  /* mqueue */
	{0xf97cff8c, FILESYSTEM_KERNEL},  /* selinuxfs */
	{0x01021994, FILESYSTEM_MEMORY},  /* tmpfs */
	{0x858458f6, FILESYSTEM_MEMORY},  /* ramfs */
	{0x958458f6, FILESYSTEM_MEMORY},  /* hugetlbfs */
	{0x6969, FILESYSTEM_NETWORK},	  /* nfs */
	{0xff534d42, FILESYSTEM_NETWORK}, /* cifs */
	{0xfe534d42, FILESYSTEM_NETWORK}, /* smb2 */
	{0x00c36400, FILESYSTEM_NETWORK}, /* ceph */
	{0x01021997, FILESYSTEM_NETWORK}, /* 9p */
	{0x0bd00bd0, FILESYSTEM_NETWORK}, /* lustre */
	{0x794c7630, FILESYSTEM_OVERLAY}, /* overlay */
	{0xf15f, FILESYSTEM_OVERLAY},	  /* ecryptfs */
};

/* By the name in mountinfo, where the magic tells too little. */
static const struct {
	const char *type;
	enum filesystem_kind kind;
} types[] = {
	{"devtmpfs", FILESYSTEM_KERNEL}, {"virtiofs", FILESYSTEM_NETWORK},
	{"overlay", FILESYSTEM_OVERLAY}, {"btrfs", FILESYSTEM_DISK},
	{"bcachefs", FILESYSTEM_DISK},	 {"zfs", FILESYSTEM_DISK},
	{"tmpfs", FILESYSTEM_MEMORY},	 {"ramfs", FILESYSTEM_MEMORY},
	{"proc", FILESYSTEM_KERNEL},	 {"sysfs", FILESYSTEM_KERNEL},
	{"devpts", FILESYSTEM_KERNEL},	 {"nfs", FILESYSTEM_NETWORK},
	{"nfs4", FILESYSTEM_NETWORK},	 {"cifs", FILESYSTEM_NETWORK},
	{"fuseblk", FILESYSTEM_FUSE},
};

enum filesystem_kind filesystem_classify(const struct filesystem *fs, unsigned long magic)
{
	/* Containers have a tmpfs in devtmpfs' place, and cgroup's folders lie on one. */
	if (str_equal(fs->mount_point, "/dev") || str_starts(fs->mount_point, "/sys/"))
		return FILESYSTEM_KERNEL;
	for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
		if (str_equal(types[i].type, fs->type))
			return types[i].kind;
	}
	if (str_equal(fs->type, "fuse") || str_starts(fs->type, "fuse."))
		return FILESYSTEM_FUSE;
	for (unsigned i = 0; i < ARRAY_SIZE(magics); i++) {
		if (magics[i].magic == magic)
			return magics[i].kind;
	}
	return fs->major ? FILESYSTEM_DISK : FILESYSTEM_OTHER;
}

/* A dangling link's target, relative to the link's folder. */
static bool follow_link(char path[PATH_MAX])
{
	char target[PATH_MAX], whole[PATH_MAX], *slash = strrchr(path, '/');
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n < 0)
		return false;
	target[n] = '\0';
	if (target[0] == '/' || !slash)
		TEXT_SET(whole, "%s", target);
	else
		TEXT_SET(whole, "%.*s/%s", (int)(slash - path), path, target);
	text_set(path, PATH_MAX, "%s", whole);
	return true;
}

int filesystem_nearest(const char *path, char ret_path[PATH_MAX])
{
	unsigned links = 0;
	struct stat st;

	if (!path[0])
		return -ENOENT;
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	text_set(ret_path, PATH_MAX, "%s", path);
	while (stat(ret_path, &st) < 0) {
		char *slash;

		if (errno != ENOENT && errno != ENOTDIR)
			return -errno;
		if (follow_link(ret_path)) {
			if (++links > LINKS_MAX)
				return -ELOOP;
			continue;
		}
		slash = strrchr(ret_path, '/');
		if (slash == ret_path)
			slash[1] = '\0';
		else if (slash)
			*slash = '\0';
		else
			text_set(ret_path, PATH_MAX, ".");
	}
	return 0;
}

/* The mount of `real` (absolute, links resolved): by id, else the last one with the longest
 * mount point. */
static const struct mount *mount_find(const struct mounts *mounts, uint64_t id,
				      const char *real)
{
	const struct mount *best = NULL;
	size_t best_length = 0;

	for (unsigned i = 0; i < mounts->count; i++) {
		const struct mount *mount = &mounts->items[i];
		size_t length = strlen(mount->point);

		if (id && (uint64_t)mount->id == id)
			return mount;
		if (length == 1)
			length = 0; /* "/" */
		if (strncmp(real, mount->point, length) == 0 &&
		    (real[length] == '/' || !real[length]) && length >= best_length) {
			best = mount;
			best_length = length;
		}
	}
	return best;
}

static uint64_t mount_id(const char *path)
{
	struct statx stx;

	if (statx(AT_FDCWD, path, AT_NO_AUTOMOUNT, STATX_MNT_ID, &stx) < 0 ||
	    !(stx.stx_mask & STATX_MNT_ID))
		return 0;
	return stx.stx_mnt_id;
}

static void mount_copy(struct filesystem *fs, const struct mount *mount)
{
	TEXT_SET(fs->type, "%s", mount->type);
	TEXT_SET(fs->mount_point, "%s", mount->point);
	TEXT_SET(fs->source, "%s", mount->source);
	TEXT_SET(fs->options, "%s", mount->options);
	fs->major = mount->major;
	fs->minor = mount->minor;
}

/* btrfs and f2fs say so by an option, zfs in its own properties: it may. */
static bool may_compress(const struct filesystem *fs)
{
	const char *option = strstr(fs->options, "compress");

	if (str_equal(fs->type, "zfs") || str_equal(fs->type, "bcachefs"))
		return true;
	return option && !str_starts(option, "compress=no") &&
	       !str_starts(option, "compress_mode=");
}

void filesystem_from_mount(struct filesystem *ret_fs, const struct mount *mount,
			   const char *path)
{
	struct filesystem fs = {.kind = FILESYSTEM_OTHER};
	struct statfs room = {.f_type = 0};

	TEXT_SET(fs.path, "%s", path);
	if (mount)
		mount_copy(&fs, mount);
	if (statfs(path, &room) == 0) {
		fs.block_bytes = (uint32_t)room.f_bsize;
		fs.size_bytes = (uint64_t)room.f_blocks * (uint64_t)room.f_bsize;
		fs.free_bytes = (uint64_t)room.f_bavail * (uint64_t)room.f_bsize;
		fs.read_only = (room.f_flags & ST_RDONLY) != 0;
	}
	fs.kind = filesystem_classify(&fs, (unsigned long)room.f_type);
	fs.swallows_size = may_compress(&fs);
	*ret_fs = fs;
}

int filesystem_of_path(struct filesystem *ret_fs, const char *path,
		       const struct device_roots *roots, struct err *err)
{
	char nearest[PATH_MAX], real[PATH_MAX];
	struct mounts mounts = {.count = 0};
	struct arena arena;
	int rc = filesystem_nearest(path, nearest);

	if (rc < 0)
		return err_env(err, rc, "%s: %s", path, err_name(rc));
	if (!realpath(nearest, real))
		return err_env(err, -errno, "%s: %s", nearest, err_name(errno));
	arena_init(&arena);
	rc = mounts_read(&arena, roots, "self", "", &mounts);
	if (rc < 0)
		rc = err_env(err, rc, "%s/self/mountinfo: %s", roots->proc, err_name(rc));
	else
		filesystem_from_mount(ret_fs, mount_find(&mounts, mount_id(real), real), real);
	arena_done(&arena);
	return rc;
}

bool filesystem_is_kernel(const struct filesystem *fs)
{
	return fs->kind == FILESYSTEM_KERNEL;
}
