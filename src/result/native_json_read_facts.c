/* Host, targets, devices and their counters from JSON. */
#include "base/bits.h"
#include "base/str.h"
#include "result/facts_fields.h"
#include "result/figure.h"
#include "result/native_json_read_priv.h"

static void read_host(struct json_reader *reader, const json_t *root, struct run_facts *facts)
{
	const json_t *one = json_read_object(reader, root, "host");
	struct host *host = &facts->host;
	const char *power;

	if (!one)
		return;
	facts->has_host = true;
#define CHARS(object, key, field) json_read_chars(reader, object, key, field, sizeof(field))
	json_read_fields(reader, one, host_fields, host);
	CHARS(one, "clocksource", host->clocksource);
	power = json_read_text(reader, one, "power");
	host->power = !power			    ? POWER_UNKNOWN
		      : str_equal(power, "battery") ? POWER_BATTERY
						    : POWER_MAINS;
	facts->clock = json_read_text(reader, one, "stamps_from");
}

static void read_cpu(struct json_reader *reader, const json_t *root, struct host_cpu *cpu)
{
	const json_t *one = json_read_object(reader, root, "cpu_of_host");

	json_read_fields(reader, one, host_cpu_fields, cpu);
}

static const struct filesystem *read_file_system(struct json_reader *reader,
						 const json_t *target)
{
	const json_t *one = json_read_object(reader, target, "file_system");
	struct filesystem *fs;

	if (!one)
		return NULL;
	fs = arena_new(reader->arena, struct filesystem);
	json_read_fields(reader, one, filesystem_fields, fs);
	return fs;
}

static int device_index(const struct run_facts *facts, const char *name)
{
	for (unsigned i = 0; name && i < facts->ndevices; i++)
		if (str_equal(facts->devices[i].device.name, name))
			return (int)i;
	return -1;
}

static const struct simulated_facts *read_simulated(struct json_reader *reader,
						    const json_t *target)
{
	const json_t *one = json_object_get(target, "simulated");
	struct simulated_facts *drive;

	if (!json_is_object(one))
		return NULL;
	drive = arena_new(reader->arena, struct simulated_facts);
	json_read_fields(reader, one, simulated_fields, drive);
	return drive;
}

static void read_target(struct json_reader *reader, const json_t *one,
			const struct run_facts *facts, struct target_facts *ret_target)
{
	*ret_target = (struct target_facts){
		.path = json_read_text(reader, one, "path"),
		.kind = json_read_text(reader, one, "kind"),
		.size_bytes = json_read_u64(reader, one, "size_bytes"),
		.direct = json_read_bool(reader, one, "direct"),
		.is_memory = json_read_bool(reader, one, "in_memory"),
		.fs = read_file_system(reader, one),
		.via = json_read_text(reader, one, "through"),
		.device = device_index(facts, json_read_text(reader, one, "device")),
		.blocks_sampled = json_read_u32(reader, one, "blocks_sampled"),
		.blocks_zero = json_read_u32(reader, one, "blocks_zero"),
		.hole_bytes = json_read_u64(reader, one, "hole_bytes"),
		.simulated = read_simulated(reader, one),
	};
}

static bool read_counters(struct json_reader *reader, const json_t *device, const char *key,
			  struct device_counters *counters)
{
	const json_t *one = json_read_object(reader, device, key);

	json_read_fields(reader, one, device_counters_fields, counters);
	return one != NULL;
}

static enum device_interface interface_of(const char *name)
{
	for (enum device_interface face = INTERFACE_UNKNOWN; name && face < NINTERFACE; face++)
		if (str_equal(device_interface_name(face), name))
			return face;
	return INTERFACE_UNKNOWN;
}

static void read_identity(struct json_reader *reader, const json_t *one, struct device *device)
{
	const json_t *rotational = json_object_get(one, "rotational");
	const json_t *node = json_object_get(one, "numa_node");
	const json_t *link = json_read_object(reader, one, "link");

	CHARS(one, "name", device->name);
	CHARS(one, "model", device->model);
	CHARS(one, "serial", device->serial);
	CHARS(one, "firmware", device->firmware);
	CHARS(one, "scheduler", device->scheduler);
	device->interface = interface_of(json_read_text(reader, one, "interface"));
	device->size_bytes = json_read_u64(reader, one, "size_bytes");
	device->logical_block_bytes = json_read_u32(reader, one, "logical_block_bytes");
	device->physical_block_bytes = json_read_u32(reader, one, "physical_block_bytes");
	device->nr_requests = json_read_u32(reader, one, "nr_requests");
	if (json_is_boolean(rotational))
		device->rotational = json_is_true(rotational) ? ANSWER_YES : ANSWER_NO;
	device->numa_node = json_is_integer(node) ? (int32_t)json_integer_value(node) : -1;
	json_read_fields(reader, link, device_link_fields, &device->link);
}

