/* Small pure helpers on integers and pointers that several folders need. Nothing here
 * allocates. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define KiB (1ULL << 10)
#define MiB (1ULL << 20)
#define GiB (1ULL << 30)
#define TiB (1ULL << 40)

#define NS_PER_US 1000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_S  1000000000ULL

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define container_of(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define CACHE_LINE_BYTES 64

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Floor of log2(x); x must not be 0. */
static inline unsigned log2_u64(uint64_t x)
{
	return 63u - (unsigned)__builtin_clzll(x);
}

/* `unit` must not be 0; no overflow as long as the result fits. */
static inline uint64_t round_up_u64(uint64_t x, uint64_t unit)
{
	uint64_t rest = x % unit;

	return rest ? x + (unit - rest) : x;
}

/* `unit` must be a power of two. */
static inline size_t round_up_size(size_t x, size_t unit)
{
	return (x + unit - 1) & ~(unit - 1);
}

/* a * b / c with a 128-bit product; c must not be 0. */
static inline uint64_t muldiv_u64(uint64_t a, uint64_t b, uint64_t c)
{
	return (uint64_t)((unsigned __int128)a * b / c);
}
