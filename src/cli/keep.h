/*
 * Keeping what was measured: the store is opened before a run, so that a place that cannot be
 * written is known before hours are spent, and the record goes into it after.
 */
#pragma once

#include "result/record.h"
#include "run/run.h"
#include "store/store.h"

struct keep {
	struct store *store; /* NULL: --no-store */
};

int keep_open(struct keep *keep, const char *path, bool off, struct err *err);
/* Refuses a run that writes raw to the device that the store lies on: as the `ready` of a run,
 * after the guard, whose refusal has no way round. */
void keep_hook(const struct keep *keep, struct run_hooks *hooks);
int keep_check_path(const struct keep *keep, const char *path, bool writes, struct err *err);
/* Settles the record and saves it; what the store wrote to a drive that was measured becomes a
 * note. Does no more than settle with --no-store. */
int keep_save(struct keep *keep, struct record *record, const char *tag, struct err *err);
void keep_close(struct keep *keep);
/* The folder that the store lies in. */
void keep_folder(const struct store *store, char *ret_folder, size_t size_bytes);

/* The store that a command reads: `path`, or the default one for NULL. */
int keep_open_for(const char *path, enum store_mode mode, struct store **ret_store,
		  struct err *err);
