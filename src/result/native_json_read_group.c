/* One group of jobs from its JSON. */
#include <stdlib.h>

#include "base/bits.h"
#include "result/figure.h"
#include "result/native_json_priv.h"
#include "result/native_json_read_priv.h"

/* The three numbers of a bucket must be one of ours. */
static void read_histogram(struct json_reader *reader, const json_t *object, struct lat *lat)
{
	const json_t *buckets = json_read_array(reader, object, "histogram");

	if (!buckets)
		return;
	lat->hist = arena_new(reader->arena, struct hist);
	for (size_t i = 0; i < json_array_size(buckets); i++) {
		const json_t *bucket = json_array_get(buckets, i);
		json_int_t low = json_integer_value(json_array_get(bucket, 0));
		json_int_t width = json_integer_value(json_array_get(bucket, 1));
		json_int_t count = json_integer_value(json_array_get(bucket, 2));
		unsigned index = low < 0 ? 0 : hist_index((uint64_t)low);

		if (low < 0 || count <= 0 || hist_low_ns(index) != (uint64_t)low ||
		    hist_width_ns(index) != (uint64_t)width) {
			(void)json_read_fail(reader, "histogram",
					     "has a bucket that is not one of assay's");
			return;
		}
		lat->hist->count[index] += (uint64_t)count;
	}
}

void json_read_told(struct json_reader *reader, const json_t *percentiles, struct lat *lat,
		    double unit_ns)
{
	size_t count = json_object_size(percentiles);
	struct told_percentile *told;
	const json_t *value;
	const char *key;

	if (!count)
		return;
	lat->told = told = arena_array(reader->arena, struct told_percentile, count);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): only const is cast away */
	json_object_foreach((json_t *)(uintptr_t)percentiles, key, value)
	{
		double ns = json_number_value(value) * unit_ns;

		if (json_is_number(value) && ns >= 0 && ns < 0x1p63)
			told[lat->ntold++] =
				(struct told_percentile){strtod(key, NULL), (uint64_t)ns};
	}
}

static void read_latency(struct json_reader *reader, const json_t *object, const char *key,
			 struct lat *ret_lat)
{
	const json_t *one = json_read_object(reader, object, key);
	struct hist_sums *sums = &ret_lat->sums;

	*ret_lat = (struct lat){0};
	if (!one)
		return;
	sums->total = json_read_u64(reader, one, "samples");
	sums->min_ns = json_read_u64(reader, one, "min_ns");
	sums->max_ns = json_read_u64(reader, one, "max_ns");
	sums->sum_ns = json_read_u64(reader, one, "sum_ns");
	if (!sums->sum_ns) {
		double sum = json_read_double(reader, one, "mean_ns") * (double)sums->total;

		if (!(sum >= 0) || sum > 0x1p126)
			(void)json_read_fail(reader, "mean_ns", "is no latency");
		else
			sums->sum_ns = (unsigned __int128)sum;
	}
	read_histogram(reader, one, ret_lat);
	if (!ret_lat->hist)
		json_read_told(reader, json_read_object(reader, one, "percentiles_ns"), ret_lat,
			       1);
	if (ret_lat->hist && hist_total(ret_lat->hist) != sums->total)
		(void)json_read_fail(reader, "histogram", "does not add up to \"samples\"");
}

static void read_direction(struct json_reader *reader, const json_t *group, enum dir dir,
			   struct dir_result *ret_dir)
{
	const json_t *one = json_read_object(reader, group, figure_dir_names[dir]);
	const json_t *latency = json_read_object(reader, one, "latency");

	*ret_dir = (struct dir_result){
		.ios = json_read_u64(reader, one, "ios"),
		.bytes = json_read_u64(reader, one, "bytes"),
		.short_ios = json_read_u64(reader, one, "short_ios"),
		.errors = json_read_u64(reader, one, "errors"),
		.runtime_ns = json_read_u64(reader, one, "runtime_ns"),
		.group_ios_per_s = json_read_double(reader, one, "ios_per_s"),
		.group_bytes_per_s = json_read_double(reader, one, "bytes_per_s"),
	};
	for (unsigned kind = 0; kind < NLAT; kind++)
		read_latency(reader, latency, json_lat_names[kind], &ret_dir->lat[kind]);
}

static void read_buckets(struct json_reader *reader, const json_t *object, const char *key,
			 uint64_t *ret_counts, unsigned count)
{
	const json_t *array = json_read_array(reader, object, key);

	for (unsigned i = 0; i < count; i++) {
		json_int_t value = json_integer_value(json_array_get(array, i));

		if (value < 0)
			(void)json_read_fail(reader, key, "has a negative count");
		ret_counts[i] = value < 0 ? 0 : (uint64_t)value;
	}
}

static void read_cost(struct json_reader *reader, const json_t *group, struct job_result *job)
{
	const json_t *cpu = json_read_object(reader, group, "cpu");
	const json_t *depth = json_read_object(reader, group, "depth");

	job->user_ns = json_read_u64(reader, cpu, "user_ns");
	job->sys_ns = json_read_u64(reader, cpu, "system_ns");
	job->beyond_ns = json_read_u64(reader, cpu, "beyond_its_threads_ns");
	job->switches = json_read_u64(reader, cpu, "context_switches");
	job->major_faults = json_read_u64(reader, cpu, "major_faults");
	job->minor_faults = json_read_u64(reader, cpu, "minor_faults");
	job->core_busy_max_percent = json_read_double(reader, cpu, "core_busy_max_percent");
	job->depth_mean = json_read_double(reader, depth, "mean");
	read_buckets(reader, depth, "submissions_at_1_2_4_8_16_32_64", job->depth,
		     DEPTH_BUCKETS);
	read_buckets(reader, depth, "per_submit_call_0_4_8_16_32_64_more", job->submit,
		     BATCH_BUCKETS);
	read_buckets(reader, depth, "per_complete_call_0_4_8_16_32_64_more", job->complete,
		     BATCH_BUCKETS);
}

