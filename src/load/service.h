/*
 * file_service_type: which of a flow's targets the next request goes to. Lanes that are done
 * in this pass leave the ring; the uneven services (zipf, pareto, normal) start a finished
 * lane over instead, as fio does. openfiles limits how many of the lanes are in turn at
 * once: when one is done, the next one opens.
 */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/rng.h"
#include "job/spec.h"
#include "load/spread.h"

struct service {
	enum file_service kind;
	uint32_t every, every_left; /* requests on one lane before the next */
	unsigned count, window;	    /* lanes; how many are in turn at once */
	unsigned opened;	    /* lanes 0 .. opened - 1 have had their turn */
	unsigned nalive;
	uint32_t current; /* in place[] */
	uint32_t *alive;  /* lanes in turn, in ring order; nalive of them */
	struct rng rng;
	struct spread *spread;
};

void service_init(struct service *service, const struct job_spec *spec, unsigned count,
		  uint64_t seed, struct arena *arena);

/* All lanes are in turn again. */
void service_reset(struct service *service);

/* The next lane; call only while service_has_one(). */
uint32_t service_next(struct service *service);

/* The lane that service_next gave last has nowhere left to go. True: it shall start over
 * (uneven services); false: it is out of turn. */
bool service_lane_done(struct service *service);

static inline bool service_has_one(const struct service *service)
{
	return service->nalive > 0;
}
