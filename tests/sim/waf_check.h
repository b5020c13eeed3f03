/* A write amplification measured and held against a wanted value. */
#pragma once

#include <math.h>

#include "sim/waf.h"
#include "unit.h"

static inline struct waf_result waf_of(const struct waf_setup *setup)
{
	struct waf_result result;
	struct err err = {0};

	if (waf_run(setup, &result, &err))
		fail_msg("%s", err.text);
	return result;
}

/* `turns` overwrites: from 16 on all is steady, but at 7 % and for hot data 24 are needed. */
static inline struct waf_result assert_waf(struct waf_setup *setup, double wanted,
					   double percent)
{
	struct waf_result result;

	setup->turns = setup->op_ppm < 100000 || setup->hot_writes_ppm ? 24 : 16;
	result = waf_of(setup);
	if (fabs(result.measured / wanted - 1) * 100 > percent)
		fail_msg("op %u ppm, %u pages: %.4f, wanted %.4f within %.2f %%", setup->op_ppm,
			 setup->pages_per_block, result.measured, wanted, percent);
	return result;
}

/* The last two overwrites moved as much as the two before, within 1 %. */
static inline void assert_steady(const struct waf_result *result)
{
	if (fabs(result->last / result->before - 1) > .01)
		fail_msg("drifts from %.4f to %.4f", result->before, result->last);
}
