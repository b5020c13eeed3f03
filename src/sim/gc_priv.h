/*
 * The closed blocks of a flash translation layer, in the order that the policy of collection
 * needs: lists by valid pages (greedy), one list by age (FIFO), an array to draw from (choices).
 * Open and free blocks, and the victim at work, stand in none.
 */
#pragma once

#include "sim/ftl.h"

void gc_init(struct ftl *ftl, struct arena *arena);
/* The block has been filled; it may be collected from now on. */
void gc_close(struct ftl *ftl, uint32_t block);
/* Takes the victim out; FTL_NONE if nothing is closed. */
uint32_t gc_take(struct ftl *ftl);
/* Takes out a block that is closed, whatever the policy thinks of it. */
void gc_remove(struct ftl *ftl, uint32_t block);
/* The victim that gc_take would give now; draws like it with GC_CHOICES. */
uint32_t gc_peek(struct ftl *ftl);
/* A block that lags too far behind in wear, or FTL_NONE. */
uint32_t gc_find_laggard(const struct ftl *ftl);

void gc_lower_slow(struct ftl *ftl, uint32_t block);

/* A page of a closed block has become stale. */
static inline void gc_lower(struct ftl *ftl, uint32_t block)
{
	if (ftl->config.policy == GC_GREEDY)
		gc_lower_slow(ftl, block);
	else
		ftl->blocks[block].valid--;
}
