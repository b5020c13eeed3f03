#include "device/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/lang.h"
#include "base/str.h"
#include "device/device_priv.h"
#include "device/sysfs_priv.h"

#define SECTOR_BYTES 512 /* of sysfs' size and start, whatever the device's own */
#define DISKS_MAX    65536

/* By the beginning of the kernel's name. What is not here is a disk if it has hardware. */
static const struct {
	const char *prefix;
	enum device_kind kind;
	enum device_interface interface;
} device_names[] = {
	{"loop", DEVICE_LOOP, INTERFACE_VIRTUAL}, {"zram", DEVICE_ZRAM, INTERFACE_VIRTUAL},
	{"ram", DEVICE_RAM, INTERFACE_VIRTUAL},	  {"dm-", DEVICE_DM, INTERFACE_VIRTUAL},
	{"md", DEVICE_MD, INTERFACE_VIRTUAL},	  {"bcache", DEVICE_BCACHE, INTERFACE_VIRTUAL},
	{"nbd", DEVICE_NBD, INTERFACE_VIRTUAL},	  {"nvme", DEVICE_DISK, INTERFACE_NVME},
	{"vd", DEVICE_DISK, INTERFACE_VIRTIO},	  {"xvd", DEVICE_DISK, INTERFACE_XEN},
	{"mmcblk", DEVICE_DISK, INTERFACE_MMC},
};

static enum device_interface interface_scsi(const struct device_roots *roots,
					    const char *folder)
{
	char vendor[40];

	SYSFS_LINE(roots, folder, "device/vendor", vendor);
	if (strstr(folder, "/usb"))
		return INTERFACE_USB;
	if (strstr(folder, "/end_device-"))
		return str_equal(vendor, "ATA") ? INTERFACE_SATA : INTERFACE_SAS;
	if (strstr(folder, "/ata"))
		return INTERFACE_SATA;
	return INTERFACE_SCSI;
}

/* `name` and `folder` are the whole device's. */
static void device_classify(struct device *device, const char *name, const char *folder,
			    const struct device_roots *roots)
{
	device->kind = DEVICE_OTHER;
	device->interface = INTERFACE_UNKNOWN;
	for (unsigned i = 0; i < ARRAY_SIZE(device_names); i++) {
		if (!str_starts(name, device_names[i].prefix))
			continue;
		device->kind = device_names[i].kind;
		device->interface = device_names[i].interface;
		return;
	}
	if (strstr(folder, "/virtual/"))
		device->interface = INTERFACE_VIRTUAL;
	else if (sysfs_exists(roots, folder, "device"))
		device->kind = DEVICE_DISK;
	if (str_starts(name, "sd") || str_starts(name, "sr"))
		device->interface = interface_scsi(roots, folder);
}

/* "[mq-deadline] none" -> "mq-deadline"; a lone word is itself. */
static void scheduler_load(struct device *device, const char *folder,
			   const struct device_roots *roots)
{
	char line[200], *open, *close;

	SYSFS_LINE(roots, folder, "queue/scheduler", line);
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		TEXT_SET(device->scheduler, "%.*s", (int)(close - open - 1), open + 1);
	else
		TEXT_SET(device->scheduler, "%s", line);
}

static void queue_load(struct device *device, const char *folder,
		       const struct device_roots *roots)
{
	char line[32];

	device->logical_block_bytes =
		(uint32_t)sysfs_u64(roots, folder, "queue/logical_block_size", 0);
	device->physical_block_bytes =
		(uint32_t)sysfs_u64(roots, folder, "queue/physical_block_size", 0);
	device->rotational = sysfs_answer(roots, folder, "queue/rotational");
	device->fua = sysfs_answer(roots, folder, "queue/fua");
	device->io_poll = sysfs_answer(roots, folder, "queue/io_poll");
	SYSFS_LINE(roots, folder, "queue/write_cache", line);
	if (line[0])
		device->write_cache = str_equal(line, "write back") ? ANSWER_YES : ANSWER_NO;
	scheduler_load(device, folder, roots);
	device->discard_granularity_bytes =
		sysfs_u64(roots, folder, "queue/discard_granularity", 0);
	device->discard_max_bytes = sysfs_u64(roots, folder, "queue/discard_max_bytes", 0);
	device->nr_requests = (uint32_t)sysfs_u64(roots, folder, "queue/nr_requests", 0);
	device->max_transfer_bytes =
		(uint32_t)(sysfs_u64(roots, folder, "queue/max_sectors_kb", 0) * KiB);
	device->atomic_write_max_bytes =
		sysfs_u64(roots, folder, "queue/atomic_write_unit_max_bytes", 0);
	SYSFS_LINE(roots, folder, "queue/zoned", device->zoned);
}

