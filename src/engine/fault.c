#include "engine/fault.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/rng.h"
#include "engine/done_priv.h"

/* What is to become of the request in a slot. */
struct fault_fate {
	uint64_t release_ns; /* not before; 0: at once */
	uint32_t len;	     /* the request's own, while a shorter one is in flight */
};

struct fault {
	struct engine engine;
	struct engine *inner;
	const struct fault_plan *plan;
	struct rng rng;
	struct fault_fate *fates; /* one a slot */
	struct req **taken;	  /* of the inner engine's reap */
	uint64_t number;	  /* of the next request */
	unsigned inside;	  /* in the inner engine's hands */
	struct done done;	  /* over, and free to go */
	struct req *held;	  /* over, and waiting for release_ns; soonest first */
};

static bool fault_hits(struct fault *f, const struct fault_rule *rule, const struct req *req)
{
	uint64_t draw = rule->per_million ? rng_below(&f->rng, 1000000) : 0;

	if (rule->ops && !(rule->ops >> req->op & 1))
		return false;
	if (f->number < rule->first)
		return false;
	if (rule->count && f->number - rule->first >= rule->count)
		return false;
	return !rule->per_million || draw < rule->per_million;
}

/* The first rule of each kind that hits; NULL where none does. */
static void fault_decide(struct fault *f, const struct req *req,
			 const struct fault_rule *ret_rules[3])
{
	for (unsigned kind = 0; kind < 3; kind++)
		ret_rules[kind] = NULL;
	for (unsigned i = 0; i < f->plan->nrules; i++) {
		const struct fault_rule *rule = &f->plan->rules[i];

		if (fault_hits(f, rule, req) && !ret_rules[rule->kind])
			ret_rules[rule->kind] = rule;
	}
	f->number++;
}

/* Over, in the inner engine or without it: free to go, or held until its time. */
static void fault_over(struct fault *f, struct req *req)
{
	uint64_t release_ns = f->fates[req->slot].release_ns;
	struct req **at = &f->held;

	req->len = f->fates[req->slot].len;
	if (!release_ns) {
		done_add(&f->done, req, req->res);
		return;
	}
	while (*at && f->fates[(*at)->slot].release_ns <= release_ns)
		at = &(*at)->next;
	req->next = *at;
	*at = req;
}

static int fault_queue(struct engine *engine, struct req *req)
{
	struct fault *f = container_of(engine, struct fault, engine);
	struct rng rng_before = f->rng;
	const struct fault_rule *hit[3];
	struct fault_fate *fate = &f->fates[req->slot];
	int rc;

	fault_decide(f, req, hit);
	*fate = (struct fault_fate){.len = req->len};
	if (hit[FAULT_DELAY])
		fate->release_ns = clock_monotonic_ns() + hit[FAULT_DELAY]->delay_ns;
	if (hit[FAULT_ERROR]) {
		req->res = -hit[FAULT_ERROR]->code;
		fault_over(f, req);
		return 0;
	}
	if (hit[FAULT_SHORT]) {
		req->len = req->len / 2 & ~511u;
		if (!req->len) {
			req->res = 0;
			fault_over(f, req);
			return 0;
		}
	}
	rc = f->inner->ops->queue(f->inner, req);
	if (rc) { /* full: the same request comes again, to the same fate */
		req->len = fate->len;
		f->rng = rng_before;
		f->number--;
		return rc;
	}
	f->inside++;
	return 0;
}

static int fault_submit(struct engine *engine)
{
	struct fault *f = container_of(engine, struct fault, engine);

	return f->inner->ops->submit(f->inner);
}

/* Lets those go whose time has come; the time of the next, or UINT64_MAX. */
static uint64_t fault_release(struct fault *f)
{
	uint64_t now_ns = f->held ? clock_monotonic_ns() : 0;

	while (f->held && f->fates[f->held->slot].release_ns <= now_ns) {
		struct req *req = f->held;

		f->held = req->next;
		done_add(&f->done, req, req->res);
	}
	return f->held ? f->fates[f->held->slot].release_ns : UINT64_MAX;
}

/* False if a signal came, as clock_nanosleep tells. */
static bool fault_nap(uint64_t until_ns)
{
	struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
				 .tv_nsec = (long)(until_ns % NS_PER_S)};

	return !clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* Waits for one more request to be over, or for the next release. */
static int fault_wait(struct fault *f, unsigned min, unsigned max, uint64_t until_ns)
{
	int n;

	if (!f->inside)
		return min && !fault_nap(until_ns) ? -EINTR : 0;
	n = f->inner->ops->reap(f->inner, f->taken, min, max, until_ns);
	for (int i = 0; i < n; i++)
		fault_over(f, f->taken[i]);
	f->inside -= n > 0 ? (unsigned)n : 0;
	return n || !min || clock_monotonic_ns() >= until_ns ? n : -EINTR;
}

static int fault_reap(struct engine *engine, struct req **done, unsigned min, unsigned max,
		      uint64_t until_ns)
{
	struct fault *f = container_of(engine, struct fault, engine);
	int rc = fault_wait(f, 0, max, 0);
	unsigned n;

	while (rc >= 0) {
		uint64_t next_ns = fault_release(f);
		struct req *req = f->done.first;

		for (n = 0; req && n < max; n++)
			req = req->next;
		if (n >= min || (!f->inside && !f->held) ||
		    (until_ns != UINT64_MAX && clock_monotonic_ns() >= until_ns))
			break;
		rc = fault_wait(f, 1, max, min_u64(until_ns, next_ns));
	}
	if (rc < 0 && rc != -EINTR)
		return rc;
	return (int)done_take(&f->done, done, max);
}

static int fault_start(struct engine *engine, struct err *err)
{
	struct fault *f = container_of(engine, struct fault, engine);
	int rc = engine_start(f->inner, err);

	(void)snprintf(engine->about, sizeof(engine->about), "%.150s, with faults",
		       f->inner->about);
	return rc;
}

static void fault_close(struct engine *engine)
{
	struct fault *f = container_of(engine, struct fault, engine);

	engine_close(f->inner);
}

static int fault_open(struct engine *engine, const struct engine_setup *setup, struct err *err)
{
	const struct fault_ops *ops = (const struct fault_ops *)(const void *)engine->ops;
	struct fault *f = container_of(engine, struct fault, engine);

	f->plan = &ops->plan;
	rng_seed(&f->rng, f->plan->seed, 0);
	f->fates = arena_array(setup->arena, struct fault_fate, setup->depth);
	f->taken = arena_array(setup->arena, struct req *, setup->depth);
	return engine_open(ops->inner, setup, &f->inner, err);
}

_Static_assert(offsetof(struct fault_ops, ops) == 0, "engine->ops is the struct fault_ops");

void fault_ops_init(struct fault_ops *fault, const struct engine_ops *inner,
		    const struct fault_plan *plan)
{
	fault->ops = (struct engine_ops){
		.name = inner->name,
		.help = inner->help,
		.caps = inner->caps,
		.size_bytes = sizeof(struct fault),
		.check = inner->check,
		.open = fault_open,
		.start = fault_start,
		.queue = fault_queue,
		.submit = inner->submit ? fault_submit : NULL,
		.reap = fault_reap,
		.close = fault_close,
	};
	fault->inner = inner;
	fault->plan = *plan;
}
