/*
 * Is a drive still the one that a plan began with? Read again before and after every step: one
 * that changed model, serial number, firmware or size stops the plan (a firmware update, a
 * capacity set by the host, another drive in the slot), for figures before and after are not of
 * one thing.
 */
#pragma once

#include "device/device.h"

/* Pure. 0, or -ESTALE (ERR_ENVIRONMENT) that names each of the four that differs, with both
 * values. What one of the two does not know is no difference. */
int device_compare(const struct device *before, const struct device *after, struct err *err);

/* Reads `before->name` again; *ret_now is filled where that succeeded, also when it differs.
 * -ENODEV: it is gone. */
int device_check_same(const struct device *before, const struct device_roots *roots,
		      struct device *ret_now, struct err *err);
