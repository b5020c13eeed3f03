#include "load/capture.h"

#include <string.h>

#include "base/assert.h"

#define ALL_RINGS_BYTES (64 * MiB)

unsigned capture_entries_for(unsigned nworkers)
{
	uint64_t each =
		ALL_RINGS_BYTES / sizeof(struct capture_entry) / (nworkers ? nworkers : 1);

	if (each >= CAPTURE_ENTRIES_MAX)
		return CAPTURE_ENTRIES_MAX;
	if (each <= CAPTURE_ENTRIES_MIN)
		return CAPTURE_ENTRIES_MIN;
	return 1u << log2_u64(each);
}

struct capture *capture_new(struct arena *shared, unsigned entries)
{
	struct capture *capture = arena_alloc(shared, sizeof(*capture), CACHE_LINE_BYTES);

	assert(entries && (entries & (entries - 1)) == 0);
	capture->mask = entries - 1;
	capture->entries =
		arena_alloc(shared, entries * sizeof(*capture->entries), CACHE_LINE_BYTES);
	return capture;
}

uint64_t capture_waiting(const struct capture *capture)
{
	uint64_t tail = atomic_load_explicit(&capture->tail, memory_order_relaxed);

	return atomic_load_explicit(&capture->head, memory_order_acquire) - tail;
}

unsigned capture_take(struct capture *capture, struct capture_entry *entries, unsigned room)
{
	uint64_t tail = atomic_load_explicit(&capture->tail, memory_order_relaxed);
	unsigned count = (unsigned)min_u64(capture_waiting(capture), room);
	uint64_t from = tail & capture->mask;
	unsigned first = (unsigned)min_u64(count, capture->mask + 1 - from);

	memcpy(entries, &capture->entries[from], first * sizeof(*entries));
	memcpy(entries + first, capture->entries, (count - first) * sizeof(*entries));
	atomic_store_explicit(&capture->tail, tail + count, memory_order_release);
	return count;
}
