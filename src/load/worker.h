/*
 * The worker: one thread (or process), one engine, one flow. Its loop is the data plane: it
 * allocates nothing, locks nothing, and makes no system call but the engine's and its own
 * wait. Everything that it needs is laid out before the start by worker_open(), in the run's
 * shared memory.
 *
 * One turn of the loop is worker_turn(): take what is due from the flow, queue and submit
 * it, reap, account. A thread calls it until the worker has ended; a simulated run calls the
 * turn of whichever worker's next event is earliest.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "engine/engine.h"
#include "engine/req.h"
#include "job/spec.h"
#include "load/capture.h"
#include "load/fill.h"
#include "load/flow.h"
#include "load/tally.h"

/* What all workers of a run share and mostly read. In shared memory. */
struct worker_shared {
	_Alignas(CACHE_LINE_BYTES) uint64_t grid_ticks; /* the run's zero */
	uint64_t interval_ns;
	/* Bytes that may still be written under --max-write; taken per write, only where a
	 * limit is set. Those of the run, or of whoever started it and has a limit for more
	 * than this run. */
	_Atomic int64_t *write_budget;
	_Alignas(CACHE_LINE_BYTES) _Atomic int64_t own_budget;
};

/* Why a worker ended. */
enum worker_end {
	WORKER_RUNNING,
	WORKER_DONE,	/* its flow ended, or its time was up */
	WORKER_STOPPED, /* told to */
	WORKER_FAILED,	/* an error ended it */
	WORKER_BUDGET,	/* --max-write was reached */
	WORKER_GAVE_UP, /* requests did not come back within the drain limit */
};

struct worker_error {
	int code; /* positive errno; 0 none */
	uint8_t op;
	uint16_t target;
	uint32_t bytes;
	uint64_t offset;
};

/* What a thread took of its core, and what interrupted it. */
struct worker_use {
	uint64_t cpu_ns; /* exact; the two parts may be known by ticks alone */
	uint64_t user_ns, sys_ns;
	uint64_t switches, major_faults, minor_faults;
};

struct worker {
	/* --- read in every turn --- */
	const struct clock *clock;
	struct engine *engine;
	struct flow *flow;
	struct fill *fill; /* NULL: buffers stay as they are */
	struct req *free;
	struct batch *batches;
	struct req **done;
	struct tally *tally;
	uint64_t turned;      /* ticks: the end of the last turn */
	uint64_t next_event;  /* ticks: the next row boundary, ramp end or deadline */
	uint64_t next_due;    /* ticks, after FLOW_LATER */
	uint64_t depth_stamp; /* up to here in_flight was added to depth_ticks */
	uint32_t in_flight, nfree, batch_free;
	uint32_t batch_limit,
		batch_floor; /* a submission's size; free requests that it waits for */
	uint32_t reap_min, reap_max, low;
	bool sync_engine, timed, rated, wants_done, limits_latency;
	bool wants_each; /* rated, or captured by requests: for each request that ended */
	bool wants_run; /* a latency is limited, or captured by runs: for each run that ended */
	bool prepares; /* limited, rated, filled, or a sync engine: one test a request for all */
	bool later, drain, finished; /* the flow's last word */
	/* What ended counts at the depth before it was reaped: a queue that is kept full is full
	 * then, however many ended at once. Not where the queue is meant to run down between. */
	bool reaped_depths;
	bool refilling;		 /* iodepth_low: the queue has run down and fills again */
	struct capture *capture; /* NULL: no log is wanted */
	uint32_t run_length; /* captured by runs, of requests of this length; 0: by requests */
	uint64_t *dues;	     /* rated jobs: the due times of the batch being issued */

	/* --- events and limits --- */
	uint64_t row_end, ramp_end, deadline, drain_end; /* ticks; UINT64_MAX: none */
	uint64_t row, drain_ticks, max_latency_ns[NDATA];
	uint32_t continue_on;
	enum worker_end why;
	struct worker_error first_error;
	uint64_t total_errors;

