/*
 * What was done to drives and must be undone: a write cache that was switched, the password
 * of a secure erase, a file system that was mounted. Each is noted in a small file of the
 * state folder (beside the store), which is on the disk before the drive is touched and
 * removed after it was put back. A file whose process is gone, killed or lost with the
 * machine, is taken up by the next assay command.
 */
#pragma once

#include "device/device.h"

enum undo_kind { UNDO_WRITE_CACHE, UNDO_ATA_PASSWORD, UNDO_MOUNT, NUNDO };

/* Plain values. */
struct undo {
	enum undo_kind kind;
	char device[80]; /* path when it was noted; the drive is found again by its token */
	char token[200];
	char value[300]; /* "on", "off"; the password; where it is mounted */
	/* Who noted it: a process of one boot, and when it began (proc(5), starttime). */
	char boot[64];
	uint64_t pid, pid_start;
	char file[4400];
};

/* `undo` has its kind and value; the rest is filled in. Writes the file, and makes the
 * folder. An older note of the same drive and kind stays, and its value comes back: it tells
 * what was before all that we did. */
int undo_note(const char *folder, const struct device *device, const struct device_roots *roots,
	      struct undo *undo, struct err *err);
int undo_forget(const struct undo *undo, struct err *err);

/* Takes up all whose process is gone. `say` is told of each in one sentence, done or not and
 * why not; what could not be undone stays noted. One opendir where there is nothing. */
typedef void undo_say_fn(void *arg, bool done, const char *text);
void undo_pending(const char *folder, const struct device_roots *roots, undo_say_fn *say,
		  void *arg);

/* The same for what this process itself noted, before it became another program by exec(2). */
void undo_own(const char *folder, const struct device_roots *roots, undo_say_fn *say,
	      void *arg);
