/*
 * The monitor's rows: a value a channel for each step since the start, in memory that is
 * made once. When it is full two steps become one, so that a run of weeks takes what one of
 * a day does. One writer; others read the rows that stand there while it goes on.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "device/vitals.h"
#include "result/result.h"
#include "run/run.h"

struct vital_rows {
	const struct vital_channel *channels; /* the caller's */
	unsigned nchannels, rows_max;	      /* rows_max: 2 at least */
	uint64_t step_ns;
	float *values;		/* [row * nchannels + channel]; its own memory */
	_Atomic unsigned nrows; /* released by the writer, acquired by vital_rows_publish */
	/* Held by the writer while two steps become one, once in a day, and by who reads: acquired
	 * and released by both, so that neither sees half of it. */
	atomic_flag busy;
};

/* -ENOMEM. Memory is touched as rows come: a short run takes a page of it. */
int vital_rows_init(struct vital_rows *rows, const struct vital_channel *channels,
		    unsigned nchannels, unsigned rows_max, uint64_t step_ns);
void vital_rows_done(struct vital_rows *rows);

/* A look, so long after the start: it is of the step that ended last, unless that has one.
 * Steps between the row before and it are not known. */
void vital_rows_put(struct vital_rows *rows, uint64_t since_ns, const float *look);

/* A copy in the arena, a channel after the other, of the rows that are not had yet; of all where
 * their steps have become longer since. Nothing where there is none. */
void vital_rows_publish(struct vital_rows *rows, const struct run_had *had, struct arena *arena,
			struct vitals *ret_vitals);
