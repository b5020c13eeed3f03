/*
 * struct req: one request, from the flow that decided it to the tally that counts it. One
 * cache line. The worker owns an array of them; a request belongs to the worker, then to the
 * engine (from queue() until reap() hands it back), then to the worker again; never to two
 * at once.
 */
#pragma once

#include <stdint.h>

#include "base/bits.h"

/* What the requests of one submission share: stamps in ticks. From a free stack of the
 * worker. */
struct batch {
	uint64_t start;	    /* the first of its requests was taken from the flow */
	uint64_t submitted; /* the engine's submit has returned */
	uint32_t open;	    /* requests not yet counted */
	uint32_t next_free;
};

enum req_flags {
	REQ_UNRATED = 1, /* due is the start: no schedule */
	REQ_MOVED = 2,	 /* a short transfer moved buf, offset and len to its rest */
};

struct req {
	uint64_t due;	 /* ticks; the scheduled arrival, or the start where there is no rate */
	uint64_t offset; /* bytes into the target */
	void *buf;
	struct req *next; /* the list of whoever owns it now */
	struct batch *batch;
	uint32_t len;
	int32_t res;   /* bytes done, or a negative errno; set by the engine */
	uint32_t slot; /* index in the worker's array, and of its registered buffer */
	uint16_t target;
	uint8_t op;    /* enum op */
	uint8_t flags; /* enum req_flags */
	uint64_t tag;  /* of the engine or of a later layer (verify) */
};

_Static_assert(sizeof(struct req) == CACHE_LINE_BYTES, "a request is one cache line");
