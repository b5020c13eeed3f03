#include "device/passthrough_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "device/sysfs_priv.h"

#define TIMEOUT_MS 30000

/* NVM Express base 2.0, figure 138: admin commands. */
#define NVME_SET_FEATURES 0x09
#define NVME_GET_LOG_PAGE 0x02
#define NVME_IDENTIFY	  0x06
#define NVME_GET_FEATURES 0x0A
#define NVME_ALL	  0xFFFFFFFFu

/* SPC-4, 6.12: MODE SENSE(10), its header of 8 bytes, no block descriptors (DBD). */
#define SCSI_MODE_SENSE_10 0x5A
#define SCSI_DBD	   0x08
#define MODE_HEADER_BYTES  8
#define MODE_LIMIT_BYTES   252
#define MODE_PAGE_BITS	   0x3F

/* Of a partition the disk. */
static int open_disk(const struct device *device, const struct device_roots *roots)
{
	char path[200];
	int fd;

	TEXT_SET(path, "%s/%s", roots->dev, device_drive_name(device));
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static int nvme_admin(const struct device *device, const struct device_roots *roots,
		      struct nvme_admin_cmd *command)
{
	autofd fd = open_disk(device, roots);
	int status;

	if (fd < 0)
		return fd;
	command->timeout_ms = TIMEOUT_MS;
	status = ioctl(fd, NVME_IOCTL_ADMIN_CMD, command);
	if (status < 0)
		return -errno;
	return status ? -EIO : 0;
}

static uint64_t address(const void *bytes)
{
	return (uint64_t)(uintptr_t)bytes;
}

int passthrough_nvme_log(const struct device *device, const struct device_roots *roots,
			 uint8_t page, void *ret_bytes, uint32_t size_bytes)
{
	struct nvme_admin_cmd command = {
		.opcode = NVME_GET_LOG_PAGE,
		.nsid = NVME_ALL,
		.addr = address(ret_bytes),
		.data_len = size_bytes,
		.cdw10 = (size_bytes / 4 - 1) << 16 | page, /* dwords, 0's based */
	};

	return nvme_admin(device, roots, &command);
}

int passthrough_nvme_identify(const struct device *device, const struct device_roots *roots,
			      uint32_t cns, uint32_t nsid,
			      uint8_t ret_data[NVME_IDENTIFY_BYTES])
{
	struct nvme_admin_cmd command = {
		.opcode = NVME_IDENTIFY,
		.nsid = nsid,
		.addr = address(ret_data),
		.data_len = NVME_IDENTIFY_BYTES,
		.cdw10 = cns,
	};

	return nvme_admin(device, roots, &command);
}

int passthrough_nvme_feature(const struct device *device, const struct device_roots *roots,
			     uint8_t feature, uint32_t *ret_value)
{
	struct nvme_admin_cmd command = {.opcode = NVME_GET_FEATURES, .cdw10 = feature};
	int rc = nvme_admin(device, roots, &command);

	if (rc == 0)
		*ret_value = command.result;
	return rc;
}

int passthrough_nvme_set_feature(const struct device *device, const struct device_roots *roots,
				 uint8_t feature, uint32_t value)
{
	struct nvme_admin_cmd command = {
		.opcode = NVME_SET_FEATURES, .cdw10 = feature, .cdw11 = value};

	return nvme_admin(device, roots, &command);
}

int passthrough_scsi_mode_page(const struct device *device, const struct device_roots *roots,
			       uint8_t page, uint8_t *ret_bytes, size_t size_bytes)
{
	uint8_t answer[MODE_LIMIT_BYTES] = {0}, sense[32];
	uint8_t command[10] = {SCSI_MODE_SENSE_10, SCSI_DBD, page, [8] = MODE_LIMIT_BYTES};
	struct sg_io_hdr io = {
		.interface_id = 'S',
		.dxfer_direction = SG_DXFER_FROM_DEV,
		.cmd_len = sizeof(command),
		.cmdp = command,
		.dxfer_len = sizeof(answer),
		.dxferp = answer,
		.mx_sb_len = sizeof(sense),
		.sbp = sense,
		.timeout = TIMEOUT_MS,
	};
	const uint8_t *found;
	size_t skip, length;
	autofd fd = open_disk(device, roots);

	if (fd < 0)
		return fd;
	if (ioctl(fd, SG_IO, &io) < 0)
		return -errno;
	if (io.status || io.host_status || io.driver_status)
		return -EIO;
	skip = MODE_HEADER_BYTES + (size_t)(answer[6] << 8 | answer[7]); /* descriptors */
	if (skip + 2 > sizeof(answer) || (answer[skip] & MODE_PAGE_BITS) != page)
		return -EIO;
	found = answer + skip;
	length = min_u64(found[1] + 2u, sizeof(answer) - skip);
	length = min_u64(length, size_bytes);
	memcpy(ret_bytes, found, length);
	return (int)length;
}
