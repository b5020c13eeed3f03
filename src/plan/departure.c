/*
 * Leaving steady state: rounds proved a level, and a step after them runs one of their loads again.
 * Where it lies beside that level, the drive has left it, however still it stood during the step.
 */
#include <math.h>

#include "base/bits.h"
#include "plan/cell.h"
#include "plan/journal.h"

/* What says how long a load runs, and not what it is. */
static bool is_of_length(const char *key)
{
	static const char *const keys[] = {"runtime", "time_based", "ramp_time",  "io_size",
					   "loops",   "number_ios", "description"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (str_equal(keys[i], key))
			return true;
	return false;
}

/* Has `one` what `other` was given? By value: 4k is 4096. How requests of a rate arrive is nothing
 * where there is none. */
static bool agrees(const struct job_spec *one, const struct job_spec *other, bool unrated)
{
	for (unsigned i = 0; i < other->ngiven; i++) {
		const char *key = other->given[i].key;
		autostr a = {0}, b = {0};

		if (is_of_length(key) || (unrated && str_equal(key, "rate_process")))
			continue;
		job_format_option(one, key, &a);
		job_format_option(other, key, &b);
		if (!str_equal(str_text(&a), str_text(&b)))
			return false;
	}
	return true;
}

static bool is_same_load(const struct plan_step *a, unsigned a_cell, const struct plan_step *b,
			 unsigned b_cell)
{
	bool same, unrated = a->kind == PLAN_FIND;
	struct job_spec *one, *other;
	struct job_set set;

	job_set_init(&set, FACE_NATIVE);
	same = !plan_cell_spec(&set, a, &a->cells[a_cell], "TARGET", &one, NULL) &&
	       !plan_cell_spec(&set, b, &b->cells[b_cell], "TARGET", &other, NULL) &&
	       agrees(one, other, unrated) && agrees(other, one, unrated);
	job_set_done(&set);
	return same;
}

/* The rounds whose level the drive was left at: the last step before, unless another brought the
 * drive elsewhere on purpose. -1: none. */
static int rounds_before(const struct plan *plan, unsigned step)
{
	while (step--) {
		switch (plan->steps[step].kind) {
		case PLAN_ROUNDS:
			return (int)step;
		case PLAN_PURGE:
		case PLAN_FILL:
		case PLAN_PRECONDITION:
		case PLAN_IDLE:
			return -1;
		case PLAN_RUN:
		case PLAN_SWEEP:
		case PLAN_FIND:
		case PLAN_SOAK:
		case PLAN_SNAPSHOT:
		case PLAN_CHECK:
		case NPLAN_KINDS:
			break;
		}
	}
	return -1;
}

static bool is_judged(const struct plan_step *step, const struct plan_entry *entry)
{
	bool of_kind =
		step->kind == PLAN_RUN || step->kind == PLAN_SWEEP || step->kind == PLAN_SOAK;

	/* Of a search by rate the first run has none: all loads are shares of what it did. */
	of_kind |= step->kind == PLAN_FIND && step->find.by == PLAN_BY_RATE &&
		   entry->task.load == 0;
	return of_kind && entry->state != PLAN_SKIPPED;
}

bool plan_departure(const struct plan_lane *lane, const struct plan_entry *entry,
		    struct plan_departure *ret_departure)
{
	const struct plan_step *step = &lane->plan->steps[entry->task.step], *rounds;
	int before = rounds_before(lane->plan, entry->task.step);
	struct plan_steady steady;
	bool found = false;

	if (before < 0 || !is_judged(step, entry))
		return false;
	rounds = &lane->plan->steps[before];
	plan_steady(lane, (unsigned)before, rounds->repeat - 1, &steady);
	for (unsigned v = 0; v < rounds->until.count && steady.attained; v++) {
		const struct plan_variable *tracked = &rounds->until.variable[v];
		double value = entry->figures.value[tracked->dir][tracked->metric];
		double level = steady.proof[v].mean;
		double percent = 100 * (value / level - 1);

		if (!(level > 0) || isnan(value) ||
		    !is_same_load(step, entry->task.cell, rounds, tracked->cell))
			continue;
		if (found && fabs(percent) <= fabs(ret_departure->percent))
			continue; /* another variable has gone further */
		found = true;
		*ret_departure = (struct plan_departure){
			.step = (unsigned)before,
			.variable = v,
			.level = level,
			.value = value,
			.percent = percent,
			.left = fabs(percent) > rounds->until.range_percent / 2,
		};
	}
	return found;
}
