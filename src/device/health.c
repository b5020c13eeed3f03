#include "device/health.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"
#include "base/program.h"
#include "base/quantity.h"
#include "base/str.h"
#include "device/passthrough_priv.h"
#include "device/sysfs_priv.h"

#define SMARTCTL_LIMIT_NS (60 * NS_PER_S) /* a disk that is busy answers late */
#define SMARTCTL_FAILED	  3		  /* bits 0 and 1: command line, open */
#define OCP_LOG_PAGE	  0xC0

const struct health_field_info health_fields[NHEALTH] = {
	[HEALTH_HOST_READ_BYTES] = {"host_read_bytes", "B", "read by the host", true},
	[HEALTH_HOST_WRITTEN_BYTES] = {"host_written_bytes", "B", "written by the host", true},
	[HEALTH_NAND_WRITTEN_BYTES] = {"nand_written_bytes", "B", "written to the flash", true},
	[HEALTH_HOST_READS] = {"host_reads", "", "read commands", true},
	[HEALTH_HOST_WRITES] = {"host_writes", "", "write commands", true},
	[HEALTH_USED_PPM] = {"used_ppm", "ppm", "rated life used", false},
	[HEALTH_SPARE_PERCENT] = {"spare_percent", "%", "spare left", false},
	[HEALTH_SPARE_THRESHOLD_PERCENT] = {"spare_threshold_percent", "%",
					    "spare is low below", false},
	[HEALTH_TEMPERATURE_MC] = {"temperature_mc", "mC", "temperature", false},
	[HEALTH_POWER_ON_HOURS] = {"power_on_hours", "h", "powered on", true},
	[HEALTH_POWER_CYCLES] = {"power_cycles", "", "power cycles", true},
	[HEALTH_UNSAFE_SHUTDOWNS] = {"unsafe_shutdowns", "", "unsafe shutdowns", true},
	[HEALTH_MEDIA_ERRORS] = {"media_errors", "", "media errors", true},
	[HEALTH_ERROR_LOG_ENTRIES] = {"error_log_entries", "", "entries in its error log",
				      true},
	[HEALTH_REALLOCATED] = {"reallocated", "", "reallocated sectors", true},
	[HEALTH_PENDING] = {"pending", "", "sectors that wait for reallocation", false},
	[HEALTH_LINK_ERRORS] = {"link_errors", "", "CRC errors of the link", true},
	[HEALTH_CRITICAL_WARNING] = {"critical_warning", "", "critical warning", false},
	[HEALTH_HOT_MINUTES] = {"hot_minutes", "min", "above the warning temperature", true},
	[HEALTH_CRITICAL_MINUTES] = {"critical_minutes", "min",
				     "above the critical temperature", true},
	[HEALTH_THROTTLED_NS] = {"throttled_ns", "ns", "throttled by heat", true},
};

void health_init(struct health *ret_health, const char *why_not)
{
	*ret_health = (struct health){.passed = ANSWER_UNKNOWN};
	TEXT_SET(ret_health->why_not, "%s", why_not);
	for (unsigned i = 0; i < NHEALTH; i++)
		ret_health->value[i] = HEALTH_UNKNOWN;
}

void health_format(enum health_field field, int64_t value, char *ret_text, size_t size_bytes)
{
	const char *unit = health_fields[field].unit;
	autostr text = {0};

	if (value == HEALTH_UNKNOWN)
		str_add(&text, "unknown");
	else if (str_equal(unit, "B"))
		quantity_decimal((uint64_t)value, &text);
	else if (str_equal(unit, "mC"))
		str_printf(&text, "%.0f C", (double)value / 1000);
	else if (str_equal(unit, "ppm"))
		str_printf(&text, "%.6g %%", (double)value / 1e4);
	else if (str_equal(unit, "ns"))
		str_printf(&text, "%.3f s", (double)value / 1e9);
	else
		str_printf(&text, "%" PRId64 "%s%s", value, *unit ? " " : "", unit);
	text_set(ret_text, size_bytes, "%s", str_text(&text));
}

void health_difference(const struct health *before, const struct health *after,
		       struct health *ret_difference)
{
	struct health d = *after;

	for (unsigned i = 0; i < NHEALTH; i++) {
		int64_t was = before->value[i], is = after->value[i];

		if (!health_fields[i].counts)
			continue;
		d.value[i] = was == HEALTH_UNKNOWN || is == HEALTH_UNKNOWN || is < was
				     ? HEALTH_UNKNOWN
				     : is - was;
	}
	*ret_difference = d;
}

