#include "device/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/lang.h"
#include "base/str.h"
#include "device/filesystem.h"
#include "device/sysfs_priv.h"

struct walk {
	const struct device_roots *roots;
	struct device_stack *stack;
	unsigned files; /* backing files and overlays gone through, against loops of them */
};

static void walk_file(struct walk *walk, const char *path, int above, const char *via);

/* Index of the new layer; -1 when it is there already, or there is no room. */
static int walk_add(struct walk *walk, const struct device *device, int above, const char *via)
{
	struct device_stack *stack = walk->stack;
	struct stack_layer *layer;

	for (unsigned i = 0; i < stack->count; i++) {
		if (str_equal(stack->layer[i].device.name, device->name))
			return -1;
	}
	if (stack->count == STACK_MAX) {
		stack->truncated = true;
		return -1;
	}
	layer = &stack->layer[stack->count];
	layer->device = *device;
	layer->above = above;
	TEXT_SET(layer->via, "%s", via);
	return (int)stack->count++;
}

/* A stack is at most STACK_MAX deep, and so is this recursion. */
/* NOLINTBEGIN(misc-no-recursion) */
static void walk_device(struct walk *walk, const struct device *device, int above,
			const char *via);

static void walk_name(struct walk *walk, const char *name, int above, const char *via)
{
	struct device device;

	if (device_from_name(&device, name, walk->roots, NULL) == 0)
		walk_device(walk, &device, above, via);
}

/* dm, md and bcache name what they stand on. */
static unsigned walk_slaves(struct walk *walk, int at)
{
	const struct device *device = &walk->stack->layer[at].device;
	autodir dir = sysfs_open(walk->roots, device->sysfs, "slaves");
	unsigned count = 0;
	char via[360];
	const char *name;

	TEXT_SET(via, "member of %s", device->name);
	while (dir && (name = sysfs_next(dir))) {
		walk_name(walk, name, at, via);
		count++;
	}
	return count;
}

static void walk_device(struct walk *walk, const struct device *device, int above,
			const char *via)
{
	int at = walk_add(walk, device, above, via);
	struct stack_layer *layer;
	unsigned before;
	char below[360];

	if (at < 0)
		return;
	layer = &walk->stack->layer[at];
	if (device->kind == DEVICE_PARTITION) {
		TEXT_SET(below, "disk of partition %s", device->name);
		walk_name(walk, device->parent, at, below);
		return;
	}
	if (walk_slaves(walk, at))
		return;
	before = walk->stack->count;
	if (device->kind == DEVICE_LOOP && device->backing[0]) {
		TEXT_SET(below, "backing file %s of %s", device->backing, device->name);
		walk_file(walk, device->backing, at, below);
	}
	layer->leaf = walk->stack->count == before;
}

/* All devices of a mounted btrfs, which has an anonymous number: the kernel lists them by the
 * file system's UUID. */
static void walk_btrfs(struct walk *walk, const char *name, int above, const char *via)
{
	autodir uuids = sysfs_open(walk->roots, "/fs/btrfs", "");
	const char *uuid;

	while (uuids && (uuid = sysfs_next(uuids))) {
		char folder[400];
		const char *member;

		TEXT_SET(folder, "/fs/btrfs/%s/devices", uuid);
		if (!sysfs_exists(walk->roots, folder, name))
			continue;
		autodir members = sysfs_open(walk->roots, folder, "");
		while (members && (member = sysfs_next(members)))
			walk_name(walk, member, above, via);
	}
	walk_name(walk, name, above, via); /* once more does nothing */
}

/* The devices named by a mount's source: one, or several with ':' between (bcachefs). */
static void walk_source(struct walk *walk, const struct filesystem *fs, int above,
			const char *via)
{
	char source[300], *next = source, *one;

	TEXT_SET(source, "%s", fs->source);
	while ((one = strsep(&next, ":"))) {
		struct device device;

		if (device_from_path(&device, one, walk->roots, NULL) < 0)
			continue;
		if (str_equal(fs->type, "btrfs"))
			walk_btrfs(walk, device.name, above, via);
		else
			walk_device(walk, &device, above, via);
	}
}