	/* --- set-up --- */
	const struct job_spec *spec;
	const struct target *targets;
	struct worker_shared *shared;
	struct req *reqs;
	unsigned depth, clone, cpu_index;
	void *buffers;
	size_t buffer_bytes, buffers_bytes;
	bool limited; /* --max-write */
	bool told;    /* the stop was seen */

	/* --- what the control plane reads afterwards --- */
	uint64_t start_ticks, begin_ticks, end_ticks; /* let go; measuring since; ended */
	struct worker_use before, used;		      /* set up; from there to the end */
	uint64_t arrivals_behind; /* requests that were due at the end and not taken */
	uint64_t cut_ios[NDIR], cut_bytes[NDIR]; /* of the ramp, not handed over in a tally */
	int tid;
	int last_cpu;	/* where its thread ended; -1 unknown */
	struct err err; /* why the engine did not start */

	/* --- meeting points: each on a line of its own, written by one side --- */
	/* Written by the control plane, read in every turn: non-zero asks the worker to stop.
	 * Nothing is published through it, so relaxed order does. */
	_Alignas(CACHE_LINE_BYTES) _Atomic uint32_t stop;
	/* The oldest request in flight at the last row boundary, for the live line: its start
	 * in ticks (0: none) and its slot. Relaxed: a picture, nothing hangs on it. */
	_Alignas(CACHE_LINE_BYTES) _Atomic uint64_t oldest_ticks;
	_Atomic uint32_t oldest_slot;
	_Atomic uint32_t state; /* enum worker_state; release by the worker */
	struct mailbox mailbox;
};

enum worker_state {
	WORKER_NEW,
	WORKER_READY, /* set up in its own thread, waits for the start */
	WORKER_ON,
	WORKER_ENDED, /* the mailbox is flushed; the fields above are final */
};

struct worker_setup {
	const struct job_spec *spec;
	/* NULL: spec->ioengine. A test gives one with faults. */
	const struct engine_ops *engine;
	const struct clock *clock;
	struct worker_shared *shared;
	struct target *targets;
	unsigned ntargets;
	unsigned clone, cpu_index;
	uint64_t seed;
	uint64_t drain_ns;
	bool limited;
	struct flow_shared *flow_shared;
	struct capture *capture; /* in shared memory; NULL: no log is wanted */
	bool captures_offsets;	 /* so that each request is an entry of its own */
	struct arena *arena;	 /* shared memory, not sealed */
};

/* Bytes of one worker's buffers, all of which are touched before the start. */
uint64_t worker_buffers_need(const struct job_spec *spec);

/* Memory, engine, flow, buffers: everything up to the start. Called by the control plane. */
int worker_open(const struct worker_setup *setup, struct worker **ret_worker, struct err *err);

/* In the worker's own thread, before the start line. */
int worker_start(struct worker *worker);

/* The clock starts now, at `start_ticks`. */
void worker_go(struct worker *worker, uint64_t start_ticks);

/* One turn; false once the worker has ended. `ret_idle`: nothing was sent and nothing came
 * back. */
bool worker_turn(struct worker *worker, bool *ret_idle);

/* On a virtual clock (ticks are ns): when an idle worker may have something to do again. */
uint64_t worker_next_ticks(const struct worker *worker);

/* Turns until the end. */
void worker_loop(struct worker *worker);

/* After the end, in the worker's thread: resource use; then the mailbox is flushed and the
 * state set. */
void worker_finish(struct worker *worker);

/*
 * The oldest request in flight, or NULL. Exact in the worker's own thread, and from outside
 * while the worker does not run (it hangs, or has ended); else a picture that may be stale.
 */
const struct req *worker_oldest(const struct worker *worker);
/* A request that the engine has not given back. */
#define WORKER_NOT_BACK INT32_MIN
static inline bool worker_is_in_flight(const struct req *req)
{
	return req->res == WORKER_NOT_BACK;
}

/* Releases what worker_open acquired outside the arena (engine, buffers). */
void worker_close(struct worker *worker);
