/*
 * What lies below a file or a device, down to the drives: partition -> disk, dm and md -> their
 * members, loop -> the file system of its backing file -> that one's device, btrfs -> all its
 * devices. A stack is a list in that order, top first; `leaf` marks what has nothing below:
 * there the bytes meet hardware, and there counters are read.
 */
#pragma once

#include "device/device.h"

#define STACK_MAX 64 /* layers; what lies deeper is cut and `truncated` says so */

struct stack_layer {
	struct device device;
	int above;     /* index of the layer that stands on it; -1: the file itself */
	bool leaf;     /* a whole device with nothing below */
	char via[360]; /* "partition of sda", "backing file /var/x.img of loop0" */
};

struct device_stack {
	struct stack_layer *layer; /* in the arena that was given */
	unsigned count;		   /* 0: `why_none` says why: tmpfs, NFS, overlay */
	bool truncated;
	char why_none[160];
};

/* `path` may be missing still: then its nearest existing folder counts. A block device's
 * stack starts with the device. */
int device_of_file(struct arena *arena, const char *path, const struct device_roots *roots,
		   struct device_stack *ret_stack, struct err *err);
/* What cannot be seen below ends the stack there. */
void device_stack_below(struct arena *arena, const struct device *device,
			const struct device_roots *roots, struct device_stack *ret_stack);
