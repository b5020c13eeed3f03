/* What may be written over: new and empty files, and what we wrote as long as it stands. */
#include "base/outfile.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "unit.h"

static char folder[] = "/tmp/assay-outfile-"
		       "XX"
		       "XX"
		       "XX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	static const char *const names[] = {"ours", "theirs", "link", "empty", "fifo", "new"};

	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		(void)unlink(names[i]);
	return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text, int flags)
{
	autofd fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);

	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, text, strlen(text)), 0);
}

static void refused(const char *path, enum outfile_rule rule, const char *says)
{
	struct err err = {0};

	assert_int_equal(outfile_check(path, rule, &err), -EINVAL);
	assert_int_equal(err.kind, ERR_INPUT);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, says));
	assert_true(outfile_open(path, rule, 0, NULL) < 0);
}

static void what_somebody_else_wrote_stays(void **state)
{
	autostr text = {0};

	(void)state;
	put("theirs", "precious", O_TRUNC);
	refused("theirs", OUTFILE_AGAIN, "not as assay wrote it: remove it");
	refused("theirs", OUTFILE_NEW, "is there already: remove it");
	assert_int_equal(symlink("theirs", "link"), 0);
	refused("link", OUTFILE_AGAIN, "is there already");
	assert_int_equal(file_read("theirs", 100, &text), 0);
	assert_string_equal(str_text(&text), "precious");
	assert_int_equal(outfile_check("theirs", OUTFILE_ANY, NULL), 0);
}

static void ours_is_ours_until_it_is_changed(void **state)
{
	struct stat before;
	struct timespec times[2];
	int fd;

	(void)state;
	put("ours", "a report", O_TRUNC);
	fd = open("ours", O_WRONLY | O_CLOEXEC);
	outfile_mark(fd);
	assert_int_equal(close(fd), 0);
	assert_int_equal(outfile_check("ours", OUTFILE_AGAIN, NULL), 0);
	refused("ours", OUTFILE_NEW, "is there already");
	assert_int_equal(stat("ours", &before), 0);
	put("ours", "A", 0); /* the same size */
	times[0] = times[1] =
		(struct timespec){.tv_sec = before.st_mtim.tv_sec + 1,
				  .tv_nsec = before.st_mtim.tv_nsec}; /* beyond a tick */
	assert_int_equal(utimensat(AT_FDCWD, "ours", times, 0), 0);
	refused("ours", OUTFILE_AGAIN, "not as assay wrote it");
	outfile_mark_path("ours");
	assert_int_equal(outfile_check("ours", OUTFILE_AGAIN, NULL), 0);
	put("ours", " and a note", O_APPEND);
	refused("ours", OUTFILE_AGAIN, "not as assay wrote it");
}

static void new_and_empty_files_are_free(void **state)
{
	int fd = outfile_open("new", OUTFILE_NEW, 0, NULL);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	put("empty", "", O_TRUNC);
	assert_int_equal(outfile_check("empty", OUTFILE_NEW, NULL), 0);
	assert_int_equal(outfile_check("empty", OUTFILE_AGAIN, NULL), 0);
	outfile_mark_path("is-not-there");
}

static void places_that_are_no_files(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(mkfifo("fifo", 0644), 0);
	assert_int_equal(outfile_check("fifo", OUTFILE_NEW, NULL), 0);
	assert_int_equal(outfile_check("/dev/null", OUTFILE_NEW, NULL), 0);
	assert_int_equal(outfile_check("/dev/tty", OUTFILE_AGAIN, NULL), 0);
	assert_int_equal(outfile_check(folder, OUTFILE_ANY, NULL), -EISDIR);
	refused("/dev/urandom", OUTFILE_ANY, "is a device");
	assert_int_equal(outfile_open("no/such/folder", OUTFILE_ANY, 0, &err), -ENOENT);
	assert_int_equal(err.kind, ERR_ENVIRONMENT);
	err = (struct err){0};
	assert_int_equal(outfile_check("/dev/null/x", OUTFILE_ANY, &err), -ENOTDIR);
	assert_int_equal(err.kind, ERR_ENVIRONMENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_somebody_else_wrote_stays),
		cmocka_unit_test(ours_is_ours_until_it_is_changed),
		cmocka_unit_test(new_and_empty_files_are_free),
		cmocka_unit_test(places_that_are_no_files),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
