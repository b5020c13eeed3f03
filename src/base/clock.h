/*
 * Time, in three forms: raw ticks in the hot path (TSC where the CPU says it is invariant
 * and the kernel trusts it, else CLOCK_MONOTONIC's nanoseconds), nanoseconds everywhere
 * else, and wall time for reports. A struct clock is calibrated once a run (about 200 us
 * against CLOCK_MONOTONIC_RAW), is const after that, and may instead be virtual: then ticks
 * are the simulator's nanoseconds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "base/bits.h"

/* now_ns = base_ns + ((ticks - base_ticks) * mult >> CLOCK_SHIFT) */
#define CLOCK_SHIFT 24

struct clock {
	const uint64_t *virtual_ns;   /* NULL: real time */
	uint64_t base_ticks, base_ns; /* one instant in both; base_ns is CLOCK_MONOTONIC */
	uint64_t mult;		      /* ns << CLOCK_SHIFT per tick */
	bool tsc;
};

void clock_calibrate(struct clock *clock);
void clock_virtual(struct clock *clock, const uint64_t *now_ns);

/* How far the TSC drifted from CLOCK_MONOTONIC_RAW since the calibration, in parts per
 * million. */
double clock_drift_ppm(const struct clock *clock);

uint64_t clock_monotonic_ns(void);
uint64_t clock_wall_ns(void);
/* CPU time of the calling thread; of the process with its finished children. */
uint64_t clock_thread_cpu_ns(void);

static inline uint64_t clock_ticks(const struct clock *clock)
{
	if (unlikely(clock->virtual_ns != NULL))
		return *clock->virtual_ns;
#if defined(__x86_64__)
	if (likely(clock->tsc))
		return __rdtsc();
#endif
	return clock_monotonic_ns();
}

/* A span of ticks in nanoseconds; spans up to centuries do not overflow. */
static inline uint64_t clock_span_ns(const struct clock *clock, uint64_t ticks)
{
	return (uint64_t)(((unsigned __int128)ticks * clock->mult) >> CLOCK_SHIFT);
}

/* A span of nanoseconds in ticks, rounded down. */
static inline uint64_t clock_span_ticks(const struct clock *clock, uint64_t ns)
{
	return (uint64_t)(((unsigned __int128)ns << CLOCK_SHIFT) / clock->mult);
}

/* An instant in CLOCK_MONOTONIC nanoseconds (or virtual ones). */
static inline uint64_t clock_at_ns(const struct clock *clock, uint64_t ticks)
{
	if (ticks >= clock->base_ticks)
		return clock->base_ns + clock_span_ns(clock, ticks - clock->base_ticks);
	return clock->base_ns - clock_span_ns(clock, clock->base_ticks - ticks);
}

static inline uint64_t clock_now_ns(const struct clock *clock)
{
	return clock_at_ns(clock, clock_ticks(clock));
}
