/*
 * What a worker tells of the requests that ended, for the logs: a ring with one writer (the
 * worker) and one reader (run/logs.c), in memory that both see. One stream of entries serves all
 * logs. An entry is a run: requests of one batch and direction that ended at one look at the
 * clock, so that all their stamps are equal; where sizes vary or offsets are asked for, it is one
 * request. Bounded; nobody waits: what finds the ring full is counted and dropped. Adding costs
 * some 40 instructions an entry; where no log is wanted there is no ring.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "job/spec.h"

struct capture_entry {
	uint64_t done_ticks;
	uint64_t offset;     /* of one request */
	uint64_t packed;     /* total ticks, count, op: see capture_pack() */
	uint32_t slat_ticks; /* CAPTURE_SHORT_MAX: that or more */
	uint32_t length;     /* of each */
};
_Static_assert(sizeof(struct capture_entry) == 32, "two entries are a cache line");

#define CAPTURE_LONG_MAX    ((1ULL << 48) - 1) /* a day at 3 GHz: that or more */
#define CAPTURE_SHORT_MAX   UINT32_MAX
#define CAPTURE_RUN_MAX	    ((1u << 14) - 1)
#define CAPTURE_COUNT_SHIFT 48
#define CAPTURE_OP_SHIFT    62
#define CAPTURE_LOOK_EVERY  16
#define CAPTURE_ENTRIES_MAX 65536 /* 2 MiB a worker: 9 ms of 30 million requests, 4 a run */
#define CAPTURE_ENTRIES_MIN 1024

struct capture {
	/* Written by the worker. `head` is released after the entry, and pairs with the
	 * reader's acquire: what is below it can be read. `zero_ticks` is written before the
	 * first entry that counts from it. */
	_Alignas(CACHE_LINE_BYTES) _Atomic uint64_t head;
	_Atomic uint64_t lost;
	uint64_t zero_ticks; /* where the log's time begins: the start, or the ramp's end */
	uint64_t tail_seen;  /* what the worker last knew of `tail` */
	uint64_t streak;     /* entries lost since the last that was not */
	/* Written by the reader: released after the entries were read, and pairs with the
	 * worker's acquire: what is below it can be overwritten. */
	_Alignas(CACHE_LINE_BYTES) _Atomic uint64_t tail;
	/* Constant. */
	_Alignas(CACHE_LINE_BYTES) uint64_t mask;
	struct capture_entry *entries;
};

/* `entries` is a power of two. */
struct capture *capture_new(struct arena *shared, unsigned entries);
/* How many entries each of `nworkers` gets, so that all rings together stay bounded. */
unsigned capture_entries_for(unsigned nworkers);

/* `count` requests, at most CAPTURE_RUN_MAX, of a data operation. */
static inline uint64_t capture_pack(uint64_t total_ticks, uint32_t count, uint8_t op)
{
	if (unlikely(total_ticks > CAPTURE_LONG_MAX))
		total_ticks = CAPTURE_LONG_MAX;
	return total_ticks | (uint64_t)count << CAPTURE_COUNT_SHIFT |
	       (uint64_t)op << CAPTURE_OP_SHIFT;
}

static inline uint64_t capture_total_ticks(const struct capture_entry *entry)
{
	return entry->packed & CAPTURE_LONG_MAX;
}

static inline uint32_t capture_count(const struct capture_entry *entry)
{
	return entry->packed >> CAPTURE_COUNT_SHIFT & CAPTURE_RUN_MAX;
}

static inline uint8_t capture_op(const struct capture_entry *entry)
{
	return (uint8_t)(entry->packed >> CAPTURE_OP_SHIFT);
}

static inline uint32_t capture_short(uint64_t ticks)
{
	return ticks < CAPTURE_SHORT_MAX ? (uint32_t)ticks : CAPTURE_SHORT_MAX;
}

/* --- the worker --- */

static inline void capture_begin(struct capture *capture, uint64_t zero_ticks)
{
	capture->zero_ticks = zero_ticks;
}

/* The place of the next entry, to be filled and then given to capture_commit(); NULL where the
 * ring is full: its `count` requests are counted as lost. A full ring is looked at again after
 * some more losses alone, or the reader's line would go to and fro with each entry. */
static inline struct capture_entry *capture_slot(struct capture *capture, uint32_t count)
{
	uint64_t head = atomic_load_explicit(&capture->head, memory_order_relaxed);
	uint64_t lost;

	if (likely(head - capture->tail_seen <= capture->mask))
		return &capture->entries[head & capture->mask];
	if (capture->streak++ % CAPTURE_LOOK_EVERY == 0)
		capture->tail_seen = atomic_load_explicit(&capture->tail, memory_order_acquire);
	if (head - capture->tail_seen <= capture->mask) {
		capture->streak = 0;
		return &capture->entries[head & capture->mask];
	}
	lost = atomic_load_explicit(&capture->lost, memory_order_relaxed);
	atomic_store_explicit(&capture->lost, lost + count, memory_order_relaxed);
	return NULL;
}

static inline void capture_commit(struct capture *capture)
{
	uint64_t head = atomic_load_explicit(&capture->head, memory_order_relaxed);

	atomic_store_explicit(&capture->head, head + 1, memory_order_release);
}

/* --- the reader --- */

/* Up to `room` entries, oldest first, copied and given back; returns how many. */
unsigned capture_take(struct capture *capture, struct capture_entry *entries, unsigned room);
/* Entries that wait. */
uint64_t capture_waiting(const struct capture *capture);
static inline bool capture_is_half_full(const struct capture *capture)
{
	return capture_waiting(capture) > capture->mask / 2;
}
static inline uint64_t capture_lost(const struct capture *capture)
{
	return atomic_load_explicit(&capture->lost, memory_order_relaxed);
}
