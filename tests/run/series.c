/* The series of a run: the histograms of its intervals are its histogram, to the last count. */
#include "bed.h"

#include <math.h>

#include "result/codec.h"
#include "run/row_hist.h"

static void narrow(struct job_set *set)
{
	set->options.interval = 20 * NS_PER_MS;
}

static void check_sums(const struct result *result)
{
	for (unsigned d = 0; d < NDATA; d++) {
		struct hist *rows = calloc(1, sizeof(*rows)),
			    *whole = calloc(1, sizeof(*whole));

		for (unsigned i = 0; i < result->nrows; i++) {
			const struct interval_hist *hist =
				result_interval_hist(result, i, (enum dir)d);

			if (result->rows[i].ramp)
				assert_null(hist->blob);
			if (hist->blob)
				assert_int_equal(
					codec_hist_merge(hist->blob, hist->bytes, rows), 0);
		}
		for (unsigned j = 0; j < result->njobs; j++) {
			const struct lat *lat =
				&result->jobs[j].dir[d].lat[result->series_kind];

			if (lat->hist)
				hist_merge(whole, lat->hist);
		}
		assert_true(hist_total(whole) > 0 || d == DIR_TRIM);
		assert_memory_equal(rows, whole, sizeof(*rows));
		free(rows);
		free(whole);
	}
}

static void intervals_make_the_whole(void **state)
{
	static const char *const jobs[] = {
		"ramp_time=110ms\n",
		"ramp_time=110ms\n[late]\nstartdelay=90ms\nramp_time=30ms\n",
		"rate_iops=3000\nramp_time=50ms\n",
		"iodepth=64\nnumjobs=3\n",
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(jobs); i++) {
		struct bed bed;
		char text[512];

		bed_init(&bed);
		(void)snprintf(text, sizeof(text),
			       "[global]\nioengine=null\nsize=1g\nrw=randrw\nbs=4k\n"
			       "time_based=1\nruntime=250ms\n[j]\n%s",
			       jobs[i]);
		assert_int_equal(bed_run_with(&bed, FACE_NATIVE, text, narrow), 0);
		assert_int_equal(bed.result.series_kind, i == 2 ? LAT_RESPONSE : LAT_TOTAL);
		check_sums(&bed.result);
		bed_end_run(&bed);
		bed_done(&bed);
	}
}

/* A result of one row, nothing in it yet. */
static void one_row(struct result *result, struct row *row)
{
	result_init(result, NULL);
	*row = (struct row){.end_ns = NS_PER_S};
	result->interval_ns = NS_PER_S;
	result->rows = row;
	result->nrows = result->rows_room = 1;
}

/* Of a worker that hung or was late. */
static void what_comes_late_joins_its_row(void **state)
{
	struct hist *hist = calloc(1, sizeof(*hist)), *back = calloc(1, sizeof(*back));
	uint32_t count[HIST_BUCKETS] = {0};
	struct tally_lat late = {.count = count, .min_ns = UINT64_MAX};
	const struct interval_hist *kept;
	const struct row_dir *dir;
	struct hist_sums sums;
	struct result result;
	struct row row;

	(void)state;
	one_row(&result, &row);
	dir = &row.dir[DIR_WRITE];
	hist_sums_init(&sums);
	for (uint64_t ns = 1000; ns < 3000; ns++) {
		hist_add(hist, ns, 1);
		hist_sums_add(&sums, ns, 1);
	}
	row_hist_close(&result, 0, DIR_WRITE, hist, &sums);
	row_hist_keep(&result, 0, DIR_WRITE, hist);
	assert_int_equal(dir->max_ns, 2999);
	for (uint64_t ns = 1 << 20; ns < (1 << 20) + 2000; ns++) {
		tally_add(&late, ns, 1);
		hist_add(hist, ns, 1);
		hist_sums_add(&sums, ns, 1);
	}
	row_hist_amend(&result, 0, DIR_WRITE, &late);
	kept = result_interval_hist(&result, 0, DIR_WRITE);
	assert_int_equal(codec_hist_merge(kept->blob, kept->bytes, back), 0);
	assert_memory_equal(back, hist, sizeof(*hist));
	assert_int_equal(dir->max_ns, sums.max_ns);
	assert_int_equal(dir->p99_ns, hist_percentile_ns(hist, 99));
	assert_true(fabs(dir->mean_ns - hist_sums_mean_ns(&sums)) < 1);
	result_done(&result);
	free(hist);
	free(back);
}

/* A row that holds nothing but late requests. */
static void an_empty_row_takes_late_ones(void **state)
{
	uint32_t count[HIST_BUCKETS] = {0};
	struct tally_lat late = {.count = count, .min_ns = UINT64_MAX};
	struct result result;
	struct row row;

	(void)state;
	one_row(&result, &row);
	tally_add(&late, 77, 5);
	row_hist_amend(&result, 0, DIR_READ, &late);
	assert_non_null(result_interval_hist(&result, 0, DIR_READ)->blob);
	assert_int_equal(row.dir[DIR_READ].p50_ns, 77);
	assert_true(fabs(row.dir[DIR_READ].mean_ns - 77) < 1e-9);
	result_done(&result);
}

static void too_many_histograms_are_cut_and_said(void **state)
{
	struct hist *hist = calloc(1, sizeof(*hist));
	struct result result;
	struct row row;

	(void)state;
	one_row(&result, &row);
	result.series_bytes = SERIES_BYTES_MAX - 1;
	hist_add(hist, 1234, 5);
	for (unsigned i = 0; i < 3; i++)
		row_hist_keep(&result, 0, DIR_READ, hist);
	assert_null(result_interval_hist(&result, 0, DIR_READ)->blob);
	assert_null(result_interval_hist(&result, 4711, DIR_READ)->blob);
	assert_int_equal(result.nnotes, 1);
	assert_string_equal(result.notes[0].id, "series-cut");
	result_done(&result);
	free(hist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_make_the_whole),
		cmocka_unit_test(what_comes_late_joins_its_row),
		cmocka_unit_test(an_empty_row_takes_late_ones),
		cmocka_unit_test(too_many_histograms_are_cut_and_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
