/* Commands to a drive itself, past the block layer: the few for which no program is worth
 * running. All only read but the one that says so. For device/ alone. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

/* 0, -errno of the system (-EACCES, -ENODEV), or -EIO: the drive refused the command. */
int passthrough_nvme_log(const struct device *device, const struct device_roots *roots,
			 uint8_t page, void *ret_bytes, uint32_t size_bytes);
/* CNS of identify: a namespace, the controller, the namespaces that are allocated. */
enum { NVME_CNS_NAMESPACE = 0x00, NVME_CNS_CONTROLLER = 0x01, NVME_CNS_ALLOCATED = 0x10 };
#define NVME_IDENTIFY_BYTES 4096
int passthrough_nvme_identify(const struct device *device, const struct device_roots *roots,
			      uint32_t cns, uint32_t nsid,
			      uint8_t ret_data[NVME_IDENTIFY_BYTES]);
int passthrough_nvme_feature(const struct device *device, const struct device_roots *roots,
			     uint8_t feature, uint32_t *ret_value);
/* Changes the drive: until its next reset, for no feature is saved. */
int passthrough_nvme_set_feature(const struct device *device, const struct device_roots *roots,
				 uint8_t feature, uint32_t value);

/* MODE SENSE of one page, its current values: the page's own bytes, its header left out. The
 * number of bytes, or as above. */
int passthrough_scsi_mode_page(const struct device *device, const struct device_roots *roots,
			       uint8_t page, uint8_t *ret_bytes, size_t size_bytes);
