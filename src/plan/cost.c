#include "plan/cost_priv.h"

#include <math.h>

#include "base/bits.h"
#include "base/clock.h"

#define LARGE_BYTES   (64.0 * KiB) /* rates of blocks from here on are the drive's */
#define DEEP	      8		   /* requests at once that bring a drive near its rate */
#define IOPS_DEPTH    32	   /* at which plan_speeds.ios_most counts */
#define SYNC_SLOWNESS 32   /* at most, of writes that are each waited for down to the flash */
#define MIX_MARGIN    1.2  /* of a mix of directions, which is drawn */
#define NO_LIMIT_NS   1e18 /* more than anything takes */

struct span cost_time(double bytes, struct plan_speed speed)
{
	if (!(speed.most > 0))
		return (struct span){0, (double)INFINITY};
	return (struct span){bytes / speed.most * 1e9, bytes / speed.least * 1e9};
}

/* --- the spec of a cell --- */

typedef void with_spec(const struct plan_subject *subject, const struct job_spec *spec,
		       void *arg);

static void ask_cell(const struct plan_subject *subject, const struct plan_step *step,
		     unsigned cell, with_spec *ask, void *arg)
{
	struct job_spec *spec;
	struct job_set set;

	job_set_init(&set, FACE_NATIVE);
	if (!plan_cell_spec(&set, step, &step->cells[cell], subject->path, &spec, NULL)) {
		if (step->kind == PLAN_SOAK) {
			spec->runtime = step->every_ns;
			spec->time_based = true;
		}
		ask(subject, spec, arg);
	}
	job_set_done(&set);
}

static double block_least(const struct job_spec *spec)
{
	double least = (double)INFINITY;

	for (unsigned d = 0; d < NDATA; d++)
		if (spec->rw.does[d])
			least = fmin(least, (double)spec->bs[d].min);
	return isfinite(least) ? least : 1;
}

static double block_most(const struct job_spec *spec)
{
	double most = 1;

	for (unsigned d = 0; d < NDATA; d++)
		if (spec->rw.does[d])
			most = fmax(most, (double)spec->bs[d].max);
	return most;
}

static double whole_blocks(double bytes, const struct job_spec *spec)
{
	double block = block_most(spec);

	return fmax(floor(bytes / block) * block, block);
}

static double amount_of(const struct plan_subject *subject, const struct amount *amount,
			double all)
{
	if (!amount->given)
		return all;
	return amount->percent_x100 ? all * amount->percent_x100 / 1e4
				    : (double)amount->bytes / subject->scale;
}

static double times_of(uint32_t count)
{
	return count ? count : 1;
}

/* --- rates --- */

/* Of all jobs together, where every direction has a limit; INFINITY: there is none. */
static double limit_of(const struct job_spec *spec)
{
	double sum = 0;

	for (unsigned d = 0; d < NDATA; d++) {
		double limit = (double)INFINITY;

		if (!spec->rw.does[d])
			continue;
		if (spec->rate[d])
			limit = (double)spec->rate[d];
		if (spec->rate_iops[d])
			limit = fmin(limit,
				     (double)spec->rate_iops[d] * (double)spec->bs[d].max);
		sum += limit;
	}
	return sum > 0 ? sum * times_of(spec->numjobs) : (double)INFINITY;
}

/* From what is known of large blocks, many at once: small ones and few are slower, at worst by as
 * much as they are smaller and fewer. */
static struct plan_speed rate_of(const struct plan_subject *subject,
				 const struct job_spec *spec)
{
	const struct plan_speeds *speeds = &subject->speeds;
	struct plan_speed rate = !spec->rw.does[DIR_WRITE] ? speeds->read
				 : spec->rw.random	   ? speeds->random_write
							   : speeds->write;
	double depth = times_of(spec->iodepth) * times_of(spec->numjobs);
	double limit = limit_of(spec);

	rate.least *= fmin(1, block_least(spec) / LARGE_BYTES) * fmin(1, depth / DEEP);
	if (spec->sync || spec->fsync || spec->fdatasync)
		rate.least /= SYNC_SLOWNESS;
	if (spec->thinktime)
		rate.least = 0;
	if (spec->rw.random && speeds->ios_most > 0)
		rate.most = fmin(rate.most, speeds->ios_most * fmax(1, depth / IOPS_DEPTH) *
						    block_most(spec));
	return (struct plan_speed){fmin(rate.least, limit), fmin(rate.most, limit)};
}

/* Of the bytes that it moves. */
static struct span share_of(const struct job_spec *spec)
{
	double share = 1 - spec->rwmixread / 100.0;

	if (!spec->rw.does[DIR_WRITE])
		return (struct span){0, 0};
	if (spec->rw.does[DIR_TRIM])
		return (struct span){0, 1};
	if (!spec->rw.does[DIR_READ])
		return (struct span){1, 1};
	return (struct span){share / MIX_MARGIN, fmin(1, share * MIX_MARGIN)};
}

