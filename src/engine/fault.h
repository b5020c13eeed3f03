/*
 * The fault engine wraps another one and makes its requests fail, come short or come late: as
 * rules say, by a seed, the same way each time. For tests of what a run does then; not reachable
 * by ioengine=.
 *
 * A request that is to fail never reaches the inner engine. One that is to come short does, with
 * a smaller length, so that the bytes beyond are truly not moved.
 */
#pragma once

#include <stdint.h>

#include "engine/engine.h"

enum fault_kind {
	FAULT_ERROR, /* res is -code */
	FAULT_SHORT, /* half of the length, in whole sectors of 512 bytes */
	FAULT_DELAY, /* handed back no earlier than delay_ns after queue() */
};

/* Requests are numbered from 0 as they are queued. */
struct fault_rule {
	enum fault_kind kind;
	uint32_t ops;	       /* bits 1 << enum op; 0: all */
	uint64_t first, count; /* numbers first .. first + count - 1; count 0: all from first */
	uint32_t per_million;  /* of these, by the seed; 0: every one */
	int code;	       /* positive errno */
	uint64_t delay_ns;
};

struct fault_plan {
	uint64_t seed;
	const struct fault_rule *rules; /* outlive the engine */
	unsigned nrules;
};

/* Stands wherever an engine's table may stand: give &fault.ops to engine_open(). Outlives the
 * engine. */
struct fault_ops {
	struct engine_ops ops; /* with the inner engine's name and capabilities */
	const struct engine_ops *inner;
	struct fault_plan plan;
};

/* Of several rules that hit a request the first of its kind counts; an error beats a short
 * transfer; a delay goes with either. */
void fault_ops_init(struct fault_ops *fault, const struct engine_ops *inner,
		    const struct fault_plan *plan);
