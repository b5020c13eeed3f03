#include "result/codec.h"

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

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

struct reader {
	const unsigned char *bytes;
	size_t at, bits; /* the next bit, and how many there are */
	bool bad;	 /* read beyond the end, or nonsense */
};

#define PEEK_BITS	57 /* of a word that begins inside a byte */
#define GAP_ZEROS_SHORT 12 /* at the start of a gap that is read together with its difference */

/* The next bits at the top of a word: at least PEEK_BITS of them, zeros behind the end. */
INLINE uint64_t peek(const struct reader *r)
{
	const unsigned char *from = r->bytes + r->at / 8;
	size_t left = (r->bits - r->at + r->at % 8) / 8;
	uint64_t word = 0;

	if (likely(left >= sizeof(word))) {
		memcpy(&word, from, sizeof(word));
		return be64toh(word) << r->at % 8;
	}
	for (unsigned i = 0; i < sizeof(word); i++)
		word = word << 8 | (i < left ? from[i] : 0);
	return word << r->at % 8;
}

static void skip(struct reader *r, unsigned bits)
{
	if (bits > r->bits - r->at)
		r->bad = true;
	else
		r->at += bits;
}

static uint64_t get_bits(struct reader *r, unsigned bits)
{
	uint64_t value = 0;

	while (bits && !r->bad) {
		unsigned now = bits < PEEK_BITS ? bits : PEEK_BITS;
		uint64_t word = peek(r);

		value = value << now | word >> (64 - now);
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
	uint64_t word = peek(r);
	unsigned zeros = word ? (unsigned)__builtin_clzll(word) : 64;

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
	uint64_t ones = ~peek(r), value;

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
	uint64_t word = peek(r), rest;
	unsigned zeros = (unsigned)__builtin_clzll(word | 1), bits = spread_bits(spread);
	unsigned quotient, used;

	if (zeros > GAP_ZEROS_SHORT)
		return false;
	rest = word << (2 * zeros + 1);
	quotient = (unsigned)__builtin_clzll(~rest | 1);
	used = 2 * zeros + 1 + quotient + 1 + bits;
	if (quotient >= UNARY_MAX || used > PEEK_BITS || used > r->bits - r->at)
		return false;
	*ret_gap = (word >> (63 - 2 * zeros)) - 1;
	*ret_difference =
		(uint64_t)quotient << bits | (rest << (quotient + 1) >> (63 - bits) >> 1);
	r->at += used;
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

static bool walk_begin(struct walk *walk, const unsigned char *blob, size_t bytes)
{
	if (bytes < 3 || blob[0] != CODEC_HIST_VERSION)
		return false;
	*walk = (struct walk){.r = {.bytes = blob, .bits = bytes * 8, .at = 24},
			      .spread = {4},
			      .before = 1,
			      .left = blob[1] | (uint64_t)blob[2] << 8};
	return true;
}

/* False at the end, and where the blob is damaged: then walk->r.bad is set. */
INLINE bool walk_next(struct walk *walk, unsigned *ret_bucket, uint64_t *ret_count)
{
	uint64_t gap, difference;

	if (!walk->left)
		return false;
	if (unlikely(!get_both(&walk->r, &walk->spread, &gap, &difference))) {
		gap = get_gap(&walk->r);
		difference = get_difference(&walk->r, &walk->spread);
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

static bool decode(const unsigned char *blob, size_t bytes, struct hist *hist)
{
	struct walk walk;
	unsigned bucket;
	uint64_t count;

	if (!walk_begin(&walk, blob, bytes))
		return false;
	while (walk_next(&walk, &bucket, &count))
		hist->count[bucket] = count;
	return !walk.r.bad;
}

int codec_hist_merge(const void *blob, size_t bytes, struct hist *into)
{
	struct hist *hist = calloc(1, sizeof(*hist));
	autostr again = {0};
	bool good = hist && decode(blob, bytes, hist);

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

int codec_hist_each(const void *blob, size_t bytes,
		    void (*each)(void *context, unsigned bucket, uint64_t count), void *context)
{
	struct walk walk;
	unsigned bucket;
	uint64_t count;

	if (!walk_begin(&walk, blob, bytes))
		return -EBADMSG;
	while (walk_next(&walk, &bucket, &count))
		each(context, bucket, count);
	return walk.r.bad ? -EBADMSG : 0;
}
