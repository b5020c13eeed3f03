/* Host, targets, devices and their counters as JSON. */
#include "base/str.h"
#include "result/facts_fields.h"
#include "result/figure.h"
#include "result/health_json.h"
#include "result/native_json_priv.h"

static void host(struct json *json, const struct run_facts *facts)
{
	static const char *const powers[] = {
		[POWER_UNKNOWN] = NULL, [POWER_MAINS] = "mains", [POWER_BATTERY] = "battery"};
	const struct host *host = &facts->host;

	if (!facts->has_host) {
		json_add_null(json, "host");
		return;
	}
	json_open_object(json, "host");
	json_add_fields(json, host_fields, host);
	json_add_text(json, "power", powers[host->power]);
	json_add_text(json, "clocksource", host->clocksource);
	json_add_text(json, "stamps_from", facts->clock);
	json_close_object(json);
}

static void file_system(struct json *json, const struct filesystem *fs)
{
	if (!fs) {
		json_add_null(json, "file_system");
		return;
	}
	json_open_object(json, "file_system");
	json_add_fields(json, filesystem_fields, fs);
	json_close_object(json);
}

static void simulated(struct json *json, const struct simulated_facts *drive)
{
	if (!drive) {
		json_add_null(json, "simulated");
		return;
	}
	json_open_object(json, "simulated");
	json_add_fields(json, simulated_fields, drive);
	json_close_object(json);
}

static void target(struct json *json, const struct run_facts *facts,
		   const struct target_facts *target)
{
	bool on_device = target->device >= 0 && (unsigned)target->device < facts->ndevices;

	json_open_object(json, NULL);
	json_add_text(json, "path", target->path);
	json_add_text(json, "kind", target->kind);
	json_add_u64(json, "size_bytes", target->size_bytes);
	json_add_bool(json, "direct", target->direct);
	json_add_bool(json, "in_memory", target->is_memory);
	json_add_text(json, "device",
		      on_device ? facts->devices[target->device].device.name : NULL);
	json_add_text(json, "through", target->via);
	json_add_u64(json, "blocks_sampled", target->blocks_sampled);
	json_add_u64(json, "blocks_zero", target->blocks_zero);
	json_add_u64(json, "hole_bytes", target->hole_bytes);
	file_system(json, target->fs);
	simulated(json, target->simulated);
	json_close_object(json);
}

static void counters(struct json *json, const char *key, const struct device_counters *counters)
{
	json_open_object(json, key);
	json_add_fields(json, device_counters_fields, counters);
	json_close_object(json);
}

static void device(struct json *json, const struct device_facts *facts)
{
	const struct device *device = &facts->device;

	json_open_object(json, NULL);
	json_add_text(json, "name", device->name);
	json_add_text(json, "model", device->model);
	json_add_text(json, "serial", device->serial);
	json_add_text(json, "firmware", device->firmware);
	json_add_text(json, "interface", device_interface_name(device->interface));
	json_add_known(json, "size_bytes", device->size_bytes);
	json_add_known(json, "logical_block_bytes", device->logical_block_bytes);
	json_add_known(json, "physical_block_bytes", device->physical_block_bytes);
	if (device->rotational == ANSWER_UNKNOWN)
		json_add_null(json, "rotational");
	else
		json_add_bool(json, "rotational", device->rotational == ANSWER_YES);
	json_add_text(json, "scheduler", device->scheduler);
	json_add_known(json, "nr_requests", device->nr_requests);
	if (device->numa_node < 0)
		json_add_null(json, "numa_node");
	else
		json_add_i64(json, "numa_node", device->numa_node);
	json_open_object(json, "link");
	json_add_fields(json, device_link_fields, &device->link);
	json_close_object(json);
	if (facts->has_counters) {
		counters(json, "before", &facts->before);
		counters(json, "after", &facts->after);
	} else {
		json_add_null(json, "before");
		json_add_null(json, "after");
	}
	if (facts->idle.at_ns) {
		json_add_u64(json, "watched_before_ns", facts->idle.at_ns);
		counters(json, "others_before", &facts->idle);
	} else {
		json_add_null(json, "watched_before_ns");
		json_add_null(json, "others_before");
	}
	json_close_object(json);
}

static void asked(struct json *json, const struct run_facts *facts)
{
	json_open_object(json, "asked_with_ramp");
	for (unsigned dir = 0; dir < NDIR; dir++) {
		json_open_object(json, figure_dir_names[dir]);
		json_add_u64(json, "ios", facts->asked_ios[dir]);
		json_add_u64(json, "bytes", facts->asked_bytes[dir]);
		json_close_object(json);
	}
	json_close_object(json);
}

static void cpu(struct json *json, const struct host_cpu *cpu)
{
	if (!cpu->total_ns) {
		json_add_null(json, "cpu_of_host");
		return;
	}
	json_open_object(json, "cpu_of_host");
	json_add_fields(json, host_cpu_fields, cpu);
	json_close_object(json);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && str_equal(a, b));
}

static void environment_value(struct json *json, const struct environment_entry *entry)
{
	if (same_text(entry->before, entry->after)) {
		json_add_text(json, entry->name, entry->before);
		return;
	}
	json_open_array(json, entry->name);
	json_add_text(json, NULL, entry->before);
	json_add_text(json, NULL, entry->after);
	json_close_array(json);
}

/* {"host": {"kernel": "6.1", "load1": ["0.1", "3.9"], …}, "sda": {…}}: a pair where the value
 * after the run is another. */
static void environment(struct json *json, const struct environment *environment)
{
	json_open_object(json, "environment");
	for (unsigned i = 0; i < environment->count; i++) {
		const char *of = environment->entries[i].of;
		bool open = false;

		for (unsigned k = 0; k < environment->count; k++) {
			if (!str_equal(environment->entries[k].of, of))
				continue;
			if (!open && k < i)
				break; /* told with the first of them */
			if (!open)
				json_open_object(json, of);
			open = true;
			environment_value(json, &environment->entries[k]);
		}
		if (open)
			json_close_object(json);
	}
	json_close_object(json);
}

void native_json_facts(struct json *json, const struct result *result)
{
	const struct run_facts *facts = &result->facts;

	host(json, facts);
	environment(json, &facts->environment);
	cpu(json, &facts->cpu);
	json_open_array(json, "targets");
	for (unsigned i = 0; i < facts->ntargets; i++)
		target(json, facts, &facts->targets[i]);
	json_close_array(json);
	json_open_array(json, "devices");
	for (unsigned i = 0; i < facts->ndevices; i++)
		device(json, &facts->devices[i]);
	json_close_array(json);
	health_json(json, "health", facts->health, facts->nhealth);
	asked(json, facts);
	json_add_known(json, "numa_distance", facts->numa_distance);
}
