/* One group of jobs as JSON: its figures by direction, and what it cost. */
#include <stdio.h>

#include "base/bits.h"
#include "base/err.h"
#include "result/figure.h"
#include "result/native_json_priv.h"

const char *const json_lat_names[NLAT] = {
	[LAT_SLAT] = "submission",
	[LAT_CLAT] = "completion",
	[LAT_TOTAL] = "service",
	[LAT_RESPONSE] = "response",
};

const char *const json_rates_over[2] = {"common", "whole"};

static const double percents[] = {1,  5,  10,	25,   50,    75,     90,
				  95, 99, 99.5, 99.9, 99.99, 99.999, 99.9999};

static const char *percent_key(char *text, size_t size_bytes, double percent)
{
	(void)snprintf(text, size_bytes, "%.10g", percent);
	return text;
}

static void percentiles(struct json *json, const struct lat *lat)
{
	char key[32];

	json_open_object(json, "percentiles_ns");
	for (unsigned i = 0; i < ARRAY_SIZE(percents); i++) {
		uint64_t ns;

		if (figure_percentile_ns(lat, percents[i], &ns))
			json_add_u64(json, percent_key(key, sizeof(key), percents[i]), ns);
		else
			json_add_null(json, percent_key(key, sizeof(key), percents[i]));
	}
	json_close_object(json);
	json_open_object(json, "needs");
	for (unsigned i = 0; i < ARRAY_SIZE(percents); i++)
		if (!hist_percentile_is_sound(lat->sums.total, percents[i]))
			json_add_u64(json, percent_key(key, sizeof(key), percents[i]),
				     hist_needs(percents[i]));
	json_close_object(json);
}

/* Of an import: is any of ours among those that were told, and sound? */
static bool tells_percentile(const struct lat *lat)
{
	uint64_t ns;

	for (unsigned i = 0; i < ARRAY_SIZE(percents) && lat->ntold; i++)
		if (figure_percentile_ns(lat, percents[i], &ns))
			return true;
	return false;
}

static void histogram(struct json *json, const struct hist *hist)
{
	json_open_array(json, "histogram");
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		char bucket[80];

		if (!hist->count[i])
			continue;
		(void)snprintf(bucket, sizeof(bucket), "[%llu, %llu, %llu]",
			       (unsigned long long)hist_low_ns(i),
			       (unsigned long long)hist_width_ns(i),
			       (unsigned long long)hist->count[i]);
		json_add_raw(json, NULL, bucket);
	}
	json_close_array(json);
}

static void latency(struct json *json, const char *key, const struct lat *lat, bool whole)
{
	double mean_ns = hist_sums_mean_ns(&lat->sums);

	if (!lat->sums.total) {
		json_add_null(json, key);
		return;
	}
	json_open_object(json, key);
	json_add_u64(json, "samples", lat->sums.total);
	json_add_u64(json, "min_ns", lat->sums.min_ns);
	json_add_u64(json, "max_ns", lat->sums.max_ns);
	if (lat->sums.sum_ns <= INT64_MAX) /* what readers of JSON hold as an integer */
		json_add_u64(json, "sum_ns", (uint64_t)lat->sums.sum_ns);
	else
		json_add_null(json, "sum_ns");
	json_add_double(json, "mean_ns", mean_ns);
	if (lat->hist && whole) {
		json_add_double(json, "deviation_ns", hist_deviation_ns(lat->hist, mean_ns));
		percentiles(json, lat);
		histogram(json, lat->hist);
	} else if (tells_percentile(lat)) {
		percentiles(json, lat);
	}
	json_close_object(json);
}

static void direction(struct json *json, const struct job_result *group, enum dir dir,
		      bool whole)
{
	const struct dir_result *figures = &group->dir[dir];
	struct rate rate = result_rate(group, dir);

	json_open_object(json, figure_dir_names[dir]);
	json_add_u64(json, "ios", figures->ios);
	json_add_u64(json, "bytes", figures->bytes);
	json_add_u64(json, "runtime_ns", figures->runtime_ns);
	json_add_double(json, "ios_per_s", rate.ios_per_s);
	json_add_double(json, "bytes_per_s", rate.bytes_per_s);
	json_add_u64(json, "short_ios", figures->short_ios);
	json_add_u64(json, "errors", figures->errors);
	json_open_object(json, "latency");
	for (unsigned kind = 0; kind < NLAT; kind++)
		latency(json, json_lat_names[kind], &figures->lat[kind], whole);
	json_close_object(json);
	json_close_object(json);
}

static void costs(struct json *json, const struct job_result *group)
{
	json_open_object(json, "cpu");
	json_add_u64(json, "user_ns", group->user_ns);
	json_add_u64(json, "system_ns", group->sys_ns);
	json_add_u64(json, "beyond_its_threads_ns", group->beyond_ns);
	if (figure_total_ios(group))
		json_add_double(json, "per_io_ns", figure_cpu_ns_per_io(group));
	else
		json_add_null(json, "per_io_ns");
	json_add_u64(json, "context_switches", group->switches);
	json_add_u64(json, "major_faults", group->major_faults);
	json_add_u64(json, "minor_faults", group->minor_faults);
	json_add_double(json, "core_busy_max_percent", group->core_busy_max_percent);
	json_close_object(json);
}

