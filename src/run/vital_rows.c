#include "run/vital_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

int vital_rows_init(struct vital_rows *rows, const struct vital_channel *channels,
		    unsigned nchannels, unsigned rows_max, uint64_t step_ns)
{
	assert(rows_max >= 2 && step_ns);
	*rows = (struct vital_rows){.channels = channels,
				    .nchannels = nchannels,
				    .rows_max = rows_max,
				    .step_ns = step_ns};
	rows->values = calloc((size_t)rows_max * nchannels + 1, sizeof(*rows->values));
	return rows->values ? 0 : -ENOMEM;
}

void vital_rows_done(struct vital_rows *rows)
{
	free(rows->values);
	rows->values = NULL;
}

/* As fine as it means anything: less to keep, and the same number wherever it is read. */
static float rounded(enum vital_kind kind, float value)
{
	static const float per_unit[NVITAL] = {
		[VITAL_TEMPERATURE] = 10, [VITAL_POWER_STATE] = 1, [VITAL_POWER] = 100,
		[VITAL_CPU] = 10,	  [VITAL_STEAL] = 10,	   [VITAL_INTERRUPTS] = 1,
		[VITAL_FREQUENCY] = 1,
	};

	return roundf(value * per_unit[kind]) / per_unit[kind];
}

/* What is known of two; the greater where a peak counts, else their mean. */
static float join(enum vital_kind kind, float a, float b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? b : a;
	if (kind == VITAL_TEMPERATURE || kind == VITAL_POWER_STATE)
		return fmaxf(a, b);
	return rounded(kind, (a + b) / 2);
}

static float *row_at(struct vital_rows *rows, unsigned row)
{
	return &rows->values[(size_t)row * rows->nchannels];
}

/* Of an odd number the last one is left, and known no more. */
static unsigned halve(struct vital_rows *rows, unsigned nrows)
{
	for (unsigned i = 0; i < nrows / 2; i++)
		for (unsigned c = 0; c < rows->nchannels; c++)
			row_at(rows, i)[c] =
				join(rows->channels[c].kind, row_at(rows, 2 * i)[c],
				     row_at(rows, 2 * i + 1)[c]);
	rows->step_ns *= 2;
	return nrows / 2;
}

void vital_rows_put(struct vital_rows *rows, uint64_t since_ns, const float *look)
{
	unsigned nrows = atomic_load_explicit(&rows->nrows, memory_order_relaxed);

	if (since_ns / rows->step_ns > rows->rows_max &&
	    atomic_flag_test_and_set_explicit(&rows->busy, memory_order_acquire))
		return; /* it is read right now: the next look will do */
	if (since_ns / rows->step_ns > rows->rows_max) {
		while (since_ns / rows->step_ns > rows->rows_max)
			nrows = halve(rows, nrows);
		atomic_store_explicit(&rows->nrows, nrows, memory_order_relaxed);
		atomic_flag_clear_explicit(&rows->busy, memory_order_release);
	}
	if (since_ns / rows->step_ns > nrows) {
		unsigned last = (unsigned)(since_ns / rows->step_ns) - 1;

		for (; nrows < last; nrows++)
			for (unsigned c = 0; c < rows->nchannels; c++)
				row_at(rows, nrows)[c] = (float)NAN;
		for (unsigned c = 0; c < rows->nchannels; c++)
			row_at(rows, last)[c] = rounded(rows->channels[c].kind, look[c]);
		nrows = last + 1;
	}
	atomic_store_explicit(&rows->nrows, nrows, memory_order_release);
}

void vital_rows_publish(struct vital_rows *rows, const struct run_had *had, struct arena *arena,
			struct vitals *ret_vitals)
{
	unsigned nchannels = rows->nchannels, end, first, count;

	while (atomic_flag_test_and_set_explicit(&rows->busy, memory_order_acquire))
		; /* milliseconds, once in a day */
	end = atomic_load_explicit(&rows->nrows, memory_order_acquire);
	first = had->vital_step_ns == rows->step_ns ? had->vital_rows : 0;
	count = end > first && nchannels ? end - first : 0;
	if (count) {
		*ret_vitals = (struct vitals){
			.nchannels = nchannels,
			.nrows = count,
			.first_row = first,
			.step_ns = rows->step_ns,
			.channels = arena_array(arena, struct vital_channel, nchannels),
			.values = arena_array(arena, float, (size_t)nchannels *count)};
		memcpy(ret_vitals->channels, rows->channels,
		       nchannels * sizeof(*rows->channels));
	}
	for (unsigned i = 0; i < count; i++)
		for (unsigned c = 0; c < nchannels; c++)
			ret_vitals->values[(size_t)c * count + i] = row_at(rows, first + i)[c];
	atomic_flag_clear_explicit(&rows->busy, memory_order_release);
}
