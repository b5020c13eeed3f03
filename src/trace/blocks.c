#include "trace/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/assert.h"
#include "base/bits.h"
#include "trace/blocks_columns.h"
#include "trace/reader_priv.h"

/* Columns are checked when as many are decoded as fit: 8 bytes each, at most. */
#define HIST_COARSENESS_MAX 6
#define LOAD_SLACK	    (8 * COLUMNS_MAX + 64)

struct blocks {
	uint64_t time_unit_ns, time; /* time: of the sample before, in units */
	uint8_t flags;
	bool marks_end, seen_last; /* the file says where it ends; has said so */
	bool was_lost;		   /* the block before */
	uint64_t at_bytes;	   /* of the block in the file */
	const char *rest;	   /* bytes that were read with the file's head */
	size_t rest_bytes;
	uint32_t count, at; /* samples of the block, and those handed out */
	const uint8_t *data, *limit;
	struct blocks_expect expect[SAMPLE_OPS];
	struct sample like[SAMPLE_OPS]; /* by direction: length and flags */
	uint8_t block[BLOCKS_BLOCK_BYTES + LOAD_SLACK];
};

uint8_t blocks_flags(const struct trace_info *info)
{
	unsigned flags = 0;

	flags |= info->windowed ? BLOCKS_WINDOWED : 0;
	flags |= info->epoch ? BLOCKS_EPOCH : 0;
	flags |= info->has_max ? BLOCKS_MAX : 0;
	flags |= info->has_offset && !info->has_max ? BLOCKS_OFFSET : 0;
	flags |= info->has_prio ? BLOCKS_PRIO : 0;
	flags |= info->prio_hex ? BLOCKS_PRIO_HEX : 0;
	flags |= info->kind == TRACE_HIST ? BLOCKS_COUNT : 0;
	flags |= info->kind == TRACE_HIST && info->unit == TRACE_UNIT_US ? BLOCKS_US : 0;
	return (uint8_t)flags;
}

uint8_t blocks_sample_flags(uint8_t file_flags)
{
	unsigned flags = 0;

	flags |= file_flags & BLOCKS_WINDOWED ? SAMPLE_WINDOW : 0;
	flags |= file_flags & BLOCKS_MAX ? SAMPLE_MAX : 0;
	flags |= file_flags & BLOCKS_OFFSET ? SAMPLE_OFFSET : 0;
	flags |= file_flags & BLOCKS_PRIO ? SAMPLE_PRIO : 0;
	flags |= file_flags & BLOCKS_PRIO_HEX ? SAMPLE_PRIO_HEX : 0;
	flags |= file_flags & BLOCKS_COUNT ? SAMPLE_COUNT : 0;
	return (uint8_t)flags;
}

uint64_t blocks_checksum(const uint8_t *block)
{
	size_t body = le_get(block + BLOCK_COUNT, 4) + le_get(block + BLOCK_DATA, 4);
	uint64_t seed = XXH3_64bits(block, BLOCK_CHECKSUM);

	return XXH3_64bits_withSeed(block + BLOCKS_PREFIX_BYTES, body, seed);
}

bool blocks_is_head(const char *text, size_t bytes)
{
	return bytes >= sizeof(BLOCKS_MAGIC) - 1 &&
	       !memcmp(text, BLOCKS_MAGIC, sizeof(BLOCKS_MAGIC) - 1);
}