/* --- a cell --- */

/* Bytes that end the job; INFINITY: only its time does. */
static double bytes_of(const struct plan_subject *subject, const struct job_spec *spec)
{
	double size = amount_of(subject, &spec->size, (double)subject->size_bytes);
	double bytes = amount_of(subject, &spec->io_size, size) * times_of(spec->loops);

	if (spec->time_based)
		return (double)INFINITY;
	bytes = whole_blocks(bytes, spec);
	if (spec->number_ios)
		bytes = fmin(bytes, (double)spec->number_ios * block_most(spec));
	return bytes * times_of(spec->numjobs);
}

static double scaled_ns(const struct plan_subject *subject, uint64_t ns)
{
	return ns ? fmax((double)ns / subject->scale, NS_PER_MS) : 0;
}

static void put_cost(const struct plan_subject *subject, const struct job_spec *spec, void *arg)
{
	struct cell_cost *cost = arg;
	struct plan_speed rate = rate_of(subject, spec);
	double ramp_ns = scaled_ns(subject, spec->ramp_time);
	double around_ns = ramp_ns + (double)spec->startdelay.min / subject->scale;
	double limit_ns = spec->runtime ? scaled_ns(subject, spec->runtime) : NO_LIMIT_NS;
	double bytes = bytes_of(subject, spec);
	struct span share = share_of(spec);
	struct span ns =
		isinf(bytes) ? (struct span){limit_ns, limit_ns} : cost_time(bytes, rate);

	ns.least = fmin(ns.least, limit_ns);
	if (spec->runtime)
		ns.most = fmin(ns.most, limit_ns);
	cost->ns = (struct span){ns.least + around_ns, ns.most + around_ns};
	/* Where its time does not cut it off, it moves all that it was given. */
	cost->written.least = share.least * fmin(bytes, limit_ns / 1e9 * rate.least);
	if (rate.most > 0)
		cost->written.most =
			fmin(bytes, limit_ns / 1e9 * rate.most) + ramp_ns / 1e9 * rate.most;
	else
		cost->written.most = bytes;
	cost->written.most = share.most > 0 ? cost->written.most * share.most : 0;
}

struct cell_cost cost_of_cell(const struct plan_subject *subject, const struct plan_step *step,
			      unsigned cell)
{
	struct cell_cost cost = {0};

	ask_cell(subject, step, cell, put_cost, &cost);
	return cost;
}

/* --- fills --- */

struct fill_facts {
	double block, spare;
};

static void put_fill(const struct plan_subject *subject, const struct job_spec *spec, void *arg)
{
	(void)subject;
	*(struct fill_facts *)arg = (struct fill_facts){block_most(spec), spec->spr_op};
}

struct cell_cost cost_of_fill(const struct plan_subject *subject, const struct plan_step *step)
{
	double bytes = (double)subject->size_bytes * step->range_percent_x100 / 1e4;
	const struct plan_speed *speed = step->kind == PLAN_FILL
						 ? &subject->speeds.write
						 : &subject->speeds.random_write;
	struct fill_facts facts = {.block = 1};

	ask_cell(subject, step, 0, put_fill, &facts);
	bytes = floor(bytes / facts.block) * facts.block * step->passes;
	if (step->method == PLAN_ONE_PASS) /* the spare flash as well */
		bytes *= 1 + facts.spare;
	return (struct cell_cost){.ns = cost_time(bytes, *speed), .written = {bytes, bytes}};
}

/* --- files --- */

static void put_layout(const struct plan_subject *subject, const struct job_spec *spec,
		       void *arg)
{
	struct cost_layout *layout = arg;
	double needed = amount_of(subject, &spec->size, layout->file_bytes) +
			amount_of(subject, &spec->offset, 0);

	if (needed <= layout->file_bytes)
		return;
	if (spec->rw.does[DIR_READ] || spec->overwrite)
		layout->written += needed - layout->file_bytes;
	else if (spec->fallocate == FALLOCATE_NONE || spec->fallocate == FALLOCATE_KEEP)
		return; /* how far its writes reach is not known */
	layout->file_bytes = needed;
}

void cost_lay_out(const struct plan_subject *subject, const struct plan_step *step,
		  struct cost_layout *layout)
{
	struct cost_layout made = {0};

	if (!plan_step_loads(step) || (!subject->is_file && !step->filesystem))
		return;
	if (!step->filesystem) /* else it is empty */
		made.file_bytes = layout->file_bytes;
	for (unsigned c = 0; c < step->ncells; c++)
		ask_cell(subject, step, c, put_layout, &made);
	layout->written = made.written;
	if (!step->filesystem)
		layout->file_bytes = made.file_bytes;
}
