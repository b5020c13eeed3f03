/* What the three forms of a verdict share: sentences about a comparison. */
#pragma once

#include "base/str.h"
#include "report/judge_page.h"

#define JUDGE_SPANS_MAX 10 /* of a rule, the worst ones */

/* What stands beside a comparison: the maximum and the share above beside a percentile, the
 * rate and its bound beside a count. Nothing for others. */
void judge_beside(enum lang lang, const struct judged *judged,
		  const struct check_comparison *one, struct str *out);
/* Why nobody can tell, and what it takes; nothing unless the outcome is "cannot tell". */
void judge_why(const struct check_comparison *one, struct str *out);
/* "2.31 to 2.40 ms", nothing where the figure is exact. */
void judge_bounds(enum lang lang, const struct check_value *value, struct str *out);

/* Figures of the intervals that have no rule of their own. */
struct judge_rating {
	const char *about, *figure;
	double good, fair; /* up to, or down to where `more` */
	bool more;	   /* more is better */
};
const struct judge_rating *judge_ratings(unsigned *ret_count);
/* "good", "fair", "poor", or "-" where it is not known; the value in *ret_value. */
const char *judge_rate(const struct judged *judged, const struct judge_rating *rating,
		       enum series_dir dir, struct check_value *ret_value);