/* Where an overlay's new files lie, if this process can see it. */
static bool overlay_upper(const struct filesystem *fs, char ret_path[300])
{
	const char *upper = strstr(fs->options, "upperdir=");
	struct stat st;

	if (!upper)
		return false;
	upper += strlen("upperdir=");
	text_set(ret_path, 300, "%.*s", (int)strcspn(upper, ","), upper);
	return stat(ret_path, &st) == 0;
}

static void explain_none(struct device_stack *stack, const struct filesystem *fs)
{
	switch (fs->kind) {
	case FILESYSTEM_MEMORY:
		TEXT_SET(stack->why_none, "%s lives in memory", fs->type);
		break;
	case FILESYSTEM_NETWORK:
		TEXT_SET(stack->why_none, "%s from %.100s: the device is on another machine",
			 fs->type, fs->source);
		break;
	case FILESYSTEM_OVERLAY:
		TEXT_SET(stack->why_none, "%s: the file system below cannot be seen from here",
			 fs->type);
		break;
	case FILESYSTEM_KERNEL:
	case FILESYSTEM_FUSE:
	case FILESYSTEM_DISK:
	case FILESYSTEM_OTHER:
	case NFILESYSTEM_KIND:
		TEXT_SET(stack->why_none, "%s (%.100s) does not tell its device",
			 device_text(fs->type), device_text(fs->source));
		break;
	}
}

static void walk_file(struct walk *walk, const char *path, int above, const char *via)
{
	struct filesystem fs;
	struct device device;
	struct stat st;
	char upper[300];

	if (++walk->files > STACK_MAX)
		return;
	if (stat(path, &st) == 0 && S_ISBLK(st.st_mode)) {
		if (device_from_number(&device, st.st_rdev, walk->roots, NULL) == 0)
			walk_device(walk, &device, above, via);
		return;
	}
	if (above >= 0 && stat(path, &st) < 0)
		return; /* a backing file that was deleted, or of another namespace */
	if (filesystem_of_path(&fs, path, walk->roots, NULL) < 0)
		return;
	if (fs.major &&
	    device_from_number(&device, makedev(fs.major, fs.minor), walk->roots, NULL) == 0)
		walk_device(walk, &device, above, via);
	else if (fs.kind == FILESYSTEM_DISK)
		walk_source(walk, &fs, above, via);
	else if (fs.kind == FILESYSTEM_OVERLAY && overlay_upper(&fs, upper))
		walk_file(walk, upper, above, via);
	if (walk->stack->count == 0)
		explain_none(walk->stack, &fs);
}

static void stack_start(struct arena *arena, struct device_stack *stack)
{
	*stack = (struct device_stack){
		.layer = arena_array(arena, struct stack_layer, STACK_MAX),
	};
}

/* NOLINTEND(misc-no-recursion) */

int device_of_file(struct arena *arena, const char *path, const struct device_roots *roots,
		   struct device_stack *ret_stack, struct err *err)
{
	struct walk walk = {.roots = roots, .stack = ret_stack};
	struct filesystem fs;
	struct device device;
	struct stat st;
	int rc = 0;

	stack_start(arena, ret_stack);
	if (device_is_serial(path) || (stat(path, &st) == 0 && S_ISBLK(st.st_mode))) {
		rc = device_from_path(&device, path, roots, err);
		if (rc == 0)
			walk_device(&walk, &device, -1, N_("the device itself"));
		return rc;
	}
	rc = filesystem_of_path(&fs, path, roots, err); /* for its error */
	if (rc == 0)
		walk_file(&walk, path, -1, N_("file system of the file"));
	return rc;
}

void device_stack_below(struct arena *arena, const struct device *device,
			const struct device_roots *roots, struct device_stack *ret_stack)
{
	struct walk walk = {.roots = roots, .stack = ret_stack};

	stack_start(arena, ret_stack);
	walk_device(&walk, device, -1, N_("the device itself"));
}
