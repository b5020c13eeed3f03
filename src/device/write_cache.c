/*
 * SCSI's mode page is read by SG_IO, which asks the drive, and written by the kernel's
 * cache_type attribute, which sends the MODE SELECT and keeps the kernel's own view in step.
 */
#include "device/write_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/str.h"
#include "device/passthrough_priv.h"
#include "device/sysfs_priv.h"

#define FEATURE_WRITE_CACHE 0x06 /* NVM Express base 2.0, 5.27.1.4: bit 0 */
#define IDENTIFY_VWC	    525	 /* identify controller: bit 0, a volatile cache is there */
#define CACHING_PAGE	    0x08 /* SBC-3, 6.5.5: byte 2, bit 2 is WCE */
#define CACHING_WCE	    0x04

static int why(struct err *err, int rc, const char *what)
{
	if (rc == -EIO || rc == -ENOTTY || rc == -EINVAL)
		return err_env(err, -EOPNOTSUPP, "%s does not tell or take it", what);
	if (rc == -EACCES || rc == -EPERM)
		return err_env(err, rc, "%s: %s; this needs root", what, err_name(rc));
	return err_env(err, rc, "%s: %s", what, err_name(rc));
}

static int nvme_read(const struct device *device, const struct device_roots *roots,
		     enum answer *ret_on, struct err *err)
{
	uint8_t identify[NVME_IDENTIFY_BYTES] = {0};
	uint32_t value;
	int rc = passthrough_nvme_identify(device, roots, NVME_CNS_CONTROLLER, 0, identify);

	if (rc < 0)
		return why(err, rc, N_("the NVMe controller"));
	if (!(identify[IDENTIFY_VWC] & 1))
		return err_env(err, -EOPNOTSUPP, "the drive has no volatile write cache");
	rc = passthrough_nvme_feature(device, roots, FEATURE_WRITE_CACHE, &value);
	if (rc < 0)
		return why(err, rc, N_("NVMe's feature 06h"));
	*ret_on = value & 1 ? ANSWER_YES : ANSWER_NO;
	return 0;
}

static int scsi_read(const struct device *device, const struct device_roots *roots,
		     enum answer *ret_on, struct err *err)
{
	uint8_t page[20];
	int rc = passthrough_scsi_mode_page(device, roots, CACHING_PAGE, page, sizeof(page));

	if (rc < 0)
		return why(err, rc, N_("the caching mode page"));
	if (rc < 3)
		return why(err, -EIO, N_("the caching mode page"));
	*ret_on = page[2] & CACHING_WCE ? ANSWER_YES : ANSWER_NO;
	return 0;
}

static int nvme_set(const struct device *device, bool on, const struct device_roots *roots,
		    struct err *err)
{
	int rc = passthrough_nvme_set_feature(device, roots, FEATURE_WRITE_CACHE, on);

	return rc < 0 ? why(err, rc, N_("NVMe's feature 06h")) : 0;
}

/* The folder below the drive's scsi_disk, named for its address: "0:0:1:0". */
static int scsi_set(const struct device *device, bool on, const struct device_roots *roots,
		    struct err *err)
{
	const char *text = on ? "write back" : "write through", *name;
	char folder[400], path[SYSFS_PATH_BYTES];
	ssize_t n;

	TEXT_SET(folder, "/class/block/%s/device/scsi_disk", device->name);
	autodir dir = sysfs_open(roots, folder, "");
	name = dir ? sysfs_next(dir) : NULL;
	if (!name)
		return err_env(err, -EOPNOTSUPP, "the kernel has no scsi_disk for it");
	TEXT_SET(path, "%s%s/%s/cache_type", roots->sys, folder, name);
	autofd fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return why(err, -errno, "cache_type");
	n = write(fd, text, strlen(text));
	return n < 0 ? why(err, -errno, "cache_type") : 0;
}

