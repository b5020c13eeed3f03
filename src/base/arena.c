#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/memory.h"

struct arena_block {
	struct arena_block *next;
	size_t bytes;
};

#define BLOCK_BYTES ((size_t)64 << 10) /* the smallest mapping */

void arena_init(struct arena *arena)
{
	*arena = (struct arena){0};
}

void arena_init_shared(struct arena *arena)
{
	*arena = (struct arena){.shared = true};
}

void arena_done(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	while (block) {
		struct arena_block *next = block->next;

		(void)munmap(block, block->bytes); /* our own mapping: cannot fail */
		block = next;
	}
	*arena = (struct arena){.shared = arena->shared};
}

void arena_seal(struct arena *arena)
{
	arena->sealed = true;
}

static void arena_grow(struct arena *arena, size_t bytes)
{
	size_t head = round_up_size(sizeof(struct arena_block), 64);
	size_t want = bytes + head < BLOCK_BYTES ? BLOCK_BYTES : bytes + head;
	int flags = MAP_ANONYMOUS | (arena->shared ? MAP_SHARED : MAP_PRIVATE);
	struct arena_block *block;

	if (!arena->shared && arena->size_bytes >= want)
		want = arena->size_bytes < ((size_t)16 << 20) ? 2 * arena->size_bytes : want;
	want = round_up_size(want, (size_t)sysconf(_SC_PAGESIZE));
	block = mmap(NULL, want, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (block == MAP_FAILED)
		memory_short(want);
	block->next = arena->blocks;
	block->bytes = want;
	arena->blocks = block;
	arena->used_bytes = head;
	arena->size_bytes = want;
	arena->total_bytes += want;
}

void *arena_alloc(struct arena *arena, size_t bytes, size_t align)
{
	size_t at;

	assert(!arena->sealed);
	assert(align && !(align & (align - 1)));
	assert(align <= 4096);
	if (bytes > SIZE_MAX / 4)
		memory_short(bytes);
	at = round_up_size(arena->used_bytes, align);
	if (!arena->blocks || at + bytes > arena->size_bytes) {
		arena_grow(arena, bytes + align);
		at = round_up_size(arena->used_bytes, align);
	}
	arena->given_bytes += at + bytes - arena->used_bytes;
	arena->used_bytes = at + bytes;
	return (char *)arena->blocks + at; /* fresh anonymous pages: zeroed */
}

void *arena_calloc(struct arena *arena, size_t count, size_t bytes, size_t align)
{
	size_t total;

	if (__builtin_mul_overflow(count, bytes, &total))
		memory_short(SIZE_MAX);
	return arena_alloc(arena, total, align);
}

char *arena_strndup(struct arena *arena, const char *text, size_t bytes)
{
	char *copy = arena_alloc(arena, bytes + 1, 1);

	memcpy(copy, text, bytes);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list args, again;
	char *text;
	int n;

	va_start(args, fmt);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	assert(n >= 0);
	text = arena_alloc(arena, (size_t)n + 1, 1);
	(void)vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	return text;
}

void *arena_more(struct arena *arena, void *items, size_t count, size_t item_bytes)
{
	void *more;

	if (count && (count < 8 || (count & (count - 1))))
		return items;
	more = arena_calloc(arena, count ? 2 * count : 8, item_bytes, _Alignof(max_align_t));
	if (count)
		memcpy(more, items, count * item_bytes);
	return more;
}
