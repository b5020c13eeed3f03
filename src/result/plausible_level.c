/* Did the target hold one level? A burst that ends in the middle of a run makes its mean a figure
 * of neither. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "result/levels.h"
#include "result/plausible_priv.h"

/* Completions a second of the whole intervals that count. */
static unsigned rates_of(const struct result *result, double *ret_per_s)
{
	unsigned count = 0;

	for (unsigned i = 0; i < result->nrows; i++) {
		const struct row *row = &result->rows[i];
		uint64_t ios = 0;

		if (row->ramp || row->partial || row->end_ns <= row->begin_ns)
			continue;
		for (unsigned dir = 0; dir < NDATA; dir++)
			ios += row->dir[dir].ios;
		ret_per_s[count++] =
			(double)ios * NS_PER_S / (double)(row->end_ns - row->begin_ns);
	}
	return count;
}

void result_levels(const struct result *result, struct bucket_fit *ret_fit)
{
	double *per_s = memory_take((result->nrows + 1) * sizeof(*per_s));
	double interval_s = (double)result->interval_ns / NS_PER_S;

	bucket_fit(per_s, rates_of(result, per_s), interval_s, ret_fit);
	free(per_s);
	for (unsigned i = 0; i < result->set->njobs; i++)
		if (!spec_is_closed_loop(result->set->jobs[i]))
			*ret_fit = (struct bucket_fit){0}; /* the rate is the job's own */
}

void check_two_levels(struct result *result)
{
	struct bucket_fit fit;

	result_levels(result, &fit);
	if (!fit.has_burst)
		return;
	result_note(
		result, "two-levels", SEVERITY_WARNING, NULL,
		"%s at %s IOPS, then %s: the mean is neither; as a token bucket (cloud "
		"volumes sell bursts like that, and a full cache of a drive looks the same) "
		"%s requests above the second rate",
		say_time(result, (uint64_t)(fit.burst_s * NS_PER_S)),
		say_count(result, (uint64_t)fit.burst_per_s),
		say_count(result, (uint64_t)fit.base_per_s),
		say_count(result, (uint64_t)fit.credits));
}
