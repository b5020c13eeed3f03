/*
 * What each kind of value means, in both faces. The native face: one test for each promise of
 * strictness. The fio face: its readings, which were taken from Debian's fio 3.33 by running
 * it; where fio shows what it understood, the last tests here ask it again.
 */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "job/options.h"

struct reads {
	const char *key, *text, *canonical;
};

/* The canonical text of what `text` means, or the error after "ERR ". */
static void read_one(struct job_set *set, const char *kb_base, const struct reads *reads,
		     struct str *out)
{
	struct job_spec *spec = job_new(set, "x");
	struct err err = {0};

	if (kb_base)
		assert_int_equal(job_set_option(set, spec, "kb_base", kb_base, NULL), 0);
	if (job_set_option(set, spec, reads->key, reads->text, &err))
		str_printf(out, "ERR %s", err.text);
	else
		job_format_option(spec, reads->key, out);
}

static void assert_reads(enum face face, const char *kb_base, const struct reads *reads)
{
	struct job_set set;
	autostr got = {0};

	job_set_init(&set, face);
	read_one(&set, kb_base, reads, &got);
	if (!str_equal(str_text(&got), reads->canonical))
		fail_msg("%s=%s is \"%s\", not \"%s\"", reads->key, reads->text, str_text(&got),
			 reads->canonical);
	job_set_done(&set);
}

static void assert_refuses(enum face face, const struct reads *reads)
{
	struct job_set set;
	autostr got = {0};

	job_set_init(&set, face);
	read_one(&set, NULL, reads, &got);
	if (!str_starts(str_text(&got), "ERR ") || !strstr(str_text(&got), reads->canonical) ||
	    !strstr(str_text(&got), reads->key))
		fail_msg("%s=%s: \"%s\" does not say \"%s\"", reads->key,
			 reads->text ? reads->text : "(bare)", str_text(&got),
			 reads->canonical);
	job_set_done(&set);
}

/* --- the native face --- */

