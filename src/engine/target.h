/*
 * struct target: one open file or device that requests go to. Made by run/prepare.c, in the
 * run's arena; const while workers run. In the process form each worker has its own
 * descriptors.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "job/spec.h"

enum target_kind {
	TARGET_FILE,
	TARGET_BLOCK,
	TARGET_CHAR,
	TARGET_NONE /* null engine: no file */,
	TARGET_SIM
};

struct drive;

struct target {
	const char *path;
	int fd; /* -1 while closed */
	enum target_kind kind;
	uint64_t size_bytes;   /* of the file or device */
	uint64_t start_bytes;  /* where the job's region begins (offset, offset_increment) */
	uint64_t region_bytes; /* how much of it the job uses (size) */
	uint64_t io_bytes;     /* how much to transfer in one loop (io_size) */
	uint32_t dio_mem_align, dio_offset_align; /* statx DIOALIGN, 0 unknown */
	uint64_t dev;				  /* st_rdev of a device, st_dev of a file */
	bool direct;				  /* O_DIRECT is on */
	bool created;				  /* by this run: may be removed by it */
	struct drive *drive;			  /* of TARGET_SIM: the run's */
};

/* How a target is opened, from the job alone. */
struct target_mode {
	bool reads, writes, trims, direct, create;
	enum sync_mode sync;
};
void target_mode_from(struct target_mode *mode, const struct job_spec *spec);

/*
 * Opens target->path and fills fd, kind, size, alignments and dev. `size_bytes` of a file
 * may change later by layout (run/prepare.c). Direct I/O that the file system refuses is an
 * error that says so.
 */
int target_open(struct target *target, const struct target_mode *mode, struct err *err);
void target_close(struct target *target);

/* Discards a range: BLKDISCARD on a device, a punched hole in a file. 0 or a negative errno. */
int target_trim(const struct target *target, uint64_t offset, uint64_t length);

struct req;
/* A trim or a sync, done there and then: what req->res is to be. */
int32_t target_other(const struct target *target, const struct req *req);
