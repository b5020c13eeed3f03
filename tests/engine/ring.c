/*
 * What an engine says of itself: which features of io_uring are on, and, where one cannot be had,
 * the likely cause and the way out.
 */
#include "bed.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* From here on io_uring_setup and io_setup fail with `code`, as in a container. */
static void forbid(int code)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)code),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = ARRAY_SIZE(rules), .filter = rules};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(2);
}

/* This process sees kernel.io_uring_disabled as `value`. Needs root. */
static void pretend_disabled(const char *value)
{
	char path[] = "./assay-disabled";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    write(fd, value, strlen(value)) < 0 ||
	    mount(path, "/proc/sys/kernel/io_uring_disabled", NULL, MS_BIND, NULL))
		_exit(6);
}

/* In a child, because a filter is for good: 0 if the check fails with all of `words`. */
static int check_under_filter(const char *disabled, int code, const char *const *words)
{
	pid_t child = fork();
	struct job_spec spec;
	struct err err = {0};
	int status;

	assert_true(child >= 0);
	if (child) {
		assert_true(waitpid(child, &status, 0) == child);
		assert_true(WIFEXITED(status));
		return WEXITSTATUS(status);
	}
	if (disabled)
		pretend_disabled(disabled);
	forbid(code);
	bed_spec(&spec);
	if (!engine_check(engine_find("io_uring"), &spec, &err))
		_exit(3);
	for (; *words; words++)
		if (!strstr(err.text, *words)) {
			print_message("\"%s\" does not say \"%s\"\n", err.text, *words);
			_exit(4);
		}
	_exit(err.kind == ERR_ENVIRONMENT ? 0 : 5);
}

static void without_io_uring_cause_and_way_out_are_named(void **state)
{
	static const char *const eperm[] = {"seccomp", "ioengine=libaio", NULL};
	static const char *const enosys[] = {"5.1", "ioengine=libaio", NULL};
	static const char *const enomem[] = {"memory", "ulimit -l", "ioengine=libaio", NULL};
	static const char *const emfile[] = {"ulimit -n", NULL};

	(void)state;
	assert_int_equal(check_under_filter(NULL, EPERM, eperm), 0);
	assert_int_equal(check_under_filter(NULL, ENOSYS, enosys), 0);
	assert_int_equal(check_under_filter(NULL, ENOMEM, enomem), 0);
	assert_int_equal(check_under_filter(NULL, EMFILE, emfile), 0);
}

static void a_sysctl_that_forbids_io_uring_is_named(void **state)
{
	static const char *const all[] = {"io_uring_disabled = 2", "ioengine=libaio", NULL};
	static const char *const users[] = {"io_uring_disabled = 1", "io_uring_group",
					    "ioengine=libaio", NULL};

	(void)state;
	if (geteuid()) {
		print_message("skipped: needs root for a mount name space\n");
		skip();
	}
	assert_int_equal(check_under_filter("2\n", EPERM, all), 0);
	assert_int_equal(check_under_filter("1\n", EPERM, users), 0);
	assert_int_equal(unlink("./assay-disabled"), 0);
}

static void impossible_jobs_are_refused_before_any_file_is_opened(void **state)
{
	const struct engine_ops *uring = engine_find("io_uring");
	struct job_spec spec;
	struct err err = {0};

	(void)state;
	bed_spec(&spec);
	assert_int_equal(engine_check(uring, &spec, &err), 0);
	spec.iodepth = 40000;
	assert_int_equal(engine_check(uring, &spec, &err), -EINVAL);
	assert_non_null(strstr(err.text, "40000"));
	spec.iodepth = 1;
	spec.hipri = true;
	err = (struct err){0};
	assert_int_equal(engine_check(uring, &spec, &err), -EINVAL);
	assert_non_null(strstr(err.text, "direct=1"));
}

/* A loop device has no queues to poll: that is said at the start, not by a million errors. */
static void polling_that_the_device_lacks_is_an_error_of_the_start(void **state)
{
	struct engine_setup setup;
	static struct bed bed;
	struct bed_loop loop;

	(void)state;
	if (!bed_loop_open(&loop, 64 * BED_BLOCK, false))
		skip();
	bed_spec(&bed.spec);
	bed.spec.direct = true;
	bed_open(&bed, engine_find("io_uring"), loop.path, 4);
	setup = bed.setup;
	engine_close(bed.engine);
	bed.spec.hipri = true;
	bed.arena.sealed = false;
	assert_int_equal(engine_open(engine_find("io_uring"), &setup, &bed.engine, &bed.err),
			 0);
	assert_int_equal(engine_start(bed.engine, &bed.err), -EOPNOTSUPP);
	assert_non_null(strstr(bed.err.text, "hipri"));
	assert_non_null(strstr(bed.err.text, loop.path));
	bed_close(&bed);
	bed_loop_close(&loop);
}

/* Named in about: what was asked for, and what the kernel gave. */
static void about_says_what_is_on(void **state)
{
	static struct bed bed;
	char path[256];

	(void)state;
	bed_file(".", path, sizeof(path), BED_BLOCK);
	bed_spec(&bed.spec);
	bed.spec.fixedbufs = true;
	bed_open(&bed, engine_find("io_uring"), path, 4);
	assert_non_null(strstr(bed.engine->about, "registered files"));
	assert_non_null(strstr(bed.engine->about, "registered buffers"));
	assert_null(strstr(bed.engine->about, "SQPOLL"));
	bed_close(&bed);
	memset(&bed, 0, sizeof(bed));
	bed_spec(&bed.spec);
	bed.spec.sqthread_poll = true;
	bed.spec.registerfiles_given = true;
	bed_open(&bed, engine_find("io_uring"), path, 4);
	assert_non_null(strstr(bed.engine->about, "SQPOLL"));
	assert_null(strstr(bed.engine->about, "registered files"));
	assert_null(strstr(bed.engine->about, "registered buffers"));
	bed_close(&bed);
	assert_int_equal(unlink(path), 0);
}

/* A libaio queue beyond the system's limit names the limit. */
static void a_queue_beyond_the_limit_names_it(void **state)
{
	static struct bed bed;
	struct engine *engine;
	char path[256];

	(void)state;
	bed_file(".", path, sizeof(path), BED_BLOCK);
	bed_spec(&bed.spec);
	bed_open(&bed, engine_find("libaio"), path, 4);
	bed.arena.sealed = false;
	bed.setup.depth = 60000000;
	bed.setup.arena = &(struct arena){0};
	arena_init(bed.setup.arena);
	/* The memory of so many requests is mapped and never touched. */
	if (engine_open(engine_find("libaio"), &bed.setup, &engine, &bed.err) == 0) {
		assert_int_not_equal(engine_start(engine, &bed.err), 0);
		assert_non_null(strstr(bed.err.text, "60000000"));
	}
	arena_done(bed.setup.arena);
	bed.setup.depth = 4;
	bed_close(&bed);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_io_uring_cause_and_way_out_are_named),
		cmocka_unit_test(a_sysctl_that_forbids_io_uring_is_named),
		cmocka_unit_test(impossible_jobs_are_refused_before_any_file_is_opened),
		cmocka_unit_test(polling_that_the_device_lacks_is_an_error_of_the_start),
		cmocka_unit_test(about_says_what_is_on),
		cmocka_unit_test(a_queue_beyond_the_limit_names_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
