/*
 * fio's small texts: numbers, the lines before the report, the live line, and what we add to
 * its output. The expected texts are what Debian's fio 3.33 printed for these values.
 */
#include <string.h>

#include "base/bits.h"
#include "report/fio_eta.h"
#include "report/fio_json.h"
#include "report/fio_normal.h"
#include "report/fio_number.h"
#include "report/fio_output.h"
#include "report/fio_start.h"
#include "report/fio_terse.h"
#include "unit.h"

static void numbers_have_fios_digits(void **state)
{
	static const struct {
		double value;
		struct fio_scale scale;
		const char *text;
	} cases[] = {
		{9999, {4, 1024, FIO_BYTES, 0}, "9999B"},
		{10000, {4, 1024, FIO_BYTES, 0}, "9.77KiB"},
		{10239, {4, 1024, FIO_BYTES, 0}, "10.00KiB"},
		{10291, {4, 1024, FIO_BYTES, 0}, "10.0KiB"},
		{10292, {4, 1024, FIO_BYTES, 0}, "10.1KiB"},
		{102348, {4, 1024, FIO_BYTES, 0}, "99.9KiB"},
		{102349, {4, 1024, FIO_BYTES, 0}, "100.0KiB"},
		{1023999, {4, 1024, FIO_BYTES, 0}, "1000KiB"},
		{1048575, {4, 1024, FIO_BYTES, 0}, "1024KiB"},
		{10239488, {4, 1024, FIO_BYTES, 0}, "10000KiB"},
		{104857599, {4, 1024, FIO_BYTES, 0}, "100.0MiB"},
		{123456, {1, 1024, FIO_BYTES, 0}, "0MiB"},
		{123456, {3, 1024, FIO_BYTES, 0}, "121KiB"},
		{123456, {5, 1024, FIO_BYTES, 0}, "120.6KiB"},
		{123456, {7, 1024, FIO_BYTES, 0}, "123456B"},
		{1234560000, {3, 1024, FIO_BYTES, 0}, "1.1GiB"},
		{1234560000, {5, 1000, FIO_BYTES, 0}, "1235MB"},
		{33423360, {6, 1000, FIO_BYTES, 0}, "33423kB"},
		{1165714, {6, 1000, FIO_COUNT, 0}, "1165.7k"},
		{999, {4, 1000, FIO_COUNT, 0}, "999"},
		{26888, {4, 1000, FIO_COUNT, 0}, "26.9k"},
		{2077574, {4, 1000, FIO_COUNT, 0}, "2078k"},
		{1999.7, {4, 1000, FIO_COUNT, 0}, "1999"},
		{89478485333., {4, 1024, FIO_BITS, 0}, "83.3Gibit"},
		{89478485333., {4, 1000, FIO_BITS, 0}, "89.5Gbit"},
		{4, {4, 1024, FIO_BYTES, 1}, "4KiB"},
		{0, {4, 1024, FIO_BYTES, 0}, "0B"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		autostr text = {0};

		fio_number(&text, cases[i].value, cases[i].scale);
		assert_string_equal(text.text, cases[i].text);
	}
}

static struct job_spec spec_of(const char *name, const char *rw, uint32_t numjobs)
{
	struct job_spec spec = {
		.name = name,
		.rw = {.text = rw},
		.ioengine = "psync",
		.iodepth = 1,
		.numjobs = numjobs,
		.stats = true,
		.kb_base = 1024,
		.significant_figures = 4,
	};

	for (unsigned dir = 0; dir < NDATA; dir++)
		spec.bs[dir] = (struct range){4096, 4096};
	return spec;
}

static void the_banner_names_jobs_and_what_is_started(void **state)
{
	struct job_spec ab = spec_of("ab", "randread", 3), cd = spec_of("cd", "rw", 1);
	struct job_spec *jobs[] = {&ab, &cd};
	struct job_set set = {.jobs = jobs, .njobs = 2};
	autostr text = {0};

	(void)state;
	ab.bs[DIR_WRITE] = ab.bs[DIR_TRIM] = (struct range){16384, 16384};
	ab.thread_given = true;
	cd.group = 1;
	fio_start(&set, &text);
	assert_string_equal(text.text,
			    "ab: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 16.0KiB-16.0KiB, "
			    "(T) 16.0KiB-16.0KiB, ioengine=psync, iodepth=1\n"
			    "...\n"
			    "cd: (g=1): rw=rw, bs=(R) 4096B-4096B, (W) 4096B-4096B, "
			    "(T) 4096B-4096B, ioengine=psync, iodepth=1\n"
			    "fio-3.42\n"
			    "Starting 1 thread and 3 processes\n");
}

static void the_live_line_is_fios(void **state)
{
	struct job_spec x = spec_of("x", "randread", 1), y = spec_of("y", "write", 1);
	struct job_spec z = spec_of("z", "randtrim", 1);
	struct job_spec *jobs[] = {&x, &y, &z};
	struct job_set set = {.jobs = jobs, .njobs = 3};
	struct progress progress = {.phase = PROGRESS_RUN,
				    .running = 2,
				    .open_files = 2,
				    .states = "rWP",
				    .done_percent = 40,
				    .left_ns = 6 * NS_PER_S};
	autostr text = {0};

	(void)state;
	x.rw.does[DIR_READ] = y.rw.does[DIR_WRITE] = z.rw.does[DIR_TRIM] = true;
	for (unsigned dir = 0; dir < NDATA; dir++) {
		x.rate_iops[dir] = 100;
		z.rate_iops[dir] = 500;
		y.rate[dir] = 100 * MiB;
	}
	progress.row.end_ns = NS_PER_S;
	progress.row.dir[DIR_READ] = (struct row_dir){.ios = 99, .bytes = 399 * KiB};
	progress.row.dir[DIR_WRITE] = (struct row_dir){.ios = 22300, .bytes = 91121254};
	fio_eta(&progress, &set, &text);
	assert_string_equal(text.text,
			    "Jobs: 2 (f=2), 0B/s-100MiB/s: [r(1),W(1),P(1)][40.0%]"
			    "[r=399KiB/s,w=86.9MiB/s][r=99,w=22.3k IOPS][eta 00m:06s]");

	str_clear(&text);
	progress = (struct progress){.phase = PROGRESS_RUN,
				     .running = 1,
				     .open_files = 1,
				     .states = "__d",
				     .done_percent = 50,
				     .left_ns = 9 * NS_PER_S};
	progress.row.end_ns = NS_PER_S;
	progress.row.dir[DIR_TRIM] = (struct row_dir){.ios = 501, .bytes = 2004 * KiB};
	fio_eta(&progress, &set, &text);
	assert_string_equal(text.text, "Jobs: 1 (f=1), 0-500 IOPS: [_(2),d(1)][50.0%]"
				       "[t=2004KiB/s][t=501 IOPS][eta 00m:09s]");
}

static void the_live_line_is_silent_on_what_it_does_not_know(void **state)
{
	struct job_spec x = spec_of("x", "read", 1);
	struct job_spec *jobs[] = {&x};
	struct job_set set = {.jobs = jobs, .njobs = 1};
	struct progress progress = {.phase = PROGRESS_RUN,
				    .running = 1,
				    .open_files = 1,
				    .states = "R",
				    .done_percent = -1,
				    .left_ns = (49710 * 86400ULL + 6 * 3600 + 28 * 60 + 14) *
					       NS_PER_S};
	autostr text = {0};

	(void)state;
	progress.row.end_ns = NS_PER_S;
	fio_eta(&progress, &set, &text);
	assert_string_equal(text.text, "Jobs: 1 (f=1): [R(1)][-.-%][eta 49710d:06h:28m:14s]");
	str_clear(&text);
	progress.left_ns = PROGRESS_UNKNOWN;
	fio_eta(&progress, &set, &text);
	assert_string_equal(text.text, "Jobs: 1 (f=1): [R(1)][-.-%][eta --]");
}

/* --- a small result of our own --- */

struct fixture {
	struct job_spec spec;
	struct job_spec *specs[1];
	struct job_result job;
	struct job_set set;
	struct result result;
	struct fio_report report;
};

static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){.spec = spec_of("j", "read", 1)};
	f->specs[0] = &f->spec;
	f->set = (struct job_set){.jobs = f->specs, .njobs = 1};
	f->job = (struct job_result){.spec = &f->spec, .name = "j", .members = 1, .pid = 7};
	result_init(&f->result, &f->set);
	f->result.jobs = &f->job;
	f->result.njobs = 1;
}

