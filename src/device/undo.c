/*
 * The note is lines of a key, a blank and a value. Its name is TOKEN.KIND: a token holds letters,
 * digits and "-_.:" only.
 */
#include "device/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/str.h"
#include "device/ata_security.h"
#include "device/mkfs.h"
#include "device/sysfs_priv.h"
#include "device/write_cache.h"

#define NOTE_LIMIT_BYTES 4096
#define FIRST_LINE	 "assay-undo 1"

static const char *const kind_names[NUNDO] = {[UNDO_WRITE_CACHE] = "write-cache",
					      [UNDO_ATA_PASSWORD] = "ata-password",
					      [UNDO_MOUNT] = "mount"};

/* --- who noted it --- */

/* Field 22 of stat; the second one is in brackets and may hold anything. 0: no such process. */
static uint64_t start_of(uint64_t pid, const struct device_roots *roots)
{
	char path[64];
	autostr text = {0};
	const char *at;

	TEXT_SET(path, "%" PRIu64 "/stat", pid);
	if (proc_read(roots, path, &text) < 0)
		return 0;
	at = strrchr(str_text(&text), ')');
	for (unsigned field = 2; at && field < 22; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

static void boot_id(const struct device_roots *roots, char ret_boot[64])
{
	autostr text = {0};

	(void)proc_read(roots, "sys/kernel/random/boot_id", &text);
	text_set(ret_boot, 64, "%s", str_text(&text));
	text_trim(ret_boot);
}

static bool is_alive(const struct undo *undo, const struct device_roots *roots)
{
	char boot[64];

	boot_id(roots, boot);
	return str_equal(boot, undo->boot) && undo->pid_start &&
	       start_of(undo->pid, roots) == undo->pid_start;
}

/* --- the file --- */

static void note_write(const struct undo *undo, struct str *out)
{
	str_printf(out, FIRST_LINE "\nkind %s\ndevice %s\ntoken %s\nvalue %s\nboot %s\n",
		   kind_names[undo->kind], undo->device, undo->token, undo->value, undo->boot);
	str_printf(out, "pid %" PRIu64 "\npid_start %" PRIu64 "\n", undo->pid, undo->pid_start);
}

static bool note_value(const char *text, const char *key, char *ret_value, size_t size_bytes)
{
	size_t length = strlen(key);

	for (const char *line = text; line && *line;) {
		if (strncmp(line, key, length) == 0 && line[length] == ' ') {
			text_set(ret_value, size_bytes, "%.*s",
				 (int)strcspn(line + length + 1, "\n"), line + length + 1);
			return true;
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	ret_value[0] = '\0';
	return false;
}
#define NOTE_VALUE(text, key, array) note_value(text, key, array, sizeof(array))

static bool note_read(const char *path, struct undo *undo)
{
	char kind[32], pid[32], pid_start[32];
	autostr text = {0};

	*undo = (struct undo){.kind = NUNDO};
	if (file_read(path, NOTE_LIMIT_BYTES, &text) < 0 ||
	    !str_starts(str_text(&text), FIRST_LINE "\n") ||
	    !NOTE_VALUE(str_text(&text), "kind", kind) ||
	    !NOTE_VALUE(str_text(&text), "token", undo->token) ||
	    !NOTE_VALUE(str_text(&text), "value", undo->value) ||
	    !NOTE_VALUE(str_text(&text), "pid", pid) ||
	    !NOTE_VALUE(str_text(&text), "pid_start", pid_start) ||
	    !text_u64(pid, &undo->pid) || !text_u64(pid_start, &undo->pid_start))
		return false;
	(void)NOTE_VALUE(str_text(&text), "device", undo->device);
	(void)NOTE_VALUE(str_text(&text), "boot", undo->boot);
	TEXT_SET(undo->file, "%s", path);
	for (unsigned i = 0; i < NUNDO; i++) {
		if (str_equal(kind, kind_names[i]))
			undo->kind = (enum undo_kind)i;
	}
	return undo->kind != NUNDO;
}

/* The note's name, too, must outlive a cut of power. */
static int sync_folder(const char *folder)
{
	autofd fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || (fsync(fd) < 0 && errno != EINVAL) ? -errno : 0;
}

int undo_note(const char *folder, const struct device *device, const struct device_roots *roots,
	      struct undo *undo, struct err *err)
{
	struct undo older;
	autostr text = {0};
	int rc = 0;

	undo->pid = (uint64_t)getpid();
	undo->pid_start = start_of(undo->pid, roots);
	boot_id(roots, undo->boot);
	TEXT_SET(undo->device, "%s", device->path);
	TEXT_SET(undo->token, "%s", device->token);
	TEXT_SET(undo->file, "%.4000s/%s.%s", folder, device->token, kind_names[undo->kind]);
	if (note_read(undo->file, &older))
		TEXT_SET(undo->value, "%s", older.value);
	note_write(undo, &text);
	if (mkdir(folder, 0755) < 0 && errno != EEXIST)
		rc = -errno;
	if (rc == 0)
		rc = file_replace(undo->file, str_text(&text), text.length);
	if (rc == 0)
		rc = sync_folder(folder);
	if (rc < 0)
		return err_env(err, rc,
			       "cannot note in \"%s\" what must be put back on %s: %s; nothing "
			       "was changed",
			       folder, device->path, err_name(rc));
	return 0;
}

int undo_forget(const struct undo *undo, struct err *err)
{
	if (unlink(undo->file) < 0 && errno != ENOENT)
		return err_env(err, -errno, "%s cannot be removed: %s; remove it by hand",
			       undo->file, err_name(errno));
	return 0;
}

/* --- taking up --- */

/* `ret_text`: what was done. */
static int put_back(const struct undo *undo, const struct device_roots *roots,
		    struct str *ret_text, struct err *err)
{
	struct device device;
	autostr name = {0};
	int rc;

	if (undo->kind == UNDO_MOUNT) { /* also where the device has gone */
		str_printf(ret_text,
			   N_("%s: the file system of a run that was cut off is unmounted"),
			   undo->device);
		return mkfs_unmount_point(undo->value, err);
	}
	str_printf(&name, "serial:%s", undo->token);
	rc = device_from_path(&device, str_text(&name), roots, err);
	if (rc)
		return rc;
	if (undo->kind == UNDO_WRITE_CACHE) {
		str_printf(ret_text,
			   N_("%s: the write cache is %s again, as before a run that was cut "
			      "off"),
			   device.path, undo->value);
		return write_cache_set(&device, str_equal(undo->value, "on"), roots, err);
	}
	str_printf(ret_text,
		   N_("%s: the password of a secure erase that was cut off is cleared; the "
		      "erase itself may not be complete"),
		   device.path);
	return ata_security_clear(&device, undo->value, roots, err);
}

static void take_up(const struct undo *undo, const struct device_roots *roots, undo_say_fn *say,
		    void *arg)
{
	struct err err = {0};
	autostr text = {0};
	int rc = put_back(undo, roots, &text, &err);

	if (rc == 0)
		rc = undo_forget(undo, &err);
	if (rc)
		str_clear(&text);
	if (rc)
		str_printf(&text,
			   N_("what a run that was cut off did to %s (%s) is not undone yet: "
			      "%s"),
			   undo->device, kind_names[undo->kind], err.text);
	say(arg, rc == 0, str_text(&text));
}

static void take_up_all(const char *folder, const struct device_roots *roots, bool own,
			undo_say_fn *say, void *arg)
{
	autodir dir = opendir(folder);
	const char *name;

	while (dir && (name = sysfs_next(dir))) {
		char path[4400];
		struct undo undo;
		bool ours = false;

		for (unsigned i = 0; i < NUNDO; i++)
			ours |= str_ends(name, kind_names[i]);
		TEXT_SET(path, "%.4000s/%s", folder, name);
		if (!ours || !note_read(path, &undo))
			continue;
		if (own ? undo.pid == (uint64_t)getpid() : !is_alive(&undo, roots))
			take_up(&undo, roots, say, arg);
	}
}

void undo_pending(const char *folder, const struct device_roots *roots, undo_say_fn *say,
		  void *arg)
{
	take_up_all(folder, roots, false, say, arg);
}

void undo_own(const char *folder, const struct device_roots *roots, undo_say_fn *say, void *arg)
{
	take_up_all(folder, roots, true, say, arg);
}
