/*
 * struct device: what one block device is, from sysfs alone: no device is opened here (but a loop
 * device, for the identity of its file, by who may), so an ordinary user gets the same answers as
 * root. Plain values, copied freely; nothing points
 * anywhere. What the kernel does not tell is unknown and says so: texts are "", numbers whose
 * zero is impossible are 0, the rest as each field says.
 *
 * All of device/ finds the kernel through struct device_roots, so that a recorded tree stands
 * in for a drive that this machine lacks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"

struct device_roots {
	const char *sys, *proc, *dev; /* "/sys", "/proc", "/dev" */
};
extern const struct device_roots device_roots_real;

enum device_kind {
	DEVICE_OTHER, /* a block device of a driver that we do not know */
	DEVICE_DISK,
	DEVICE_PARTITION,
	DEVICE_LOOP,
	DEVICE_ZRAM,
	DEVICE_RAM,
	DEVICE_DM,
	DEVICE_MD,
	DEVICE_BCACHE,
	DEVICE_NBD,
	NDEVICE_KIND,
};

/* How a disk is attached; of a partition its disk's. */
enum device_interface {
	INTERFACE_UNKNOWN,
	INTERFACE_NVME,
	INTERFACE_SATA,
	INTERFACE_SAS,
	INTERFACE_SCSI, /* another or an emulated SCSI host */
	INTERFACE_USB,
	INTERFACE_MMC,
	INTERFACE_VIRTIO,
	INTERFACE_XEN,
	INTERFACE_VIRTUAL, /* loop, zram, dm, md: no hardware of its own */
	NINTERFACE,
};

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

/* The narrowest wire between host and drive. The ceilings are what its line code leaves of the
 * raw rate (8b/10b, 128b/130b): no transfer can be faster, real ones stay 5 to 15 % below. */
struct device_link {
	char text[40];		  /* "PCIe 4.0 x4", "SATA 6.0 Gb/s"; "" unknown */
	char max_text[40];	  /* what the drive is capable of */
	uint64_t bytes_per_s;	  /* 0 unknown */
	uint64_t max_bytes_per_s; /* 0 unknown */
	bool trained_down;	  /* both are known, and the link is slower than the drive */
};

struct device {
	char name[64];	 /* the kernel's: "nvme0n1", "sda2" */
	char path[80];	 /* "/dev/nvme0n1" */
	char sysfs[300]; /* its folder, links resolved, below roots->sys: "/devices/pci…" */
	enum device_kind kind;
	enum device_interface interface;
	char parent[64];      /* the disk of a partition; "" otherwise */
	uint32_t partition;   /* its number; 0: none */
	uint64_t start_bytes; /* where the partition begins on its disk */
	unsigned major, minor;
	uint64_t diskseq; /* the kernel's number of this attachment (5.15); 0 unknown */

	/* Identity; a partition has its disk's. The serial of what has none of its own is what
	 * is attached: device/attached.h. */
	char model[80], serial[80], wwid[160], firmware[32];
	/* What consent is given by: the serial, or the WWID where the serial is not the
	 * device's own (several namespaces of one NVMe drive), or NAME:SIZE_IN_BYTES; a
	 * partition's ends in "-partN". Holds letters, digits and "-_.:" only. */
	char token[200];

	uint64_t size_bytes;
	uint32_t logical_block_bytes, physical_block_bytes;
	enum answer rotational, read_only, removable;
	enum answer fua, write_cache; /* YES: "write back", a volatile cache is on */
	enum answer io_poll;	      /* polled completions are possible now */
	char scheduler[32];	      /* the one in force: "none", "mq-deadline" */
	uint64_t discard_granularity_bytes, discard_max_bytes; /* max 0: no discard */
	uint32_t nr_requests, max_transfer_bytes;	       /* 0 unknown */
	uint64_t atomic_write_max_bytes;		       /* 0: none, or unknown */
	char zoned[16];					       /* "none", "host-managed" */
	int32_t numa_node;				       /* -1 unknown */
	char backing[300]; /* of a loop: the file behind it, as the kernel names it */

	struct device_link link;
};

struct device_list {
	struct device *items; /* in the arena that was given */
	unsigned count;
};

/* "unknown" for "". */
const char *device_text(const char *text);
const char *device_kind_name(enum device_kind kind);	       /* "partition" */
const char *device_interface_name(enum device_interface face); /* "NVMe" */

/*
 * `text` is a path (also a link, as in /dev/disk/by-id) or "serial:SERIAL" ("serial:" takes
 * a token or a WWID too). A path that is not a block device is -ENOTBLK, with an err that says
 * what it is.
 */
int device_from_path(struct device *ret_device, const char *text,
		     const struct device_roots *roots, struct err *err);
bool device_is_serial(const char *text); /* begins with "serial:" */
int device_from_number(struct device *ret_device, dev_t number,
		       const struct device_roots *roots, struct err *err);
int device_from_name(struct device *ret_device, const char *name,
		     const struct device_roots *roots, struct err *err);
/* The whole drive's: a partition has neither model nor health of its own. */
static inline const char *device_drive_name(const struct device *device)
{
	return device->parent[0] ? device->parent : device->name;
}
static inline bool device_has_number(const struct device *device, unsigned major,
				     unsigned minor)
{
	return device->major == major && device->minor == minor;
}

/* All block devices and their partitions, disks in the order of their names, each followed by
 * its partitions. Without empty ones (loop and zram nodes of size 0) unless `with_empty`. */
int device_list(struct arena *arena, bool with_empty, const struct device_roots *roots,
		struct device_list *ret_list, struct err *err);

/* Does `token` name this device? Also true for a partition when it names the whole disk. */
bool device_token_is(const struct device *device, const char *token);
