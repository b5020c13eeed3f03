#include "result/codec.h"

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"

/* The state of a walk stays in registers: a day has 40 million buckets. */
#define INLINE static inline __attribute__((always_inline))

#define UNARY_MAX 24 /* a quotient from here on is an escape, and the value follows whole */

/* --- bits, the first one highest --- */

struct writer {
	struct str *out;
	unsigned byte, filled;
};

static void put_bits(struct writer *w, uint64_t value, unsigned bits)
{
	while (bits--) {
		w->byte = w->byte << 1 | (unsigned)(value >> bits & 1);
		if (++w->filled < 8)
			continue;
		str_add_char(w->out, (char)w->byte);
		w->byte = w->filled = 0;
	}
}

static void put_end(struct writer *w)
{
	if (w->filled)
		put_bits(w, 0, 8 - w->filled);
}

/* The next bits are at the top of a word, `have` of them and perhaps a few more: what follows
 * depends on shifts of it alone, and not on a load each time. */
struct reader {
	const unsigned char *at, *end; /* of the bytes that are not in the word */
	uint64_t word;
	unsigned have;
	bool bad; /* read beyond the end, or nonsense */
};

#define FILLED_BITS	56 /* the word has after fill() at least, if there are so many */
#define FEW_BITS	32 /* rarely too few for a gap and a difference */
#define GAP_ZEROS_SHORT 12 /* at the start of a gap that is read together with its difference */

INLINE void fill(struct reader *r)
{
	uint64_t more;

	if (likely(r->end - r->at >= (ptrdiff_t)sizeof(more))) {
		memcpy(&more, r->at, sizeof(more));
		r->word |= be64toh(more) >> r->have;
		r->at += (63 - r->have) >> 3;
		r->have |= FILLED_BITS;
		return;
	}
	/* Never 64: all that there is can be shifted away. */
	for (; r->have < FILLED_BITS && r->at < r->end; r->have += 8)
		r->word |= (uint64_t)*r->at++ << (FILLED_BITS - r->have);
}

INLINE void skip(struct reader *r, unsigned bits)
{
	r->bad |= bits > r->have;
	if (r->bad)
		return;
	r->word <<= bits;
	r->have -= bits;
}

static uint64_t get_bits(struct reader *r, unsigned bits)
{
	uint64_t value = 0;

	while (bits && !r->bad) {
		unsigned now = bits < FILLED_BITS ? bits : FILLED_BITS;

		fill(r);
		value = value << now | r->word >> (64 - now);
		skip(r, now);
		bits -= now;
	}
	return r->bad ? 0 : value;
}

/* --- numbers --- */

/* Elias gamma of value + 1: one bit for 0. */
static void put_gap(struct writer *w, uint64_t value)
{
	unsigned log2 = log2_u64(value + 1);

	put_bits(w, 0, log2);
	put_bits(w, value + 1, log2 + 1);
}

static uint64_t get_gap(struct reader *r)
{
	unsigned zeros;

	fill(r);
	zeros = r->word ? (unsigned)__builtin_clzll(r->word) : 64;
	if (zeros > HIST_MAX_BITS)
		r->bad = true;
	else
		skip(r, zeros + 1);
	return r->bad ? 0 : (1ULL << zeros | get_bits(r, zeros)) - 1;
}

/* What the differences were like so far; the Rice parameter is the logarithm of their mean. */
struct spread {
	uint64_t mean;
};

static unsigned spread_bits(const struct spread *spread)
{
	return log2_u64(spread->mean | 1);
}

static void spread_learn(struct spread *spread, uint64_t value)
{
	spread->mean = spread->mean - spread->mean / 4 + value / 4;
}

static void put_difference(struct writer *w, struct spread *spread, uint64_t value)
{
	unsigned bits = spread_bits(spread);
	uint64_t quotient = value >> bits;

	if (quotient < UNARY_MAX) {
		put_bits(w, (1ULL << quotient) - 1, (unsigned)quotient);
		put_bits(w, 0, 1);
		put_bits(w, value, bits);
	} else {
		put_bits(w, (1ULL << UNARY_MAX) - 1, UNARY_MAX);
		put_bits(w, value, 64);
	}
	spread_learn(spread, value);
}

static uint64_t get_difference(struct reader *r, struct spread *spread)
{
	unsigned bits = spread_bits(spread), quotient;
	uint64_t ones, value;

	fill(r);
	ones = ~r->word;
	quotient = ones ? (unsigned)__builtin_clzll(ones) : 64;
	if (quotient < UNARY_MAX)
		skip(r, quotient + 1);
	else
		skip(r, UNARY_MAX);
	value = quotient < UNARY_MAX ? (uint64_t)quotient << bits | get_bits(r, bits)
				     : get_bits(r, 64);
	spread_learn(spread, value);
	return value;
}

