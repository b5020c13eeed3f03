#include "trace/blocks_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/assert.h"
#include "base/bits.h"
#include "trace/blocks.h"
#include "trace/write_priv.h"

#define BODY_BYTES (BLOCKS_BLOCK_BYTES - BLOCKS_PREFIX_BYTES)

struct blocks_writer {
	int fd;
	uint64_t time_unit_ns, time, first;
	uint8_t flags, sample_flags;
	bool head_written;
	uint32_t count, data_bytes;
	struct blocks_expect expect[SAMPLE_OPS];
	uint8_t head[BLOCKS_HEAD_BYTES];
	uint8_t control[BODY_BYTES];
	uint8_t data[BODY_BYTES + sizeof(struct sample)]; /* numbers are put 8 bytes wide */
	uint8_t block[BLOCKS_BLOCK_BYTES];
};

struct blocks_writer *blocks_writer_new(int fd, const struct trace_info *info,
					uint64_t time_unit_ns, struct err *err)
{
	struct blocks_writer *writer = calloc(1, sizeof(*writer));
	uint8_t *head;

	assert(time_unit_ns);
	if (!writer)
		return (void)err_env(err, -ENOMEM, "no memory to write a log"), NULL;
	head = writer->head;
	writer->fd = fd;
	writer->time_unit_ns = time_unit_ns;
	writer->flags = blocks_flags(info);
	writer->sample_flags = blocks_sample_flags(writer->flags);
	memcpy(head + HEAD_MAGIC, BLOCKS_MAGIC, sizeof(BLOCKS_MAGIC) - 1);
	le_put(head + HEAD_VERSION, BLOCKS_VERSION, 4);
	head[HEAD_KIND] = (uint8_t)info->kind;
	head[HEAD_FLAGS] = writer->flags;
	head[HEAD_MARKS_END] = 1;
	le_put(head + HEAD_JOB, info->job, 4);
	le_put(head + HEAD_TIME_UNIT, time_unit_ns, 8);
	le_put(head + HEAD_WINDOW, info->window_ns, 8);
	le_put(head + HEAD_VALUE_ERROR, (uint64_t)(info->value_error * 1e9), 8);
	(void)snprintf((char *)head + HEAD_JOB_NAME, TRACE_NAME_MAX, "%s", info->job_name);
	(void)snprintf((char *)head + HEAD_HOST, TRACE_NAME_MAX, "%s", info->host);
	le_put(head + HEAD_CHECKSUM, XXH3_64bits(head, HEAD_CHECKSUM), 8);
	return writer;
}

static int write_block(struct blocks_writer *writer, size_t bytes, bool last, struct err *err)
{
	uint8_t *block = writer->block;
	size_t body = writer->count + writer->data_bytes;
	int rc;

	if (!writer->head_written) {
		rc = trace_write(writer->fd, writer->head, BLOCKS_HEAD_BYTES, err);
		if (rc)
			return rc;
		writer->head_written = true;
	}
	if (!writer->count && !last)
		return 0;
	memset(block, 0, BLOCKS_PREFIX_BYTES);
	memset(block + BLOCKS_PREFIX_BYTES + body, 0, BODY_BYTES - body);
	le_put(block + BLOCK_MAGIC, BLOCKS_BLOCK_MAGIC, 4);
	le_put(block + BLOCK_COUNT, writer->count, 4);
	le_put(block + BLOCK_DATA, writer->data_bytes, 4);
	block[BLOCK_LAST] = last;
	le_put(block + BLOCK_FIRST, writer->first, 8);
	memcpy(block + BLOCKS_PREFIX_BYTES, writer->control, writer->count);
	memcpy(block + BLOCKS_PREFIX_BYTES + writer->count, writer->data, writer->data_bytes);
	le_put(block + BLOCK_CHECKSUM, blocks_checksum(block), 8);
	return trace_write(writer->fd, block, bytes, err);
}

static int put_block(struct blocks_writer *writer, size_t bytes, bool last, struct err *err)
{
	int rc = write_block(writer, bytes, last, err);

	writer->count = writer->data_bytes = 0;
	memset(writer->expect, 0, sizeof(writer->expect));
	return rc;
}

static const uint8_t value_bytes[4] = {2, 3, 4, 8}, time_bytes[4] = {0, 1, 2, 4};

static unsigned value_class(uint64_t value)
{
	return value <= 0xffff ? 0 : value <= 0xffffff ? 1 : value <= 0xffffffff ? 2 : 3;
}

static unsigned time_class(uint64_t delta)
{
	return delta == 0 ? 0 : delta <= 0xff ? 1 : delta <= 0xffff ? 2 : 3;
}

static uint8_t *put(uint8_t *p, uint64_t value, unsigned bytes)
{
	le_put(p, value, 8); /* what is too much is written over by the next */
	return p + bytes;
}

static uint8_t *put_raw(uint8_t *p, const struct sample *sample)
{
	p = put(p, sample->time_ns, 8);
	p = put(p, sample->value, 8);
	p = put(p, sample->extra, 8);
	p = put(p, sample->length, 4);
	*p++ = sample->op;
	*p++ = sample->flags;
	return put(p, sample->prio, 2);
}

