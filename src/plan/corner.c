/* Where a sweep of block sizes met a limit of requests and one of bytes: a throttle, or a link. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "plan/journal.h"

bool plan_corner(const struct plan_lane *lane, unsigned number, struct corner *ret_corner)
{
	const struct plan_step *step = &lane->plan->steps[number];
	struct corner_point *points;
	unsigned count = 0;

	*ret_corner = (struct corner){0};
	if (step->sweep.count != 1 || !str_equal(step->sweep.axis[0].key, "bs"))
		return false;
	points = memory_take(step->ncells * sizeof(*points));
	for (unsigned c = 0; c < step->ncells; c++) {
		struct plan_figures figures;
		const double *all = figures.value[PLAN_ALL];

		if (!plan_cell_figures(lane, number, c, &figures) || !(all[CELL_IOS_PER_S] > 0))
			continue;
		/* A burst that ended inside the cell is no limit: what stays is. */
		points[count++] = (struct corner_point){
			.block_bytes = all[CELL_BYTES_PER_S] / all[CELL_IOS_PER_S],
			.ios_per_s = isnan(figures.levels.base_per_s)
					     ? all[CELL_IOS_PER_S]
					     : figures.levels.base_per_s};
	}
	corner_of(points, count, ret_corner);
	free(points);
	return count > 0;
}