static int read_head(struct trace_reader *reader, const char *head, struct err *err)
{
	struct trace_info *info = &reader->info;
	unsigned flags = (uint8_t)head[HEAD_FLAGS];

	if (le_get(head + HEAD_CHECKSUM, 8) != XXH3_64bits(head, HEAD_CHECKSUM))
		return err_input(err, "the head of this log is damaged");
	if (le_get(head + HEAD_VERSION, 4) != BLOCKS_VERSION)
		return err_input(err,
				 "version %u of the block format is newer than this program",
				 (unsigned)le_get(head + HEAD_VERSION, 4));
	reader->blocks->flags = (uint8_t)flags;
	reader->blocks->marks_end = head[HEAD_MARKS_END];
	reader->blocks->time_unit_ns = le_get(head + HEAD_TIME_UNIT, 8);
	if ((uint8_t)head[HEAD_KIND] >= TRACE_KINDS || !reader->blocks->time_unit_ns)
		return err_input(err, "the head of this log holds what no version writes");
	info->format = TRACE_BLOCKS;
	info->kind = (enum trace_kind)(uint8_t)head[HEAD_KIND];
	info->unit = TRACE_UNIT_NS;
	info->windowed = flags & BLOCKS_WINDOWED;
	info->epoch = flags & BLOCKS_EPOCH;
	info->has_max = flags & BLOCKS_MAX;
	info->has_offset = flags & BLOCKS_OFFSET;
	info->has_prio = flags & BLOCKS_PRIO;
	info->prio_hex = flags & BLOCKS_PRIO_HEX;
	info->window_ns = le_get(head + HEAD_WINDOW, 8);
	info->value_error = (double)le_get(head + HEAD_VALUE_ERROR, 8) / 1e9;
	if (flags & BLOCKS_US)
		info->unit = TRACE_UNIT_US;
	/* 0.5 / 64 of a bin's value, doubled with each step */
	while (info->kind == TRACE_HIST && info->coarseness < HIST_COARSENESS_MAX &&
	       info->value_error > 0.75 * (double)(1u << info->coarseness) / 64)
		info->coarseness++;
	info->job = (unsigned)le_get(head + HEAD_JOB, 4);
	(void)snprintf(info->job_name, TRACE_NAME_MAX, "%.*s", TRACE_NAME_MAX - 1,
		       head + HEAD_JOB_NAME);
	(void)snprintf(info->host, TRACE_NAME_MAX, "%.*s", TRACE_NAME_MAX - 1,
		       head + HEAD_HOST);
	decide_say(info, "%s in assay's blocks, by its head", trace_kind_name(info->kind));
	return 0;
}

int blocks_open(struct trace_reader *reader, const char *head, size_t bytes, struct err *err)
{
	struct blocks *blocks = calloc(1, sizeof(*blocks));
	int rc;

	if (!blocks)
		return err_env(err, -ENOMEM, "no memory for a block");
	reader->blocks = blocks;
	if (bytes < BLOCKS_HEAD_BYTES)
		return err_input(err, "this log ends within its head");
	rc = read_head(reader, head, err);
	blocks->rest = head + BLOCKS_HEAD_BYTES;
	blocks->rest_bytes = bytes - BLOCKS_HEAD_BYTES;
	blocks->at_bytes = BLOCKS_HEAD_BYTES;
	for (unsigned op = 0; op < SAMPLE_OPS; op++)
		blocks->like[op] = (struct sample){.op = (uint8_t)op,
						   .flags = blocks_sample_flags(blocks->flags)};
	return rc;
}

void blocks_close(struct trace_reader *reader)
{
	free(reader->blocks);
}

