/* The words for what device/ tells apart: one table each. */
#include "base/lang.h"
#include "device/device.h"

#include "base/bits.h"
#include "device/counters.h"
#include "device/filesystem.h"
#include "device/guard.h"
#include "device/host.h"
#include "device/stack.h"
#include "device/targets.h"

const struct device_roots device_roots_real = {.sys = "/sys", .proc = "/proc", .dev = "/dev"};

const char *device_text(const char *text)
{
	return text[0] ? text : "unknown";
}

const char *device_kind_name(enum device_kind kind)
{
	static const char *const names[] = {
		[DEVICE_OTHER] = "block device",  [DEVICE_DISK] = "disk",
		[DEVICE_PARTITION] = "partition", [DEVICE_LOOP] = N_("loop device"),
		[DEVICE_ZRAM] = "zram",		  [DEVICE_RAM] = N_("RAM disk"),
		[DEVICE_DM] = "device-mapper",	  [DEVICE_MD] = N_("md RAID"),
		[DEVICE_BCACHE] = "bcache",	  [DEVICE_NBD] = N_("network block device"),
	};

	_Static_assert(ARRAY_SIZE(names) == NDEVICE_KIND, "a name for each");
	return names[kind];
}

const char *device_interface_name(enum device_interface face)
{
	static const char *const names[] = {
		[INTERFACE_UNKNOWN] = "unknown", [INTERFACE_NVME] = "NVMe",
		[INTERFACE_SATA] = "SATA",	 [INTERFACE_SAS] = "SAS",
		[INTERFACE_SCSI] = "SCSI",	 [INTERFACE_USB] = "USB",
		[INTERFACE_MMC] = "MMC",	 [INTERFACE_VIRTIO] = "virtio",
		[INTERFACE_XEN] = "Xen",	 [INTERFACE_VIRTUAL] = "virtual",
	};

	_Static_assert(ARRAY_SIZE(names) == NINTERFACE, "a name for each");
	return names[face];
}

const char *filesystem_kind_name(enum filesystem_kind kind)
{
	static const char *const names[] = {
		[FILESYSTEM_DISK] = "disk",	  [FILESYSTEM_MEMORY] = "memory",
		[FILESYSTEM_KERNEL] = "kernel",	  [FILESYSTEM_NETWORK] = "network",
		[FILESYSTEM_OVERLAY] = "overlay", [FILESYSTEM_FUSE] = "FUSE",
		[FILESYSTEM_OTHER] = "other",
	};

	_Static_assert(ARRAY_SIZE(names) == NFILESYSTEM_KIND, "a name for each");
	return names[kind];
}
