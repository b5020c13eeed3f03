/*
 * How fast the simulated SSD takes writes: random 4 KiB writes to a drive in steady state at 20 %
 * over-provisioning, through the whole model, on virtual time. Prints the CPU time of one and the
 * memory of a page. usage: sim_writes [SCALE], a whole number; 1 is 128 GB, 4 (the default) a
 * quarter of it.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/str.h"
#include "sim/drive.h"

#define DEPTH 32

struct bench {
	struct drive *drive;
	struct rng rng;
	uint64_t pages, now_ns;
};

/* A closed loop: DEPTH in flight. */
static void write_random(struct bench *bench, uint64_t count)
{
	struct drive_done done[DEPTH];

	for (uint64_t i = 0; i < count; i++) {
		struct drive_request request = {.op = DRIVE_WRITE, .bytes = 4096};

		request.offset = rng_below(&bench->rng, bench->pages) * 4096;
		(void)drive_submit(bench->drive, &request, bench->now_ns);
		while (drive_in_flight(bench->drive) >= DEPTH) {
			bench->now_ns = drive_next(bench->drive);
			(void)drive_reap(bench->drive, bench->now_ns, done, DEPTH);
		}
	}
}

int main(int argc, char **argv)
{
	struct bench bench = {0};
	struct err err = {0};
	autostr target = {0};
	uint64_t began, count;
	double ns;

	str_printf(&target, "sata-tlc-128g,op=20%%,slc_min=0,slc_max=0,scale=%s",
		   argc > 1 ? argv[1] : "4");
	if (drive_open(str_text(&target), &bench.drive, &err)) {
		(void)fprintf(stderr, "sim_writes: %s\n", err.text);
		return 1;
	}
	rng_seed(&bench.rng, 1, 0);
	bench.pages = drive_size_bytes(bench.drive) / 4096;
	write_random(&bench, 3 * bench.pages); /* full, and steady */
	began = clock_thread_cpu_ns();
	count = bench.pages;
	write_random(&bench, count);
	ns = (double)(clock_thread_cpu_ns() - began) / (double)count;
	(void)printf("simulated 4 KiB writes: %.0f ns of CPU each, %.2f million a second, "
		     "%.2f bytes a page\n",
		     ns, 1e3 / ns,
		     (double)drive_memory_bytes(bench.drive) / (double)bench.pages);
	drive_close(bench.drive);
	return 0;
}
