#include "stat/closeup.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/memory.h"

_Static_assert(CLOSEUP_BINS *CLOSEUP_BIN_NS == NS_PER_S, "bins fill a second");

void closeup_init(struct closeup *closeup)
{
	*closeup = (struct closeup){
		.seconds = memory_zeroed(CLOSEUP_SECONDS, sizeof(*closeup->seconds)),
		.row_ns = UINT64_MAX / 2}; /* no sample's */
}

void closeup_done(struct closeup *closeup)
{
	free(closeup->seconds);
	*closeup = (struct closeup){0};
}

/* Of equal ones the first seen stays. */
static void rank_add(struct closeup_rank *ranks, unsigned *count, unsigned most,
		     const struct closeup_rank *one)
{
	unsigned at = *count;

	while (at > 0 && ranks[at - 1].value_ns < one->value_ns)
		at--;
	if (at == most || !one->value_ns)
		return;
	*count += *count < most;
	memmove(&ranks[at + 1], &ranks[at], (*count - 1 - at) * sizeof(*ranks));
	ranks[at] = *one;
}

static bool is_beside(const struct closeup_rank *ranks, unsigned count, uint64_t second)
{
	for (unsigned i = 0; i < count; i++) {
		if (second + 1 >= ranks[i].second && second <= ranks[i].second + 1)
			return true;
	}
	return false;
}

bool closeup_shows(const struct closeup *closeup, uint64_t second)
{
	return is_beside(closeup->worst, closeup->nworst, second) ||
	       is_beside(closeup->gaps, closeup->ngaps, second);
}

static struct closeup_second *find(const struct closeup *closeup, uint64_t second)
{
	for (unsigned i = 0; i < closeup->count; i++) {
		if (closeup->seconds[i].second == second)
			return &closeup->seconds[i];
	}
	return NULL;
}

const struct closeup_second *closeup_find(const struct closeup *closeup, uint64_t second)
{
	return find(closeup, second);
}

/* A place of its own; one that is beside no bad second gives its own up, but not the current
 * one nor the one before: the current one may yet prove bad. */
static struct closeup_second *take(struct closeup *closeup, uint64_t second)
{
	uint64_t current = closeup->now ? closeup->now->second : second;
	struct closeup_second *one = NULL;

	for (unsigned i = 0; i < closeup->count && !one; i++) {
		uint64_t held = closeup->seconds[i].second;

		if (held + 1 < current && !closeup_shows(closeup, held))
			one = &closeup->seconds[i];
	}
	if (!one) {
		assert(closeup->count < CLOSEUP_SECONDS);
		one = &closeup->seconds[closeup->count++];
	}
	memset(one, 0, sizeof(*one));
	one->second = second;
	return one;
}

static void close_now(struct closeup *closeup)
{
	const struct closeup_second *now = closeup->now;
	uint64_t max_ns = 0;

	if (!now)
		return;
	for (unsigned b = 0; b < CLOSEUP_BINS; b++) {
		for (unsigned d = 0; d < SERIES_ALL; d++)
			max_ns = max_u64(max_ns, now->bin[b][d].max_ns);
	}
	rank_add(closeup->worst, &closeup->nworst, CLOSEUP_WORST,
		 &(struct closeup_rank){now->second, max_ns});
	rank_add(closeup->gaps, &closeup->ngaps, CLOSEUP_GAPS,
		 &(struct closeup_rank){now->second, now->gap_ns});
}

/* Where a second is held: the current one, the next, or of a late sample one that is held;
 * one that was empty and is shown is held from now on. NULL: it is not held. */
static struct closeup_second *second_at(struct closeup *closeup, uint64_t second)
{
	struct closeup_second *one;

	if (closeup->now && second == closeup->now->second)
		return closeup->now;
	if (!closeup->now || second > closeup->now->second) {
		close_now(closeup);
		closeup->now = take(closeup, second);
		return closeup->now;
	}
	one = find(closeup, second);
	return one || !closeup_shows(closeup, second) ? one : take(closeup, second);
}

bool closeup_turn(struct closeup *closeup, uint64_t time_ns)
{
	bool is_first = !closeup->now;
	struct closeup_second *one = second_at(closeup, time_ns / NS_PER_S);
	uint64_t bin = time_ns % NS_PER_S / CLOSEUP_BIN_NS;

	if (!one)
		return false;
	if (!is_first && time_ns > closeup->last_ns)
		one->gap_ns = max_u64(one->gap_ns, time_ns - closeup->last_ns);
	closeup->row = one->bin[bin];
	closeup->row_ns = one->second * NS_PER_S + bin * CLOSEUP_BIN_NS;
	return true;
}

void closeup_finish(struct closeup *closeup)
{
	close_now(closeup);
	closeup->now = NULL;
}

static int by_second(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

unsigned closeup_shown(const struct closeup *closeup, uint64_t *ret_seconds)
{
	unsigned count = 0, kept = 0;

	for (unsigned i = 0; i < closeup->nworst + closeup->ngaps; i++) {
		const struct closeup_rank *rank = i < closeup->nworst
							  ? &closeup->worst[i]
							  : &closeup->gaps[i - closeup->nworst];

		for (unsigned k = rank->second ? 0 : 1; k < 3; k++)
			ret_seconds[count++] = rank->second + k - 1;
	}
	qsort(ret_seconds, count, sizeof(*ret_seconds), by_second);
	for (unsigned i = 0; i < count; i++) {
		if (!kept || ret_seconds[kept - 1] != ret_seconds[i])
			ret_seconds[kept++] = ret_seconds[i];
	}
	return kept;
}
