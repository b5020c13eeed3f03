/*
 * The flow: which request comes next (operation, target, offset, length) and when it is due.
 * One a worker, all state inside it, chosen at set-up: no option is tested per request that
 * could be decided before. Stop rules, sizes and coverage are exactly fio's; without a time
 * limit a random job covers each block once by a full-period permutation (load/permute.h).
 *
 * Life: flow_open (control plane), flow_start (worker, once, when the run's clock starts),
 * flow_next and flow_done for each request, flow_stop (worker, once, when it takes no more).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "engine/req.h"
#include "engine/target.h"
#include "job/spec.h"

/* What the workers of one flow_id share (fio's flow=), in the run's shared memory: share.h. */
struct flow_shared;
struct flow_shared *flow_shared_new(struct arena *arena);

struct flow_setup {
	const struct job_spec *spec;
	const struct clock *clock;
	const struct target *targets; /* opened, with size, start, region and io_bytes */
	unsigned ntargets;
	unsigned clone; /* index among the job's clones, from 0 */
	uint64_t seed; /* of this worker: the run chooses it (randseed, randrepeat, or fresh) */
	struct flow_shared *shared; /* NULL where the job has no flow= */
	struct arena *arena;
};

enum flow_answer {
	FLOW_READY, /* the request is filled */
	FLOW_LATER, /* nothing is due before flow_next_due() */
	FLOW_DRAIN, /* ask again when nothing is in flight any more (think time) */
	FLOW_END,   /* a stop rule is reached: nothing more comes, however often asked */
};

/* What the worker reads per request; the rest is in flow_priv.h. */
struct flow {
	enum flow_answer (*next)(struct flow *flow, uint64_t now, struct req *req);
	uint64_t next_due;   /* ticks; valid after FLOW_LATER */
	uint64_t spin_until; /* ticks: until then the wait burns CPU (thinktime_spin) */
	uint32_t one_length;
	bool wants_done;
};

int flow_open(const struct flow_setup *setup, struct flow **ret_flow, struct err *err);

/*
 * Sets op, target, offset, len, due and flags (REQ_UNRATED or none); other fields are left
 * as they are. `now` in ticks. A sync request has len 0 and a target; it is to follow the
 * writes before it.
 */
static inline enum flow_answer flow_next(struct flow *flow, uint64_t now, struct req *req)
{
	return flow->next(flow, now, req);
}

/* After FLOW_LATER: the tick from which on flow_next may have something. */
static inline uint64_t flow_next_due(const struct flow *flow)
{
	return flow->next_due;
}

/* After FLOW_LATER: the worker waits busily until this tick, and may sleep from then on to
 * flow_next_due(). In the past: sleep at once. */
static inline uint64_t flow_spin_until(const struct flow *flow)
{
	return flow->spin_until;
}

/* The run's clock starts: schedules begin here. Once; not again at the end of the ramp. */
void flow_start(struct flow *flow, uint64_t now);

/* Told of each completion where flow_wants_done() says so (think time by completions,
 * fill_device). Chosen at set-up. */
static inline bool flow_wants_done(const struct flow *flow)
{
	return flow->wants_done;
}
void flow_done(struct flow *flow, const struct req *req, uint64_t now);

/* The length of every request, where all are equal; else 0. */
static inline uint32_t flow_one_length(const struct flow *flow)
{
	return flow->one_length;
}

/* The worker takes no more, for whatever reason: its share (flow=) goes to the others. */
void flow_stop(struct flow *flow);

/* Requests that a rate had made due by `now` and that were not taken. 0 after the flow's end.
 * Where a rate in bytes meets mixed sizes, by the middle of the smallest and the largest. */
uint64_t flow_backlog(const struct flow *flow, uint64_t now);

/* Bytes that the whole flow will move if no time limit ends it: for progress and time left.
 * 0: no end of its own. */
uint64_t flow_total_bytes(const struct flow *flow);
