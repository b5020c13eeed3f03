/*
 * Logs of a run: which files come, and that every request is a row. How a row looks is trace/'s,
 * and tested there. No seeds: sequential.
 */
#include "result/result.h"

#include "bed.h"

#define REQUESTS 64
#define JOB	 "[j]\nfilename=f\nrw=write\nbs=4k\nsize=256k\nioengine=psync\n"

static unsigned lines_of(const char *path, char ret_first[200])
{
	FILE *file = fopen(path, "re");
	char line[200];
	unsigned n = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (!n && ret_first)
			memcpy(ret_first, line, sizeof(line));
		n += strchr(line, '\n') != NULL; /* a histogram's row is longer */
	}
	(void)fclose(file);
	return n;
}

static unsigned commas(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == ',';
	return n;
}

static void run_job(struct bed *bed, enum face face, const char *options)
{
	autostr text = {0};

	str_printf(&text, "%s%s", JOB, options);
	bed_init(bed);
	if (bed_run(bed, face, str_text(&text)))
		fail_msg("%s", bed->err.text);
}

static void end(struct bed *bed)
{
	bed_end_run(bed);
	bed_done(bed);
}

static void every_request_is_a_row_of_each_kind(void **state)
{
	static const struct {
		const char *options;
		unsigned columns;
	} cases[] = {
		{"", 5},
		{"log_offset=1\n", 6},
		{"log_prio=1\nprioclass=2\nprio=3\n", 5},
		{"log_offset=1\nlog_issue_time=1\n", 7},
		{"log_alternate_epoch=1\n", 5},
		{"iodepth=4\nioengine=libaio\n", 5},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		autostr options = {0};
		char first[200] = "";
		struct bed bed;

		str_printf(&options, "write_lat_log=l\n%s", cases[i].options);
		run_job(&bed, FACE_FIO, str_text(&options));
		assert_int_equal(lines_of("l_lat.1.log", first), REQUESTS);
		assert_int_equal(commas(first) + 1, cases[i].columns);
		assert_int_equal(lines_of("l_clat.1.log", NULL), REQUESTS);
		assert_int_equal(lines_of("l_slat.1.log", NULL),
				 strstr(cases[i].options, "libaio") ? REQUESTS : 0);
		end(&bed);
	}
}

static void windows_are_means_or_maxima(void **state)
{
	static const char *const kinds[] = {"", "log_window_value=1\n",
					    "log_window_value=both\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		autostr options = {0};
		struct bed bed;
		unsigned rows;

		str_printf(&options,
			   "write_lat_log=l\nwrite_bw_log=b\nwrite_iops_log=i\n"
			   "log_avg_msec=25\nrate_iops=400\n%s",
			   kinds[i]);
		run_job(&bed, FACE_FIO, str_text(&options));
		rows = lines_of("l_lat.1.log", NULL); /* 160 ms of requests */
		assert_in_range(rows, 2, 10);
		assert_in_range(lines_of("b_bw.1.log", NULL), 1, 10);
		assert_in_range(lines_of("i_iops.1.log", NULL), 1, 10);
		end(&bed);
	}
}

static void histograms_are_logged(void **state)
{
	struct bed bed;

	(void)state;
	run_job(&bed, FACE_FIO,
		"write_hist_log=h\nlog_hist_msec=25\nlog_hist_coarseness=2\nrate_iops=400\n");
	assert_in_range(lines_of("h_clat_hist.1.log", NULL), 1, 10);
	end(&bed);
}

static void clones_have_their_own_logs_or_share_one(void **state)
{
	struct bed bed;

	(void)state;
	run_job(&bed, FACE_FIO, "numjobs=2\nwrite_lat_log=l\n");
	assert_int_equal(lines_of("l_lat.1.log", NULL), REQUESTS);
	assert_int_equal(lines_of("l_lat.2.log", NULL), REQUESTS);
	end(&bed);
	run_job(&bed, FACE_FIO, "numjobs=2\nwrite_lat_log=l\nper_job_logs=0\n");
	assert_int_equal(lines_of("l_lat.log", NULL), 2 * REQUESTS);
	assert_int_equal(lines_of("l_lat.1.log", NULL), 0);
	end(&bed);
}

static void the_native_face_writes_blocks_unless_text_is_asked_for(void **state)
{
	char first[200] = "";
	struct bed bed;

	(void)state;
	run_job(&bed, FACE_NATIVE, "write_lat_log=l\n");
	assert_true(access("l_lat.1.log", F_OK) != 0 ||
		    lines_of("l_lat.1.log", NULL) != REQUESTS);
	end(&bed);
	run_job(&bed, FACE_NATIVE, "write_lat_log=l\nlog_format=fio\n");
	assert_int_equal(lines_of("l_lat.1.log", first), REQUESTS);
	end(&bed);
}

static void a_log_that_cannot_be_made_stops_the_run_before_it_begins(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	assert_int_not_equal(bed_run(&bed, FACE_NATIVE, JOB "write_lat_log=no/such/folder/l\n"),
			     0);
	assert_int_equal(bed.err.kind, ERR_ENVIRONMENT);
	assert_non_null(strstr(bed.err.text, "no/such/folder"));
	assert_int_not_equal(access("f", F_OK), 0); /* the data file was not made either */
	end(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_request_is_a_row_of_each_kind),
		cmocka_unit_test(windows_are_means_or_maxima),
		cmocka_unit_test(histograms_are_logged),
		cmocka_unit_test(clones_have_their_own_logs_or_share_one),
		cmocka_unit_test(the_native_face_writes_blocks_unless_text_is_asked_for),
		cmocka_unit_test(a_log_that_cannot_be_made_stops_the_run_before_it_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
