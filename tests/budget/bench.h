/*
 * One worker on one job, opened as the control plane does it, and driven by the test itself: for
 * tests that look at the worker's loop. Seed 7 everywhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "job/job.h"
#include "load/worker.h"

struct bench {
	struct job_set set;
	struct arena arena; /* shared, as a run's: a forked child counts where we can see it */
	struct clock clock;
	struct worker_shared *shared;
	struct target target;
	struct capture *capture; /* NULL: not captured */
	struct worker *worker;
	char path[32];
};

/*
 * `options` as on the command line ("--ioengine=null --rw=read"), --name and --size included where
 * they matter. An engine that needs a file gets one of 1 MiB in the current folder.
 * Rows are cut every `interval_ns`.
 */
void bench_open(struct bench *bench, const char *options, uint64_t interval_ns);
/* The same, with a ring that nobody empties: `entries` are a power of two. */
void bench_open_captured(struct bench *bench, const char *options, uint64_t interval_ns,
			 unsigned entries);

/* One more worker of the same job, as numjobs makes it. */
struct worker *bench_add_worker(struct bench *bench, unsigned clone);

/* worker_start() and the clock: the next thing is worker_loop(). False if the engine did not. */
bool bench_start(struct bench *bench);
void bench_go(struct bench *bench);

/* Requests that the worker has counted; nobody else may have taken its tallies. */
uint64_t bench_ios(const struct bench *bench);

void bench_close(struct bench *bench);

/* Why instructions and allocations cannot be counted in this build; NULL: they can. */
const char *bench_why_not(void);
