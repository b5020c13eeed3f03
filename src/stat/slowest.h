/*
 * The slowest requests of a log, in order: a fixed place, one comparison for each request that is
 * none of them. Of equal ones the first seen stays.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "stat/series.h"

#define SLOWEST_MAX 50

struct slow_request {
	uint64_t time_ns; /* of the completion */
	uint64_t latency_ns, bytes, offset;
	enum series_dir dir;
	bool has_offset;
};

struct slowest {
	struct slow_request request[SLOWEST_MAX]; /* the slowest first */
	unsigned count;
};

void slowest_insert(struct slowest *slowest, const struct slow_request *request);

static inline void slowest_add(struct slowest *slowest, const struct slow_request *request)
{
	if (slowest->count == SLOWEST_MAX &&
	    likely(request->latency_ns <= slowest->request[SLOWEST_MAX - 1].latency_ns))
		return;
	slowest_insert(slowest, request);
}
