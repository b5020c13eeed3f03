/*
 * The flow: which request comes next (operation, target, offset, length) and when it is due.
 * One a worker, all state inside it, chosen at set-up: no option is tested per request that
 * could be decided before. Stop rules, sizes and coverage are exactly fio's; without a time
 * limit a random job covers each block once by a full-period permutation (load/permute.h).
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

/* What several workers share, in the run's shared memory (fio's flow=); NULL where unused. */
struct flow_shared;

struct flow_setup {
	const struct job_spec *spec;
	const struct clock *clock;
	const struct target *targets; /* opened, with size, start, region and io_bytes */
	unsigned ntargets;
	unsigned clone; /* index among the job's clones, from 0 */
	uint64_t seed; /* of this worker: the run chooses it (randseed, randrepeat, or fresh) */
	struct flow_shared *shared;
	struct arena *arena;
};

enum flow_answer {
	FLOW_READY, /* the request is filled */
	FLOW_LATER, /* nothing is due before flow_next_due() */
	FLOW_DRAIN, /* wait for what is in flight first (think time, loops, fill) */
	FLOW_END,   /* a stop rule is reached: nothing more comes */
};

struct flow; /* flow_priv.h */

int flow_open(const struct flow_setup *setup, struct flow **ret_flow, struct err *err);

/* Sets op, target, offset, len, due and REQ_UNRATED. `now` in ticks. */
enum flow_answer flow_next(struct flow *flow, uint64_t now, struct req *req);

/* After FLOW_LATER: the tick from which on flow_next may have something. */
uint64_t flow_next_due(const struct flow *flow);

/* The run's clock starts: schedules begin here. Called again at the end of the ramp? No:
 * once. */
void flow_start(struct flow *flow, uint64_t now);

/* Told of each completion where flow_wants_done() says so (think time by completions,
 * fill_device, bytes that came short). Chosen at set-up. */
bool flow_wants_done(const struct flow *flow);
void flow_done(struct flow *flow, const struct req *req, uint64_t now);

/* Bytes that the whole flow will move if no time limit ends it: for progress and time left.
 * 0: no end of its own. */
uint64_t flow_total_bytes(const struct flow *flow);
