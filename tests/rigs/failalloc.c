/*
 * Put before libc (LD_PRELOAD): the FAIL_ALLOC-th allocation of the program named FAIL_PROGRAM
 * fails, "N+": all from the N-th on. Allocations are those of the heap and anonymous mappings. What
 * the program becomes by exec(2), and what it starts, has memory again. FAIL_COUNT: the file that
 * is told how many there were.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t align, size_t bytes);

static _Atomic long allocations;
static long failing; /* 0: none */
static bool failing_on;
static const char *count_file;

__attribute__((constructor)) static void start(void)
{
	const char *program = getenv("FAIL_PROGRAM"), *text = getenv("FAIL_ALLOC");

	if (program && !strcmp(program, program_invocation_short_name)) {
		failing = text ? atol(text) : 0;
		failing_on = text && strchr(text, '+');
		count_file = getenv("FAIL_COUNT");
	}
	(void)unsetenv("FAIL_ALLOC");
	(void)unsetenv("FAIL_COUNT");
	atomic_store(&allocations, 0);
}

__attribute__((destructor)) static void end(void)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%ld\n", atomic_load(&allocations)), fd;

	fd = count_file ? open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
	if (fd >= 0 && (write(fd, text, (size_t)n) != n || close(fd)))
		_exit(99);
}

static bool fails(void)
{
	long now = atomic_fetch_add(&allocations, 1) + 1;

	if (!failing || (failing_on ? now < failing : now != failing))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t bytes)
{
	return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
	return fails() ? NULL : __libc_realloc(old, bytes);
}

void *reallocarray(void *old, size_t count, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(count, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, all);
}

void *memalign(size_t align, size_t bytes)
{
	return fails() ? NULL : __libc_memalign(align, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
	return memalign(align, bytes);
}

int posix_memalign(void **ret_memory, size_t align, size_t bytes)
{
	void *memory = memalign(align, bytes);

	if (!memory)
		return ENOMEM;
	*ret_memory = memory;
	return 0;
}

void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	if ((flags & MAP_ANONYMOUS) && fails())
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, at, bytes, prot, flags, fd, offset);
}

void *mmap64(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	return mmap(at, bytes, prot, flags, fd, offset);
}
