/*
 * Who a thing without a serial number is: a file by its inode and time of birth, a loop device by
 * the file behind it, a mapped or assembled one by its UUID, or by what it is made of. These stand
 * in struct device as its serial, so that another file behind /dev/loop3 is another drive; they are
 * no tokens (a token is what a person types). A zram is known from when it was added to when it is
 * removed: that it was reset meanwhile leaves no trace.
 */
#pragma once

#include <stddef.h>

#include "device/device.h"

/* "inode 131 born 1796092673.288412345"; where the file system has no births, of its device; "" if
 * it is no file, or not there. */
void file_identity(const char *path, char *ret_text, size_t size_bytes);

/* Whether two serials are of one thing: equal, or of one inode, of which one of them does not know
 * the birth (the name of a file behind a loop device was removed). */
bool attached_same(const char *before, const char *after);

/* Fills device->serial, unless the device has one; `name` and `folder` are the whole device's. */
void attached_identity(struct device *device, const char *name, const char *folder,
		       const struct device_roots *roots);
