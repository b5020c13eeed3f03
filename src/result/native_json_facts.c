/* Host, targets, devices and their counters as JSON. */
#include "result/figure.h"
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
	json_add_text(json, "name", host->name);
	json_add_text(json, "os", host->os);
	json_add_text(json, "kernel", host->kernel);
	json_add_text(json, "machine", host->machine);
	json_add_text(json, "product", host->product);
	json_add_text(json, "hypervisor", host->hypervisor);
	json_add_text(json, "cpu_model", host->cpu_model);
	json_add_known(json, "cpus_online", host->cpus_online);
	json_add_known(json, "cpus_usable", host->cpus_usable);
	json_add_known(json, "cores", host->cores);
	json_add_known(json, "sockets", host->sockets);
	json_add_known(json, "numa_nodes", host->numa_nodes);
	json_add_known(json, "memory_bytes", host->memory_bytes);
	json_add_text(json, "governor", host->governor);
	json_add_text(json, "energy_preference", host->energy_preference);
	json_add_known(json, "frequency_max_mhz", host->frequency_max_mhz);
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
	json_add_text(json, "type", fs->type);
	json_add_text(json, "mount_point", fs->mount_point);
	json_add_text(json, "source", fs->source);
	json_add_text(json, "mount_options", fs->options);
	json_add_u64(json, "size_bytes", fs->size_bytes);
	json_add_u64(json, "free_bytes", fs->free_bytes);
	json_add_bool(json, "compresses_or_deduplicates", fs->swallows_size);
	json_close_object(json);
}

static void simulated(struct json *json, const struct simulated_facts *drive)
{
	if (!drive) {
		json_add_null(json, "simulated");
		return;
	}
	json_open_object(json, "simulated");
	json_add_u64(json, "scale", drive->scale);
	json_add_u64(json, "host_read_bytes", drive->host_read_bytes);
	json_add_u64(json, "host_written_bytes", drive->host_written_bytes);
	json_add_u64(json, "nand_written_bytes", drive->nand_written_bytes);
	json_add_u64(json, "erases", drive->erases);
	json_add_u64(json, "most_erases", drive->most_erases);
	json_add_u64(json, "used_ppm", drive->used_ppm);
	json_add_u64(json, "media_errors", drive->media_errors);
	json_add_u64(json, "throttled_ns", drive->throttled_ns);
	json_add_i64(json, "temperature_mc", drive->temperature_mc);
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

static void link(struct json *json, const struct device_link *link)
{
	json_open_object(json, "link");
	json_add_text(json, "text", link->text);
	json_add_text(json, "best", link->max_text);
	json_add_known(json, "ceiling_bytes_per_s", link->bytes_per_s);
	json_add_bool(json, "trained_down", link->trained_down);
	json_close_object(json);
}

static void counters(struct json *json, const char *key, const struct device_counters *counters)
{
	json_open_object(json, key);
	json_add_u64(json, "at_ns", counters->at_ns);
	json_add_u64(json, "read_ios", counters->read.ios);
	json_add_u64(json, "read_bytes", counters->read.bytes);
	json_add_u64(json, "write_ios", counters->write.ios);
	json_add_u64(json, "write_bytes", counters->write.bytes);
	json_add_u64(json, "discard_ios", counters->discard.ios);
	json_add_u64(json, "discard_bytes", counters->discard.bytes);
	json_add_u64(json, "flush_ios", counters->flush_ios);
	json_add_u64(json, "active_ms", counters->active_ms);
	json_add_u64(json, "queue_ms", counters->queue_ms);
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
	link(json, &device->link);
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
	json_add_u64(json, "total_ns", cpu->total_ns);
	json_add_u64(json, "user_ns", cpu->user_ns);
	json_add_u64(json, "system_ns", cpu->system_ns);
	json_add_u64(json, "irq_ns", cpu->irq_ns);
	json_add_u64(json, "iowait_ns", cpu->iowait_ns);
	json_add_u64(json, "idle_ns", cpu->idle_ns);
	json_add_u64(json, "steal_ns", cpu->steal_ns);
	json_close_object(json);
}

void native_json_facts(struct json *json, const struct result *result)
{
	const struct run_facts *facts = &result->facts;

	host(json, facts);
	cpu(json, &facts->cpu);
	json_open_array(json, "targets");
	for (unsigned i = 0; i < facts->ntargets; i++)
		target(json, facts, &facts->targets[i]);
	json_close_array(json);
	json_open_array(json, "devices");
	for (unsigned i = 0; i < facts->ndevices; i++)
		device(json, &facts->devices[i]);
	json_close_array(json);
	asked(json, facts);
	json_add_known(json, "numa_distance", facts->numa_distance);
}
