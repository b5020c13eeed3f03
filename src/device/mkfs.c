#include "device/mkfs.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <libmount/libmount.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/program.h"
#include "base/str.h"
#include "device/filesystem.h"
#include "device/mounts_priv.h"
#include "device/sysfs_priv.h"

#define PLACES	      "/run/assay"
#define ARGUMENTS_MAX 40
#define BUSY_TRIES    40 /* who was killed takes a moment to close its files */
#define BUSY_PAUSE_NS (50 * NS_PER_MS)

static const struct maker {
	const char *type, *program, *package;
	const char *options[7]; /* quiet, forced, without discards and without later work */
	/* What it writes at most: one in `share` of the device, and a log. */
	uint64_t share, log_bytes;
} makers[] = {
	{"ext4",
	 "mkfs.ext4",
	 "e2fsprogs",
	 {"-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"},
	 16,
	 GiB},
	{"xfs", "mkfs.xfs", "xfsprogs", {"-q", "-f", "-K"}, 256, 2 * GiB},
	{"btrfs", "mkfs.btrfs", "btrfs-progs", {"-q", "-f", "-K"}, 1024, 64 * MiB},
};
const char mkfs_types[] = "ext4, xfs, btrfs";

static const struct maker *maker_of(const char *type)
{
	for (unsigned i = 0; i < ARRAY_SIZE(makers); i++)
		if (str_equal(makers[i].type, type))
			return &makers[i];
	return NULL;
}

bool mkfs_knows(const char *type)
{
	return maker_of(type) != NULL;
}

bool mkfs_is_ours(const struct device *device, const char *label)
{
	blkid_probe probe = blkid_new_probe_from_filename(device->path);
	const char *found = "";
	bool ours;

	if (!probe)
		return false;
	(void)blkid_probe_enable_superblocks(probe, 1);
	(void)blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_LABEL);
	if (blkid_do_safeprobe(probe) || blkid_probe_lookup_value(probe, "LABEL", &found, NULL))
		found = ""; /* nothing, or several things at once */
	ours = str_equal(found, label);
	blkid_free_probe(probe);
	return ours;
}

/* --- mkfs --- */

uint64_t mkfs_bound_bytes(const struct mkfs_wish *wish, uint64_t size_bytes)
{
	const struct maker *maker = maker_of(wish->type);

	if (!maker || (wish->mkfs_options && *wish->mkfs_options))
		return size_bytes;
	return min_u64(size_bytes, size_bytes / maker->share + maker->log_bytes);
}

/* Its first line on either channel: "mke2fs 1.47.0 (5-Feb-2023)". */
static void add_version(const char *program, struct str *note)
{
	const char *const argv[] = {program, "-V", NULL};
	autoprogram end = {0};
	const char *text;

	if (program_run(argv, 10 * NS_PER_S, &end, NULL))
		return;
	text = end.out.length ? str_text(&end.out) : str_text(&end.error);
	str_printf(note, "%.*s: ", (int)strcspn(text, "\n"), text);
}

static int make(const struct maker *maker, const struct device *device,
		const struct mkfs_wish *wish, struct str *note, struct err *err)
{
	const char *argv[ARGUMENTS_MAX] = {maker->program};
	char words[1000], complaint[300], *rest = words;
	autoprogram end = {0};
	unsigned count = 1;
	int rc;

	TEXT_SET(words, "%s", wish->mkfs_options ? wish->mkfs_options : "");
	for (unsigned i = 0; maker->options[i]; i++)
		argv[count++] = maker->options[i];
	argv[count++] = "-L";
	argv[count++] = wish->label;
	for (char *word; (word = strtok_r(rest, " ", &rest)) && count < ARGUMENTS_MAX - 2;)
		argv[count++] = word;
	argv[count++] = device->path;
	rc = program_run(argv, 0, &end, err);
	if (rc)
		return rc;
	if (end.status)
		return err_env(err, -EPROTO, "%s: %s", maker->program,
			       program_complaint(&end, complaint, sizeof(complaint)));
	add_version(maker->program, note);
	for (unsigned i = 0; i < count; i++)
		str_printf(note, "%s%s", i ? " " : "", argv[i]);
	return 0;
}

/* --- mounting --- */

#define CALLS(X)                   \
	X(mnt_new_context)         \
	X(mnt_free_context)        \
	X(mnt_context_set_fstype)  \
	X(mnt_context_set_source)  \
	X(mnt_context_set_target)  \
	X(mnt_context_set_options) \
	X(mnt_context_mount)       \
	X(mnt_context_get_excode)

struct libmount {
	CALLS(LIBRARY_CALL)
};

