/* Did the load that was asked for happen, and was it the device that set the pace? */
#include <math.h>

#include "base/bits.h"
#include "base/lang.h"
#include "result/plausible_priv.h"

#define OFF_BY		  0.10 /* of the depth: Little's law, depth reached */
#define SETTLED_ROUNDS	  10   /* requests per slot, below which starts and ends weigh */
#define CORE_BUSY_PERCENT 95.0 /* of one core */
#define CORE_SPAN_NS	  (100 * NS_PER_MS) /* below it a thread's start and end weigh */
#define STEAL_SHARE	  0.01		    /* of all CPU time */
#define KEEPS_UP	  0.99		    /* of the arrivals asked for */
#define LATE_NS		  NS_PER_MS
#define MIX_POINTS	  2.0 /* between achieved and asked share, in percent points */
#define MIX_DEVIATIONS	  4.0 /* of a draw for each request: 6 points at 1000 of 50 % */
#define MIX_MIN_IOS	  100
#define UNEQUAL_SHARE	  0.95 /* of the whole span that all members share */

static bool settled(const struct clones *sum, double depth)
{
	return sum->members && sum->longest_ns &&
	       (double)sum->total_ios >= SETTLED_ROUNDS * depth;
}

static double depth_asked(const struct clones *sum)
{
	return (double)sum->spec->iodepth * sum->members;
}

static bool reaches(double value, double wanted)
{
	return value >= wanted * (1 - OFF_BY);
}

/* jobs x depth = IOPS x mean latency, in a closed loop. What is in flight when the ramp ends
 * brings all of its latency into the span: a request of 25 ms is an eighth of 200 ms. Where
 * requests in flight were counted and agree with the right side, the depth was not reached,
 * which check_depth says. */
void check_littles_law(struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];
		struct clones sum = clones_of(result, spec);
		double asked = depth_asked(&sum);

		if (!settled(&sum, asked) || !sum.has_latency || !spec_is_closed_loop(spec))
			continue;
		if (fabs(sum.in_flight - asked) <= OFF_BY * asked)
			continue;
		if (sum.in_flight > asked &&
		    sum.in_flight - asked <= OFF_BY * asked + sum.overhang)
			continue;
		if (sum.depth_mean > 0 && !reaches(sum.depth_mean, asked) &&
		    fabs(sum.in_flight - sum.depth_mean) <= OFF_BY * sum.depth_mean)
			continue;
		result_note(result, "littles-law", SEVERITY_WARNING, spec->name,
			    PLURAL(asked,
				   "%.4g request was asked to be in flight, but IOPS x mean "
				   "latency is %.4g: IOPS and latency do not describe the same "
				   "load%s",
				   "%.4g requests were asked to be in flight, but IOPS x mean "
				   "latency is %.4g: IOPS and latency do not describe the same "
				   "load%s"),
			    asked, sum.in_flight,
			    spec->end_fsync || spec->fsync_on_close
				    ? N_(" (the sync at the end is part of the span)")
				    : "");
	}
}

static bool engine_is_sync(const char *name)
{
	static const char *const names[] = {"sync",   "psync",	 "vsync",
					    "pvsync", "pvsync2", "mmap"};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (name && str_equal(name, names[i]))
			return true;
	return false;
}

void check_depth(struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];
		struct clones sum = clones_of(result, spec);
		double asked = depth_asked(&sum);
		const char *why = "";

		if (spec->iodepth < 2 || !settled(&sum, asked) || !spec_is_closed_loop(spec))
			continue;
		if (!(sum.depth_mean > 0) || reaches(sum.depth_mean, asked))
			continue;
		if (engine_is_sync(spec->ioengine))
			why = N_(": this engine does one request at a time");
		else if (sum.core_busy_max_percent > CORE_BUSY_PERCENT)
			why = N_(": the worker's core is the limit");
		else if (!spec->direct)
			why = N_(": without direct=1 requests end while they are being "
				 "submitted");
		result_note(result, "depth-not-reached", SEVERITY_WARNING, spec->name,
			    "depth not reached: %.4g in flight on average, %.4g asked%s",
			    sum.depth_mean, asked, why);
	}
}

void check_core(struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];
		struct clones sum = clones_of(result, spec);

		if (sum.longest_ns >= CORE_SPAN_NS &&
		    sum.core_busy_max_percent > CORE_BUSY_PERCENT)
			result_note(result, "generator-bound", SEVERITY_WARNING, spec->name,
				    "a worker used %.0f %% of its core: IOPS are the "
				    "generator's limit, the target may do more; try more jobs "
				    "or a deeper batch",
				    sum.core_busy_max_percent);
	}
}

void check_steal(struct result *result)
{
	const struct host_cpu *cpu = &result->facts.cpu;
	double share;

	if (!cpu->total_ns)
		return;
	share = (double)cpu->steal_ns / (double)cpu->total_ns;
	if (share > STEAL_SHARE)
		result_note(result, "steal", SEVERITY_WARNING, NULL,
			    "the hypervisor took %.1f %% of the CPU time during the run: "
			    "latencies hold waits that are not the target's",
			    100 * share);
}

/* The late share of arrivals, over all workers of a job. */
static uint64_t lateness_p99(const struct result *result, const struct job_spec *spec,
			     struct hist *scratch)
{
	*scratch = (struct hist){0};
	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];

		if (job->spec == spec && job->lateness.hist)
			hist_merge(scratch, job->lateness.hist);
	}
	return hist_percentile_ns(scratch, 99);
}

