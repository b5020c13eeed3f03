#include "trace/fiofast.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/str.h"
#include "trace/fiofour.h"

#if defined(__x86_64__)
#include "trace/avx2.h"
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define ZEROS	    0x3030303030303030ULL /* "00000000" */
#define TO_HIGH_BIT 0x7676767676767676ULL /* 10 and more get the high bit, 0 to 9 do not */
#define HIGH_BITS   0x8080808080808080ULL
#define NEWLINES    0x0a0a0a0a0a0a0a0aULL
#define LOW_BITS    0x0101010101010101ULL
#define DIGITS_MAX  16
#define TIME_MAX    14 /* digits; with ", " they are two words */
#define TEXT_MAX    24 /* bytes of a template */
#define BLOCK_BYTES 64

/* Little-endian words, whatever the machine: the first byte is the lowest. */
ALWAYS_INLINE uint64_t load8(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

static uint64_t mask_of(unsigned bytes)
{
	return bytes >= 8 ? UINT64_MAX : (1ULL << 8 * bytes) - 1;
}

/* False when the text is too long for a template. Reads beyond the text, within the padding. */
static bool text_set(struct fiofast_text *text, const char *p, size_t length)
{
	if (length > TEXT_MAX)
		return false;
	text->length = (unsigned)length;
	for (unsigned i = 0; i < 3; i++) {
		unsigned rest = text->length > 8 * i ? text->length - 8 * i : 0;

		text->mask[i] = mask_of(rest);
		text->word[i] = load8(p + (size_t)8 * i) & text->mask[i];
	}
	return true;
}

/* Zero where the text stands at p. */
ALWAYS_INLINE uint64_t text_differs(const struct fiofast_text *text, const char *p)
{
	uint64_t differs = ((load8(p) & text->mask[0]) ^ text->word[0]) |
			   ((load8(p + 8) & text->mask[1]) ^ text->word[1]);

	if (unlikely(text->mask[2]))
		differs |= (load8(p + 16) & text->mask[2]) ^ text->word[2];
	return differs;
}

/* The same for a text that is eight bytes long at most, nearly always. */
ALWAYS_INLINE uint64_t short_text_differs(const struct fiofast_text *text, const char *p)
{
	if (unlikely(text->mask[1]))
		return text_differs(text, p);
	return (load8(p) & text->mask[0]) ^ text->word[0];
}

/* How many digits stand at p: 0 to 16. */
ALWAYS_INLINE unsigned digits_at(const char *p)
{
	uint64_t x = load8(p) ^ ZEROS, other = ((x + TO_HIGH_BIT) | x) & HIGH_BITS;

	if (likely(other))
		return (unsigned)__builtin_ctzll(other) / 8;
	x = load8(p + 8) ^ ZEROS;
	other = ((x + TO_HIGH_BIT) | x) & HIGH_BITS;
	return other ? 8 + (unsigned)__builtin_ctzll(other) / 8 : DIGITS_MAX;
}

/* The number of 1 to 8 digits that ends before `end`; bits in *bad if one is no digit. */
ALWAYS_INLINE uint64_t number8(const char *end, unsigned digits, uint64_t *bad)
{
	uint64_t x = (load8(end - 8) ^ ZEROS) & (UINT64_MAX << (64 - 8 * digits));

	*bad |= ((x + TO_HIGH_BIT) | x) & HIGH_BITS;
	x = (x * (1 + (10ULL << 8)) >> 8) & 0x00ff00ff00ff00ffULL;
	x = (x * (1 + (100ULL << 16)) >> 16) & 0x0000ffff0000ffffULL;
	return x * (1 + (10000ULL << 32)) >> 32;
}

/* The same for 1 to 16 digits. */
ALWAYS_INLINE uint64_t number16(const char *end, unsigned digits, uint64_t *bad)
{
	if (likely(digits <= 8))
		return number8(end, digits, bad);
	return number8(end - 8, digits - 8, bad) * 100000000 + number8(end, 8, bad);
}

/* Another time than the row before has: false when the row is not for us. */
ALWAYS_INLINE bool change_time(struct fiofast *fast, const char *row)
{
	unsigned digits = digits_at(row);
	uint64_t bad = 0, time_ns;

	if (digits == 0 || digits > TIME_MAX || row[digits] != ',' || row[digits + 1] != ' ')
		return false;
	/* 14 digits of milliseconds would not fit in 64 bits of nanoseconds */
	if (digits == TIME_MAX)
		return false;
	time_ns = number16(row + digits, digits, &bad) * NS_PER_MS;
	if (bad || time_ns < fast->sample[0].time_ns)
		return false;
	fast->time.length = digits + 2;
	fast->time.mask[0] = UINT64_MAX;
	fast->time.mask[1] = 0;
	if (digits + 2 < 8)
		fast->time.mask[0] = (1ULL << 8 * (digits + 2)) - 1;
	else if (digits + 2 > 8)
		fast->time.mask[1] = (1ULL << 8 * (digits - 6)) - 1;
	fast->time.word[0] = load8(row) & fast->time.mask[0];
	fast->time.word[1] = load8(row + 8) & fast->time.mask[1];
	for (unsigned op = 0; op < 4; op++)
		fast->sample[op].time_ns = time_ns;
	return true;
}

/* What follows the middle in a row with an offset or an issue time; false: not for us. */
ALWAYS_INLINE bool take_rest(const struct fiofast *fast, const char *p, const char *end,
			     struct sample *ret)
{
	const struct fiorow_shape *shape = fast->shape;
	unsigned digits = digits_at(p);
	uint64_t bad = 0, number;

	if (digits - 1 >= DIGITS_MAX - 1)
		return false; /* none, or more than may be looked at */
	p += digits;
	number = number16(p, digits, &bad);
	if (shape->offset) {
		ret->extra = number;
		bad |= short_text_differs(&fast->tail, p);
		p += fast->tail.length;
		if (shape->issue) {
			digits = digits_at(p);
			if (digits - 1 >= DIGITS_MAX - 1)
				return false;
			p += digits;
			p += end > p && *p == '\r';
		}
	}
	p += !fast->tail.length && end > p && *p == '\r';
	return !bad && p == end;
}

/* Where rows go: to samples, or from `at` on to columns. */
struct rows_out {
	struct sample *samples;
	struct sample_columns *columns;
	unsigned at;
};

ALWAYS_INLINE unsigned rows_body(struct fiofast *fast, const struct fiofast_rows *rows,
				 struct rows_out out, bool has_rest)
{
	const struct fiofast_text middle = fast->middle;
	const uint64_t scale = fast->shape->value_scale;
	const unsigned op_at = fast->op_at, count = rows->count;
	const char *base = rows->base, *row = base + rows->begin;

	for (unsigned i = 0; i < count; i++) {
		const char *end = base + rows->ends[i], *value_end;
		struct sample *sample = &out.samples[out.columns ? 0 : i];
		uint64_t bad, value;
		unsigned digits, op;

		if (unlikely(((load8(row) & fast->time.mask[0]) ^ fast->time.word[0]) |
			     ((load8(row + 8) & fast->time.mask[1]) ^ fast->time.word[1])) &&
		    !change_time(fast, row))
			return i;
		row += fast->time.length;
		value_end = has_rest ? row + digits_at(row) : end - middle.length;
		digits = (unsigned)(value_end - row);
		if (unlikely(digits - 1 >= DIGITS_MAX - 1))
			return i; /* also when the middle would begin before the value */
		bad = text_differs(&middle, value_end);
		op = (unsigned)(unsigned char)value_end[op_at] - '0';
		value = number16(value_end, digits, &bad);
		if (unlikely(bad || op >= SAMPLE_OPS))
			return i;
		value *= scale;
		if (out.columns) {
			if (unlikely(value >= COLUMNS_VALUE_MAX))
				return i;
			out.columns->time_ns[out.at + i] = fast->sample[0].time_ns;
			out.columns->value[out.at + i] = value;
			out.columns->op[out.at + i] = op;
		} else {
			*sample = fast->sample[op];
			sample->value = value;
		}
		if (has_rest &&
		    unlikely(!take_rest(fast, value_end + middle.length, end, sample)))
			return i;
		row = end + 1;
	}
	return count;
}

ALWAYS_INLINE unsigned rows_any(struct fiofast *fast, const struct fiofast_rows *rows,
				struct rows_out out)
{
	if (!fast->armed)
		return 0;
	if (fast->shape->offset || fast->shape->issue)
		return rows_body(fast, rows, out, true);
	return rows_body(fast, rows, out, false);
}

unsigned fiofast_columns(struct fiofast *fast, const struct fiofast_rows *rows, unsigned at,
			 struct sample_columns *ret_columns)
{
	struct sample scratch;

	return rows_any(
		fast, rows,
		(struct rows_out){.samples = &scratch, .columns = ret_columns, .at = at});
}

/* The last block may hold bytes beyond `to`: those are none of ours. */
ALWAYS_INLINE uint64_t within(uint64_t mask, size_t at, size_t to)
{
	return to - at < BLOCK_BYTES ? mask & ((1ULL << (to - at)) - 1) : mask;
}

/* Bit 8i + 7 of the result is set where byte i is a newline; exact, without borrow. */
ALWAYS_INLINE uint64_t newline_bits(uint64_t word)
{
	uint64_t x = word ^ NEWLINES;

	return ~(((x & ~HIGH_BITS) + ~HIGH_BITS) | x) & HIGH_BITS;
}

static unsigned index_portable(const char *base, size_t from, size_t to, uint32_t *ret_ends)
{
	unsigned have = 0;

	for (size_t at = from; at < to; at += 8) {
		uint64_t bits = newline_bits(load8(base + at));

		for (; bits; bits &= bits - 1) {
			size_t end = at + (size_t)__builtin_ctzll(bits) / 8;

			if (end < to)
				ret_ends[have++] = (uint32_t)end;
		}
	}
	return have;
}

static unsigned rows_portable(struct fiofast *fast, const struct fiofast_rows *rows,
			      struct sample *out)
{
	return rows_any(fast, rows, (struct rows_out){.samples = out});
}

static unsigned columns_portable(struct fiofast *fast, const struct fiofast_rows *rows,
				 struct sample_columns *out)
{
	return fiofast_columns(fast, rows, 0, out);
}

static const struct fiofast_ops portable = {"portable", index_portable, rows_portable,
					    columns_portable};

#if defined(__x86_64__)

static unsigned index_sse2(const char *base, size_t from, size_t to, uint32_t *ret_ends)
{
	const __m128i newline = _mm_set1_epi8('\n');
	unsigned have = 0;

	for (size_t at = from; at < to; at += BLOCK_BYTES) {
		const char *p = base + at;
		uint64_t mask = 0;

		for (unsigned i = 0; i < 4; i++) {
			__m128i v = _mm_loadu_si128(
				(const __m128i *)(const void *)(p + (size_t)16 * i));
			uint64_t part = (uint16_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, newline));

			mask |= part << 16 * i;
		}
		for (mask = within(mask, at, to); mask; mask &= mask - 1)
			ret_ends[have++] = (uint32_t)at + (uint32_t)__builtin_ctzll(mask);
	}
	return have;
}

