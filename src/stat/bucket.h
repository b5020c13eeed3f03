/*
 * What a provider sells: a rate, and a bucket of credits that a burst above it spends. A series
 * of rates at full load (IOPS, or bytes a second, of equal intervals) shows the bucket: a high
 * level, a fall, a level that stays.
 *
 * The fit is the split of the series into two levels with the least squared error, levels as
 * medians. It is a bucket where the high level comes first, is clearly above the other, and
 * both hold; a drive's cache looks the same from outside, and only the provider's figures tell
 * them apart.
 */
#pragma once

#include <stdbool.h>

#define BUCKET_INTERVALS_MIN 10	  /* fewer are not judged */
#define BUCKET_STEP	     1.1  /* burst / base, at least */
#define BUCKET_VARIATION     0.05 /* of a level that holds: deviation / mean */
#define THROTTLE_VARIATION   0.02 /* of a level that a throttle keeps */

struct bucket_fit {
	bool has_burst; /* a burst, then the base rate */
	bool is_level;	/* one, but for a moment at first: a throttle, or a steady device */
	double burst_per_s, base_per_s; /* burst is 0 without one */
	double burst_s;			/* how long it lasted, parts of an interval included */
	double credits;			/* what the burst took above the base rate */
	double base_variation;		/* deviation / mean of the base level */
};
/* `per_s`: rates of intervals of `interval_s` each. Too few: all zero and false. */
void bucket_fit(const double *per_s, unsigned count, double interval_s,
		struct bucket_fit *ret_fit);

/* Small blocks meet a limit of requests, large ones one of bytes; they meet at the corner. */
struct corner_point {
	double block_bytes, ios_per_s;
};
struct corner {
	bool has_both; /* both limits were met: at one end each holds over two sizes or more */
	double ios_per_s, bytes_per_s; /* medians of their sizes; without both, the greatest */
	double block_bytes;	       /* bytes_per_s / ios_per_s */
};
/* Points in order of block size. */
void corner_of(const struct corner_point *points, unsigned count, struct corner *ret_corner);
