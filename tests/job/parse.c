/*
 * Command lines and job files to jobs. What the fio face must give was read off Debian's fio
 * 3.33: --showcmd, and "groupid", "global options" and "job options" of its JSON, with the
 * null engine.
 */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jobs.h"

static void assert_parses(enum face face, const char *line, const char *want)
{
	struct job_set set;
	struct err err = {0};
	autostr got = {0};

	if (parse_line(&set, face, line, &err))
		fail_msg("%s: %s", line, err.text);
	summarise(&set, &got);
	assert_string_equal(str_text(&got), want);
	job_set_done(&set);
}

static void assert_refuses(enum face face, const char *line, const char *want)
{
	struct job_set set;
	struct err err = {0};
	int rc = parse_line(&set, face, line, &err);

	if (rc != -EINVAL)
		fail_msg("%s: %d, not refused with \"%s\"", line, rc, want);
	assert_int_equal(err.kind, ERR_INPUT);
	if (!strstr(err.text, want))
		fail_msg("\"%s\" has no \"%s\"", err.text, want);
	job_set_done(&set);
}

/* One job file t.job in the working directory. */
static void assert_file(enum face face, const char *text, const char *want)
{
	write_file("t.job", text);
	assert_parses(face, "t.job", want);
}

static void assert_file_refused(enum face face, const char *text, const char *want)
{
	write_file("t.job", text);
	assert_refuses(face, "t.job", want);
}

#define NULL4K	"--ioengine=null --size=4k "
#define GLOBALS "{ioengine=null size=4k} "

static void fio_line_takes_dashes_words_and_prefixes(void **state)
{
	static const char *const lines[] = {
		"--ioengine=null --size=4k --name=a --bs=1k",
		"-ioengine=null -size=4k -name=a -bs=1k",
		"--ioengine null --size 4k --name a --bs 1k",
		"-ioeng null --size=4k --na a --bs 1k",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_parses(FACE_FIO, lines[i], GLOBALS "a 0/0(name=a bs=1k)");
	assert_parses(FACE_FIO, NULL4K "--name=a --group_reporting --blocksize=2k --timeout=1",
		      GLOBALS "a 0/0(name=a group_reporting bs=2k runtime=1)");
	assert_parses(FACE_FIO, "--bs=4k=3 " NULL4K "--name=a",
		      "{bs=4k=3 ioengine=null size=4k} a 0/0(name=a)");
	assert_refuses(FACE_FIO, NULL4K "--name=", "write --name=NAME");
	assert_refuses(FACE_FIO, NULL4K "--name=a --siz=4k --iodep=4", "--iodep");
	assert_refuses(FACE_FIO, NULL4K "--name=a --bs", "--bs: the value is missing");
	assert_refuses(FACE_FIO, NULL4K "--name=a --readonly=1",
		       "command line: readonly: takes no value");
	assert_refuses(FACE_FIO, NULL4K "--name=a --group_reporting 1", "1: ");
	assert_refuses(FACE_FIO, NULL4K "--name=a --read_wriite=read", "read_wriite");
	assert_refuses(FACE_FIO, "-- --name=a", "--name=a: no such job file");
}

static void fio_line_has_globals_before_and_between_jobs(void **state)
{
	(void)state;
	assert_parses(FACE_FIO, NULL4K "--name=a --name=b --bs=1k",
		      GLOBALS "a 0/0(name=a) " GLOBALS "b 0/0(name=b bs=1k)");
	assert_parses(FACE_FIO, NULL4K "--name=a --name=global --bs=1k --name=b",
		      GLOBALS "a 0/0(name=a) {ioengine=null size=4k bs=1k} b 0/0(name=b)");
	assert_parses(FACE_FIO, NULL4K "--name=a --name=b --section=b",
		      GLOBALS "b 0/0(name=b)");
	assert_refuses(FACE_FIO, NULL4K, "no job is defined");
	assert_refuses(FACE_FIO, "", "no job is defined");
}

static void native_line_is_strict(void **state)
{
	(void)state;
	assert_parses(FACE_NATIVE, "--ioengine=null --size=4k --bs=1k",
		      "job 0/0(ioengine=null size=4k bs=1k)");
	assert_parses(FACE_NATIVE, NULL4K "--name=a --name=b --bs=1k",
		      GLOBALS "a 0/0(name=a) " GLOBALS "b 0/0(name=b bs=1k)");
	assert_refuses(FACE_NATIVE, "--ioengine null --size=4k", "write --ioengine=null");
	assert_refuses(FACE_NATIVE, NULL4K "--bs", "write --bs=VALUE");
	assert_refuses(FACE_NATIVE, "-size=4k", "write --size=4k");
	assert_refuses(FACE_NATIVE, "--ioeng=null --size=4k", "ioeng");
	assert_refuses(FACE_NATIVE, NULL4K "--name=", "write --name=NAME");
	assert_refuses(FACE_NATIVE, "bs=4k", "write --bs=4k");
	assert_refuses(FACE_NATIVE, "-o", "write -o FILE");
	assert_refuses(FACE_NATIVE, "", "no job is defined");
}

static void output_has_a_short_form(void **state)
{
	struct job_set set;
	struct err err = {0};

	(void)state;
	assert_int_equal(parse_line(&set, FACE_NATIVE, NULL4K "-o x.txt", &err), 0);
	assert_string_equal(set.options.output, "x.txt");
	job_set_done(&set);
}

static void help_and_version_need_no_job(void **state)
{
	static const char *const lines[] = {"--help",	    "-h",	 "--version",	  "-v",
					    "--cmdhelp=bs", "--cmdhelp", "--enghelp=null"};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct job_set set;
		struct err err = {0};

		assert_int_equal(parse_line(&set, FACE_FIO, lines[i], &err), 0);
		assert_int_equal(set.njobs, 0);
		job_set_done(&set);
	}
}