static const struct fiofast_ops sse2 = {"sse2", index_sse2, rows_portable, columns_portable};

/* The set bits of a block's mask as offsets. A row of the shortest sort is 11 bytes, the usual
 * one 23: four entries are written whether they are there or not, and no branch is missed. */
TARGET_AVX2 ALWAYS_INLINE unsigned emit(uint64_t mask, size_t at, uint32_t *ends, unsigned have)
{
	unsigned count = (unsigned)_mm_popcnt_u64(mask);

	ends += have;
	UNROLL_LANES for (unsigned i = 0; i < 4; i++, mask = _blsr_u64(mask))
	{
		ends[i] = (uint32_t)at + (uint32_t)_tzcnt_u64(mask);
	}
	for (unsigned i = 4; unlikely(i < count); i++, mask = _blsr_u64(mask))
		ends[i] = (uint32_t)at + (uint32_t)_tzcnt_u64(mask);
	return have + count;
}

TARGET_AVX2 static unsigned index_avx2(const char *base, size_t from, size_t to,
				       uint32_t *ret_ends)
{
	const __m256i newline = _mm256_set1_epi8('\n');
	unsigned have = 0;

	for (size_t at = from; at < to; at += BLOCK_BYTES) {
		const __m256i *p = (const __m256i *)(const void *)(base + at);
		__m256i low = _mm256_cmpeq_epi8(_mm256_loadu_si256(p), newline);
		__m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256(p + 1), newline);
		uint64_t mask = (uint32_t)_mm256_movemask_epi8(low) |
				(uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;

		have = emit(within(mask, at, to), at, ret_ends, have);
	}
	return have;
}

