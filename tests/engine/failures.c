/*
 * What devices and files refuse reaches the request as its errno, in every engine; short
 * transfers are told as they are; waits end when they should.
 */
#include "bed.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <sys/time.h>

static struct bed bed;

static void begin(const char *engine, const char *path, unsigned depth, bool direct)
{
	memset(&bed, 0, sizeof(bed));
	bed_spec(&bed.spec);
	bed.spec.direct = direct;
	bed_open(&bed, engine_find(engine), path, depth);
}

/* Engines that touch targets. */
static bool is_real(const struct engine_ops *ops)
{
	return !(ops->caps & (ENGINE_FAKE | ENGINE_SIMULATED));
}

static void a_read_at_the_end_is_short(void **state)
{
	char path[256];

	(void)state;
	bed_file(".", path, sizeof(path), BED_BLOCK + 1000);
	for (unsigned i = 0; engine_all[i]; i++) {
		if (!is_real(engine_all[i]))
			continue;
		begin(engine_all[i]->name, path, 4, false);
		assert_int_equal(bed_one(&bed, OP_READ, 0), BED_BLOCK);
		assert_int_equal(bed_one(&bed, OP_READ, BED_BLOCK), 1000);
		assert_int_equal(bed_one(&bed, OP_READ, 2 * BED_BLOCK), 0);
		bed_close(&bed);
	}
	assert_int_equal(unlink(path), 0);
}

static void a_closed_descriptor_is_ebadf(void **state)
{
	static const char *const engines[] = {"io_uring", "libaio",  "psync",
					      "pvsync",	  "pvsync2", "posixaio"};
	char path[256];

	(void)state;
	bed_file(".", path, sizeof(path), 4 * BED_BLOCK);
	for (unsigned i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		int fd;

		memset(&bed, 0, sizeof(bed));
		bed_spec(&bed.spec);
		bed.spec.registerfiles_given = true; /* a registered file stays open */
		bed_open(&bed, engine_find(engines[i]), path, 4);
		assert_int_equal(bed_one(&bed, OP_READ, 0), BED_BLOCK);
		fd = bed.target.fd;
		assert_int_equal(close(fd), 0);
		assert_int_equal(bed_one(&bed, OP_READ, 0), -EBADF);
		assert_int_equal(bed_one(&bed, OP_WRITE, 0), -EBADF);
		bed.target.fd = -1;
		bed_close(&bed);
	}
	assert_int_equal(unlink(path), 0);
}

static void a_write_through_a_read_only_descriptor_is_an_error(void **state)
{
	char path[256];

	(void)state;
	bed_file(".", path, sizeof(path), 4 * BED_BLOCK);
	for (unsigned i = 0; engine_all[i]; i++) {
		if (!is_real(engine_all[i]) || str_equal(engine_all[i]->name, "mmap"))
			continue;
		memset(&bed, 0, sizeof(bed));
		bed_spec(&bed.spec);
		bed.spec.rw.does[OP_WRITE] = bed.spec.rw.does[OP_TRIM] = false;
		bed_open(&bed, engine_all[i], path, 4);
		assert_int_equal(bed_one(&bed, OP_WRITE, 0), -EBADF);
		assert_int_equal(bed_one(&bed, OP_READ, 0), BED_BLOCK);
		bed_close(&bed);
	}
	assert_int_equal(unlink(path), 0);
}

static void misaligned_direct_io_is_einval(void **state)
{
	char path[256];

	(void)state;
	bed_file(".", path, sizeof(path), 4 * BED_BLOCK);
	for (unsigned i = 0; engine_all[i]; i++) {
		if (!is_real(engine_all[i]) || str_equal(engine_all[i]->name, "mmap"))
			continue;
		begin(engine_all[i]->name, path, 4, true);
		/* Written first: a hole has no blocks to be out of line with. */
		assert_int_equal(bed_one(&bed, OP_WRITE, 0), BED_BLOCK);
		assert_int_equal(bed_one(&bed, OP_WRITE, BED_BLOCK), BED_BLOCK);
		if (bed.target.dio_offset_align > 1)
			assert_int_equal(bed_one(&bed, OP_READ, 1), -EINVAL);
		assert_int_equal(bed_one(&bed, OP_READ, 0), BED_BLOCK);
		bed_close(&bed);
	}
	assert_int_equal(unlink(path), 0);
}

