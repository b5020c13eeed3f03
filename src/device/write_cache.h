/*
 * The write cache of a drive, by the drive's own word: NVMe's feature 06h, the caching mode page
 * of SCSI (SAT translates it for SATA). The kernel's queue/write_cache is only what the kernel
 * believes. Setting it is for one step: write_cache_hold notes in the state folder what was
 * (device/undo.h), so that it is put back also after a kill.
 */
#pragma once

#include "device/device.h"

/* What the drive says. UNKNOWN with the reason in `ret_why` (may be NULL): no such command, no
 * permission, no cache that could be switched. */
enum answer write_cache_read(const struct device *device, const struct device_roots *roots,
			     char *ret_why, size_t size_bytes);

/* Sets it and reads it back. -EOPNOTSUPP: it cannot be set here; -EIO: the drive said yes and
 * did no. */
int write_cache_set(const struct device *device, bool on, const struct device_roots *roots,
		    struct err *err);

/* For the time of a step. `was` remembers what to put back; nothing is done, and nothing will
 * be, where it is as wanted already. */
struct write_cache_hold {
	struct device device;
	bool changed, was_on;
	char state_file[4400];
};
int write_cache_hold(struct write_cache_hold *ret_hold, const struct device *device, bool on,
		     const char *state_folder, const struct device_roots *roots,
		     struct err *err);
int write_cache_release(struct write_cache_hold *hold, const struct device_roots *roots,
			struct err *err);