/* sysfs writes -1 for a machine without NUMA; the attribute hangs at the bus device. */
static int32_t numa_load(const char *folder, const struct device_roots *roots)
{
	char at[300], *slash;
	uint64_t node;

	TEXT_SET(at, "%s", folder);
	while ((slash = strrchr(at, '/')) && slash != at) {
		if (sysfs_exists(roots, at, "numa_node")) {
			node = sysfs_u64(roots, at, "numa_node", UINT64_MAX);
			return node < INT32_MAX ? (int32_t)node : -1;
		}
		*slash = '\0';
	}
	return -1;
}

static void numbers_load(struct device *device, const struct device_roots *roots)
{
	char line[32];

	SYSFS_LINE(roots, device->sysfs, "dev", line);
	/* NOLINTNEXTLINE(cert-err34-c): the kernel's own text */
	(void)sscanf(line, "%u:%u", &device->major, &device->minor);
	device->size_bytes = sysfs_u64(roots, device->sysfs, "size", 0) * SECTOR_BYTES;
	device->start_bytes = sysfs_u64(roots, device->sysfs, "start", 0) * SECTOR_BYTES;
	device->read_only = sysfs_answer(roots, device->sysfs, "ro");
}

int device_load(struct device *ret_device, const char *name, const struct device_roots *roots)
{
	struct device device = {.numa_node = -1};
	char folder[300], file[64], *slash;
	int rc;

	TEXT_SET(file, "%s", name);
	for (slash = file; (slash = strchr(slash, '/'));)
		*slash = '!'; /* "cciss/c0d0" is "cciss!c0d0" in sysfs */
	rc = sysfs_resolve(roots, "/class/block", file, device.sysfs, sizeof(device.sysfs));
	if (rc < 0)
		return rc;
	for (slash = file; (slash = strchr(slash, '!'));)
		*slash = '/';
	TEXT_SET(device.name, "%s", file);
	TEXT_SET(device.path, "%s/%s", roots->dev, file);
	TEXT_SET(folder, "%s", device.sysfs);
	numbers_load(&device, roots);
	device.partition = (uint32_t)sysfs_u64(roots, folder, "partition", 0);
	if (device.partition) { /* the disk is the folder above */
		*strrchr(folder, '/') = '\0';
		TEXT_SET(device.parent, "%s", strrchr(folder, '/') + 1);
		device_classify(&device, device.parent, folder, roots);
		device.kind = DEVICE_PARTITION;
	} else {
		device_classify(&device, file, folder, roots);
	}
	device.diskseq = sysfs_u64(roots, folder, "diskseq", 0);
	device.removable = sysfs_answer(roots, folder, "removable");
	queue_load(&device, folder, roots);
	device.numa_node = numa_load(folder, roots);
	SYSFS_LINE(roots, folder, "loop/backing_file", device.backing);
	identity_load(&device, folder, roots);
	link_load(&device, folder, roots);
	*ret_device = device;
	return 0;
}

static bool is_whole_and_visible(const struct device_roots *roots, const char *name)
{
	char folder[300];

	TEXT_SET(folder, "/class/block/%s", name);
	return !sysfs_exists(roots, folder, "partition") &&
	       sysfs_u64(roots, folder, "hidden", 0) == 0;
}

/* "sda" < "sdb" < "sdaa", "nvme2n1" < "nvme10n1": runs of digits by value, and disks of a
 * longer name of letters after those of a shorter one. */
static int compare_names(const void *a, const void *b)
{
	const struct device *x = a, *y = b;
	size_t letters_x = strcspn(x->name, "0123456789"),
	       letters_y = strcspn(y->name, "0123456789");

	if (letters_x != letters_y && strncmp(x->name, y->name, 2) == 0)
		return letters_x < letters_y ? -1 : 1;
	return strverscmp(x->name, y->name);
}

static unsigned count_names(const struct device_roots *roots)
{
	autodir dir = sysfs_open(roots, "/class/block", "");
	unsigned count = 0;

	while (dir && count < DISKS_MAX && sysfs_next(dir))
		count++;
	return count;
}

/* Devices that go away between the listing and the look are left out. */
int device_load_disks(struct arena *arena, const struct device_roots *roots,
		      struct device_list *ret_disks)
{
	struct device_list disks = {.items = NULL};
	unsigned limit = count_names(roots);
	const char *name;

