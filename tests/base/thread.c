/* Workers that cannot be started: the kernel's code for it, and what helps. */
#include "base/thread.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define NOBODY 65534
#define NO_WAY \
	77 /* no errno: who runs this can neither be limited nor become somebody who can */

static void body(void *arg)
{
	(void)arg;
}

/* In a child that may have no thread more; its code is the error, positive. */
static int error_of_start(bool as_process)
{
	const struct rlimit none = {0};
	struct thread thread;
	int status;

	if (fork() == 0) {
		if (geteuid() == 0 && setuid(NOBODY)) /* root has no limit */
			_exit(NO_WAY);
		if (setrlimit(RLIMIT_NPROC, &none))
			_exit(NO_WAY);
		_exit(-thread_start(&thread, body, NULL, as_process));
	}
	assert_true(wait(&status) > 0);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void a_worker_too_many_is_an_error(void **state)
{
	(void)state;
	for (unsigned as_process = 0; as_process < 2; as_process++)
		assert_int_equal(error_of_start(as_process), EAGAIN);
}

static void its_remedy_names_all_that_may_be_short(void **state)
{
	(void)state;
	assert_non_null(strstr(thread_remedy(), "need less"));
	assert_non_null(strstr(thread_remedy(), "memory"));
	assert_non_null(strstr(thread_remedy(), "ulimit -u"));
	assert_non_null(strstr(thread_remedy(), "pids.max"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_too_many_is_an_error),
		cmocka_unit_test(its_remedy_names_all_that_may_be_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
