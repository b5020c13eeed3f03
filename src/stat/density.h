/*
 * A density: how many completions lie in each cell of time by latency, for pictures. Columns
 * are equal spans of time and are joined in pairs when they run out, so that memory is the same
 * for a minute and a month; rows are an eighth of a power of two. Heap memory, owned by the
 * density.
 */
#pragma once

#include <stdint.h>

#include "base/bits.h"

#define DENSITY_COLUMNS		1024 /* at most; at least half of them are used at the end */
#define DENSITY_ROWS		288  /* 16 buckets of the histogram each */
#define DENSITY_BUCKETS_PER_ROW 16

struct density {
	uint64_t column_ns;
	unsigned ncolumns;
	uint32_t *count; /* [column * DENSITY_ROWS + row]; saturates */
};

/* `column_ns`: the finest grain. */
void density_init(struct density *density, uint64_t column_ns);
void density_done(struct density *density);
void density_add(struct density *density, uint64_t time_ns, uint64_t latency_ns,
		 uint64_t count);
/* The rows of the column of an instant, for who adds many at once; until the next call. */
uint32_t *density_column(struct density *density, uint64_t time_ns);
static inline void density_cell_add(uint32_t *cell, uint64_t count)
{
	*cell = (uint32_t)min_u64(*cell + count, UINT32_MAX);
}
