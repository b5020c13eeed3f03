/*
 * An arena: memory with one lifetime, released in one call. Two kinds: private (a
 * command's), and shared (a run's: MAP_SHARED, so that forked workers and the control plane
 * see the same bytes). Not thread-safe: the owner allocates before the workers start, then
 * seals it; an allocation from a sealed arena is a programmer's error and aborts. All memory
 * comes zeroed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;    /* newest first */
	size_t used_bytes, size_bytes; /* of the newest block */
	size_t total_bytes;	       /* mapped in all blocks */
	size_t given_bytes;	       /* of these, handed out */
	bool shared, sealed;
};

void arena_init(struct arena *arena);
void arena_init_shared(struct arena *arena);
void arena_done(struct arena *arena);
void arena_seal(struct arena *arena);

/* Never NULL: out of memory ends the process through arena_oom (cold code has no way on from
 * it). */
void *arena_alloc(struct arena *arena, size_t bytes, size_t align);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t bytes);
char *arena_printf(struct arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define arena_new(arena, type) ((type *)arena_alloc(arena, sizeof(type), _Alignof(type)))
#define arena_array(arena, type, count) \
	((type *)arena_calloc(arena, count, sizeof(type), _Alignof(type)))

/* Aborts on overflow of count * bytes, as on lack of memory. */
void *arena_calloc(struct arena *arena, size_t count, size_t bytes, size_t align);

/* Room for one more: arrays in an arena grow by doubling, from 8. */
void *arena_more(struct arena *arena, void *items, size_t count, size_t item_bytes);