/* Writes blocks in order until one fails: their count, and the failure in *ret_res. */
static unsigned write_until_full(int32_t *ret_res)
{
	unsigned block = 0;

	while (block < 1024) {
		*ret_res = bed_one(&bed, OP_WRITE, (uint64_t)block * BED_BLOCK);
		if (*ret_res != BED_BLOCK)
			break;
		block++;
	}
	return block;
}

/* A tmpfs of 1 MiB is full after 256 blocks. Each engine has its own: the kernel closes a ring,
 * and with it the ring's files, some time later. */
static void a_full_file_system_is_enospc(void **state)
{
	char dir[64], path[256];

	(void)state;
	(void)snprintf(dir, sizeof(dir), "./assay-full-%d", (int)getpid());
	assert_int_equal(mkdir(dir, 0700), 0);
	for (unsigned i = 0; engine_all[i]; i++) {
		const char *name = engine_all[i]->name;
		int32_t res = 0;

		if (!is_real(engine_all[i]))
			continue;
		if (geteuid() || mount("none", dir, "tmpfs", 0, "size=1m")) {
			(void)rmdir(dir);
			print_message("skipped: no tmpfs can be mounted here\n");
			skip();
		}
		bed_file(dir, path, sizeof(path), 4 << 20);
		begin(name, path, 1, false);
		assert_in_range(write_until_full(&res), 200, 256);
		/* The mapping has no errno to tell; the others have. */
		assert_int_equal(res, str_equal(name, "mmap") ? -EIO : -ENOSPC);
		bed_close(&bed);
		assert_int_equal(umount2(dir, MNT_DETACH), 0);
	}
	assert_int_equal(rmdir(dir), 0);
}

/* A loop device whose file was cut under it. */
static void a_device_that_fails_is_eio(void **state)
{
	struct bed_loop loop;

	(void)state;
	if (!bed_loop_open(&loop, 64 * BED_BLOCK, false))
		skip();
	assert_int_equal(ftruncate(loop.file, 16 * BED_BLOCK), 0);
	for (unsigned i = 0; engine_all[i]; i++) {
		if (!is_real(engine_all[i]))
			continue;
		begin(engine_all[i]->name, loop.path, 4,
		      !str_equal(engine_all[i]->name, "mmap"));
		assert_int_equal(bed_one(&bed, OP_READ, 0), BED_BLOCK);
		assert_int_equal(bed_one(&bed, OP_READ, 32 * BED_BLOCK), -EIO);
		assert_int_equal(bed_one(&bed, OP_READ, BED_BLOCK), BED_BLOCK);
		bed_close(&bed);
	}
	bed_loop_close(&loop);
}

/* Reads and writes where the file was cut off beneath the mapping. */
static void sigbus_is_an_error_of_that_request(void **state)
{
	char path[256];

	(void)state;
	bed_file(".", path, sizeof(path), 8 * BED_BLOCK);
	begin("mmap", path, 1, false);
	assert_int_equal(bed_one(&bed, OP_WRITE, 4 * BED_BLOCK), BED_BLOCK);
	assert_int_equal(truncate(path, 2 * BED_BLOCK), 0);
	for (unsigned again = 0; again < 3; again++) {
		assert_int_equal(bed_one(&bed, OP_READ, 4 * BED_BLOCK), -EIO);
		assert_int_equal(bed_one(&bed, OP_WRITE, 4 * BED_BLOCK), -EIO);
		assert_int_equal(bed_one(&bed, OP_READ, BED_BLOCK), BED_BLOCK);
	}
	bed_close(&bed);
	assert_int_equal(unlink(path), 0);
}

/* A target that is a pipe with nothing in it: a read of it never ends. libaio would block in
 * io_submit, and the sync engines in queue(). */
