/* The reader of fio's text logs: the fast rows, and what is to be done about the others. */
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "trace/reader_priv.h"

/* The last column's text, by which a row that may be cut off is judged. */
static void keep_column(struct trace_reader *reader, const char *row, const char *end)
{
	const char *at = end;

	while (at > row && at[-1] != ' ' && at[-1] != ',')
		at--;
	while (end > at && end[-1] == '\r')
		end--;
	memset(reader->last_column, 0, sizeof(reader->last_column));
	memcpy(reader->last_column, at,
	       min_u64((uint64_t)(end - at), sizeof(reader->last_column) - 1));
}

/* One row byte by byte. Returns 1 with a sample, 0 without one, or an error. */
static int slow_row(struct trace_reader *reader, const char *row, const char *end,
		    struct sample *ret, struct err *err)
{
	struct fiorow_marks marks;
	enum fiorow_fault fault = fiorow_parse(&reader->shape, row, end, ret, &marks);

	switch (fault) {
	case FIOROW_SKIP:
		reader->counts.remarks++;
		return 0;
	case FIOROW_ZERO:
		reader->counts.zero_rows++;
		return 0;
	case FIOROW_OK:
		break;
	case FIOROW_COLUMNS:
	case FIOROW_NUMBER:
	case FIOROW_RANGE:
	case FIOROW_DIRECTION:
	case FIOROW_PRIO:
	case FIOROW_CHANGED:
	case FIOROW_FAULTS:
		return reader_bad_row(reader, reader->lines.line, fiorow_fault_text(fault),
				      err);
	}
	if (ret->time_ns < reader->last_ns) {
		if (!reader->counts.backward++)
			reader->counts.first_backward_line =
				reader_line(reader, reader->lines.line);
	}
	reader->last_ns = ret->time_ns;
	fiofast_learn(&reader->fast, row, end, &marks, ret);
	keep_column(reader, row, end);
	return 1;
}

/* Bytes behind the last newline: a row that was cut off, unless it has all columns and ends as
 * the row before it; or what a crash leaves, bytes of zero. */
static int last_line(struct trace_reader *reader, struct sample *ret, struct err *err)
{
	struct lines *lines = &reader->lines;
	const char *row = lines->text + lines->begin, *end = lines->text + lines->fill;
	struct fiorow_marks marks;
	size_t used;

	reader->ended = true;
	while (end > row && end[-1] == '\0') {
		end--;
		reader->counts.nul_bytes++;
	}
	lines->begin = lines->fill;
	if (end == row)
		return 0;
	used = strlen(reader->last_column);
	if ((size_t)(end - row) > used && used &&
	    !memcmp(end - used, reader->last_column, used) &&
	    (end[-(ptrdiff_t)used - 1] == ' ' || end[-(ptrdiff_t)used - 1] == ',') &&
	    !reader->counts.nul_bytes && !input_is_cut(reader->input) &&
	    fiorow_parse(&reader->shape, row, end, ret, &marks) == FIOROW_OK)
		return slow_row(reader, row, end, ret, err);
	if (fiorow_parse(&reader->shape, row, end, ret, &marks) == FIOROW_SKIP)
		reader->counts.remarks++;
	else
		reader->counts.cut_row = true;
	return 0;
}

/* As many rows as are indexed, `most` at most. */
static int some_rows(struct trace_reader *reader, unsigned have, unsigned most, struct err *err)
{
	struct lines *lines = &reader->lines;
	struct fiofast_rows rows = lines_rows(lines, most - have);
	unsigned count = rows.count;
	unsigned fast = lines->ops->rows(&reader->fast, &rows, reader->batch + have);
	const char *row, *end;
	int rc;

	if (fast) {
		lines_pass(lines, fast);
		reader->last_ns = reader->batch[have + fast - 1].time_ns;
		if (fast == count)
			return (int)fast;
	}
	row = lines->text + lines->begin;
	end = lines->text + lines->ends[lines->next];
	rc = slow_row(reader, row, end, reader->batch + have + fast, err);
	lines_pass(lines, 1);
	return rc < 0 ? rc : (int)fast + rc;
}

/* Rows like the one before, by columns: how many, or 0 when the next one is another. */
static int some_columns(struct trace_reader *reader)
{
	struct lines *lines = &reader->lines;
	struct sample_columns *columns = reader->columns;
	struct fiofast_rows rows = lines_rows(lines, COLUMNS_MAX);
	unsigned count = lines->ops->columns(&reader->fast, &rows, columns);

	if (!count)
		return 0;
	lines_pass(lines, count);
	reader->last_ns = columns->time_ns[count - 1];
	for (unsigned op = 0; op < SAMPLE_OPS; op++)
		columns->length[op] = reader->fast.sample[op].length;
	return (int)count;
}

int fiolog_next(struct trace_reader *reader, struct err *err)
{
	struct lines *lines = &reader->lines;
	unsigned have = 0, most = reader->columns ? TRACE_RARE : TRACE_LENT;

	reader->by_columns = false;
	while (have < most) {
		int rc;

		if (lines->next == lines->count) {
			rc = lines_more(lines, err);
			if (rc < 0)
				return rc;
			if (rc == 0) {
				rc = reader->ended
					     ? 0
					     : last_line(reader, reader->batch + have, err);
				return rc < 0 ? rc : (int)have + rc;
			}
		}
		if (!have && reader->columns && (rc = some_columns(reader))) {
			reader->by_columns = true;
			return rc;
		}
		rc = some_rows(reader, have, most, err);
		if (rc < 0)
			return rc;
		have += (unsigned)rc;
	}
	return (int)have;
}