static void file_globals_hold_for_the_sections_below(void **state)
{
	(void)state;
	for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++)
		assert_file(face,
			    "[global]\nioengine=null\nsize=4k\n[a]\n[global]\nbs=1k\n[b]\n"
			    "[global]\nbs=2k\n",
			    GLOBALS "a 0/0() {ioengine=null size=4k bs=1k} b 0/0()");
}

static void fio_file_order_is_kept(void **state)
{
	(void)state;
	assert_file(FACE_FIO,
		    "[a]\ndescription=x\nhipri=0\nfilename=q\nioengine=io_uring\nbs=1k\n"
		    "cpus_allowed_policy=split\nsize=4k\nkb_base=1000\n",
		    "a 0/0(cpus_allowed_policy=split kb_base=1000 description=x "
		    "ioengine=io_uring bs=1k size=4k filename=q hipri=0)");
}

static void name_in_a_section_renames_the_job(void **state)
{
	(void)state;
	assert_file(FACE_FIO, "[a]\nname=z\nioengine=null\nsize=4k\n",
		    "z 0/0(name=z ioengine=null size=4k)");
	assert_file(FACE_NATIVE, "[a]\nioengine=null\nname=z\nsize=4k\n",
		    "z 0/0(ioengine=null name=z size=4k)");
	assert_file_refused(FACE_NATIVE, "[global]\nname=z\n[a]\nioengine=null\nsize=4k\n",
			    "t.job:2: name: [global] is no job");
}

static void filename_accumulates_and_other_keys_do_not(void **state)
{
	struct job_set set;
	struct err err = {0};

	(void)state;
	write_file("t.job",
		   "[a]\nioengine=null\nsize=64k\nfilename=x:y\nfilename=z\nbs=1k\nbs=2k\n");
	assert_int_equal(parse_line(&set, FACE_FIO, "t.job", &err), 0);
	assert_int_equal(set.jobs[0]->filename.count, 3);
	assert_string_equal(set.jobs[0]->filename.items[2], "z");
	assert_int_equal(set.jobs[0]->nrfiles, 3);
	assert_int_equal(set.jobs[0]->bs[DIR_READ].min, 2048);
	assert_non_null(find_note(&set, NOTE_CHANGED, "bs"));
	assert_null(find_note(&set, NOTE_CHANGED, "filename"));
	job_set_done(&set);
	assert_refuses(FACE_NATIVE, "t.job", "t.job:7: bs: was set at t.job:6 already");
}

/* Two names apart would be two files made in this folder. */
static void names_with_a_scheme_are_one(void **state)
{
	struct job_set set;
	struct err err = {0};

	(void)state;
	assert_int_equal(parse_line(&set, FACE_NATIVE,
				    "--name=a --size=64k --ioengine=psync "
				    "--filename=serial:S3Z1:./serial:b:/dev/serial:c",
				    &err),
			 0);
	assert_int_equal(set.jobs[0]->filename.count, 5);
	assert_string_equal(set.jobs[0]->filename.items[0], "serial:S3Z1");
	assert_string_equal(set.jobs[0]->filename.items[1], "./serial");
	assert_string_equal(set.jobs[0]->filename.items[3], "/dev/serial");
	job_set_done(&set);
}

