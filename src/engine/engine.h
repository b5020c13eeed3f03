/*
 * An engine: how requests reach a target. One file and a table of functions, of which three are
 * hot. The rules that make so few enough:
 *
 * queue() takes a request or says -EAGAIN (full: submit, reap, then again); it never
 * completes one. A sync engine does its pread there and keeps the request on a list of its
 * own. submit() hands over what is queued, without waiting. NULL where queue() already did.
 * It is a call of its own so that the worker can stamp "submitted" between submission and
 * waiting. What the kernel has no room for stays queued; reap() hands it over. reap()
 * returns between `min` and `max` finished requests with req->res set, waiting at most until
 * `until_ns` (CLOCK_MONOTONIC; UINT64_MAX: no limit). A signal ends the wait early with what
 * is there (0 is fine): the worker then looks at its stop flag. With nothing in flight it
 * returns 0 at once, with fewer than `min` in flight all of them.
 *
 * An engine knows requests, targets and the job; no statistics, no rate, no verify. Errors of
 * one request go into req->res. A negative return of submit or reap means that the engine is
 * broken and the worker ends with that errno.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "engine/req.h"
#include "engine/target.h"
#include "job/spec.h"

enum engine_caps {
	ENGINE_READ = 1,
	ENGINE_WRITE = 2,
	ENGINE_TRIM = 4,
	ENGINE_SYNC = 8,     /* fsync and fdatasync as requests */
	ENGINE_DEPTH_1 = 16, /* one at a time: iodepth is ignored, slat is not measured */
	ENGINE_FAKE = 32,    /* touches no target: none needs to exist */
	ENGINE_FIXED_BUFFERS = 64,
	ENGINE_POLLED = 128,
	ENGINE_SIMULATED = 256, /* runs on a virtual clock, unless real time is asked for */
};

/* What the worker gives at open; all of it outlives the engine. */
struct engine_setup {
	const struct job_spec *spec;
	const struct clock *clock; /* the run's; NULL where the engine asks for no time */
	struct target *targets;
	unsigned ntargets;
	struct req *reqs; /* `depth` of them; reqs[i].slot == i */
	unsigned depth;
	void *buffers; /* one mapping; request i's buffer is at i * buffer_bytes */
	size_t buffer_bytes;
	struct arena *arena; /* the run's, not yet sealed */
};

struct engine {
	const struct engine_ops *ops;
	struct target *targets;
	unsigned ntargets;
	/* What is really on, once started: "SINGLE_ISSUER, DEFER_TASKRUN, registered files". */
	char about[200];
};

struct engine_ops {
	const char *name, *help;
	uint32_t caps;
	size_t size_bytes; /* of the engine's own struct, which begins with struct engine */
	/* Is this job possible with this engine on this machine? NULL: always. Before any
	 * file is opened. */
	int (*check)(const struct job_spec *spec, struct err *err);
	/* Memory and settings; called by the control plane, before the workers start. */
	int (*open)(struct engine *engine, const struct engine_setup *setup, struct err *err);
	/* What must happen in the worker's own thread and process (ring set-up for
	 * SINGLE_ISSUER). NULL: nothing. */
	int (*start)(struct engine *engine, struct err *err);
	int (*queue)(struct engine *engine, struct req *req);
	int (*submit)(struct engine *engine);
	int (*reap)(struct engine *engine, struct req **done, unsigned min, unsigned max,
		    uint64_t until_ns);
	/* NULL: nothing to release. Never waits for requests that are still in flight; their
	 * buffers must stay mapped then. */
	void (*close)(struct engine *engine);
	/* Of simulated engines alone: when the earliest request in flight is done, in the
	 * clock's ns; UINT64_MAX: none is. Their reap() never waits on a virtual clock. */
	uint64_t (*next_ns)(const struct engine *engine);
};

/* NULL if there is none of that name. */
const struct engine_ops *engine_find(const char *name);
/* All engines, ended by NULL. */
extern const struct engine_ops *const engine_all[];

/* Can this engine do what the job asks, on this machine? Before any file is opened. */
int engine_check(const struct engine_ops *ops, const struct job_spec *spec, struct err *err);

/* engine_check(), then memory from the arena and open(). */
int engine_open(const struct engine_ops *ops, const struct engine_setup *setup,
		struct engine **ret_engine, struct err *err);

/* start() in the worker's thread, and close() anywhere once the worker has ended; both also
 * where the engine has none. */
int engine_start(struct engine *engine, struct err *err);
void engine_close(struct engine *engine);
