#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "job/ini.h"

/* The sink writes what it is told as text: "[name]@where", "key=value@where", "key@where". */
static int log_section(void *arg, const char *name, const char *where, struct err *err)
{
	(void)err;
	str_printf(arg, "[%s]@%s\n", name, where);
	return 0;
}

static int log_setting(void *arg, const char *key, const char *value, const char *where,
		       struct err *err)
{
	(void)err;
	str_printf(arg, "%s%s%s@%s\n", key, value ? "=" : "", value ? value : "", where);
	return 0;
}

static void log_doubt(void *arg, const char *where, const char *text)
{
	str_printf(arg, "doubt@%s: %s\n", where, text);
}

/* Included files of the tests. */
static int load(const char *path, struct str *ret_text)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{"dir/beside", "bs=7k\nthread"},
		{"here", "rw=read\n"},
		{"dir/loop", "include loop\n"},
		{"dir/section", "[z]\nbs=1k\n"},
		{"dir/deep", "include deeper\n"},
		{"dir/deeper", "size=1m"},
		{"/abs", "direct=1"},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (str_equal(files[i].path, path)) {
			str_add(ret_text, files[i].text);
			return 0;
		}
	return -ENOENT;
}

static int read_as(const char *text, size_t bytes, enum face face, struct str *log,
		   struct err *err)
{
	const struct ini_source source = {
		.name = "dir/f", .text = text, .bytes = bytes, .face = face, .load = load};
	const struct ini_sink sink = {log, log_section, log_setting, log_doubt};

	return ini_read(&source, &sink, err);
}

static void assert_reads(const char *text, enum face face, const char *want)
{
	struct err err = {0};
	autostr log = {0};

	if (read_as(text, strlen(text), face, &log, &err))
		fail_msg("%s: %s", text, err.text);
	assert_string_equal(str_text(&log), want);
}

static void assert_fails(const char *text, enum face face, const char *want)
{
	struct err err = {0};
	autostr log = {0};

	assert_int_equal(read_as(text, strlen(text), face, &log, &err), -EINVAL);
	assert_int_equal(err.kind, ERR_INPUT);
	assert_string_equal(err.text, want);
}

static void section_and_setting_come_with_their_lines(void **state)
{
	static const char text[] =
		"; head\n\n[global]\nbs=4k\n\n  [a b]\n\ttime_based\nrw = read";

	(void)state;
	assert_reads(text, FACE_NATIVE,
		     "[global]@dir/f:3\nbs=4k@dir/f:4\n[a b]@dir/f:6\ntime_based@dir/f:7\n"
		     "rw=read@dir/f:8\n");
}

/* All as Debian's fio 3.33 reads it (--showcmd). */
static void fio_face_reads_as_fio(void **state)
{
	(void)state;
	assert_reads("[a]\nbs=4k;x\nsize=1m#y\nfilename=a\\;b\n;x\n \t# y\n", FACE_FIO,
		     "[a]@dir/f:1\nbs=4k@dir/f:2\nsize=1m@dir/f:3\nfilename=a\\@dir/f:4\n");
	assert_reads("[a]\nfilename = foo bar  \nbs =4k\ndescription=a=b=c\nbs=\n", FACE_FIO,
		     "[a]@dir/f:1\nfilename= foo bar@dir/f:2\nbs=4k@dir/f:3\n"
		     "description=a=b=c@dir/f:4\nbs=@dir/f:5\n");
	assert_reads("[f];c\n[g] # c\n[ h ]\r\nbs=1k\r\n", FACE_FIO,
		     "[f]@dir/f:1\n[g]@dir/f:2\n[ h ]@dir/f:3\nbs=1k@dir/f:4\n");
	assert_reads("[a#b]\n[cd;e]\n", FACE_FIO,
		     "doubt@dir/f:1: the comment sign inside the [ ] cuts the section's name\n"
		     "[]@dir/f:1\n"
		     "doubt@dir/f:2: the comment sign inside the [ ] cuts the section's name\n"
		     "[c]@dir/f:2\n");
}

static void native_comment_starts_the_line_or_follows_a_blank(void **state)
{
	(void)state;
	assert_reads("[a#b] ; c\nfilename=x#y;z # c\nbs=\t4k\t;c\n#d\n", FACE_NATIVE,
		     "[a#b]@dir/f:1\nfilename=x#y;z@dir/f:2\nbs=4k@dir/f:3\n");
}

