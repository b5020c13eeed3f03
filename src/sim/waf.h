/*
 * Write amplification of a workload, measured on the flash translation layer alone: a sequential
 * fill, trim, then random overwrites of which the first half is warm-up.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sim/ftl.h"

struct waf_setup {
	uint32_t op_ppm; /* (T - U) / U */
	uint32_t pages_per_block;
	uint32_t blocks; /* that hold data: T */
	enum gc_policy policy;
	uint32_t choices;
	uint32_t trim_ppm; /* of the pages, kept trimmed */
	/* This part of the writes goes to that part of the pages; 0 and 0: uniform. */
	uint32_t hot_writes_ppm, hot_space_ppm;
	uint32_t turns; /* overwrites of the written pages in all; an even number, 8 or more */
	bool gc_stream;
	uint64_t seed;
};

struct waf_result {
	double measured, theory;
	const char *theory_name; /* NULL: none is known for this, and `theory` is NAN */
	double last, before;	 /* of the last two overwrites, and the two before */
	double sequential;	 /* of a second sequential fill */
	uint64_t host_pages;	 /* written in the measured part */
	uint64_t least_erases, most_erases;
};

/* The defaults of `assay sim waf`: 20 %, 128 pages, greedy, 2,048 blocks, 24 turns, seed 1. */
void waf_setup_init(struct waf_setup *setup);
int waf_run(const struct waf_setup *setup, struct waf_result *ret_result, struct err *err);
