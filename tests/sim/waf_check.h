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

/* 24 overwrites at 7 %, where it takes ten until all is steady, else 16. Also: the last two within
 * 1 % of the two before. */
static inline double assert_waf(struct waf_setup *setup, double wanted, double percent)
{
	struct waf_result result;

	setup->turns = setup->op_ppm < 100000 ? 24 : 16;
	result = waf_of(setup);

	if (fabs(result.measured / wanted - 1) * 100 > percent)
		fail_msg("op %u ppm, %u pages: %.4f, wanted %.4f within %.2f %%", setup->op_ppm,
			 setup->pages_per_block, result.measured, wanted, percent);
	if (fabs(result.last / result.before - 1) > .01)
		fail_msg("op %u ppm, %u pages: drifts from %.4f to %.4f", setup->op_ppm,
			 setup->pages_per_block, result.before, result.last);
	return result.measured;
}
