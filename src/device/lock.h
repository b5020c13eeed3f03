/*
 * Who works on a device, told to other programs by flock on its node, as udev and systemd read
 * it (systemd's "block device locking": the lock of the whole disk speaks for its partitions).
 * A plan holds its target exclusively, a run of the native face shares it; the fio face takes no
 * lock. Advisory: nothing is kept from programs that do not ask.
 */
#pragma once

#include "device/device.h"

enum device_hold { HOLD_SHARED, HOLD_EXCLUSIVE };

/* Of a partition, its disk is shared besides. { -1, -1 } holds nothing; closed by device_unlock,
 * and by the kernel when the process ends however that comes about. */
struct device_lock {
	int fd, disk_fd;
};
#define DEVICE_LOCK_NONE ((struct device_lock){.fd = -1, .disk_fd = -1})

/*
 * Waits for most of a second, for udev holds what it looks at for moments. -EBUSY (ERR_REFUSED)
 * names the process that holds it. A path that is not a block device is locked by nobody:
 * returns 0 and holds nothing.
 */
int device_lock(const char *path, enum device_hold hold, const struct device_roots *roots,
		struct device_lock *ret_lock, struct err *err);
void device_unlock(struct device_lock *lock);

/* The process of another run of this program that holds the device (of a partition: its disk)
 * at this moment; 0: none that we can see. Reads one small file. */
unsigned long device_lock_other_run(const struct device_lock *lock,
				    const struct device_roots *roots);
