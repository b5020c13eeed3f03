/*
 * Numbers as fio's text has them: at most `digits` characters, the point counted, and a suffix
 * for what was divided off ("26.9k", "1024KiB", "8116MiB"). A value that fits stays whole.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

enum fio_unit {
	FIO_COUNT, /* k M G: always thousands */
	FIO_BYTES, /* B KiB MiB, or B kB MB */
	FIO_BITS,  /* bit Kibit, or bit kbit */
};

struct fio_scale {
	unsigned digits; /* significant_figures */
	unsigned base;	 /* 1024 or 1000; FIO_COUNT takes 1000 */
	enum fio_unit unit;
	unsigned step; /* how many bases the value was divided by already; 1: it is in KiB */
};

void fio_number(struct str *out, double value, struct fio_scale scale);

/* The smallest and largest of a latency: six digits, thousands, no unit ("5587.8k"). */
void fio_number_ns(struct str *out, uint64_t value);