/* The two ways, by interface. */
static const struct way {
	int (*read)(const struct device *device, const struct device_roots *roots,
		    enum answer *ret_on, struct err *err);
	int (*set)(const struct device *device, bool on, const struct device_roots *roots,
		   struct err *err);
} ways[NINTERFACE] = {
	[INTERFACE_NVME] = {nvme_read, nvme_set}, [INTERFACE_SATA] = {scsi_read, scsi_set},
	[INTERFACE_SAS] = {scsi_read, scsi_set},  [INTERFACE_SCSI] = {scsi_read, scsi_set},
	[INTERFACE_USB] = {scsi_read, scsi_set},
};

static const struct way *way_of(const struct device *device, struct err *err)
{
	const struct way *way = &ways[device->interface];

	if (way->read)
		return way;
	(void)err_env(err, -EOPNOTSUPP, "%s has no write cache of a drive's",
		      device->kind == DEVICE_DISK ? device_interface_name(device->interface)
						  : device_kind_name(device->kind));
	return NULL;
}

enum answer write_cache_read(const struct device *device, const struct device_roots *roots,
			     struct err *ret_why)
{
	const struct way *way = way_of(device, ret_why);
	enum answer on = ANSWER_UNKNOWN;

	if (way)
		(void)way->read(device, roots, &on, ret_why);
	return on;
}

int write_cache_set(const struct device *device, bool on, const struct device_roots *roots,
		    struct err *err)
{
	const struct way *way = way_of(device, err);
	enum answer now = ANSWER_UNKNOWN;
	int rc = way ? way->set(device, on, roots, err) : -EOPNOTSUPP;

	if (rc == 0)
		rc = way->read(device, roots, &now, err);
	if (rc == 0 && now != (on ? ANSWER_YES : ANSWER_NO))
		rc = err_env(err, -EIO, "the drive took the command and did not switch");
	if (rc < 0)
		err_context(err,
			    on ? N_("%s: its write cache cannot be switched on")
			       : N_("%s: its write cache cannot be switched off"),
			    device->path);
	return rc;
}

static int disk_of(const struct device *device, const struct device_roots *roots,
		   struct device *ret_disk, struct err *err)
{
	if (device->parent[0])
		return device_from_name(ret_disk, device->parent, roots, err);
	*ret_disk = *device;
	return 0;
}

int write_cache_hold(struct write_cache_hold *ret_hold, const struct device *device, bool on,
		     const char *state_folder, const struct device_roots *roots,
		     struct err *err)
{
	struct write_cache_hold hold = {.changed = false};
	enum answer now;
	int rc = disk_of(device, roots, &hold.disk, err);

	*ret_hold = hold;
	if (rc < 0)
		return rc;
	now = write_cache_read(&hold.disk, roots, err);
	if (now == ANSWER_UNKNOWN) {
		err_context(err,
			    on ? N_("%s: its write cache cannot be switched on")
			       : N_("%s: its write cache cannot be switched off"),
			    hold.disk.path);
		return -EOPNOTSUPP;
	}
	if ((now == ANSWER_YES) == on) {
		*ret_hold = hold;
		return 0;
	}
	if (!state_folder)
		return err_env(
			err, -ENOENT,
			"%s: its write cache is left as it is: without a home folder what "
			"it was could not be noted",
			hold.disk.path);
	hold.undo.kind = UNDO_WRITE_CACHE;
	TEXT_SET(hold.undo.value, "%s", on ? "off" : "on");
	rc = undo_note(state_folder, &hold.disk, roots, &hold.undo, err);
	if (rc < 0)
		return rc;
	hold.changed = true;
	rc = write_cache_set(&hold.disk, on, roots, err);
	if (rc < 0)
		(void)write_cache_release(&hold, roots, NULL); /* the note stays if it fails */
	*ret_hold = hold;
	return rc;
}

int write_cache_release(struct write_cache_hold *hold, const struct device_roots *roots,
			struct err *err)
{
	int rc;

	if (!hold->changed)
		return 0;
	rc = write_cache_set(&hold->disk, str_equal(hold->undo.value, "on"), roots, err);
	if (rc < 0)
		return rc; /* noted: the next command tries again */
	hold->changed = false;
	return undo_forget(&hold->undo, err);
}
