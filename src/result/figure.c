#include "result/figure.h"

#include "base/bits.h"

const char *const figure_dir_names[NDIR] = {"read", "write", "trim", "sync"};

bool figure_percentile_ns(const struct lat *lat, double percent, uint64_t *ret_ns)
{
	uint64_t ns;

	if (!lat->hist || !lat->sums.total ||
	    !hist_percentile_is_sound(lat->sums.total, percent))
		return false;
	ns = hist_percentile_ns(lat->hist, percent);
	*ret_ns = min_u64(max_u64(ns, lat->sums.min_ns), lat->sums.max_ns);
	return true;
}

uint64_t figure_total_ios(const struct job_result *job)
{
	uint64_t ios = 0;

	for (unsigned dir = 0; dir < NDIR; dir++)
		ios += job->dir[dir].ios;
	return ios;
}

double figure_cpu_ns_per_io(const struct job_result *job)
{
	uint64_t ios = figure_total_ios(job) + job->ramp_ios;

	return ios ? (double)(job->user_ns + job->sys_ns + job->beyond_ns) / (double)ios : 0;
}

const struct lat *figure_service(const struct dir_result *figures, const char **ret_name)
{
	bool total = figures->lat[LAT_TOTAL].sums.total || !figures->lat[LAT_CLAT].sums.total;

	if (ret_name)
		*ret_name = total ? "service" : "completion";
	return &figures->lat[total ? LAT_TOTAL : LAT_CLAT];
}
