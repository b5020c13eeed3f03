/* Rounds: how the tracked variables stand over the last ones. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "plan/journal.h"
#include "stat/steady.h"

#define ROUNDS_MAX 10000

unsigned plan_rounds_series(const struct plan_lane *lane, unsigned step, unsigned pass,
			    unsigned variable, double *ret_values, unsigned max)
{
	const struct plan_step *s = &lane->plan->steps[step];
	const struct plan_variable *tracked = &s->until.variable[variable];
	const struct plan_entry *entry;
	unsigned from = 0, done = 0;

	for (unsigned i = 0; i < max; i++)
		ret_values[i] = (double)NAN;
	while ((entry = plan_entry_next(lane, step, &from))) {
		const struct plan_task *task = &entry->task;

		if (task->pass != pass || task->round >= max)
			continue;
		if (task->cell == tracked->cell)
			ret_values[task->round] =
				entry->figures.value[tracked->dir][tracked->metric];
		if (task->cell == s->ncells - 1) /* the round's last: it is complete */
			done = task->round + 1;
	}
	return done;
}

static bool judge(const struct plan_until *until, const double *values, unsigned count,
		  struct plan_proof *ret_proof)
{
	struct steady_snia steady;

	steady_snia(values, count, &steady);
	*ret_proof = (struct plan_proof){.mean = steady.mean,
					 .slope = steady.slope,
					 .range_percent = steady.range_percent,
					 .slope_percent = steady.slope_percent};
	/* A value that is not known makes all of these NAN, and nothing attained. */
	ret_proof->attained = count >= 2 && steady.range_percent <= until->range_percent &&
			      steady.slope_percent <= until->slope_percent;
	return ret_proof->attained;
}

/* How often the rounds of a pass wrote the target. */
static double fills_of(const struct plan_lane *lane, unsigned step, unsigned pass)
{
	const struct plan_journal *journal = lane->journal;
	const struct plan_entry *entry;
	uint64_t written = 0, size;
	unsigned from = 0;

	size = lane->target < journal->ntargets ? journal->size_bytes[lane->target] : 0;
	while ((entry = plan_entry_next(lane, step, &from)))
		if (entry->task.pass == pass)
			written += entry->written_bytes;
	return size ? (double)written / (double)size : 0;
}

/* Moves the judged rounds to the front: the first, and one in `stride` after it. */
static unsigned pick_judged(double *values, unsigned rounds, unsigned stride)
{
	unsigned judged = 0;

	for (unsigned i = 0; i < rounds; i += stride)
		values[judged++] = values[i];
	return judged;
}

void plan_steady(const struct plan_lane *lane, unsigned step, unsigned pass,
		 struct plan_steady *ret_steady)
{
	const struct plan_step *s = &lane->plan->steps[step];
	const struct plan_until *until = &s->until;
	double *values = memory_zeroed(ROUNDS_MAX, sizeof(*values));

	*ret_steady = (struct plan_steady){.attained = until->count > 0,
					   .fills = fills_of(lane, step, pass)};
	ret_steady->is_full = s->max_fills && ret_steady->fills >= s->max_fills;
	for (unsigned v = 0; v < until->count; v++) {
		unsigned rounds = plan_rounds_series(lane, step, pass, v, values, ROUNDS_MAX);
		unsigned judged = pick_judged(values, rounds, until->stride);
		unsigned window = until->window < judged ? until->window : judged;
		bool holds =
			judge(until, values + (judged - window), window, &ret_steady->proof[v]);

		ret_steady->attained &= holds && window == until->window;
		ret_steady->rounds = rounds;
		ret_steady->first_round = (judged - window) * until->stride;
		ret_steady->nwindow = window ? (window - 1) * until->stride + 1 : 0;
	}
	free(values);
}
