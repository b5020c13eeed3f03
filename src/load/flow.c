/*
 * Set-up of a flow, the end of passes, and the general next(). Before each request the
 * general form asks in this order: is the pass over? is it think time, or another job's turn
 * (flow=)? is a sync due? which operation, and is it due? which target, and where in it?
 */
#include "load/flow.h"

#include <errno.h>

#include "base/assert.h"
#include "load/flow_priv.h"

bool flow_turn(struct flow_state *state, bool nothing_left)
{
	struct flow_limit *limit = &state->limit;

	if (nothing_left && limit->pass_ios == 0)
		return false;
	if (nothing_left)
		limit->pass_ios = 0;
	if (limit->time_based) {
		limit->counted_bytes = limit->counted_ios = 0;
	} else if (limit->loops_left) {
		limit->loops_left--;
	} else if (!limit->io_size_given || limit->moved_bytes >= limit->one_bytes ||
		   limit->one_bytes - limit->moved_bytes < limit->largest) {
		return false;
	}
	if (flow_limit_is_reached(limit))
		return false;
	state->just_synced = false;
	if (!nothing_left)
		return true;
	for (unsigned i = 0; i < state->nlanes; i++)
		lane_reset(&state->lanes[i], &state->rule);
	service_reset(&state->service);
	return true;
}

/* --- the general form --- */

static enum flow_answer end(struct flow_state *state)
{
	state->ended = true;
	share_leave(&state->share);
	return FLOW_END;
}

/* Think time and the share of flow=. FLOW_READY: go on. */
static enum flow_answer wait_for_turn(struct flow_state *state, uint64_t now)
{
	if (state->pace.think.state != THINK_OFF) {
		switch (pace_think(&state->pace, now)) {
		case PACE_GO:
			break;
		case PACE_WAIT:
			state->flow.next_due = state->pace.think.until;
			state->flow.spin_until = state->pace.think.until -
						 state->pace.think.pause_ticks +
						 state->pace.think.spin_ticks;
			return FLOW_LATER;
		case PACE_DRAIN:
			return FLOW_DRAIN;
		}
	}
	return FLOW_READY;
}

static bool is_due(const struct pace *pace, enum op op, uint64_t now)
{
	return !pace->schedule[op].on || pace->schedule[op].due <= now;
}

/*
 * The operation of the next request. With rates the mix gives way: where the operation that
 * it chose is not due yet, the other goes first if it is due or has no rate, so that each
 * direction keeps its own rate. False: none is due before flow.next_due.
 */
static bool choose_op(struct flow_state *state, uint64_t now, struct piece *piece)
{
	struct pace *pace = &state->pace;
	enum op op = state->only_op, other;

	piece->op_is_free = false;
	if (state->mixed) {
		op = (rng_next(&state->mix_rng) >> 32) < state->read_upto ? OP_READ : OP_WRITE;
		piece->op_is_free = !pace->rated;
	}
	piece->op = op;
	if (!pace->rated || is_due(pace, op, now))
		return true;
	other = op == OP_READ ? OP_WRITE : OP_READ;
	if (state->mixed && is_due(pace, other, now)) {
		piece->op = other;
		return true;
	}
	state->flow.next_due = pace->schedule[op].due;
	if (state->mixed)
		state->flow.next_due = min_u64(state->flow.next_due, pace->schedule[other].due);
	state->flow.spin_until = 0;
	return false;
}

/* Lanes in turn until one has a place; false: none has. */
static bool choose_place(struct flow_state *state, struct piece *piece, uint16_t *ret_target)
{
	while (service_has_one(&state->service)) {
		uint32_t number = service_next(&state->service);
		struct lane *lane = &state->lanes[number];

		if (lane_next(&state->rule, lane, piece)) {
			*ret_target = lane->target;
			return true;
		}
		if (service_lane_done(&state->service)) {
			lane_reset(lane, &state->rule);
			if (lane_next(&state->rule, lane, piece)) {
				*ret_target = lane->target;
				return true;
			}
			return false;
		}
	}
	return false;
}

/* fsync and fdatasync come when the number of writes so far is a multiple of theirs, and the
 * last request was not one: so a read after the N-th write has a second one behind it, as in
 * fio. */
static bool sync_is_due(struct flow_state *state, struct req *req)
{
	if (state->just_synced || !state->wrote)
		return false;
	if (state->fsync_every && state->fsync_left == state->fsync_every)
		req->op = OP_FSYNC;
	else if (state->fdatasync_every && state->fdatasync_left == state->fdatasync_every)
		req->op = OP_FDATASYNC;
	else
		return false;
	if (!service_has_one(&state->service))
		return false;
	req->target = state->lanes[service_next(&state->service)].target;
	req->offset = 0;
	req->len = 0;
	state->just_synced = true;
	return true;
}

static void count_write(struct flow_state *state)
{
	state->wrote = true;
	if (state->fsync_every && --state->fsync_left == 0)
		state->fsync_left = state->fsync_every;
	if (state->fdatasync_every && --state->fdatasync_left == 0)
		state->fdatasync_left = state->fdatasync_every;
}