static void read_failures(struct json_reader *reader, const json_t *group,
			  struct job_result *job)
{
	const json_t *first = json_read_object(reader, group, "first_error");
	const json_t *all = json_read_array(reader, group, "unfinished");
	unsigned count = (unsigned)json_array_size(all);

	job->total_errors = json_read_u64(reader, group, "total_errors");
	job->error = (int)json_read_i64(reader, group, "ended_by_errno");
	job->killed_by = (int)json_read_i64(reader, group, "killed_by_signal");
	job->stopped_by_limit = json_read_bool(reader, group, "stopped_by_write_limit");
	if (first)
		job->first_error = (struct first_error){
			.code = (int)json_read_i64(reader, first, "errno"),
			.op = (enum op)json_read_word(reader, first, "operation", json_op_names,
						      OP_FDATASYNC + 1),
			.offset = json_read_u64(reader, first, "offset_bytes"),
			.bytes = json_read_u32(reader, first, "length_bytes"),
			.path = json_read_text(reader, first, "path"),
		};
	job->unfinished = arena_array(reader->arena, struct unfinished, count + 1);
	job->nunfinished = count;
	for (unsigned i = 0; i < count; i++) {
		const json_t *one = json_array_get(all, i);

		job->unfinished[i] = (struct unfinished){
			.op = (enum op)json_read_word(reader, one, "operation", json_op_names,
						      OP_FDATASYNC + 1),
			.offset = json_read_u64(reader, one, "offset_bytes"),
			.bytes = json_read_u32(reader, one, "length_bytes"),
			.age_ns = json_read_u64(reader, one, "age_ns"),
			.path = json_read_text(reader, one, "path"),
		};
	}
}

static void read_steady(struct json_reader *reader, const json_t *group, struct job_result *job)
{
	const json_t *one = json_read_object(reader, group, "steady_state");

	if (!one)
		return;
	job->steady = arena_new(reader->arena, struct steady_result);
	*job->steady = (struct steady_result){
		.attained = json_read_bool(reader, one, "attained"),
		.criterion = json_read_double(reader, one, "criterion"),
		.criterion_is_percent = json_read_bool(reader, one, "criterion_is_percent"),
		.max_deviation = json_read_double(reader, one, "max_deviation"),
		.slope = json_read_double(reader, one, "slope"),
		.samples = json_read_u32(reader, one, "samples"),
		.iops_mean = json_read_double(reader, one, "mean_ios_per_s"),
		.bw_mean = json_read_double(reader, one, "mean_bytes_per_s"),
		.lat_mean_ns = json_read_double(reader, one, "mean_latency_ns"),
	};
}

void native_json_read_group(struct json_reader *reader, const json_t *group,
			    const struct job_set *set, struct job_result *ret_job)
{
	const json_t *arrivals = json_read_object(reader, group, "arrivals");
	uint64_t number = json_read_u64(reader, group, "job_number");
	struct job_result *job = ret_job;

	if (number >= set->njobs) {
		(void)json_read_fail(reader, "job_number", "is none of options.jobs");
		return;
	}
	*job = (struct job_result){
		.spec = set->jobs[number],
		.name = json_read_text(reader, group, "name"),
		.members = json_read_u32(reader, group, "members"),
		.as_process = json_read_bool(reader, group, "processes"),
		.engine_about = json_read_text(reader, group, "engine"),
		.files = json_read_text(reader, group, "files"),
		.fill_about = json_read_text(reader, group, "data_written"),
		.begin_ns = json_read_u64(reader, group, "common_begin_ns"),
		.end_ns = json_read_u64(reader, group, "common_end_ns"),
		.whole_begin_ns = json_read_u64(reader, group, "whole_begin_ns"),
		.whole_end_ns = json_read_u64(reader, group, "whole_end_ns"),
		.elapsed_ns = json_read_u64(reader, group, "elapsed_with_ramp_ns"),
		.ramp_ios = json_read_u64(reader, group, "ramp_ios"),
		.arrivals_due = json_read_u64(reader, arrivals, "due"),
	};
	job->rated_whole = json_object_get(group, "rates_over") && /* older results have none */
			   json_read_word(reader, group, "rates_over", json_rates_over, 2) == 1;
	if (!job->name)
		job->name = "";
	if (job->whole_end_ns < job->whole_begin_ns)
		(void)json_read_fail(reader, "whole_end_ns", "lies before whole_begin_ns");
	if (job->end_ns < job->begin_ns)
		(void)json_read_fail(reader, "common_end_ns", "lies before common_begin_ns");
	for (enum dir dir = DIR_READ; dir < NDIR; dir++)
		read_direction(reader, group, dir, &job->dir[dir]);
	read_latency(reader, arrivals, "lateness", &job->lateness);
	read_cost(reader, group, job);
	read_failures(reader, group, job);
	read_steady(reader, group, job);
}
