#include "stat/slowest.h"

#include <stdlib.h>

void slowest_init(struct slowest *slowest, struct arena *arena, unsigned most)
{
	*slowest = (struct slowest){.request = arena_array(arena, struct slow_request, most),
				    .most = most};
}

/* Whether `a` has to go before `b` does. */
static bool leaves_first(const struct slow_request *a, const struct slow_request *b)
{
	if (a->latency_ns != b->latency_ns)
		return a->latency_ns < b->latency_ns;
	return a->number > b->number;
}

/* From a place at the foot of the heap up to its own. */
static void rise(struct slow_request *heap, unsigned at, const struct slow_request *one)
{
	while (at > 0 && leaves_first(one, &heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = *one;
}

/* From the top of the heap, which is free, down to its own place. */
static void sink(struct slow_request *heap, unsigned count, const struct slow_request *one)
{
	unsigned at = 0;

	for (unsigned next = 1; next < count; next = 2 * at + 1) {
		if (next + 1 < count && leaves_first(&heap[next + 1], &heap[next]))
			next++;
		if (!leaves_first(&heap[next], one))
			break;
		heap[at] = heap[next];
		at = next;
	}
	heap[at] = *one;
}

void slowest_insert(struct slowest *slowest, const struct slow_request *request)
{
	struct slow_request one = *request;

	one.number = slowest->seen;
	if (slowest->count < slowest->most)
		rise(slowest->request, slowest->count++, &one);
	else
		sink(slowest->request, slowest->count, &one);
}

static int order(const void *a, const void *b)
{
	return leaves_first(a, b) ? 1 : -1;
}

void slowest_sort(struct slowest *slowest)
{
	if (slowest->count)
		qsort(slowest->request, slowest->count, sizeof(*slowest->request), order);
}