/* Fills the block's buffer. Returns bytes, fewer than a block at the file's end alone. */
static ssize_t read_block(struct trace_reader *reader, struct err *err)
{
	struct blocks *blocks = reader->blocks;
	size_t have = min_u64(blocks->rest_bytes, BLOCKS_BLOCK_BYTES);

	memcpy(blocks->block, blocks->rest, have);
	blocks->rest += have;
	blocks->rest_bytes -= have;
	while (have < BLOCKS_BLOCK_BYTES) {
		ssize_t n = input_read(reader->input, blocks->block + have,
				       BLOCKS_BLOCK_BYTES - have, err);

		if (n < 0)
			return n;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

static bool block_is_whole(const uint8_t *block, size_t bytes)
{
	uint64_t count, data;

	if (bytes < BLOCKS_PREFIX_BYTES || le_get(block + BLOCK_MAGIC, 4) != BLOCKS_BLOCK_MAGIC)
		return false;
	count = le_get(block + BLOCK_COUNT, 4);
	data = le_get(block + BLOCK_DATA, 4);
	return (count || block[BLOCK_LAST]) && BLOCKS_PREFIX_BYTES + count + data <= bytes &&
	       le_get(block + BLOCK_CHECKSUM, 8) == blocks_checksum(block);
}

/* Rows of a block that is not whole, by its own head: where that can be. A full block has no room
 * for one more sample, and a sample has two bytes of data at least. */
static bool rows_of_lost(const uint8_t *block, size_t bytes, uint64_t *ret_rows)
{
	uint64_t count = le_get(block + BLOCK_COUNT, 4), data = le_get(block + BLOCK_DATA, 4);
	uint64_t body = count + data, room = BLOCKS_BLOCK_BYTES - BLOCKS_PREFIX_BYTES;

	if (bytes < BLOCKS_PREFIX_BYTES ||
	    le_get(block + BLOCK_MAGIC, 4) != BLOCKS_BLOCK_MAGIC || !count ||
	    count > UINT16_MAX || data < 2 * count || body > room)
		return false;
	*ret_rows = count;
	return body + CONTROL_SAMPLE_MAX > room ||
	       bytes <= BLOCKS_PREFIX_BYTES + body; /* the last one, whole or torn */
}

/* Neighbours are one stretch; what finds no place is added to the last. */
static void lose(struct trace_reader *reader, const struct trace_damage *lost)
{
	struct trace_counts *counts = &reader->counts;
	struct trace_damage *last;

	if (!counts->ndamages ||
	    (!reader->blocks->was_lost && counts->ndamages < TRACE_DAMAGES_MAX)) {
		counts->damage[counts->ndamages++] = *lost;
		return;
	}
	last = &counts->damage[counts->ndamages - 1];
	last->bytes = lost->at + lost->bytes - last->at;
	last->rows += lost->rows;
	last->rows_known &= lost->rows_known;
	last->to_ns = lost->to_ns;
}

static uint64_t now_ns(const struct trace_reader *reader)
{
	return reader->blocks->time * reader->blocks->time_unit_ns + reader->info.start_ns;
}

static void lose_block(struct trace_reader *reader, size_t bytes)
{
	struct trace_damage lost = {.at = reader->blocks->at_bytes,
				    .bytes = bytes,
				    .from_ns = now_ns(reader),
				    .to_ns = UINT64_MAX};

	lost.rows_known = rows_of_lost(reader->blocks->block, bytes, &lost.rows);
	lost.rows = lost.rows_known ? lost.rows : 0;
	reader->counts.blocks_lost++;
	lose(reader, &lost);
	reader->blocks->was_lost = true;
}

static void stray(struct trace_reader *reader, uint64_t at, uint64_t bytes)
{
	struct trace_counts *counts = &reader->counts;

	if (!counts->stray_bytes)
		counts->first_stray_at = at;
	counts->stray_bytes += bytes;
}

/* Behind the samples of a whole block stand zeros up to the next, or nothing. */
static void check_behind(struct trace_reader *reader, size_t used, size_t bytes)
{
	const uint8_t *block = reader->blocks->block;
	bool ends = block[BLOCK_LAST] || bytes < BLOCKS_BLOCK_BYTES;
	size_t at = used;

	while (!ends && at < bytes && !block[at])
		at++;
	if (at < bytes)
		stray(reader, reader->blocks->at_bytes + at, bytes - at);
}

/* A file that says where it ends, and has not said so. */
static void check_end(struct trace_reader *reader)
{
	struct blocks *blocks = reader->blocks;
	const struct trace_damage lost = {
		.at = blocks->at_bytes, .from_ns = now_ns(reader), .to_ns = UINT64_MAX};

	if (blocks->marks_end && !blocks->seen_last)
		lose(reader, &lost);
	blocks->seen_last = true; /* once is enough */
}

/* The times that a stretch lies between are known when a whole block follows it. */
static void begin_block(struct trace_reader *reader, size_t bytes)
{
	struct blocks *blocks = reader->blocks;
	struct trace_counts *counts = &reader->counts;
	uint64_t count = le_get(blocks->block + BLOCK_COUNT, 4);
	uint64_t data = le_get(blocks->block + BLOCK_DATA, 4);

	check_behind(reader, BLOCKS_PREFIX_BYTES + count + data, bytes);
	blocks->seen_last = blocks->block[BLOCK_LAST];
	if (count)
		blocks->time = le_get(blocks->block + BLOCK_FIRST, 8);
	if (blocks->was_lost && count)
		counts->damage[counts->ndamages - 1].to_ns = now_ns(reader);
	blocks->was_lost = false;
}

/* The next whole block: 1, 0 at the end, or an error. */
static int next_block(struct trace_reader *reader, struct err *err)
{
	struct blocks *blocks = reader->blocks;
	ssize_t bytes;

	for (; (bytes = read_block(reader, err)) > 0; blocks->at_bytes += (size_t)bytes) {
		if (blocks->seen_last) {
			stray(reader, blocks->at_bytes, (size_t)bytes);
			continue;
		}
		if (!block_is_whole(blocks->block, (size_t)bytes)) {
			lose_block(reader, (size_t)bytes);
			continue;
		}
		begin_block(reader, (size_t)bytes);
		blocks->at_bytes += (size_t)bytes;
		blocks->count = (uint32_t)le_get(blocks->block + BLOCK_COUNT, 4);
		blocks->at = 0;
		blocks->data = blocks->block + BLOCKS_PREFIX_BYTES + blocks->count;
		blocks->limit = blocks->data + le_get(blocks->block + BLOCK_DATA, 4);
		memset(blocks->expect, 0, sizeof(blocks->expect));
		for (unsigned op = 0; op < SAMPLE_OPS; op++)
			blocks->like[op].length = 0;
		return 1;
	}
	if (bytes == 0)
		check_end(reader);
	return (int)bytes;
}

static const uint8_t value_bytes[4] = {2, 3, 4, 8}, time_bytes[4] = {0, 1, 2, 4};
static const uint64_t value_mask[4] = {0xffff, 0xffffff, 0xffffffff, UINT64_MAX};
static const uint64_t time_mask[4] = {0, 0xff, 0xffff, 0xffffffff};

/* A sample with more than value and time. Returns the data behind it. */
static const uint8_t *decode_rare(struct blocks *blocks, unsigned control, const uint8_t *p,
				  struct sample *ret)
{
	bool offsets = blocks->flags & BLOCKS_OFFSET;
	struct blocks_expect *expect;

	if ((control & CONTROL_OP) == CONTROL_RAW) {
		ret->time_ns = le_get(p, 8);
		ret->value = le_get(p + 8, 8);
		ret->extra = le_get(p + 16, 8);
		ret->length = (uint32_t)le_get(p + 24, 4);
		ret->op = p[28] < SAMPLE_OPS ? p[28] : SAMPLE_READ;
		ret->flags = p[29];
		ret->prio = (uint16_t)le_get(p + 30, 2);
		blocks->time = ret->time_ns / blocks->time_unit_ns;
		p += sizeof(*ret);
		expect = &blocks->expect[ret->op];
	} else {
		expect = &blocks->expect[ret->op];
		if (control & CONTROL_LENGTH) {
			ret->length = (uint32_t)le_get(p, 4);
			p += 4;
		}
		ret->extra = expect->extra;
		if (control & CONTROL_EXTRA) {
			ret->extra = le_get(p, CONTROL_EXTRA_BYTES) *
				     (offsets ? BLOCKS_OFFSET_UNIT : 1);
			p += CONTROL_EXTRA_BYTES;
		}
	}
	blocks->like[ret->op].length = ret->length;
	if (offsets)
		expect->extra = ret->extra + ret->length;
	return p;
}

/* Samples of value and time alone, by columns. Returns how many, 0 when the next one is another. */
static int next_columns(struct trace_reader *reader)
{
	struct blocks *blocks = reader->blocks;
	struct sample_columns *columns = reader->columns;
	struct blocks_cursor cursor = {
		.control = blocks->block + BLOCKS_PREFIX_BYTES + blocks->at,
		.data = blocks->data,
		.time_ns = blocks->time * blocks->time_unit_ns,
		.unit_ns = blocks->time_unit_ns,
	};
	unsigned most = (unsigned)min_u64(blocks->count - blocks->at, COLUMNS_MAX);
	unsigned count =
		blocks_columns(&cursor, most, trace_is_portable(&reader->options), columns);

	if (cursor.data > blocks->limit) /* made by hand: the other way says so */
		return 0;
	for (unsigned op = 0; op < SAMPLE_OPS; op++)
		columns->length[op] = blocks->like[op].length;
	blocks->time = cursor.time_ns / blocks->time_unit_ns;
	blocks->data = cursor.data;
	blocks->at += count;
	return (int)count;
}

/* Of the block that is being read, the last `rows`. */
static void lose_rest(struct trace_reader *reader, uint64_t rows)
{
	struct blocks *blocks = reader->blocks;
	const struct trace_damage lost = {.at = blocks->at_bytes - BLOCKS_BLOCK_BYTES,
					  .bytes = BLOCKS_BLOCK_BYTES,
					  .rows = rows,
					  .rows_known = true,
					  .from_ns = now_ns(reader),
					  .to_ns = UINT64_MAX};

	reader->counts.blocks_lost++;
	lose(reader, &lost);
	blocks->was_lost = true;
}

static int next_samples(struct trace_reader *reader)
{
	struct blocks *blocks = reader->blocks;
	const uint8_t *control, *p;
	unsigned count;
	uint64_t time, unit = blocks->time_unit_ns;
	/* where every sample has an offset, the rare way is the only one */
	unsigned rare =
		CONTROL_LENGTH | CONTROL_EXTRA | (blocks->flags & BLOCKS_OFFSET ? 0x100 : 0);

	count = TRACE_LENT;
	reader->by_columns = false;
	if (reader->columns && !(blocks->flags & (BLOCKS_OFFSET | BLOCKS_COUNT))) {
		int columns = next_columns(reader);

		reader->by_columns = columns > 0;
		if (columns)
			return columns;
		count = TRACE_RARE;
	}
	count = (unsigned)min_u64(blocks->count - blocks->at, count);
	control = blocks->block + BLOCKS_PREFIX_BYTES + blocks->at;
	p = blocks->data;
	time = blocks->time;
	for (unsigned i = 0; i < count; i++) {
		unsigned c = control[i], op = c & CONTROL_OP;
		unsigned v = (c & CONTROL_VALUE) >> CONTROL_VALUE_SHIFT;
		unsigned t = (c & CONTROL_TIME) >> CONTROL_TIME_SHIFT;
		struct sample *sample = &reader->batch[i];

		if (unlikely(p > blocks->limit)) { /* the checksum is right: made by hand */
			lose_rest(reader, blocks->count - blocks->at - i);
			count = i;
			blocks->at = blocks->count - i;
			break;
		}
		if (unlikely(op == CONTROL_RAW)) {
			p = decode_rare(blocks, c, p, sample);
			time = blocks->time;
			continue;
		}
		time += le_get(p, 8) & time_mask[t];
		p += time_bytes[t];
		*sample = blocks->like[op];
		sample->time_ns = time * unit;
		sample->value = le_get(p, 8) & value_mask[v];
		p += value_bytes[v];
		if (unlikely((c | 0x100) & rare))
			p = decode_rare(blocks, c, p, sample);
	}
	blocks->time = time;
	blocks->data = p;
	blocks->at += count;
	return (int)count;
}

int blocks_next(struct trace_reader *reader, struct err *err)
{
	int rc;

	do { /* a block made by hand may give none */
		if (reader->blocks->at == reader->blocks->count) {
			rc = next_block(reader, err);
			if (rc <= 0)
				return rc;
		}
		rc = next_samples(reader);
	} while (rc == 0);
	return rc;
}
