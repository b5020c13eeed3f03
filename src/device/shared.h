/*
 * What two targets share on their way to the CPU, so that one may slow the other down: the drive
 * itself (partitions of it, files on it, loops and stacks above it), else the USB bus or the PCI
 * function (a controller, or a switch) that both hang below. What a hypervisor or a network shares
 * cannot be seen from here.
 */
#pragma once

#include "device/device.h"

#define SHARED_TEXT_BYTES 200

/* Of two drives. `ret_text`: "the drive sda", "the PCI function 0000:00:17.0 (8.0
 * GT/s x4)". False: nothing that is known. */
bool device_share(const struct device *a, const struct device *b,
		  const struct device_roots *roots, char ret_text[SHARED_TEXT_BYTES]);
/* The same of all drives below two paths, of devices or files. */
bool device_shared(const char *a, const char *b, const struct device_roots *roots,
		   char ret_text[SHARED_TEXT_BYTES]);