static void notes_are_the_last_member_and_the_last_lines(void **state)
{
	struct given given = {.key = "iodepth", .value = "64"};
	struct job_note changed = {.kind = NOTE_CHANGED,
				   .job = "j",
				   .option = "iodepth",
				   .text = "1, as psync cannot queue"};
	struct job_note accepted = {.kind = NOTE_ACCEPTED,
				    .option = "alloc-size",
				    .text = "accepted, no effect",
				    .next = &changed};
	autostr json = {0}, text = {0};
	struct fixture f;
	const char *member;

	(void)state;
	fixture_init(&f);
	f.spec.given = &given;
	f.spec.ngiven = 1;
	f.set.notes = &accepted;
	result_note(&f.result, "littles-law", SEVERITY_WARNING, "j", "off by %d %%", 12);
	fio_report_init(&f.report, &f.result);
	f.report.assay_version = "0.1.0";
	fio_json(&f.report, &json);
	member = strstr(json.text, "  ],\n  \"assay\" : {");
	assert_non_null(member);
	assert_true(str_starts(member, "  ],\n"
				       "  \"assay\" : {\n"
				       "    \"version\" : \"0.1.0\",\n"
				       "    \"notes\" : [\n"
				       "      {\n"
				       "        \"id\" : \"option-changed\",\n"
				       "        \"severity\" : \"changed\",\n"
				       "        \"job\" : \"j\",\n"
				       "        \"option\" : \"iodepth\",\n"
				       "        \"text\" : \"1, as psync cannot queue\"\n"
				       "      },\n"
				       "      {\n"
				       "        \"id\" : \"littles-law\",\n"
				       "        \"severity\" : \"warning\",\n"
				       "        \"job\" : \"j\",\n"
				       "        \"text\" : \"off by 12 %\"\n"
				       "      }\n"
				       "    ],\n"
				       "    \"accepted\" : [\n"
				       "      {\n"
				       "        \"option\" : \"alloc-size\",\n"
				       "        \"text\" : \"accepted, no effect\"\n"
				       "      }\n"
				       "    ],\n"
				       "    \"effective options\" : [\n"));
	assert_non_null(strstr(member, "\n        \"iodepth\" : \"1\""));
	fio_normal(&f.report, &text);
	assert_non_null(strstr(text.text, "\nassay: alloc-size: accepted, no effect\n"
					  "assay: j: iodepth: 1, as psync cannot queue\n"
					  "assay: j: off by 12 %\n"));
	assert_string_equal(strrchr(text.text, ':'), ": off by 12 %\n");

	f.report.notes = false;
	str_clear(&json);
	str_clear(&text);
	fio_json(&f.report, &json);
	fio_normal(&f.report, &text);
	assert_null(strstr(json.text, "assay"));
	assert_null(strstr(text.text, "assay"));
	result_done(&f.result);
}

