/* The page map and its log; gc.c chooses the victims, here they are moved and erased. */
#include "sim/ftl.h"

#include <string.h>
#include <sys/mman.h>

#include "base/assert.h"
#include "base/bits.h"
#include "sim/gc_priv.h"

#define LOG_HOST 0
#define LOG_GC	 1

uint32_t ftl_blocks_for(uint64_t user_pages, uint32_t pages_per_block, uint32_t op_ppm)
{
	uint64_t pages = user_pages + muldiv_u64(user_pages, op_ppm, 1000000);
	uint64_t blocks = (pages + pages_per_block - 1) / pages_per_block + FTL_RESERVE_BLOCKS;

	return blocks > UINT32_MAX ? UINT32_MAX : (uint32_t)blocks;
}

int ftl_check(const struct ftl_config *config, struct err *err)
{
	uint64_t pages = (uint64_t)config->blocks * config->pages_per_block;
	uint64_t reserve = FTL_RESERVE_BLOCKS + (config->gc_stream ? 1 : 0);

	if (config->pages_per_block < 2 || !config->user_pages)
		return err_input(err, "a drive needs two pages a block at least, and data");
	if (pages >= FTL_NONE)
		return err_input(err,
				 "%llu pages are more than the simulator maps (2^32); give a "
				 "smaller size, or scale=100",
				 (unsigned long long)pages);
	if (config->blocks <= reserve ||
	    (config->blocks - reserve) * (uint64_t)config->pages_per_block <=
		    config->user_pages)
		return err_input(
			err,
			"no spare block is left beside %llu pages of data in %u blocks "
			"of %u: raise op, or make the blocks smaller",
			(unsigned long long)config->user_pages, config->blocks,
			config->pages_per_block);
	if (config->policy == GC_CHOICES && !config->choices)
		return err_input(err, "gc=d:0 draws no block; give d:1 or more");
	return 0;
}

/* Random access over hundreds of megabytes: huge pages save most of the TLB misses. */
static uint32_t *new_table(struct arena *arena, uint64_t count)
{
	size_t bytes = round_up_size(count * sizeof(uint32_t), 4096);
	uint32_t *table = arena_alloc(arena, bytes, 4096);

	if (bytes >= 4 * MiB)
		(void)madvise(table, bytes, MADV_HUGEPAGE); /* a wish: works without too */
	memset(table, 0xff, bytes);			    /* FTL_NONE */
	return table;
}

void ftl_init(struct ftl *ftl, struct arena *arena, const struct ftl_config *config)
{
	*ftl = (struct ftl){.config = *config};
	ftl->block_magic = UINT64_MAX / config->pages_per_block + 1;
	ftl->map = new_table(arena, config->user_pages);
	ftl->owner = new_table(arena, (uint64_t)config->blocks * config->pages_per_block);
	ftl->blocks = arena_array(arena, struct ftl_block, config->blocks);
	ftl->free = arena_array(arena, uint32_t, config->blocks);
	for (uint32_t i = 0; i < config->blocks; i++)
		ftl->free[i] = i;
	ftl->nfree = config->blocks;
	ftl->log[LOG_HOST].block = ftl->log[LOG_GC].block = FTL_NONE;
	ftl->wear_check_in = config->blocks;
	rng_seed(&ftl->rng, config->seed, 0);
	gc_init(ftl, arena);
}

uint64_t ftl_memory_bytes(const struct ftl *ftl)
{
	uint64_t blocks = ftl->config.blocks, pages = ftl->config.pages_per_block;
	uint64_t words = ftl->config.user_pages + blocks * pages + 2 * blocks + pages + 1;

	return words * sizeof(uint32_t) + blocks * sizeof(struct ftl_block);
}

static void open_next(struct ftl *ftl, struct ftl_log *log)
{
	uint32_t pages = ftl->config.pages_per_block;

	if (log->block != FTL_NONE)
		gc_close(ftl, log->block);
	assert(ftl->nfree > 0);
	log->block = ftl->free[ftl->free_first];
	ftl->free_first = ftl->free_first + 1 == ftl->config.blocks ? 0 : ftl->free_first + 1;
	ftl->nfree--;
	log->next = log->block * pages;
	log->end = log->next + pages;
}

static inline void append(struct ftl *ftl, struct ftl_log *log, uint32_t page)
{
	uint32_t physical;

	if (unlikely(log->next == log->end))
		open_next(ftl, log);
	physical = log->next++;
	ftl->owner[physical] = page;
	ftl->map[page] = physical;
	ftl->blocks[log->block].valid++;
}

static void erase(struct ftl *ftl, uint32_t block)
{
	struct ftl_block *b = &ftl->blocks[block];
	uint32_t last = ftl->free_first + ftl->nfree;

	assert(b->valid == 0);
	b->erases++;
	if (b->erases > ftl->most_erases)
		ftl->most_erases = b->erases;
	ftl->free[last >= ftl->config.blocks ? last - ftl->config.blocks : last] = block;
	ftl->nfree++;
	ftl->counts.erases++;
}