void check_schedule(struct result *result)
{
	struct hist *scratch = NULL;

	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];
		struct clones sum = clones_of(result, spec);
		double ratio;
		uint64_t late;

		if (!sum.arrivals_due)
			continue;
		ratio = (double)sum.total_ios / (double)sum.arrivals_due;
		if (ratio < KEEPS_UP) {
			result_note(result, "behind-schedule", SEVERITY_WARNING, spec->name,
				    "the rate was not kept: %s of %s requests due were done "
				    "(%.1f %%); response times grow with the length of the run",
				    say_count(result, sum.total_ios),
				    say_count(result, sum.arrivals_due), 100 * ratio);
			continue;
		}
		if (!scratch)
			scratch = arena_new(&result->arena, struct hist);
		late = lateness_p99(result, spec, scratch);
		if (late > LATE_NS)
			result_note(
				result, "late-arrivals", SEVERITY_INFO, spec->name,
				"1 %% of the requests were sent more than %s after they "
				"were due: all slots were taken, or the worker was held up; "
				"read the response time, not the service time",
				say_time(result, late));
	}
}

/* What the draw of each request's direction may be off by, in percent points. */
static double mix_allowed(double percent, uint64_t ios)
{
	double deviation = sqrt(percent * (100 - percent) / (double)ios);

	return fmax(MIX_POINTS, MIX_DEVIATIONS * deviation);
}

/* The mix is by requests, as rwmixread is. */
void check_mix(struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];
		struct clones sum = clones_of(result, spec);
		uint64_t data = sum.ios[DIR_READ] + sum.ios[DIR_WRITE];
		double share;

		if (!spec->rw.does[DIR_READ] || !spec->rw.does[DIR_WRITE] ||
		    spec_is_rated(spec) || data < MIX_MIN_IOS ||
		    (spec->unified_rw_reporting == UNIFIED_MIXED && !sum.ios[DIR_WRITE]))
			continue;
		share = 100.0 * (double)sum.ios[DIR_READ] / (double)data;
		if (fabs(share - spec->rwmixread) > mix_allowed(spec->rwmixread, data))
			result_note(result, "mix-not-met", SEVERITY_WARNING, spec->name,
				    "%.1f %% of the requests were reads, %u %% were asked for",
				    share, spec->rwmixread);
	}
}

/* Members of what is reported as one: the clones of a job, or with group_reporting all jobs of
 * its group. */
static bool together(const struct job_result *a, const struct job_result *b)
{
	return a->spec == b->spec ||
	       (a->spec->group_reporting && b->spec->group_reporting && a->group == b->group);
}

static bool first_of_its_kind(const struct result *result, unsigned job)
{
	for (unsigned i = 0; i < job; i++)
		if (together(&result->jobs[i], &result->jobs[job]))
			return false;
	return true;
}

static void note_unequal(struct result *result, const char *job, unsigned members,
			 uint64_t shared_ns, uint64_t whole_ns)
{
	const char *shared = say_time(result, shared_ns), *whole = say_time(result, whole_ns);

	if ((double)shared_ns < GROUP_COMMON_SHARE * (double)whole_ns)
		result_note(result, "unequal-times", SEVERITY_WARNING, job,
			    "the %u members ran together for %s of %s, too little to be rated: "
			    "rates here are all work over the whole span, in parts of which "
			    "not all were running",
			    members, shared, whole);
	else
		result_note(result, "unequal-times", SEVERITY_WARNING, job,
			    "the %u members ran together for %s of %s: sums over the whole "
			    "span are no rate; rates here are those of the common time",
			    members, shared, whole);
}

void check_unequal_times(struct result *result)
{
	for (unsigned i = 0; i < result->njobs; i++) {
		uint64_t begin_first = UINT64_MAX, begin_last = 0, end_first = UINT64_MAX,
			 end_last = 0, shared, whole;
		unsigned members = 0;

		if (!first_of_its_kind(result, i))
			continue;
		for (unsigned k = i; k < result->njobs; k++) {
			const struct job_result *job = &result->jobs[k];

			if (!together(job, &result->jobs[i]))
				continue;
			begin_first = min_u64(begin_first, job->begin_ns);
			begin_last = max_u64(begin_last, job->begin_ns);
			end_first = min_u64(end_first, job->end_ns);
			end_last = max_u64(end_last, job->end_ns);
			members++;
		}
		whole = end_last > begin_first ? end_last - begin_first : 0;
		shared = end_first > begin_last ? end_first - begin_last : 0;
		if (members < 2 || (double)shared >= UNEQUAL_SHARE * (double)whole)
			continue;
		note_unequal(result, result->jobs[i].name, members, shared, whole);
	}
}

void check_sequential_clones(struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];
		struct clones sum = clones_of(result, spec);

		if (sum.members < 2 || spec->rw.random || !spec->filename.count ||
		    spec->offset_increment.given)
			continue;
		result_note(result, "sequential-clones", SEVERITY_WARNING, spec->name,
			    "%u clones go through the same offsets of the same file, each from "
			    "the start: later ones may find the data in a cache; give each its "
			    "part with offset_increment",
			    sum.members);
	}
}