static int libmount_open(struct libmount *ret_libmount, struct err *err)
{
	static const char *const names[] = {CALLS(LIBRARY_NAME)};
	static const struct library library = LIBMOUNT(names);

	return library_open(&library, ret_libmount, sizeof(*ret_libmount), err);
}

static int attach(const struct device *device, const struct mkfs_wish *wish, const char *point,
		  struct err *err)
{
	struct libmount lib;
	struct libmnt_context *context;
	char text[300] = "";
	int rc = libmount_open(&lib, err);

	if (rc)
		return rc;
	context = lib.mnt_new_context();
	rc = context ? 0 : -ENOMEM;
	if (!rc)
		rc = lib.mnt_context_set_fstype(context, wish->type);
	if (!rc)
		rc = lib.mnt_context_set_source(context, device->path);
	if (!rc)
		rc = lib.mnt_context_set_target(context, point);
	if (!rc && wish->mount_options && *wish->mount_options)
		rc = lib.mnt_context_set_options(context, wish->mount_options);
	if (!rc)
		rc = lib.mnt_context_mount(context);
	if (context && rc)
		(void)lib.mnt_context_get_excode(context, rc, text, sizeof(text));
	lib.mnt_free_context(context);
	if (!rc)
		return 0;
	return err_env(err, rc < 0 ? rc : -rc, "%s cannot be mounted as %s: %s", device->path,
		       wish->type, *text ? text : err_name(rc < 0 ? rc : -rc));
}

/* As the kernel has them: what was not asked for is an option as well. */
static void add_mount(const char *point, const struct device_roots *roots, struct str *note)
{
	struct filesystem fs;

	if (!filesystem_of_path(&fs, point, roots, NULL)) {
		str_add(note, note->length ? "; " : "");
		str_printf(note, N_("mounted with %s"), fs.options);
	}
}

static int make_place(const struct device *device, char ret_point[300], struct err *err)
{
	text_set(ret_point, 300, PLACES "/%s", device->name); /* a token may hold ":" */
	if ((mkdir(PLACES, 0700) < 0 && errno != EEXIST) ||
	    (mkdir(ret_point, 0700) < 0 && errno != EEXIST))
		return err_env(err, -errno, "cannot make \"%s\": %s", ret_point,
			       err_name(errno));
	return 0;
}

int mkfs_mount(const struct device *device, const struct mkfs_wish *wish,
	       const struct device_roots *roots, struct mkfs_hold *ret_hold, struct str *note,
	       struct err *err)
{
	const struct maker *maker = maker_of(wish->type);
	struct mkfs_hold hold = {.undo = {.kind = UNDO_MOUNT}};
	autostr program = {0};
	int rc = 0;

	if (!program_find(maker->program, &program))
		return err_env(err, -ENOENT, "%s is not installed (Debian: %s)", maker->program,
			       maker->package);
	if (!wish->state_folder)
		return err_env(err, -EINVAL,
			       "nothing can be noted, so no file system is mounted");
	rc = make_place(device, hold.point, err);
	if (!rc && wish->make)
		rc = make(maker, device, wish, note, err);
	TEXT_SET(hold.undo.value, "%s", hold.point);
	if (!rc)
		rc = undo_note(wish->state_folder, device, roots, &hold.undo, err);
	if (!rc) {
		rc = attach(device, wish, hold.point, err);
		if (rc)
			(void)undo_forget(&hold.undo, NULL);
	}
	if (rc) {
		(void)rmdir(hold.point); /* an empty folder that stays harms nobody */
		return rc == -ENODEV ? -ENOENT : rc;
	}
	add_mount(hold.point, roots, note);
	*ret_hold = hold;
	return 0;
}

int mkfs_unmount_point(const char *point, struct err *err)
{
	int rc = 0;

	if (!str_starts(point, PLACES "/"))
		return err_env(err, -EINVAL, "\"%s\" is no place of ours", point);
	for (unsigned i = 0; i < BUSY_TRIES; i++) {
		struct timespec nap = {.tv_nsec = (long)BUSY_PAUSE_NS};

		rc = umount2(point, UMOUNT_NOFOLLOW) < 0 ? -errno : 0;
		if (rc != -EBUSY)
			break;
		(void)nanosleep(&nap, NULL);
	}
	if (rc && rc != -EINVAL && rc != -ENOENT) /* not mounted, or no such folder: gone */
		return err_env(err, rc,
			       "\"%s\" cannot be unmounted: %s; do it by hand: umount %s",
			       point, err_name(rc), point);
	(void)rmdir(point);
	return 0;
}

int mkfs_unmount(struct mkfs_hold *hold, struct err *err)
{
	int rc;

	if (!hold->point[0])
		return 0;
	rc = mkfs_unmount_point(hold->point, err);
	if (rc)
		return rc;
	hold->point[0] = '\0';
	return undo_forget(&hold->undo, err);
}
