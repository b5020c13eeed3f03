/* A block device's part of the environment: of layers and of the drives below them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/str.h"
#include "device/environment_priv.h"
#include "device/passthrough_priv.h"
#include "device/sysfs_priv.h"
#include "device/write_cache.h"

#define AFFINITY_BYTES 400 /* of the list of interrupts, enough to see a change */

/* NVM Express base 2.0, figure 317. */
#define FEATURE_POWER_STATE 0x02
#define FEATURE_APST	    0x0C

/* Below the device's folder. */
static const struct queue_row {
	const char *name, *attribute;
} queue_rows[] = {
	{"scheduler", "queue/scheduler"},
	{"nr_requests", "queue/nr_requests"},
	{"rq_affinity", "queue/rq_affinity"},
	{"nomerges", "queue/nomerges"},
	{"wbt_lat_usec", "queue/wbt_lat_usec"},
	{"read_ahead_kb", "queue/read_ahead_kb"},
	{"max_sectors_kb", "queue/max_sectors_kb"},
	{"max_hw_sectors_kb", "queue/max_hw_sectors_kb"},
	{"io_poll", "queue/io_poll"},
	{"io_poll_delay", "queue/io_poll_delay"},
	{"io_timeout_ms", "queue/io_timeout"},
	{"kernel_write_cache", "queue/write_cache"},
	{"fua", "queue/fua"},
	{"rotational", "queue/rotational"},
	{"discard_granularity", "queue/discard_granularity"},
	{"discard_max_bytes", "queue/discard_max_bytes"},
	{"write_zeroes_max_bytes", "queue/write_zeroes_max_bytes"},
	{"logical_block_size", "queue/logical_block_size"},
	{"physical_block_size", "queue/physical_block_size"},
	{"minimum_io_size", "queue/minimum_io_size"},
	{"optimal_io_size", "queue/optimal_io_size"},
	{"zoned", "queue/zoned"},
	{"iostats", "queue/iostats"},
	{"add_random", "queue/add_random"},
	{"read_only", "ro"},
};

/* Of stacked devices, where they are such. */
static const struct queue_row stack_rows[] = {
	{"md_level", "md/level"},	{"md_chunk_bytes", "md/chunk_size"},
	{"md_state", "md/array_state"}, {"md_action", "md/sync_action"},
	{"md_degraded", "md/degraded"}, {"md_stripe_cache", "md/stripe_cache_size"},
	{"dm_name", "dm/name"},		{"bcache_mode", "bcache/cache_mode"},
	{"loop_direct_io", "loop/dio"},
};

static unsigned entries_in(const struct device_roots *roots, const char *folder,
			   const char *entry)
{
	autodir dir = sysfs_open(roots, folder, entry);
	unsigned count = 0;

	while (dir && sysfs_next(dir))
		count++;
	return count;
}

