#include "device/environment.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/str.h"
#include "device/environment_priv.h"
#include "device/filesystem.h"
#include "device/stack.h"
#include "device/sysfs_priv.h"

#define ENTRIES_AT_FIRST 128
#define ENTRIES_MAX	 4096 /* some forty devices; beyond that nobody reads them */
#define PATHS_MAX	 64   /* of many files the first ones speak for all */

/* What is another at each look and says nothing by that. */
static const char *const moving[] = {
	"uptime_s",	  "load1",	   "memory_available_bytes",
	"frequency_khz",  "temperature_c", "hottest_zone_c",
	"free_bytes",	  "date_utc",	   "device_temperature_c",
	"hugepages_free", "processes",
};

bool environment_moves(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(moving); i++) {
		if (str_equal(name, moving[i]))
			return true;
	}
	return false;
}

void environment_add(struct environment_list *list, const char *of, const char *name,
		     const char *value)
{
	const char *text = value && *value ? arena_strdup(list->arena, value) : NULL;

	if (list->count == ENTRIES_MAX)
		return;
	if (list->count == list->room) {
		struct environment_entry *old = list->entries;

		list->room = list->room ? 2 * list->room : ENTRIES_AT_FIRST;
		list->entries = arena_array(list->arena, struct environment_entry, list->room);
		if (list->count)
			memcpy(list->entries, old, list->count * sizeof(*old));
	}
	list->entries[list->count++] =
		(struct environment_entry){.of = arena_strdup(list->arena, of),
					   .name = arena_strdup(list->arena, name),
					   .before = text,
					   .after = text,
					   .moves = environment_moves(name)};
}

void environment_printf(struct environment_list *list, const char *of, const char *name,
			const char *fmt, ...)
{
	autostr text = {0};
	va_list args;

	va_start(args, fmt);
	str_vprintf(&text, fmt, args);
	va_end(args);
	environment_add(list, of, name, str_text(&text));
}

void environment_add_sysfs(struct environment_list *list, const char *of, const char *name,
			   const char *folder, const char *attribute)
{
	char line[1024];

	SYSFS_LINE(list->roots, folder, attribute, line);
	environment_add(list, of, name, line);
}

void environment_add_degrees(struct environment_list *list, const char *of, const char *name,
			     const char *thousandths)
{
	bool below = *thousandths == '-';
	uint64_t value;

	if (text_u64(thousandths + below, &value))
		environment_printf(list, of, name, "%s%" PRIu64, below ? "-" : "",
				   value / 1000);
	else
		environment_add(list, of, name, NULL);
}

static bool is_known(const struct environment_list *list, const char *of)
{
	for (unsigned i = 0; i < list->count; i++) {
		if (str_equal(list->entries[i].of, of))
			return true;
	}
	return false;
}

static void add_filesystem(struct environment_list *list, const char *path)
{
	struct filesystem fs;

	if (filesystem_of_path(&fs, path, list->roots, NULL) < 0 || filesystem_is_kernel(&fs) ||
	    is_known(list, fs.mount_point))
		return;
	environment_add(list, fs.mount_point, "type", fs.type);
	environment_add(list, fs.mount_point, "source", fs.source);
	environment_add(list, fs.mount_point, "mount_options", fs.options);
	environment_printf(list, fs.mount_point, "size_bytes", "%" PRIu64, fs.size_bytes);
	environment_printf(list, fs.mount_point, "free_bytes", "%" PRIu64, fs.free_bytes);
	environment_printf(list, fs.mount_point, "block_bytes", "%" PRIu32, fs.block_bytes);
}

static void add_path(struct environment_list *list, const char *path)
{
	struct device_stack stack = {0};

	add_filesystem(list, path);
	if (device_of_file(list->arena, path, list->roots, &stack, NULL) < 0)
		return;
	for (unsigned i = 0; i < stack.count; i++) {
		const struct stack_layer *layer = &stack.layer[i];

		if (is_known(list, layer->device.name))
			continue;
		environment_add(list, layer->device.name, "below", layer->via);
		environment_of_device(list, &layer->device);
	}
}

void environment_read(struct arena *arena, const char *const *paths, unsigned npaths,
		      const struct device_roots *roots, struct environment *ret_environment)
{
	struct environment_list list = {.arena = arena, .roots = roots};

	environment_of_host(&list);
	for (unsigned i = 0; i < npaths && i < PATHS_MAX; i++)
		add_path(&list, paths[i]);
	*ret_environment = (struct environment){.entries = list.entries, .count = list.count};
}

static struct environment_entry *find(struct environment *environment,
				      const struct environment_entry *entry, unsigned near)
{
	for (unsigned i = 0; i < environment->count; i++) {
		struct environment_entry *one =
			&environment->entries[(near + i) % environment->count];

		if (str_equal(one->name, entry->name) && str_equal(one->of, entry->of))
			return one;
	}
	return NULL;
}

void environment_update(struct arena *arena, struct environment *environment,
			const struct environment *now)
{
	struct environment_list list = {.arena = arena,
					.entries = environment->entries,
					.count = environment->count,
					.room = environment->count};

	for (unsigned i = 0; i < environment->count; i++)
		environment->entries[i].after = NULL;
	for (unsigned i = 0; i < now->count; i++) {
		const struct environment_entry *entry = &now->entries[i];
		struct environment_entry *one = find(environment, entry, i);

		if (!one) {
			environment_add(&list, entry->of, entry->name, entry->before);
			one = &list.entries[list.count - 1];
			one->before = NULL;
			*environment = (struct environment){.entries = list.entries,
							    .count = list.count};
		}
		one->after = entry->before ? arena_strdup(arena, entry->before) : NULL;
	}
}

bool environment_changed(const struct environment_entry *entry)
{
	const char *before = entry->before, *after = entry->after;

	if (entry->moves || before == after)
		return false;
	return !before || !after || !str_equal(before, after);
}
