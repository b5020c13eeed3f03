#include "plan/estimate.h"

#include <math.h>

#include "base/bits.h"
#include "plan/plan_priv.h"

#define FIND_STEPS_MAX 8 /* of the search, behind the curve */
#define BARE_LOADS     11
#define NO_NUMBER      1e18 /* more nanoseconds or bytes than anything takes */

/* A range of a figure; `most` INFINITY: unknown. */
struct span {
	double least, most;
};

static struct span add(struct span a, struct span b)
{
	return (struct span){a.least + b.least, a.most + b.most};
}

static struct span times(struct span a, double least, double most)
{
	return (struct span){a.least * least, a.most * most};
}

/* Nanoseconds for so many bytes. */
static struct span time_of(double bytes, struct plan_speed speed)
{
	if (!(speed.most > 0))
		return (struct span){0, (double)INFINITY};
	return (struct span){bytes / speed.most * 1e9, bytes / speed.least * 1e9};
}

/* --- one cell --- */

struct cell_cost {
	struct span ns, written;
};

static double amount_of(const struct amount *amount, double size)
{
	if (!amount->given)
		return size;
	return amount->percent_x100 ? size * amount->percent_x100 / 1e4 : (double)amount->bytes;
}

static double write_share(const struct job_spec *spec)
{
	if (!spec->rw.does[DIR_WRITE])
		return 0;
	return spec->rw.does[DIR_READ] ? 1 - spec->rwmixread / 100.0 : 1;
}

static const struct plan_speed *speed_for(const struct plan_subject *subject,
					  const struct job_spec *spec)
{
	if (!spec->rw.does[DIR_WRITE])
		return &subject->speeds.read;
	return spec->rw.random ? &subject->speeds.random_write : &subject->speeds.write;
}

/* Bytes that end the job; INFINITY: only its time does. */
static double bytes_of(const struct plan_subject *subject, const struct job_spec *spec)
{
	double size = amount_of(&spec->size, (double)subject->size_bytes);
	double bytes = amount_of(&spec->io_size, size) * (spec->loops ? spec->loops : 1);
	uint64_t block = max_u64(spec->bs[DIR_READ].min, spec->bs[DIR_WRITE].min);

	if (spec->time_based)
		return (double)INFINITY;
	if (spec->size.given && spec->size.bytes)
		bytes /= subject->scale;
	if (spec->number_ios)
		bytes = fmin(bytes, (double)spec->number_ios * (double)block);
	return bytes * (spec->numjobs ? spec->numjobs : 1);
}

static struct cell_cost cost_of(const struct plan_subject *subject, const struct job_spec *spec)
{
	const struct plan_speed *speed = speed_for(subject, spec);
	double limit_ns = spec->runtime ? (double)spec->runtime / subject->scale : NO_NUMBER;
	double around_ns = (double)(spec->ramp_time + spec->startdelay.min) / subject->scale;
	double bytes = bytes_of(subject, spec), share = write_share(spec);
	struct span ns =
		isinf(bytes) ? (struct span){limit_ns, limit_ns} : time_of(bytes, *speed);
	struct cell_cost cost;

	ns.least = fmin(ns.least, limit_ns);
	if (spec->runtime)
		ns.most = fmin(ns.most, limit_ns);
	cost.written =
		(struct span){fmin(bytes, ns.least / 1e9 * speed->least) * share,
			      speed->most > 0 ? fmin(bytes, ns.most / 1e9 * speed->most) * share
			      : isinf(bytes)  ? (double)INFINITY
					      : bytes * share};
	if (share == 0)
		cost.written = (struct span){0, 0};
	cost.ns = add(ns, (struct span){around_ns, around_ns});
	return cost;
}

static struct cell_cost cost_of_cell(const struct plan_subject *subject,
				     const struct plan_step *step, unsigned cell)
{
	struct cell_cost cost = {0};
	struct job_spec *spec;
	struct job_set set;

	job_set_init(&set, FACE_NATIVE);
	if (!plan_cell_spec(&set, step, &step->cells[cell], subject->path, &spec, NULL)) {
		if (step->kind == PLAN_SOAK) {
			spec->runtime = step->every_ns;
			spec->time_based = true;
		}
		cost = cost_of(subject, spec);
	}
	job_set_done(&set);
	return cost;
}

/* --- one step --- */

/* One pass writes the spare flash as well. */
static double spare_of(const struct plan_subject *subject, const struct plan_step *step)
{
	struct job_spec *spec;
	struct job_set set;
	double spare = 0;

	job_set_init(&set, FACE_NATIVE);
	if (!plan_cell_spec(&set, step, &step->cells[0], subject->path, &spec, NULL))
		spare = spec->spr_op;
	job_set_done(&set);
	return spare;
}

static struct cell_cost cost_of_fill(const struct plan_subject *subject,
				     const struct plan_step *step)
{
	double bytes =
		(double)subject->size_bytes * step->range_percent_x100 / 1e4 * step->passes;
	const struct plan_speed *speed = step->kind == PLAN_FILL
						 ? &subject->speeds.write
						 : &subject->speeds.random_write;

	if (step->method == PLAN_ONE_PASS)
		bytes *= 1 + spare_of(subject, step);
	return (struct cell_cost){.ns = time_of(bytes, *speed), .written = {bytes, bytes}};
}

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
		double curve = step->find.nloads ? step->find.nloads : BARE_LOADS;

		if (step->find.by == PLAN_BY_RATE)
			curve += 1; /* without a rate */
		else
			curve = ceil(log2((double)step->find.to / (double)step->find.from)) + 1;
		return (struct span){curve, curve + FIND_STEPS_MAX};
	}
	return (struct span){repeat, repeat};
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

void plan_estimate_step(const struct plan *plan, unsigned step,
			const struct plan_subject *subject, struct plan_guess *ret_guess)
{
	const struct plan_step *s = &plan->steps[step];
	struct span ns = {0}, written = {0}, runs = runs_of(s), cells = {1, 1};
	double pause_ns = (double)s->pause_ns / subject->scale;

	*ret_guess = (struct plan_guess){0};
	if (s->kind == PLAN_IDLE)
		ns.least = ns.most = (double)s->for_ns / subject->scale;
	if (s->kind == PLAN_PURGE && s->method == PLAN_ZERO) {
		written.least = written.most = (double)subject->size_bytes;
		ns = time_of(written.most, subject->speeds.write);
	}
	if (s->kind == PLAN_FILL || s->kind == PLAN_PRECONDITION) {
		struct cell_cost cost = cost_of_fill(subject, s);

		put(ret_guess, cost.ns, cost.written, cells);
		return;
	}
	if (!plan_step_loads(s)) {
		put(ret_guess, ns, written,
		    s->kind == PLAN_CHECK ? (struct span){0, 0} : cells);
		return;
	}
	for (unsigned c = 0; c < s->ncells; c++) {
		struct cell_cost cost = cost_of_cell(subject, s, c);

		ns = add(ns, add(cost.ns, (struct span){pause_ns, pause_ns}));
		written = add(written, cost.written);
	}
	put(ret_guess, times(ns, runs.least, runs.most), times(written, runs.least, runs.most),
	    times(runs, s->ncells, s->ncells));
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
