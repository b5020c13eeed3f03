#include "plan/estimate.h"

#include <math.h>

#include "base/bits.h"
#include "plan/cost_priv.h"

#define FIND_STEPS_MAX 8    /* of the search, behind the curve */
#define NO_NUMBER      1e18 /* more nanoseconds or bytes than anything takes */

static const double bare_loads[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110};

static struct span add(struct span a, struct span b)
{
	return (struct span){a.least + b.least, a.most + b.most};
}

static struct span times(struct span a, struct span count)
{
	return (struct span){a.least * count.least, a.most * count.most};
}

/* --- one step --- */

/* How often each cell is run. */
static struct span runs_of(const struct plan_step *step)
{
	double repeat = step->repeat;

	if (step->kind == PLAN_ROUNDS) {
		double least = (step->until.window - 1.0) * step->until.stride + 1;

		return (struct span){least * repeat, step->max_rounds * repeat};
	}
	if (step->kind == PLAN_SOAK)
		repeat = ceil((double)step->for_ns / (double)step->every_ns);
	if (step->kind == PLAN_FIND) {
		double curve = step->find.nloads ? step->find.nloads : ARRAY_SIZE(bare_loads);

		if (step->find.by == PLAN_BY_RATE)
			curve += 1; /* without a rate */
		else
			curve = ceil(log2((double)step->find.to / (double)step->find.from)) + 1;
		return (struct span){curve, curve + FIND_STEPS_MAX};
	}
	return (struct span){repeat, repeat};
}

/* A run at a part of the rate writes a part: runs at the whole rate that write as much. */
static struct span writing_runs_of(const struct plan_step *step, struct span runs)
{
	const double *loads = step->find.nloads ? step->find.load : bare_loads;
	unsigned count = step->find.nloads ? step->find.nloads : ARRAY_SIZE(bare_loads);
	double sum = 1;

	if (step->kind != PLAN_FIND || step->find.by != PLAN_BY_RATE)
		return runs;
	for (unsigned i = 0; i < count; i++)
		sum += fmin(1, loads[i] / 100);
	return (struct span){fmin(sum, runs.least), runs.most};
}

/* Rounds end as well when so much was written. */
static struct span full_after(const struct plan_subject *subject, const struct plan_step *step,
			      struct span a_round, struct span runs)
{
	double full = (double)step->max_fills * (double)subject->size_bytes;

	if (step->kind != PLAN_ROUNDS || !(full > 0))
		return runs;
	if (a_round.most > 0)
		runs.least = fmin(runs.least, fmax(1, floor(full / a_round.most)));
	if (a_round.least > 0)
		runs.most = fmin(runs.most, ceil(full / a_round.least) * step->repeat);
	return runs;
}

/* Not above what ends the rounds, and the round that got there. */
static double filled_most(const struct plan_subject *subject, const struct plan_step *step,
			  struct span a_round, double most)
{
	double full = (double)step->max_fills * (double)subject->size_bytes;

	if (step->kind != PLAN_ROUNDS || !(full > 0))
		return most;
	return fmin(most, (full + a_round.most) * step->repeat);
}

static uint64_t whole(double value)
{
	return isfinite(value) ? (uint64_t)fmin(value, NO_NUMBER) : 0;
}

static void put(struct plan_guess *guess, struct span ns, struct span written,
		struct span cells)
{
	guess->least_ns = whole(ns.least);
	guess->most_ns = whole(ns.most);
	guess->least_written = whole(written.least);
	guess->most_written = whole(written.most);
	guess->least_cells = (unsigned)cells.least;
	guess->most_cells = (unsigned)cells.most;
	guess->open = !isfinite(ns.most) || !isfinite(written.most) || ns.most >= NO_NUMBER;
}

/* What lays files out, once: the steps before it made theirs. */
static double layout_of(const struct plan *plan, unsigned step,
			const struct plan_subject *subject)
{
	struct cost_layout layout = {.file_bytes = (double)subject->size_bytes};

	for (unsigned s = 0; s < step; s++)
		cost_lay_out(subject, &plan->steps[s], &layout);
	layout.written = 0;
	cost_lay_out(subject, &plan->steps[step], &layout);
	return layout.written;
}

