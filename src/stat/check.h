/*
 * Check expressions: "p99.9 < 5ms", "zero_intervals == 0", "iops >= 90% of spec.iops". One
 * notation for policies of `assay log judge` and for plans. The figures come from a callback;
 * the parser knows their notation only.
 *
 *   check      = condition { "or" condition }
 *   condition  = comparison { "and" comparison }
 *   comparison = sum ("<" | "<=" | ">" | ">=" | "==" | "!=") sum
 *   sum        = product { ("+" | "-") product }
 *   product    = factor { ("*" | "/" | "x" | "of") factor }
 *   factor     = number [unit] | figure [ "(" sum ")" ] | "(" sum ")"
 *
 * Units: ns us ms s m h (time), B kB MB GB TB KiB MiB GiB TiB (size), the sizes with "/s"
 * (bandwidth), % and ppm (share). A figure is a word such as "p99.9" or "read.iops".
 *
 * A figure has bounds beside its value where it stands for more than itself (a percentile, a
 * rate of rare events). A comparison passes if it holds at both bounds, fails if it holds at
 * neither, and cannot tell in between.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum check_unit {
	CHECK_NUMBER, /* counts, shares, quotients */
	CHECK_TIME,   /* ns */
	CHECK_BYTES,
	CHECK_BYTES_PER_S,
	CHECK_PER_HOUR,
};

enum check_state {
	CHECK_KNOWN,
	CHECK_UNKNOWN, /* it applies, and cannot be told: `reason` */
	CHECK_ABSENT,  /* it does not apply: no such direction */
};

struct check_value {
	enum check_unit unit;
	bool share; /* a CHECK_NUMBER shown in percent */
	double value, low, high;
	double samples; /* that it was made of; 0: it is exact and needs no more */
	enum check_state state;
	char reason[160];
};

enum outcome { OUTCOME_PASS, OUTCOME_FAIL, OUTCOME_CANNOT_TELL, OUTCOME_NOT_APPLICABLE };
const char *outcome_name(enum outcome outcome);
enum outcome outcome_of(const char *name); /* what is none: OUTCOME_CANNOT_TELL */

/* A figure as written: name and argument (NAN: none). */
struct check_figure {
	char name[64];
	enum check_unit argument_unit;
	double argument;
};

struct check_figures {
	void *ctx;
	/* 0, or -EINVAL and an err: there is no such figure, or not with this argument. */
	int (*find)(void *ctx, const struct check_figure *figure, struct check_value *ret_value,
		    struct err *err);
	/* How many samples in all it takes to tell the figure from `limit`; UINT64_MAX: no
	 * number will do. May be NULL. */
	uint64_t (*needs)(void *ctx, const struct check_figure *figure, double limit);
};

/* One comparison of a check, as it was decided. */
struct check_side {
	struct check_figure figure; /* name "": not a plain figure */
	struct check_value value;
};
struct check_comparison {
	char text[96]; /* as written */
	char compare[3];
	struct check_side left, right;
	enum outcome outcome;
	uint64_t needs; /* samples in all, of left.value.samples; 0: not the reason */
};

#define CHECK_COMPARISONS_MAX 8
struct check_result {
	enum outcome outcome;
	struct check_comparison comparisons[CHECK_COMPARISONS_MAX];
	unsigned ncomparisons;
};

/* Parses and decides in one pass. Errors name the place ("at column 9") and the remedy. */
int check_judge(const char *text, const struct check_figures *figures,
		struct check_result *ret_result, struct err *err);

/* A number as checks write it, alone: "90000", "2GB/s", "5ms". */
int check_number(const char *text, struct check_value *ret_value, struct err *err);

/* "4.21 ms", "99.2 %", "3 per hour". */
void check_format(const struct check_value *value, struct str *out);
