/* What a plan works on. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/lang.h"
#include "device/attached.h"
#include "device/filesystem.h"
#include "device/shared.h"
#include "plan/execute.h"
#include "sim/profile.h"

/* A drive of 1/scale of the size, with all that depends on it in proportion. The model itself is
 * not opened: one of full size takes seconds and gigabytes, and may be refused yet. */
static int look_simulated(const char *path, unsigned scale, struct arena *arena,
			  struct plan_drive *drive, struct err *err)
{
	const char *name = path + strlen("sim:");
	struct profile profile;
	int rc = profile_parse(name, &profile, err);

	if (rc)
		return rc;
	drive->kind = PLAN_SIMULATED;
	drive->path = path;
	if (scale > 1) {
		drive->path = arena_printf(arena, "%s,scale=%llu", path,
					   (unsigned long long)profile.scale * scale);
		rc = profile_parse(drive->path + strlen("sim:"), &profile, err);
	}
	drive->size_bytes = rc ? 0 : profile_scaled(&profile, profile.size_bytes);
	return rc;
}

/* A name that is not there, where only the kernel makes names: a device that was mistyped. */
static bool lies_among_devices(const char *path)
{
	struct filesystem fs;

	return filesystem_of_path(&fs, path, &device_roots_real, NULL) == 0 &&
	       filesystem_is_kernel(&fs);
}

static bool has_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	autostr folder = {0};
	struct stat st;

	if (!slash)
		return true;
	str_add_bytes(&folder, path, (size_t)(slash - path + 1));
	return stat(str_text(&folder), &st) == 0 && S_ISDIR(st.st_mode);
}

/* The file says what it is, not its name: /dev/shm holds files. */
static int look_real(const char *path, struct plan_drive *drive, struct err *err)
{
	struct stat st;
	bool is_there = stat(path, &st) == 0;
	int rc;

	drive->path = path;
	drive->lock = DEVICE_LOCK_NONE;
	if (is_there && S_ISDIR(st.st_mode))
		return err_input(err,
				 "\"%s\" is a directory: name a file in it, as %s/assay.data",
				 path, path);
	if (device_is_serial(path) || (is_there && !S_ISREG(st.st_mode)) ||
	    (!is_there && lies_among_devices(path))) {
		rc = device_from_path(&drive->device, path, &device_roots_real, err);
		drive->kind = PLAN_BLOCK;
		drive->size_bytes = rc ? 0 : drive->device.size_bytes;
		return rc;
	}
	if (!is_there && !has_folder(path))
		return err_env(err, -ENOENT,
			       "\"%s\": there is no such folder: make it, or name another file",
			       path);
	drive->kind = PLAN_FILE;
	file_identity(path, drive->device.serial, sizeof(drive->device.serial));
	drive->size_bytes = is_there ? (uint64_t)st.st_size : 0;
	return 0;
}

int plan_target_look(const char *path, unsigned scale, struct arena *arena,
		     struct plan_drive *ret_drive, struct plan_target *ret_target,
		     struct err *err)
{
	int rc;

	*ret_drive = (struct plan_drive){.lock = DEVICE_LOCK_NONE};
	rc = str_starts(path, "sim:") ? look_simulated(path, scale, arena, ret_drive, err)
				      : look_real(path, ret_drive, err);
	if (rc)
		return rc;
	*ret_target = (struct plan_target){
		.path = arena_strdup(arena, path),
		.model = arena_strdup(arena, ret_drive->device.model),
		.serial = arena_strdup(arena, ret_drive->device.serial),
		.firmware = arena_strdup(arena, ret_drive->device.firmware),
		.size_bytes = ret_drive->kind == PLAN_FILE ? 0 : ret_drive->size_bytes,
	};
	if (ret_drive->kind != PLAN_SIMULATED)
		ret_drive->size_bytes /= scale;
	return 0;
}

void plan_targets_share(struct plan_drive *drives, unsigned ndrives, struct arena *arena)
{
	char what[SHARED_TEXT_BYTES];

	for (unsigned i = 0; i < ndrives; i++)
		for (unsigned k = 0; k < ndrives; k++) {
			struct plan_drive *drive = &drives[i];
			const char *before = drive->shares;

			if (i == k || drive->kind == PLAN_SIMULATED ||
			    !device_shared(drive->path, drives[k].path, &device_roots_real,
					   what))
				continue;
			drive->shares =
				arena_printf(arena, "%s%s%s with %s", before ? before : "",
					     before ? ", " : "", what, drives[k].path);
		}
}

/* Plans of older versions knew no serial of files and of what is attached; a file that is gone is
 * laid out again. */
static bool is_known(const struct plan_target *then, const struct plan_target *now,
		     const char *before, const char *after)
{
	return before != then->serial ||
	       (*before && (*after || then->size_bytes || now->size_bytes));
}

int plan_target_same(const struct plan_target *then, const struct plan_target *now,
		     struct err *err)
{
	const struct {
		const char *what, *before, *after;
	} texts[] = {{"model", then->model, now->model},
		     {N_("serial number"), then->serial, now->serial},
		     {"firmware", then->firmware, now->firmware}};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (is_known(then, now, texts[i].before, texts[i].after) &&
		    !attached_same(texts[i].before, texts[i].after))
			return err_env(err, -ESTALE,
				       "\"%s\" is another drive than the plan began with: its "
				       "%s was \"%s\" and is \"%s\"",
				       then->path, texts[i].what, texts[i].before,
				       texts[i].after);
	if (then->size_bytes != now->size_bytes)
		return err_env(err, -ESTALE,
			       "\"%s\" is another drive than the plan began with: it had %llu "
			       "bytes and has %llu",
			       then->path, (unsigned long long)then->size_bytes,
			       (unsigned long long)now->size_bytes);
	return 0;
}
