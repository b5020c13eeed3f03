/* Rules on how the load is made: engine, depth, time, rate, measurement. */
#include <inttypes.h>

#include "base/bits.h"
#include "job/check_priv.h"

/* Engines that do one request at a time, in the caller's thread. */
static bool is_synchronous(const char *engine)
{
	static const char *const names[] = {"psync",   "sync",	"pvsync",
					    "pvsync2", "vsync", "mmap"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_equal(engine, names[i]))
			return true;
	return false;
}

/* A number of requests that cannot exceed the depth. */
static int cap_at_depth(const struct check *check, const char *option, uint32_t *value)
{
	const struct job_spec *spec = check->spec;
	int rc;

	if (*value <= spec->iodepth)
		return 0;
	rc = check_settle(check, option,
			  "%" PRIu32 " is more than iodepth=%" PRIu32 ": the depth is taken",
			  *value, spec->iodepth);
	*value = spec->iodepth;
	return rc;
}

static int check_batches(const struct check *check)
{
	struct job_spec *spec = check->spec;
	int rc = cap_at_depth(check, "iodepth_batch", &spec->iodepth_batch);

	if (!rc)
		rc = cap_at_depth(check, "iodepth_batch_complete_min",
				  &spec->iodepth_batch_complete_min);
	if (!rc && spec->batch_complete_max_given)
		rc = cap_at_depth(check, "iodepth_batch_complete_max",
				  &spec->iodepth_batch_complete_max);
	if (!rc)
		rc = cap_at_depth(check, "iodepth_low", &spec->iodepth_low);
	if (rc || !spec->batch_complete_max_given ||
	    spec->iodepth_batch_complete_max >= spec->iodepth_batch_complete_min)
		return rc;
	rc = check_settle(check, "iodepth_batch_complete_max",
			  "%" PRIu32 " is less than iodepth_batch_complete_min=%" PRIu32
			  ": the minimum is taken",
			  spec->iodepth_batch_complete_max, spec->iodepth_batch_complete_min);
	spec->iodepth_batch_complete_max = spec->iodepth_batch_complete_min;
	return rc;
}

int check_engine(const struct check *check)
{
	struct job_spec *spec = check->spec;

	/* Before the batches are capped: one remark on the depth is enough. */
	if (is_synchronous(spec->ioengine) && spec->iodepth > 1) {
		check_changed(check, "iodepth",
			      "%" PRIu32 " becomes 1: %s does one request at a time; for depth "
			      "take io_uring or libaio, or numjobs",
			      spec->iodepth, spec->ioengine);
		spec->iodepth = 1;
		spec->iodepth_batch = min_u64(spec->iodepth_batch, 1) != 0;
		spec->iodepth_batch_complete_min =
			min_u64(spec->iodepth_batch_complete_min, 1) != 0;
		spec->iodepth_batch_complete_max =
			min_u64(spec->iodepth_batch_complete_max, 1) != 0;
		spec->iodepth_low = min_u64(spec->iodepth_low, 1) != 0;
	}
	if (str_equal(spec->ioengine, "libaio") && !spec->direct && spec->iodepth > 1)
		check_warn(check, "iodepth",
			   "libaio without direct=1 waits inside the submission: the depth of "
			   "%" PRIu32 " is not reached",
			   spec->iodepth);
	if (spec->hipri && !spec->direct && str_equal(spec->ioengine, "io_uring")) {
		int rc = check_settle(check, "hipri",
				      "polled requests need direct=1: the kernel refuses them");

		if (rc)
			return rc;
	}
	if (spec->fsync && !spec->rw.does[DIR_WRITE] && check_given(check, "fsync"))
		check_warn(check, "fsync", "without effect: rw=%s writes nothing",
			   spec->rw.text);
	if (spec->fdatasync && !spec->rw.does[DIR_WRITE] && check_given(check, "fdatasync"))
		check_warn(check, "fdatasync", "without effect: rw=%s writes nothing",
			   spec->rw.text);
	return check_batches(check);
}

/* --- time --- */

static int check_thinktime(const struct check *check)
{
	struct job_spec *spec = check->spec;

	if (!spec->thinktime)
		return 0;
	if (spec->thinktime_spin > spec->thinktime) {
		int rc = check_settle(check, "thinktime_spin",
				      "%" PRIu64 " us are more than the thinktime of %" PRIu64
				      " us, which it is a part of: all of it is spun",
				      spec->thinktime_spin / (uint64_t)NS_PER_US,
				      spec->thinktime / (uint64_t)NS_PER_US);
		spec->thinktime_spin = spec->thinktime;
		if (rc)
			return rc;
	}
	if (spec->thinktime_blocks_type == THINK_COMPLETE && spec->thinktime_blocks &&
	    spec->thinktime_blocks < spec->iodepth)
		check_changed(check, "iodepth",
			      "%" PRIu32 " acts as %" PRIu32 ": thinktime waits until each "
			      "thinktime_blocks have completed",
			      spec->iodepth, spec->thinktime_blocks);
	return 0;
}

