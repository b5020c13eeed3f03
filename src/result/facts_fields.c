#include "result/facts_fields.h"

#include "result/facts.h"

/* clang-format off */
const struct json_field host_fields[] = {
	JSON_CHARS(struct host, name, "name"),
	JSON_CHARS(struct host, os, "os"),
	JSON_CHARS(struct host, kernel, "kernel"),
	JSON_CHARS(struct host, machine, "machine"),
	JSON_CHARS(struct host, product, "product"),
	JSON_CHARS(struct host, hypervisor, "hypervisor"),
	JSON_CHARS(struct host, cpu_model, "cpu_model"),
	JSON_KNOWN_U32(struct host, cpus_online, "cpus_online"),
	JSON_KNOWN_U32(struct host, cpus_usable, "cpus_usable"),
	JSON_KNOWN_U32(struct host, cores, "cores"),
	JSON_KNOWN_U32(struct host, sockets, "sockets"),
	JSON_KNOWN_U32(struct host, numa_nodes, "numa_nodes"),
	JSON_KNOWN_U64(struct host, memory_bytes, "memory_bytes"),
	JSON_CHARS(struct host, governor, "governor"),
	JSON_CHARS(struct host, energy_preference, "energy_preference"),
	JSON_KNOWN_U32(struct host, frequency_max_mhz, "frequency_max_mhz"),
	{0},
};

const struct json_field host_cpu_fields[] = {
	JSON_U64(struct host_cpu, total_ns, "total_ns"),
	JSON_U64(struct host_cpu, user_ns, "user_ns"),
	JSON_U64(struct host_cpu, system_ns, "system_ns"),
	JSON_U64(struct host_cpu, irq_ns, "irq_ns"),
	JSON_U64(struct host_cpu, iowait_ns, "iowait_ns"),
	JSON_U64(struct host_cpu, idle_ns, "idle_ns"),
	JSON_U64(struct host_cpu, steal_ns, "steal_ns"),
	{0},
};

const struct json_field filesystem_fields[] = {
	JSON_CHARS(struct filesystem, type, "type"),
	JSON_CHARS(struct filesystem, mount_point, "mount_point"),
	JSON_CHARS(struct filesystem, source, "source"),
	JSON_CHARS(struct filesystem, options, "mount_options"),
	JSON_U64(struct filesystem, size_bytes, "size_bytes"),
	JSON_U64(struct filesystem, free_bytes, "free_bytes"),
	JSON_BOOL(struct filesystem, swallows_size, "compresses_or_deduplicates"),
	{0},
};

const struct json_field device_link_fields[] = {
	JSON_CHARS(struct device_link, text, "text"),
	JSON_CHARS(struct device_link, max_text, "best"),
	JSON_KNOWN_U64(struct device_link, bytes_per_s, "ceiling_bytes_per_s"),
	JSON_BOOL(struct device_link, trained_down, "trained_down"),
	{0},
};

const struct json_field device_counters_fields[] = {
	JSON_U64(struct device_counters, at_ns, "at_ns"),
	JSON_U64(struct device_counters, read.ios, "read_ios"),
	JSON_U64(struct device_counters, read.bytes, "read_bytes"),
	JSON_U64(struct device_counters, write.ios, "write_ios"),
	JSON_U64(struct device_counters, write.bytes, "write_bytes"),
	JSON_U64(struct device_counters, discard.ios, "discard_ios"),
	JSON_U64(struct device_counters, discard.bytes, "discard_bytes"),
	JSON_U64(struct device_counters, flush_ios, "flush_ios"),
	JSON_U64(struct device_counters, active_ms, "active_ms"),
	JSON_U64(struct device_counters, queue_ms, "queue_ms"),
	{0},
};

const struct json_field simulated_fields[] = {
	JSON_U64(struct simulated_facts, scale, "scale"),
	JSON_U64(struct simulated_facts, host_read_bytes, "host_read_bytes"),
	JSON_U64(struct simulated_facts, host_written_bytes, "host_written_bytes"),
	JSON_U64(struct simulated_facts, nand_written_bytes, "nand_written_bytes"),
	JSON_U64(struct simulated_facts, erases, "erases"),
	JSON_U64(struct simulated_facts, most_erases, "most_erases"),
	JSON_U64(struct simulated_facts, used_ppm, "used_ppm"),
	JSON_U64(struct simulated_facts, media_errors, "media_errors"),
	JSON_U64(struct simulated_facts, throttled_ns, "throttled_ns"),
	JSON_U64(struct simulated_facts, unmapped_read_bytes, "unmapped_read_bytes"),
	JSON_I64(struct simulated_facts, temperature_mc, "temperature_mc"),
	{0},
};

/* Not its values, which have a table of their own (device/health.h). */
const struct json_field health_texts[] = {
	JSON_U64(struct health, at_unix_ns, "at_unix_ns"),
	JSON_CHARS(struct health, model, "model"),
	JSON_CHARS(struct health, serial, "serial"),
	JSON_CHARS(struct health, firmware, "firmware"),
	JSON_CHARS(struct health, protocol, "protocol"),
	JSON_CHARS(struct health, source, "told_by"),
	JSON_CHARS(struct health, why_not, "why_not"),
	JSON_KNOWN_U64(struct health, size_bytes, "size_bytes"),
	{0},
};
/* clang-format on */
