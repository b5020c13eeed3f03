/* Is there enough behind a figure, and does it mean what its name says? */
#include "base/bits.h"
#include "base/lang.h"
#include "result/plausible_priv.h"

#define WANTED_PERCENTILE 99.9 /* the highest that every report shows */

void check_zero_io(struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];
		struct clones sum = clones_of(result, spec);

		if (sum.members && !sum.total_ios && !spec->create_only)
			result_note(result, "zero-io", SEVERITY_WARNING, spec->name,
				    "not one request was completed: there is nothing measured "
				    "here");
	}
}

void check_latency_measured(struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];
		struct clones sum = clones_of(result, spec);

		if (sum.members && sum.total_ios && !sum.has_latency)
			result_note(result, "latency-not-measured", SEVERITY_WARNING,
				    spec->name,
				    "latency not measured (%s): what is absent is not zero",
				    spec->gtod_reduce ? "gtod_reduce=1" : "disable_lat=1");
	}
}

/* The fewest requests that any measured direction of the job has; 0: none measured. */
static uint64_t fewest(const struct clones *sum, enum dir *ret_dir)
{
	uint64_t fewest = 0;

	for (unsigned dir = 0; dir < NDIR; dir++)
		if (sum->ios[dir] && (!fewest || sum->ios[dir] < fewest)) {
			fewest = sum->ios[dir];
			*ret_dir = (enum dir)dir;
		}
	return fewest;
}

void check_samples(struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];
		struct clones sum = clones_of(result, spec);
		enum dir dir = DIR_READ;
		uint64_t count = fewest(&sum, &dir);

		if (!count || !sum.has_latency ||
		    hist_percentile_is_sound(count, WANTED_PERCENTILE))
			continue;
		if (count <= HIST_NEEDS_ABOVE)
			result_note(result, "few-samples", SEVERITY_INFO, spec->name,
				    PLURAL(count,
					   "%s: %s request is too few for any percentile",
					   "%s: %s requests are too few for any percentile"),
				    dir_names[dir], say_count(result, count));
		else
			result_note(result, "few-samples", SEVERITY_INFO, spec->name,
				    "%s: %s requests; percentiles above p%.4g rest on fewer "
				    "than %d of them",
				    dir_names[dir], say_count(result, count),
				    100 * (1 - (double)HIST_NEEDS_ABOVE / (double)count),
				    HIST_NEEDS_ABOVE);
	}
}

/* Is a request due to come back in every interval while this worker runs? */
static bool must_complete(const struct result *result, const struct job_result *job)
{
	const struct job_spec *spec = job->spec;

	if (spec->thinktime || spec->flow)
		return false;
	for (unsigned dir = 0; dir < NDATA; dir++) {
		uint64_t bytes = spec->bs[dir].max ? spec->bs[dir].max : 1;
		double per_s = spec->rate_iops[dir] ? spec->rate_iops[dir]
						    : (double)spec->rate[dir] / (double)bytes;

		if ((spec->rate_iops[dir] || spec->rate[dir]) &&
		    per_s * (double)result->interval_ns < 2.0 * (double)NS_PER_S)
			return false;
	}
	return true;
}

bool result_row_is_idle(const struct result *result, const struct row *row)
{
	if (row->partial)
		return false;
	for (unsigned dir = 0; dir < NDIR; dir++)
		if (row->dir[dir].ios)
			return false;
	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];

		if (job->begin_ns <= row->begin_ns && job->end_ns >= row->end_ns &&
		    must_complete(result, job))
			return true;
	}
	return false;
}

void check_zero_intervals(struct result *result)
{
	unsigned count = 0, whole = 0;
	uint64_t length = 0, longest = 0, longest_end = 0;

	for (unsigned i = 0; i < result->nrows; i++) {
		const struct row *row = &result->rows[i];

		whole += !row->partial;
		if (!result_row_is_idle(result, row)) {
			length = 0;
			continue;
		}
		count++;
		length += row->end_ns - row->begin_ns;
		if (length > longest) {
			longest = length;
			longest_end = row->end_ns;
		}
	}
	if (count)
		result_note(result, "zero-intervals", SEVERITY_WARNING, NULL,
			    PLURAL(whole,
				   "nothing came back in %u of %u interval of %s; the longest "
				   "stop lasted at least %s, from %s on",
				   "nothing came back in %u of %u intervals of %s; the longest "
				   "stop lasted at least %s, from %s on"),
			    count, whole, say_time(result, result->interval_ns),
			    say_time(result, longest), say_time(result, longest_end - longest));
}

void check_seed(struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];
		struct clones sum = clones_of(result, spec);

		if (!sum.members || !spec->rw.random ||
		    !(spec->randrepeat || spec->randseed_given))
			continue;
		result_note(result, "fixed-seed", SEVERITY_INFO, spec->name,
			    "the same offsets in the same order in every run (%s): a cache may "
			    "know them from an earlier one",
			    spec->randseed_given ? N_("randseed is given") : "randrepeat=1");
	}
}

static const char *data_doubt(const struct job_spec *spec)
{
	if (spec->zero_buffers)
		return N_(
			"all data written are zeros: drives and file systems may store none of "
			"them");
	if (spec->buffer_pattern.count)
		return N_(
			"one pattern is written over and over: what compresses or deduplicates "
			"will look faster");
	if (spec->buffer_compress_percentage || spec->dedupe_percentage)
		return NULL; /* as asked, and said where the data are described */
	if (!spec->refill_buffers && !spec->refuse_repeat)
		return N_("the same random buffers are written again and again, a few bytes "
			  "changed: what deduplicates will look faster (refill_buffers=1)");
	return NULL;
}

void check_data(struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];
		struct clones sum = clones_of(result, spec);
		const char *doubt = data_doubt(spec);

		if (sum.ios[DIR_WRITE] && doubt)
			result_note(result, "repeated-data", SEVERITY_INFO, spec->name, "%s",
				    doubt);
	}
}

void check_disk_util(struct result *result)
{
	if (result->set->face == FACE_FIO && result->ndisks)
		result_note(
			result, "disk-util", SEVERITY_INFO, NULL,
			"util is the share of time with at least one request at the device: "
			"what serves many at once is not full at 100 %%");
}
