/* The highest load at which a check holds: which load is tried next, and what was found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "plan/journal.h"
#include "stat/curve.h"

static const double default_loads[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110};

static int by_load(const void *a, const void *b)
{
	const struct plan_point *x = a, *y = b;

	return x->load < y->load ? -1 : x->load > y->load;
}

static int knee_of(const struct plan_found *found, bool by_rate)
{
	double load[PLAN_POINTS_MAX], value[PLAN_POINTS_MAX];

	for (unsigned i = 0; i < found->count; i++) {
		load[i] = found->point[i].load;
		value[i] = by_rate ? found->point[i].mean_ns : found->point[i].ios_per_s;
	}
	return curve_knee(load, value, found->count,
			  by_rate ? CURVE_TAKES_OFF : CURVE_SATURATES);
}

void plan_found(const struct plan_lane *lane, unsigned step, struct plan_found *ret_found)
{
	const struct plan_find *find = &lane->plan->steps[step].find;
	const struct plan_entry *entry;
	unsigned from = 0;

	*ret_found = (struct plan_found){.best = -1, .knee = -1};
	while ((entry = plan_entry_next(lane, step, &from))) {
		const double *value = entry->figures.value[PLAN_ALL];
		struct plan_point *point = &ret_found->point[ret_found->count];

		if (find->by == PLAN_BY_RATE && entry->task.load == 0) {
			ret_found->saturated_ios_per_s = value[CELL_IOS_PER_S];
			continue;
		}
		if (ret_found->count == PLAN_POINTS_MAX)
			break;
		*point = (struct plan_point){.load = entry->task.load,
					     .ios_per_s = value[CELL_IOS_PER_S],
					     .mean_ns = value[CELL_MEAN_NS],
					     .p99_ns = value[CELL_P99_NS]};
		point->holds = plan_check_entry(lane, step, find->check, entry) == OUTCOME_PASS;
		ret_found->count++;
	}
	qsort(ret_found->point, ret_found->count, sizeof(*ret_found->point), by_load);
	for (unsigned i = 0; i < ret_found->count; i++)
		if (ret_found->point[i].holds)
			ret_found->best = (int)i;
	ret_found->knee = knee_of(ret_found, find->by == PLAN_BY_RATE);
}

static bool was_tried(const struct plan_found *found, double load)
{
	for (unsigned i = 0; i < found->count; i++)
		if (fabs(found->point[i].load - load) < 1e-9)
			return true;
	return false;
}

static bool saturation_is_known(const struct plan_lane *lane, unsigned step)
{
	const struct plan_entry *entry;
	unsigned from = 0;

	while ((entry = plan_entry_next(lane, step, &from)))
		if (entry->task.load == 0)
			return true;
	return false;
}

/* Points of the curve that are still to be taken, in their order. */
static bool next_of_curve(const struct plan_find *find, const struct plan_found *found,
			  double *ret_load)
{
	if (find->by == PLAN_BY_RATE) {
		const double *loads = find->nloads ? find->load : default_loads;
		unsigned count = find->nloads ? find->nloads : ARRAY_SIZE(default_loads);

		for (unsigned i = 0; i < count; i++)
			if (!was_tried(found, loads[i])) {
				*ret_load = loads[i];
				return true;
			}
		return false;
	}
	for (uint64_t load = find->from;; load *= 2) {
		load = min_u64(load, find->to);
		if (!was_tried(found, (double)load)) {
			*ret_load = (double)load;
			return true;
		}
		if (load == find->to)
			return false;
	}
}

/* Between the best that holds and the next above, which does not: the middle. */
static bool next_of_search(const struct plan_find *find, const struct plan_found *found,
			   double *ret_load)
{
	double low = found->best < 0 ? 0 : found->point[found->best].load, high, middle;

	if (found->best + 1 == (int)found->count)
		return false; /* all of the curve holds */
	high = found->point[found->best + 1].load;
	if (find->by == PLAN_BY_RATE) {
		*ret_load = (low + high) / 2;
		return high - low > find->precision_percent;
	}
	middle = floor((low + high) / 2);
	*ret_load = middle;
	return middle > low && middle >= (double)find->from;
}

bool plan_find_next(const struct plan_lane *lane, unsigned step, double *ret_load)
{
	const struct plan_find *find = &lane->plan->steps[step].find;
	struct plan_found *found = memory_zeroed(1, sizeof(*found));
	bool more = false;

	if (find->by == PLAN_BY_RATE && !saturation_is_known(lane, step)) {
		*ret_load = 0;
		free(found);
		return true;
	}
	plan_found(lane, step, found);
	if (found->count < PLAN_POINTS_MAX)
		more = next_of_curve(find, found, ret_load) ||
		       next_of_search(find, found, ret_load);
	free(found);
	return more;
}