/* gtod_reduce is a bundle of the disable options. */
static void derive_measurement(const struct check *check)
{
	struct job_spec *spec = check->spec;

	if (!spec->gtod_reduce)
		return;
	check_changed(check, "disable_lat", "gtod_reduce: no latency is measured");
	spec->disable_lat = spec->disable_clat = spec->disable_slat = spec->disable_bw = true;
}

/* In fio a duration alone means iops_slope:0.01%, and a criterion without a duration nothing. */
static int check_steady(const struct check *check)
{
	struct job_spec *spec = check->spec;
	uint64_t steady_ns = spec->steadystate_duration + spec->steadystate_ramp_time;

	if (spec->steadystate.given && !spec->steadystate_duration) {
		int rc = check_settle(check, "steadystate",
				      "looks at no window: add steadystate_duration=60s; it is "
				      "dropped");
		spec->steadystate = (struct steady_spec){0};
		return rc;
	}
	if (spec->steadystate_duration && !spec->steadystate.given)
		spec->steadystate = (struct steady_spec){.given = true,
							 .metric = STEADY_IOPS_SLOPE,
							 .limit = 0.01,
							 .limit_is_percent = true};
	if (spec->steadystate.given && spec->runtime && steady_ns > spec->runtime)
		check_warn(check, "steadystate",
			   "can not be attained: its duration and ramp of %" PRIu64
			   " s are longer than the runtime of %" PRIu64 " s",
			   steady_ns / (uint64_t)NS_PER_S, spec->runtime / (uint64_t)NS_PER_S);
	return 0;
}

int check_time(const struct check *check)
{
	struct job_spec *spec = check->spec;
	int rc;

	if (spec->time_based && !spec->runtime) {
		rc = check_settle(check, "time_based",
				  "has no meaning without a time: add runtime=30s; it is "
				  "dropped");
		spec->time_based = false;
		if (rc)
			return rc;
	}
	derive_measurement(check);
	rc = check_steady(check);
	return rc ? rc : check_thinktime(check);
}

/* Details of what is not asked for. */
static void check_details(const struct check *check)
{
	const struct job_spec *spec = check->spec;
	bool rated = false, least = false;
	bool logged = spec->write_bw_log || spec->write_iops_log || spec->write_lat_log;

	for (int d = 0; d < NDATA; d++) {
		rated |= spec->rate[d] || spec->rate_iops[d];
		least |= spec->rate_min[d] || spec->rate_iops_min[d];
	}
	const struct {
		const char *option, *needs;
		bool has;
	} rules[] = {
		{"rate_process", "rate", rated},
		{"rate_cycle", "rate_min", least},
		{"rate_ignore_thinktime", "rate", rated},
		{"thinktime_spin", "thinktime", spec->thinktime},
		{"thinktime_blocks", "thinktime", spec->thinktime},
		{"thinktime_blocks_type", "thinktime", spec->thinktime},
		{"thinktime_iotime", "thinktime", spec->thinktime},
		{"log_avg_msec", "write_lat_log", logged},
		{"log_window_value", "write_lat_log", logged},
		{"log_offset", "write_lat_log", logged},
		{"log_hist_msec", "write_hist_log", spec->write_hist_log},
		{"log_hist_coarseness", "write_hist_log", spec->write_hist_log},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!rules[i].has && check_given(check, rules[i].option))
			check_warn(check, rules[i].option, "without effect: %s is not set",
				   rules[i].needs);
}

/* --- rate --- */

int check_rate(const struct check *check)
{
	const struct job_spec *spec = check->spec;
	bool bytes = false, ios = false;

	for (int d = 0; d < NDATA; d++) {
		bytes |= spec->rate[d] != 0;
		ios |= spec->rate_iops[d] != 0;
	}
	if (bytes && ios)
		return check_refuse(check, "rate",
				    "and rate_iops exclude each other: take one away");
	for (int d = 0; d < NDATA; d++) {
		if (spec->rate[d] && spec->rate_min[d] > spec->rate[d])
			return check_refuse(check, "rate_min",
					    "%" PRIu64 " is above rate=%" PRIu64
					    ": it could never be met",
					    spec->rate_min[d], spec->rate[d]);
		if (spec->rate_iops[d] && spec->rate_iops_min[d] > spec->rate_iops[d])
			return check_refuse(check, "rate_iops_min",
					    "%" PRIu32 " is above rate_iops=%" PRIu32
					    ": it could never be met",
					    spec->rate_iops_min[d], spec->rate_iops[d]);
	}
	check_details(check);
	return 0;
}
