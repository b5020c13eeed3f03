/*
 * Close-ups: bins of 10 ms around the worst seconds of a log, for pictures: those with the
 * slowest requests, those in which the longest gaps between completions end, and the second
 * before and after each. Samples stream by once, about in the order of time; a fixed number
 * of seconds is held, and one that is beside no bad one gives its place to the next. Which
 * seconds are shown is decided by what was known when each was over; a late sample still
 * counts in its bin. Heap memory of a fixed size, owned by the close-up.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "stat/series.h"

#define CLOSEUP_BIN_NS	(10 * NS_PER_MS)
#define CLOSEUP_BINS	100 /* a second */
#define CLOSEUP_WORST	20  /* seconds with the slowest requests */
#define CLOSEUP_GAPS	4   /* seconds that end the longest gaps */
#define CLOSEUP_SHOWN	(3 * (CLOSEUP_WORST + CLOSEUP_GAPS))
#define CLOSEUP_SECONDS (CLOSEUP_SHOWN + 3) /* and the current one, the one before, the next */

struct closeup_bin {
	uint64_t bytes, max_ns, min_ns; /* min_ns means nothing where count is 0 */
	uint64_t count;
};

struct closeup_second {
	uint64_t second; /* since the grid's zero */
	uint64_t gap_ns; /* between completions of two bins, that of its end */
	struct closeup_bin bin[CLOSEUP_BINS][SERIES_ALL];
};

struct closeup_rank {
	uint64_t second, value_ns;
};

struct closeup {
	struct closeup_second *seconds; /* CLOSEUP_SECONDS; NULL: none are wanted */
	unsigned count;
	struct closeup_second *now;
	struct closeup_bin *row; /* of the last sample: its bins of each direction */
	uint64_t row_ns;	 /* and when they begin */
	uint64_t last_ns;	 /* the last completion, once there is a current second */
	struct closeup_rank worst[CLOSEUP_WORST], gaps[CLOSEUP_GAPS]; /* the worst first */
	unsigned nworst, ngaps;
};

void closeup_init(struct closeup *closeup);
void closeup_done(struct closeup *closeup);
/* The bins of another time become the current row; false: they are not held. */
bool closeup_turn(struct closeup *closeup, uint64_t time_ns);
/* The last second is over. */
void closeup_finish(struct closeup *closeup);

/* The seconds that are shown, ascending; how many. */
unsigned closeup_shown(const struct closeup *closeup,
		       uint64_t *ret_seconds /* CLOSEUP_SHOWN */);
bool closeup_shows(const struct closeup *closeup, uint64_t second);
/* NULL, for one that is shown: nothing completed in it. */
const struct closeup_second *closeup_find(const struct closeup *closeup, uint64_t second);

/* 27 instructions a request of a log, and 180 for each bin that begins (callgrind). */
static inline void closeup_add(struct closeup *closeup, const struct series_sample *sample)
{
	struct closeup_bin *bin;

	/* Earlier ones wrap round. */
	if (unlikely(sample->time_ns - closeup->row_ns >= CLOSEUP_BIN_NS) &&
	    !closeup_turn(closeup, sample->time_ns))
		return;
	bin = &closeup->row[sample->dir];
	bin->min_ns =
		bin->count ? min_u64(bin->min_ns, sample->latency_ns) : sample->latency_ns;
	bin->max_ns = max_u64(bin->max_ns, sample->latency_ns);
	bin->count += sample->count;
	bin->bytes += sample->bytes;
	closeup->last_ns = max_u64(closeup->last_ns, sample->time_ns);
}
