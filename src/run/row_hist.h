/*
 * What becomes of a row's histogram when every worker has passed the row: its figures, and the
 * counts themselves as a blob (result/codec.h), in the result's arena. Control plane only: some
 * 20 us a row and direction.
 */
#pragma once

#include "load/tally.h"
#include "result/result.h"

/* The row's figures. */
void row_hist_close(struct result *result, unsigned row, enum dir dir, const struct hist *hist,
		    const struct hist_sums *sums);
/* And its counts, where they hold no ramp. */
void row_hist_keep(struct result *result, unsigned row, enum dir dir, const struct hist *hist);
/* Measured latencies that came after the row was closed (a worker that hung, or was late). */
void row_hist_amend(struct result *result, unsigned row, enum dir dir,
		    const struct tally_lat *lat);