/* True if the short form says all of it. */
static bool fits(const struct blocks_writer *writer, const struct sample *sample)
{
	uint64_t unit = writer->flags & BLOCKS_OFFSET ? BLOCKS_OFFSET_UNIT : 1;
	uint64_t time = sample->time_ns / writer->time_unit_ns;

	return sample->time_ns % writer->time_unit_ns == 0 && time >= writer->time &&
	       time - writer->time <= UINT32_MAX && sample->prio == 0 &&
	       sample->flags == writer->sample_flags &&
	       (sample->extra == writer->expect[sample->op].extra ||
		(sample->extra % unit == 0 &&
		 sample->extra / unit < 1ULL << 8 * CONTROL_EXTRA_BYTES));
}

static void add_one(struct blocks_writer *writer, const struct sample *sample)
{
	struct blocks_expect *expect = &writer->expect[sample->op];
	uint8_t *p = writer->data + writer->data_bytes;
	uint64_t unit = writer->flags & BLOCKS_OFFSET ? BLOCKS_OFFSET_UNIT : 1;
	unsigned control = CONTROL_RAW;

	if (!fits(writer, sample)) {
		p = put_raw(p, sample);
		writer->time = sample->time_ns / writer->time_unit_ns;
	} else {
		uint64_t time = sample->time_ns / writer->time_unit_ns;
		unsigned t = time_class(time - writer->time), v = value_class(sample->value);

		control = sample->op | v << CONTROL_VALUE_SHIFT | t << CONTROL_TIME_SHIFT;
		p = put(p, time - writer->time, time_bytes[t]);
		p = put(p, sample->value, value_bytes[v]);
		if (sample->length != expect->length) {
			control |= CONTROL_LENGTH;
			p = put(p, sample->length, 4);
		}
		if (sample->extra != expect->extra) {
			control |= CONTROL_EXTRA;
			p = put(p, sample->extra / unit, CONTROL_EXTRA_BYTES);
		}
		writer->time = time;
	}
	expect->length = sample->length;
	if (writer->flags & BLOCKS_OFFSET)
		expect->extra = sample->extra + sample->length;
	writer->control[writer->count++] = (uint8_t)control;
	writer->data_bytes = (uint32_t)(p - writer->data);
}

int blocks_writer_add(struct blocks_writer *writer, const struct sample *samples,
		      unsigned count, struct err *err)
{
	for (unsigned i = 0; i < count; i++) {
		if (writer->count + writer->data_bytes + CONTROL_SAMPLE_MAX > BODY_BYTES) {
			int rc = put_block(writer, BLOCKS_BLOCK_BYTES, false, err);

			if (rc)
				return rc;
		}
		if (!writer->count)
			writer->first = writer->time =
				samples[i].time_ns / writer->time_unit_ns;
		add_one(writer, &samples[i]);
	}
	return 0;
}

/* The sample that was added last once more, up to `times`, as the block has room: without time,
 * its value alone. Returns how often. */
static unsigned repeat_last(struct blocks_writer *writer, uint64_t value, unsigned times)
{
	unsigned control = writer->control[writer->count - 1] &
			   (CONTROL_OP | CONTROL_VALUE | CONTROL_EXTRA);
	unsigned bytes = value_bytes[(control & CONTROL_VALUE) >> CONTROL_VALUE_SHIFT];
	size_t used = writer->count + writer->data_bytes + CONTROL_SAMPLE_MAX;
	uint8_t *p = writer->data + writer->data_bytes, *c = writer->control + writer->count;

	if ((control & CONTROL_OP) == CONTROL_RAW || control & CONTROL_EXTRA ||
	    writer->flags & BLOCKS_OFFSET || used >= BODY_BYTES)
		return 0;
	if (used + (size_t)times * (1 + bytes) > BODY_BYTES)
		times = (unsigned)((BODY_BYTES - used) / (1 + bytes));
	for (unsigned i = 0; i < times; i++) {
		c[i] = (uint8_t)control;
		p = put(p, value, bytes);
	}
	writer->count += times;
	writer->data_bytes += times * bytes;
	return times;
}

int blocks_writer_repeat(struct blocks_writer *writer, const struct sample *sample,
			 unsigned times, struct err *err)
{
	while (times > 0) {
		int rc = blocks_writer_add(writer, sample, 1, err);

		if (rc)
			return rc;
		times--;
		times -= repeat_last(writer, sample->value, times);
	}
	return 0;
}

int blocks_writer_flush(struct blocks_writer *writer, struct err *err)
{
	return put_block(writer, BLOCKS_BLOCK_BYTES, false, err);
}

static size_t short_bytes(const struct blocks_writer *writer)
{
	return BLOCKS_PREFIX_BYTES + writer->count + writer->data_bytes;
}

int blocks_writer_show(struct blocks_writer *writer, struct err *err)
{
	size_t bytes = short_bytes(writer);
	int rc = write_block(writer, bytes, false, err);

	if (!rc && writer->count && lseek(writer->fd, -(off_t)bytes, SEEK_CUR) < 0)
		rc = err_env(err, -errno, "the log cannot be written: %s", err_name(errno));
	return rc;
}

int blocks_writer_end(struct blocks_writer *writer, struct err *err)
{
	return put_block(writer, short_bytes(writer), true, err);
}

void blocks_writer_free(struct blocks_writer *writer)
{
	free(writer);
}