/* fio books everything beyond 17.1 s as 17.1 s; the geometry goes on instead. */
static void percentiles_do_not_end_at_17_seconds(void **state)
{
	static struct hist hist;
	double p[] = {50, 100};
	uint64_t ns[2];

	(void)state;
	hist_add(&hist, 1000, 1);
	hist_add(&hist, 94 * NS_PER_S, 1);
	fio_percentiles(&hist, p, 2, ns);
	assert_int_equal(ns[0], hist_fio_mid_ns(hist_fio_index(1000)));
	assert_true(ns[1] > 93 * NS_PER_S && ns[1] < 95 * NS_PER_S);
}

/* Below that, bins and mid-points are fio's, for every bucket. */
static void bins_are_fios(void **state)
{
	static struct hist hist;
	static uint64_t fio[FIO_HIST_BUCKETS];
	unsigned cursor = 0, at = 0;
	struct fio_bin bin;

	(void)state;
	for (unsigned i = 0; hist_low_ns(i) < 17 * NS_PER_S; i++)
		hist.count[i] = i + 1;
	hist_to_fio(&hist, fio);
	while (fio_bin_next(&hist, &cursor, &bin)) {
		while (!fio[at])
			at++;
		assert_int_equal(bin.count, fio[at]);
		assert_int_equal(bin.mid_ns, hist_fio_mid_ns(at));
		at++;
	}
	assert_true(at > 1800);
}

/* "50" means below 50: what is on a bound belongs to the next cell, as the bins of fio's own
 * runs show. */
