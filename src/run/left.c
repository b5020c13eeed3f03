/*
 * How long a run still takes. A job that has a rate, or a time limit, is known before it starts;
 * any other only from what it has done, so that nothing is said while one of these waits.
 */
#include "base/str.h"
#include "run/run_priv.h"

/* Bytes a second that one worker is asked for; 0: as fast as it can. */
static uint64_t asked_rate(const struct job_spec *spec)
{
	uint64_t sum = 0;

	for (unsigned d = 0; d < NDATA; d++) {
		bool fixed = spec->bs[d].min == spec->bs[d].max && !spec->bssplit[d].count;

		if (!spec->rw.does[d])
			continue;
		if (spec->rate[d])
			sum += spec->rate[d];
		else if (spec->rate_iops[d] && fixed)
			sum += spec->rate_iops[d] * spec->bs[d].max;
		else
			return 0;
	}
	return sum;
}

/* Before it starts a worker has no flow that knows: what its targets and options say. */
static uint64_t total_bytes(const struct run_worker *rw)
{
	const struct job_spec *spec = rw->job->spec;
	uint64_t total = 0, largest = 1;

	if (rw->worker)
		return flow_total_bytes(rw->worker->flow);
	if (spec->time_based)
		return 0;
	for (unsigned i = 0; i < rw->ntargets; i++)
		total += rw->targets[i].io_bytes;
	for (unsigned d = 0; d < NDATA; d++)
		if (spec->rw.does[d])
			largest = max_u64(largest, spec->bs[d].max);
	if (spec->number_ios && spec->number_ios < total / largest)
		total = spec->number_ios * largest;
	return total * spec->loops;
}

/* From its start to its end by its bytes, at the rate that it has shown in whole rows after the
 * ramp. The asked rate says more as long as these are less than half an interval. */
static uint64_t span_by_bytes(const struct run *run, const struct run_worker *rw,
			      uint64_t begun_ns)
{
	uint64_t interval_ns = run->worker_shared->interval_ns;
	uint64_t counted_from = begun_ns + rw->job->spec->ramp_time, done = 0, counted_ns = 0;
	uint64_t rows_to = run->start_ns + rw->through_row * interval_ns;
	uint64_t total = total_bytes(rw), rate = asked_rate(rw->job->spec);

	for (unsigned d = 0; d < NDATA; d++)
		done += rw->result->dir[d].bytes;
	if (rw->phase == PHASE_RUNNING && done && rows_to > counted_from)
		counted_ns = rows_to - counted_from;
	if (!total)
		return PROGRESS_UNKNOWN;
	if (rate && counted_ns < interval_ns / 2)
		return muldiv_u64(total, NS_PER_S, rate);
	return counted_ns ? muldiv_u64(total, counted_ns, done) : PROGRESS_UNKNOWN;
}

static uint64_t worker_left_ns(const struct run *run, const struct run_worker *rw,
			       uint64_t now_ns)
{
	const struct job_spec *spec = rw->job->spec;
	bool runs = rw->phase == PHASE_RUNNING;
	uint64_t begun_ns = now_ns + spec->startdelay.max, span = PROGRESS_UNKNOWN, by_bytes;

	if (runs)
		begun_ns = clock_at_ns(&run->clock, rw->launch->go_ticks) + rw->delay_ns;
	if (spec->runtime)
		span = spec->ramp_time + spec->runtime;
	by_bytes = span_by_bytes(run, rw, begun_ns);
	span = min_u64(span, by_bytes);
	if (span == PROGRESS_UNKNOWN)
		return span;
	return begun_ns + span > now_ns ? begun_ns + span - now_ns : 0;
}

/* Of a job alone, once it may start. */
static uint64_t job_left_ns(const struct run *run, const struct run_job *job, uint64_t now_ns)
{
	uint64_t left = 0;

	if (job->phase == JOB_ENDED)
		return 0;
	for (unsigned i = 0; i < job->nworkers; i++) {
		const struct run_worker *rw = &job->workers[i];

		if (job->phase == JOB_WAITING || rw->phase == PHASE_RUNNING)
			left = max_u64(left, worker_left_ns(run, rw, now_ns));
	}
	return left;
}

/* With those of its wave that it waits for, each of which stands above it. */
static uint64_t chain_left_ns(const struct run *run, const struct run_job *job, uint64_t now_ns)
{
	uint64_t sum = 0;

	while (job) {
		uint64_t left = job_left_ns(run, job, now_ns);
		const struct run_job *before = NULL;

		if (left == PROGRESS_UNKNOWN)
			return left;
		sum += left;
		for (unsigned j = 0; j < run->njobs && job->spec->wait_for; j++) {
			const struct run_job *other = &run->jobs[j];

			if (job->phase == JOB_WAITING && other != job &&
			    other->spec->stonewall_group == job->spec->stonewall_group &&
			    str_equal(other->spec->name, job->spec->wait_for))
				before = other;
		}
		job = before;
	}
	return sum;
}

uint64_t run_left_ns(const struct run *run, uint64_t now_ns)
{
	uint64_t sum = 0, wave_left = 0;
	unsigned wave = 0;

	for (unsigned j = 0; j < run->njobs; j++) {
		const struct run_job *job = &run->jobs[j];
		uint64_t left = chain_left_ns(run, job, now_ns);

		if (left == PROGRESS_UNKNOWN)
			return PROGRESS_UNKNOWN;
		if (job->spec->stonewall_group != wave) {
			sum += wave_left;
			wave_left = 0;
			wave = job->spec->stonewall_group;
		}
		wave_left = max_u64(wave_left, left);
	}
	return sum + wave_left;
}
