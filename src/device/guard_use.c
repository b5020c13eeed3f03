/*
 * Who uses a device: a walk upwards over everything that stands on it (partitions, holders,
 * loop devices), with the mounts and swaps of each; and one step downwards, to the disk of a
 * partition and to the device behind a loop device.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/str.h"
#include "device/device_priv.h"
#include "device/guard_priv.h"
#include "device/mounts_priv.h"
#include "device/sysfs_priv.h"

#define VISITED_MAX 512

struct search {
	const struct device_roots *roots;
	struct guard_facts *facts;
	const char *target; /* its own loop device is no use of the device behind it */
	struct mounts mounts;
	struct swaps swaps;
	struct device_list disks;
	char visited[VISITED_MAX][64];
	unsigned nvisited;
};

void use_add(struct guard_facts *facts, enum guard_use_kind kind, const char *device,
	     const char *fmt, ...)
{
	struct guard_use use = {.kind = kind};
	va_list args;

	TEXT_SET(use.device, "%s", device);
	va_start(args, fmt);
	(void)vsnprintf(use.where, sizeof(use.where), fmt, args);
	va_end(args);
	for (unsigned i = 0; i < facts->nuses && i < GUARD_USES_MAX; i++) {
		if (facts->use[i].kind == kind && str_equal(facts->use[i].device, device) &&
		    str_equal(facts->use[i].where, use.where))
			return; /* the same mount seen in another namespace */
	}
	if (facts->nuses < GUARD_USES_MAX)
		facts->use[facts->nuses] = use;
	facts->nuses++;
}

/* Bounded by VISITED_MAX: no device is looked at twice. */
/* NOLINTBEGIN(misc-no-recursion) */
static void look_up(struct search *search, const struct device *device);

static bool visit(struct search *search, const char *name)
{
	for (unsigned i = 0; i < search->nvisited; i++) {
		if (str_equal(search->visited[i], name))
			return false;
	}
	if (search->nvisited == VISITED_MAX)
		return false; /* by then there are uses enough to refuse */
	TEXT_SET(search->visited[search->nvisited], "%s", name);
	search->nvisited++;
	return true;
}

static bool mount_is_of(const struct search *search, const struct mount *mount,
			const struct device *device)
{
	if (mount->major) /* file systems with an anonymous number are known by their source */
		return device_has_number(device, mount->major, mount->minor);
	return mounts_path_is(mount->source, device, search->roots);
}

/* A mounted btrfs tells its further devices in sysfs only. */
static bool look_btrfs(struct search *search, const struct device *device)
{
	autodir dir = sysfs_open(search->roots, "/fs/btrfs", "");
	const char *uuid;

	while (dir && (uuid = sysfs_next(dir))) {
		char folder[400];

		TEXT_SET(folder, "/fs/btrfs/%s/devices", uuid);
		if (!sysfs_exists(search->roots, folder, device->name))
			continue;
		use_add(search->facts, USE_MOUNTED, device->name, "the mounted btrfs %s", uuid);
		return true;
	}
	return false;
}

/* Most namespaces repeat our own mounts: those are said once, as ours. */
static bool mount_is_said(const struct guard_facts *facts, const struct device *device,
			  const char *point)
{
	size_t length = strlen(point);

	for (unsigned i = 0; i < facts->nuses && i < GUARD_USES_MAX; i++) {
		const struct guard_use *use = &facts->use[i];

		if (use->kind == USE_MOUNTED && str_equal(use->device, device->name) &&
		    strncmp(use->where, point, length) == 0 &&
		    (!use->where[length] || str_starts(use->where + length, " (in ")))
			return true;
	}
	return false;
}

static void look_mounts(struct search *search, const struct device *device)
{
	bool found = false;

	for (unsigned i = 0; i < search->mounts.count; i++) {
		const struct mount *mount = &search->mounts.items[i];

		if (!mount_is_of(search, mount, device))
			continue;
		found = true;
		if (mount_is_said(search->facts, device, mount->point))
			continue;
		if (mount->namespace[0])
			use_add(search->facts, USE_MOUNTED, device->name,
				"%.200s (in %s mounts)", mount->point, mount->namespace);
		else
			use_add(search->facts, USE_MOUNTED, device->name, "%s", mount->point);
	}
	if (!found)
		(void)look_btrfs(search, device);
	for (unsigned i = 0; i < search->swaps.count; i++) {
		if (mounts_path_is(search->swaps.paths[i], device, search->roots))
			use_add(search->facts, USE_SWAP, device->name, "%s",
				search->swaps.paths[i]);
	}
}

/* "dm-0 (LVM vg-root)", "md127" */
static void holder_name(const struct device_roots *roots, const struct device *holder,
			char *ret_text, size_t size_bytes)
{
	static const struct {
		const char *prefix, *word;
	} owners[] = {
		{"LVM-", "LVM volume "},
		{"CRYPT-", "encrypted volume "},
		{"mpath-", "multipath "},
		{"part", "partition "},
	};
	const char *word = "device-mapper ";
	char name[100];

	if (holder->kind != DEVICE_DM) {
		text_set(ret_text, size_bytes, "%s (%s)", holder->name,
			 device_kind_name(holder->kind));
		return;
	}
	SYSFS_LINE(roots, holder->sysfs, "dm/name", name);
	for (unsigned i = 0; i < sizeof(owners) / sizeof(owners[0]); i++) {
		if (str_starts(holder->wwid, owners[i].prefix))
			word = owners[i].word;
	}
	text_set(ret_text, size_bytes, "%s (%s%s)", holder->name, word, name);
}

