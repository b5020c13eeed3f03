/* Measures write amplification on a flash translation layer, and names what theory says. */
#include "sim/waf.h"

#include <math.h>

#include "base/assert.h"
#include "base/bits.h"
#include "stat/theory.h"

#define PPM 1000000u

void waf_setup_init(struct waf_setup *setup)
{
	*setup = (struct waf_setup){.op_ppm = PPM / 5,
				    .pages_per_block = 128,
				    .blocks = 2048,
				    .policy = GC_GREEDY,
				    .turns = 24,
				    .seed = 1};
}

static int check(const struct waf_setup *setup, struct err *err)
{
	if (!setup->op_ppm)
		return err_input(err, "op=0 leaves collection no spare block; give op=7%% or "
				      "any other part of the user's space");
	if (setup->trim_ppm >= PPM)
		return err_input(err, "trim=100%% leaves nothing to overwrite");
	if (setup->hot_space_ppm >= PPM || setup->hot_writes_ppm > PPM ||
	    !setup->hot_space_ppm != !setup->hot_writes_ppm)
		return err_input(err, "hot=R/F is R %% of the writes to F %% of the space, "
				      "as in hot=80/20, with F below 100");
	if (setup->turns < 8 || setup->turns % 2)
		return err_input(err,
				 "turns=%u is too few, or odd: 8 at least, half of them "
				 "are warm-up",
				 setup->turns);
	return 0;
}

/* What is drawn from: pages [0, hot) and [hot, pages). */
struct waf_draw {
	struct rng rng;
	uint32_t pages, hot;
	uint32_t hot_writes; /* of 2^32 */
};

static uint32_t draw_page(struct waf_draw *draw)
{
	if (!draw->hot)
		return (uint32_t)rng_below(&draw->rng, draw->pages);
	if (rng_next(&draw->rng) >> 32 < draw->hot_writes)
		return (uint32_t)rng_below(&draw->rng, draw->hot);
	return draw->hot + (uint32_t)rng_below(&draw->rng, draw->pages - draw->hot);
}

/* Write amplification of `writes` random writes. */
static double overwrite(struct ftl *ftl, struct waf_draw *draw, uint64_t writes)
{
	uint64_t moved = ftl->counts.moved_pages;

	for (uint64_t i = 0; i < writes; i++)
		ftl_write(ftl, draw_page(draw));
	return 1 + (double)(ftl->counts.moved_pages - moved) / (double)writes;
}

static double fill_twice(struct ftl *ftl)
{
	uint32_t pages = (uint32_t)ftl->config.user_pages;
	uint64_t moved;

	for (uint32_t page = 0; page < pages; page++)
		ftl_write(ftl, page);
	moved = ftl->counts.moved_pages;
	for (uint32_t page = 0; page < pages; page++)
		ftl_write(ftl, page);
	return 1 + (double)(ftl->counts.moved_pages - moved) / pages;
}

static void add_theory(const struct waf_setup *setup, struct waf_result *result)
{
	double op = setup->op_ppm / (double)PPM;
	bool hot = setup->hot_writes_ppm != 0;

	op = theory_trimmed_op(op, setup->trim_ppm / (double)PPM);
	result->theory = (double)NAN;
	if (hot && (setup->policy != GC_FIFO || setup->gc_stream))
		return;
	switch (setup->policy) {
	case GC_GREEDY:
		result->theory = theory_greedy(op, setup->pages_per_block);
		result->theory_name = "Desnoyers 2012, greedy, finite blocks";
		break;
	case GC_FIFO:
		result->theory = hot ? theory_hot(op, setup->hot_writes_ppm / (double)PPM,
						  setup->hot_space_ppm / (double)PPM)
				     : theory_fifo(op);
		result->theory_name =
			hot ? "Desnoyers 2012, hot and cold, LRU" : "Desnoyers 2012, FIFO";
		break;
	case GC_CHOICES:
		result->theory = theory_choices(op, setup->pages_per_block, setup->choices);
		result->theory_name = "Van Houdt 2013, d choices, mean field";
		break;
	}
}

static void add_wear(const struct ftl *ftl, struct waf_result *result)
{
	result->least_erases = result->most_erases = ftl->blocks[0].erases;
	for (uint32_t i = 0; i < ftl->config.blocks; i++) {
		result->least_erases = min_u64(result->least_erases, ftl->blocks[i].erases);
		result->most_erases = max_u64(result->most_erases, ftl->blocks[i].erases);
	}
}

static void measure(struct ftl *ftl, struct waf_draw *draw, uint32_t turns,
		    struct waf_result *result)
{
	uint64_t turn = draw->pages;
	uint64_t measured_turns = turns / 2 - 4;
	double early = 0;

	(void)overwrite(ftl, draw, turn * (turns / 2));
	if (measured_turns)
		early = overwrite(ftl, draw, turn * measured_turns);
	result->before = overwrite(ftl, draw, turn * 2);
	result->last = overwrite(ftl, draw, turn * 2);
	result->measured =
		(early * (double)measured_turns + 2 * result->before + 2 * result->last) /
		(double)(measured_turns + 4);
	result->host_pages = turn * (turns / 2);
}

int waf_run(const struct waf_setup *setup, struct waf_result *ret_result, struct err *err)
{
	uint64_t pages = (uint64_t)setup->blocks * setup->pages_per_block;
	struct ftl_config config = {
		.user_pages = muldiv_u64(pages, PPM, PPM + setup->op_ppm),
		.blocks = setup->blocks + FTL_RESERVE_BLOCKS + (setup->gc_stream ? 1 : 0),
		.pages_per_block = setup->pages_per_block,
		.policy = setup->policy,
		.choices = setup->choices,
		.gc_stream = setup->gc_stream,
		.seed = setup->seed,
	};
	struct waf_result result = {0};
	struct waf_draw draw;
	struct arena arena;
	struct ftl ftl;
	int rc = check(setup, err);

	if (!rc)
		rc = ftl_check(&config, err);
	if (rc)
		return rc;
	arena_init(&arena);
	ftl_init(&ftl, &arena, &config);
	draw.pages = (uint32_t)(config.user_pages -
				muldiv_u64(config.user_pages, setup->trim_ppm, PPM));
	draw.hot = (uint32_t)muldiv_u64(draw.pages, setup->hot_space_ppm, PPM);
	draw.hot_writes = (uint32_t)muldiv_u64(UINT32_MAX, setup->hot_writes_ppm, PPM);
	rng_seed(&draw.rng, setup->seed, 1);
	result.sequential = fill_twice(&ftl);
	for (uint32_t page = draw.pages; page < config.user_pages; page++)
		ftl_trim(&ftl, page);
	measure(&ftl, &draw, setup->turns, &result);
	add_wear(&ftl, &result);
	add_theory(setup, &result);
	*ret_result = result;
	arena_done(&arena);
	return 0;
}