/* Limits, syncs, schedule and think time learn of the request. */
static void count_request(struct flow_state *state, struct req *req, const struct piece *piece,
			  uint64_t now)
{
	struct flow_limit *limit = &state->limit;
	struct schedule *schedule = &state->pace.schedule[piece->op];

	req->op = (uint8_t)piece->op;
	req->offset = piece->offset;
	req->len = piece->len;
	req->due = now;
	req->flags = REQ_UNRATED;
	if (schedule->on) {
		req->due = schedule->due;
		req->flags = 0;
		schedule_advance(schedule, &state->pace.rng, piece->len);
	}
	state->just_synced = false;
	limit->pass_ios++;
	limit->moved_bytes += piece->len;
	if (!state->trim_write || piece->op == OP_WRITE) {
		limit->counted_bytes += piece->len;
		limit->counted_ios++;
	}
	if (piece->op == OP_WRITE)
		count_write(state);
	state->pace.think.issued++;
	state->pace.think.in_flight++;
}

/* The write over the block that was just trimmed. */
static enum flow_answer next_pending(struct flow_state *state, uint64_t now, struct req *req)
{
	if (!is_due(&state->pace, OP_WRITE, now)) {
		state->flow.next_due = state->pace.schedule[OP_WRITE].due;
		state->flow.spin_until = 0;
		return FLOW_LATER;
	}
	req->target = state->pending_target;
	state->write_pending = false;
	count_request(state, req, &state->pending, now);
	return FLOW_READY;
}

static void make_pending(struct flow_state *state, const struct piece *piece, uint16_t target)
{
	state->write_pending = true;
	state->pending = *piece;
	state->pending.op = OP_WRITE;
	state->pending.len = piece->len < state->rule.length[OP_WRITE].max
				     ? piece->len
				     : state->rule.length[OP_WRITE].max;
	state->pending_target = target;
}

static enum flow_answer next_placed(struct flow_state *state, uint64_t now, struct req *req)
{
	struct piece piece;

	for (;;) {
		if (sync_is_due(state, req)) {
			req->due = now;
			req->flags = REQ_UNRATED;
			state->pace.think.in_flight++;
			return FLOW_READY;
		}
		if (!choose_op(state, now, &piece))
			return FLOW_LATER;
		if (share_is_on(&state->share) && !share_take(&state->share)) {
			state->flow.next_due = now + state->share.sleep_ticks;
			state->flow.spin_until = 0;
			return FLOW_LATER;
		}
		if (choose_place(state, &piece, &req->target))
			break;
		if (!flow_turn(state, true))
			return end(state);
	}
	if (state->trim_write)
		make_pending(state, &piece, req->target);
	count_request(state, req, &piece, now);
	return FLOW_READY;
}

static enum flow_answer next_general(struct flow *flow, uint64_t now, struct req *req)
{
	struct flow_state *state = flow_state(flow);
	enum flow_answer answer;

	if (state->ended)
		return FLOW_END;
	if (!state->write_pending && flow_limit_is_reached(&state->limit) &&
	    !flow_turn(state, false))
		return end(state);
	answer = wait_for_turn(state, now);
	if (answer != FLOW_READY)
		return answer;
	if (state->write_pending)
		return next_pending(state, now, req);
	return next_placed(state, now, req);
}

void flow_done(struct flow *flow, const struct req *req, uint64_t now)
{
	struct flow_state *state = flow_state(flow);

	(void)now;
	debug_assert(state->pace.think.in_flight > 0);
	state->pace.think.in_flight--;
	if (state->fills && (req->res == -ENOSPC || req->res == -EDQUOT || req->res == -EFBIG))
		(void)end(state);
}

/* --- set-up --- */

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static void limit_init(struct flow_limit *limit, const struct flow_setup *setup)
{
	const struct job_spec *spec = setup->spec;
	uint32_t loops = spec->loops ? spec->loops : 1;

	for (unsigned i = 0; i < setup->ntargets; i++)
		limit->one_bytes += setup->targets[i].io_bytes;
	limit->time_based = spec->time_based;
	limit->bytes = spec->sprandom ? UINT64_MAX : times(limit->one_bytes, loops);
	limit->ios = spec->number_ios ? times(spec->number_ios, loops) : UINT64_MAX;
	limit->loops_left = loops - 1;
	limit->io_size_given = spec->io_size.given;
}

static void mix_init(struct flow_state *state, const struct job_spec *spec, uint64_t seed)
{
	rng_seed(&state->mix_rng, seed, 4);
	state->trim_write = spec->rw.trim_then_write;
	state->mixed = spec->rw.does[OP_READ] && spec->rw.does[OP_WRITE];
	state->read_upto = ((uint64_t)spec->rwmixread << 32) / 100;
	state->only_op = spec->rw.does[OP_READ]	  ? OP_READ
			 : spec->rw.does[OP_TRIM] ? OP_TRIM
						  : OP_WRITE;
	if (state->mixed && (spec->rwmixread == 0 || spec->rwmixread >= 100)) {
		state->only_op = spec->rwmixread ? OP_READ : OP_WRITE;
		state->mixed = false;
	}
}

