/*
 * fio's flow=: jobs of one flow_id keep their numbers of requests in the ratio of their
 * weights. One struct flow_shared for each flow_id, in the run's shared memory; each member
 * worker has a struct share. A member may go on while its part of all requests is not above
 * its part of all weights; else it waits flow_sleep and asks again.
 *
 * The two atomics are the one place where workers touch common memory per request, and only
 * those with flow= do. They pair with nothing: a count that is a little old delays or advances
 * a request by little, so relaxed order is enough.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"

struct flow_shared {
	_Alignas(CACHE_LINE_BYTES) _Atomic uint64_t issued; /* by the members that still run */
	_Atomic uint64_t weight;			    /* of those members */
};

struct share {
	struct flow_shared *shared; /* NULL: the job has no flow= */
	uint64_t weight, issued;
	uint64_t sleep_ticks;
	bool joined;
};

static inline bool share_is_on(const struct share *share)
{
	return share->shared != NULL;
}

/* Joins with what the others have done already counted as its own part too, so that a late
 * starter does not make them wait. */
void share_join(struct share *share);
void share_leave(struct share *share);

/* True: one request more, and it is counted. */
bool share_take(struct share *share);
