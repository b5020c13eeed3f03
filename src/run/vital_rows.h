/*
 * The monitor's rows: a value a channel for each step since the start, in memory that is
 * made once. When it is full two steps become one, so that a run of weeks takes what one of
 * a day does. One writer; who gives up on it may read the rows that stand there.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "device/vitals.h"
#include "result/result.h"

struct vital_rows {
	const struct vital_channel *channels; /* the caller's */
	unsigned nchannels, rows_max;	      /* rows_max: 2 at least */
	uint64_t step_ns;
	float *values;		/* [row * nchannels + channel]; its own memory */
	_Atomic unsigned nrows; /* released by the writer, acquired by vital_rows_publish */
};

/* -ENOMEM. Memory is touched as rows come: a short run takes a page of it. */
int vital_rows_init(struct vital_rows *rows, const struct vital_channel *channels,
		    unsigned nchannels, unsigned rows_max, uint64_t step_ns);
void vital_rows_done(struct vital_rows *rows);

/* A look, so long after the start: it is of the step that ended last, unless that has one.
 * Steps between the row before and it are not known. */
void vital_rows_put(struct vital_rows *rows, uint64_t since_ns, const float *look);

/* A copy in the arena, a channel after the other. */
void vital_rows_publish(const struct vital_rows *rows, struct arena *arena,
			struct vitals *ret_vitals);
