/*
 * The slowest requests of a log: a heap of a fixed place in the arena of who asks, one comparison
 * for each request that is none of them, 11 for each that is. Of equal ones the first seen stays.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "stat/series.h"

/* A map of so many is dense, and still one of single requests: 112 KB. */
#define SLOWEST_MAX 2000

struct slow_request {
	uint64_t time_ns; /* of the completion */
	uint64_t latency_ns, bytes, offset;
	uint64_t
		number; /* in the order in which they were seen, from 1; slowest_add() sets it */
	enum series_dir dir;
	bool has_offset;
};

/* Zero keeps none. */
struct slowest {
	struct slow_request *request; /* after slowest_sort(): the slowest first */
	unsigned count, most;
	uint64_t seen;			    /* all requests */
	uint64_t least_offset, offsets_end; /* of all requests that have one; end 0: none has */
};

void slowest_init(struct slowest *slowest, struct arena *arena, unsigned most);
void slowest_insert(struct slowest *slowest, const struct slow_request *request);
/* After the last request. */
void slowest_sort(struct slowest *slowest);

/* `most` is not 0. */
static inline void slowest_add(struct slowest *slowest, const struct slow_request *request)
{
	slowest->seen++;
	if (request->has_offset) {
		slowest->least_offset =
			slowest->offsets_end ? min_u64(slowest->least_offset, request->offset)
					     : request->offset;
		slowest->offsets_end = max_u64(slowest->offsets_end,
					       request->offset + max_u64(request->bytes, 1));
	}
	if (slowest->count == slowest->most &&
	    likely(request->latency_ns <= slowest->request[0].latency_ns))
		return;
	slowest_insert(slowest, request);
}
