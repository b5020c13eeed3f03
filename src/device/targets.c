#include "device/targets.h"

#include <string.h>
#include <unistd.h>

#include "base/lang.h"
#include "base/str.h"
#include "device/filesystem_priv.h"
#include "device/mounts_priv.h"
#include "device/sysfs_priv.h"

/* "GPT partition table, 3 partitions": from the facts of the device itself. */
static void holds_text(const struct guard_facts *facts, struct targets_device *row)
{
	autostr text = {0};

	for (unsigned i = 0; i < facts->nsignatures && i < GUARD_SIGNATURES_MAX; i++) {
		const struct guard_signature *signature = &facts->signature[i];

		if (!str_equal(signature->device, facts->device.name))
			continue; /* its partitions have rows of their own */
		str_printf(&text, "%s%s", text.length ? ", " : "", signature->type);
		if (signature->label[0])
			str_printf(&text, " \"%s\"", signature->label);
	}
	if (!text.length && facts->data_blocks)
		str_add(&text, N_("data without a signature"));
	if (!text.length && facts->sampled_blocks && !facts->unreadable)
		str_add(&text, N_("blank"));
	TEXT_SET(row->holds, "%s", str_text(&text));
	row->looked = !facts->unreadable;
}

static int list_devices(struct arena *arena, const struct device_roots *roots,
			struct targets *targets, struct err *err)
{
	static const struct guard_rules native = {.face = GUARD_NATIVE};
	struct guard_facts *facts = arena_new(arena, struct guard_facts);
	struct device_list list;
	int rc = device_list(arena, false, roots, &list, err);

	if (rc < 0)
		return rc;
	targets->devices = arena_array(arena, struct targets_device, list.count + 1);
	for (unsigned i = 0; i < list.count && rc == 0; i++) {
		struct targets_device *row = &targets->devices[targets->ndevices++];

		row->device = list.items[i];
		rc = guard_gather_device(facts, &row->device, true, roots, err);
		if (rc < 0)
			break;
		guard_decide(facts, &native, &row->native);
		holds_text(facts, row);
	}
	return rc;
}

static bool is_listed(const struct filesystem *fs)
{
	switch (fs->kind) {
	case FILESYSTEM_DISK:
	case FILESYSTEM_NETWORK:
	case FILESYSTEM_OVERLAY:
	case FILESYSTEM_FUSE:
		return true;
	case FILESYSTEM_MEMORY:
		return str_equal(fs->type, "tmpfs") && fs->size_bytes;
	case FILESYSTEM_KERNEL:
	case FILESYSTEM_OTHER:
	case NFILESYSTEM_KIND:
		break;
	}
	return false;
}

static void judge_mount(struct targets_mount *row)
{
	if (row->fs.read_only)
		TEXT_SET(row->why_not, "mounted read-only");
	else if (row->fs.size_bytes && !row->fs.free_bytes)
		TEXT_SET(row->why_not, "full");
	else if (access(row->fs.mount_point, W_OK) < 0)
		TEXT_SET(row->why_not, "no permission at its top folder");
	row->writable = !row->why_not[0];
}

static int list_mounts(struct arena *arena, const struct device_roots *roots,
		       struct targets *targets, struct err *err)
{
	struct mounts mounts = {.count = 0};
	int rc = mounts_read(arena, roots, "self", "", &mounts);

	if (rc < 0)
		return err_env(err, rc, "%s/self/mountinfo: %s", roots->proc, err_name(rc));
	targets->mounts = arena_array(arena, struct targets_mount, mounts.count + 1);
	for (unsigned i = 0; i < mounts.count; i++) {
		struct targets_mount *row = &targets->mounts[targets->nmounts];
		bool covered = false;

		for (unsigned later = i + 1; later < mounts.count; later++)
			covered |= str_equal(mounts.items[later].point, mounts.items[i].point);
		if (covered)
			continue;
		*row = (struct targets_mount){.writable = false};
		filesystem_from_mount(&row->fs, &mounts.items[i], mounts.items[i].point);
		if (!is_listed(&row->fs))
			continue;
		judge_mount(row);
		targets->nmounts++;
	}
	return 0;
}

int targets_list(struct arena *arena, const struct device_roots *roots,
		 struct targets *ret_targets, struct err *err)
{
	int rc;

	*ret_targets = (struct targets){.ndevices = 0};
	rc = list_devices(arena, roots, ret_targets, err);
	return rc < 0 ? rc : list_mounts(arena, roots, ret_targets, err);
}
