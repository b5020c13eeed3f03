#include "trace/merge.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/bits.h"

struct head {
	struct trace_batch batch; /* what is left of it */
	unsigned source;
};

struct trace_merge {
	struct trace_reader **readers;
	struct head *heap; /* the earliest on top */
	unsigned count, heads;
	bool begun;
};

struct trace_merge *merge_new(struct trace_reader **readers, unsigned count, struct err *err)
{
	struct trace_merge *merge = calloc(1, sizeof(*merge));

	if (!merge || !(merge->heap = calloc(count ? count : 1, sizeof(*merge->heap)))) {
		free(merge);
		return (void)err_env(err, -ENOMEM, "no memory to merge logs"), NULL;
	}
	merge->readers = readers;
	merge->count = count;
	return merge;
}

void merge_free(struct trace_merge *merge)
{
	if (!merge)
		return;
	free(merge->heap);
	free(merge);
}

static bool comes_first(const struct head *a, const struct head *b)
{
	uint64_t x = a->batch.samples->time_ns, y = b->batch.samples->time_ns;

	return x != y ? x < y : a->source < b->source;
}

static void swap(struct head *a, struct head *b)
{
	struct head other = *a;

	*a = *b;
	*b = other;
}

static void sift_down(struct trace_merge *merge, unsigned at)
{
	for (;;) {
		unsigned least = at;

		for (unsigned child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < merge->heads &&
			    comes_first(&merge->heap[child], &merge->heap[least]))
				least = child;
		if (least == at)
			return;
		swap(&merge->heap[at], &merge->heap[least]);
		at = least;
	}
}

/* A new batch for the head: 1, 0 when its source is at its end. */
static int refill(struct trace_merge *merge, struct head *head, struct err *err)
{
	unsigned source = head->source;
	int rc = trace_next(merge->readers[source], &head->batch, err);

	head->batch.source = source;
	return rc;
}

static int begin(struct trace_merge *merge, struct err *err)
{
	for (unsigned i = 0; i < merge->count; i++) {
		struct head *head = &merge->heap[merge->heads];
		int rc;

		head->source = i;
		rc = refill(merge, head, err);
		if (rc < 0)
			return rc;
		merge->heads += (unsigned)rc;
	}
	for (unsigned i = merge->heads / 2; i-- > 0;)
		sift_down(merge, i);
	merge->begun = true;
	return 0;
}

/* The batch lent last lies in a reader's buffer: it is renewed only when the next is asked for,
 * which is why an empty head may stand on top. */
static int renew_top(struct trace_merge *merge, struct err *err)
{
	int rc;

	if (!merge->heads || merge->heap[0].batch.count)
		return 0;
	rc = refill(merge, &merge->heap[0], err);
	if (rc < 0)
		return rc;
	if (rc == 0)
		merge->heap[0] = merge->heap[--merge->heads];
	sift_down(merge, 0);
	return 0;
}

/* How many of the top's samples come before those of the next source. */
static unsigned run_length(const struct trace_merge *merge)
{
	const struct head *top = &merge->heap[0];
	const struct head *next = NULL;
	unsigned run = 1;
	uint64_t limit;

	for (unsigned child = 1; child <= 2 && child < merge->heads; child++)
		if (!next || comes_first(&merge->heap[child], next))
			next = &merge->heap[child];
	if (!next)
		return top->batch.count;
	limit = next->batch.samples->time_ns;
	while (run < top->batch.count) {
		uint64_t time = top->batch.samples[run].time_ns;

		if (time > limit || (time == limit && top->source > next->source))
			break;
		run++;
	}
	return run;
}

int merge_next(struct trace_merge *merge, struct trace_batch *ret_batch, struct err *err)
{
	struct head *top = &merge->heap[0];
	int rc = merge->begun ? renew_top(merge, err) : begin(merge, err);

	if (rc < 0)
		return rc;
	if (!merge->heads)
		return 0;
	assert(merge->heap);
	assert(top->batch.count);
	*ret_batch = top->batch;
	ret_batch->count = run_length(merge);
	top->batch.samples += ret_batch->count;
	top->batch.count -= ret_batch->count;
	if (top->batch.count)
		sift_down(merge, 0);
	return 1;
}
