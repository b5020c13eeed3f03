#include "load/pace.h"

#include <math.h>

#include "base/assert.h"

/* A tick is mult / 2^CLOCK_SHIFT ns, so a gap is (1e9 << CLOCK_SHIFT) / (rate * mult) ticks, as
 * a fraction of integers: exact. */
void schedule_init(struct schedule *schedule, const struct clock *clock, uint64_t per_second,
		   bool by_bytes, bool poisson)
{
	uint64_t ticks_times_mult = NS_PER_S << CLOCK_SHIFT;

	assert(per_second > 0);
	*schedule = (struct schedule){.on = true, .by_bytes = by_bytes, .poisson = poisson};
	/* 2^60 B/s overflows the product of a slow clock; nothing moves so fast. */
	schedule->divisor = min_u64(per_second, UINT64_MAX / clock->mult) * clock->mult;
	schedule->step = ticks_times_mult / schedule->divisor;
	schedule->rest = ticks_times_mult % schedule->divisor;
	schedule->mean = (double)ticks_times_mult / (double)schedule->divisor;
}

static void advance_poisson(struct schedule *schedule, struct rng *rng, uint64_t count)
{
	double gap = -log1p(-rng_unit(rng)) * schedule->mean * (double)count;
	double whole;

	schedule->fraction = modf(schedule->fraction + gap, &whole);
	schedule->due += (uint64_t)whole;
}

void schedule_advance(struct schedule *schedule, struct rng *rng, uint32_t bytes)
{
	uint64_t count = schedule->by_bytes ? bytes : 1;

	if (schedule->poisson) {
		advance_poisson(schedule, rng, count);
		return;
	}
	schedule->due += schedule->step * count;
	schedule->carry += (unsigned __int128)schedule->rest * count;
	if (schedule->carry >= schedule->divisor) {
		schedule->due += (uint64_t)(schedule->carry / schedule->divisor);
		schedule->carry %= schedule->divisor;
	}
}

uint64_t schedule_backlog(const struct schedule *schedule, uint64_t now, double request_bytes)
{
	double gap = schedule->mean * (schedule->by_bytes ? request_bytes : 1);

	if (!schedule->on || schedule->due > now)
		return 0;
	return 1 + (uint64_t)((double)(now - schedule->due) / gap);
}

void pace_init(struct pace *pace, const struct job_spec *spec, const struct clock *clock,
	       uint64_t seed)
{
	struct think *think = &pace->think;
	bool poisson = spec->rate_process == RATE_POISSON;

	*pace = (struct pace){0};
	rng_seed(&pace->rng, seed, 3);
	for (int op = 0; op < NDATA; op++) {
		if (!spec->rw.does[op] || (!spec->rate[op] && !spec->rate_iops[op]))
			continue;
		schedule_init(&pace->schedule[op], clock,
			      spec->rate_iops[op] ? spec->rate_iops[op] : spec->rate[op],
			      !spec->rate_iops[op], poisson);
		pace->rated = true;
	}
	if (spec->thinktime == 0)
		return;
	think->state = THINK_RUN;
	think->blocks = spec->thinktime_blocks ? spec->thinktime_blocks : 1;
	think->pause_ticks = clock_span_ticks(clock, spec->thinktime);
	think->spin_ticks = clock_span_ticks(clock, spec->thinktime_spin);
	think->iotime_ticks = clock_span_ticks(clock, spec->thinktime_iotime);
	think->drains = spec->thinktime_blocks_type == THINK_COMPLETE;
	think->moves_schedule = spec->rate_ignore_thinktime;
}

void pace_start(struct pace *pace, uint64_t now)
{
	for (int op = 0; op < NDATA; op++) {
		struct schedule *schedule = &pace->schedule[op];

		schedule->due = now;
		/* The first of a Poisson process comes after a gap like the others. */
		if (schedule->on && schedule->poisson)
			advance_poisson(schedule, &pace->rng, 1);
	}
	pace->think.burst_start = now;
}

static bool burst_is_over(const struct think *think, uint64_t now)
{
	if (think->iotime_ticks)
		return think->issued && now - think->burst_start >= think->iotime_ticks;
	return think->issued >= think->blocks;
}

static void begin_pause(struct pace *pace, uint64_t now)
{
	struct think *think = &pace->think;

	think->state = THINK_PAUSE;
	think->until = now + think->pause_ticks;
	for (int op = 0; op < NDATA && think->moves_schedule; op++)
		pace->schedule[op].due = max_u64(pace->schedule[op].due, think->until);
}

enum pace_answer pace_think(struct pace *pace, uint64_t now)
{
	struct think *think = &pace->think;

	if (think->state == THINK_RUN && burst_is_over(think, now)) {
		if (!think->drains)
			begin_pause(pace, now);
		else
			think->state = THINK_DRAIN;
	}
	if (think->state == THINK_DRAIN) {
		if (think->in_flight)
			return PACE_DRAIN;
		begin_pause(pace, now);
	}
	if (think->state == THINK_PAUSE) {
		if (now < think->until)
			return PACE_WAIT;
		think->state = THINK_RUN;
		think->issued = 0;
		think->burst_start = now;
	}
	return PACE_GO;
}