/* groupid as Debian's fio gives it. */
static void groups_are_numbered_as_fio_does(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"[a]\nnumjobs=2\n[b]\n", "a0b0"},
		{"[a]\nnumjobs=2\n[b]\nnew_group\n[c]\nstonewall\n[d]\nstonewall=0\n"
		 "[e]\nnew_group=1\n[f]\n",
		 "a0b1c2d2e3f3"},
		{"[a]\n[b]\nnew_group\n[c]\nnew_group\nnumjobs=2\n[d]\n", "a0b1c2d2"},
		{"[a]\n[b]\nstonewall\nnumjobs=3\n[c]\n[d]\nwait_for=a\n[e]\n"
		 "wait_for_previous\n",
		 "a0b1c1d1e2"},
		{"[a]\nnew_group\nstonewall\n[b]\nstonewall\nnew_group\n[c]\n", "a0b1c1"},
		{"[a]\nstonewall\n[b]\n", "a0b0"},
		{"[global]\nstonewall\n[a]\nnumjobs=2\n[b]\n[c]\n", "a0b1c2"},
		{"[global]\nnew_group\n[a]\n[b]\nnumjobs=2\n[c]\n", "a0b1c2"},
		{"[a]\ngroup_reporting\n[b]\n[c]\ngroup_reporting\n[d]\nstonewall\n"
		 "group_reporting\n[e]\n",
		 "a0b0c0d1e1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job_set set;
		struct err err = {0};
		autostr got = {0};

		write_file("t.job", rows[i].text);
		if (parse_line(&set, FACE_FIO, "t.job " NULL4K, &err))
			fail_msg("%s: %s", rows[i].text, err.text);
		for (unsigned k = 0; k < set.njobs; k++)
			str_printf(&got, "%s%u", set.jobs[k]->name, set.jobs[k]->group);
		assert_string_equal(str_text(&got), rows[i].want);
		job_set_done(&set);
	}
}

static void each_further_file_waits_and_has_its_own_globals(void **state)
{
	(void)state;
	write_file("g1.job", "[global]\nioengine=null\nsize=16k\nbs=8k\n[g1]\n");
	write_file("g2.job", "[g2]\nioengine=null\nsize=16k\n[g3]\nioengine=null\nsize=4k\n");
	assert_parses(FACE_FIO, "--iodepth=2 g1.job g2.job",
		      "{iodepth=2 ioengine=null size=16k bs=8k} g1 0/0() "
		      "{iodepth=2} g2 1/1(ioengine=null size=16k) "
		      "{iodepth=2} g3 1/1(ioengine=null size=4k)");
	assert_parses(FACE_FIO, NULL4K "--name=x g2.job",
		      GLOBALS "x 0/0(name=x) " GLOBALS "g2 0/0(ioengine=null size=16k) " GLOBALS
			      "g3 0/0(ioengine=null size=4k)");
	assert_parses(FACE_FIO, "g2.job g2.job --section=g3",
		      "g3 0/0(ioengine=null size=4k) g3 1/1(ioengine=null size=4k)");
	assert_refuses(FACE_FIO, "g2.job --section=no", "there are: g2, g3");
	assert_refuses(FACE_FIO, "g2.job --section=g2,g3", "there is no such section");
}

/* Also when they come after it: argv is read before any file (fio 3.33 does so). */
static void options_beside_a_file_are_its_defaults(void **state)
{
	struct job_set set;
	struct err err = {0};

	(void)state;
	write_file("t.job",
		   "[a]\nioengine=null\nsize=4k\n[b]\nioengine=null\nsize=4k\nbs=1k\n");
	assert_parses(FACE_FIO, "t.job --bs=2k",
		      "{bs=2k} a 0/0(ioengine=null size=4k) "
		      "{bs=2k} b 0/0(ioengine=null size=4k bs=1k)");
	for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++) {
		const struct job_note *note;

		assert_int_equal(parse_line(&set, face, "t.job --bs=2k", &err), 0);
		assert_int_equal(set.jobs[0]->bs[DIR_READ].min, 2048);
		assert_int_equal(set.jobs[1]->bs[DIR_READ].min, 1024);
		note = find_note(&set, NOTE_CHANGED, "bs");
		assert_non_null(note);
		assert_string_equal(note->job, "b");
		assert_non_null(strstr(note->text, "t.job:7 sets it"));
		job_set_done(&set);
	}
}

