#include "base/thread.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/lang.h"

#define STACK_BYTES \
	((size_t)256 << 10) /* a worker's frames are small; 100 workers stay light */

static void *thread_main(void *arg)
{
	struct thread *thread = arg;

	thread->body(thread->arg);
	return NULL;
}

static void block_signals(sigset_t *ret_old)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGUSR1);
	(void)sigaddset(&set, SIGWINCH);
	(void)pthread_sigmask(SIG_BLOCK, &set, ret_old); /* valid sets: cannot fail */
}

static int start_thread(struct thread *thread)
{
	pthread_attr_t attr;
	int rc;

	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = pthread_create(&thread->id, &attr, thread_main, thread);
	(void)pthread_attr_destroy(&attr);
	return -rc;
}

static int start_process(struct thread *thread)
{
	pid_t pid;

	(void)fflush(NULL); /* or the child would print our buffers again */
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		thread->body(thread->arg);
		_exit(0);
	}
	thread->pid = pid;
	return 0;
}

const char *thread_remedy(void)
{
	return N_(
		"fewer jobs or logs need less: memory, `ulimit -u` or a cgroup's pids.max may "
		"be what limits them");
}

int thread_start(struct thread *thread, void (*body)(void *), void *arg, bool as_process)
{
	sigset_t old;
	int rc;

	*thread = (struct thread){.body = body, .arg = arg};
	block_signals(&old);
	rc = as_process ? start_process(thread) : start_thread(thread);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	thread->started = rc == 0;
	return rc;
}

static int process_wait(struct thread *thread, int flags, int *ret_signal)
{
	int status = 0;
	pid_t pid;

	do
		pid = waitpid(thread->pid, &status, flags);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return -EAGAIN;
	*ret_signal = pid > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return pid < 0 ? -errno : 0;
}

int thread_join(struct thread *thread, int *ret_signal)
{
	int rc;

	assert(thread->started);
	*ret_signal = 0;
	if (thread->pid)
		rc = process_wait(thread, 0, ret_signal);
	else
		rc = -pthread_join(thread->id, NULL);
	thread->started = false;
	return rc;
}

bool thread_try_join(struct thread *thread, int *ret_signal)
{
	int rc;

	assert(thread->started);
	*ret_signal = 0;
	if (thread->pid)
		rc = process_wait(thread, WNOHANG, ret_signal);
	else
		rc = -pthread_tryjoin_np(thread->id, NULL);
	if (rc == -EAGAIN || rc == -EBUSY)
		return false;
	thread->started = false;
	return true;
}

void thread_wait_word(_Atomic uint32_t *word, uint32_t while_value)
{
	/* Not private: the waiter may be a process. EAGAIN and EINTR: the caller looks again. */
	(void)syscall(SYS_futex, word, FUTEX_WAIT, while_value, NULL, NULL, 0);
}

void thread_wake_word(_Atomic uint32_t *word)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void no_op(int signal)
{
	(void)signal; /* its arrival is the message */
}

int thread_take_poke(void)
{
	struct sigaction action = {.sa_handler = no_op};

	return sigaction(SIGUSR2, &action, NULL) < 0 ? -errno : 0;
}

void thread_poke(const struct thread *thread)
{
	if (!thread->started)
		return;
	if (thread->pid)
		(void)kill(thread->pid, SIGUSR2); /* may have ended: that is what was wanted */
	else
		(void)pthread_kill(thread->id, SIGUSR2);
}
