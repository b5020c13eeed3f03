/*
 * The flash translation layer of a simulated SSD: a page map, a log, and garbage collection. It
 * knows pages and blocks and nothing of time; ssd.c charges the time of what it counts. A block
 * here is the unit of collection (on a real drive often one flash block of every die).
 *
 * Memory: 4 bytes a logical and 4 a physical page, 16 a block. One host write costs two cache
 * misses, and one more for each page that collection moves.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/rng.h"

#define FTL_NONE UINT32_MAX

/* Blocks beyond those that the over-provisioning counts: one open for writing, one that stays
 * free so that collection always has a place to move to. */
#define FTL_RESERVE_BLOCKS 2

enum gc_policy {
	GC_GREEDY,  /* the block with the fewest valid pages */
	GC_FIFO,    /* the block that was closed first */
	GC_CHOICES, /* the best of `choices` random ones */
};

struct ftl_config {
	uint64_t user_pages;
	uint32_t blocks; /* of the drive, the reserve included */
	uint32_t pages_per_block;
	enum gc_policy policy;
	uint32_t choices;
	/* Static wear levelling: once a block lags this many erases behind the most worn one
	 * it is collected whatever it holds. 0: never. */
	uint32_t wear_delta;
	bool gc_stream; /* what collection moves goes to an open block of its own */
	uint64_t seed;
};

struct ftl_block {
	uint32_t valid, erases;
	uint32_t next, prev; /* in its list; with GC_CHOICES prev is its place in `closed` */
};

/* Pages and blocks since the drive was new. */
struct ftl_counts {
	uint64_t host_pages;  /* written by the host */
	uint64_t moved_pages; /* by collection and wear levelling */
	uint64_t trimmed_pages;
	uint64_t erases;
	uint64_t collections, wear_moves; /* blocks collected; of these, for wear */
};

/* A block that is being filled; block FTL_NONE before the first. */
struct ftl_log {
	uint32_t block;
	uint32_t next, end; /* physical pages */
};

struct ftl {
	struct ftl_config config;
	struct ftl_counts counts;
	uint64_t mapped_pages;
	uint64_t block_magic; /* page / pages_per_block by one multiply */
	uint32_t *map;	      /* logical -> physical, FTL_NONE where nothing was written */
	uint32_t *owner;      /* physical -> logical, FTL_NONE where free or stale */
	struct ftl_block *blocks;
	struct ftl_log log[2]; /* the host's, and collection's when it has its own */
	uint32_t *free;	       /* a ring: blocks are reused in the order of their erase */
	uint32_t free_first, nfree;
	uint32_t *head;	 /* greedy: a list for each count of valid pages; FIFO: [0] and [1], the
			   first and the last */
	uint32_t lowest; /* greedy: no list below this one has a block */
	uint32_t *closed; /* choices: the closed blocks, in no order */
	uint32_t nclosed;
	uint32_t most_erases;
	uint64_t wear_check_in; /* the count of erases at the next look for laggards */
	struct rng rng;
};

/* Blocks for `user_pages` and this over-provisioning, (T - U) / U, the reserve included. */
uint32_t ftl_blocks_for(uint64_t user_pages, uint32_t pages_per_block, uint32_t op_ppm);

/* Refuses what cannot work: no spare blocks, more pages than 32 bits name. */
int ftl_check(const struct ftl_config *config, struct err *err);

/* `config` has passed ftl_check. The tables lie in `arena`. */
void ftl_init(struct ftl *ftl, struct arena *arena, const struct ftl_config *config);

void ftl_write(struct ftl *ftl, uint32_t page);
void ftl_trim(struct ftl *ftl, uint32_t page);
/* Where the page lies, or FTL_NONE. */
static inline uint32_t ftl_find(const struct ftl *ftl, uint32_t page)
{
	return ftl->map[page];
}

/* The page will be read or written soon: its line of the map is a cache miss otherwise. */
static inline void ftl_expect(const struct ftl *ftl, uint32_t page)
{
	__builtin_prefetch(&ftl->map[page], 1);
}

/* Of all tables. */
uint64_t ftl_memory_bytes(const struct ftl *ftl);

/* Collects one block although there is no need yet (idle time). False if none would gain
 * anything: nothing closed, or the best victim is full. */
bool ftl_collect(struct ftl *ftl);

static inline uint32_t ftl_block_of(const struct ftl *ftl, uint32_t physical)
{
	return (uint32_t)(((unsigned __int128)physical * ftl->block_magic) >> 64);
}

/* Every invariant the layer promises, checked the slow way; NULL, or which one is broken. */
const char *ftl_broken(const struct ftl *ftl);
