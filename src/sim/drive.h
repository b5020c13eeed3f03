/*
 * A simulated drive: one interface for all kinds. Time is an argument; the drive never waits
 * and never looks at a clock. Whoever drives it keeps `now_ns` from going backwards and asks
 * for the next event, so that a virtual clock can jump there:
 *
 *	drive_submit(drive, &request, now);           // as often as wanted
 *	now = min(drive_next(drive), next_of_mine);   // UINT64_MAX: nothing is in flight
 *	n = drive_reap(drive, now, done, ARRAY_SIZE(done));
 *
 * A request's completion may be known when it is submitted (SSD, cloud disk) or only later
 * (a hard disk that reorders its queue): drive_next() is then the next time at which the
 * drive decides something, and a reap may return nothing. Completions come in order of time,
 * and of submission where times are equal. No contents are kept: a read of an SSD with
 * `versions=1` can ask which write it would see.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sim/profile.h"

struct drive;

enum drive_op { DRIVE_READ, DRIVE_WRITE, DRIVE_FLUSH, DRIVE_TRIM };

/* `offset` and `bytes` are multiples of 512 inside the drive; a part of a 4 KiB page that is
 * written costs a read of the page. Flushes have neither. */
struct drive_request {
	uint64_t offset, bytes, tag; /* the tag comes back with the completion */
	enum drive_op op;
	bool fua; /* of a write: done when it is on stable media */
};

struct drive_done {
	uint64_t done_ns, tag;
	int32_t error; /* 0, or -EIO: uncorrectable */
};

/* `target` as profile_parse reads it. */
int drive_open(const char *target, struct drive **ret_drive, struct err *err);
int drive_open_profile(const struct profile *profile, struct drive **ret_drive,
		       struct err *err);
void drive_close(struct drive *drive); /* NULL is fine */

const struct profile *drive_profile(const struct drive *drive);
uint64_t drive_size_bytes(const struct drive *drive);
/* Memory of the model, for notes and for the limit of 12 bytes a page. */
uint64_t drive_memory_bytes(const struct drive *drive);

/* Numbers the request: the number of this write, as drive_version gives it. `now_ns` never
 * goes back. Asserts that the request lies inside the drive: who takes requests from others
 * checks. */
uint64_t drive_submit(struct drive *drive, const struct drive_request *request,
		      uint64_t now_ns);
uint64_t drive_next(const struct drive *drive);
unsigned drive_reap(struct drive *drive, uint64_t now_ns, struct drive_done *done,
		    unsigned max);
unsigned drive_in_flight(const struct drive *drive);

/* The controller takes up no request for `ns` from now, or from when it will be free. */
void drive_stall(struct drive *drive, uint64_t now_ns, uint64_t ns);

/* Power fails: what is in flight never completes, and what sits in a volatile cache is lost.
 * `lost` (may be NULL) is told of each 4 KiB page whose newest acknowledged or unfinished
 * write is gone, with that write's number; of one page the newest first. A hard disk is cut
 * off in the middle of what its head writes: the first `sectors` (of 512 bytes) of that page
 * hold the new data all the same. */
struct drive_lost {
	void (*page)(void *arg, uint64_t offset, uint64_t write, unsigned sectors);
	void *arg;
};
void drive_power_cut(struct drive *drive, uint64_t now_ns, const struct drive_lost *lost);

/* The SLC cache holds this part of what it can hold now, as if so much had been written and not
 * been folded yet. -ENXIO: the drive has none. */
int drive_fill_slc(struct drive *drive, uint64_t now_ns, uint64_t part_ppm);

/* All writes up to this number are on stable media: no power cut undoes them. */
uint64_t drive_settled(const struct drive *drive);

/* With versions=1: the number of the write that a read of this page would return; 0: none. */
uint64_t drive_version(const struct drive *drive, uint64_t offset);

struct drive_health {
	uint64_t host_read_bytes, host_written_bytes, nand_written_bytes;
	uint64_t host_reads, host_writes, flushes, trimmed_bytes;
	uint64_t erases, least_erases, most_erases; /* all; of the least and most worn block */
	uint64_t used_ppm;			    /* of the rated erases */
	uint64_t media_errors, unsafe_shutdowns, throttled_ns;
	uint64_t slc_bytes, slc_used_bytes; /* of the SLC cache now */
	uint64_t mapped_bytes;
	int64_t temperature_mc; /* thousandths of a degree C */
};
void drive_get_health(struct drive *drive, uint64_t now_ns, struct drive_health *ret_health);

/* Bytes of reads, since the drive was opened, of pages that hold nothing (never written, or
 * trimmed): the map answers them, not the flash. 0 of kinds without a map. */
uint64_t drive_unmapped_read_bytes(const struct drive *drive);

/* Thousandths of a degree C, as of the last work that it did: asking changes nothing. 0: the
 * model has no temperature. */
int64_t drive_temperature_mc(const struct drive *drive);

/* The whole state, worn blocks and all. Nothing may be in flight. A file of another geometry,
 * of another version, damaged or cut off is one error and leaves the drive as it is. */
int drive_save(struct drive *drive, const char *path, struct err *err);
int drive_load(struct drive *drive, const char *path, struct err *err);

/* NULL, or which invariant of the model does not hold; slow. */
const char *drive_broken(const struct drive *drive);
