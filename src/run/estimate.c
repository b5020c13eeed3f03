/*
 * How much CPU time a run on virtual time will take, told before it starts. Some thousand requests
 * like the job's go to a small copy of the drive: what one costs on this machine, and how many the
 * drive does in a second. Roughly: the copy is new, the real one may be worn or become so.
 */
#include "base/rng.h"
#include "run/run_priv.h"
#include "sim/drive.h"

#define TRIAL_REQUESTS 5000
#define TRIAL_BYTES    (UINT64_C(256) << 20) /* size of the copy */
#define TRIAL_DEPTH    64
#define WORKER_NS      180 /* of the worker loop, the engine and the figures, per request */
#define WORTHY_NS      (3 * NS_PER_S)

struct trial {
	uint64_t cpu_ns, virtual_ns; /* of all its requests */
};

static unsigned dir_of(const struct job_spec *spec, struct rng *rng)
{
	if (spec->rw.does[OP_READ] && spec->rw.does[OP_WRITE])
		return rng_below(rng, 100) < spec->rwmixread ? OP_READ : OP_WRITE;
	return spec->rw.does[OP_READ] ? OP_READ : spec->rw.does[OP_WRITE] ? OP_WRITE : OP_TRIM;
}

static void submit_like(struct drive *drive, const struct job_spec *spec, struct rng *rng,
			uint64_t number, uint64_t now_ns)
{
	static const enum drive_op ops[NDATA] = {
		[OP_READ] = DRIVE_READ, [OP_WRITE] = DRIVE_WRITE, [OP_TRIM] = DRIVE_TRIM};
	unsigned dir = dir_of(spec, rng);
	struct drive_request request = {
		.op = ops[dir], .bytes = min_u64(spec->bs[dir].min, drive_size_bytes(drive))};
	uint64_t places = drive_size_bytes(drive) / request.bytes;

	request.offset =
		(spec->rw.random ? rng_below(rng, places) : number % places) * request.bytes;
	(void)drive_submit(drive, &request, now_ns);
}

static void run_trial(struct drive *drive, const struct run_job *job, struct trial *ret_trial)
{
	uint64_t depth = (uint64_t)job->spec->iodepth * job->nworkers, now_ns = 0;
	uint64_t began_ns = clock_thread_cpu_ns();
	struct drive_done done[TRIAL_DEPTH];
	struct rng rng;

	depth = max_u64(1, min_u64(depth, TRIAL_DEPTH));
	rng_seed(&rng, 1, 0);
	for (uint64_t i = 0; i < TRIAL_REQUESTS; i++) {
		submit_like(drive, job->spec, &rng, i, now_ns);
		while (drive_in_flight(drive) >= depth) {
			now_ns = drive_next(drive);
			(void)drive_reap(drive, now_ns, done, TRIAL_DEPTH);
		}
	}
	ret_trial->cpu_ns =
		clock_thread_cpu_ns() - began_ns + (uint64_t)TRIAL_REQUESTS * WORKER_NS;
	ret_trial->virtual_ns = max_u64(now_ns, 1);
}

/* Requests of all workers of the job; UINT64_MAX: only the time ends it. */
static uint64_t requests_by_size(const struct run_job *job, uint64_t drive_bytes)
{
	const struct job_spec *spec = job->spec;
	const struct amount *amount = spec->io_size.given ? &spec->io_size : &spec->size;
	uint64_t bytes = drive_bytes, each = UINT64_MAX;

	if (spec->time_based)
		return UINT64_MAX;
	if (amount->given)
		bytes = amount->percent_x100
				? muldiv_u64(drive_bytes, amount->percent_x100, 10000)
				: amount->bytes;
	for (unsigned d = 0; d < NDATA; d++)
		if (spec->rw.does[d])
			each = min_u64(each, spec->bs[d].min);
	bytes = bytes / each * max_u64(spec->loops, 1);
	if (spec->number_ios)
		bytes = min_u64(bytes, spec->number_ios);
	return bytes * job->nworkers;
}

static uint64_t requests_by_time(const struct run_job *job, const struct trial *trial)
{
	const struct job_spec *spec = job->spec;
	uint64_t span_ns = spec->ramp_time + spec->runtime, rate = 0;
	uint64_t count = muldiv_u64(span_ns, TRIAL_REQUESTS, trial->virtual_ns);

	if (!spec->runtime)
		return UINT64_MAX;
	for (unsigned d = 0; d < NDATA; d++)
		if (spec->rw.does[d] && spec->rate_iops[d])
			rate += spec->rate_iops[d];
	return rate ? min_u64(count, muldiv_u64(span_ns, rate * job->nworkers, NS_PER_S))
		    : count;
}

static struct run_file *simulated_file(const struct run *run)
{
	struct run_file *file = run->files;

	while (file && !file->drive)
		file = file->next;
	return file;
}

static uint64_t cpu_of(const struct run_job *job, const struct run_file *file)
{
	struct profile profile = *drive_profile(file->drive);
	struct trial trial = {0};
	struct drive *drive;
	uint64_t count;

	profile.scale *= (drive_size_bytes(file->drive) + TRIAL_BYTES - 1) / TRIAL_BYTES;
	profile.versions = 0;
	if (drive_open_profile(&profile, &drive, NULL))
		return 0; /* a copy that small is no drive of that kind */
	run_trial(drive, job, &trial);
	drive_close(drive);
	count = min_u64(requests_by_size(job, drive_size_bytes(file->drive)),
			requests_by_time(job, &trial));
	return count == UINT64_MAX ? 0 : muldiv_u64(count, trial.cpu_ns, TRIAL_REQUESTS);
}

void run_estimate(struct run *run)
{
	const struct run_file *file = simulated_file(run);
	uint64_t cpu_ns = 0;

	if (!file || !run->hooks->estimate || run->set->options.real_time)
		return;
	for (unsigned j = 0; j < run->njobs; j++) {
		const struct job_spec *spec = run->jobs[j].spec;

		if (engine_find(spec->ioengine)->check(spec, NULL))
			return; /* it will be refused, in better words */
	}
	for (unsigned j = 0; j < run->njobs; j++)
		cpu_ns += cpu_of(&run->jobs[j], file);
	if (cpu_ns >= WORTHY_NS)
		run->hooks->estimate(run->hooks->context, cpu_ns);
}
