/* The end of a process whose memory ran out: what is undone, in which order, by whom. */
#include "base/memory.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/thread.h"
#include "unit.h"

static char one[] = "1", two[] = "2", none[] = "x";
static int told; /* what the child says: undos write a letter, the sentence goes there too */

static void say_letter(void *arg)
{
	assert_int_equal(write(told, arg, 1), 1);
}

static void runs_short_again(void *arg)
{
	say_letter(arg);
	memory_short(1);
}

static void first_and_second(void)
{
	static struct memory_end first, second, gone;

	memory_end_add(&first, say_letter, one);
	memory_end_add(&gone, say_letter, none);
	memory_end_add(&second, say_letter, two);
	memory_end_remove(&gone);
	memory_end_remove(&gone); /* nothing happens */
	memory_short(4321);
}

static void an_undo_that_needs_memory(void)
{
	static struct memory_end first, second;

	memory_end_add(&first, say_letter, one);
	memory_end_add(&second, runs_short_again, two);
	memory_short(1);
}

static void a_fork(void)
{
	static struct memory_end parents;
	int status;

	memory_end_add(&parents, say_letter, none);
	if (fork() == 0)
		memory_short(1);
	assert_true(wait(&status) > 0);
	assert_int_equal(WEXITSTATUS(status), ERR_ENVIRONMENT);
	_exit(42);
}

static void an_arena_beyond_all_memory(void)
{
	struct arena arena;

	arena_init(&arena);
	(void)arena_alloc(&arena, SIZE_MAX / 8, 1);
}

static void an_arena_of_too_many(void)
{
	struct arena arena;

	arena_init(&arena);
	(void)arena_calloc(&arena, SIZE_MAX, 16, 16);
}

static void zeroed_beyond_all_memory(void)
{
	(void)memory_zeroed(1, SIZE_MAX / 8);
}

static void zeroed_of_too_many(void)
{
	(void)memory_zeroed(SIZE_MAX, 16);
}

static void resized_of_too_many(void)
{
	(void)memory_resize(NULL, SIZE_MAX / 2, 16);
}

static void short_in_a_thread(void *arg)
{
	(void)arg;
	memory_short(77);
}

static void two_threads(void)
{
	static struct memory_end only;
	struct thread threads[2];
	int status;

	memory_end_add(&only, say_letter, one);
	for (unsigned i = 0; i < 2; i++)
		(void)thread_start(&threads[i], short_in_a_thread, NULL, false);
	for (unsigned i = 0; i < 2; i++)
		(void)thread_join(&threads[i], &status);
	_exit(0); /* nobody comes here */
}

/* Runs `body` in a child; its code, and all that it said. */
static int end_of(void (*body)(void), struct str *ret_said)
{
	char bytes[4096];
	int both[2], status;
	ssize_t n;

	assert_int_equal(pipe2(both, O_CLOEXEC), 0);
	if (fork() == 0) {
		(void)dup2(both[1], STDERR_FILENO);
		told = both[1];
		body();
		_exit(0);
	}
	(void)close(both[1]);
	while ((n = read(both[0], bytes, sizeof(bytes))) > 0)
		str_add_bytes(ret_said, bytes, (size_t)n);
	(void)close(both[0]);
	assert_true(wait(&status) > 0);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void what_was_added_last_is_undone_first(void **state)
{
	autostr said = {0};

	(void)state;
	assert_int_equal(end_of(first_and_second, &said), ERR_ENVIRONMENT);
	assert_non_null(strstr(str_text(&said), "assay: out of memory: 4321 more bytes"));
	assert_non_null(strstr(str_text(&said), "need less"));
	assert_true(str_ends(str_text(&said), "\n21"));
}

static void an_undo_without_memory_ends_it_at_once(void **state)
{
	autostr said = {0};

	(void)state;
	assert_int_equal(end_of(an_undo_that_needs_memory, &said), ERR_ENVIRONMENT);
	assert_true(str_ends(str_text(&said), "\n2"));
}

static void a_fork_leaves_its_parents_things_alone(void **state)
{
	autostr said = {0};

	(void)state;
	assert_int_equal(end_of(a_fork, &said), 42);
	assert_true(str_ends(str_text(&said), "\n"));
}

static void of_two_threads_one_ends_the_process(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		autostr said = {0};

		assert_int_equal(end_of(two_threads, &said), ERR_ENVIRONMENT);
		assert_true(str_ends(str_text(&said), "\n1"));
		assert_null(strstr(strstr(str_text(&said), "assay") + 1, "assay"));
	}
}

static void arenas_end_so(void **state)
{
	autostr said = {0};

	(void)state;
	assert_int_equal(end_of(an_arena_beyond_all_memory, &said), ERR_ENVIRONMENT);
	assert_int_equal(end_of(an_arena_of_too_many, &said), ERR_ENVIRONMENT);
}

/* Memory that is asked for and cannot be had is NULL, under a sanitizer too. */
#define OPTIONS "allocator_may_return_null=1"

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return OPTIONS;
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return OPTIONS;
}

static void what_cannot_be_zeroed_or_resized_ends_so(void **state)
{
	autostr beyond = {0}, zeroed = {0}, resized = {0};

	(void)state;
	assert_int_equal(end_of(zeroed_beyond_all_memory, &beyond), ERR_ENVIRONMENT);
	assert_non_null(strstr(str_text(&beyond), "2305843009213693951 more bytes"));
	assert_int_equal(end_of(zeroed_of_too_many, &zeroed), ERR_ENVIRONMENT);
	assert_non_null(strstr(str_text(&zeroed), "18446744073709551615 more bytes"));
	assert_int_equal(end_of(resized_of_too_many, &resized), ERR_ENVIRONMENT);
	assert_string_equal(str_text(&resized), str_text(&zeroed));
}

static void what_is_taken_is_zeroed_and_keeps_its_content(void **state)
{
	uint32_t *numbers = memory_zeroed(3, sizeof(*numbers));

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(numbers[i], 0);
		numbers[i] = i + 7;
	}
	numbers = memory_resize(numbers, 3000, sizeof(*numbers));
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(numbers[i], i + 7);
	free(numbers);
}

static void a_half_made_file_goes(void **state)
{
	char path[] = "/tmp/assay-memory-"
		      "XX"
		      "XX"
		      "XX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	memory_end_unlink(path);
	assert_int_not_equal(access(path, F_OK), 0);
	memory_end_unlink(path); /* gone already is as good */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_added_last_is_undone_first),
		cmocka_unit_test(an_undo_without_memory_ends_it_at_once),
		cmocka_unit_test(a_fork_leaves_its_parents_things_alone),
		cmocka_unit_test(of_two_threads_one_ends_the_process),
		cmocka_unit_test(arenas_end_so),
		cmocka_unit_test(what_cannot_be_zeroed_or_resized_ends_so),
		cmocka_unit_test(what_is_taken_is_zeroed_and_keeps_its_content),
		cmocka_unit_test(a_half_made_file_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