static void buckets(struct json *json, const char *key, const uint64_t *counts, unsigned count)
{
	json_open_array(json, key);
	for (unsigned i = 0; i < count; i++)
		json_add_u64(json, NULL, counts[i]);
	json_close_array(json);
}

static void depth(struct json *json, const struct job_result *group)
{
	json_open_object(json, "depth");
	json_add_u64(json, "asked", (uint64_t)group->spec->iodepth * group->members);
	json_add_double(json, "mean", group->depth_mean);
	buckets(json, "submissions_at_1_2_4_8_16_32_64", group->depth, DEPTH_BUCKETS);
	buckets(json, "per_submit_call_0_4_8_16_32_64_more", group->submit, BATCH_BUCKETS);
	buckets(json, "per_complete_call_0_4_8_16_32_64_more", group->complete, BATCH_BUCKETS);
	json_close_object(json);
}

static void request(struct json *json, const char *key, enum op op, uint64_t offset,
		    uint32_t bytes)
{
	json_open_object(json, key);
	json_add_string(json, "operation", json_op_names[op]);
	json_add_u64(json, "offset_bytes", offset);
	json_add_u64(json, "length_bytes", bytes);
}

static void failures(struct json *json, const struct job_result *group)
{
	const struct first_error *first = &group->first_error;

	json_add_u64(json, "total_errors", group->total_errors);
	if (group->error)
		json_add_i64(json, "ended_by_errno", group->error);
	else
		json_add_null(json, "ended_by_errno");
	if (group->killed_by)
		json_add_i64(json, "killed_by_signal", group->killed_by);
	else
		json_add_null(json, "killed_by_signal");
	json_add_bool(json, "stopped_by_write_limit", group->stopped_by_limit);
	if (first->code) {
		request(json, "first_error", first->op, first->offset, first->bytes);
		json_add_i64(json, "errno", first->code);
		json_add_string(json, "text", err_name(first->code));
		json_add_text(json, "path", first->path);
		json_close_object(json);
	} else {
		json_add_null(json, "first_error");
	}
	json_open_array(json, "unfinished");
	for (unsigned i = 0; i < group->nunfinished; i++) {
		const struct unfinished *one = &group->unfinished[i];

		request(json, NULL, one->op, one->offset, one->bytes);
		json_add_u64(json, "age_ns", one->age_ns);
		json_add_text(json, "path", one->path);
		json_close_object(json);
	}
	json_close_array(json);
}

static void steady(struct json *json, const struct steady_result *steady)
{
	if (!steady) {
		json_add_null(json, "steady_state");
		return;
	}
	json_open_object(json, "steady_state");
	json_add_bool(json, "attained", steady->attained);
	json_add_double(json, "criterion", steady->criterion);
	json_add_bool(json, "criterion_is_percent", steady->criterion_is_percent);
	json_add_double(json, "max_deviation", steady->max_deviation);
	json_add_double(json, "slope", steady->slope);
	json_add_u64(json, "samples", steady->samples);
	json_add_double(json, "mean_ios_per_s", steady->iops_mean);
	json_add_double(json, "mean_bytes_per_s", steady->bw_mean);
	json_add_double(json, "mean_latency_ns", steady->lat_mean_ns);
	json_close_object(json);
}

static void arrivals(struct json *json, const struct job_result *group, bool whole)
{
	if (!group->arrivals_due) {
		json_add_null(json, "arrivals");
		return;
	}
	json_open_object(json, "arrivals");
	json_add_u64(json, "due", group->arrivals_due);
	json_add_u64(json, "done", figure_total_ios(group));
	json_add_double(json, "keep_up_ratio",
			(double)figure_total_ios(group) / (double)group->arrivals_due);
	latency(json, "lateness", &group->lateness, whole);
	json_close_object(json);
}

void native_json_group(struct json *json, const struct job_result *group, bool whole)
{
	json_open_object(json, NULL);
	json_add_string(json, "name", group->name);
	json_add_u64(json, "job_number", group->spec->number);
	json_add_u64(json, "members", group->members);
	json_add_bool(json, "processes", group->as_process);
	json_add_text(json, "engine", group->engine_about);
	json_add_text(json, "files", group->files);
	json_add_text(json, "data_written", group->fill_about);
	json_add_u64(json, "common_begin_ns", group->begin_ns);
	json_add_u64(json, "common_end_ns", group->end_ns);
	json_add_u64(json, "whole_begin_ns", group->whole_begin_ns);
	json_add_u64(json, "whole_end_ns", group->whole_end_ns);
	json_add_string(json, "rates_over", json_rates_over[group->rated_whole]);
	json_add_u64(json, "elapsed_with_ramp_ns", group->elapsed_ns);
	json_add_u64(json, "ramp_ios", group->ramp_ios);
	for (enum dir dir = DIR_READ; dir < NDIR; dir++)
		direction(json, group, dir, whole);
	arrivals(json, group, whole);
	depth(json, group);
	costs(json, group);
	failures(json, group);
	steady(json, group->steady);
	json_close_object(json);
}
