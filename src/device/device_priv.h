/* The parts of device_from_name, for device/ alone. */
#pragma once

#include "device/device.h"

/* Model, serial, WWID and firmware of the disk whose sysfs folder is `folder`. */
void identity_load(struct device *device, const char *folder, const struct device_roots *roots);
/* Its serial is none that a person could type or a maker gave: attached.h. */
bool identity_is_attached(const struct device *device);
/* `device` has its identity; `peers` are all whole disks of the machine (itself among them). */
void identity_set_token(struct device *device, const struct device *peers, unsigned npeers);
/* Letters, digits and "-_.:" stay, runs of others become one '_'. */
void identity_clean(char *ret_clean, size_t size_bytes, const char *text);

void link_load(struct device *device, const char *folder, const struct device_roots *roots);
/* "8.0 GT/s PCIe" and 4 lanes: bytes a second after the line code; 0 for an unknown speed. */
uint64_t link_pcie_bytes_per_s(const char *speed, unsigned lanes);

/* Everything but the token. */
int device_load(struct device *ret_device, const char *name, const struct device_roots *roots);
/* Kernel names of the whole disks that are not hidden. */
int device_load_disks(struct arena *arena, const struct device_roots *roots,
		      struct device_list *ret_disks);
