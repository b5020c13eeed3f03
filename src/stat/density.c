#include "stat/density.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/memory.h"
#include "stat/hist.h"

#define CELLS ((size_t)DENSITY_COLUMNS * DENSITY_ROWS)

void density_init(struct density *density, uint64_t column_ns)
{
	_Static_assert((size_t)DENSITY_ROWS * DENSITY_BUCKETS_PER_ROW == HIST_BUCKETS,
		       "all buckets");
	assert(column_ns);
	*density = (struct density){.column_ns = column_ns};
	density->count = memory_zeroed(CELLS, sizeof(*density->count));
}

void density_done(struct density *density)
{
	free(density->count);
	density->count = NULL;
}

static void join_columns(struct density *density)
{
	uint32_t *count = density->count;

	for (size_t c = 0; c < DENSITY_COLUMNS / 2; c++) {
		for (size_t r = 0; r < DENSITY_ROWS; r++) {
			uint32_t sum = count[2 * c * DENSITY_ROWS + r];

			density_cell_add(&sum, count[(2 * c + 1) * DENSITY_ROWS + r]);
			count[c * DENSITY_ROWS + r] = sum;
		}
	}
	memset(count + CELLS / 2, 0, CELLS / 2 * sizeof(*count));
	density->column_ns *= 2;
	density->ncolumns = (density->ncolumns + 1) / 2;
}

uint32_t *density_column(struct density *density, uint64_t time_ns)
{
	uint64_t column;

	while (time_ns / density->column_ns >= DENSITY_COLUMNS)
		join_columns(density);
	column = time_ns / density->column_ns;
	density->ncolumns = (unsigned)max_u64(density->ncolumns, column + 1);
	return &density->count[column * DENSITY_ROWS];
}

void density_add(struct density *density, uint64_t time_ns, uint64_t latency_ns, uint64_t count)
{
	uint32_t *column = density_column(density, time_ns);

	density_cell_add(&column[hist_index(latency_ns) / DENSITY_BUCKETS_PER_ROW], count);
}
