/*
 * Workers: threads, or forked processes that share the run's memory. The one place that knows
 * pthread.h. A worker's body is one function; it ends by returning.
 */
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct thread {
	pthread_t id;
	pid_t pid; /* of the process form; 0 for a thread */
	bool started;
	void (*body)(void *arg);
	void *arg;
};

/* `as_process` forks: `arg` must lie in shared memory, and the child leaves by _exit without
 * running the parent's exit handlers. Returns 0 or a negative errno. Signals that end a run
 * stay blocked in workers: the main thread takes them. */
int thread_start(struct thread *thread, void (*body)(void *), void *arg, bool as_process);
/* What helps where that failed, for the end of an err's text: the kernel has one code for all that
 * may be short. */
const char *thread_remedy(void);

/* Waits for its end. For a process *ret_signal is the signal that killed it, else 0. */
int thread_join(struct thread *thread, int *ret_signal);

/* True if it has ended; never waits. A process that has ended is reaped, as by thread_join. */
bool thread_try_join(struct thread *thread, int *ret_signal);

/* A word in shared memory on which another thread or process waits; the kernel's futex. */
void thread_wait_word(_Atomic uint32_t *word, uint32_t while_value);
void thread_wake_word(_Atomic uint32_t *word);

/* What wakes a worker out of a wait: SIGUSR2, whose handler does nothing. */
int thread_take_poke(void);
void thread_poke(const struct thread *thread);
