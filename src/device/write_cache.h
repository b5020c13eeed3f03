/*
 * The write cache of a drive, by the drive's own word: NVMe's feature 06h, the caching mode page
 * of SCSI, which SATA drives have by translation. The kernel's queue/write_cache is only what the
 * kernel believes. Setting it is for one step: write_cache_hold notes what was (device/undo.h),
 * so that it is put back also after a kill.
 */
#pragma once

#include "device/undo.h"

/* What the drive says. UNKNOWN with the reason in `ret_why` (NULL: not asked): no such command,
 * no permission, no cache that could be switched. */
enum answer write_cache_read(const struct device *device, const struct device_roots *roots,
			     struct err *ret_why);

/* Sets it, not beyond the drive's next power cycle where that can be chosen, and reads it back.
 * -EOPNOTSUPP: it cannot be set here; -EIO: the drive said yes and did not. */
int write_cache_set(const struct device *device, bool on, const struct device_roots *roots,
		    struct err *err);

/* For the time of a step: `changed` is false where it was as wanted already. Of a partition it is
 * the disk's. The state folder is
 * store_state_folder's; NULL: nothing is switched. */
struct write_cache_hold {
	struct device disk;
	bool changed;
	struct undo undo;
};
int write_cache_hold(struct write_cache_hold *ret_hold, const struct device *device, bool on,
		     const char *state_folder, const struct device_roots *roots,
		     struct err *err);
int write_cache_release(struct write_cache_hold *hold, const struct device_roots *roots,
			struct err *err);
