/* Random operations on small translation layers keep every invariant; seeds 1 to 12. */
#include "sim/ftl.h"

#include "base/bits.h"
#include "unit.h"

#define OPERATIONS 20000

static void init(struct ftl *ftl, struct arena *arena, uint64_t seed)
{
	struct ftl_config config = {
		.user_pages = 40 + seed * 97,
		.pages_per_block = 2 + (uint32_t)(seed * 5 % 13),
		.policy = (enum gc_policy)(seed % 3),
		.choices = 1 + (uint32_t)seed % 4,
		.wear_delta = seed % 2 ? 8 : 0,
		.gc_stream = seed % 4 == 1,
		.seed = seed,
	};
	struct err err = {0};

	config.blocks = ftl_blocks_for(config.user_pages, config.pages_per_block, 100000) + 2;
	arena_init(arena);
	if (ftl_check(&config, &err))
		fail_msg("%s", err.text);
	ftl_init(ftl, arena, &config);
}

static void operate(struct ftl *ftl, struct rng *rng, bool *written)
{
	uint32_t page = (uint32_t)rng_below(rng, ftl->config.user_pages);

	/* Half of the operations go to few pages, so that some blocks stay cold. */
	if (rng_below(rng, 2))
		page %= 7;
	switch (rng_below(rng, 16)) {
	case 0:
		ftl_trim(ftl, page);
		written[page] = false;
		break;
	case 1:
		(void)ftl_collect(ftl);
		break;
	default:
		ftl_write(ftl, page);
		written[page] = true;
		break;
	}
}

static void invariants_hold_under_random_operations(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct ftl ftl;
		struct arena arena;
		struct rng rng;
		bool written[2000] = {false};
		uint64_t erases = 0;

		init(&ftl, &arena, seed);
		rng_seed(&rng, seed, 9);
		for (int i = 0; i < OPERATIONS; i++) {
			operate(&ftl, &rng, written);
			assert_true(ftl.counts.erases >= erases);
			erases = ftl.counts.erases;
			if (i % 97 == 0 && ftl_broken(&ftl))
				fail_msg("seed %d, operation %d: %s", (int)seed, i,
					 ftl_broken(&ftl));
		}
		for (uint32_t page = 0; page < ftl.config.user_pages; page++)
			assert_int_equal(ftl_find(&ftl, page) != FTL_NONE, written[page]);
		arena_done(&arena);
	}
}

/* A tenth of the space is rewritten, the rest lies still: without levelling its blocks are
 * never erased, with it no block lags more than the bound and what falls between two looks. */
static void wear_is_levelled(void **state)
{
	uint32_t spread[2];

	(void)state;
	for (uint32_t level = 0; level < 2; level++) {
		struct ftl_config config = {.user_pages = 8000,
					    .pages_per_block = 16,
					    .policy = GC_GREEDY,
					    .wear_delta = level ? 20 : 0,
					    .seed = 1};
		struct ftl ftl;
		struct arena arena;
		uint32_t least = UINT32_MAX;

		config.blocks = ftl_blocks_for(8000, 16, 100000);
		arena_init(&arena);
		ftl_init(&ftl, &arena, &config);
		for (uint32_t i = 0; i < 8000; i++)
			ftl_write(&ftl, i);
		for (uint32_t i = 0; i < 800000; i++)
			ftl_write(&ftl, (uint32_t)rng_below(&ftl.rng, 800));
		for (uint32_t i = 0; i < config.blocks; i++)
			least = ftl.blocks[i].erases < least ? ftl.blocks[i].erases : least;
		spread[level] = ftl.most_erases - least;
		assert_null(ftl_broken(&ftl));
		arena_done(&arena);
	}
	assert_true(spread[0] > 200);
	assert_true(spread[1] < 60);
}

static void memory_stays_below_12_bytes_a_page(void **state)
{
	struct ftl_config config = {.user_pages = 1 << 22, .pages_per_block = 256};
	struct ftl ftl;
	struct arena arena;

	(void)state;
	config.blocks = ftl_blocks_for(config.user_pages, 256, 280000);
	arena_init(&arena);
	ftl_init(&ftl, &arena, &config);
	assert_true(arena.total_bytes < 12 * config.user_pages);
	assert_true(ftl_memory_bytes(&ftl) <= arena.total_bytes);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invariants_hold_under_random_operations),
		cmocka_unit_test(wear_is_levelled),
		cmocka_unit_test(memory_stays_below_12_bytes_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
