/*
 * The environment of a measurement, recorded without being asked: whatever is known to move
 * figures and is not a figure itself. A flat list of (whose, name, value), so that a line more is
 * a row of a table and storing, showing and comparing follow. Values are texts as the system has
 * them; NULL is unknown, and is said as "unknown", never left out.
 *
 * Read before a run and again after it; what differs is told, but for values that move by nature
 * (load, temperature, free memory).
 */
#pragma once

#include "device/device.h"

struct environment_entry {
	const char *of;	  /* "host", a block device ("sda"), a mount point ("/mnt") */
	const char *name; /* "scheduler" */
	const char *before, *after;
	bool moves;
};

struct environment {
	struct environment_entry *entries; /* in the arena that was given, with their texts */
	unsigned count;
};

/* Of the machine, and of all that `paths` stand on: file systems and each layer down to the
 * drives. Costs some hundred small files of /sys and /proc, 5 to 20 ms; no process, and of a
 * drive only what it tells without waking up. `after` is `before`. */
void environment_read(struct arena *arena, const char *const *paths, unsigned npaths,
		      const struct device_roots *roots, struct environment *ret_environment);

/* Takes what is now as the values after; what is new since is added, with no value before. */
void environment_update(struct arena *arena, struct environment *environment,
			const struct environment *now);

bool environment_changed(const struct environment_entry *entry);
/* Does a value of this name move by nature? For entries read from a file. */
bool environment_moves(const char *name);
