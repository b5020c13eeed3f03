/* Which block is collected next: greedy, FIFO or the best of d, and the laggards of wear. */
#include "base/assert.h"
#include "sim/gc_priv.h"

void gc_init(struct ftl *ftl, struct arena *arena)
{
	uint32_t lists = ftl->config.pages_per_block + 1;

	ftl->head = arena_array(arena, uint32_t, lists < 2 ? 2 : lists);
	for (uint32_t i = 0; i < lists; i++)
		ftl->head[i] = FTL_NONE;
	ftl->head[1] = FTL_NONE;
	ftl->lowest = ftl->config.pages_per_block;
	ftl->closed = arena_array(arena, uint32_t, ftl->config.blocks);
}

static void link_valid(struct ftl *ftl, uint32_t block)
{
	struct ftl_block *b = &ftl->blocks[block];
	uint32_t first = ftl->head[b->valid];

	b->prev = FTL_NONE;
	b->next = first;
	if (first != FTL_NONE)
		ftl->blocks[first].prev = block;
	ftl->head[b->valid] = block;
	if (b->valid < ftl->lowest)
		ftl->lowest = b->valid;
}

static void unlink_valid(struct ftl *ftl, uint32_t block)
{
	struct ftl_block *b = &ftl->blocks[block];

	if (b->prev == FTL_NONE)
		ftl->head[b->valid] = b->next;
	else
		ftl->blocks[b->prev].next = b->next;
	if (b->next != FTL_NONE)
		ftl->blocks[b->next].prev = b->prev;
}

void gc_lower_slow(struct ftl *ftl, uint32_t block)
{
	unlink_valid(ftl, block);
	ftl->blocks[block].valid--;
	link_valid(ftl, block);
}

static void link_youngest(struct ftl *ftl, uint32_t block)
{
	struct ftl_block *b = &ftl->blocks[block];
	uint32_t last = ftl->head[1];

	b->prev = last;
	b->next = FTL_NONE;
	if (last == FTL_NONE)
		ftl->head[0] = block;
	else
		ftl->blocks[last].next = block;
	ftl->head[1] = block;
}

static void unlink_aged(struct ftl *ftl, uint32_t block)
{
	struct ftl_block *b = &ftl->blocks[block];

	if (b->prev == FTL_NONE)
		ftl->head[0] = b->next;
	else
		ftl->blocks[b->prev].next = b->next;
	if (b->next == FTL_NONE)
		ftl->head[1] = b->prev;
	else
		ftl->blocks[b->next].prev = b->prev;
}

void gc_close(struct ftl *ftl, uint32_t block)
{
	switch (ftl->config.policy) {
	case GC_GREEDY:
		link_valid(ftl, block);
		break;
	case GC_FIFO:
		link_youngest(ftl, block);
		break;
	case GC_CHOICES:
		ftl->blocks[block].prev = ftl->nclosed;
		ftl->closed[ftl->nclosed] = block;
		break;
	}
	ftl->nclosed++;
}

void gc_remove(struct ftl *ftl, uint32_t block)
{
	uint32_t place, last;

	assert(ftl->nclosed > 0);
	ftl->nclosed--;
	switch (ftl->config.policy) {
	case GC_GREEDY:
		unlink_valid(ftl, block);
		break;
	case GC_FIFO:
		unlink_aged(ftl, block);
		break;
	case GC_CHOICES:
		place = ftl->blocks[block].prev;
		last = ftl->closed[ftl->nclosed];
		ftl->closed[place] = last;
		ftl->blocks[last].prev = place;
		break;
	}
}

static uint32_t draw_best(struct ftl *ftl)
{
	uint32_t best = FTL_NONE;

	for (uint32_t i = 0; i < ftl->config.choices; i++) {
		uint32_t block = ftl->closed[rng_below(&ftl->rng, ftl->nclosed)];

		if (best == FTL_NONE || ftl->blocks[block].valid < ftl->blocks[best].valid)
			best = block;
	}
	return best;
}

uint32_t gc_peek(struct ftl *ftl)
{
	if (!ftl->nclosed)
		return FTL_NONE;
	switch (ftl->config.policy) {
	case GC_GREEDY:
		while (ftl->head[ftl->lowest] == FTL_NONE)
			ftl->lowest++;
		return ftl->head[ftl->lowest];
	case GC_FIFO:
		return ftl->head[0];
	case GC_CHOICES:
		return draw_best(ftl);
	}
	return FTL_NONE;
}

uint32_t gc_take(struct ftl *ftl)
{
	uint32_t victim = gc_peek(ftl);

	if (victim != FTL_NONE)
		gc_remove(ftl, victim);
	return victim;
}

static bool is_closed(const struct ftl *ftl, uint32_t block)
{
	/* A free block has no valid page; one that is open is a log's. An empty closed block
	 * is the policy's next victim anyway, or soon will be. */
	return block != ftl->log[0].block && block != ftl->log[1].block &&
	       ftl->blocks[block].valid;
}

uint32_t gc_find_laggard(const struct ftl *ftl)
{
	uint32_t least = ftl->most_erases, laggard = FTL_NONE;

	for (uint32_t i = 0; i < ftl->config.blocks; i++) {
		if (ftl->blocks[i].erases < least && is_closed(ftl, i)) {
			least = ftl->blocks[i].erases;
			laggard = i;
		}
	}
	return ftl->most_erases - least > ftl->config.wear_delta ? laggard : FTL_NONE;
}
