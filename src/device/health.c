#include "device/health.h"

#include <inttypes.h>
#include <string.h>

#include "base/lang.h"
#include "base/quantity.h"
#include "base/str.h"
#include "device/sysfs_priv.h"

const struct health_field_info health_fields[NHEALTH] = {
	[HEALTH_HOST_READ_BYTES] = {"host_read_bytes", "B", N_("read by the host"), true},
	[HEALTH_HOST_WRITTEN_BYTES] = {"host_written_bytes", "B", N_("written by the host"),
				       true},
	[HEALTH_NAND_WRITTEN_BYTES] = {"nand_written_bytes", "B", N_("written to the flash"),
				       true},
	[HEALTH_HOST_READS] = {"host_reads", "", N_("read commands"), true},
	[HEALTH_HOST_WRITES] = {"host_writes", "", N_("write commands"), true},
	[HEALTH_USED_PPM] = {"used_ppm", "ppm", N_("rated life used"), false},
	[HEALTH_SPARE_PERCENT] = {"spare_percent", "%", N_("spare left"), false},
	[HEALTH_SPARE_THRESHOLD_PERCENT] = {"spare_threshold_percent", "%",
					    N_("spare is low below"), false},
	[HEALTH_TEMPERATURE_MC] = {"temperature_mc", "mC", N_("temperature"), false},
	[HEALTH_POWER_ON_HOURS] = {"power_on_hours", "h", N_("powered on"), true},
	[HEALTH_POWER_CYCLES] = {"power_cycles", "", N_("power cycles"), true},
	[HEALTH_UNSAFE_SHUTDOWNS] = {"unsafe_shutdowns", "", N_("unsafe shutdowns"), true},
	[HEALTH_MEDIA_ERRORS] = {"media_errors", "", N_("media errors"), true},
	[HEALTH_ERROR_LOG_ENTRIES] = {"error_log_entries", "", N_("entries in its error log"),
				      true},
	[HEALTH_REALLOCATED] = {"reallocated", "", N_("reallocated sectors"), true},
	[HEALTH_PENDING] = {"pending", "", N_("sectors that wait for reallocation"), false},
	[HEALTH_LINK_ERRORS] = {"link_errors", "", N_("CRC errors of the link"), true},
	[HEALTH_CRITICAL_WARNING] = {"critical_warning", "", N_("critical warning"), false},
	[HEALTH_HOT_MINUTES] = {"hot_minutes", "min", N_("above the warning temperature"),
				true},
	[HEALTH_CRITICAL_MINUTES] = {"critical_minutes", "min",
				     N_("above the critical temperature"), true},
	[HEALTH_THROTTLED_NS] = {"throttled_ns", "ns", N_("throttled by heat"), true},
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
