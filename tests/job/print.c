/* "assay run --print": the jobs' effective options, which read back to the same jobs. */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/options.h"
#include "jobs.h"

static void print_line(enum face face, const char *line, struct str *out)
{
	struct job_set set;
	struct err err = {0};

	if (parse_line(&set, face, line, &err))
		fail_msg("%s: %s", line, err.text);
	job_print(&set, out);
	job_set_done(&set);
}

/* Comments are remarks; the rest is what the jobs are. */
static void strip_comments(const char *text, struct str *out)
{
	while (*text) {
		size_t bytes = strcspn(text, "\n"), kept = bytes;

		for (size_t i = 0; i < bytes && kept == bytes; i++)
			if (text[i] == '#' && (!i || text[i - 1] == ' '))
				kept = i ? i - 1 : 0;
		if (kept) {
			str_add_bytes(out, text, kept);
			str_add_char(out, '\n');
		}
		text += bytes + (text[bytes] == '\n');
	}
}

static void assert_prints_itself(enum face face, const char *line)
{
	autostr first = {0}, second = {0}, a = {0}, b = {0};

	print_line(face, line, &first);
	write_file("print.job", str_text(&first));
	print_line(FACE_NATIVE, "print.job", &second);
	strip_comments(str_text(&first), &a);
	strip_comments(str_text(&second), &b);
	assert_true(a.length > 100);
	assert_string_equal(str_text(&a), str_text(&b));
}

static void what_is_printed_is_the_same_job(void **state)
{
	static const char *const lines[] = {
		"--name=a --ioengine=null --size=1m",
		"--name=a --ioengine=null --size=1m --bs=4k,8k --rw=randrw:4 --rwmixread=70",
		"--name=a --ioengine=null --size=10m --bsrange=1k-64k --rw=randwrite",
		"--name=a --ioengine=null --size=10m --bssplit=4k/30:8k/70 --rw=randread",
		"--name=a --ioengine=null --size=1m --runtime=10s --time_based --rate_iops=1000",
		"--name=a --ioengine=io_uring --iodepth=32 --hipri --direct=1 --size=1m "
		"--filename=x:y --cpus_allowed=0-1",
		"--name=a --ioengine=null --size=1m --name=b --ioengine=null --size=2m "
		"--stonewall --random_distribution=zipf:1.2 --rw=randread",
		"--name=a --ioengine=null --size=1m --thinktime=10us --max_latency=1ms "
		"--percentile_list=50:99.9 --randseed=7 --numjobs=4 --group_reporting",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_prints_itself(FACE_NATIVE, lines[i]);
}

/* What the fio face understood is said in the words of the native one. */
static void fio_readings_are_printed_natively(void **state)
{
	autostr out = {0};

	(void)state;
	print_line(FACE_FIO, "--name=a --ioengine=null --size=1m --bs=4kib --rw=randread",
		   &out);
	assert_non_null(strstr(str_text(&out), "\nbs=4000\n"));
	assert_non_null(strstr(str_text(&out), "\"4kib\" was read as 4000"));
}

static void what_was_changed_carries_the_reason(void **state)
{
	autostr out = {0};
	const char *line;

	(void)state;
	print_line(FACE_NATIVE, "--name=a --ioengine=psync --iodepth=32 --size=1m --filename=f",
		   &out);
	line = strstr(str_text(&out), "\niodepth=");
	assert_non_null(line);
	assert_memory_equal(
		line, "\niodepth=1 # 32 becomes 1: ", strlen("\niodepth=1 # 32 becomes 1: "));
	assert_null(strstr(str_text(&out), "create_serialize"));
}

/* Read off the JSON of fio 3.33 with --ss_dur=2s alone, and with --ss=iops:5% alone. */
static void steady_state_needs_its_duration(void **state)
{
	autostr one = {0}, other = {0};

	(void)state;
	print_line(FACE_FIO, "--name=a --ioengine=null --size=1m --ss_dur=2s", &one);
	assert_non_null(strstr(str_text(&one), "\nsteadystate=iops_slope:0.01%\n"));
	print_line(FACE_FIO, "--name=a --ioengine=null --size=1m --ss=iops:5%", &other);
	assert_null(strstr(str_text(&other), "\nsteadystate=iops:"));
	assert_non_null(strstr(str_text(&other), "# steadystate: looks at no window"));
}

static void what_has_no_effect_is_listed(void **state)
{
	autostr out = {0};

	(void)state;
	print_line(FACE_FIO, "--name=a --ioengine=null --size=1m --create_serialize=0", &out);
	assert_non_null(strstr(str_text(&out), "# create_serialize: accepted, no effect"));
}

static int enter_empty_directory(void **state)
{
	static char path[64];

	(void)snprintf(path, sizeof(path), "/tmp/assay-print-%d", (int)getpid());
	*state = path;
	return mkdir(path, 0700) || chdir(path);
}

static int leave_directory(void **state)
{
	return unlink("print.job") || chdir("/") || rmdir(*state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_printed_is_the_same_job),
		cmocka_unit_test(fio_readings_are_printed_natively),
		cmocka_unit_test(what_was_changed_carries_the_reason),
		cmocka_unit_test(steady_state_needs_its_duration),
		cmocka_unit_test(what_has_no_effect_is_listed),
	};

	return cmocka_run_group_tests(tests, enter_empty_directory, leave_directory);
}
