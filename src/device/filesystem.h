/*
 * The file system that a path lies on: its mount, as /proc/self/mountinfo tells, and its room,
 * as statfs tells. The mount is found by its id (statx, Linux 5.8), so mounts over mounts and
 * bind mounts are told apart; older kernels get the longest prefix.
 */
#pragma once

#include "device/device.h"

enum filesystem_kind {
	FILESYSTEM_DISK,    /* lies on block devices */
	FILESYSTEM_MEMORY,  /* tmpfs, ramfs: files live in memory, and die with it */
	FILESYSTEM_KERNEL,  /* devtmpfs, proc, sysfs and kin: no place for files of ours */
	FILESYSTEM_NETWORK, /* nfs, cifs, ceph, 9p */
	FILESYSTEM_OVERLAY, /* overlay, ecryptfs: another file system is below */
	FILESYSTEM_FUSE,
	FILESYSTEM_OTHER,
	NFILESYSTEM_KIND,
};

struct filesystem {
	enum filesystem_kind kind;
	char type[32];	       /* "ext4" */
	char mount_point[300]; /* "/home" */
	char source[300];      /* "/dev/nvme0n1p2" */
	char options[1024];    /* of the mount and of the file system, as mountinfo has them */
	char path[300];	       /* the path that was looked at: the nearest one that exists */
	unsigned major, minor; /* of the mount; 0:N for anonymous ones (btrfs, overlay) */
	uint64_t size_bytes, free_bytes; /* free to this user */
	uint32_t block_bytes;
	bool read_only;
	bool swallows_size; /* compression may be on: what is written may become less than it was */
};

/* `path` may be missing still: then its nearest existing folder counts. */
int filesystem_of_path(struct filesystem *ret_fs, const char *path,
		       const struct device_roots *roots, struct err *err);

/* No file may be created there: devtmpfs, proc, sysfs and other file systems of the kernel's
 * own (asked of the file system, not of the name: /dev/shm is a tmpfs and fine). */
bool filesystem_is_kernel(const struct filesystem *fs);
const char *filesystem_kind_name(enum filesystem_kind kind);