static void put_loads(const struct plan *plan, unsigned step,
		      const struct plan_subject *subject, struct plan_guess *ret_guess)
{
	const struct plan_step *s = &plan->steps[step];
	double pause_ns = (double)s->pause_ns / subject->scale;
	double laid = layout_of(plan, step, subject);
	struct span ns = {0}, written = {0}, runs = runs_of(s);

	for (unsigned c = 0; c < s->ncells; c++) {
		struct cell_cost cost = cost_of_cell(subject, s, c);

		ns = add(ns, add(cost.ns, (struct span){pause_ns, pause_ns}));
		written = add(written, cost.written);
	}
	runs = full_after(subject, s, written, runs);
	ns = times(ns, runs);
	if (laid > 0)
		ns = add(ns, cost_time(laid, subject->speeds.write));
	put(ret_guess, ns,
	    (struct span){laid + written.least * writing_runs_of(s, runs).least,
			  laid + filled_most(subject, s, written, written.most * runs.most)},
	    times(runs, (struct span){s->ncells, s->ncells}));
}

void plan_estimate_step(const struct plan *plan, unsigned step,
			const struct plan_subject *subject, struct plan_guess *ret_guess)
{
	const struct plan_step *s = &plan->steps[step];
	struct span ns = {0}, written = {0}, cells = {1, 1};

	*ret_guess = (struct plan_guess){0};
	if (s->kind == PLAN_IDLE)
		ns.least = ns.most = (double)s->for_ns / subject->scale;
	if (s->kind == PLAN_PURGE && (s->method == PLAN_ZERO || subject->purge_zeroes[step])) {
		written.least = written.most = (double)subject->size_bytes;
		ns = cost_time(written.most, subject->speeds.write);
	}
	if (s->kind == PLAN_CHECK)
		cells = (struct span){0, 0};
	if (s->kind == PLAN_FILL || s->kind == PLAN_PRECONDITION) {
		struct cell_cost cost = cost_of_fill(subject, s);

		put(ret_guess, cost.ns, cost.written, cells);
	} else if (plan_step_loads(s)) {
		put_loads(plan, step, subject, ret_guess);
	} else {
		put(ret_guess, ns, written, cells);
	}
}

void plan_guess_add(struct plan_guess *guess, const struct plan_guess *other)
{
	guess->least_ns += other->least_ns;
	guess->most_ns += other->most_ns;
	guess->least_written += other->least_written;
	guess->most_written += other->most_written;
	guess->least_cells += other->least_cells;
	guess->most_cells += other->most_cells;
	guess->open |= other->open;
}

void plan_estimate(const struct plan *plan, const struct plan_subject *subject,
		   struct plan_guess *ret_guess)
{
	*ret_guess = (struct plan_guess){0};
	for (unsigned s = 0; s < plan->nsteps; s++) {
		struct plan_guess guess;

		plan_estimate_step(plan, s, subject, &guess);
		plan_guess_add(ret_guess, &guess);
	}
}

/* --- while it runs --- */

/* What was written at a stretch tells the rate better than anything before. */
static void learn(const struct plan_lane *lane, struct plan_speeds *speeds)
{
	for (unsigned s = 0; s < lane->plan->nsteps; s++) {
		enum plan_kind kind = lane->plan->steps[s].kind;
		const struct plan_entry *entry;
		unsigned from = 0;

		if (kind != PLAN_FILL && kind != PLAN_PRECONDITION)
			continue;
		while ((entry = plan_entry_next(lane, s, &from))) {
			double rate = entry->figures.value[PLAN_WRITE][CELL_BYTES_PER_S];

			if (!(rate > 0))
				continue;
			*(kind == PLAN_FILL ? &speeds->write : &speeds->random_write) =
				(struct plan_speed){rate * 0.9, rate * 1.1};
		}
	}
}

static uint64_t less(uint64_t whole_ns, uint64_t done_ns)
{
	return whole_ns > done_ns ? whole_ns - done_ns : 0;
}

void plan_estimate_left(const struct plan_lane *lane, const struct plan_subject *subject,
			struct plan_guess *ret_guess)
{
	struct plan_subject known = *subject;

	*ret_guess = (struct plan_guess){0};
	learn(lane, &known.speeds);
	for (unsigned s = 0; s < lane->plan->nsteps; s++) {
		const struct plan_entry *entry;
		struct plan_task task;
		struct plan_guess guess;
		uint64_t done_ns = 0, written = 0;
		unsigned from = 0, cells = 0;

		if (!plan_step_next(lane, s, &task))
			continue; /* it is done */
		while ((entry = plan_entry_next(lane, s, &from))) {
			done_ns += entry->span_ns;
			written += entry->written_bytes;
			cells++;
		}
		plan_estimate_step(lane->plan, s, &known, &guess);
		guess.least_ns = less(guess.least_ns, done_ns);
		guess.most_ns = less(guess.most_ns, done_ns);
		guess.least_written = less(guess.least_written, written);
		guess.most_written = less(guess.most_written, written);
		guess.least_cells = (unsigned)less(guess.least_cells, cells);
		guess.most_cells = (unsigned)less(guess.most_cells, cells);
		plan_guess_add(ret_guess, &guess);
	}
}