	disks.items = arena_array(arena, struct device, limit + 1);
	autodir dir = sysfs_open(roots, "/class/block", "");
	if (!dir)
		return -errno;
	while (disks.count < limit && (name = sysfs_next(dir))) {
		if (is_whole_and_visible(roots, name) &&
		    device_load(&disks.items[disks.count], name, roots) == 0)
			disks.count++;
	}
	qsort(disks.items, disks.count, sizeof(*disks.items), compare_names);
	*ret_disks = disks;
	return 0;
}

int device_from_name(struct device *ret_device, const char *name,
		     const struct device_roots *roots, struct err *err)
{
	struct device_list disks = {.count = 0};
	struct arena arena;
	int rc = device_load(ret_device, name, roots);

	if (rc < 0)
		return err_env(err, rc, "%s/class/block has no device \"%s\"", roots->sys,
			       name);
	arena_init(&arena);
	if (ret_device->serial[0] && !identity_is_attached(ret_device))
		(void)device_load_disks(&arena, roots, &disks);
	identity_set_token(ret_device, disks.items, disks.count);
	arena_done(&arena);
	return 0;
}

int device_from_number(struct device *ret_device, dev_t number,
		       const struct device_roots *roots, struct err *err)
{
	char link[64], folder[300], *name;
	int rc;

	TEXT_SET(link, "%u:%u", major(number), minor(number));
	rc = sysfs_resolve(roots, "/dev/block", link, folder, sizeof(folder));
	if (rc < 0)
		return err_env(err, rc, "the block device %s is not in %s/dev/block", link,
			       roots->sys);
	name = strrchr(folder, '/') + 1;
	return device_from_name(ret_device, name, roots, err);
}

bool device_is_serial(const char *text)
{
	return str_starts(text, "serial:");
}

static bool device_answers_to(const struct device *device, const char *serial)
{
	char clean[160], wanted[160];

	assert(device);
	identity_clean(wanted, sizeof(wanted), serial);
	if (!wanted[0])
		return false;
	if (str_equal(device->token, serial) || str_equal(device->token, wanted))
		return true;
	if (device->kind == DEVICE_PARTITION)
		return false;
	identity_clean(clean, sizeof(clean), device->serial);
	if (str_equal(clean, wanted))
		return true;
	identity_clean(clean, sizeof(clean), device->wwid);
	return str_equal(clean, wanted);
}

/* The first of several paths to one disk (equal WWID) is as good as the others. */
static int device_from_serial(struct device *ret_device, const char *serial,
			      const struct device_roots *roots, struct err *err)
{
	struct device_list list = {.count = 0};
	const struct device *found = NULL;
	struct arena arena;
	int rc;

	arena_init(&arena);
	rc = device_list(&arena, false, roots, &list, err);
	for (unsigned i = 0; rc == 0 && i < list.count; i++) {
		const struct device *item = &list.items[i];

		if (!device_answers_to(item, serial))
			continue;
		if (!found)
			found = item;
		else if (!item->wwid[0] || !str_equal(item->wwid, found->wwid))
			rc = err_input(err,
				       "serial:%s: %s and %s both have it: give the path "
				       "instead, or the WWID",
				       serial, found->path, item->path);
	}
	if (rc == 0 && !found)
		rc = err_env(err, -ENODEV,
			     "serial:%s: no drive has this serial (see assay targets)", serial);
	if (rc == 0 && found)
		*ret_device = *found;
	arena_done(&arena);
	return rc;
}

static const char *mode_name(mode_t mode)
{
	if (S_ISDIR(mode))
		return N_("a directory");
	if (S_ISCHR(mode))
		return N_("a character device");
	if (S_ISREG(mode))
		return N_("a regular file");
	return S_ISFIFO(mode) ? N_("a pipe") : N_("a socket");
}

int device_from_path(struct device *ret_device, const char *text,
		     const struct device_roots *roots, struct err *err)
{
	struct stat st;

	if (device_is_serial(text))
		return device_from_serial(ret_device, text + strlen("serial:"), roots, err);
	if (stat(text, &st) < 0)
		return err_env(err, -errno, "%s: %s", text, err_name(errno));
	if (!S_ISBLK(st.st_mode))
		return err_set(err, ERR_INPUT, -ENOTBLK, "%s is %s, not a block device", text,
			       mode_name(st.st_mode));
	return device_from_number(ret_device, st.st_rdev, roots, err);
}
