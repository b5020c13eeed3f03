/*
 * The reader of fio's histogram logs: time, direction, block size, and the counts of all bins
 * since the row before. Each bin that is not empty becomes one sample, with the bin's middle
 * for a value and its count.
 */
#include "base/assert.h"
#include "base/bits.h"
#include "stat/hist.h"
#include "trace/reader_priv.h"

#define HEAD_COLUMNS 3

/* Middle of bin `bin` of a row whose bins are 2^coarseness of fio's; in ns. */
static uint64_t bin_middle_ns(const struct trace_info *info, unsigned bin)
{
	unsigned width = 1u << info->coarseness, first = bin * width, last = first + width - 1;
	uint64_t low = 2 * hist_fio_mid_ns(first), high = 2 * hist_fio_mid_ns(last);
	uint64_t middle = (low + high) / 4;

	return info->unit == TRACE_UNIT_US ? middle * NS_PER_US : middle;
}

static enum fiorow_fault take_number(const char **at, const char *end, uint64_t *ret)
{
	const char *p = *at;
	uint64_t number = 0;

	while (p < end && *p == ' ')
		p++;
	if (p == end || *p < '0' || *p > '9')
		return FIOROW_NUMBER;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*p - '0'), &number))
			return FIOROW_RANGE;
	while (p < end && (*p == ' ' || *p == '\r'))
		p++;
	*ret = number;
	*at = p;
	return FIOROW_OK;
}

static enum fiorow_fault take_numbers(struct trace_reader *reader, const char *p,
				      const char *end)
{
	unsigned columns = reader->info.bins + HEAD_COLUMNS;

	for (unsigned i = 0; i < columns; i++) {
		enum fiorow_fault fault = take_number(&p, end, &reader->row[i]);

		if (fault)
			return fault;
		if (i + 1 == columns)
			return p == end ? FIOROW_OK : FIOROW_COLUMNS;
		if (p == end)
			return FIOROW_COLUMNS;
		if (*p++ != ',')
			return FIOROW_NUMBER;
	}
	return FIOROW_OK;
}

static int row_to_samples(struct trace_reader *reader, uint64_t line, struct err *err)
{
	const uint64_t *row = reader->row;
	struct sample like = {.flags = SAMPLE_COUNT};
	int count = 0;

	if (row[1] >= SAMPLE_OPS)
		return reader_bad_row(reader, line, fiorow_fault_text(FIOROW_DIRECTION), err);
	if (row[0] > UINT64_MAX / NS_PER_MS || row[2] > UINT32_MAX)
		return reader_bad_row(reader, line, fiorow_fault_text(FIOROW_RANGE), err);
	like.time_ns = row[0] * NS_PER_MS;
	like.op = (uint8_t)row[1];
	like.length = (uint32_t)row[2];
	if (like.time_ns < reader->last_ns && !reader->counts.backward++)
		reader->counts.first_backward_line = reader_line(reader, line);
	reader->last_ns = like.time_ns;
	reader->counts.rows++;
	for (unsigned bin = 0; bin < reader->info.bins; bin++) {
		struct sample *sample = &reader->batch[count];

		if (!row[HEAD_COLUMNS + bin])
			continue;
		*sample = like;
		sample->value = bin_middle_ns(&reader->info, bin);
		sample->extra = row[HEAD_COLUMNS + bin];
		count++;
	}
	return count;
}

int histlog_next(struct trace_reader *reader, struct err *err)
{
	struct lines *lines = &reader->lines;
	int rc = 0;

	_Static_assert(FIO_HIST_BUCKETS <= TRACE_BATCH, "a row fits in a batch");
	while (!rc) {
		uint64_t line = lines->line;
		const char *row, *end;
		enum fiorow_fault fault;

		rc = lines_more(lines, err);
		if (rc < 0)
			return rc;
		if (rc == 0) {
			reader->counts.cut_row = lines->begin < lines->fill;
			return 0;
		}
		row = lines->text + lines->begin;
		end = lines->text + lines->ends[lines->next];
		lines_pass(lines, 1);
		rc = 0;
		if (row == end || *row == '#' || *row == '\r') {
			reader->counts.remarks++;
			continue;
		}
		fault = take_numbers(reader, row, end);
		rc = fault ? reader_bad_row(reader, line, fiorow_fault_text(fault), err)
			   : row_to_samples(reader, line, err);
	}
	return rc;
}
