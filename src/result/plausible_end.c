/* How the run ended: errors, limits, what did not come back. */
#include <string.h>

#include "base/bits.h"
#include "base/err.h"
#include "base/lang.h"
#include "result/plausible_priv.h"

static const char *signal_name(struct result *result, int number)
{
	const char *name = sigabbrev_np(number);

	return name ? arena_printf(&result->arena, "SIG%s", name)
		    : arena_printf(&result->arena, "signal %d", number);
}

/* The clones of a job together: what went wrong in any of them. */
struct failures {
	uint64_t errors, short_ios;
	unsigned failed, killed; /* workers */
	int error, killed_by;	 /* of the first such worker */
	struct first_error first;
};

static struct failures failures_of(const struct result *result, const struct job_spec *spec)
{
	struct failures sum = {0};

	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];
		uint64_t errors = 0;

		if (job->spec != spec)
			continue;
		for (unsigned dir = 0; dir < NDIR; dir++) {
			errors += job->dir[dir].errors;
			sum.short_ios += job->dir[dir].short_ios;
		}
		sum.errors += max_u64(errors, job->total_errors);
		if (!sum.first.code)
			sum.first = job->first_error;
		if (job->error && !sum.failed++)
			sum.error = job->error;
		if (job->killed_by && !sum.killed++)
			sum.killed_by = job->killed_by;
	}
	return sum;
}

static void note_first_error(struct result *result, const char *job, const struct failures *sum)
{
	static const char *const ops[] = {"read", "write", "trim", "fsync", "fdatasync"};
	const struct first_error *first = &sum->first;

	result_note(
		result, "io-errors", SEVERITY_WARNING, job,
		PLURAL(max_u64(sum->errors, 1),
		       "%s request failed: %s of %u bytes at offset %llu of %s: %s",
		       "%s requests failed; the first: %s of %u bytes at offset %llu of %s: "
		       "%s"),
		say_count(result, max_u64(sum->errors, 1)), ops[first->op], first->bytes,
		(unsigned long long)first->offset, first->path ? first->path : N_("the target"),
		err_name(first->code));
}

void check_errors(struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++) {
		const struct job_spec *spec = result->set->jobs[i];
		struct failures sum = failures_of(result, spec);

		if (sum.first.code)
			note_first_error(result, spec->name, &sum);
		else if (sum.failed)
			result_note(result, "job-failed", SEVERITY_WARNING, spec->name,
				    PLURAL(sum.failed, "%u worker ended with an error: %s",
					   "%u workers ended with an error: %s"),
				    sum.failed, err_name(sum.error));
		if (sum.killed)
			result_note(result, "worker-died", SEVERITY_WARNING, spec->name,
				    PLURAL(sum.killed,
					   "%u worker died by %s: figures end there",
					   "%u workers died by %s: figures end there"),
				    sum.killed, signal_name(result, sum.killed_by));
		if (sum.short_ios)
			result_note(result, "short-transfers", SEVERITY_WARNING, spec->name,
				    PLURAL(sum.short_ios,
					   "%s request moved fewer bytes than asked",
					   "%s requests moved fewer bytes than asked"),
				    say_count(result, sum.short_ios));
	}
}

static void note_unfinished(struct result *result)
{
	uint64_t count = 0, oldest = 0;

	for (unsigned i = 0; i < result->njobs; i++)
		for (unsigned k = 0; k < result->jobs[i].nunfinished; k++) {
			oldest = max_u64(oldest, result->jobs[i].unfinished[k].age_ns);
			count++;
		}
	if (count)
		result_note(
			result, "unfinished", SEVERITY_WARNING, NULL,
			PLURAL(count,
			       "%s request had not come back when the run was given up; it "
			       "was %s old, and counts in the maximum",
			       "%s requests had not come back when the run was given up; the "
			       "oldest was %s old, and counts in the maximum"),
			say_count(result, count), say_time(result, oldest));
}

void check_ended_early(struct result *result)
{
	bool limited = false;

	if (result->interrupted)
		result_note(result, "interrupted", SEVERITY_WARNING, NULL,
			    "stopped by %s: the figures are of the %s until then",
			    result->signal ? signal_name(result, result->signal)
					   : N_("a request to stop"),
			    say_time(result, result->span_ns));
	note_unfinished(result);
	for (unsigned i = 0; i < result->njobs; i++)
		limited |= result->jobs[i].stopped_by_limit;
	if (limited)
		result_note(result, "write-limit", SEVERITY_WARNING, NULL,
			    "stopped at --max-write: the run is shorter than asked");
}

void check_rows(struct result *result)
{
	uint64_t merges = 0;

	for (unsigned i = 0; i < result->njobs; i++)
		merges += result->jobs[i].row_merges;
	if (merges)
		result_note(
			result, "rows-joined", SEVERITY_INFO, NULL,
			PLURAL(merges,
			       "%s interval was joined with its neighbour, because the "
			       "collector came late: totals are exact, the series is coarser "
			       "there",
			       "%s intervals were joined with their neighbours, because the "
			       "collector came late: totals are exact, the series is coarser "
			       "there"),
			say_count(result, merges));
}
