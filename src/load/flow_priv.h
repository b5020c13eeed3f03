/*
 * The inside of a flow. Two forms of next(): the plain ones (flow_plain.c) for one target, one
 * operation, one size and nothing else, which count down to the next decision; and the general
 * one (flow.c). Both end a pass, begin the next or end the flow by the same flow_turn().
 */
#pragma once

#include "load/flow.h"
#include "load/lane.h"
#include "load/pace.h"
#include "load/service.h"
#include "load/share.h"

/*
 * When a pass and when the flow ends; fio's rules, found by its behaviour (3.33):
 * - a pass ends when nothing is left to visit, or at loops x (io_size or size) bytes, or at
 *   loops x number_ios requests; the last request is never cut;
 * - after a pass: the next of `loops`; or, with time_based, always one more; or, with io_size
 *   given, one more while io_size is not reached by at least the largest request; else the end;
 * - a pass that ended at its bytes or requests goes on where it was, one that ended because
 *   nothing was left starts over.
 */
struct flow_limit {
	uint64_t bytes, ios; /* of a pass; UINT64_MAX none */
	uint64_t one_bytes;  /* io_size, or size */
	uint64_t counted_bytes, counted_ios;
	uint64_t moved_bytes; /* counted, and what trimwrite trimmed */
	uint64_t pass_ios;    /* since lanes last began: none means that they never give any */
	uint32_t loops_left;
	uint32_t largest;
	bool time_based, io_size_given;
};

/* Draws of the permutation made at once: independent of each other, they overlap in the core. */
#define FLOW_DRAWS 16

struct flow_state {
	struct flow flow;
	/* the plain forms */
	uint64_t plain_left, plain_batch; /* requests before the next decision */
	uint64_t plain_at;		  /* next sequential offset in the target */
	uint64_t plain_start, plain_places;
	uint32_t plain_len;
	uint8_t plain_op;
	uint32_t draws_left;
	uint64_t draws[FLOW_DRAWS]; /* offsets; taken from the end */
	bool ended;
	struct lane_rule rule;
	struct lane *lanes;
	unsigned nlanes;
	struct service service;
	struct flow_limit limit;
	struct rng mix_rng;
	uint64_t read_upto; /* of 2^32; mixed only */
	bool mixed;
	enum op only_op; /* not mixed */
	/* trimwrite: the write that follows a trim */
	bool trim_write, write_pending;
	struct piece pending;
	uint16_t pending_target;
	/* fsync and fdatasync after every so many writes */
	uint32_t fsync_every, fdatasync_every, fsync_left, fdatasync_left;
	bool just_synced, wrote;
	struct pace pace;
	struct share share;
	bool fills; /* fill_device: no space left is the end, not an error */
	uint32_t loops;
};

static inline struct flow_state *flow_state(struct flow *flow)
{
	return container_of(flow, struct flow_state, flow);
}

/* A pass is over; `nothing_left`: every lane is done. True: another begins. */
bool flow_turn(struct flow_state *state, bool nothing_left);

/* Is the pass at its bytes or requests? */
static inline bool flow_limit_is_reached(const struct flow_limit *limit)
{
	return limit->counted_bytes >= limit->bytes || limit->counted_ios >= limit->ios;
}

/* The plain form for this job, or NULL where it takes the general one. flow_plain.c. */
void flow_plain_init(struct flow_state *state, const struct job_spec *spec);
