/*
 * The kernel's own counters of a block device (/sys/dev/block/M:N/stat, Documentation/block/
 * stat.rst), as a snapshot and as a difference. Two system calls and some arithmetic: cheap
 * enough for once a second, not for the data plane. Bytes are the kernel's 512-byte sectors
 * times 512. A difference is only meaningful between snapshots of one attachment.
 */
#pragma once

#include "device/device.h"

struct counters_direction {
	uint64_t ios, merges, bytes;
	uint64_t busy_ms; /* sum of the requests' times */
};

struct device_counters {
	uint64_t at_ns; /* CLOCK_MONOTONIC; in a difference the span */
	struct counters_direction read, write, discard;
	uint64_t flush_ios, flush_busy_ms;
	uint64_t in_flight;	     /* in a difference: as of the later snapshot */
	uint64_t active_ms;	     /* time with at least one request in flight */
	uint64_t queue_ms;	     /* in_flight integrated over time: / span = mean depth */
	bool has_discard, has_flush; /* the kernel counts them (4.18, 5.5) */
};

/* 0, or -errno: -ENODEV when the device has gone. */
int counters_read(struct device_counters *ret_counters, const struct device *device,
		  const struct device_roots *roots);
/* Parses the text of a stat file; false when it has fewer than 11 numbers. */
bool counters_parse(struct device_counters *ret_counters, const char *text);
/* after - before, field by field; what went backwards (a device that came anew) is 0. */
void counters_difference(const struct device_counters *before,
			 const struct device_counters *after,
			 struct device_counters *ret_difference);
/* Adds `more` to `sum`, for the members of a stack. Times are summed too (divide by the number
 * of members); at_ns is the later one. */
void counters_add(struct device_counters *sum, const struct device_counters *more);

/* Looks twice, `window_ms` apart (it sleeps), for I/O that is not ours: the bytes and ios of
 * that window. To be called before a run starts. */
int counters_watch(struct device_counters *ret_difference, const struct device *device,
		   unsigned window_ms, const struct device_roots *roots);
