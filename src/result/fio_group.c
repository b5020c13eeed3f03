/* fio's groups: neighbours in thread order, merged where the job asks for group_reporting. */
#include "base/bits.h"
#include "result/merge.h"
#include "result/result.h"

static bool joins(const struct job_result *group, const struct job_result *job)
{
	return group && job->spec->group_reporting && group->group == job->group;
}

struct job_result *result_fio_groups(struct result *result, unsigned *ret_count)
{
	struct job_result *groups =
		arena_array(&result->arena, struct job_result, result->njobs);
	struct job_result *last = NULL;
	unsigned count = 0;

	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];

		if (!job->spec->stats)
			continue;
		if (joins(last, job)) {
			job_result_merge(&result->arena, last, job);
			last->begin_ns = min_u64(last->begin_ns, job->begin_ns);
			last->end_ns = max_u64(last->end_ns, job->end_ns);
			continue;
		}
		last = &groups[count++];
		*last = job_result_copy(&result->arena, job);
	}
	*ret_count = count;
	return groups;
}
