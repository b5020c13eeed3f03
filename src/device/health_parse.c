/*
 * The JSON of `smartctl --json -x` (7.0 and later; its keys are stable, new ones are added). Whole
 * numbers are read as doubles: drives report 64 and 128 bits, jansson has 63, and a double is
 * exact up to 2^53, which in bytes is more than a drive's life.
 *
 * Of what several places tell, the more standard one comes first: NVMe's health log and ATA's
 * device statistics (ACS-4, 9.5) before vendor attributes, whose meaning is the name that the
 * drive database gives them.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/str.h"
#include "device/health.h"
#include "device/sysfs_priv.h"

#define NVME_DATA_UNIT_BYTES 512000.0 /* NVM Express base 2.0, 5.16.1.3 */
#define PPM_OF_PERCENT	     10000.0
#define MC_OF_DEGREE	     1000.0
#define EXACT_LIMIT	     9.0e18 /* below INT64_MAX */

/* --- values by a path of keys --- */

static const json_t *at(const json_t *root, const char *path)
{
	while (root && *path) {
		char key[64];
		size_t length = strcspn(path, "/");

		TEXT_SET(key, "%.*s", (int)length, path);
		root = json_object_get(root, key);
		path += length + (path[length] == '/');
	}
	return root;
}

/* NAN for what is not there or is no number. */
static double number(const json_t *root, const char *path)
{
	const json_t *value = at(root, path);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void text(const json_t *root, const char *path, char *ret_text, size_t size_bytes)
{
	const char *found = json_string_value(at(root, path));

	if (found && *found && !ret_text[0]) {
		text_set(ret_text, size_bytes, "%s", found);
		text_trim(ret_text);
	}
}
#define TEXT(root, path, array) text(root, path, array, sizeof(array))

/* The first that is told counts; negative or beyond all reason is not told. */
static void set(struct health *health, enum health_field field, double value)
{
	bool may_be_negative = field == HEALTH_TEMPERATURE_MC;

	if (health_knows(health, field) || !isfinite(value) || value > EXACT_LIMIT ||
	    (value < 0 && !may_be_negative) || value < -EXACT_LIMIT)
		return;
	health->value[field] = (int64_t)llround(value);
}

/* --- what all protocols share --- */

static void parse_common(struct health *health, const json_t *root)
{
	const json_t *passed = at(root, "smart_status/passed");
	double bytes = number(root, "user_capacity/bytes");
	double major = number(json_array_get(at(root, "smartctl/version"), 0), "");
	double minor = number(json_array_get(at(root, "smartctl/version"), 1), "");

	TEXT(root, "device/protocol", health->protocol);
	TEXT(root, "model_name", health->model);
	TEXT(root, "scsi_model_name", health->model);
	TEXT(root, "serial_number", health->serial);
	TEXT(root, "firmware_version", health->firmware);
	TEXT(root, "scsi_revision", health->firmware);
	if (isfinite(bytes) && bytes > 0 && bytes < EXACT_LIMIT)
		health->size_bytes = (uint64_t)bytes;
	if (json_is_boolean(passed))
		health->passed = json_is_true(passed) ? ANSWER_YES : ANSWER_NO;
	if (isfinite(major) && isfinite(minor))
		TEXT_SET(health->source, "smartctl %.0f.%.0f", major, minor);
	else
		TEXT_SET(health->source, "smartctl");
}

/* After the protocol's own, which says it closer. */
static void parse_common_values(struct health *health, const json_t *root)
{
	double degrees = number(root, "temperature/current");
	bool is_scsi = str_equal(health->protocol, "SCSI");

	/* SCSI's log page says 0 where it has no sensor; no server stands at freezing point. */
	if (!(is_scsi && degrees == 0))
		set(health, HEALTH_TEMPERATURE_MC, degrees * MC_OF_DEGREE);
	set(health, HEALTH_POWER_ON_HOURS, number(root, "power_on_time/hours"));
	set(health, HEALTH_POWER_CYCLES, number(root, "power_cycle_count"));
	set(health, HEALTH_USED_PPM,
	    number(root, "endurance_used/current_percent") * PPM_OF_PERCENT);
	set(health, HEALTH_SPARE_PERCENT, number(root, "spare_available/current_percent"));
	set(health, HEALTH_SPARE_THRESHOLD_PERCENT,
	    number(root, "spare_available/threshold_percent"));
}

/* --- NVMe --- */

static void parse_nvme(struct health *health, const json_t *root)
{
	static const struct {
		enum health_field field;
		const char *key;
		double factor;
	} keys[] = {
		{HEALTH_HOST_READ_BYTES, "data_units_read", NVME_DATA_UNIT_BYTES},
		{HEALTH_HOST_WRITTEN_BYTES, "data_units_written", NVME_DATA_UNIT_BYTES},
		{HEALTH_HOST_READS, "host_reads", 1},
		{HEALTH_HOST_WRITES, "host_writes", 1},
		{HEALTH_USED_PPM, "percentage_used", PPM_OF_PERCENT},
		{HEALTH_SPARE_PERCENT, "available_spare", 1},
		{HEALTH_SPARE_THRESHOLD_PERCENT, "available_spare_threshold", 1},
		{HEALTH_TEMPERATURE_MC, "temperature", MC_OF_DEGREE},
		{HEALTH_POWER_ON_HOURS, "power_on_hours", 1},
		{HEALTH_POWER_CYCLES, "power_cycles", 1},
		{HEALTH_UNSAFE_SHUTDOWNS, "unsafe_shutdowns", 1},
		{HEALTH_MEDIA_ERRORS, "media_errors", 1},
		{HEALTH_ERROR_LOG_ENTRIES, "num_err_log_entries", 1},
		{HEALTH_CRITICAL_WARNING, "critical_warning", 1},
		{HEALTH_HOT_MINUTES, "warning_temp_time", 1},
		{HEALTH_CRITICAL_MINUTES, "critical_comp_time", 1},
	};
	const json_t *log = at(root, "nvme_smart_health_information_log");

	for (unsigned i = 0; i < ARRAY_SIZE(keys); i++)
		set(health, keys[i].field, number(log, keys[i].key) * keys[i].factor);
	if (!health->size_bytes) {
		double bytes = number(root, "nvme_total_capacity");

		if (isfinite(bytes) && bytes > 0 && bytes < EXACT_LIMIT)
			health->size_bytes = (uint64_t)bytes;
	}
}

/* --- ATA --- */

static void parse_statistics(struct health *health, const json_t *root, double block_bytes)
{
	const struct {
		enum health_field field;
		const char *name;
		double factor;
	} names[] = {
		{HEALTH_HOST_WRITTEN_BYTES, "Logical Sectors Written", block_bytes},
		{HEALTH_HOST_READ_BYTES, "Logical Sectors Read", block_bytes},
		{HEALTH_HOST_WRITES, "Number of Write Commands", 1},
		{HEALTH_HOST_READS, "Number of Read Commands", 1},
		{HEALTH_POWER_CYCLES, "Lifetime Power-On Resets", 1},
		{HEALTH_POWER_ON_HOURS, "Power-on Hours", 1},
		{HEALTH_REALLOCATED, "Number of Reallocated Logical Sectors", 1},
		{HEALTH_MEDIA_ERRORS, "Number of Reported Uncorrectable Errors", 1},
		{HEALTH_LINK_ERRORS, "Number of Interface CRC Errors", 1},
		{HEALTH_USED_PPM, "Percentage Used Endurance Indicator", PPM_OF_PERCENT},
	};
	const json_t *page, *row;
	size_t i, k;

	json_array_foreach(at(root, "ata_device_statistics/pages"), i, page)
	{
		json_array_foreach(at(page, "table"), k, row)
		{
			const char *name = json_string_value(at(row, "name"));
			const json_t *valid = at(row, "flags/valid");

			if (!name || (json_is_boolean(valid) && !json_is_true(valid)))
				continue;
			for (unsigned n = 0; n < ARRAY_SIZE(names); n++) {
				if (str_equal(name, names[n].name))
					set(health, names[n].field,
					    number(row, "value") * names[n].factor);
			}
		}
	}
}

/* The unit at the end of an attribute's name: "Host_Writes_32MiB". */
static double unit_of(const char *name, double block_bytes)
{
	static const struct {
		const char *suffix;
		double bytes;
	} units[] = {
		{"_32MiB", 32.0 * MiB}, {"_MiB", MiB},	   {"_1GiB", GiB}, {"_GiB", GiB},
		{"_10GiB", 10.0 * GiB}, {"_GB", 1e9},	   {"_MB", 1e6},   {"_Sectors", 0},
		{"_LBAs_Written", 0},	{"_LBAs_Read", 0},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(units); i++) {
		if (str_ends(name, units[i].suffix))
			return units[i].bytes > 0 ? units[i].bytes : block_bytes;
	}
	return (double)NAN;
}

/* Attributes whose raw value is an amount of bytes, by how their names begin. */
static void parse_amount(struct health *health, const char *name, double raw,
			 double block_bytes)
{
	static const struct {
		const char *prefix;
		enum health_field field;
	} prefixes[] = {
		{"Host_Writes_", HEALTH_HOST_WRITTEN_BYTES},
		{"Total_Host_Writes_", HEALTH_HOST_WRITTEN_BYTES},
		{"Lifetime_Writes_", HEALTH_HOST_WRITTEN_BYTES},
		{"Total_Writes_", HEALTH_HOST_WRITTEN_BYTES},
		{"Total_LBAs_Written", HEALTH_HOST_WRITTEN_BYTES},
		{"Host_Reads_", HEALTH_HOST_READ_BYTES},
		{"Total_Host_Reads_", HEALTH_HOST_READ_BYTES},
		{"Lifetime_Reads_", HEALTH_HOST_READ_BYTES},
		{"Total_Reads_", HEALTH_HOST_READ_BYTES},
		{"Total_LBAs_Read", HEALTH_HOST_READ_BYTES},
		{"NAND_Writes_", HEALTH_NAND_WRITTEN_BYTES},
		{"Total_NAND_Writes_", HEALTH_NAND_WRITTEN_BYTES},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (str_starts(name, prefixes[i].prefix))
			set(health, prefixes[i].field, raw * unit_of(name, block_bytes));
	}
}

/* Attributes by their names in smartctl's database. `life_left`: the normalised value falls from
 * 100 with wear. */
static const struct attribute_name {
	const char *name;
	enum health_field field;
	bool life_left;
} attribute_names[] = {
	{"Reallocated_Sector_Ct", HEALTH_REALLOCATED, false},
	{"Reallocate_NAND_Blk_Cnt", HEALTH_REALLOCATED, false},
	{"Current_Pending_Sector", HEALTH_PENDING, false},
	{"Current_Pending_ECC_Cnt", HEALTH_PENDING, false},
	{"Reported_Uncorrect", HEALTH_MEDIA_ERRORS, false},
	{"Uncorrectable_Error_Cnt", HEALTH_MEDIA_ERRORS, false},
	{"UDMA_CRC_Error_Count", HEALTH_LINK_ERRORS, false},
	{"CRC_Error_Count", HEALTH_LINK_ERRORS, false},
	{"Unexpect_Power_Loss_Ct", HEALTH_UNSAFE_SHUTDOWNS, false},
	{"Unexpected_Power_Loss", HEALTH_UNSAFE_SHUTDOWNS, false},
	{"Unsafe_Shutdown_Count", HEALTH_UNSAFE_SHUTDOWNS, false},
	{"POR_Recovery_Count", HEALTH_UNSAFE_SHUTDOWNS, false},
	{"Media_Wearout_Indicator", HEALTH_USED_PPM, true},
	{"Percent_Lifetime_Remain", HEALTH_USED_PPM, true},
	{"Wear_Leveling_Count", HEALTH_USED_PPM, true},
	{"SSD_Life_Left", HEALTH_USED_PPM, true},
};

static void parse_attribute(struct health *health, const json_t *row, double block_bytes)
{
	const char *name = json_string_value(at(row, "name"));
	double raw = number(row, "raw/value"), normal = number(row, "value");

	if (!name)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(attribute_names); i++) {
		const struct attribute_name *known = &attribute_names[i];

		if (str_equal(name, known->name))
			set(health, known->field,
			    known->life_left ? (100 - normal) * PPM_OF_PERCENT : raw);
	}
	parse_amount(health, name, raw, block_bytes);
}