static void native_reads(void **state)
{
	static const struct reads cases[] = {
		{"bs", "4k", "4k"},
		{"bs", "4kB", "4000"},
		{"bs", "4.5k", "4608"},
		{"bs", "8k,4k", "8k,4k"},
		{"bs", "8k,2k,", "8k,2k,4k"},
		{"bs", ",8k", "4k,8k"},
		{"bs", ",8k,", "4k,8k,4k"},
		{"bsrange", "1k-4k,2k-8k", "1k-4k,2k-8k,2k-8k"},
		{"bssplit", "4k/50:8k", "4k/50:8k/50,4k/50:8k/50,4k/50:8k/50"},
		{"bssplit", "4k:8k:16k",
		 "4k/33:8k/33:16k/34,4k/33:8k/33:16k/34,4k/33:8k/33:16k/34"},
		{"bssplit", "4k-8k/20:64k/80,1m/100", "4k-8k/20:64k/80,1m/100,1m/100"},
		{"size", "50%", "50%"},
		{"size", "12.5%", "12.5%"},
		{"size", "1g", "1g"},
		{"runtime", "90", "90s"},
		{"runtime", "1.5s", "1500ms"},
		{"runtime", "2m", "120s"},
		{"thinktime", "10us", "10us"},
		{"thinktime", "0", "0"},
		{"startdelay", "1s-5s", "1s-5s"},
		{"startdelay", "3", "3s"},
		{"rate", ",1m", "0,1m"},
		{"rate_iops", "1000,500", "1000,500"},
		{"max_latency", "1ms,2ms,", "1ms,2ms,0"},
		{"rw", "readwrite", "rw"},
		{"rw", "randrw:8", "randrw:8"},
		{"rw", "write:4k", "write:4k"},
		{"rw", "read:-4k", "read:-4k"},
		{"rwmixread", "70%", "70"},
		{"random_distribution", "zipf:1.2:0.25", "zipf:1.2:0.25"},
		{"random_distribution", "zoned:60/10:30/20:8/30:2/40",
		 "zoned:60/10:30/20:8/30:2/40,60/10:30/20:8/30:2/40,60/10:30/20:8/30:2/40"},
		{"random_distribution", "zoned:50/50:/,100/100",
		 "zoned:50/50:50/50,100/100,100/100"},
		{"random_distribution", "zoned_abs:95/50g:5/100g",
		 "zoned_abs:95/50g:5/100g,95/50g:5/100g,95/50g:5/100g"},
		{"file_service_type", "random:8", "random:8"},
		{"file_service_type", "gauss:10", "normal:10"},
		{"percentile_list", "50:99:99.9", "50:99:99.9"},
		{"cpus_allowed", "8,0,2,5-7", "0,2,5-8"},
		{"numa_mem_policy", "interleave:0-1,3", "interleave:0-1,3"},
		{"numa_mem_policy", "bind:all", "bind:all"},
		{"numa_cpu_nodes", "all", "all"},
		{"numa_cpu_nodes", "0-1,3", "0-1,3"},
		{"ignore_error", "EIO:28,,EBUSY", "EIO:ENOSPC,,EBUSY"},
		{"continue_on_error", "1", "all"},
		{"sync", "1", "sync"},
		{"mem", "mmaphuge:/mnt/huge/x", "mmaphuge:/mnt/huge/x"},
		{"steadystate", "iops_slope:0.3%", "iops_slope:0.3%"},
		{"steadystate", "bw:4m", "bw:4m"},
		{"filename", "/dev/disk\\:1:b", "/dev/disk\\:1:b"},
		{"filename", "serial:S3Z\\:1:b", "serial:S3Z\\:1:b"},
		{"filename", "a:sim:nvme-enterprise,size=1g:serial:X",
		 "a:sim:nvme-enterprise,size=1g:serial:X"},
		{"time_based", NULL, "1"},
		{"time_based", "0", "0"},
		{"buffered", "0", "0"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
		assert_reads(FACE_NATIVE, NULL, &cases[i]);
}

/* k and kB mean the same whatever kb_base says: that is about what is printed. */
static void native_sizes_do_not_depend_on_kb_base(void **state)
{
	(void)state;
	assert_reads(FACE_NATIVE, "1000", &(struct reads){"bs", "4k", "4k"});
	assert_reads(FACE_NATIVE, "1000", &(struct reads){"bs", "4kB", "4000"});
}

static void native_refuses(void **state)
{
	static const struct reads cases[] = {
		{"bs", "4KB", "write 4k for powers of 1024, or 4kB"},
		{"bs", "4Kb", "write 4k for powers of 1024, or 4kB"},
		{"bs", "4q", "unknown unit"},
		{"bs", "4.1", "not a whole number of bytes"},
		{"bs", "-4k", "negative: at least 1"},
		{"iodepth", "-1", "negative: at least 1"},
		{"bs", "0", "too small: at least 1"},
		{"bs", "2g", "too large: at most 1g"},
		{"bs", "1k,2k,3k,4k", "more than 3 values"},
		{"bs", ",", "holds no value"},
		{"bs", "8k:4k", "unknown unit"},
		{"bs", NULL, "a value is missing"},
		{"bs", "", "a value is missing"},
		{"bsrange", "4k", "not a range"},
		{"bsrange", "8k-4k", "upside down"},
		{"bssplit", "4k/60:8k/20", "make 80 percent"},
		{"bssplit", "4k/60:8k/60", "make 120 percent"},
		{"bssplit", "4k/101", "more than 100 percent"},
		{"size", "300%", "at most 100%"},
		{"size", "10z", "zonemode=zbd"},
		{"size", "99999999999999999999", "too large"},
		{"thinktime", "10", "write 10us"},
		{"rate_cycle", "500", "write 500ms"},
		{"max_latency", "1000", "write 1000us"},
		{"runtime", "2sec", "write 2s"},
		{"runtime", "1min", "write 1m"},
		{"runtime", "-5", "negative: at least 0"},
		{"direct", "true", "write 1 for yes, 0 for no"},
		{"direct", "yes", "write 1 for yes"},
		{"direct", "2", "write 1 for yes"},
		{"direct", NULL, "a value is missing"},
		{"rwmixread", "300", "at most 100%"},
		{"iodepth", "0", "at least 1"},
		{"iodepth", "1k", "write 1000, or 1024"},
		{"iodepth", "4294967297", "too large"},
		{"numjobs", "2.5", "not a whole number"},
		{"nice", "20", "at most 19"},
		{"nice", "-21", "at least -20"},
		{"iomem_align", "3k", "not a power of two"},
		{"rw", "rand", "not one of: read write trim"},
		{"rw", "randread:x", "is not"},
		{"ioengine", "libaoi", "did you mean \"libaio\"?"},
		{"ioengine", "rbd", "engine rbd is not built in"},
		{"ioengine", "external:/x.so", "not built in"},
		{"random_distribution", "zipf", "needs its number"},
		{"random_distribution", "zipf:1", "not 1"},
		{"random_distribution", "pareto:1.5", "between 0 and 1"},
		{"random_distribution", "normal:200", "below 100"},
		{"random_distribution", "zoned:50/10:40/90", "make 90 percent"},
		{"random_distribution", "zoned:60/50:60/50", "make 120 percent"},
		{"random_distribution", "sequence:1,2", "not built in"},
		{"percentile_list", "50:101", "0 to 100"},
		{"percentile_list", "1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21",
		 "more than 20"},
		{"cpus_allowed", "a", "not"},
		{"cpus_allowed", "5-2", "upside down"},
		{"cpus_allowed", "1024", "at most 1023"},
		{"numa_mem_policy", "bind", "needs its nodes"},
		{"numa_mem_policy", "prefer:0-1", "one node"},
		{"numa_mem_policy", "prefer:all", "one node"},
		{"cpus_allowed", "all", "not a whole number"},
		{"ignore_error", "EFOO", "write its number"},
		{"mem", "malloc:/x", "take a file"},
		{"mem", "cudamalloc", "not built in"},
		{"buffer_pattern", "\"abc", "closing quotation mark"},
		{"buffer_pattern", "%o", "verify only"},
		{"buffer_pattern", "'/nonexistent/file'", "no such file"},
		{"filename", "a::b", "empty name"},
		{"steadystate", "iops", "METRIC:LIMIT"},
		{"verify", "md5", "write verify=0"},
		{"read_iolog", "x", "not read or written yet"},
		{"zonemode", "zbd", "not one of: none strided"},
		{"atomic", "1", "not built in"},
		{"cpuload", "50", "belongs to cpuio, which is not built in"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
		assert_refuses(FACE_NATIVE, &cases[i]);
}

static void pattern_is(const char *text, const char *bytes, unsigned count)
{
	struct job_set set;
	struct job_spec *spec;
	struct err err = {0};

	job_set_init(&set, FACE_FIO);
	spec = job_new(&set, "x");
	if (job_set_option(&set, spec, "buffer_pattern", text, &err))
		fail_msg("%s", err.text);
	assert_int_equal(spec->buffer_pattern.count, count);
	assert_memory_equal(spec->buffer_pattern.bytes, bytes, count);
	job_set_done(&set);
}

/* As fio 3.33 writes them to a file. */
static void patterns_are_fios(void **state)
{
	(void)state;
	pattern_is("0xdeadbeef", "\xde\xad\xbe\xef", 4);
	pattern_is("0xabc", "\x0a\xbc", 2);
	pattern_is("65793", "\x01\x01\x01", 3);
	pattern_is("256", "\x00\x01", 2);
	pattern_is("0", "\x00", 1);
	pattern_is("-12", "\xf4\xff\xff\xff", 4);
	pattern_is("\"abcd\"", "abcd", 4);
	pattern_is("0xff\"abcd\"-12",
		   "\xff"
		   "abcd"
		   "\xf4\xff\xff\xff",
		   9);
}

/* The two options of the mix speak of one share; the last wins. */
static void the_mix_has_one_share(void **state)
{
	struct job_set set;
	struct job_spec *spec;

	(void)state;
	job_set_init(&set, FACE_NATIVE);
	spec = job_new(&set, "x");
	assert_int_equal(job_set_option(&set, spec, "rwmixread", "70", NULL), 0);
	assert_int_equal(spec->rwmixwrite, 30);
	assert_int_equal(job_set_option(&set, spec, "rwmixwrite", "80", NULL), 0);
	assert_int_equal(spec->rwmixread, 20);
	job_set_done(&set);
}

static unsigned count_notes(const struct job_set *set, enum note_kind kind, const char *text)
{
	unsigned count = 0;

	for (const struct job_note *note = set->notes; note; note = note->next)
		count += note->kind == kind && strstr(note->text, text);
	return count;
}

static void what_has_no_effect_is_said(void **state)
{
	struct job_set set;
	struct job_spec *spec;

	(void)state;
	job_set_init(&set, FACE_FIO);
	spec = job_new(&set, "x");
	assert_int_equal(job_set_option(&set, spec, "alloc-size", "65536", NULL), 0);
	assert_int_equal(job_set_option(&set, spec, "clocksource", "cpu", NULL), 0);
	assert_int_equal(job_set_option(&set, spec, "do_verify", "0", NULL), 0);
	assert_int_equal(count_notes(&set, NOTE_ACCEPTED, "accepted, no effect"), 3);
	assert_int_equal(job_set_option(&set, spec, "write_bw_log", NULL, NULL), 0);
	assert_int_equal(job_set_option(&set, spec, "log_avg_msec", "500", NULL), 0);
	assert_string_equal(spec->write_bw_log, "");
	assert_null(spec->write_lat_log);
	assert_int_equal(spec->log_avg, 500 * NS_PER_MS);
	assert_int_equal(count_notes(&set, NOTE_ACCEPTED, "accepted, no effect"), 3);
	assert_int_equal(job_set_option(&set, spec, "clocksource", "sundial", NULL), -EINVAL);
	assert_int_equal(job_set_option(&set, spec, "log_hist_coarseness", "7", NULL), -EINVAL);
	job_set_done(&set);
}

static void command_line_options_land_in_run_options(void **state)
{
	struct job_set set;

	(void)state;
	job_set_init(&set, FACE_NATIVE);
	assert_int_equal(job_set_option(&set, NULL, "max-write", "10g", NULL), 0);
	assert_int_equal(set.options.max_write, 10 * GiB);
	assert_int_equal(set.options.interval, NS_PER_S);
	assert_int_equal(set.options.drain, 10 * NS_PER_S);
	assert_string_equal(set.options.format, "text");
	assert_int_equal(job_set_option(&set, NULL, "section", "a", NULL), 0);
	assert_int_equal(job_set_option(&set, NULL, "section", "b", NULL), 0);
	assert_int_equal(set.options.section.count, 2);
	assert_int_equal(job_set_option(&set, NULL, "format", "xml", NULL), -EINVAL);
	job_set_done(&set);
	job_set_init(&set, FACE_FIO);
	assert_int_equal(set.options.terse_version, 3);
	assert_int_equal(job_set_option(&set, NULL, "cmdhelp", NULL, NULL), 0);
	assert_string_equal(set.options.cmdhelp, "");
	assert_int_equal(job_set_option(&set, NULL, "terse-version", "6", NULL), -EINVAL);
	job_set_done(&set);
}

/* --- the fio face --- */

/* fio shows these in the line that announces a job. */
static const struct reads fio_sizes[] = {
	{"bs", "4k", "4k"},
	{"bs", "4kib", "4000"},
	{"bs", "4ki", "4k"},
	{"bs", "4kb", "4k"},
	{"bs", "4KB", "4k"},
	{"bs", "4kiB", "4000"},
	{"bs", "4q", "4"},
	{"bs", "4.5k", "4"},
	{"bs", "4Kx", "4k"},
	{"bs", "4 k", "4"},
	{"bs", "5e3", "5"},
	{"bs", "010", "10"},
	{"bs", "0x1000", "4k"},
	{"bs", "0x10k", "16"},
	{"bs", "512b", "512"},
	{"bs", "512,1k", "512,1k"},
	{"bs", "512,1k,", "512,1k,4k"},
	{"bs", ",1k", "4k,1k"},
	{"bs", ",1k,", "4k,1k,4k"},
	{"bs", "8k:4k", "8k,4k"},
	{"bs", "8k-4k-2k", "8k,4k,2k"},
	{"bsrange", "1k-4k", "1k-4k,1k-4k,1k-4k"},
	{"bsrange", "4k-1k", "1k-4k,1k-4k,1k-4k"},
	{"bsrange", "1k:4k,2k-8k", "1k-4k,2k-8k,2k-8k"},
};
static const struct reads fio_sizes_1000[] = {
	{"bs", "4k", "4000"},
	{"bs", "4kib", "4k"},
	{"bs", "4ki", "4000"},
};
/* These as the runtime of its JSON, in ms. */
static const struct reads fio_times[] = {
	{"runtime", "120ms", "120ms"},	  {"runtime", "120msec", "120ms"},
	{"runtime", "120000us", "120ms"}, {"runtime", "120000usec", "120ms"},
	{"runtime", "2sec", "2us"},	  {"runtime", "1min", "1us"},
	{"runtime", "120MS", "120ms"},
};

static void fio_face_reads(void **state)
{
	static const struct reads others[] = {
		{"steadystate", "bw:1m", "bw:1m"},
		{"steadystate", "bw_slope:100", "bw_slope:100"},
		{"runtime", "1.5", "1s"},
		{"runtime", "1.5s", "1s"},
		{"runtime", "10", "10s"},
		{"thinktime", "10", "10us"},
		{"thinktime", "10ms", "10ms"},
		{"thinktime", "100k", "100us"},
		{"rate_cycle", "1000", "1s"},
		{"size", "300%", "100%"},
		{"rate_iops", "10k", "10240"},
		{"bssplit", "4k/50:8k/20", "4k/80:8k/20,4k/80:8k/20,4k/80:8k/20"},
		{"bssplit", "8k/20:4k/50", "8k/20:4k/80,8k/20:4k/80,8k/20:4k/80"},
		{"bssplit", "4k/80:8k/50", "4k/50:8k/50,4k/50:8k/50,4k/50:8k/50"},
		{"random_distribution", "zipf", "zipf:1.1"},
		{"randseed", "0x89", "137"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(fio_sizes); i++)
		assert_reads(FACE_FIO, NULL, &fio_sizes[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(fio_sizes_1000); i++)
		assert_reads(FACE_FIO, "1000", &fio_sizes_1000[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(fio_times); i++)
		assert_reads(FACE_FIO, NULL, &fio_times[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(others); i++)
		assert_reads(FACE_FIO, NULL, &others[i]);
}

static void fio_face_says_what_it_doubts(void **state)
{
	static const struct reads doubtful[] = {
		{"bs", "4kib", "read as 4000,"},     {"bs", "4q", "read as 4,"},
		{"bs", "4.5k", "read as 4,"},	     {"bs", "0x10k", "read as 16,"},
		{"runtime", "2sec", "read as 2us,"}, {"runtime", "1.5", "read as 1s,"},
		{"size", "300%", "read as 100%,"},   {"rate_iops", "10k", "read as 10240,"},
	};
	static const struct reads plain[] = {
		{"bs", "4k", NULL},	{"bs", "4kb", NULL},	 {"bs", "512b", NULL},
		{"bs", "0x1000", NULL}, {"runtime", "10", NULL}, {"thinktime", "10", NULL},
		{"size", "50%", NULL},	{"bs", "8k:4k", NULL},	 {"iodepth", "32", NULL},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(doubtful); i++) {
		struct job_set set;
		autostr got = {0};

		job_set_init(&set, FACE_FIO);
		read_one(&set, NULL, &doubtful[i], &got);
		if (count_notes(&set, NOTE_WARNING, doubtful[i].canonical) != 1)
			fail_msg("%s=%s leaves no note \"%s\"", doubtful[i].key,
				 doubtful[i].text, doubtful[i].canonical);
		job_set_done(&set);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(plain); i++) {
		struct job_set set;
		autostr got = {0};

		job_set_init(&set, FACE_FIO);
		read_one(&set, NULL, &plain[i], &got);
		if (set.notes)
			fail_msg("%s=%s leaves \"%s\"", plain[i].key, plain[i].text,
				 set.notes->text);
		job_set_done(&set);
	}
}

/* Read off fio 3.33: --bsrange=1k-4k --bs=8k announces 1024B-4096B. The native face takes the
 * last. */
static void bsrange_wins_over_bs_in_the_fio_face(void **state)
{
	for (unsigned f = 0; f < 2; f++) {
		struct job_set set;
		struct job_spec *spec;

		(void)state;
		job_set_init(&set, f ? FACE_FIO : FACE_NATIVE);
		spec = job_new(&set, "x");
		assert_int_equal(job_set_option(&set, spec, "bsrange", "1k-4k", NULL), 0);
		assert_int_equal(job_set_option(&set, spec, "bs", "8k", NULL), 0);
		assert_int_equal(spec->bs[DIR_READ].min, f ? 1024 : 8192);
		assert_int_equal(spec->bs[DIR_READ].max, f ? 4096 : 8192);
		assert_int_equal(count_notes(&set, NOTE_CHANGED, "bsrange was given"), f);
		job_set_done(&set);
	}
}

/* What fio refuses, the fio face refuses as well. */
static void fio_face_refuses(void **state)
{
	static const struct reads cases[] = {
		{"direct", "true", ""},
		{"direct", "5", ""},
		{"rw", "rand", ""},
		{"rw", "READ", ""},
		{"rw", "read:abc", ""},
		{"iodepth", "0", ""},
		{"rwmixread", "300", ""},
		{"nice", "50", ""},
		{"bs", "k", ""},
		{"bs", NULL, ""},
		{"bsrange", "4k", ""},
		{"runtime", "abc", ""},
		{"random_distribution", "zipf:1", ""},
		{"random_distribution", "pareto:1.5", ""},
		{"random_distribution", "normal:200", ""},
		{"random_distribution", "zoned:50/10:40/90", ""},
		{"kb_base", "1001", ""},
		{"sync", "dsyncc", ""},
		{"ignore_error", "EFOO", ""},
		{"buffer_pattern", "4294967296", ""},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
		assert_refuses(FACE_FIO, &cases[i]);
}

/* --- asking fio --- */

static void job_file(const char *head, const struct reads *reads, unsigned count, char letter,
		     struct str *out)
{
	for (unsigned i = 0; i < count; i++)
		str_printf(out, "[%c%u]\n%s%s=%s\n", letter, i, head, reads[i].key,
			   reads[i].text);
}

/* One run of fio over all texts, its output in `out`; false without fio. */
static bool run_fio(struct str *out)
{
	char path[64], command[128];
	autostr file = {0};
	FILE *pipe;
	size_t n;
	char buffer[4096];

	if (access("/usr/bin/fio", X_OK) != 0)
		return false;
	(void)snprintf(path, sizeof(path), "/tmp/assay-kinds-%d", (int)getpid());
	str_add(&file, "[global]\nioengine=null\nsize=1m\nthread\n");
	job_file("number_ios=1\n", fio_sizes, ARRAY_SIZE(fio_sizes), 's', &file);
	job_file("number_ios=1\nkb_base=1000\n", fio_sizes_1000, ARRAY_SIZE(fio_sizes_1000),
		 'd', &file);
	job_file("time_based\nrate_iops=1000\n", fio_times, ARRAY_SIZE(fio_times), 't', &file);
	assert_int_equal(file_replace(path, file.text, file.length), 0);
	(void)snprintf(command, sizeof(command),
		       "/usr/bin/fio --output-format=normal,json %s 2>&1", path);
	pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a fixed command in a test */
	assert_non_null(pipe);
	while ((n = fread(buffer, 1, sizeof(buffer), pipe)) > 0)
		str_add_bytes(out, buffer, n);
	assert_int_equal(pclose(pipe), 0);
	assert_int_equal(unlink(path), 0);
	return true;
}

/* "s3: (g=0): rw=read, bs=(R) 4096B-4096B, (W) ..." against our ranges. */
static void assert_shown(const char *output, char letter, unsigned i, const char *kb_base,
			 const struct reads *reads)
{
	unsigned long long shown[6];
	char head[40];
	struct job_set set;
	struct job_spec *spec;
	const char *line;

	(void)snprintf(head, sizeof(head), "%c%u: (g=0): rw=read, bs=", letter, i);
	line = strstr(output, head);
	if (!line)
		fail_msg("fio does not announce %s", head);
	assert_int_equal(
		sscanf(line + strlen(head), /* NOLINT(cert-err34-c): fio's own output */
		       "(R) %lluB-%lluB, (W) %lluB-%lluB, (T) %lluB-%lluB", &shown[0],
		       &shown[1], &shown[2], &shown[3], &shown[4], &shown[5]),
		6);
	job_set_init(&set, FACE_FIO);
	spec = job_new(&set, "x");
	if (kb_base)
		assert_int_equal(job_set_option(&set, spec, "kb_base", kb_base, NULL), 0);
	assert_int_equal(job_set_option(&set, spec, reads->key, reads->text, NULL), 0);
	for (unsigned d = 0; d < NDATA; d++)
		if (spec->bs[d].min != shown[2 * d] || spec->bs[d].max != shown[2 * d + 1])
			fail_msg("%s=%s: fio reads direction %u as %llu-%llu", reads->key,
				 reads->text, d, shown[2 * d], shown[2 * d + 1]);
	job_set_done(&set);
}

static void assert_lasts(const char *output, unsigned i, const struct reads *reads)
{
	char head[40];
	unsigned long long shown_ms = 0, ours_ms;
	struct job_set set;
	struct job_spec *spec;
	const char *job, *runtime;

	(void)snprintf(head, sizeof(head), "\"jobname\" : \"t%u\"", i);
	job = strstr(output, head);
	assert_non_null(job);
	job = strstr(job, "\"read\" : {"); /* the options before it have a runtime as well */
	assert_non_null(job);
	runtime = strstr(job, "\"runtime\" : ");
	assert_non_null(runtime);
	shown_ms = strtoull(runtime + strlen("\"runtime\" : "), NULL, 10);
	job_set_init(&set, FACE_FIO);
	spec = job_new(&set, "x");
	assert_int_equal(job_set_option(&set, spec, reads->key, reads->text, NULL), 0);
	ours_ms = spec->runtime / NS_PER_MS;
	/* A busy machine only makes it later; the readings are 0 and 120 ms. */
	if (shown_ms < ours_ms || (!ours_ms && shown_ms > 60))
		fail_msg("%s=%s: fio ran %llu ms", reads->key, reads->text, shown_ms);
	job_set_done(&set);
}

static void fio_itself_reads_the_same(void **state)
{
	autostr output = {0};

	(void)state;
	if (!run_fio(&output))
		skip();
	for (unsigned i = 0; i < ARRAY_SIZE(fio_sizes); i++)
		assert_shown(str_text(&output), 's', i, NULL, &fio_sizes[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(fio_sizes_1000); i++)
		assert_shown(str_text(&output), 'd', i, "1000", &fio_sizes_1000[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(fio_times); i++)
		assert_lasts(str_text(&output), i, &fio_times[i]);
}

/* Every name that fio lists is a row, of the face that takes it. */
static void fio_itself_lists_no_other_option(void **state)
{
	char line[512], name[64];
	unsigned names = 0;
	FILE *pipe;

	(void)state;
	if (access("/usr/bin/fio", X_OK) != 0)
		skip();
	pipe = popen("/usr/bin/fio --cmdhelp=all 2>&1", "r"); /* NOLINT(cert-env33-c) */
	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		/* NOLINTNEXTLINE(cert-err34-c): a word */
		if (sscanf(line, " %63[a-z0-9_-]", name) != 1)
			continue;
		names++;
		if (!opt_find_face(name, FACE_FIO))
			fail_msg("fio has the option %s", name);
	}
	assert_int_equal(pclose(pipe), 0);
	assert_true(names > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(native_reads),
		cmocka_unit_test(native_sizes_do_not_depend_on_kb_base),
		cmocka_unit_test(native_refuses),
		cmocka_unit_test(patterns_are_fios),
		cmocka_unit_test(the_mix_has_one_share),
		cmocka_unit_test(what_has_no_effect_is_said),
		cmocka_unit_test(command_line_options_land_in_run_options),
		cmocka_unit_test(fio_face_reads),
		cmocka_unit_test(fio_face_says_what_it_doubts),
		cmocka_unit_test(bsrange_wins_over_bs_in_the_fio_face),
		cmocka_unit_test(fio_face_refuses),
		cmocka_unit_test(fio_itself_reads_the_same),
		cmocka_unit_test(fio_itself_lists_no_other_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
