/* What a run hands over while it goes on: never more than it has in the end, and final rows are
 * those of the end. */
#include "bed.h"

#define LOOKS_MAX 200

/* What each look found, and what it must not have done to the run. */
struct looks {
	unsigned count, nrows;
	struct run_had had;
	float degrees[LOOKS_MAX];
	uint64_t row_ios[LOOKS_MAX], ios[LOOKS_MAX], span_ns[LOOKS_MAX];
	bool refuse;
};

static int on_journal(void *context, const struct run *run, struct err *err)
{
	struct looks *looks = context;
	unsigned at = looks->count++;
	struct result so_far;

	if (looks->refuse)
		return err_env(err, -ENOSPC, "the store is full");
	assert_true(at < LOOKS_MAX);
	run_so_far(run, &looks->had, &so_far);
	assert_int_equal(so_far.njobs, 1); /* two clones, one group */
	looks->ios[at] = so_far.jobs[0].dir[DIR_READ].ios;
	looks->span_ns[at] = so_far.jobs[0].whole_end_ns - so_far.jobs[0].whole_begin_ns;
	if (at == 0) {
		assert_int_equal(looks->ios[0], 0);
		assert_int_equal(so_far.nrows, 0);
	}
	for (unsigned i = 0; i < so_far.nrows; i++) {
		assert_int_equal(so_far.rows[i].begin_ns,
				 (looks->nrows + i) * so_far.interval_ns);
		looks->row_ios[looks->nrows + i] = so_far.rows[i].dir[DIR_READ].ios;
		assert_non_null(result_interval_hist(&so_far, i, DIR_READ)->blob);
	}
	looks->nrows = looks->had.rows += so_far.nrows;
	if (so_far.vitals.nrows) {
		assert_int_equal(so_far.vitals.first_row, looks->had.vital_rows);
		for (unsigned i = 0; i < so_far.vitals.nrows; i++)
			looks->degrees[looks->had.vital_rows++] = so_far.vitals.values[i];
		looks->had.vital_step_ns = so_far.vitals.step_ns;
	}
	result_done(&so_far);
	return 0;
}

static const char job[] = "[a]\nfilename=sim:nvme-enterprise,size=64m\nrw=randread\nbs=4k\n"
			  "numjobs=2\ntime_based=1\nruntime=5s\n";

static void each_look_has_a_bit_more_and_the_end_has_all(void **state)
{
	struct looks looks = {0};
	struct bed bed;

	(void)state;
	bed_init(&bed);
	bed.hooks = (struct run_hooks){.journal = on_journal, .journal_context = &looks};
	if (bed_run(&bed, FACE_NATIVE, job))
		fail_msg("%s", bed.err.text);
	assert_true(looks.count >= 5);
	assert_true(looks.nrows >= 4);
	for (unsigned i = 1; i < looks.count; i++) {
		assert_true(looks.ios[i] >= looks.ios[i - 1]);
		assert_true(looks.span_ns[i] >= looks.span_ns[i - 1]);
	}
	assert_true(looks.ios[looks.count - 1] > 0);
	assert_true(looks.ios[looks.count - 1] <= bed.result.jobs[0].dir[DIR_READ].ios +
							  bed.result.jobs[1].dir[DIR_READ].ios);
	assert_true(looks.span_ns[looks.count - 1] <= bed.result.span_ns);
	for (unsigned i = 0; i < looks.nrows; i++)
		assert_int_equal(looks.row_ios[i], bed.result.rows[i].dir[DIR_READ].ios);
	assert_true(looks.had.vital_rows >= 4);
	assert_memory_equal(looks.degrees, bed.result.vitals.values,
			    looks.had.vital_rows * sizeof(*looks.degrees));
	bed_end_run(&bed);
	bed_done(&bed);
}

static void a_head_that_is_refused_ends_the_run_before_it_begins(void **state)
{
	struct looks looks = {.refuse = true};
	struct bed bed;

	(void)state;
	bed_init(&bed);
	bed.hooks = (struct run_hooks){.journal = on_journal, .journal_context = &looks};
	assert_int_equal(bed_run(&bed, FACE_NATIVE, job), -ENOSPC);
	assert_string_equal(bed.err.text, "the store is full");
	assert_int_equal(looks.count, 1);
	bed_end_run(&bed);
	bed_done(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_look_has_a_bit_more_and_the_end_has_all),
		cmocka_unit_test(a_head_that_is_refused_ends_the_run_before_it_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