static int lanes_init(struct flow_state *state, const struct flow_setup *setup, struct err *err)
{
	uint64_t units = 0;

	state->nlanes = setup->ntargets;
	state->lanes = arena_array(setup->arena, struct lane, setup->ntargets);
	for (unsigned i = 0; i < setup->ntargets; i++) {
		state->lanes[i].target = (uint16_t)i;
		lane_init(&state->lanes[i], &state->rule, setup->spec, &setup->targets[i],
			  setup->arena);
		units += state->lanes[i].units;
	}
	if (units == 0)
		return err_input(
			err,
			"job \"%s\": no block of %llu bytes fits into its region of %llu "
			"bytes: a smaller bs, or a larger size",
			setup->spec->name ? setup->spec->name : "",
			(unsigned long long)state->rule.unit,
			(unsigned long long)setup->targets[0].region_bytes);
	return 0;
}

static void share_init(struct share *share, const struct flow_setup *setup)
{
	share->shared = setup->shared;
	share->weight = setup->spec->flow > 0 ? (uint64_t)setup->spec->flow : 1;
	share->sleep_ticks = clock_span_ticks(setup->clock, setup->spec->flow_sleep);
}

int flow_open(const struct flow_setup *setup, struct flow **ret_flow, struct err *err)
{
	const struct job_spec *spec = setup->spec;
	struct flow_state *state;
	int error;

	if (setup->ntargets == 0 || setup->ntargets > UINT16_MAX)
		return err_input(err, "a job has 1 to %u files, not %u", UINT16_MAX,
				 setup->ntargets);
	state = arena_new(setup->arena, struct flow_state);
	state->loops = spec->loops ? spec->loops : 1;
	mix_init(state, spec, setup->seed);
	lane_rule_init(&state->rule, spec, setup->seed, setup->arena);
	error = lanes_init(state, setup, err);
	if (error)
		return error;
	service_init(&state->service, spec, setup->ntargets, setup->seed, setup->arena);
	limit_init(&state->limit, setup);
	for (int op = 0; op < NDATA; op++)
		if (spec->rw.does[op] && state->rule.length[op].max > state->limit.largest)
			state->limit.largest = state->rule.length[op].max;
	pace_init(&state->pace, spec, setup->clock, setup->seed);
	share_init(&state->share, setup);
	state->fsync_every = state->fsync_left = spec->fsync;
	state->fdatasync_every = state->fdatasync_left = spec->fdatasync;
	state->fills = spec->fill_device;
	state->flow.next = next_general;
	flow_plain_init(state, spec);
	state->flow.wants_done = state->pace.think.drains || spec->fill_device;
	*ret_flow = &state->flow;
	return 0;
}

void flow_start(struct flow *flow, uint64_t now)
{
	struct flow_state *state = flow_state(flow);

	pace_start(&state->pace, now);
	share_join(&state->share);
}

void flow_stop(struct flow *flow)
{
	(void)end(flow_state(flow));
}

static const struct flow_state *flow_state_const(const struct flow *flow)
{
	return (const struct flow_state *)(const void *)((const char *)flow -
							 offsetof(struct flow_state, flow));
}

uint64_t flow_backlog(const struct flow *flow, uint64_t now)
{
	const struct flow_state *state = flow_state_const(flow);
	uint64_t count = 0;

	for (int op = 0; op < NDATA && !state->ended; op++) {
		const struct length *length = &state->rule.length[op];

		count += schedule_backlog(&state->pace.schedule[op], now,
					  ((double)length->min + (double)length->max) / 2);
	}
	return count;
}

/* The last request is not cut: where all have one size, up to the next multiple of it. */
static uint64_t whole_requests(const struct flow_state *state, uint64_t bytes)
{
	const struct length *length = &state->rule.length[state->only_op];

	if (state->rule.mixed_ops || !length->fixed || bytes > UINT64_MAX - length->max)
		return bytes;
	return round_up_u64(bytes, length->max);
}

/* As many passes as the rules of struct flow_limit give. */
uint64_t flow_total_bytes(const struct flow *flow)
{
	const struct flow_state *state = flow_state_const(flow);
	const struct flow_limit *limit = &state->limit;
	uint64_t pass = 0, total, most = whole_requests(state, limit->bytes);

	if (limit->time_based)
		return 0;
	if (limit->ios != UINT64_MAX)
		most = min_u64(most, times(limit->ios, limit->largest));
	for (unsigned i = 0; i < state->nlanes; i++)
		pass += lane_pass_bytes(&state->lanes[i], &state->rule);
	if (state->trim_write) {
		most = times(most, 2);
		pass = times(pass, 2);
	}
	if (pass == 0)
		return most;
	total = times(pass, state->loops);
	if (limit->io_size_given && total < limit->one_bytes) {
		uint64_t rest = limit->one_bytes - total;

		if (rest >= limit->largest)
			total += round_up_u64(rest - limit->largest + 1, pass);
	}
	return min_u64(total, most);
}
