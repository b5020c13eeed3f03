/*
 * Purge: puts a drive as near to its state when it left the factory as the host can. The ladder
 * from the strongest method down: NVMe sanitize and format (nvme-cli), ATA secure erase (hdparm),
 * TRIM of everything, zero fill. What a method would erase is more than the target at times (all
 * namespaces of an NVMe subsystem); each device among it must pass the guard and be consented to.
 *
 * A method that is asked for and not possible is an error that names those that are. AUTO takes
 * the first that is possible, and says of each stronger one why it was not: never silently weaker.
 */
#pragma once

#include "device/guard.h"

enum purge_method {
	PURGE_AUTO,
	PURGE_SANITIZE,	    /* NVMe: block erase, else crypto erase, of the whole subsystem */
	PURGE_FORMAT,	    /* NVMe: user data erase of the namespace, or of all (FNA) */
	PURGE_SECURE_ERASE, /* ATA: of the whole disk */
	PURGE_TRIM,	    /* the whole target; of a file of ours its blocks are given back */
	PURGE_ZERO,	    /* zeros are written: a full write of the target */
	NPURGE,
};
const char *purge_method_name(enum purge_method method); /* "auto", "secure-erase" */

#define PURGE_ZERO_PIECE_BYTES MiB /* that zero fill writes before `stop` is asked again */

struct purge_rung {
	bool possible;
	bool applies;	   /* to this kind of target at all; else it needs no mention */
	char text[120];	   /* what would be done: "NVMe format, user data erase" */
	char why_not[400]; /* "" when possible */
};

#define PURGE_ERASED_MAX 32
/* What purge_look found out. Plain values. */
struct purge_plan {
	struct purge_rung rung[NPURGE];	   /* PURGE_AUTO's is not used */
	enum purge_method method;	   /* the one that will be used */
	uint64_t size_bytes;		   /* of the target */
	uint64_t written_bytes;		   /* that it writes: the size for zero fill, else 0 */
	uint64_t expected_ns;		   /* as the drive says; 0 unknown */
	char erased[PURGE_ERASED_MAX][80]; /* paths of the devices whose data goes, the target's
					    * first; a file's stands in facts.path alone */
	unsigned nerased;
	struct guard_facts facts; /* of the target, its device among them */
	unsigned lba_format, metadata_inline, protection, protection_first; /* NVMe, as it is */
	bool block_erase; /* by sanitize; else it erases the key */
};

struct purge_wish {
	enum purge_method method;
	const struct guard_rules *rules; /* what was consented to */
	const struct device_roots *roots;
	/* For device/undo.h: the store's folder. NULL: no secure erase, for one that was cut off
	 * could not be undone. */
	const char *state_folder;
	/* Asked between pieces of TRIM and zero fill; true ends it with -EINTR. May be NULL. */
	bool (*stop)(void *arg, uint64_t done_bytes, uint64_t of_bytes);
	void *stop_arg;
};

struct purge_done {
	enum purge_method method;
	char text[300]; /* for reports: what was done, and why nothing stronger */
	uint64_t span_ns, written_bytes;
};

/* Reads only. Errors: the target does not exist or is in use, consent is missing, the method
 * that was asked for is not possible. */
int purge_look(const char *path, const struct purge_wish *wish, struct purge_plan *ret_plan,
	       struct err *err);

/* Looks again first: what changed since is an error, and nothing was erased. */
int purge_do(const struct purge_plan *plan, const struct purge_wish *wish,
	     struct purge_done *ret_done, struct err *err);
