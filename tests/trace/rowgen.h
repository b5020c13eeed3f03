/* Random logs of all shapes, with what real ones have and more: used by the tests of the fast
 * reader and by its fuzz target's corpus. */
#pragma once

#include "base/rng.h"
#include "base/str.h"

struct rowgen {
	unsigned columns;      /* 4 to 7 */
	bool crlf, hex, issue; /* 6 columns: priority and issue time instead of an offset */
	bool calm;	       /* most rows are like the one before, as in real logs */
	unsigned odd_percent;  /* rows that are not like the others */
	uint64_t time_ms;
};

static inline void rowgen_odd(struct rng *rng, struct str *out)
{
	static const char *const odd[] = {
		"# a remark",
		"",
		"0, 0, 0, 0",
		"1, 2, 3",
		"nonsense",
		"5, -3, 0, 4096, 0",
		"7, 12345678901234567890123, 0, 4096, 0",
		"9, 1, 3, 4096, 0",
		"  ",
		"4, 4,4, 4096, 0",
		"12, 17,0,4096,0",
		"99999999999999999999, 1, 0, 4096, 0",
		"1, 2, 0, 4096, 0, 0, 0, 0, 0",
		"1, , 0, 4096, 0",
		"1, 2, 0, 4096, 0 ",
		"18446744073709, 1, 0, 4096, 0",
		"3, 9999999999999999, 1, 4096, 0",
		"0, 0, 0, 0, 0",
		"8, 8, 1, 5000000000, 0",
		",,,,",
		"2, 2, 1, 0, 0",
	};

	str_add(out, odd[rng_below(rng, sizeof(odd) / sizeof(odd[0]))]);
}

/* The digits that values have, mostly; now and then any number of them. */
static inline uint64_t rowgen_value(const struct rowgen *gen, struct rng *rng)
{
	if (gen->calm && rng_below(rng, 60))
		return rng_next(rng) >> (38 + rng_below(rng, 20));
	return rng_next(rng) >> (10 + rng_below(rng, 54));
}

static inline void rowgen_row(struct rowgen *gen, struct rng *rng, struct str *out)
{
	static const unsigned lengths[] = {4096, 4096, 4096, 4096, 4096, 4096, 512, 131072};

	if (rng_below(rng, 100) < gen->odd_percent) {
		rowgen_odd(rng, out);
	} else {
		bool jumps = rng_below(rng, gen->calm ? 40 : 4) == 0;
		unsigned length = (unsigned)rng_below(rng, gen->calm ? 160 : 8);

		gen->time_ms += jumps ? rng_next(rng) >> (40 + rng_below(rng, 24)) : 0;
		if (rng_below(rng, 200) == 0)
			gen->time_ms /= 2;
		str_printf(out, "%llu, %llu, %u, %u", (unsigned long long)gen->time_ms,
			   (unsigned long long)rowgen_value(gen, rng),
			   (unsigned)rng_below(rng, 3), lengths[length < 8 ? length : 0]);
		if (gen->columns >= 6 && !gen->issue)
			str_printf(out, ", %llu",
				   (unsigned long long)(rng_next(rng) >>
							(12 + rng_below(rng, 52))));
		if (gen->columns >= 5)
			str_printf(out, gen->hex ? ", 0x%04x" : ", %u",
				   rng_below(rng, gen->calm ? 160 : 8) == 0);
		if (gen->columns >= 7 || (gen->columns == 6 && gen->issue))
			str_printf(out, ", %llu",
				   (unsigned long long)(rng_next(rng) >>
							(4 + rng_below(rng, 60))));
	}
	str_add(out, gen->crlf ? "\r\n" : "\n");
}