static void standard_input_is_a_job_file(void **state)
{
	int saved = dup(STDIN_FILENO);

	(void)state;
	write_file("t.job", "[a]\nioengine=null\nsize=4k\nbad=1\n");
	assert_non_null(freopen("t.job", "r", stdin));
	assert_refuses(FACE_FIO, "-", "stdin:4:");
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	(void)close(saved);
}

static void wrong_input_is_one_clear_message(void **state)
{
	static const struct {
		const char *text, *want;
	} both[] = {
		{"[a]\nioengine=null\nsize=4k\nbss=4k\n", "t.job:4: "},
		{"[a]\nioengine=null\nsize=\n", "t.job:3: size: a value is missing"},
		{"[a]\nioengine=null\nsize=abc\n", "t.job:3: size: "},
		{"[a]\nioengine=null\nsize=-4k\n", "t.job:3: size: "},
		{"[a]\nioengine=nul\nsize=4k\n", "t.job:2: ioengine: "},
		{"[a]\nioengine=null\nsize=4k\nbs=8k\n", "t.job:4: [a]: bs: "},
		{"[a]\nioengine=null\nsize=4k\ndirect\n", "t.job:4: direct: "},
		{"[a]\nioengine=null\nsize=4k\noutput=x\n", "write --output there"},
		{"[a]\nrw=read\n", "t.job:1: [a]: size: is missing"},
		{"[a]\nioengine=null\n", "size: is missing"},
		{"[global]\nbs=4k\n", "no job is defined"},
		{"", "no job is defined"},
		{"[a]\nioengine=null\nsize=4k\nwait_for=b\n[b]\n", "wait_for: no job before"},
		{"[a]\nioengine=null\nsize=4k\nwait_for=a\n", "cannot wait for itself"},
		{"[a]\nioengine=null\nsize=4k\nhipri\n",
		 "t.job:4: [a]: hipri: is an option of"},
		{"[a]\nioengine=null\nsize=4k\nnumjobs=0\n", "t.job:4: numjobs: "},
		{"[a]\nioengine=null\nsize=4k\niodepth=0\n", "t.job:4: iodepth: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++)
			assert_file_refused(face, both[i].text, both[i].want);
	for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++) {
		assert_refuses(face, "none.job",
			       "none.job: cannot read the job file: no such file");
		assert_refuses(face, ".", ".: is a directory, not a job file");
	}
	assert_file_refused(FACE_NATIVE, "[a]\nioengine=null\nsize=4k\n[a]\n",
			    "t.job:4: [a]: a job of this name is at t.job:1 already");
	assert_file_refused(FACE_NATIVE,
			    "[global]\nbs=1k\nbs=2k\n[a]\nioengine=null\nsize=4k\n",
			    "t.job:3: bs: was set at t.job:2 already");
	assert_file_refused(FACE_NATIVE, "[a]\nioengine=null\nsize=4q\n", "t.job:3: size: ");
	assert_file_refused(FACE_NATIVE, "[a]\nioengine=null\nsize=${ASSAY_NOT_SET}\n",
			    "t.job:3: size: ${ASSAY_NOT_SET}: ");
}

static void odd_words_are_refused(void **state)
{
	static const char *const words[] = {
		"--=x", "-=", "---", "--name", "=", "--=", "-x", "-1", "--", "--a=b=c", "-h=1"};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++)
			assert_refuses(face, words[i], "");
}

/* fio wants --ioengine first; here the place does not matter. */
static void engine_option_may_stand_before_its_engine(void **state)
{
	(void)state;
	for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++) {
		assert_parses(face, "--name=a --fixedbufs=1 --size=4k --ioengine=io_uring",
			      "a 0/0(name=a fixedbufs=1 size=4k ioengine=io_uring)");
		assert_refuses(face, "--name=a --fixedbufs=1 --size=4k --ioengine=libaio",
			       "[a]: fixedbufs: is an option of io_uring");
	}
}

static void warnings_are_fatal_when_asked(void **state)
{
	(void)state;
	assert_parses(FACE_FIO, NULL4K "--warnings-fatal --name=a", GLOBALS "a 0/0(name=a)");
	assert_parses(FACE_FIO, NULL4K "--name=a --bs=1q", GLOBALS "a 0/0(name=a bs=1q)");
	assert_refuses(FACE_FIO, NULL4K "--warnings-fatal --name=a --bs=1q", "a: bs: \"1q\"");
	assert_refuses(FACE_FIO, NULL4K "--name=a --bs=1q --warnings-fatal",
		       "--warnings-fatal");
}

