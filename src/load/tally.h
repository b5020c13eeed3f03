/*
 * A tally: what one worker counted in one row, and how it is handed over. The worker has
 * two; it fills one while the collector empties the other. Only it writes the current one,
 * only the collector writes one that was handed over; struct mailbox says which is which by
 * two counters, loads and stores only.
 *
 * An interval without completions is not handed over at all: a row that a worker has passed
 * (its `through_row`) and sent nothing for is a row of zeros. A collector that is late never
 * makes the worker wait: the worker goes on in the tally it has and counts the join.
 *
 * Costs: 18 KiB a histogram, only those that the job needs; tally_add about ten instructions.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "job/spec.h"
#include "stat/hist.h"

/* What is timed of a request: see enum lat_kind of result/; the same order. */
enum tally_kind {
	TALLY_SLAT,
	TALLY_CLAT,
	TALLY_TOTAL,
	TALLY_RESPONSE,
	NTALLY,
};

struct tally_lat {
	uint32_t *count; /* HIST_BUCKETS of them, or NULL: not measured */
	uint64_t total, sum_ns, min_ns, max_ns;
};

struct tally_dir {
	uint64_t ios, bytes, short_ios, errors;
	struct tally_lat lat[NTALLY];
};

#define TALLY_DEPTHS  7 /* 1 2 4 8 16 32 >=64 in flight when a request was issued */
#define TALLY_BATCHES 7 /* 0 1-4 5-8 9-16 17-32 33-64 >=65 in one call */

struct tally {
	uint64_t row;	 /* index on the run's grid; of the first where rows were joined */
	uint64_t joined; /* rows joined into this one because the collector was late */
	bool ramp;	 /* counted during the ramp: for the live line only */
	bool cut;	 /* the ramp ended within its row: what came before is not in it */
	bool last;	 /* handed over at the worker's end: its row was cut short */
	bool used;	 /* something was counted */
	struct tally_dir dir[NDIR];
	struct tally_lat lateness; /* submitted - due */
	uint64_t depth[TALLY_DEPTHS], submit[TALLY_BATCHES], complete[TALLY_BATCHES];
	uint64_t submits, completes;
	uint64_t depth_ticks, span_ticks; /* in flight times ticks, and the ticks */
};

/* Between one worker and the collector; a cache line of its own for each writer. */
struct mailbox {
	/* Written by the worker. `sent` is stored with release after the tally is complete
	 * and pairs with the collector's acquire; so is `through_row`, stored after `sent`. */
	_Alignas(CACHE_LINE_BYTES) _Atomic uint32_t sent;
	_Atomic uint64_t through_row; /* rows before this one are complete */
	/* Written by the collector: stored with release after the tally is zeroed; pairs with
	 * the worker's acquire. */
	_Alignas(CACHE_LINE_BYTES) _Atomic uint32_t taken;
	struct tally tally[2];
};

/* Which histograms a job needs, decided at set-up. */
struct tally_plan {
	bool dir[NDIR];
	bool kind[NTALLY];
	bool lateness;
};

void mailbox_init(struct mailbox *mailbox, const struct tally_plan *plan, struct arena *arena);

/* Worker: the tally to count in. */
static inline struct tally *mailbox_current(struct mailbox *mailbox)
{
	return &mailbox->tally[atomic_load_explicit(&mailbox->sent, memory_order_relaxed) & 1];
}

/*
 * Worker, at a row's end: hands the current tally over if it holds anything, and returns the
 * one to go on with, its row set to `next_row`. `last` waits for nothing either: see
 * mailbox_flush.
 */
struct tally *mailbox_turn(struct mailbox *mailbox, uint64_t next_row);

/* Worker, at its end: true once the current tally could be handed over (call again until it
 * is). */
bool mailbox_flush(struct mailbox *mailbox);

/* Collector: the oldest tally that was handed over, or NULL; give it back with
 * mailbox_give_back. */
struct tally *mailbox_take(struct mailbox *mailbox);
void mailbox_give_back(struct mailbox *mailbox, struct tally *tally);

/* Zeroes the counts, keeps the histograms' memory. The worker may do it to its current tally. */
void tally_clear(struct tally *tally);

static inline void tally_add(struct tally_lat *lat, uint64_t ns, uint32_t count)
{
	lat->count[hist_index(ns)] += count;
	lat->total += count;
	lat->sum_ns += ns * count;
	if (ns < lat->min_ns)
		lat->min_ns = ns;
	if (ns > lat->max_ns)
		lat->max_ns = ns;
}

/* Index of fio's depth bucket: 1, 2-3, 4-7, 8-15, 16-31, 32-63, 64 and more. */
static inline unsigned tally_depth_bucket(unsigned in_flight)
{
	unsigned bucket = log2_u64(in_flight | 1);

	return bucket < TALLY_DEPTHS ? bucket : TALLY_DEPTHS - 1;
}

/* Index of fio's batch bucket: 0, 1-4, 5-8, 9-16, 17-32, 33-64, 65 and more. */
static inline unsigned tally_batch_bucket(unsigned count)
{
	unsigned bucket;

	if (count <= 4)
		return count > 0;
	bucket = log2_u64(count - 1);
	return bucket < TALLY_BATCHES ? bucket : TALLY_BATCHES - 1;
}
