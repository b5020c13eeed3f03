#include "base/clock.h"

#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/file.h"

#define CALIBRATE_NS 200000ULL /* long enough for 1e-4: 20 ns of reading error on 200 us */

static uint64_t read_ns(clockid_t id)
{
	struct timespec t;

	(void)clock_gettime(id, &t); /* these ids exist on every kernel we run on */
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_wall_ns(void)
{
	return read_ns(CLOCK_REALTIME);
}

uint64_t clock_thread_cpu_ns(void)
{
	return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

#if defined(__x86_64__)
/* Invariant by the CPU's word (CPUID 8000_0007h, EDX bit 8), and the kernel uses it as its
 * clock. */
static bool tsc_is_sane(void)
{
	unsigned a, b, c, d = 0;
	char source[32];

	if (!__get_cpuid(0x80000007u, &a, &b, &c, &d) || !(d & (1u << 8)))
		return false;
	(void)file_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			     source, sizeof(source));
	return strcmp(source, "tsc") == 0;
}

/* One instant in both clocks: the read of ns with the shortest pair of TSC reads around it. */
static void read_pair(uint64_t *ret_ticks, uint64_t *ret_ns, clockid_t id)
{
	uint64_t best = UINT64_MAX;

	*ret_ticks = *ret_ns = 0;
	for (int i = 0; i < 5; i++) {
		uint64_t before = __rdtsc(), ns = read_ns(id), after = __rdtsc();

		if (after - before >= best)
			continue;
		best = after - before;
		*ret_ticks = before + (after - before) / 2;
		*ret_ns = ns;
	}
}

static uint64_t tsc_mult(void)
{
	uint64_t t0, t1, n0, n1;

	read_pair(&t0, &n0, CLOCK_MONOTONIC_RAW);
	do
		read_pair(&t1, &n1, CLOCK_MONOTONIC_RAW);
	while (n1 - n0 < CALIBRATE_NS);
	return (uint64_t)(((unsigned __int128)(n1 - n0) << CLOCK_SHIFT) / (t1 - t0));
}
#endif

void clock_calibrate(struct clock *clock)
{
	*clock = (struct clock){.mult = 1ULL << CLOCK_SHIFT};
#if defined(__x86_64__)
	if (tsc_is_sane()) {
		clock->tsc = true;
		clock->mult = tsc_mult();
		read_pair(&clock->base_ticks, &clock->base_ns, CLOCK_MONOTONIC);
		return;
	}
#endif
	clock->base_ns = clock->base_ticks = clock_monotonic_ns();
}

void clock_virtual(struct clock *clock, const uint64_t *now_ns)
{
	*clock = (struct clock){.virtual_ns = now_ns, .mult = 1ULL << CLOCK_SHIFT};
	clock->base_ns = clock->base_ticks = *now_ns;
}

double clock_drift_ppm(const struct clock *clock)
{
	double ours, theirs;

	if (!clock->tsc)
		return 0;
	ours = (double)(clock_now_ns(clock) - clock->base_ns);
	theirs = (double)(clock_monotonic_ns() - clock->base_ns);
	return theirs > 0 ? (ours - theirs) / theirs * 1e6 : 0;
}