static void output_formats_are_a_list(void **state)
{
	(void)state;
	assert_parses(FACE_FIO, NULL4K "--name=a --output-format=json+,normal",
		      GLOBALS "a 0/0(name=a)");
	assert_refuses(FACE_FIO, NULL4K "--name=a --output-format=json,xml", "\"xml\" is not");
	assert_refuses(FACE_FIO, NULL4K "--name=a --output-format=json,", "\"\" is not");
	assert_refuses(FACE_NATIVE, NULL4K "--output-format=json", "--format=");
}

static void max_jobs_is_a_limit_natively(void **state)
{
	struct job_set set;
	struct err err = {0};

	(void)state;
	assert_refuses(FACE_NATIVE, NULL4K "--numjobs=5 --max-jobs=2", "--max-jobs=2");
	assert_int_equal(
		parse_line(&set, FACE_FIO, NULL4K "--name=a --numjobs=5 --max-jobs=2", &err),
		0);
	assert_non_null(find_note(&set, NOTE_WARNING, "max-jobs"));
	job_set_done(&set);
}

/* What showcmd prints for the fio face, read again, is the same set. */
static void showcmd_is_read_back_the_same(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"[global]\nioengine=null\nsize=4k\n[a]\ndescription=it is\ntime_based\n"
		 "runtime=1\n",
		 "fio --ioengine=null --size=4k --name=a --description=\"it is\" --time_based "
		 "--runtime=1 \n"},
		{"[global]\nioengine=null\nsize=4k\n[a]\n[global]\nbs=1k\n[b]\nstonewall\n",
		 "fio --ioengine=null --size=4k --name=a --name=global --bs=1k --name=b "
		 "--stonewall \n"},
		{"[a]\nname=z z\nioengine=null\nsize=4k\nfilename=/x\\:y:it's\n",
		 "fio --name='z z' --ioengine=null --size=4k --filename='/x\\:y:it'\\''s' \n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job_set set;
		struct err err = {0};
		autostr got = {0};

		write_file("t.job", rows[i].text);
		if (parse_line(&set, FACE_FIO, "t.job", &err))
			fail_msg("%s", err.text);
		job_showcmd(&set, &got);
		assert_string_equal(str_text(&got), rows[i].want);
		job_set_done(&set);
	}
}

static int enter_scratch(void **state)
{
	static char path[60];

	*state = path;
	(void)snprintf(path, sizeof(path), "/tmp/assay-job-%d", getpid());
	return mkdir(path, 0700) || chdir(path);
}

static int leave_scratch(void **state)
{
	(void)unlink("t.job");
	(void)unlink("g1.job");
	(void)unlink("g2.job");
	return chdir("/") || rmdir(*state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fio_line_takes_dashes_words_and_prefixes),
		cmocka_unit_test(fio_line_has_globals_before_and_between_jobs),
		cmocka_unit_test(native_line_is_strict),
		cmocka_unit_test(output_has_a_short_form),
		cmocka_unit_test(help_and_version_need_no_job),
		cmocka_unit_test(file_globals_hold_for_the_sections_below),
		cmocka_unit_test(fio_file_order_is_kept),
		cmocka_unit_test(name_in_a_section_renames_the_job),
		cmocka_unit_test(filename_accumulates_and_other_keys_do_not),
		cmocka_unit_test(names_with_a_scheme_are_one),
		cmocka_unit_test(groups_are_numbered_as_fio_does),
		cmocka_unit_test(each_further_file_waits_and_has_its_own_globals),
		cmocka_unit_test(options_beside_a_file_are_its_defaults),
		cmocka_unit_test(standard_input_is_a_job_file),
		cmocka_unit_test(wrong_input_is_one_clear_message),
		cmocka_unit_test(odd_words_are_refused),
		cmocka_unit_test(engine_option_may_stand_before_its_engine),
		cmocka_unit_test(warnings_are_fatal_when_asked),
		cmocka_unit_test(output_formats_are_a_list),
		cmocka_unit_test(max_jobs_is_a_limit_natively),
		cmocka_unit_test(showcmd_is_read_back_the_same),
	};

	return cmocka_run_group_tests(tests, enter_scratch, leave_scratch);
}
