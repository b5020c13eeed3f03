/*
 * How fast the simulated SSD takes writes: four capacities of random 4 KiB writes to an empty
 * `sata-tlc-128g` with 20 % of spare flash and no SLC cache, through the whole model, on virtual
 * time. The last capacity is the steady state. Prints the rows of doc/speed.md; exit 1 where a
 * bound is missed. usage: sim_writes [SCALE], a whole number; 1 (the default) is all 128 GB, which
 * the bounds are for.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/str.h"
#include "sim/drive.h"

#define DEPTH	   32
#define CAPACITIES 4

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

static bool print_row(const char *what, double value, const char *unit, double bound,
		      bool at_most)
{
	bool kept = at_most ? value <= bound : value >= bound;

	(void)printf("| %s | %.2f %s | %s %g: %s |\n", what, value, unit,
		     at_most ? "<=" : ">=", bound, kept ? "yes" : "NO");
	return kept;
}

/* All of the process, which is little beside the drive. */
static double peak_bytes(void)
{
	struct rusage usage = {0};

	(void)getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

int main(int argc, char **argv)
{
	struct bench bench = {0};
	struct err err = {0};
	autostr target = {0};
	uint64_t began, turn_ns = 0;
	double pages;
	bool kept;

	str_printf(&target, "sata-tlc-128g,op=20%%,slc_min=0,slc_max=0,scale=%s",
		   argc > 1 ? argv[1] : "1");
	if (drive_open(str_text(&target), &bench.drive, &err)) {
		(void)fprintf(stderr, "sim_writes: %s\n", err.text);
		return 1;
	}
	rng_seed(&bench.rng, 1, 0);
	bench.pages = drive_size_bytes(bench.drive) / 4096;
	pages = (double)bench.pages;
	began = clock_thread_cpu_ns();
	for (int i = 0; i < CAPACITIES; i++) {
		turn_ns = clock_thread_cpu_ns();
		write_random(&bench, bench.pages);
	}
	turn_ns = clock_thread_cpu_ns() - turn_ns;
	kept = print_row("simulated 4 KiB writes a second of CPU time, steady state",
			 pages / (double)turn_ns * 1e3, "million", 2, false);
	kept &= print_row("four capacities of it, from empty",
			  (double)(clock_thread_cpu_ns() - began) / 1e9, "s of CPU time", 70,
			  true);
	kept &= print_row("memory of the model a page",
			  (double)drive_memory_bytes(bench.drive) / pages, "bytes", 12, true);
	kept &= print_row("peak memory of the process a page", peak_bytes() / pages, "bytes",
			  12, true);
	drive_close(bench.drive);
	return kept ? 0 : 1;
}
