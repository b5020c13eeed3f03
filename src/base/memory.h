/*
 * The end of a command whose memory ran out. Texts and arenas (base/str.h, base/arena.h) cannot
 * fail: each caller would have a failure path that nobody takes, and the report of it needs
 * memory too. So one that cannot grow ends the command: what it would otherwise have cleaned up
 * on its way out is undone by these, one sentence says what was short and what helps, and the
 * process leaves as by an error. Not by abort(): nothing of ours is wrong, and a core dump of the
 * whole memory is the last thing that such a machine needs.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* The caller's own, from add to remove: in a struct that lives that long. */
struct memory_end {
	void (*undo)(void *arg); /* takes no memory, waits for nothing */
	void *arg;
	struct memory_end *next;
	pid_t pid; /* that added it: a fork of it undoes nothing */
};

/* The last one added is called first. */
void memory_end_add(struct memory_end *end, void (*undo)(void *arg), void *arg);
void memory_end_remove(struct memory_end *end); /* not there: nothing happens */

/* Whichever thread calls it first ends the process; others that do meanwhile wait for that. */
_Noreturn void memory_short(size_t bytes);

/* malloc(), calloc() and reallocarray() that end so, for cold code that has no way on without, and
 * for libraries that take one and do not tell its failure well; free() frees what they give. */
void *memory_take(size_t bytes);
void *memory_zeroed(size_t count, size_t bytes);
void *memory_resize(void *memory, size_t count, size_t bytes); /* neither is 0 */

/* What helps, in the language of messages, to put after what was short. */
const char *memory_remedy(void);

/* An undo for the path of a file that is half made: `path` is a const char *. */
void memory_end_unlink(void *path);
