#include "cli/keep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "device/stack.h"

int keep_open_for(const char *path, enum store_mode mode, struct store **ret_store,
		  struct err *err)
{
	autostr place = {0};
	int rc = 0;

	if (!path)
		rc = store_default_path(&place, err);
	return rc ? rc : store_open(path ? path : str_text(&place), mode, ret_store, err);
}

int keep_open(struct keep *keep, const char *path, bool off, struct err *err)
{
	return off ? 0 : keep_open_for(path, STORE_WRITE, &keep->store, err);
}

void keep_close(struct keep *keep)
{
	store_close(keep->store);
	keep->store = NULL;
}

void keep_folder(const struct store *store, char *ret_folder, size_t size_bytes)
{
	const char *path = store_path(store), *slash = strrchr(path, '/');

	(void)snprintf(ret_folder, size_bytes, "%.*s", slash ? (int)(slash - path) : 1,
		       slash ? path : ".");
}

/* Is `device` what the store stands on: one of the layers below it, or the disk of one? */
static bool carries(const struct device_stack *stack, const struct device *device)
{
	for (unsigned i = 0; i < stack->count; i++) {
		const struct device *layer = &stack->layer[i].device;

		if (device_has_number(layer, device->major, device->minor) ||
		    str_equal(layer->parent, device->name))
			return true;
	}
	return false;
}

int keep_check_path(const struct keep *keep, const char *path, bool writes, struct err *err)
{
	struct device_stack stack = {0};
	struct device device;
	struct arena arena;
	bool below;

	if (!keep->store || !writes ||
	    device_from_path(&device, path, &device_roots_real, NULL) < 0)
		return 0; /* no block device: nothing is written raw */
	arena_init(&arena);
	below = device_of_file(&arena, store_path(keep->store), &device_roots_real, &stack,
			       NULL) == 0 &&
		carries(&stack, &device);
	arena_done(&arena);
	if (!below)
		return 0;
	return err_refused(
		err,
		"\"%s\" is written raw, and the store \"%s\" lies on it; name another "
		"place with --store=, or write --no-store",
		path, store_path(keep->store));
}

static int check(const void *keep, const struct job_set *set, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < set->njobs && !rc; i++) {
		const struct job_spec *spec = set->jobs[i];
		bool writes = spec->rw.does[DIR_WRITE] || spec->rw.does[DIR_TRIM];

		for (unsigned k = 0; k < spec->filename.count && !rc; k++)
			rc = keep_check_path(keep, spec->filename.items[k], writes, err);
	}
	return rc;
}

void keep_hook(const struct keep *keep, struct run_hooks *hooks)
{
	hooks->ready = check;
	hooks->ready_context = keep;
}

/* The first drive that was measured and carries the store too; NULL: none. */
static const struct device *shared_drive(const struct keep *keep, const struct record *record,
					 struct arena *arena)
{
	struct device_stack stack = {0};

	if (device_of_file(arena, store_path(keep->store), &device_roots_real, &stack, NULL))
		return NULL;
	for (unsigned p = 0; p < record->nparts; p++) {
		const struct run_facts *facts = &record->parts[p].result->facts;

		for (unsigned i = 0; i < facts->ndevices; i++)
			if (carries(&stack, &facts->devices[i].device))
				return &facts->devices[i].device;
	}
	return NULL;
}

bool keep_lies_on(const struct keep *keep, const struct record *record)
{
	struct arena arena;
	bool lies;

	arena_init(&arena);
	lies = shared_drive(keep, record, &arena) != NULL;
	arena_done(&arena);
	return lies;
}

static int note_writes(struct keep *keep, struct record *record, const struct device *drive,
		       uint64_t bytes, struct err *err)
{
	struct result *last = record->parts[record->nparts - 1].result;
	autostr amount = {0};

	quantity_size(bytes, &amount);
	result_note(last, "store-on-target", SEVERITY_INFO, NULL,
		    "the store lies on %s, which was measured: nothing was written to it while "
		    "requests ran, %s before and after",
		    drive->name, str_text(&amount));
	return store_add_note(keep->store, strtoll(record->id + 1, NULL, 10),
			      &last->notes[last->nnotes - 1], err);
}

int keep_save(struct keep *keep, struct record *record, const char *tag, struct err *err)
{
	const struct device *drive;
	struct arena arena;
	int rc;

	if (!record->program)
		record->program = "assay " ASSAY_VERSION;
	if (*keep->uid)
		memcpy(record->uid, keep->uid, sizeof(record->uid));
	if (tag)
		record_add_tag(record, tag);
	record_settle(record);
	if (!keep->store)
		return 0;
	rc = store_save(keep->store, record, NULL, err);
	if (rc)
		return rc;
	arena_init(&arena);
	drive = shared_drive(keep, record, &arena);
	if (drive)
		rc = note_writes(keep, record, drive, store_written_bytes(keep->store), err);
	arena_done(&arena);
	return rc;
}
