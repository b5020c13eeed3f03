/* A closed loop on virtual time: `depth` requests in flight for a while, and what came of it. */
#pragma once

#include <math.h>
#include <stdlib.h>

#include "base/bits.h"
#include "sim/drive.h"
#include "unit.h"

#define LOOP_DEPTH_MAX 256

struct loop {
	struct drive *drive;
	unsigned depth;
	uint64_t bytes; /* of a request */
	bool random;
	unsigned reads_percent; /* 0: writes only, 100: reads only */
	uint64_t from, area;	/* the part of the drive that is used; area 0: all */
	uint64_t requests;	/* to complete, after `warm` more */
	uint64_t warm;
	uint64_t next;	 /* sequential: the offset of the next request; kept between loops */
	uint64_t now_ns; /* kept between loops */
	struct rng rng;
};

struct loop_figures {
	double seconds, iops, mb_s, mean_us; /* 10^6 bytes */
	double depth;			     /* mean requests in flight, by time */
	uint64_t max_ns;
};

static inline struct drive *open_drive(const char *target)
{
	struct drive *drive;
	struct err err = {0};

	if (drive_open(target, &drive, &err))
		fail_msg("%s", err.text);
	return drive;
}

static inline void loop_submit(struct loop *loop, uint64_t tag)
{
	uint64_t area = loop->area ? loop->area : drive_size_bytes(loop->drive);
	uint64_t places = area / loop->bytes;
	struct drive_request request = {.bytes = loop->bytes, .tag = tag};

	request.op =
		rng_below(&loop->rng, 100) < loop->reads_percent ? DRIVE_READ : DRIVE_WRITE;
	if (loop->random)
		request.offset = rng_below(&loop->rng, places) * loop->bytes;
	else
		request.offset = loop->next++ % places * loop->bytes;
	request.offset += loop->from;
	(void)drive_submit(loop->drive, &request, loop->now_ns);
}

/* Runs until warm + requests have been completed; figures are of the last `requests`. */
static inline struct loop_figures loop_run(struct loop *loop)
{
	struct loop_figures figures = {0};
	uint64_t started[LOOP_DEPTH_MAX], began = loop->now_ns, count = 0, submitted = 0;
	uint64_t all = loop->warm + loop->requests;
	double sum = 0, area = 0;
	unsigned flying = 0;

	for (; flying < loop->depth; flying++, submitted++) {
		started[flying] = loop->now_ns;
		loop_submit(loop, flying);
	}
	while (count < all) {
		uint64_t next = drive_next(loop->drive);
		struct drive_done done[16];
		unsigned n;

		assert_true(next != UINT64_MAX);
		if (count >= loop->warm)
			area += (double)(next - loop->now_ns) * flying;
		loop->now_ns = next > loop->now_ns ? next : loop->now_ns;
		n = drive_reap(loop->drive, loop->now_ns, done, 16);
		for (unsigned i = 0; i < n; i++) {
			uint64_t ns = done[i].done_ns - started[done[i].tag];

			flying--;
			if (++count == loop->warm)
				began = loop->now_ns;
			if (count > loop->warm) {
				sum += (double)ns;
				figures.max_ns = max_u64(figures.max_ns, ns);
			}
			if (submitted < all) {
				started[done[i].tag] = loop->now_ns;
				loop_submit(loop, done[i].tag);
				submitted++;
				flying++;
			}
		}
	}
	figures.seconds = (double)(loop->now_ns - began) / 1e9;
	figures.iops = (double)loop->requests / figures.seconds;
	figures.mb_s = figures.iops * (double)loop->bytes / 1e6;
	figures.mean_us = sum / (double)loop->requests / 1e3;
	figures.depth = area / 1e9 / figures.seconds;
	return figures;
}

/* Writes all of the drive once, from its start to its end. */
static inline void loop_fill(struct loop *loop)
{
	struct loop fill = *loop;

	fill.bytes = 131072;
	fill.depth = 32;
	fill.random = false;
	fill.reads_percent = 0;
	fill.from = fill.area = fill.next = fill.warm = 0;
	fill.requests = drive_size_bytes(fill.drive) / fill.bytes;
	(void)loop_run(&fill);
	loop->now_ns = fill.now_ns;
	loop->rng = fill.rng;
}
