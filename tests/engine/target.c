/*
 * Opening targets: what they are, what is refused, and that the refusal says why and what to do.
 */
#include "bed.h"

#include <errno.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>

static const struct target_mode read_mode = {.reads = true};
static const struct target_mode write_mode = {.reads = true, .writes = true};
static const struct target_mode create_mode = {.writes = true, .create = true};

static struct target target;
static struct err err;

static int open_target(const char *path, const struct target_mode *mode)
{
	target = (struct target){.path = path, .fd = -1};
	err = (struct err){0};
	return target_open(&target, mode, &err);
}

static void assert_says(const char *word)
{
	if (!strstr(err.text, word))
		fail_msg("\"%s\" does not say \"%s\"", err.text, word);
}

static void assert_refused(const char *path, const struct target_mode *mode, int code)
{
	assert_int_equal(open_target(path, mode), code);
	assert_int_equal(target.fd, -1);
	assert_false(target.created);
	assert_int_equal(err.code, code);
	assert_says(path);
}

static void a_file_tells_its_size(void **state)
{
	char path[256];
	struct stat st;

	(void)state;
	bed_file(".", path, sizeof(path), 12345);
	assert_int_equal(open_target(path, &write_mode), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(target.kind, TARGET_FILE);
	assert_int_equal(target.size_bytes, 12345);
	assert_int_equal(target.dev, st.st_dev);
	assert_false(target.created);
	assert_false(target.direct);
	target_close(&target);
	assert_int_equal(target.fd, -1);
	target_close(&target); /* twice is harmless */
	assert_int_equal(unlink(path), 0);
}

static void a_loop_device_tells_size_and_alignment(void **state)
{
	struct target_mode mode = write_mode;
	struct bed_loop loop;
	struct stat st;

	(void)state;
	if (!bed_loop_open(&loop, 64 * BED_BLOCK, false))
		skip();
	mode.direct = true;
	assert_int_equal(open_target(loop.path, &mode), 0);
	assert_int_equal(stat(loop.path, &st), 0);
	assert_int_equal(target.kind, TARGET_BLOCK);
	assert_int_equal(target.size_bytes, 64 * BED_BLOCK);
	assert_int_equal(target.dio_offset_align, 512);
	assert_in_range(target.dio_mem_align, 1, 512);
	assert_int_equal(target.dev, st.st_rdev);
	assert_true(target.direct);
	target_close(&target);
	bed_loop_close(&loop);
}

static void a_character_device_has_no_size(void **state)
{
	(void)state;
	assert_int_equal(open_target("/dev/zero", &read_mode), 0);
	assert_int_equal(target.kind, TARGET_CHAR);
	assert_int_equal(target.size_bytes, 0);
	assert_int_equal(target_trim(&target, 0, 4096), -EOPNOTSUPP);
	target_close(&target);
}

static void flags_of_the_job_are_on_the_descriptor(void **state)
{
	struct target_mode mode = {.writes = true, .direct = true, .sync = SYNC_SYNC};
	char path[256];
	int flags;

	(void)state;
	bed_file(".", path, sizeof(path), 4096);
	assert_int_equal(open_target(path, &mode), 0);
	flags = fcntl(target.fd, F_GETFL);
	assert_true(flags & O_DIRECT);
	assert_int_equal(flags & O_SYNC, O_SYNC);
	assert_int_equal(flags & O_ACCMODE, O_RDWR);
	assert_true(fcntl(target.fd, F_GETFD) & FD_CLOEXEC);
	target_close(&target);
	mode.sync = SYNC_DSYNC;
	assert_int_equal(open_target(path, &mode), 0);
	assert_int_equal(fcntl(target.fd, F_GETFL) & O_SYNC, O_DSYNC);
	target_close(&target);
	assert_int_equal(open_target(path, &read_mode), 0);
	assert_int_equal(fcntl(target.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	target_close(&target);
	assert_int_equal(unlink(path), 0);
}

static void a_missing_file_is_made_only_when_asked(void **state)
{
	const char *path = "./assay-made";

	(void)state;
	(void)unlink(path);
	assert_refused(path, &write_mode, -ENOENT);
	assert_says("does not exist");
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(open_target(path, &create_mode), 0);
	assert_true(target.created);
	assert_int_equal(target.size_bytes, 0);
	target_close(&target);
	assert_int_equal(open_target(path, &create_mode), 0);
	assert_false(target.created); /* the second time it was there */
	target_close(&target);
	assert_int_equal(unlink(path), 0);
}

static void no_file_is_made_where_devices_live(void **state)
{
	static const char *const paths[] = {"/dev/nvme9n9x", "/proc/assay-no", "/sys/assay-no",
					    "/dev/pts/assay-no"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(paths); i++) {
		assert_refused(paths[i], &create_mode, -EINVAL);
		assert_int_equal(err.kind, ERR_INPUT);
		assert_says("spelled right");
		assert_int_equal(access(paths[i], F_OK), -1);
	}
	assert_int_equal(open_target("/dev/shm/assay-yes", &create_mode), 0);
	target_close(&target);
	assert_int_equal(unlink("/dev/shm/assay-yes"), 0);
}

static void a_missing_directory_is_named(void **state)
{
	(void)state;
	assert_refused("./no-such-folder/file", &create_mode, -ENOENT);
	assert_says("\"./no-such-folder\"");
}

static void what_is_no_target_is_refused(void **state)
{
	(void)state;
	assert_refused(".", &read_mode, -EINVAL);
	assert_says("is a directory");
	(void)unlink("./assay-fifo");
	assert_int_equal(mkfifo("./assay-fifo", 0600), 0);
	assert_refused("./assay-fifo", &read_mode,
		       -EINVAL); /* and does not wait for a writer */
	assert_says("fifo");
	assert_int_equal(unlink("./assay-fifo"), 0);
}

static void refused_direct_io_names_the_file_system(void **state)
{
	struct target_mode mode = {.reads = true, .direct = true};

	(void)state;
	assert_refused("/proc/self/status", &mode, -EINVAL);
	assert_says("direct I/O refused by the file system of");
	assert_says("(proc)");
	assert_refused("/dev/zero", &mode, -EINVAL);
	assert_says("direct I/O refused by");
	assert_says("direct=0");
}

/* ramfs makes the file and refuses O_DIRECT then: nothing may be left behind. */
static void a_refused_file_is_not_left_behind(void **state)
{
	struct target_mode mode = create_mode;
	char dir[64], path[256];

	(void)state;
	(void)snprintf(dir, sizeof(dir), "./assay-ram-%d", (int)getpid());
	assert_int_equal(mkdir(dir, 0700), 0);
	if (geteuid() || mount("none", dir, "ramfs", 0, NULL)) {
		(void)rmdir(dir);
		print_message("skipped: no ramfs can be mounted here\n");
		skip();
	}
	(void)snprintf(path, sizeof(path), "%s/file", dir);
	mode.direct = true;
	assert_refused(path, &mode, -EINVAL);
	assert_says("(ramfs)");
	assert_int_equal(access(path, F_OK), -1);
	mode.direct = false;
	assert_int_equal(open_target(path, &mode), 0);
	assert_true(target.created);
	target_close(&target);
	assert_int_equal(umount(dir), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void what_may_not_be_written_says_so(void **state)
{
	char path[256], dir[64];

	(void)state;
	if (geteuid()) {
		print_message("skipped: needs root for a read-only mount\n");
		skip();
	}
	(void)snprintf(dir, sizeof(dir), "./assay-ro-%d", (int)getpid());
	assert_int_equal(mkdir(dir, 0700), 0);
	if (mount("none", dir, "tmpfs", 0, "size=1m")) {
		(void)rmdir(dir);
		print_message("skipped: no tmpfs can be mounted here\n");
		skip();
	}
	bed_file(dir, path, sizeof(path), 4096);
	assert_int_equal(mount("none", dir, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=1m"), 0);
	assert_refused(path, &write_mode, -EROFS);
	assert_says("read-only");
	assert_int_equal(open_target(path, &read_mode), 0);
	target_close(&target);
	assert_int_equal(umount(dir), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void a_read_only_device_says_so(void **state)
{
	struct bed_loop loop;

	(void)state;
	if (!bed_loop_open(&loop, 64 * BED_BLOCK, true))
		skip();
	assert_refused(loop.path, &write_mode, -EROFS);
	assert_says("read-only device");
	assert_int_equal(open_target(loop.path, &read_mode), 0);
	target_close(&target);
	bed_loop_close(&loop);
}

static void a_trimmed_range_reads_as_zeros_and_no_more(void **state)
{
	static char wrote[3 * BED_BLOCK], found[3 * BED_BLOCK], zeros[BED_BLOCK];
	char path[256];

	(void)state;
	memset(wrote, 0x5a, sizeof(wrote));
	bed_file(".", path, sizeof(path), 0);
	assert_int_equal(open_target(path, &write_mode), 0);
	assert_int_equal(pwrite(target.fd, wrote, sizeof(wrote), 0), sizeof(wrote));
	assert_int_equal(target_trim(&target, BED_BLOCK, BED_BLOCK), 0);
	assert_int_equal(pread(target.fd, found, sizeof(found), 0), sizeof(found));
	assert_memory_equal(found, wrote, BED_BLOCK);
	assert_memory_equal(found + BED_BLOCK, zeros, BED_BLOCK);
	assert_memory_equal(found + 2 * BED_BLOCK, wrote, BED_BLOCK);
	target_close(&target);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_tells_its_size),
		cmocka_unit_test(a_loop_device_tells_size_and_alignment),
		cmocka_unit_test(a_character_device_has_no_size),
		cmocka_unit_test(flags_of_the_job_are_on_the_descriptor),
		cmocka_unit_test(a_missing_file_is_made_only_when_asked),
		cmocka_unit_test(no_file_is_made_where_devices_live),
		cmocka_unit_test(a_missing_directory_is_named),
		cmocka_unit_test(what_is_no_target_is_refused),
		cmocka_unit_test(refused_direct_io_names_the_file_system),
		cmocka_unit_test(a_refused_file_is_not_left_behind),
		cmocka_unit_test(what_may_not_be_written_says_so),
		cmocka_unit_test(a_read_only_device_says_so),
		cmocka_unit_test(a_trimmed_range_reads_as_zeros_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