static void look_holders(struct search *search, const struct device *device)
{
	autodir dir = sysfs_open(search->roots, device->sysfs, "holders");
	const char *name;

	while (dir && (name = sysfs_next(dir))) {
		struct device holder;
		char text[200];

		if (device_load(&holder, name, search->roots) < 0) {
			use_add(search->facts, USE_HOLDER, device->name, "%s", name);
			continue;
		}
		holder_name(search->roots, &holder, text, sizeof(text));
		use_add(search->facts, USE_HOLDER, device->name, "%s", text);
		look_up(search, &holder);
	}
	if (device->kind != DEVICE_BCACHE &&
	    sysfs_exists(search->roots, device->sysfs, "bcache"))
		use_add(search->facts, USE_HOLDER, device->name, "bcache");
}

static void look_partitions(struct search *search, const struct device *device)
{
	autodir dir = sysfs_open(search->roots, device->sysfs, "");
	const char *name;

	while (dir && (name = sysfs_next(dir))) {
		char folder[400];
		struct device partition;

		TEXT_SET(folder, "%s/%s", device->sysfs, name);
		if (sysfs_exists(search->roots, folder, "partition") &&
		    device_load(&partition, name, search->roots) == 0)
			look_up(search, &partition);
	}
}

static void look_loops(struct search *search, const struct device *device)
{
	for (unsigned i = 0; i < search->disks.count; i++) {
		const struct device *loop = &search->disks.items[i];

		if (loop->kind != DEVICE_LOOP || !loop->backing[0] ||
		    str_equal(loop->name, search->target) ||
		    !mounts_path_is(loop->backing, device, search->roots))
			continue;
		use_add(search->facts, USE_LOOP, device->name, "%s", loop->name);
		look_up(search, loop);
	}
}

/* The device and all that stands on it. */
static void look_up(struct search *search, const struct device *device)
{
	if (!visit(search, device->name))
		return;
	look_mounts(search, device);
	look_holders(search, device);
	look_loops(search, device);
	if (device->kind != DEVICE_PARTITION)
		look_partitions(search, device);
}
/* NOLINTEND(misc-no-recursion) */

/* The disk of a partition: used as a whole, without its other partitions. */
static void look_disk(struct search *search, const struct device *partition)
{
	struct device disk;

	if (device_load(&disk, partition->parent, search->roots) < 0 ||
	    !visit(search, disk.name))
		return;
	look_mounts(search, &disk);
	look_holders(search, &disk);
	look_loops(search, &disk);
}

/* Behind a loop device: a block device with users of its own, or a file that other loop
 * devices have too. */
static void look_backing(struct search *search, const struct device *loop)
{
	char link[64], folder[300];
	struct device below;
	struct stat st;

	for (unsigned i = 0; i < search->disks.count; i++) {
		const struct device *other = &search->disks.items[i];

		if (other->kind == DEVICE_LOOP && str_equal(other->backing, loop->backing))
			look_up(search, other);
	}
	if (stat(loop->backing, &st) < 0 || !S_ISBLK(st.st_mode))
		return;
	TEXT_SET(link, "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	if (sysfs_resolve(search->roots, "/dev/block", link, folder, sizeof(folder)) == 0 &&
	    device_load(&below, strrchr(folder, '/') + 1, search->roots) == 0)
		look_up(search, &below);
}

static int search_start(struct search *search, struct arena *arena, struct err *err)
{
	const struct device_roots *roots = search->roots;
	int rc = mounts_read_all(arena, roots, &search->mounts);

	if (rc < 0)
		return err_env(err, rc, "%s/self/mountinfo: %s: cannot tell what is mounted",
			       roots->proc, err_name(rc));
	rc = swaps_read(arena, roots, &search->swaps);
	if (rc < 0)
		return err_env(err, rc, "%s/swaps: %s: cannot tell what is swap", roots->proc,
			       err_name(rc));
	rc = device_load_disks(arena, roots, &search->disks);
	if (rc < 0)
		return err_env(err, rc, "%s/class/block: %s", roots->sys, err_name(rc));
	return 0;
}

int uses_gather(struct guard_facts *facts, const struct device *device,
		const struct device_roots *roots, struct err *err)
{
	struct search *search;
	struct arena arena;
	int rc;

	arena_init(&arena);
	search = arena_new(&arena, struct search);
	*search = (struct search){.roots = roots, .facts = facts, .target = device->name};
	rc = search_start(search, &arena, err);
	if (rc == 0) {
		look_up(search, device);
		if (device->kind == DEVICE_PARTITION)
			look_disk(search, device);
		if (device->backing[0])
			look_backing(search, device);
	}
	arena_done(&arena);
	return rc;
}

static bool path_is_file(const char *path, const struct guard_facts *facts)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_dev == facts->file_dev &&
	       st.st_ino == facts->file_ino;
}

int uses_gather_file(struct guard_facts *facts, const struct device_roots *roots,
		     struct err *err)
{
	struct search *search;
	struct arena arena;
	int rc;

	arena_init(&arena);
	search = arena_new(&arena, struct search);
	*search = (struct search){.roots = roots, .facts = facts, .target = ""};
	rc = search_start(search, &arena, err);
	for (unsigned i = 0; rc == 0 && i < search->swaps.count; i++) {
		if (path_is_file(search->swaps.paths[i], facts))
			use_add(facts, USE_SWAP, "", "%s", search->swaps.paths[i]);
	}
	for (unsigned i = 0; rc == 0 && i < search->disks.count; i++) {
		const struct device *loop = &search->disks.items[i];

		if (!loop->backing[0] || !path_is_file(loop->backing, facts))
			continue;
		use_add(facts, USE_LOOP, "", "%s", loop->name);
		look_up(search, loop);
	}
	arena_done(&arena);
	return rc;
}