static void begin_on_pipe(const char *engine, char *path, size_t size, int ends[2])
{
	bed_file(".", path, size, BED_BLOCK);
	memset(&bed, 0, sizeof(bed));
	bed_spec(&bed.spec);
	bed.spec.registerfiles_given = true;
	bed_open(&bed, engine_find(engine), path, 4);
	assert_int_equal(pipe(ends), 0);
	assert_true(dup2(ends[0], bed.target.fd) >= 0);
	/* io_uring's "at the position", as a pipe wants; glibc's aio finds out by itself. */
	assert_int_equal(
		bed.engine->ops->queue(bed.engine,
				       bed_req(&bed, 0, OP_READ,
					       str_equal(engine, "io_uring") ? UINT64_MAX : 0)),
		0);
	assert_int_equal(bed_submit(&bed), 0);
}

static void end_on_pipe(const char *path, int ends[2])
{
	(void)close(ends[0]);
	(void)close(ends[1]);
	bed_close(&bed);
	assert_int_equal(unlink(path), 0);
}

static int reap(unsigned min, unsigned max, uint64_t until_ns)
{
	struct req *done[BED_DEPTH_MAX];

	return bed.engine->ops->reap(bed.engine, done, min, max, until_ns);
}

static void reap_waits_no_longer_than_until(void **state)
{
	static const char *const engines[] = {"io_uring", "posixaio"};

	(void)state;
	for (unsigned i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		uint64_t start_ns, took_ns;
		char path[256];
		int ends[2];

		begin_on_pipe(engines[i], path, sizeof(path), ends);
		start_ns = clock_monotonic_ns();
		assert_int_equal(reap(1, 4, start_ns + 20 * NS_PER_MS), 0);
		took_ns = clock_monotonic_ns() - start_ns;
		assert_true(took_ns >= 20 * NS_PER_MS);
		assert_true(took_ns < 2 * NS_PER_S);
		assert_int_equal(reap(1, 4, start_ns), 0);    /* a time that has passed */
		assert_int_equal(reap(0, 4, BED_FOREVER), 0); /* min 0 never waits */
		assert_int_equal(write(ends[1], "abc", 3), 3);
		assert_int_equal(reap(3, 4, BED_FOREVER), 1); /* all that is in flight */
		assert_int_equal(bed.reqs[0].res, 3);
		end_on_pipe(path, ends);
	}
}

static char group[200]; /* the cgroup of throttle(); "" while there is none */

/* Throttles reads of a device for this process to 20 a second; false where it cannot be. */
static bool throttle(const char *device)
{
	char path[300], text[64];
	struct stat st;
	FILE *file;

	(void)snprintf(group, sizeof(group), "/sys/fs/cgroup/blkio/assay-bed-%d",
		       (int)getpid());
	if (stat(device, &st) || mkdir(group, 0755)) {
		group[0] = '\0';
		return false;
	}
	(void)snprintf(path, sizeof(path), "%s/blkio.throttle.read_iops_device", group);
	(void)snprintf(text, sizeof(text), "%u:%u 20", major(st.st_rdev), minor(st.st_rdev));
	file = fopen(path, "we");
	if (file) {
		(void)fputs(text, file);
		(void)fclose(file);
	}
	(void)snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	file = fopen(path, "we");
	if (!file) {
		(void)rmdir(group);
		group[0] = '\0';
		return false;
	}
	(void)fprintf(file, "%d", (int)getpid());
	return !fclose(file);
}

/* The teardown, so that it happens also when the test fails. */
static int unthrottle(void **state)
{
	FILE *file;

	(void)state;
	if (!group[0])
		return 0;
	file = fopen("/sys/fs/cgroup/blkio/cgroup.procs", "we");
	if (!file)
		return -1;
	(void)fprintf(file, "%d", (int)getpid());
	(void)fclose(file);
	/* Threads of the kernel that worked for us leave it a moment later. */
	for (unsigned i = 0; i < 200 && rmdir(group); i++)
		(void)poll(NULL, 0, 10);
	group[0] = '\0';
	return 0;
}

