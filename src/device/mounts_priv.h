/* mountinfo, swaps and loop devices as arrays, for device/ alone. Texts lie in the arena. */
#pragma once

#include "base/bits.h"
#include "base/library.h"
#include "device/device.h"

/* libmount as a struct library: opened when mounts are asked for, because it brings along
 * SELinux's library, which looks for its policy in every program that starts with it. */
#define LIBMOUNT(names)                                                \
	{                                                              \
		"libmount.so.1", "libmount1", names, ARRAY_SIZE(names) \
	}

struct mount {
	int id;
	unsigned major, minor;
	const char *type, *source, *point, *options; /* never NULL */
	const char *namespace;			     /* "" our own, else "process 123's" */
};

struct mounts {
	struct mount *items;
	unsigned count, room;
};

/* The mounts of `process` ("self", "1", "4711"); `namespace` is kept as it is. */
int mounts_read(struct arena *arena, const struct device_roots *roots, const char *process,
		const char *namespace, struct mounts *mounts);
/* Our own, init's, and those of every other mount namespace that /proc lets us see. */
int mounts_read_all(struct arena *arena, const struct device_roots *roots,
		    struct mounts *ret_mounts);

/* Does `path` lead to the block device? Its number is looked up; a name of a recorded tree,
 * which has no nodes, is compared by its last component. */
bool mounts_path_is(const char *path, const struct device *device,
		    const struct device_roots *roots);

/* /proc/swaps: the paths. */
struct swaps {
	const char **paths;
	unsigned count;
};
int swaps_read(struct arena *arena, const struct device_roots *roots, struct swaps *ret_swaps);
