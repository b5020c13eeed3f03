/*
 * The null engine: every request succeeds and touches nothing. What a run costs on it is what
 * the worker itself costs.
 */
#include "base/lang.h"
#include "engine/done_priv.h"
#include "engine/engines_priv.h"

#include "base/bits.h"

struct null {
	struct engine engine;
	struct done done;
};

static int null_queue(struct engine *engine, struct req *req)
{
	struct null *n = container_of(engine, struct null, engine);

	done_add(&n->done, req, done_all(req));
	return 0;
}

static int null_reap(struct engine *engine, struct req **done, unsigned min, unsigned max,
		     uint64_t until_ns)
{
	struct null *n = container_of(engine, struct null, engine);

	(void)min, (void)until_ns; /* what was queued is over: there is nothing to wait for */
	return (int)done_take(&n->done, done, max);
}

const struct engine_ops engine_null = {
	.name = "null",
	.help = N_("does nothing: measures the cost of assay itself"),
	.caps = ENGINE_READ | ENGINE_WRITE | ENGINE_TRIM | ENGINE_SYNC | ENGINE_FAKE,
	.size_bytes = sizeof(struct null),
	.queue = null_queue,
	.reap = null_reap,
};
