/*
 * What `assay targets` lists: every disk, partition and other block device, with what is on it
 * and whether a run may write to it; and every mounted file system of disks or memory, where a
 * file may be made. Data only: cli/ prints.
 */
#pragma once

#include "device/guard.h"

struct targets_device {
	struct device device;
	struct guard_verdict native; /* without any token, in the native face */
	char holds[300]; /* "gpt, 3 partitions", "ext4 \"home\"", "blank"; "" not looked at */
	bool looked;	 /* its contents could be read (permission) */
};

struct targets_mount {
	struct filesystem fs;
	bool writable;	   /* by this user, for a file of our own */
	char why_not[120]; /* "" when writable */
};

struct targets {
	struct targets_device *devices; /* in the arena that was given */
	unsigned ndevices;
	struct targets_mount *mounts;
	unsigned nmounts;
};

int targets_list(struct arena *arena, const struct device_roots *roots,
		 struct targets *ret_targets, struct err *err);