static void read_device(struct json_reader *reader, const json_t *one,
			struct device_facts *ret_facts)
{
	*ret_facts = (struct device_facts){0};
	read_identity(reader, one, &ret_facts->device);
	ret_facts->has_counters = read_counters(reader, one, "before", &ret_facts->before);
	ret_facts->has_counters &= read_counters(reader, one, "after", &ret_facts->after);
	if (read_counters(reader, one, "others_before", &ret_facts->idle))
		ret_facts->idle.at_ns = json_read_u64(reader, one, "watched_before_ns");
}

static const char *text_or_null(struct json_reader *reader, const json_t *value)
{
	return json_is_string(value) ? arena_strdup(reader->arena, json_string_value(value))
				     : NULL;
}

static void read_entry(struct json_reader *reader, const char *of, const char *name,
		       const json_t *value, struct environment_entry *ret_entry)
{
	bool is_pair = json_is_array(value) && json_array_size(value) == 2;

	if (!is_pair && !json_is_string(value) && !json_is_null(value))
		(void)json_read_fail(reader, name, "is neither a text nor a pair of them");
	*ret_entry = (struct environment_entry){
		.of = of,
		.name = arena_strdup(reader->arena, name),
		.before = text_or_null(reader, is_pair ? json_array_get(value, 0) : value),
		.moves = environment_moves(name),
	};
	ret_entry->after =
		is_pair ? text_or_null(reader, json_array_get(value, 1)) : ret_entry->before;
}

/* NOLINTNEXTLINE(performance-no-int-to-ptr): only const is cast away */
#define EACH(object, key, value) json_object_foreach((json_t *)(uintptr_t)(object), key, value)

static void read_environment(struct json_reader *reader, const json_t *root,
			     struct environment *environment)
{
	const json_t *all = json_read_object(reader, root, "environment");
	const char *of, *name;
	const json_t *whose, *value;
	unsigned count = 0;

	EACH(all, of, whose) count += (unsigned)json_object_size(whose);
	environment->entries = arena_array(reader->arena, struct environment_entry, count + 1);
	EACH(all, of, whose)
	{
		const char *owner = arena_strdup(reader->arena, of);

		EACH(whose, name, value)
		read_entry(reader, owner, name, value,
			   &environment->entries[environment->count++]);
	}
}

void native_json_read_facts(struct json_reader *reader, const json_t *root,
			    struct result *result)
{
	struct run_facts *facts = &result->facts;
	const json_t *devices = json_read_array(reader, root, "devices");
	const json_t *targets = json_read_array(reader, root, "targets");
	const json_t *asked = json_read_object(reader, root, "asked_with_ramp");

	read_host(reader, root, facts);
	read_environment(reader, root, &facts->environment);
	read_cpu(reader, root, &facts->cpu);
	facts->ndevices = (unsigned)json_array_size(devices);
	facts->devices = arena_array(reader->arena, struct device_facts, facts->ndevices + 1);
	for (unsigned i = 0; i < facts->ndevices; i++)
		read_device(reader, json_array_get(devices, i), &facts->devices[i]);
	facts->ntargets = (unsigned)json_array_size(targets);
	facts->targets = arena_array(reader->arena, struct target_facts, facts->ntargets + 1);
	for (unsigned i = 0; i < facts->ntargets; i++)
		read_target(reader, json_array_get(targets, i), facts, &facts->targets[i]);
	json_read_health(reader, json_read_array(reader, root, "health"), &facts->health,
			 &facts->nhealth);
	for (enum dir dir = DIR_READ; dir < NDIR; dir++) {
		const json_t *one = json_read_object(reader, asked, figure_dir_names[dir]);

		facts->asked_ios[dir] = json_read_u64(reader, one, "ios");
		facts->asked_bytes[dir] = json_read_u64(reader, one, "bytes");
	}
	facts->worker_numa_node = -1;
	facts->numa_distance = json_read_u32(reader, root, "numa_distance");
}