static void parse_ata(struct health *health, const json_t *root)
{
	double block_bytes = number(root, "logical_block_size");
	const json_t *row;
	size_t i;

	parse_statistics(health, root, block_bytes);
	json_array_foreach(at(root, "ata_smart_attributes/table"), i, row)
		parse_attribute(health, row, block_bytes);
	set(health, HEALTH_ERROR_LOG_ENTRIES,
	    number(root, "ata_smart_error_log/extended/count"));
	set(health, HEALTH_ERROR_LOG_ENTRIES,
	    number(root, "ata_smart_error_log/summary/count"));
}

/* --- SCSI --- */

/* A number that smartctl writes as a text, "1234.567". */
static double number_in_text(const json_t *root, const char *path)
{
	const char *digits = json_string_value(at(root, path));
	char *end;
	double value;

	if (!digits || !*digits)
		return number(root, path);
	value = strtod(digits, &end);
	return *end ? (double)NAN : value;
}

static void parse_scsi(struct health *health, const json_t *root)
{
	const json_t *log = at(root, "scsi_error_counter_log");

	set(health, HEALTH_HOST_READ_BYTES,
	    number_in_text(log, "read/gigabytes_processed") * 1e9);
	set(health, HEALTH_HOST_WRITTEN_BYTES,
	    number_in_text(log, "write/gigabytes_processed") * 1e9);
	set(health, HEALTH_MEDIA_ERRORS,
	    number(log, "read/total_uncorrected_errors") +
		    number(log, "write/total_uncorrected_errors"));
	set(health, HEALTH_REALLOCATED, number(root, "scsi_grown_defect_list"));
	set(health, HEALTH_USED_PPM,
	    number(root, "scsi_percentage_used_endurance_indicator") * PPM_OF_PERCENT);
	set(health, HEALTH_POWER_CYCLES,
	    number(root, "scsi_start_stop_cycle_counter/accumulated_start_stop_cycles"));
}

