/* The list is the process's: whoever runs out of memory knows nothing of what others have made. */
#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/err.h"
#include "base/lang.h"

static struct memory_end *ends;
static pthread_mutex_t ends_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t ending; /* 1: somebody is at it */
static _Thread_local bool is_mine;

void memory_end_add(struct memory_end *end, void (*undo)(void *arg), void *arg)
{
	*end = (struct memory_end){.undo = undo, .arg = arg, .pid = getpid()};
	(void)pthread_mutex_lock(&ends_lock);
	end->next = ends;
	ends = end;
	(void)pthread_mutex_unlock(&ends_lock);
}

void memory_end_remove(struct memory_end *end)
{
	(void)pthread_mutex_lock(&ends_lock);
	for (struct memory_end **at = &ends; *at; at = &(*at)->next) {
		if (*at == end) {
			*at = end->next;
			break;
		}
	}
	(void)pthread_mutex_unlock(&ends_lock);
}

void memory_end_unlink(void *path)
{
	(void)unlink(path); /* gone already is as good */
}

void *memory_take(size_t bytes)
{
	void *memory = malloc(bytes);

	if (!memory && bytes)
		memory_short(bytes);
	return memory;
}

static size_t bytes_of(size_t count, size_t bytes)
{
	return bytes && count > SIZE_MAX / bytes ? SIZE_MAX : count * bytes;
}

void *memory_zeroed(size_t count, size_t bytes)
{
	void *memory = calloc(count, bytes);

	if (!memory && count && bytes)
		memory_short(bytes_of(count, bytes));
	return memory;
}

void *memory_resize(void *memory, size_t count, size_t bytes)
{
	assert(count);
	assert(bytes);
	memory = reallocarray(memory, count, bytes);
	if (!memory)
		memory_short(bytes_of(count, bytes));
	return memory;
}

const char *memory_remedy(void)
{
	return lang_here(
		"fewer or smaller jobs, files and logs need less; `ulimit -v` or a cgroup "
		"may be what limits it");
}

/* By write(2): a stream may want a buffer. */
static void say(size_t bytes)
{
	char text[600];
	int n = snprintf(
		text, sizeof(text),
		lang_here("assay: out of memory: %zu more bytes are not to be had; %s\n"),
		bytes, memory_remedy());

	if (n > 0 && write(STDERR_FILENO, text, strnlen(text, sizeof(text))) < 0)
		return; /* nobody listens */
}

_Noreturn void memory_short(size_t bytes)
{
	if (is_mine) /* short again, in an undo */
		_exit(ERR_ENVIRONMENT);
	while (atomic_exchange(&ending, 1))
		(void)pause(); /* until the process ends, in another thread */
	is_mine = true;
	say(bytes);
	/* Without the lock: who holds it may wait for us, and an undo may take itself off. */
	for (struct memory_end *end = ends, *next; end; end = next) {
		next = end->next;
		if (end->pid == getpid())
			end->undo(end->arg);
	}
	_exit(ERR_ENVIRONMENT);
}
