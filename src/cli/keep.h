/*
 * Keeping what was measured: the store is opened before a run, so that a place that cannot be
 * written is known before hours are spent, and the record goes into it after. What goes into it
 * meanwhile: keep_live.h.
 */
#pragma once

#include "result/record.h"
#include "run/run.h"
#include "store/store.h"

struct keep {
	struct store *store;	    /* NULL: --no-store */
	char uid[RECORD_UID_BYTES]; /* of the record, once a part of it was begun */
	unsigned nparts;	    /* that were begun */
	struct keep_live *live;	    /* of the part that runs; NULL */
};

int keep_open(struct keep *keep, const char *path, bool off, struct err *err);
/* Refuses a run that writes raw to the device that the store lies on: as the `ready` of a run,
 * after the guard, whose refusal has no way round. */
void keep_hook(const struct keep *keep, struct run_hooks *hooks);
int keep_check_path(const struct keep *keep, const char *path, bool writes, struct err *err);
/* Settles the record and saves it; what the store wrote to a drive that was measured becomes a
 * note. Does no more than settle with --no-store. */
int keep_save(struct keep *keep, struct record *record, const char *tag, struct err *err);
/* Does the store lie on a drive that was, or is to be, measured? */
bool keep_lies_on(const struct keep *keep, const struct record *record);
void keep_close(struct keep *keep);
/* The folder that the store lies in. */
void keep_folder(const struct store *store, char *ret_folder, size_t size_bytes);

/* The store that a command reads: `path`, or the default one for NULL. */
int keep_open_for(const char *path, enum store_mode mode, struct store **ret_store,
		  struct err *err);