/* --- the whole --- */

/* The first thing that smartctl complains of; false when it is content. */
static bool complaint(struct health *health, const json_t *root)
{
	const json_t *message;
	size_t i;

	json_array_foreach(at(root, "smartctl/messages"), i, message)
	{
		const char *said = json_string_value(at(message, "string"));
		const char *severity = json_string_value(at(message, "severity"));

		if (!said || !severity || !str_equal(severity, "error"))
			continue;
		TEXT_SET(health->why_not, "smartctl: %s", said);
		return true;
	}
	return false;
}

static bool knows_anything(const struct health *health)
{
	for (unsigned i = 0; i < NHEALTH; i++) {
		if (health->value[i] != HEALTH_UNKNOWN)
			return true;
	}
	return health->passed != ANSWER_UNKNOWN;
}

static void parse_root(struct health *health, const json_t *root)
{
	double at_s = number(root, "local_time/time_t");

	parse_common(health, root);
	if (isfinite(at_s) && at_s > 0 && at_s < EXACT_LIMIT / NS_PER_S)
		health->at_unix_ns = (uint64_t)at_s * NS_PER_S;
	if (str_equal(health->protocol, "NVMe"))
		parse_nvme(health, root);
	else if (str_equal(health->protocol, "ATA"))
		parse_ata(health, root);
	else if (str_equal(health->protocol, "SCSI"))
		parse_scsi(health, root);
	parse_common_values(health, root);
	if (!knows_anything(health) && !complaint(health, root))
		TEXT_SET(health->why_not, "the drive reports no health data");
}

int health_parse(struct health *ret_health, const char *text_of, size_t bytes, struct err *err)
{
	json_error_t error;
	json_t *root;

	json_set_alloc_funcs(memory_take, free); /* it takes a failure for bad text */
	root = json_loadb(text_of, bytes, JSON_DECODE_INT_AS_REAL, &error);
	health_init(ret_health, "");
	if (!json_is_object(at(root, "smartctl"))) {
		json_decref(root);
		return err_input(err, "this is not what smartctl --json prints%s%s",
				 root ? "" : ": ", root ? "" : error.text);
	}
	parse_root(ret_health, root);
	json_decref(root);
	return 0;
}
