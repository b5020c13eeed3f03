/*
 * What the kinds of drives implement, and what drive.c does for all of them: the completions in
 * order of time, uncorrectable reads, the counts of health.
 */
#pragma once

#include "base/arena.h"
#include "base/rng.h"
#include "sim/drive.h"

struct state_file;

struct drive_ops {
	/* Bytes of the kind's own struct, which begins with struct drive. */
	size_t bytes;
	int (*open)(struct drive *drive, struct err *err);
	void (*close)(struct drive *drive); /* what lies outside the arena; may be NULL */
	/* Calls drive_complete() now or later. */
	void (*submit)(struct drive *drive, const struct drive_request *request,
		       uint64_t now_ns);
	/* The next time at which the kind decides something by itself; NULL: never does. */
	uint64_t (*next)(const struct drive *drive);
	void (*advance)(struct drive *drive, uint64_t now_ns);
	void (*power_cut)(struct drive *drive, uint64_t now_ns, const struct drive_lost *lost);
	/* The oldest write that a power cut may undo, UINT64_MAX: none; NULL: none ever. */
	uint64_t (*unsafe)(const struct drive *drive);
	uint64_t (*version)(const struct drive *drive, uint64_t offset);
	int (*fill_slc)(struct drive *drive, uint64_t now_ns, uint64_t part_ppm); /* or NULL */
	void (*health)(struct drive *drive, uint64_t now_ns, struct drive_health *health);
	int64_t (*temperature_mc)(const struct drive *drive); /* NULL: the kind has none */
	/* Every table and field that outlives a request, through state_put or state_get. */
	void (*state)(struct drive *drive, struct state_file *state);
	const char *(*broken)(const struct drive *drive);
};

struct drive_pending {
	uint64_t done_ns, order, tag;
	int32_t error;
};

struct drive {
	const struct drive_ops *ops;
	struct profile profile;
	struct arena arena;
	uint64_t size_bytes;
	uint64_t tables_bytes; /* memory that grows with the size */
	uint64_t now_ns;       /* of the last call */
	uint64_t next_stall_ns, stall_zero_ns;
	uint64_t command_free_ns; /* the controller takes up the next request from then on */
	uint64_t requests;	  /* submitted: the number of the last */
	struct rng rng;
	uint64_t unmapped_read_bytes;
	struct drive_health health; /* the counts that need no looking at tables */
	/* Completions to come: a ring of those that came in their order, as most do, and a heap of
	 * the others. Their own memory; rooms are powers of two. */
	struct drive_pending *line, *heap;
	unsigned line_first, nline, line_room, nheap, heap_room;
	unsigned in_flight; /* submitted and not reaped */
};

extern const struct drive_ops drive_ssd, drive_hdd, drive_cloud;

void drive_complete(struct drive *drive, const struct drive_request *request, uint64_t order,
		    uint64_t done_ns);

/* The same calls write a state and read it. */
struct state_file {
	void (*bytes)(struct state_file *state, void *data, size_t bytes);
	bool loads;
};
#define state_field(state, field) (state)->bytes(state, &(field), sizeof(field))
#define state_table(state, table, count) \
	(state)->bytes(state, table, (size_t)(count) * sizeof(*(table)))

/* A resource that serves one after the other, in order of arrival, at `ns` each. What it was
 * asked for is counted from the time of asking, so that one who is not ready yet holds up nobody;
 * returns when this one is through. */
static inline uint64_t drive_pipe(uint64_t *free_ns, uint64_t now_ns, uint64_t ready_ns,
				  uint64_t ns)
{
	*free_ns = (*free_ns > now_ns ? *free_ns : now_ns) + ns;
	return *free_ns > ready_ns + ns ? *free_ns : ready_ns + ns;
}

/* The same, but served in the order of asking even where one who asked first is ready last. */
static inline uint64_t drive_queue(uint64_t *free_ns, uint64_t ready_ns, uint64_t ns)
{
	*free_ns = (*free_ns > ready_ns ? *free_ns : ready_ns) + ns;
	return *free_ns;
}

/* Nanoseconds of `bytes` at a rate; 0: no limit. */
static inline uint64_t drive_transfer_ns(uint64_t bytes, uint64_t bytes_s)
{
	return bytes_s ? bytes * 1000000000u / bytes_s : 0;
}
