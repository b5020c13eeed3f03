#include "result/codec.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static uint64_t get_bits(struct reader *r, unsigned bits)
{
	uint64_t value = 0;

	if (bits > r->bits - r->at) {
		r->bad = true;
		return 0;
	}
	for (; bits; bits--, r->at++)
		value = value << 1 | (r->bytes[r->at / 8] >> (7 - r->at % 8) & 1);
	return value;
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
	unsigned zeros = 0;

	while (!r->bad && !get_bits(r, 1))
		zeros++;
	if (zeros > HIST_MAX_BITS)
		r->bad = true;
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
	unsigned bits = spread_bits(spread), quotient = 0;
	uint64_t value;

	while (quotient < UNARY_MAX && get_bits(r, 1))
		quotient++;
	value = quotient < UNARY_MAX ? (uint64_t)quotient << bits | get_bits(r, bits)
				     : get_bits(r, 64);
	spread_learn(spread, value);
	return value;
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

static bool decode(const unsigned char *blob, size_t bytes, struct hist *hist)
{
	struct reader r = {.bytes = blob, .bits = bytes * 8, .at = 24};
	struct spread spread = {4};
	uint64_t before = 1, next = 0, filled;

	if (bytes < 3 || blob[0] != CODEC_HIST_VERSION)
		return false;
	filled = blob[1] | (uint64_t)blob[2] << 8;
	for (; filled && !r.bad; filled--) {
		uint64_t gap = get_gap(&r), at = next + gap, difference;

		difference = get_difference(&r, &spread);
		if (r.bad || at >= HIST_BUCKETS)
			return false;
		before = unzigzag(difference) + (gap ? 1 : before);
		hist->count[at] = before;
		next = at + 1;
	}
	return !r.bad;
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
