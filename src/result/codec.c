#include "result/codec.h"

#include <errno.h>
#include <stdint.h>

struct reader {
	const unsigned char *at, *end;
	bool bad;
};

static void put_varint(struct str *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		str_add_char(out, (char)(0x80 | (value & 0x7f)));
	str_add_char(out, (char)value);
}

/* The shortest form only: a last byte of zero after others would be a second spelling. */
static uint64_t get_varint(struct reader *reader)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
		unsigned char byte = *reader->at++;

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		reader->bad |= !byte && shift;
		return value;
	}
	reader->bad = true;
	return 0;
}

void codec_hist_encode(const struct hist *hist, struct str *out)
{
	unsigned at = 0, written = 0;

	str_add_char(out, CODEC_HIST_VERSION);
	while (at < HIST_BUCKETS) {
		unsigned end;

		if (!hist->count[at]) {
			at++;
			continue;
		}
		for (end = at; end < HIST_BUCKETS && hist->count[end];)
			end++;
		put_varint(out, at - written);
		put_varint(out, end - at);
		for (; at < end; at++)
			put_varint(out, hist->count[at]);
		written = end;
	}
}

static void add_count(struct reader *reader, uint64_t *count, uint64_t more, bool apply)
{
	reader->bad |= !more || *count + more < more;
	if (apply)
		*count += more;
}

/* One walk looks, the second adds: a damaged blob changes nothing. */
static bool walk(const void *blob, size_t bytes, struct hist *into, bool apply)
{
	struct reader reader = {.at = blob, .end = (const unsigned char *)blob + bytes};
	uint64_t at = 0;

	if (!bytes || *reader.at++ != CODEC_HIST_VERSION)
		return false;
	for (bool first = true; reader.at < reader.end && !reader.bad; first = false) {
		uint64_t gap = get_varint(&reader), count = get_varint(&reader);

		reader.bad |= (!gap && !first) || !count || gap >= HIST_BUCKETS - at ||
			      count > HIST_BUCKETS - at - gap;
		if (reader.bad)
			break;
		for (at += gap; count && !reader.bad; count--)
			add_count(&reader, &into->count[at++], get_varint(&reader), apply);
		if (at == HIST_BUCKETS)
			reader.bad |= reader.at < reader.end;
	}
	return !reader.bad;
}

int codec_hist_merge(const void *blob, size_t bytes, struct hist *into)
{
	if (!walk(blob, bytes, into, false))
		return -EBADMSG;
	(void)walk(blob, bytes, into, true); /* the same walk: it holds */
	return 0;
}
