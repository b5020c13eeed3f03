/*
 * Several sides (drives, builds, settings) side by side: what each did in each cell that they
 * have in common, all repetitions of a cell together. Pure: it reads records and keeps numbers.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "result/record.h"
#include "stat/ratio.h"

struct lineup_values {
	double *value; /* one a repetition; in the lineup's arena */
	unsigned count, room;
};

struct lineup_cell {
	const char *key;	 /* "randread 4 KiB depth 1 x8" */
	struct record_cell like; /* of the first side that has it: its load and printed text */
	struct lineup_values *side; /* [side * NCELL_METRIC + metric] */
	const char **printed;	    /* [side]; NULL */
	unsigned *repeats;	    /* [side] */
	const struct result **run;  /* [side]: the one run of which this is all; else NULL */
};

struct lineup_pair;

struct lineup {
	struct arena *arena;
	unsigned nsides;
	const char **names;	     /* "A", "r17", "./x.json" */
	const struct record **first; /* [side]: of its environment */
	const char **incomplete;     /* [side]: why one of its records is not; NULL */
	unsigned *nrecords;
	struct lineup_cell *cells;
	unsigned ncells, room;
	struct lineup_pair **pairs; /* lineup_pair.c: what was compared already */
};

void lineup_init(struct lineup *lineup, struct arena *arena, unsigned nsides);
void lineup_add(struct lineup *lineup, unsigned side, const char *name,
		struct record *const *records, unsigned count);

/* Does the side have figures of this cell? */
bool lineup_has(const struct lineup_cell *cell, unsigned side);

const struct lineup_values *lineup_values(const struct lineup *lineup,
					  const struct lineup_cell *cell, unsigned side,
					  enum cell_metric metric);
/* The geometric mean of the repetitions; NAN where there are none. */
double lineup_value(const struct lineup *lineup, const struct lineup_cell *cell, unsigned side,
		    enum cell_metric metric);
/* Side `b` by side `a`. */
struct ratio lineup_ratio(const struct lineup *lineup, const struct lineup_cell *cell,
			  unsigned a, unsigned b, enum cell_metric metric);

/* The same; where each side has one run of this load alone, with a series of histograms, the
 * interval is a block bootstrap's (stat/compare.h) and ratio.of_pair is set: how sure this pair of
 * runs is, and nothing of what a repetition would give. */
struct ratio lineup_ratio_pair(const struct lineup *lineup, const struct lineup_cell *cell,
			       unsigned a, unsigned b, enum cell_metric metric);

/* Little's law on a cell (both directions of a mix together): jobs x depth against IOPS x mean
 * latency. NAN: not known. */
double lineup_little(const struct lineup *lineup, const struct lineup_cell *cell,
		     unsigned side);
/* Bandwidth against IOPS x block size, 1 where they agree. NAN: not known. */
double lineup_size_ratio(const struct lineup *lineup, const struct lineup_cell *cell,
			 unsigned side);

static inline bool lineup_is_random(const struct lineup_cell *cell)
{
	return str_starts(cell->like.load, "rand");
}