static void include_is_read_in_place(void **state)
{
	(void)state;
	for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++) {
		assert_reads("[a]\ninclude beside\nsize=1m\n", face,
			     "[a]@dir/f:1\nbs=7k@dir/beside:1\nthread@dir/beside:2\n"
			     "size=1m@dir/f:3\n");
		assert_reads("[a]\ninclude  deep ;c\ninclude /abs", face,
			     "[a]@dir/f:1\nsize=1m@dir/deeper:1\ndirect=1@/abs:1\n");
		assert_fails("[a]\ninclude no\n", face,
			     "dir/f:2: include no: no such file or directory");
		assert_fails("[a]\ninclude\n", face,
			     "dir/f:2: include: no file is named: write include FILE");
		assert_fails("[a]\ninclude loop\n", face,
			     "dir/loop:1: include loop: files include each other more than 32 "
			     "deep: is there a loop?");
		assert_fails("[a]\ninclude section\n", face,
			     "dir/section:1: [z]: an included file can not start a section");
	}
	/* fio tries the path as it stands, too, and takes "=". */
	assert_reads("[a]\ninclude=here\n", FACE_FIO, "[a]@dir/f:1\nrw=read@here:1\n");
	assert_fails("[a]\ninclude here\n", FACE_NATIVE,
		     "dir/f:2: include here: no such file or directory");
}

static void wrong_text_is_one_clear_error(void **state)
{
	(void)state;
	for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++) {
		assert_fails("\n[a\nbs=4k\n", face,
			     "dir/f:2: [a: the section's \"]\" is missing");
		assert_fails("[a] bs=4k\n", face,
			     "dir/f:1: [a] bs=4k: nothing but a comment may follow the \"]\"");
		assert_fails(
			"bs=4k\n[a]\n", face,
			"dir/f:1: bs=4k: stands before the first section: write [global] or "
			"[NAME] above it");
		assert_fails(
			"[a]\nbs 4k\n", face,
			"dir/f:2: \"bs 4k\": an option and its value need a \"=\" between");
		assert_fails("[a]\n=4k\n", face,
			     "dir/f:2: no option is named before the \"=\"");
		assert_fails("[a]\n--bs=4k\n", face,
			     "dir/f:2: --bs: in a job file options have no dashes: write bs");
	}
	assert_fails("[]\nbs=4k\n", FACE_NATIVE,
		     "dir/f:1: the section has no name: write [NAME]");
	assert_fails("[a]\nbs=${ASSAY_NOT_SET}\n", FACE_NATIVE,
		     "dir/f:2: bs: ${ASSAY_NOT_SET}: the environment has no variable of this "
		     "name; set it, or write the value");
	assert_fails("[a]\ndescription=${ASSAY\n", FACE_NATIVE,
		     "dir/f:2: description: \"${ASSAY\": the \"}\" is missing");
}

static void binary_is_not_text(void **state)
{
	static const char text[] = "[a]\nbs\0=4k\n";
	struct err err = {0};
	autostr log = {0};

	(void)state;
	assert_int_equal(read_as(text, sizeof(text) - 1, FACE_FIO, &log, &err), -EINVAL);
	assert_string_equal(err.text, "dir/f:2: this is not text: it holds a NUL byte");
}

static void mark_and_missing_newline_do_no_harm(void **state)
{
	(void)state;
	assert_reads("\xef\xbb\xbf[a]\nbs=4k", FACE_NATIVE, "[a]@dir/f:1\nbs=4k@dir/f:2\n");
	assert_reads("", FACE_NATIVE, "");
	assert_reads("[a]", FACE_FIO, "[a]@dir/f:1\n");
}

/* Any text gives a result or one message with a place, whatever its bytes. */
static void any_text_is_read_or_refused(void **state)
{
	static const char alphabet[] = "[]=;#\n\n a1$${}^*/-\\\t\r";
	struct rng rng;

	(void)state;
	rng_seed(&rng, 20262, 0);
	for (int round = 0; round < 20000; round++) {
		size_t bytes = rng_below(&rng, 40);
		struct err err = {0};
		autostr log = {0};
		char text[40];
		int rc;

		for (size_t i = 0; i < bytes; i++)
			text[i] = alphabet[rng_below(&rng, sizeof(alphabet) - 1)];
		rc = read_as(text, bytes, round % 2 ? FACE_FIO : FACE_NATIVE, &log, &err);
		assert_true(rc == 0 || rc == -EINVAL);
		assert_int_equal(err.code, rc);
		if (rc)
			assert_true(str_starts(err.text, "dir/f:"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(section_and_setting_come_with_their_lines),
		cmocka_unit_test(fio_face_reads_as_fio),
		cmocka_unit_test(native_comment_starts_the_line_or_follows_a_blank),
		cmocka_unit_test(include_is_read_in_place),
		cmocka_unit_test(wrong_text_is_one_clear_error),
		cmocka_unit_test(binary_is_not_text),
		cmocka_unit_test(mark_and_missing_newline_do_no_harm),
		cmocka_unit_test(any_text_is_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