/* Eight reads at 20 a second take 0.4 s: a wait of 30 ms for all of them ends with fewer. */
static void a_slow_device_holds_no_reap_beyond_until(void **state)
{
	/* libaio first: the kernel's work on a closed ring would wake it early. */
	static const char *const engines[] = {"libaio", "posixaio", "io_uring"};
	struct bed_loop loop;

	(void)state;
	if (!bed_loop_open(&loop, 64 * BED_BLOCK, false))
		skip();
	if (!throttle(loop.path)) {
		bed_loop_close(&loop);
		print_message("skipped: no blkio cgroup can be made here\n");
		skip();
	}
	for (unsigned i = 0; i < ARRAY_SIZE(engines); i++) {
		uint64_t start_ns, took_ns;
		int n;

		begin(engines[i], loop.path, 8, true);
		for (unsigned slot = 0; slot < 8; slot++)
			assert_int_equal(bed.engine->ops->queue(
						 bed.engine, bed_req(&bed, slot, OP_READ, 0)),
					 0);
		assert_int_equal(bed_submit(&bed), 0);
		start_ns = clock_monotonic_ns();
		n = reap(8, 8, start_ns + 30 * NS_PER_MS);
		took_ns = clock_monotonic_ns() - start_ns;
		assert_in_range(n, 0, 7);
		assert_true(took_ns >= 30 * NS_PER_MS);
		while (n < 8)
			n += reap(1, 8, BED_FOREVER);
		assert_int_equal(n, 8);
		assert_true(clock_monotonic_ns() - start_ns > 200 * NS_PER_MS);
		bed_close(&bed);
	}
	bed_loop_close(&loop);
}

static void on_alarm(int signal_number)
{
	(void)signal_number;
}

static void a_signal_ends_the_wait(void **state)
{
	static const char *const engines[] = {"io_uring", "posixaio"};
	const struct itimerval soon = {.it_value = {.tv_usec = 20000}};
	struct sigaction action = {.sa_handler = on_alarm}, before;
	char path[256];
	int ends[2];

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	for (unsigned i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		begin_on_pipe(engines[i], path, sizeof(path), ends);
		assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
		assert_int_equal(reap(1, 4, BED_FOREVER), 0);
		assert_int_equal(write(ends[1], "a", 1), 1);
		assert_int_equal(reap(1, 4, BED_FOREVER), 1);
		end_on_pipe(path, ends);
	}
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
}

/* Of five requests, at most `max` come at a time, and the rest later. */
static void max_is_kept_and_nothing_is_lost(void **state)
{
	char path[256];

	(void)state;
	bed_file(".", path, sizeof(path), 8 * BED_BLOCK);
	for (unsigned i = 0; engine_all[i]; i++) {
		const struct engine_ops *ops = engine_all[i];
		struct req *done[8];
		unsigned queued = ops->caps & ENGINE_DEPTH_1 ? 1 : 5, got = 0;

		if (ops->caps & ENGINE_SIMULATED)
			continue; /* has no file to read */
		begin(ops->name, path, 8, false);
		for (unsigned slot = 0; slot < queued; slot++)
			assert_int_equal(
				ops->queue(bed.engine, bed_req(&bed, slot, OP_READ,
							       (uint64_t)slot * BED_BLOCK)),
				0);
		assert_int_equal(bed_submit(&bed), 0);
		while (got < queued) {
			int n = ops->reap(bed.engine, done, 1, 2, BED_FOREVER);

			assert_in_range(n, 0, 2);
			for (int k = 0; k < n; k++)
				assert_int_equal(done[k]->res, BED_BLOCK);
			got += (unsigned)n;
		}
		assert_int_equal(ops->reap(bed.engine, done, 1, 8, BED_FOREVER), 0);
		bed_close(&bed);
	}
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_at_the_end_is_short),
		cmocka_unit_test(a_closed_descriptor_is_ebadf),
		cmocka_unit_test(a_write_through_a_read_only_descriptor_is_an_error),
		cmocka_unit_test(misaligned_direct_io_is_einval),
		cmocka_unit_test(a_full_file_system_is_enospc),
		cmocka_unit_test(a_device_that_fails_is_eio),
		cmocka_unit_test(sigbus_is_an_error_of_that_request),
		cmocka_unit_test(reap_waits_no_longer_than_until),
		cmocka_unit_test_teardown(a_slow_device_holds_no_reap_beyond_until, unthrottle),
		cmocka_unit_test(a_signal_ends_the_wait),
		cmocka_unit_test(max_is_kept_and_nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