TARGET_AVX2 static unsigned rows_avx2(struct fiofast *fast, const struct fiofast_rows *rows,
				      struct sample *out)
{
	return rows_any(fast, rows, (struct rows_out){.samples = out});
}

static const struct fiofast_ops avx2 = {"avx2", index_avx2, rows_avx2, fiofour_columns};

/* Rows of AVX2, found by one instruction for up to 16 newlines in 64 bytes: 20 instructions
 * in all instead of 41. */
#define TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi,bmi2,popcnt")))

TARGET_AVX512 static unsigned index_avx512(const char *base, size_t from, size_t to,
					   uint32_t *ret_ends)
{
	static const uint8_t count_up[BLOCK_BYTES] = {
		0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15,
		16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
		32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
		48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
	};
	const __m512i newline = _mm512_set1_epi8('\n'), numbers = _mm512_loadu_si512(count_up);
	unsigned have = 0;

	for (size_t at = from; at < to; at += BLOCK_BYTES) {
		uint64_t mask = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(base + at), newline);
		__m512i spots;

		mask = within(mask, at, to);
		spots = _mm512_maskz_compress_epi8(mask, numbers);
		spots = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(spots));
		spots = _mm512_add_epi32(spots, _mm512_set1_epi32((int)at));
		_mm512_storeu_si512(ret_ends + have, spots);
		if (unlikely(_mm_popcnt_u64(mask) > 16)) {
			unsigned more = have;

			for (uint64_t left = mask; left; left = _blsr_u64(left))
				ret_ends[more++] = (uint32_t)at + (uint32_t)_tzcnt_u64(left);
		}
		have += (unsigned)_mm_popcnt_u64(mask);
	}
	return have;
}

