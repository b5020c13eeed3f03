/* The n-th request fails, comes short or late, for every n: counts, rows, the first error and the
 * exit code agree. Faults are placed by number; no seeds. */
#include "engine/fault.h"

#include "bed.h"

#define REQUESTS 16
#define JOB	 "[j]\nfilename=f\nrw=read\nbs=4k\nsize=64k\nioengine=libaio\niodepth=4\ndirect=0\n"

static struct fault_ops faulty;

static void run_with(struct bed *bed, const struct fault_rule *rule, const char *text)
{
	const struct fault_plan plan = {.rules = rule, .nrules = 1};

	bed_init(bed);
	fault_ops_init(&faulty, engine_find("libaio"), &plan);
	bed->hooks.engine = &faulty.ops;
	assert_int_equal(bed_run(bed, FACE_NATIVE, text), 0);
}

static void end(struct bed *bed)
{
	bed_end_run(bed);
	bed_done(bed);
}

static void assert_rows_sum_to_totals(const struct result *result)
{
	const struct dir_result *read = &result->jobs[0].dir[DIR_READ];
	uint64_t ios = 0, bytes = 0, errors = 0;

	for (unsigned i = 0; i < result->nrows; i++) {
		ios += result->rows[i].dir[DIR_READ].ios;
		bytes += result->rows[i].dir[DIR_READ].bytes;
		errors += result->rows[i].dir[DIR_READ].errors;
	}
	assert_int_equal(ios, read->ios);
	assert_int_equal(bytes, read->bytes);
	assert_int_equal(errors, read->errors);
	assert_int_equal(read->lat[LAT_TOTAL].sums.total, read->ios);
}

static void the_nth_error_ends_the_job_and_is_named(void **state)
{
	(void)state;
	for (uint64_t n = 0; n < REQUESTS; n++) {
		const struct fault_rule rule = {.first = n, .count = 1, .code = EIO};
		const struct job_result *job;
		struct bed bed;

		run_with(&bed, &rule, JOB);
		job = &bed.result.jobs[0];
		assert_int_equal(job->error, EIO);
		assert_int_equal(job->first_error.code, EIO);
		assert_int_equal(job->first_error.offset, n * 4096);
		assert_int_equal(job->dir[DIR_READ].errors, 1);
		/* what was in flight comes back and counts; at most a queue of it */
		assert_in_range(job->dir[DIR_READ].ios, n >= 3 ? n - 3 : 0, n + 3);
		assert_int_equal(job->dir[DIR_READ].bytes, 4096 * job->dir[DIR_READ].ios);
		assert_int_equal(job->nunfinished, 0);
		assert_int_equal(run_exit_code(&bed.result), ERR_IO);
		assert_rows_sum_to_totals(&bed.result);
		end(&bed);
	}
}

static void continue_on_error_does_all_the_others(void **state)
{
	(void)state;
	for (uint64_t n = 0; n < REQUESTS; n++) {
		const struct fault_rule rule = {.first = n, .count = 2, .code = EIO};
		const uint64_t failed = n + 1 < REQUESTS ? 2 : 1;
		const struct job_result *job;
		struct bed bed;

		run_with(&bed, &rule, JOB "continue_on_error=read\n");
		job = &bed.result.jobs[0];
		assert_int_equal(job->error, 0);
		assert_int_equal(job->total_errors, failed);
		assert_int_equal(job->dir[DIR_READ].errors, failed);
		assert_int_equal(job->dir[DIR_READ].ios, REQUESTS - failed);
		assert_int_equal(job->first_error.offset, n * 4096);
		assert_rows_sum_to_totals(&bed.result);
		end(&bed);
	}
}

static void a_short_transfer_is_completed(void **state)
{
	(void)state;
	for (uint64_t n = 0; n < REQUESTS; n += 5) {
		const struct fault_rule rule = {.kind = FAULT_SHORT, .first = n, .count = 1};
		const struct dir_result *read;
		struct bed bed;

		run_with(&bed, &rule, JOB);
		read = &bed.result.jobs[0].dir[DIR_READ];
		assert_int_equal(read->ios, REQUESTS);
		assert_int_equal(read->short_ios, 1);
		assert_int_equal(read->bytes, REQUESTS * 4096);
		assert_rows_sum_to_totals(&bed.result);
		end(&bed);
	}
}

static void shorten_rows(struct job_set *set)
{
	set->options.interval = 20 * NS_PER_MS;
}

static void a_late_request_is_rows_of_zeros_and_the_maximum(void **state)
{
	/* the read of the last request may itself hold up those before it, on a busy disk */
	static const struct fault_rule rule = {
		.kind = FAULT_DELAY, .first = REQUESTS - 1, .delay_ns = NS_PER_S};
	const struct fault_plan plan = {.rules = &rule, .nrules = 1};
	unsigned zeros = 0;
	struct bed bed;

	(void)state;
	bed_init(&bed);
	fault_ops_init(&faulty, engine_find("libaio"), &plan);
	bed.hooks.engine = &faulty.ops;
	assert_int_equal(bed_run_with(&bed, FACE_NATIVE, JOB, shorten_rows), 0);
	for (unsigned i = 0; i < bed.result.nrows; i++) {
		const struct row *row = &bed.result.rows[i];

		assert_int_equal(row->begin_ns, i * 20 * NS_PER_MS);
		zeros += row->dir[DIR_READ].ios == 0;
		if (result_row_is_idle(&bed.result, row))
			assert_false(row->ramp); /* it was measured, and is a figure */
	}
	assert_true(zeros >= 10);
	/* the fault waits by the kernel's clock; stamps may differ by what is not yet a note */
	assert_true(bed.result.jobs[0].dir[DIR_READ].lat[LAT_TOTAL].sums.max_ns >=
		    NS_PER_S - NS_PER_S / 2000);
	assert_rows_sum_to_totals(&bed.result);
	end(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nth_error_ends_the_job_and_is_named),
		cmocka_unit_test(continue_on_error_does_all_the_others),
		cmocka_unit_test(a_short_transfer_is_completed),
		cmocka_unit_test(a_late_request_is_rows_of_zeros_and_the_maximum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
