/* An axis: values to pixels, linear, logarithmic or in nines, and where its ticks belong. */
#pragma once

#include <stdbool.h>

#include "base/str.h"

enum scale_kind {
	SCALE_LINEAR,
	SCALE_LOG,   /* base 10 */
	SCALE_NINES, /* 0 is 0 %, 1 is 90 %, 2 is 99 %, ... */
};

/* What the values are, for the words at the ticks. */
enum scale_unit { SCALE_PLAIN, SCALE_TIME_NS, SCALE_SECONDS, SCALE_PERCENT };

struct scale {
	enum scale_kind kind;
	enum scale_unit unit;
	double low, high;  /* values at the ends */
	double begin, end; /* pixels there */
};

#define SCALE_TICKS_MAX 24
struct scale_tick {
	double value;
	char text[32]; /* "" for a tick without words */
};

double scale_pixel(const struct scale *scale, double value);
/* Widens [low, high] to round values; log scales to whole decades or 2 and 5 of them. */
void scale_round(struct scale *scale);
/* In order; about `wish` of them have words. */
unsigned scale_ticks(const struct scale *scale, unsigned wish, struct scale_tick *ret_ticks);
