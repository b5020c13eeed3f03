#include "trace/fiorow.h"
#include "base/lang.h"

#include "base/bits.h"

#define MS_MAX	      (UINT64_MAX / NS_PER_MS)
#define ROW_BYTES_MAX 1024 /* of a row that is no histogram */

static const char *const fault_texts[FIOROW_FAULTS] = {
	[FIOROW_OK] = N_("is right"),
	[FIOROW_SKIP] = N_("is a remark"),
	[FIOROW_ZERO] = N_("is a row of zeros"),
	[FIOROW_COLUMNS] = N_("has not the number of columns of the rows before it"),
	[FIOROW_NUMBER] = N_("holds something that is no number"),
	[FIOROW_RANGE] = N_("holds a number beyond all bounds"),
	[FIOROW_DIRECTION] = N_("has a direction other than 0, 1 or 2"),
	[FIOROW_PRIO] = N_("has a priority of another form than the rows before it"),
	[FIOROW_CHANGED] =
		N_("changes from windows to single requests, or back: cut the log there"),
};

const char *fiorow_fault_text(enum fiorow_fault fault)
{
	return fault_texts[fault];
}

struct field {
	uint64_t number;
	const char *begin, *end;
	bool hex;
};

static int digit_of(char c, bool hex)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (hex && c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (hex && c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Blanks, digits; the caller looks at what stands behind. */
static enum fiorow_fault take_number(const char **at, const char *end, struct field *ret)
{
	const char *p = *at;
	uint64_t number = 0;
	bool hex;

	while (p < end && *p == ' ')
		p++;
	hex = end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
	ret->begin = p;
	p += hex ? 2 : 0;
	for (int digit; p < end && (digit = digit_of(*p, hex)) >= 0; p++)
		if (__builtin_mul_overflow(number, hex ? 16 : 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)digit, &number))
			return FIOROW_RANGE;
	if (p == ret->begin || (hex && p == ret->begin + 2))
		return FIOROW_NUMBER;
	ret->number = number;
	ret->end = *at = p;
	ret->hex = hex;
	return FIOROW_OK;
}

static enum fiorow_fault split(const char *row, const char *end, struct field *fields,
			       unsigned max, unsigned *ret_count)
{
	const char *p = row;

	for (unsigned i = 0; i < max; i++) {
		enum fiorow_fault fault = take_number(&p, end, &fields[i]);

		if (fault)
			return fault;
		*ret_count = i + 1;
		if (p == end)
			return FIOROW_OK;
		if (*p != ',')
			return FIOROW_NUMBER;
		p++;
	}
	return FIOROW_COLUMNS;
}

static const char *cut_return(const char *row, const char *end)
{
	return end > row && end[-1] == '\r' ? end - 1 : end;
}

static bool is_remark(const char *row, const char *end)
{
	while (row < end && (*row == ' ' || *row == '\t'))
		row++;
	return row == end || *row == '#';
}

unsigned fiorow_split(const char *row, const char *end, unsigned max, uint64_t *ret_numbers,
		      uint32_t *ret_hex)
{
	struct field fields[FIOROW_COLUMNS_MAX];
	unsigned count = 0;

	end = cut_return(row, end);
	if (max > FIOROW_COLUMNS_MAX)
		max = FIOROW_COLUMNS_MAX;
	*ret_hex = 0;
	if (split(row, end, fields, max, &count))
		return 0;
	for (unsigned i = 0; i < count; i++) {
		ret_numbers[i] = fields[i].number;
		*ret_hex |= (uint32_t)fields[i].hex << i;
	}
	return count;
}

static bool all_zero(const struct field *fields, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (fields[i].number)
			return false;
	return true;
}

static enum fiorow_fault fill(const struct fiorow_shape *shape, const struct field *field,
			      struct sample *ret)
{
	unsigned at = 2u + shape->max;
	uint64_t value, op = field[at].number, length = field[at + 1].number;
	bool windowed = shape->windowed || !length;

	if (op >= SAMPLE_OPS)
		return FIOROW_DIRECTION;
	if (length > UINT32_MAX || field[0].number > MS_MAX ||
	    __builtin_mul_overflow(field[1].number, shape->value_scale, &value))
		return FIOROW_RANGE;
	if (windowed != shape->any_windows)
		return FIOROW_CHANGED;
	*ret = (struct sample){.time_ns = field[0].number * NS_PER_MS,
			       .value = value,
			       .length = (uint32_t)length,
			       .op = (uint8_t)op,
			       .flags = shape->flags};
	if (shape->max &&
	    __builtin_mul_overflow(field[2].number, shape->value_scale, &ret->extra))
		return FIOROW_RANGE;
	at += 2;
	if (shape->offset) {
		if (!shape->max)
			ret->extra = field[at].number;
		at++;
	}
	if (shape->prio) {
		if (field[at].number > UINT16_MAX)
			return FIOROW_RANGE;
		if (field[at].hex != shape->prio_hex)
			return FIOROW_PRIO;
		ret->prio = (uint16_t)field[at].number;
	}
	return FIOROW_OK;
}

enum fiorow_fault fiorow_parse(const struct fiorow_shape *shape, const char *row,
			       const char *end, struct sample *ret_sample,
			       struct fiorow_marks *ret_marks)
{
	struct field fields[FIOROW_COLUMNS_MAX] = {{0}};
	enum fiorow_fault fault;
	unsigned count = 0;

	end = cut_return(row, end);
	if (is_remark(row, end))
		return FIOROW_SKIP;
	if (end - row > ROW_BYTES_MAX)
		return FIOROW_COLUMNS;
	fault = split(row, end, fields, FIOROW_COLUMNS_MAX, &count);
	if (fault)
		return fault;
	if (count != shape->columns)
		return FIOROW_COLUMNS;
	for (unsigned i = 0; i < count; i++) {
		ret_marks->begin[i] = (uint16_t)(fields[i].begin - row);
		ret_marks->end[i] = (uint16_t)(fields[i].end - row);
		if (fields[i].hex && !(shape->prio && i == 4u + shape->max + shape->offset))
			return FIOROW_NUMBER;
	}
	if (!shape->any_windows && all_zero(fields, count))
		return FIOROW_ZERO;
	return fill(shape, fields, ret_sample);
}