double health_write_amplification(const struct health *difference)
{
	int64_t host = difference->value[HEALTH_HOST_WRITTEN_BYTES];
	int64_t nand = difference->value[HEALTH_NAND_WRITTEN_BYTES];

	return host > 0 && nand > 0 ? (double)nand / (double)host : 0;
}

/* OCP Datacenter NVMe SSD specification, SMART / Health Information Extended: the GUID of log
 * page C0h at byte 496, least significant byte first; the first 16 bytes are the bytes written
 * to the media. */
bool health_parse_ocp(struct health *health, const void *page)
{
	static const uint8_t guid[16] = {0xC5, 0xAF, 0x10, 0x28, 0xEA, 0xBF, 0xF2, 0xA4,
					 0x9C, 0x4F, 0x6F, 0x7C, 0xC9, 0x14, 0xD5, 0xAF};
	const uint8_t *bytes = page;
	uint64_t written = 0, high = 0;

	if (memcmp(bytes + HEALTH_OCP_BYTES - sizeof(guid), guid, sizeof(guid)) != 0)
		return false;
	for (unsigned i = 0; i < 8; i++) {
		written |= (uint64_t)bytes[i] << (8 * i);
		high |= bytes[8 + i];
	}
	if (high || written > INT64_MAX)
		return false;
	health->value[HEALTH_NAND_WRITTEN_BYTES] = (int64_t)written;
	return true;
}

/* --- asking a drive --- */

static void ask_ocp(struct health *health, const struct device *device,
		    const struct device_roots *roots)
{
	uint8_t page[HEALTH_OCP_BYTES] = {0};

	if (passthrough_nvme_log(device, roots, OCP_LOG_PAGE, page, sizeof(page)) == 0 &&
	    health_parse_ocp(health, page)) {
		size_t length = strlen(health->source);

		text_set(health->source + length, sizeof(health->source) - length,
			 ", OCP log page C0h");
	}
}

/* Has the kernel drivers for it that pass commands to the drive? */
static bool has_hardware(const struct device *device)
{
	switch (device->interface) {
	case INTERFACE_NVME:
	case INTERFACE_SATA:
	case INTERFACE_SAS:
	case INTERFACE_SCSI:
	case INTERFACE_USB:
		return true;
	case INTERFACE_UNKNOWN:
	case INTERFACE_MMC:
	case INTERFACE_VIRTIO:
	case INTERFACE_XEN:
	case INTERFACE_VIRTUAL:
	case NINTERFACE:
		break;
	}
	return false;
}

static void ask_smartctl(struct health *health, const char *path)
{
	/* Not one that sleeps: spinning it up costs seconds and a wish of its owner. */
	const char *const argv[] = {"smartctl", "--json=c", "--nocheck=standby",
				    "-x",	path,	    NULL};
	autoprogram end = {0};
	struct err err = {0};
	char said[120];

	if (program_run(argv, SMARTCTL_LIMIT_NS, &end, &err) < 0) {
		health_init(health, err.text);
		if (err.code == -ENOENT)
			health_init(health,
				    "smartctl is not installed (package smartmontools)");
		return;
	}
	if (health_parse(health, str_text(&end.out), end.out.length, &err) < 0) {
		health_init(health, "");
		TEXT_SET(health->why_not, "smartctl: %s",
			 program_complaint(&end, said, sizeof(said)));
	} else if ((end.status & SMARTCTL_FAILED) && !health->why_not[0]) {
		TEXT_SET(health->why_not, "smartctl could not ask it (exit status %d)",
			 end.status);
	}
}

void health_read(struct health *ret_health, const struct device *device,
		 const struct device_roots *roots)
{
	const char *name = device->parent[0] ? device->parent : device->name;
	char path[200];
	struct timespec now;

	if (!has_hardware(device)) {
		health_init(ret_health, "");
		TEXT_SET(ret_health->why_not, "%s (%s) has no health log", name,
			 device->interface == INTERFACE_VIRTUAL
				 ? device_kind_name(device->kind)
				 : device_interface_name(device->interface));
		return;
	}
	TEXT_SET(path, "%s/%s", roots->dev, name);
	ask_smartctl(ret_health, path);
	if (clock_gettime(CLOCK_REALTIME, &now) == 0)
		ret_health->at_unix_ns =
			(uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
	if (device->interface == INTERFACE_NVME && !ret_health->why_not[0])
		ask_ocp(ret_health, device, roots);
}
