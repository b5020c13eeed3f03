/*
 * The worker's loop makes no system call but its engine's, and its own wait where requests have a
 * schedule. Held by the kernel: the child that runs the loop may call nothing else (seccomp). Rows
 * are cut every millisecond meanwhile, so that handing over is inside too.
 *
 * posixaio is left out: glibc does its I/O in threads of its own, with locks and stacks of theirs.
 */
#include "unit.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "budget/bench.h"

#define CALLS_MAX    8
#define NO_START     101
#define CALL_REFUSED 102

struct loop {
	const char *options;
	int may[CALLS_MAX]; /* ended by -1 */
};

static const struct loop loops[] = {
	{"--ioengine=null --rw=randrw --size=8g --number_ios=200000", {-1}},
	{"--ioengine=null --rw=randread --size=8g --number_ios=200 --rate_iops=5000",
	 {SYS_clock_nanosleep, SYS_sched_yield, -1}},
	{"--ioengine=io_uring --size=1m --rw=randread --time_based=1 --runtime=50ms",
	 {SYS_io_uring_enter, -1}},
	{"--ioengine=io_uring --size=1m --rw=randwrite --fsync=8", {SYS_io_uring_enter, -1}},
	{"--ioengine=io_uring --size=1m --rw=randread --fixedbufs=1 --registerfiles=1",
	 {SYS_io_uring_enter, -1}},
	{"--ioengine=libaio --size=1m --rw=randrw", {SYS_io_submit, SYS_io_getevents, -1}},
	{"--ioengine=psync --size=1m --rw=randrw", {SYS_pread64, SYS_pwrite64, -1}},
	{"--ioengine=sync --size=1m --rw=randrw", {SYS_lseek, SYS_read, SYS_write, -1}},
	{"--ioengine=pvsync --size=1m --rw=randrw", {SYS_preadv, SYS_pwritev, -1}},
	{"--ioengine=pvsync2 --size=1m --rw=randrw", {SYS_preadv2, SYS_pwritev2, -1}},
	{"--ioengine=mmap --size=1m --rw=randrw", {-1}},
};

/* In shared memory: the call that was refused. */
static volatile int *refused;

static void note_call(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	*refused = info->si_syscall;
	_exit(CALL_REFUSED);
}

/* From here on the calling thread may make only these calls, and leave. */
static int allow_only(const struct loop *loop, bool clock_calls)
{
	struct sigaction action = {.sa_sigaction = note_call, .sa_flags = SA_SIGINFO};
	struct sock_filter filter[2 * CALLS_MAX + 8];
	struct sock_fprog program = {.filter = filter};
	unsigned n = 0;

	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						   offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; loop->may[i] >= 0; i++) {
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							   (uint32_t)loop->may[i], 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	if (clock_calls) { /* no clock in user space on this machine */
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							   SYS_clock_gettime, 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	filter[n++] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
	program.len = (unsigned short)n;
	if (sigaction(SIGSYS, &action, NULL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

/* The child's life: never returns. `extra` makes one call too many, to see that it is caught. */
static void run_child(struct bench *bench, const struct loop *loop, bool extra)
{
	if (!bench_start(bench) || allow_only(loop, !bench->clock.tsc))
		_exit(NO_START);
	bench_go(bench);
	worker_loop(bench->worker);
	if (extra)
		(void)syscall(SYS_getppid);
	_exit(bench->worker->why == WORKER_DONE && !bench->worker->total_errors ? 0 : 1);
}

/* What the child left with. */
static int run(const struct loop *loop, bool extra)
{
	struct bench bench;
	char options[512];
	int status;
	pid_t pid;

	(void)snprintf(options, sizeof(options), "--name=b --bs=4k --iodepth=32 %s",
		       loop->options);
	bench_open(&bench, options, NS_PER_MS);
	*refused = -1;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		run_child(&bench, loop, extra);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_START)
		print_message("%s: %s\n", loop->options, bench.worker->err.text);
	if (WEXITSTATUS(status) == CALL_REFUSED && !extra)
		print_message("%s: the loop made system call %d\n", loop->options, *refused);
	if (WEXITSTATUS(status) == 0)
		assert_true(bench_ios(&bench) > 0);
	bench_close(&bench);
	return WEXITSTATUS(status);
}

static void skip_in_sanitizers(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	print_message("sanitizers make system calls of their own\n");
	skip();
#endif
}

static void loop_calls_its_engine_only(void **state)
{
	(void)state;
	skip_in_sanitizers();
	for (unsigned i = 0; i < ARRAY_SIZE(loops); i++)
		assert_int_equal(run(&loops[i], false), 0);
}

static void one_call_too_many_is_seen(void **state)
{
	(void)state;
	skip_in_sanitizers();
	assert_int_equal(run(&loops[0], true), CALL_REFUSED);
	assert_int_equal(*refused, SYS_getppid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loop_calls_its_engine_only),
		cmocka_unit_test(one_call_too_many_is_seen),
	};

	refused = mmap(NULL, sizeof(*refused), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (refused == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
