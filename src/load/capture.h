/*
 * What a worker tells of each request that ended, for the logs: a ring with one writer (the
 * worker) and one reader (run/logs.c), in memory that both see. Bounded; nobody waits: an entry
 * that finds the ring full is counted and dropped. Adding costs some ten instructions; where no
 * log is wanted there is no ring.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "job/spec.h"

struct capture_entry {
	uint64_t done_ticks, offset;
	uint64_t total_ticks : 56, op : 8; /* 56 bits are years */
	uint32_t slat_ticks;		   /* CAPTURE_SHORT_MAX: that or more */
	uint32_t length;
};
_Static_assert(sizeof(struct capture_entry) == 32, "two entries are a cache line");

#define CAPTURE_LONG_MAX    ((1ULL << 56) - 1)
#define CAPTURE_SHORT_MAX   UINT32_MAX
#define CAPTURE_LOOK_EVERY  64
#define CAPTURE_ENTRIES_MAX 65536 /* 2 MiB a worker: 6 ms of ten million requests a second */
#define CAPTURE_ENTRIES_MIN 1024

struct capture {
	/* Written by the worker. `head` is released after the entry, and pairs with the
	 * reader's acquire: what is below it can be read. `zero_ticks` is written before the
	 * first entry that counts from it. */
	_Alignas(CACHE_LINE_BYTES) _Atomic uint64_t head;
	_Atomic uint64_t lost;
	uint64_t zero_ticks; /* where the log's time begins: the start, or the ramp's end */
	uint64_t tail_seen;  /* what the worker last knew of `tail` */
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
 * ring is full: the request is counted as lost. A full ring is looked at again after some more
 * losses alone, or the reader's line would go to and fro with each request. */
static inline struct capture_entry *capture_slot(struct capture *capture)
{
	uint64_t head = atomic_load_explicit(&capture->head, memory_order_relaxed);
	uint64_t lost;

	if (likely(head - capture->tail_seen <= capture->mask))
		return &capture->entries[head & capture->mask];
	lost = atomic_load_explicit(&capture->lost, memory_order_relaxed);
	if (lost % CAPTURE_LOOK_EVERY == 0)
		capture->tail_seen = atomic_load_explicit(&capture->tail, memory_order_acquire);
	if (head - capture->tail_seen <= capture->mask)
		return &capture->entries[head & capture->mask];
	atomic_store_explicit(&capture->lost, lost + 1, memory_order_relaxed);
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
