/*
 * The simulated drive as an engine. All workers that load one drive share it, in one thread,
 * on a virtual clock: whoever reaps first hands each completion to the engine that sent it.
 * reap() never waits; who moves the clock asks next_ns().
 */
#include "sim/drive.h"

#include <stdio.h>

#include "base/bits.h"
#include "base/lang.h"
#include "engine/done_priv.h"
#include "engine/engines_priv.h"

#define SIM_REAP_MAX 64

struct sim {
	struct engine engine;
	struct done done;
	const struct clock *clock;
	bool fua; /* sync=: each write is done when it is on stable media */
};

static int sim_check(const struct job_spec *spec, struct err *err)
{
	for (unsigned d = 0; d < NDATA; d++) {
		if (spec->rw.does[d] && (spec->bs[d].min % 512 || spec->bs[d].max % 512))
			return err_input(
				err, "%s: bs: a simulated drive takes multiples of 512 bytes",
				spec->name);
	}
	return 0;
}

static int sim_open(struct engine *engine, const struct engine_setup *setup, struct err *err)
{
	struct sim *s = container_of(engine, struct sim, engine);

	(void)err; /* the drive is open already: it belongs to the target */
	s->clock = setup->clock;
	s->fua = setup->spec->sync != SYNC_NONE;
	(void)snprintf(engine->about, sizeof(engine->about),
		       N_("simulated drive, virtual time"));
	return 0;
}

static enum drive_op op_of(const struct req *req)
{
	switch ((enum op)req->op) {
	case OP_READ:
		return DRIVE_READ;
	case OP_WRITE:
		return DRIVE_WRITE;
	case OP_TRIM:
		return DRIVE_TRIM;
	case OP_FSYNC:
	case OP_FDATASYNC:
		return DRIVE_FLUSH;
	}
	return DRIVE_READ;
}

static int sim_queue(struct engine *engine, struct req *req)
{
	struct sim *s = container_of(engine, struct sim, engine);
	struct drive_request request = {.offset = req->offset,
					.bytes = req->len,
					.tag = (uintptr_t)req,
					.op = op_of(req),
					.fua = s->fua && req->op == OP_WRITE};

	if (request.op == DRIVE_FLUSH)
		request.offset = request.bytes = 0;
	req->tag = (uintptr_t)s;
	(void)drive_submit(engine->targets[req->target].drive, &request,
			   clock_now_ns(s->clock));
	return 0;
}

/* Hands what one drive has finished to the engines that sent it. */
static void collect(struct drive *drive, uint64_t now_ns)
{
	struct drive_done done[SIM_REAP_MAX];
	unsigned n;

	do {
		n = drive_reap(drive, now_ns, done, ARRAY_SIZE(done));
		for (unsigned i = 0; i < n; i++) {
			/* NOLINTBEGIN(performance-no-int-to-ptr): the tags are our own
			 * pointers */
			struct req *req = (struct req *)(uintptr_t)done[i].tag;
			struct sim *sender = (struct sim *)(uintptr_t)req->tag;
			/* NOLINTEND(performance-no-int-to-ptr) */

			done_add(&sender->done, req,
				 done[i].error ? done[i].error : done_all(req));
		}
	} while (n == ARRAY_SIZE(done));
}

static int sim_reap(struct engine *engine, struct req **done, unsigned min, unsigned max,
		    uint64_t until_ns)
{
	struct sim *s = container_of(engine, struct sim, engine);

	(void)min, (void)until_ns; /* who moves the clock waits */
	for (unsigned i = 0; i < engine->ntargets; i++)
		collect(engine->targets[i].drive, clock_now_ns(s->clock));
	return (int)done_take(&s->done, done, max);
}

static uint64_t sim_next_ns(const struct engine *engine)
{
	const struct sim *s = (const struct sim *)(const void *)engine; /* its first member */
	uint64_t next = UINT64_MAX;

	if (s->done.first)
		return clock_now_ns(s->clock);
	for (unsigned i = 0; i < engine->ntargets; i++)
		next = min_u64(next, drive_next(engine->targets[i].drive));
	return next;
}

const struct engine_ops engine_sim = {
	.name = "sim",
	.help = N_("a simulated drive (sim:PROFILE), on a virtual clock"),
	.caps = ENGINE_READ | ENGINE_WRITE | ENGINE_TRIM | ENGINE_SYNC | ENGINE_SIMULATED,
	.size_bytes = sizeof(struct sim),
	.check = sim_check,
	.open = sim_open,
	.queue = sim_queue,
	.reap = sim_reap,
	.next_ns = sim_next_ns,
};
