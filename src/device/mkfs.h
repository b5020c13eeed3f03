/*
 * A file system made on a whole device and mounted in a place of its own, below /run/assay, for
 * work that is measured through it. It is noted (device/undo.h) before it is mounted, so that after
 * a kill the next command unmounts it. mkfs is told to force: who calls has asked the guard, which
 * refuses what is in use, and has consent.
 *
 * Discards are left out and nothing is put off to a later background job: the drive stays in the
 * state that it was in, and what is measured is the work alone.
 */
#pragma once

#include "base/str.h"
#include "device/undo.h"

struct mkfs_wish {
	const char *type;			  /* "ext4", "xfs", "btrfs" */
	const char *mkfs_options, *mount_options; /* beside our own; NULL or "": none */
	const char *label;			  /* by which it is known to be ours */
	bool make;		  /* false: it is there already, and is mounted again */
	const char *state_folder; /* NULL: nothing can be noted, so nothing is done */
};

/* The most that mkfs writes to a device of this size: with options beside ours the whole of it. */
uint64_t mkfs_bound_bytes(const struct mkfs_wish *wish, uint64_t size_bytes);

struct mkfs_hold {
	char point[300]; /* where it is mounted; "" it is not */
	struct undo undo;
};

#define MKFS_LABEL_MAX 12 /* XFS has no more */
/* Does the device carry a file system of this label? */
bool mkfs_is_ours(const struct device *device, const char *label);

/* The types that are known, "ext4, xfs, btrfs" as text for messages. */
bool mkfs_knows(const char *type);
extern const char mkfs_types[];

/*
 * `note` gets what was done: the program with its version, its options, and the mount's as the
 * kernel has them. -ENOENT: no such mkfs, or the kernel does not know the type (nothing was
 * changed); -EPROTO: mkfs did not want this device. The err says it.
 */
int mkfs_mount(const struct device *device, const struct mkfs_wish *wish,
	       const struct device_roots *roots, struct mkfs_hold *ret_hold, struct str *note,
	       struct err *err);
/* Nothing where nothing is mounted. What is still busy stays noted. */
int mkfs_unmount(struct mkfs_hold *hold, struct err *err);

/* For device/undo.c: 0 also where nothing is mounted there any more. */
int mkfs_unmount_point(const char *point, struct err *err);
