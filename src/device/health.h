/*
 * What a drive says of its own state, and how much it has been through: one set of fields for
 * SATA, SAS, USB, NVMe and simulated drives. Real ones are asked by `smartctl --json`, whose
 * drive database knows the vendors' attributes; the bytes that an NVMe drive wrote to its flash
 * come from the OCP log page C0h, where it has one.
 *
 * What a drive does not tell is HEALTH_UNKNOWN, never 0. Plain values, copied freely.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

enum health_field {
	HEALTH_HOST_READ_BYTES,
	HEALTH_HOST_WRITTEN_BYTES,
	HEALTH_NAND_WRITTEN_BYTES, /* to the flash: what write amplification is taken from */
	HEALTH_HOST_READS,	   /* commands */
	HEALTH_HOST_WRITES,
	HEALTH_USED_PPM, /* of the rated life; may go beyond 1,000,000 */
	HEALTH_SPARE_PERCENT,
	HEALTH_SPARE_THRESHOLD_PERCENT,
	HEALTH_TEMPERATURE_MC, /* thousandths of a degree C */
	HEALTH_POWER_ON_HOURS,
	HEALTH_POWER_CYCLES,
	HEALTH_UNSAFE_SHUTDOWNS,
	HEALTH_MEDIA_ERRORS, /* data that could not be read back, as the drive counts it */
	HEALTH_ERROR_LOG_ENTRIES,
	HEALTH_REALLOCATED,	 /* sectors; of SAS the grown defects */
	HEALTH_PENDING,		 /* sectors that wait to be reallocated */
	HEALTH_LINK_ERRORS,	 /* CRC errors between host and drive */
	HEALTH_CRITICAL_WARNING, /* NVMe's bits; 0: none */
	HEALTH_HOT_MINUTES,	 /* above the warning temperature */
	HEALTH_CRITICAL_MINUTES, /* above the critical one */
	HEALTH_THROTTLED_NS,	 /* simulated drives */
	NHEALTH,
};
#define HEALTH_UNKNOWN INT64_MIN

struct health {
	uint64_t at_unix_ns; /* when it was asked; 0: never */
	/* "" unknown. Of USB bridges these are the drive's behind it. */
	char model[80], serial[80], firmware[32];
	char protocol[16];   /* "NVMe", "ATA", "SCSI", "simulated" */
	char source[80];     /* "smartctl 7.3", "sim:nvme-enterprise" */
	char why_not[200];   /* nothing could be asked, and why; "" */
	uint64_t size_bytes; /* 0 unknown */
	enum answer passed;  /* the drive's own overall verdict */
	int64_t value[NHEALTH];
};

/* The word of a field in JSON, tables and the store, its unit, and what it counts. */
struct health_field_info {
	const char *name;  /* "host_written_bytes" */
	const char *unit;  /* "B", "%", "ppm", "mC", "h", "min", "ns", "" */
	const char *title; /* "written by the host", for people */
	bool counts;	   /* only ever grows: a difference is what happened between */
};
extern const struct health_field_info health_fields[NHEALTH];

/* All unknown, with the reason. */
void health_init(struct health *ret_health, const char *why_not);
static inline bool health_knows(const struct health *health, enum health_field field)
{
	return health->value[field] != HEALTH_UNKNOWN;
}
/* The value with its unit, for people: "12.3 TB", "41 C", "3 %"; "unknown". */
void health_format(enum health_field field, int64_t value, char *ret_text, size_t size_bytes);

/*
 * Asks the drive (of a partition its disk). What cannot be told is in why_not and no error: no
 * smartctl, no permission, a device without hardware of its own. A drive is not woken up: one
 * in standby says so. Costs one or two processes, 10 to 300 ms.
 */
void health_read(struct health *ret_health, const struct device *device,
		 const struct device_roots *roots);

/* The same of a simulated drive, from its own log (drive_get_health). */
struct profile;
struct drive_health;
void health_of_sim(struct health *ret_health, const struct profile *profile,
		   const struct drive_health *log);

/* Pure: the JSON of `smartctl --json -x`. -EINVAL for what is none. */
int health_parse(struct health *ret_health, const char *text, size_t bytes, struct err *err);

/* Pure: the OCP log page C0h, 512 bytes. False where it is none, by its GUID. */
#define HEALTH_OCP_BYTES 512
bool health_parse_ocp(struct health *health, const void *page);

/* Pure: of fields that count the growth from before to after, of others the later value. What
 * either does not know, or what went backwards (a reset, another drive), is unknown. */
void health_difference(const struct health *before, const struct health *after,
		       struct health *ret_difference);
/* Bytes to the flash for each byte from the host; 0: cannot be told, and never 1 for that. */
double health_write_amplification(const struct health *difference);
