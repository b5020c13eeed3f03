/*
 * What was done to drives and must be undone: a write cache that was switched, the password of a
 * secure erase. Noted as one small file each, DRIVE.KIND, in a folder beside the store, on the
 * disk before the drive is touched and removed after it was put back. A file whose process is
 * gone (killed, the machine went down) is taken up by the next assay command.
 */
#pragma once

#include "device/device.h"

enum undo_kind { UNDO_WRITE_CACHE, UNDO_ATA_PASSWORD, NUNDO };

struct undo {
	enum undo_kind kind;
	char device[80]; /* path when it was noted; the drive is found by its token */
	char token[200];
	char value[64]; /* "on", "off"; the password */
	int pid;	/* who noted it, and when that process began (jiffies since boot) */
	uint64_t pid_start;
	char boot[64]; /* the kernel's boot_id */
	char file[4400];
};

/* Writes the file, and its folder. */
int undo_note(const char *folder, enum undo_kind kind, const struct device *device,
	      const char *value, const struct device_roots *roots, struct undo *ret_undo,
	      struct err *err);
int undo_forget(const struct undo *undo);

/* Takes up all whose process is gone. `say` is told of each in one sentence, done or not and why
 * not; what could not be undone stays noted. Cheap where there is nothing: one opendir. */
typedef void undo_say_fn(void *arg, bool done, const char *text);
void undo_pending(const char *folder, const struct device_roots *roots, undo_say_fn *say,
		  void *arg);
