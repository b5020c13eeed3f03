/* All devices, each disk followed by its partitions; and what a token means. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "device/device_priv.h"
#include "device/sysfs_priv.h"

#define PARTITIONS_MAX 256 /* of one disk; GPT has 128 */

static int compare_partitions(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	return (x->partition > y->partition) - (x->partition < y->partition);
}

/* Appends the partitions of `disk`, whose folder holds one folder for each. */
static void list_partitions(struct device_list *list, unsigned limit, const struct device *disk,
			    const struct device_roots *roots)
{
	struct device *first = &list->items[list->count];
	unsigned count = 0;
	const char *name;

	autodir dir = sysfs_open(roots, disk->sysfs, "");
	while (dir && (name = sysfs_next(dir)) && list->count < limit) {
		char folder[400];

		TEXT_SET(folder, "%s/%s", disk->sysfs, name);
		if (sysfs_exists(roots, folder, "partition") &&
		    device_load(&first[count], name, roots) == 0) {
			count++;
			list->count++;
		}
	}
	qsort(first, count, sizeof(*first), compare_partitions);
}

static unsigned count_partitions(const struct device_list *disks,
				 const struct device_roots *roots)
{
	unsigned count = 0;

	for (unsigned i = 0; i < disks->count; i++) {
		unsigned of_disk = 0;
		const char *name;

		autodir dir = sysfs_open(roots, disks->items[i].sysfs, "");
		while (dir && (name = sysfs_next(dir)) && of_disk < PARTITIONS_MAX)
			of_disk += str_starts(name, disks->items[i].name);
		count += of_disk;
	}
	return count;
}

int device_list(struct arena *arena, bool with_empty, const struct device_roots *roots,
		struct device_list *ret_list, struct err *err)
{
	struct device_list disks, list = {.count = 0};
	unsigned limit;
	int rc = device_load_disks(arena, roots, &disks);

	if (rc < 0)
		return err_env(err, rc, "%s/class/block: %s", roots->sys, err_name(rc));
	limit = disks.count + count_partitions(&disks, roots);
	list.items = arena_array(arena, struct device, limit + 1);
	for (unsigned i = 0; i < disks.count; i++) {
		if ((disks.items[i].size_bytes == 0 && !with_empty) || list.count == limit)
			continue;
		list.items[list.count++] = disks.items[i];
		list_partitions(&list, limit, &disks.items[i], roots);
	}
	for (unsigned i = 0; i < list.count; i++)
		identity_set_token(&list.items[i], disks.items, disks.count);
	*ret_list = list;
	return 0;
}

bool device_token_is(const struct device *device, const char *token)
{
	size_t length = strlen(device->token);
	const char *part;

	if (!token[0])
		return false;
	if (str_equal(device->token, token))
		return true;
	if (device->kind != DEVICE_PARTITION)
		return false;
	part = strstr(device->token, "-part");
	while (part && strstr(part + 1, "-part"))
		part = strstr(part + 1, "-part");
	return part && (size_t)(part - device->token) == strlen(token) && length &&
	       strncmp(device->token, token, strlen(token)) == 0;
}
