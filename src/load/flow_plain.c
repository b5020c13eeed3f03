/*
 * The plain forms of next(): one target, one operation, one size, no rate. A count of
 * requests is prepared for which nothing can change; the hot path counts it down.
 */
#include "base/assert.h"
#include "load/flow_priv.h"

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

/* Requests of the lane until nothing is left to visit. */
static uint64_t lane_requests_left(const struct flow_state *state)
{
	const struct lane *lane = &state->lanes[0];
	uint64_t end = lane->start_bytes + lane->region_bytes;

	if (state->rule.mapped)
		return lane->units_left;
	if (state->rule.scatter)
		return lane->units ? UINT64_MAX : 0;
	return (end - state->plain_at) / state->plain_len;
}

/* Prepares the next countdown; false: the flow ends. Cold. */
static bool plain_turn(struct flow_state *state)
{
	struct flow_limit *limit = &state->limit;
	struct lane *lane = &state->lanes[0];

	limit->counted_bytes += state->plain_batch * state->plain_len;
	limit->moved_bytes = limit->counted_bytes;
	limit->counted_ios += state->plain_batch;
	limit->pass_ios += state->plain_batch;
	if (state->rule.mapped)
		lane->units_left -= state->plain_batch;
	state->plain_batch = 0;
	while (flow_limit_is_reached(limit) || lane_requests_left(state) == 0) {
		bool nothing_left = lane_requests_left(state) == 0;

		if (!flow_turn(state, nothing_left))
			return false;
		if (nothing_left)
			state->plain_at = lane->start_bytes;
	}
	state->plain_batch = min_u64(
		lane_requests_left(state),
		min_u64(divide_up(limit->bytes - limit->counted_bytes, state->plain_len),
			limit->ios - limit->counted_ios));
	state->plain_left = state->plain_batch;
	return true;
}

/* Fills all but the offset; false at the end. */
static inline bool plain_take(struct flow_state *state, uint64_t now, struct req *req)
{
	if (unlikely(state->plain_left == 0) && !plain_turn(state)) {
		state->ended = true;
		return false;
	}
	state->plain_left--;
	req->due = now;
	req->len = state->plain_len;
	req->target = 0;
	req->op = state->plain_op;
	req->flags = REQ_UNRATED;
	return true;
}

static enum flow_answer next_sequential(struct flow *flow, uint64_t now, struct req *req)
{
	struct flow_state *state = flow_state(flow);

	if (!plain_take(state, now, req))
		return FLOW_END;
	req->offset = state->plain_at;
	state->plain_at += state->plain_len;
	return FLOW_READY;
}

/* No more than the countdown still has: where it ends the order may begin anew. One draw is a
 * chain of some 70 cycles; in a loop of their own they overlap: 15 -> 7 ns. */
static __attribute__((noinline)) void draw(struct flow_state *state)
{
	struct permute order = state->lanes[0].order; /* a copy stays in registers */
	uint64_t start = state->plain_start, len = state->plain_len;
	unsigned count = (unsigned)min_u64(FLOW_DRAWS, state->plain_left + 1);

	for (unsigned i = count; i-- > 0;)
		state->draws[i] = start + permute_next(&order) * len;
	state->lanes[0].order = order;
	state->draws_left = count;
}

static enum flow_answer next_permuted(struct flow *flow, uint64_t now, struct req *req)
{
	struct flow_state *state = flow_state(flow);

	if (!plain_take(state, now, req))
		return FLOW_END;
	if (unlikely(state->draws_left == 0))
		draw(state);
	req->offset = state->draws[--state->draws_left];
	return FLOW_READY;
}

static enum flow_answer next_repeating(struct flow *flow, uint64_t now, struct req *req)
{
	struct flow_state *state = flow_state(flow);

	if (!plain_take(state, now, req))
		return FLOW_END;
	req->offset = state->plain_start +
		      rng_below(&state->rule.rng, state->plain_places) * state->plain_len;
	return FLOW_READY;
}

static void mix(struct flow_state *state, struct req *req)
{
	req->op = (rng_next(&state->mix_rng) >> 32) < state->read_upto ? OP_READ : OP_WRITE;
}

static enum flow_answer next_permuted_mixed(struct flow *flow, uint64_t now, struct req *req)
{
	enum flow_answer answer = next_permuted(flow, now, req);

	mix(flow_state(flow), req);
	return answer;
}

static enum flow_answer next_repeating_mixed(struct flow *flow, uint64_t now, struct req *req)
{
	enum flow_answer answer = next_repeating(flow, now, req);

	mix(flow_state(flow), req);
	return answer;
}

/* One size for all, always random or never, nothing that stops or moves the stream. */
static bool is_plain(const struct flow_state *state, const struct job_spec *spec)
{
	const struct lane_rule *rule = &state->rule;

	if (state->nlanes != 1 || state->trim_write || rule->mixed_ops || rule->skip_bytes ||
	    rule->every > 1 || rule->zone_bytes || state->lanes[0].spread ||
	    state->lanes[0].onepass)
		return false;
	if (pace_is_on(&state->pace) || share_is_on(&state->share) || state->fsync_every ||
	    state->fdatasync_every || spec->fill_device)
		return false;
	if (state->mixed && !spec->rw.random)
		return false;
	for (int op = 0; op < NDATA; op++)
		if (spec->rw.does[op] &&
		    (!rule->length[op].fixed || rule->length[op].min != rule->unit ||
		     (spec->rw.random && spec->percentage_random[op] != 100)))
			return false;
	return true;
}

void flow_plain_init(struct flow_state *state, const struct job_spec *spec)
{
	const struct lane_rule *rule = &state->rule;
	const struct lane *lane = &state->lanes[0];
	enum op op = state->only_op;

	if (!is_plain(state, spec))
		return;
	state->plain_len = state->flow.one_length = rule->length[op].min;
	state->plain_op = (uint8_t)op;
	state->plain_start = state->plain_at = lane->start_bytes;
	state->plain_places = lane->units;
	if (!spec->rw.random)
		state->flow.next = next_sequential;
	else if (state->mixed)
		state->flow.next = rule->mapped ? next_permuted_mixed : next_repeating_mixed;
	else
		state->flow.next = rule->mapped ? next_permuted : next_repeating;
}
