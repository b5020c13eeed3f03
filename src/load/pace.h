/*
 * When requests are due: arrival schedules (rate, rate_iops, by direction) and think time.
 *
 * A schedule is made of what was asked alone, never of what happened: the k-th request (or
 * byte) is due k / rate after the start, exact to a tick at any k, because the remainder of
 * each step is kept as an integer. Falling behind changes nothing: requests stay due in the
 * past until the backlog is worked off. Poisson arrivals (rate_process=poisson) have
 * exponential gaps with the same mean, -log(1 - u) / rate; their sum is kept in whole ticks
 * and a fraction.
 *
 * Think time: after thinktime_blocks requests, or thinktime_iotime of issuing, nothing is
 * due for thinktime, of which thinktime_spin is waited busily. With blocks_type=complete
 * what is in flight is drained first. A schedule goes on during the pause and is caught up
 * with, unless rate_ignore_thinktime moves it to the end of the pause.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/rng.h"
#include "job/spec.h"

struct schedule {
	bool on, by_bytes, poisson;
	uint64_t due; /* ticks: the next arrival */
	uint64_t step, rest,
		divisor;	 /* a request's (or byte's) gap: step + rest / divisor ticks */
	unsigned __int128 carry; /* of divisor */
	double mean, fraction;	 /* poisson: gap in ticks, and the part of a tick kept */
};

/* `per_second` > 0 requests or bytes. */
void schedule_init(struct schedule *schedule, const struct clock *clock, uint64_t per_second,
		   bool by_bytes, bool poisson);

/* The arrival at `due` was taken, of `bytes`: moves to the next. */
void schedule_advance(struct schedule *schedule, struct rng *rng, uint32_t bytes);

/* Arrivals that were due by `now` and not taken; `request_bytes` is the usual size of one. */
uint64_t schedule_backlog(const struct schedule *schedule, uint64_t now, double request_bytes);

enum think_state { THINK_OFF, THINK_RUN, THINK_DRAIN, THINK_PAUSE };

struct think {
	enum think_state state;
	uint32_t blocks, issued; /* before a pause; since the last one */
	uint64_t in_flight;
	uint64_t pause_ticks, spin_ticks, iotime_ticks;
	uint64_t burst_start, until;
	bool drains, moves_schedule;
};

struct pace {
	bool rated;
	struct schedule schedule[NDATA];
	struct think think;
	struct rng rng;
};

void pace_init(struct pace *pace, const struct job_spec *spec, const struct clock *clock,
	       uint64_t seed);
void pace_start(struct pace *pace, uint64_t now);

static inline bool pace_is_on(const struct pace *pace)
{
	return pace->rated || pace->think.state != THINK_OFF;
}

enum pace_answer { PACE_GO, PACE_WAIT, PACE_DRAIN };

/* May another request begin? PACE_WAIT: not before think.until. */
enum pace_answer pace_think(struct pace *pace, uint64_t now);
