#include "result/figure.h"

#include "base/bits.h"
#include "base/lang.h"

const char *const figure_dir_names[NDIR] = {N_("read"), N_("write"), N_("trim"), N_("sync")};

static bool find_told(const struct lat *lat, double percent, uint64_t *ret_ns)
{
	for (unsigned i = 0; i < lat->ntold; i++) {
		double away = lat->told[i].percent - percent;

		if (away > 1e-7 || away < -1e-7)
			continue;
		*ret_ns = lat->told[i].ns;
		return true;
	}
	return false;
}

bool figure_percentile_ns(const struct lat *lat, double percent, uint64_t *ret_ns)
{
	uint64_t ns;

	if (!lat->sums.total || !hist_percentile_is_sound(lat->sums.total, percent))
		return false;
	if (!lat->hist)
		return find_told(lat, percent, ret_ns);
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

/* Others may tell percentiles of one kind only. */
static bool has_percentiles(const struct lat *lat)
{
	return lat->sums.total && (lat->hist || lat->ntold);
}

const struct lat *figure_service(const struct dir_result *figures, const char **ret_name)
{
	const struct lat *total = &figures->lat[LAT_TOTAL], *clat = &figures->lat[LAT_CLAT];
	bool service = has_percentiles(total) ||
		       (total->sums.total && !has_percentiles(clat)) || !clat->sums.total;

	if (ret_name)
		*ret_name = service ? "service" : "completion";
	return service ? total : clat;
}
