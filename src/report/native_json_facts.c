/* Host, targets, devices and their counters as JSON. */
#include "report/figures.h"
#include "report/native_json_priv.h"

static void host(struct json *json, const struct run_facts *facts)
{
	static const char *const powers[] = {
		[POWER_UNKNOWN] = NULL, [POWER_MAINS] = "mains", [POWER_BATTERY] = "battery"};
	const struct host *host = &facts->host;

	if (!facts->has_host) {
		json_null(json, "host");
		return;
	}
	json_object(json, "host");
	json_text(json, "os", host->os);
	json_text(json, "kernel", host->kernel);
	json_text(json, "machine", host->machine);
	json_text(json, "product", host->product);
	json_text(json, "hypervisor", host->hypervisor);
	json_text(json, "cpu_model", host->cpu_model);
	json_known_u64(json, "cpus_online", host->cpus_online);
	json_known_u64(json, "cpus_usable", host->cpus_usable);
	json_known_u64(json, "cores", host->cores);
	json_known_u64(json, "sockets", host->sockets);
	json_known_u64(json, "numa_nodes", host->numa_nodes);
	json_known_u64(json, "memory_bytes", host->memory_bytes);
	json_text(json, "governor", host->governor);
	json_text(json, "energy_preference", host->energy_preference);
	json_known_u64(json, "frequency_max_mhz", host->frequency_max_mhz);
	json_text(json, "power", powers[host->power]);
	json_text(json, "clocksource", host->clocksource);
	json_text(json, "stamps_from", facts->clock);
	json_object_end(json);
}

static void file_system(struct json *json, const struct filesystem *fs)
{
	if (!fs) {
		json_null(json, "file_system");
		return;
	}
	json_object(json, "file_system");
	json_text(json, "type", fs->type);
	json_text(json, "mount_point", fs->mount_point);
	json_text(json, "source", fs->source);
	json_text(json, "mount_options", fs->options);
	json_u64(json, "size_bytes", fs->size_bytes);
	json_u64(json, "free_bytes", fs->free_bytes);
	json_bool(json, "compresses_or_deduplicates", fs->swallows_size);
	json_object_end(json);
}

static void target(struct json *json, const struct run_facts *facts,
		   const struct target_facts *target)
{
	bool on_device = target->device >= 0 && (unsigned)target->device < facts->ndevices;

	json_object(json, NULL);
	json_text(json, "path", target->path);
	json_text(json, "kind", target->kind);
	json_u64(json, "size_bytes", target->size_bytes);
	json_bool(json, "direct", target->direct);
	json_bool(json, "in_memory", target->is_memory);
	json_text(json, "device",
		  on_device ? facts->devices[target->device].device.name : NULL);
	json_text(json, "through", target->via);
	json_u64(json, "blocks_sampled", target->blocks_sampled);
	json_u64(json, "blocks_zero", target->blocks_zero);
	json_u64(json, "hole_bytes", target->hole_bytes);
	file_system(json, target->fs);
	json_object_end(json);
}

static void link(struct json *json, const struct device_link *link)
{
	json_object(json, "link");
	json_text(json, "text", link->text);
	json_text(json, "best", link->max_text);
	json_known_u64(json, "ceiling_bytes_per_s", link->bytes_per_s);
	json_bool(json, "trained_down", link->trained_down);
	json_object_end(json);
}

static void counters(struct json *json, const char *key, const struct device_counters *counters)
{
	json_object(json, key);
	json_u64(json, "read_ios", counters->read.ios);
	json_u64(json, "read_bytes", counters->read.bytes);
	json_u64(json, "write_ios", counters->write.ios);
	json_u64(json, "write_bytes", counters->write.bytes);
	json_u64(json, "discard_ios", counters->discard.ios);
	json_u64(json, "discard_bytes", counters->discard.bytes);
	json_u64(json, "flush_ios", counters->flush_ios);
	json_u64(json, "active_ms", counters->active_ms);
	json_u64(json, "queue_ms", counters->queue_ms);
	json_object_end(json);
}

static void device(struct json *json, const struct device_facts *facts)
{
	const struct device *device = &facts->device;

	json_object(json, NULL);
	json_text(json, "name", device->name);
	json_text(json, "model", device->model);
	json_text(json, "serial", device->serial);
	json_text(json, "firmware", device->firmware);
	json_text(json, "interface", device_interface_name(device->interface));
	json_known_u64(json, "size_bytes", device->size_bytes);
	json_known_u64(json, "logical_block_bytes", device->logical_block_bytes);
	json_known_u64(json, "physical_block_bytes", device->physical_block_bytes);
	if (device->rotational == ANSWER_UNKNOWN)
		json_null(json, "rotational");
	else
		json_bool(json, "rotational", device->rotational == ANSWER_YES);
	json_text(json, "scheduler", device->scheduler);
	json_known_u64(json, "nr_requests", device->nr_requests);
	if (device->numa_node < 0)
		json_null(json, "numa_node");
	else
		json_i64(json, "numa_node", device->numa_node);
	link(json, &device->link);
	if (facts->has_counters) {
		counters(json, "before", &facts->before);
		counters(json, "after", &facts->after);
	} else {
		json_null(json, "before");
		json_null(json, "after");
	}
	if (facts->idle.at_ns) {
		json_u64(json, "watched_before_ns", facts->idle.at_ns);
		counters(json, "others_before", &facts->idle);
	} else {
		json_null(json, "watched_before_ns");
		json_null(json, "others_before");
	}
	json_object_end(json);
}

static void asked(struct json *json, const struct run_facts *facts)
{
	json_object(json, "asked_with_ramp");
	for (unsigned dir = 0; dir < NDIR; dir++) {
		json_object(json, figure_dir_names[dir]);
		json_u64(json, "ios", facts->asked_ios[dir]);
		json_u64(json, "bytes", facts->asked_bytes[dir]);
		json_object_end(json);
	}
	json_object_end(json);
}

static void cpu(struct json *json, const struct host_cpu *cpu)
{
	if (!cpu->total_ns) {
		json_null(json, "cpu_of_host");
		return;
	}
	json_object(json, "cpu_of_host");
	json_u64(json, "total_ns", cpu->total_ns);
	json_u64(json, "user_ns", cpu->user_ns);
	json_u64(json, "system_ns", cpu->system_ns);
	json_u64(json, "irq_ns", cpu->irq_ns);
	json_u64(json, "iowait_ns", cpu->iowait_ns);
	json_u64(json, "idle_ns", cpu->idle_ns);
	json_u64(json, "steal_ns", cpu->steal_ns);
	json_object_end(json);
}

void native_json_facts(struct json *json, const struct result *result)
{
	const struct run_facts *facts = &result->facts;

	host(json, facts);
	cpu(json, &facts->cpu);
	json_array(json, "targets");
	for (unsigned i = 0; i < facts->ntargets; i++)
		target(json, facts, &facts->targets[i]);
	json_array_end(json);
	json_array(json, "devices");
	for (unsigned i = 0; i < facts->ndevices; i++)
		device(json, &facts->devices[i]);
	json_array_end(json);
	asked(json, facts);
	json_known_u64(json, "numa_distance", facts->numa_distance);
}
