/* Gathering the guard's facts, for device/ alone. */
#pragma once

#include "device/guard.h"

void use_add(struct guard_facts *facts, enum guard_use_kind kind, const char *device,
	     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Mounts, swaps, holders, loops, of the device and all that is stacked on it. */
int uses_gather(struct guard_facts *facts, const struct device *device,
		const struct device_roots *roots, struct err *err);
/* Swap and loop devices on a regular file, by its device and inode in `facts`. */
int uses_gather_file(struct guard_facts *facts, const struct device_roots *roots,
		     struct err *err);

/* Opens the device: exclusive use, signatures (also on its partitions), sampled blocks. What
 * cannot be read is in facts->unreadable. */
void contents_gather(struct guard_facts *facts, const struct device *device,
		     const struct device_roots *roots);
/* libblkid on an open device or file. 0 or -errno. */
int signatures_gather(struct guard_facts *facts, int fd, const char *name);
/* First and last MiB and 256 blocks between, until one is not all zero. 0 or -errno. */
int samples_gather(struct guard_facts *facts, int fd, uint64_t size_bytes,
		   uint32_t block_bytes);