static void a_latency_on_a_bound_belongs_to_the_next_cell(void **state)
{
	static struct hist hist;
	struct fio_lat_table table;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.job.dir[DIR_READ].ios = 4;
	f.job.dir[DIR_READ].lat[LAT_CLAT].hist = &hist;
	hist_add(&hist, 49, 1);
	hist_add(&hist, 50, 2);
	hist_add(&hist, 1100, 1);
	fio_lat_table(&f.job, &table);
	assert_true(table.ns[4] == 25 && table.ns[5] == 50 && table.us[0] == 25);
	result_done(&f.result);
}

static unsigned count_fields(const char *line)
{
	unsigned fields = 1;

	for (; *line && *line != '\n'; line++)
		fields += *line == ';';
	return fields;
}

static void terse_has_its_number_of_fields(void **state)
{
	static const unsigned fields[] = {[2] = 161, [3] = 121, [4] = 162, [5] = 180};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fio_report_init(&f.report, &f.result);
	for (unsigned version = 2; version <= 5; version++) {
		autostr text = {0};

		f.report.terse_version = version;
		fio_terse(&f.report, &text);
		assert_int_equal(count_fields(text.text), fields[version]);
	}
	result_done(&f.result);
}

static void terse_2_has_the_description_on_a_second_line(void **state)
{
	autostr text = {0};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.spec.description = "foo";
	fio_report_init(&f.report, &f.result);
	f.report.terse_version = 2;
	fio_terse(&f.report, &text);
	assert_string_equal(strchr(text.text, '\n'), "\n;foo\n");
	result_done(&f.result);
}

static void a_failed_job_says_file_and_error(void **state)
{
	autostr text = {0};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.job.error = 28;
	f.job.first_error =
		(struct first_error){.code = 28, .op = OP_WRITE, .path = "/dev/full"};
	fio_start_error(&f.job, &text);
	assert_string_equal(text.text, "fio: pid=7, err=28/file:/dev/full, func=write, "
				       "error=No space left on device\n");
	str_clear(&text);
	f.job.first_error.offset = 8192;
	f.job.first_error.bytes = 4096;
	fio_request_error(&f.job, &text);
	assert_string_equal(text.text, "fio: io_u error on file /dev/full: No space left on "
				       "device: write offset=8192, buflen=4096\n");
	fio_report_init(&f.report, &f.result);
	str_clear(&text);
	fio_normal(&f.report, &text);
	assert_true(str_starts(text.text, "\nj: (groupid=0, jobs=1): err=28 (file:/dev/full, "
					  "error=No space left on device): pid=7: "));
	result_done(&f.result);
}

static void formats_are_read_and_refused(void **state)
{
	struct run_options options = {.output_format = "json+,normal"};
	struct fio_formats formats;
	struct err err = {0};

	(void)state;
	assert_int_equal(fio_formats_parse(&formats, &options, &err), 0);
	assert_true(formats.json && formats.bins && formats.normal && !formats.terse);
	options.append_terse = true;
	assert_int_equal(fio_formats_parse(&formats, &options, &err), 0);
	assert_true(formats.terse);
	options = (struct run_options){.minimal = true};
	assert_int_equal(fio_formats_parse(&formats, &options, &err), 0);
	assert_true(formats.terse && !formats.normal);
	options = (struct run_options){.output_format = "json,xml"};
	assert_true(fio_formats_parse(&formats, &options, &err) < 0);
	assert_non_null(strstr(err.text, "\"xml\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_fios_digits),
		cmocka_unit_test(the_banner_names_jobs_and_what_is_started),
		cmocka_unit_test(the_live_line_is_fios),
		cmocka_unit_test(the_live_line_is_silent_on_what_it_does_not_know),
		cmocka_unit_test(notes_are_the_last_member_and_the_last_lines),
		cmocka_unit_test(percentiles_do_not_end_at_17_seconds),
		cmocka_unit_test(bins_are_fios),
		cmocka_unit_test(a_latency_on_a_bound_belongs_to_the_next_cell),
		cmocka_unit_test(terse_has_its_number_of_fields),
		cmocka_unit_test(terse_2_has_the_description_on_a_second_line),
		cmocka_unit_test(a_failed_job_says_file_and_error),
		cmocka_unit_test(formats_are_read_and_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