static const struct fiofast_ops avx512 = {"avx512", index_avx512, rows_avx2, fiofour_columns};

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vbmi2");
}

const struct fiofast_ops *fiofast_at(unsigned at)
{
	static const struct fiofast_ops *const all[] = {&portable, &sse2, &avx2, &avx512};
	unsigned count = !has_avx2() ? 2 : !has_avx512() ? 3 : 4;

	return at < count ? all[at] : NULL;
}

#else

const struct fiofast_ops *fiofast_at(unsigned at)
{
	return at == 0 ? &portable : NULL;
}

#endif

unsigned fiofast_find(const char *name)
{
	for (unsigned at = 0; fiofast_at(at); at++)
		if (str_equal(fiofast_at(at)->name, name))
			return at + 1;
	return 0;
}

const struct fiofast_ops *fiofast_best(void)
{
	const struct fiofast_ops *best = NULL;

	for (unsigned at = 0; fiofast_at(at); at++)
		best = fiofast_at(at);
	return best;
}

void fiofast_learn(struct fiofast *fast, const char *row, const char *end,
		   const struct fiorow_marks *marks, const struct sample *sample)
{
	const struct fiorow_shape *shape = fast->shape;
	unsigned number =
		shape->offset ? 4 : shape->columns - 1u; /* what may vary at the end */
	size_t length = (size_t)(end - row), tail_end = length;
	bool has_rest = shape->offset || shape->issue;

	fast->armed = false;
	if (shape->max || marks->end[2] - marks->begin[2] != 1 || marks->begin[1] > 16)
		return;
	if (shape->offset && shape->issue)
		tail_end = marks->begin[shape->columns - 1];
	/* "12, " is what a changed time is compared with: nothing else is learnt */
	if (marks->begin[0] != 0 || marks->begin[1] != marks->end[0] + 2 ||
	    row[marks->end[0] + 1] != ' ')
		return;
	if (!text_set(&fast->time, row, marks->begin[1]) ||
	    !text_set(&fast->middle, row + marks->end[1],
		      (has_rest ? marks->begin[number] : length) - marks->end[1]) ||
	    !text_set(&fast->tail, row + (has_rest ? marks->end[number] : length),
		      shape->offset ? tail_end - marks->end[number] : 0))
		return;
	fast->op_at = (unsigned)marks->begin[2] - marks->end[1];
	/* the direction is looked at by itself */
	fast->middle.mask[fast->op_at / 8] &= ~(0xffULL << 8 * (fast->op_at % 8));
	for (unsigned i = 0; i < 3; i++)
		fast->middle.word[i] &= fast->middle.mask[i];
	for (unsigned op = 0; op < 4; op++) {
		fast->sample[op] = *sample;
		fast->sample[op].op = (uint8_t)op;
	}
	fast->armed = true;
}