/* Its valid pages go to the log's end, at most one block of them, and it becomes free. */
static void collect(struct ftl *ftl, uint32_t victim)
{
	struct ftl_log *log = &ftl->log[ftl->config.gc_stream ? LOG_GC : LOG_HOST];
	uint32_t first = victim * ftl->config.pages_per_block;

	ftl->counts.moved_pages += ftl->blocks[victim].valid;
	ftl->counts.collections++;
	for (uint32_t physical = first; ftl->blocks[victim].valid; physical++) {
		uint32_t page = ftl->owner[physical];

		if (page == FTL_NONE)
			continue;
		ftl->owner[physical] = FTL_NONE;
		ftl->blocks[victim].valid--;
		append(ftl, log, page);
	}
	erase(ftl, victim);
}

static void level_wear(struct ftl *ftl)
{
	uint32_t laggard;

	if (!ftl->config.wear_delta || ftl->counts.erases < ftl->wear_check_in)
		return;
	/* A look at every block for one erase each: no cost that could be measured. */
	ftl->wear_check_in = ftl->counts.erases + ftl->config.blocks / 64 + 1;
	laggard = gc_find_laggard(ftl);
	if (laggard == FTL_NONE)
		return;
	gc_remove(ftl, laggard);
	collect(ftl, laggard);
	ftl->counts.wear_moves++;
}

/* The host's block is full. One block must stay free: a collection may need one before it gives
 * one back. */
static void make_room(struct ftl *ftl)
{
	const struct ftl_log *log = &ftl->log[LOG_HOST];

	level_wear(ftl);
	while (log->next == log->end && ftl->nfree <= 1) {
		uint32_t victim = gc_take(ftl);

		assert(victim != FTL_NONE); /* ftl_check: blocks are more than the data */
		collect(ftl, victim);
	}
}

static inline void forget(struct ftl *ftl, uint32_t physical)
{
	uint32_t block = ftl_block_of(ftl, physical);

	ftl->owner[physical] = FTL_NONE;
	if (unlikely(block == ftl->log[LOG_HOST].block || block == ftl->log[LOG_GC].block))
		ftl->blocks[block].valid--;
	else
		gc_lower(ftl, block);
}

void ftl_write(struct ftl *ftl, uint32_t page)
{
	struct ftl_log *log = &ftl->log[LOG_HOST];
	uint32_t old = ftl->map[page];

	debug_assert(page < ftl->config.user_pages);
	if (old != FTL_NONE)
		forget(ftl, old);
	else
		ftl->mapped_pages++;
	if (unlikely(log->next == log->end)) {
		/* What is forgotten must not be moved: the old copy is gone first. */
		ftl->map[page] = FTL_NONE;
		make_room(ftl);
	}
	append(ftl, log, page);
	ftl->counts.host_pages++;
}

void ftl_trim(struct ftl *ftl, uint32_t page)
{
	uint32_t old = ftl->map[page];

	debug_assert(page < ftl->config.user_pages);
	if (old == FTL_NONE)
		return;
	forget(ftl, old);
	ftl->map[page] = FTL_NONE;
	ftl->mapped_pages--;
	ftl->counts.trimmed_pages++;
}

bool ftl_collect(struct ftl *ftl)
{
	uint32_t victim = gc_peek(ftl);

	if (victim == FTL_NONE || ftl->blocks[victim].valid == ftl->config.pages_per_block)
		return false;
	gc_remove(ftl, victim);
	collect(ftl, victim);
	return true;
}

static const char *broken_map(const struct ftl *ftl)
{
	uint64_t mapped = 0;

	for (uint64_t page = 0; page < ftl->config.user_pages; page++) {
		uint32_t physical = ftl->map[page];

		if (physical == FTL_NONE)
			continue;
		mapped++;
		if (ftl->owner[physical] != page)
			return "a mapped page is not owned by its logical page";
	}
	return mapped == ftl->mapped_pages ? NULL : "the count of mapped pages is wrong";
}

static const char *broken_blocks(const struct ftl *ftl)
{
	uint64_t owned = 0, erases = 0;

	for (uint32_t block = 0; block < ftl->config.blocks; block++) {
		uint32_t pages = ftl->config.pages_per_block, valid = 0;

		for (uint32_t i = 0; i < pages; i++)
			valid += ftl->owner[block * pages + i] != FTL_NONE;
		if (valid != ftl->blocks[block].valid)
			return "a block's count of valid pages is wrong";
		owned += valid;
		erases += ftl->blocks[block].erases;
	}
	if (owned != ftl->mapped_pages)
		return "a physical page is owned that nothing maps";
	if (erases != ftl->counts.erases)
		return "erase counts do not add up";
	return NULL;
}

const char *ftl_broken(const struct ftl *ftl)
{
	const char *broken = broken_map(ftl);
	uint32_t open = 0;

	if (broken)
		return broken;
	broken = broken_blocks(ftl);
	if (broken)
		return broken;
	for (int i = 0; i < 2; i++)
		open += ftl->log[i].block != FTL_NONE;
	if (ftl->nfree + ftl->nclosed + open != ftl->config.blocks)
		return "a block is neither free nor open nor closed";
	if (ftl->nfree < 1)
		return "no free block is left for collection";
	for (uint32_t i = 0; i < ftl->nfree; i++) {
		uint32_t at = (ftl->free_first + i) % ftl->config.blocks;

		if (ftl->blocks[ftl->free[at]].valid)
			return "a free block holds valid pages";
	}
	return NULL;
}