/* A short gap and a short difference, as nearly all buckets have: one look at the bits. */
INLINE bool get_both(struct reader *r, struct spread *spread, uint64_t *ret_gap,
		     uint64_t *ret_difference)
{
	unsigned zeros = 0, bits = spread_bits(spread), quotient, used;
	uint64_t rest;

	if (unlikely(!(r->word >> 63))) /* neighbours mostly: no wait for the count */
		zeros = (unsigned)__builtin_clzll(r->word | 1);
	if (zeros > GAP_ZEROS_SHORT)
		return false;
	rest = r->word << (2 * zeros + 1);
	quotient = (unsigned)__builtin_clzll(~rest | 1);
	used = 2 * zeros + 1 + quotient + 1 + bits;
	if (quotient >= UNARY_MAX || used > r->have)
		return false;
	*ret_gap = (r->word >> (63 - 2 * zeros)) - 1;
	*ret_difference =
		(uint64_t)quotient << bits | (rest << (quotient + 1) >> (63 - bits) >> 1);
	r->word <<= used;
	r->have -= used;
	spread_learn(spread, *ret_difference);
	return true;
}

static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

/* --- the histogram --- */

void codec_hist_encode(const struct hist *hist, struct str *out)
{
	struct writer w = {.out = out};
	struct spread spread = {4};
	unsigned filled = 0, next = 0;
	uint64_t before = 1; /* the count that the neighbour had; 1 where it is empty */

	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		filled += hist->count[i] > 0;
	str_add_char(out, CODEC_HIST_VERSION);
	str_add_char(out, (char)(filled & 0xff));
	str_add_char(out, (char)(filled >> 8));
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		if (!hist->count[i])
			continue;
		put_gap(&w, i - next);
		put_difference(&w, &spread, zigzag(hist->count[i] - (i > next ? 1 : before)));
		before = hist->count[i];
		next = i + 1;
	}
	put_end(&w);
}

/* Non-empty buckets of a blob, one after the other. */
struct walk {
	struct reader r;
	struct spread spread;
	uint64_t before, next, left;
};

INLINE bool walk_begin(struct walk *walk, const unsigned char *blob, size_t bytes)
{
	if (bytes < 3 || blob[0] != CODEC_HIST_VERSION)
		return false;
	*walk = (struct walk){.r = {.at = blob + 3, .end = blob + bytes},
			      .spread = {4},
			      .before = 1,
			      .left = blob[1] | (uint64_t)blob[2] << 8};
	return true;
}

/* What a step of the walk reads. */
struct step {
	struct reader r;
	struct spread spread;
	uint64_t gap, difference;
};

/* By value: a walk whose address is known elsewhere would not stay in registers. */
static __attribute__((noinline)) struct step long_step(struct reader r, struct spread spread)
{
	struct step step = {r, spread, 0, 0};

	fill(&step.r);
	if (get_both(&step.r, &step.spread, &step.gap, &step.difference))
		return step;
	step.gap = get_gap(&step.r);
	step.difference = get_difference(&step.r, &step.spread);
	return step;
}

/* False at the end, and where the blob is damaged: then walk->r.bad is set. */
INLINE bool walk_next(struct walk *walk, unsigned *ret_bucket, uint64_t *ret_count)
{
	uint64_t gap, difference;

	if (!walk->left)
		return false;
	if (walk->r.have < FEW_BITS)
		fill(&walk->r);
	if (unlikely(!get_both(&walk->r, &walk->spread, &gap, &difference))) {
		struct step step = long_step(walk->r, walk->spread);

		walk->r = step.r;
		walk->spread = step.spread;
		gap = step.gap;
		difference = step.difference;
	}
	walk->r.bad |= walk->next + gap >= HIST_BUCKETS;
	if (walk->r.bad)
		return false;
	walk->before = unzigzag(difference) + (gap ? 1 : walk->before);
	*ret_bucket = (unsigned)(walk->next + gap);
	*ret_count = walk->before;
	walk->next += gap + 1;
	walk->left--;
	return true;
}

INLINE int add(const void *blob, size_t bytes, struct hist *into)
{
	struct walk walk;
	unsigned bucket;
	uint64_t count;

	if (!walk_begin(&walk, blob, bytes))
		return -EBADMSG;
	while (walk_next(&walk, &bucket, &count))
		into->count[bucket] += count;
	return walk.r.bad ? -EBADMSG : 0;
}

#ifdef __x86_64__
/* Shifts by a register are one step there and three elsewhere, and all of this is shifts. */
static __attribute__((target("bmi,bmi2"))) int add_bmi2(const void *blob, size_t bytes,
							struct hist *into)
{
	return add(blob, bytes, into);
}
#endif

int codec_hist_add(const void *blob, size_t bytes, struct hist *into)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("bmi2"))
		return add_bmi2(blob, bytes, into);
#endif
	return add(blob, bytes, into);
}

int codec_hist_merge(const void *blob, size_t bytes, struct hist *into)
{
	struct hist *hist = memory_zeroed(1, sizeof(*hist));
	autostr again = {0};
	bool good = !codec_hist_add(blob, bytes, hist);

	/* Whatever decodes must be the one spelling of what it decodes to. */
	if (good)
		codec_hist_encode(hist, &again);
	good = good && again.length == bytes && memcmp(again.text, blob, bytes) == 0;
	for (unsigned i = 0; good && i < HIST_BUCKETS; i++)
		good = into->count[i] + hist->count[i] >= into->count[i];
	if (good)
		hist_merge(into, hist);
	free(hist);
	return good ? 0 : -EBADMSG;
}