static int by_number(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* "33:0-3 34:4-7": each interrupt of the controller, and the CPUs that may take it. */
static void add_interrupts(struct environment_list *list, const char *of, const char *pci)
{
	autodir dir = sysfs_open(list->roots, pci, "msi_irqs");
	uint64_t irqs[256];
	unsigned count = 0;
	autostr text = {0};
	const char *name;

	while (dir && count < ARRAY_SIZE(irqs) && (name = sysfs_next(dir)))
		count += text_u64(name, &irqs[count]);
	qsort(irqs, count, sizeof(irqs[0]), by_number);
	for (unsigned i = 0; i < count && text.length < AFFINITY_BYTES; i++) {
		char path[80], cpus[80];
		autostr affinity = {0};

		TEXT_SET(path, "irq/%" PRIu64 "/smp_affinity_list", irqs[i]);
		(void)proc_read(list->roots, path, &affinity);
		TEXT_SET(cpus, "%s", str_text(&affinity));
		text_trim(cpus);
		str_printf(&text, "%s%" PRIu64 ":%s", i ? " " : "", irqs[i],
			   *cpus ? cpus : "?");
	}
	environment_add(list, of, "irq_affinity", str_text(&text));
}

/* The nearest PCI function above the device: it has a vendor and a class. */
static void add_pci(struct environment_list *list, const struct device *device)
{
	char folder[300], *slash;

	TEXT_SET(folder, "%s", device->sysfs);
	while (!sysfs_exists(list->roots, folder, "subsystem_vendor")) {
		slash = strrchr(folder, '/');
		if (!slash || slash == folder)
			return;
		*slash = '\0';
	}
	environment_add(list, device->name, "pci_address", strrchr(folder, '/') + 1);
	environment_add_sysfs(list, device->name, "pci_power_control", folder, "power/control");
	environment_add_sysfs(list, device->name, "pci_link_l1_aspm", folder, "link/l1_aspm");
	environment_add_sysfs(list, device->name, "pci_local_cpus", folder, "local_cpulist");
	add_interrupts(list, device->name, folder);
}

/* hwmon of an NVMe controller or of drivetemp: no process, and no drive is woken up. */
static void add_temperature(struct environment_list *list, const struct device *device)
{
	char folder[SYSFS_PATH_BYTES], line[32] = "";

	if (vitals_find_hwmon(list->roots, device_drive_name(device), folder))
		SYSFS_LINE(list->roots, folder, "temp1_input", line);
	environment_add_degrees(list, device->name, "device_temperature_c", line);
}

/* What the drive itself says of its power states and its cache. */
static void ask_drive(struct environment_list *list, const struct device *device)
{
	static const char *const words[] = {
		[ANSWER_UNKNOWN] = "", [ANSWER_NO] = "off", [ANSWER_YES] = "on"};
	uint32_t value;

	environment_add(list, device->name, "drive_write_cache",
			words[write_cache_read(device, list->roots, NULL)]);
	if (device->interface != INTERFACE_NVME)
		return;
	if (passthrough_nvme_feature(device, list->roots, FEATURE_POWER_STATE, &value) == 0)
		environment_printf(list, device->name, "power_state", "%u", value & 0x1f);
	else
		environment_add(list, device->name, "power_state", NULL);
	if (passthrough_nvme_feature(device, list->roots, FEATURE_APST, &value) == 0)
		environment_add(list, device->name, "autonomous_power_states",
				value & 1 ? "on" : "off");
	else
		environment_add(list, device->name, "autonomous_power_states", NULL);
}

static void add_identity(struct environment_list *list, const struct device *device)
{
	const char *of = device->name;

	environment_add(list, of, "model", device->model);
	environment_add(list, of, "serial", device->serial);
	environment_add(list, of, "firmware", device->firmware);
	environment_printf(list, of, "size_bytes", "%" PRIu64, device->size_bytes);
	environment_add(list, of, "interface", device_interface_name(device->interface));
	environment_add(list, of, "link", device->link.text);
	environment_add(list, of, "link_best", device->link.max_text);
	if (device->numa_node >= 0)
		environment_printf(list, of, "numa_node", "%d", device->numa_node);
	else
		environment_add(list, of, "numa_node", NULL);
}

static void add_rows(struct environment_list *list, const char *of, const char *folder,
		     const struct queue_row *rows, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		environment_add_sysfs(list, of, rows[i].name, folder, rows[i].attribute);
}

static void add_stack_rows(struct environment_list *list, const char *of, const char *folder)
{
	for (unsigned i = 0; i < ARRAY_SIZE(stack_rows); i++) {
		if (sysfs_exists(list->roots, folder, stack_rows[i].attribute))
			environment_add_sysfs(list, of, stack_rows[i].name, folder,
					      stack_rows[i].attribute);
	}
}

void environment_of_device(struct environment_list *list, const struct device *device)
{
	char folder[200];
	unsigned queues;

	TEXT_SET(folder, "/class/block/%s", device->name);
	if (device->kind == DEVICE_PARTITION) { /* the queue is its disk's */
		environment_printf(list, device->name, "size_bytes", "%" PRIu64,
				   device->size_bytes);
		environment_printf(list, device->name, "start_bytes", "%" PRIu64,
				   device->start_bytes);
		return;
	}
	add_identity(list, device);
	add_rows(list, device->name, folder, queue_rows, ARRAY_SIZE(queue_rows));
	queues = entries_in(list->roots, folder, "mq");
	if (queues)
		environment_printf(list, device->name, "hardware_queues", "%u", queues);
	else
		environment_add(list, device->name, "hardware_queues", NULL);
	environment_printf(list, device->name, "holders", "%u",
			   entries_in(list->roots, folder, "holders"));
	add_stack_rows(list, device->name, folder);
	if (device->interface == INTERFACE_VIRTUAL)
		return;
	add_pci(list, device);
	add_temperature(list, device);
	ask_drive(list, device);
}
