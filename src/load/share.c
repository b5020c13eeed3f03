#include "load/share.h"

#include "load/flow.h"

struct flow_shared *flow_shared_new(struct arena *arena)
{
	return arena_new(arena, struct flow_shared);
}

void share_join(struct share *share)
{
	uint64_t weight, issued;

	if (!share->shared || share->joined)
		return;
	weight = atomic_load_explicit(&share->shared->weight, memory_order_relaxed);
	issued = atomic_load_explicit(&share->shared->issued, memory_order_relaxed);
	share->issued = weight ? muldiv_u64(issued, share->weight, weight) : 0;
	atomic_fetch_add_explicit(&share->shared->issued, share->issued, memory_order_relaxed);
	atomic_fetch_add_explicit(&share->shared->weight, share->weight, memory_order_relaxed);
	share->joined = true;
}

void share_leave(struct share *share)
{
	if (!share->joined)
		return;
	atomic_fetch_sub_explicit(&share->shared->issued, share->issued, memory_order_relaxed);
	atomic_fetch_sub_explicit(&share->shared->weight, share->weight, memory_order_relaxed);
	share->joined = false;
}

/* Mine / all <= my weight / all weights, multiplied out. */
bool share_take(struct share *share)
{
	uint64_t weight = atomic_load_explicit(&share->shared->weight, memory_order_relaxed);
	uint64_t issued = atomic_load_explicit(&share->shared->issued, memory_order_relaxed);

	if ((unsigned __int128)share->issued * weight >
	    (unsigned __int128)issued * share->weight)
		return false;
	share->issued++;
	atomic_fetch_add_explicit(&share->shared->issued, 1, memory_order_relaxed);
	return true;
}
