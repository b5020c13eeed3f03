#include "trace/fiofour.h"

#include "base/assert.h"
#include "base/bits.h"

#if defined(__x86_64__)
#include "trace/avx2.h"

#define MIDDLE_MAX 16 /* bytes: one load */
#define VALUE_MAX  8  /* digits: one lane */
#define OFFSET_MAX 16
#define ISSUE_MAX  19 /* digits that cannot overflow 64 bits */
#define SCALE_MAX  1000

/* What is equal in all rows, and the constants; kept in registers. */
struct four {
	__m128i time, time_mask, middle, middle_mask, tail, tail_mask;
	__m256i time_ns;
	unsigned time_length, middle_length, tail_length, op_shift;
	uint64_t scale;
	bool ready;
};

/* Bytes that lie before the number in a lane are zero after it: by its count of digits. */
static const uint64_t lane_mask[VALUE_MAX + 1] = {
	0,
	0xffULL << 56,
	0xffffULL << 48,
	0xffffffULL << 40,
	0xffffffffULL << 32,
	0xffffffffffULL << 24,
	0xffffffffffffULL << 16,
	0xffffffffffffffULL << 8,
	UINT64_MAX,
};

/* `n` bytes of 0xff at the end of 32, read from n on; of 16, from 16 + n on. */
static const uint8_t last_mask[64] = {
	[32] = 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
	255,	    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

/* Digits ('0' taken away) of four lanes, the last byte the lowest, to numbers. */
INLINE_AVX2 __m256i lanes_to_numbers(__m256i x, uint64_t scale)
{
	const __m256i tens = _mm256_set1_epi16(0x010a),
		      hundreds = _mm256_set1_epi32(0x00010064);

	x = _mm256_madd_epi16(_mm256_maddubs_epi16(x, tens), hundreds);
	x = _mm256_add_epi64(_mm256_mul_epu32(x, all64(10000)), _mm256_srli_epi64(x, 32));
	return _mm256_mul_epu32(x, all64(scale));
}

/* What is said of four rows: where values end, and how many digits they have. */
struct spots {
	const char *value_end[LANES];
	unsigned digits[LANES];
};

/* Values, directions and the text between; false when one of the rows is not like the rest. */
INLINE_AVX2 bool take_four(const struct four *four, const char *const value_end[LANES],
			   __m256i keep, __m128i other, struct sample_columns *out, unsigned at)
{
	const __m256i zeros = _mm256_set1_epi8('0'), nine = _mm256_set1_epi8(9);
	__m128i m[LANES], differs;
	__m256i value, op, bad;

	UNROLL_LANES for (unsigned k = 0; k < LANES; k++) m[k] =
		_mm_xor_si128(load16(value_end[k]), four->middle);
	differs = _mm_or_si128(_mm_or_si128(m[0], m[1]), _mm_or_si128(m[2], m[3]));
	differs = _mm_or_si128(_mm_and_si128(differs, four->middle_mask), other);
	op = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi64(m[0], m[1])),
				     _mm_unpacklo_epi64(m[2], m[3]), 1);
	op = _mm256_and_si256(_mm256_srli_epi64(op, (int)four->op_shift), all64(0xff));
	value = _mm256_and_si256(
		_mm256_xor_si256(load_lanes(value_end[0] - 8, value_end[1] - 8,
					    value_end[2] - 8, value_end[3] - 8),
				 zeros),
		keep);
	bad = _mm256_or_si256(_mm256_subs_epu8(value, nine),
			      _mm256_cmpgt_epi32(op, all64(SAMPLE_OPS - 1)));
	bad = _mm256_or_si256(bad, _mm256_zextsi128_si256(differs));
	if (unlikely(!_mm256_testz_si256(bad, bad)))
		return false;
	store32(&out->value[at], lanes_to_numbers(value, four->scale));
	store32(&out->op[at], op);
	store32(&out->time_ns[at], four->time_ns);
	return true;
}

/* Times that are not the template's, as bits under its mask. */
INLINE_AVX2 __m128i times_differ(const struct four *four, const char *const row[LANES])
{
	__m128i differs = _mm_xor_si128(load16(row[0]), four->time);

	UNROLL_LANES for (unsigned k = 1; k < LANES; k++) differs =
		_mm_or_si128(differs, _mm_xor_si128(load16(row[k]), four->time));
	return _mm_and_si128(differs, four->time_mask);
}

/* Nothing varies behind the value: its end is known from the row's. */
INLINE_AVX2 bool four_fixed(const struct four *four, const char *base, const uint32_t *ends,
			    struct sample_columns *out, unsigned at)
{
	const char *middle = base - four->middle_length, *begin = base + 1;
	const char *const row[LANES] = {begin + ends[-1], begin + ends[0], begin + ends[1],
					begin + ends[2]};
	const char *const value_end[LANES] = {middle + ends[0], middle + ends[1],
					      middle + ends[2], middle + ends[3]};
	__m128i digits = _mm_sub_epi32(load16(ends), load16(ends - 1));
	__m128i shift, wrong;

	digits = _mm_sub_epi32(
		digits, _mm_set1_epi32((int)(1 + four->time_length + four->middle_length)));
	shift = _mm_sub_epi32(_mm_set1_epi32(64), _mm_slli_epi32(digits, 3));
	/* 1 to 8 */
	wrong = _mm_srli_epi32(_mm_sub_epi32(digits, _mm_set1_epi32(1)), 3);
	return take_four(four, value_end,
			 _mm256_sllv_epi64(all64(UINT64_MAX), _mm256_cvtepu32_epi64(shift)),
			 _mm_or_si128(times_differ(four, row), wrong), out, at);
}

/* Up to `n` bytes before `end` that are no digits. */
INLINE_AVX2 __m128i no_digits16(const char *end, unsigned n)
{
	__m128i x = _mm_xor_si128(load16(end - 16), _mm_set1_epi8('0'));

	return _mm_and_si128(_mm_subs_epu8(x, _mm_set1_epi8(9)), load16(last_mask + 16 + n));
}

INLINE_AVX2 __m128i no_digits32(const char *end, unsigned n)
{
	__m256i x = load32(end - 32);

	x = _mm256_subs_epu8(_mm256_xor_si256(x, _mm256_set1_epi8('0')), _mm256_set1_epi8(9));
	x = _mm256_and_si256(x, load32(last_mask + n));
	return _mm_or_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

/* Bytes at p up to the first comma; 32 without one in 16. */
INLINE_AVX2 unsigned to_comma(const char *p)
{
	__m128i hit = _mm_cmpeq_epi8(load16(p), _mm_set1_epi8(','));

	return (unsigned)_tzcnt_u32((unsigned)_mm_movemask_epi8(hit));
}

/* An offset behind the middle, and where `issue` a time behind the tail: their digits are
 * checked, and not wanted. False when there are none, or more than fit. */
INLINE_AVX2 bool pass_rest(const struct four *four, const char *p, const char *end, bool issue,
			   __m128i *wrong)
{
	const char *offset_end = issue ? p + to_comma(p) : end - four->tail_length;
	size_t digits = (size_t)(offset_end - p);
	__m128i tail;

	if (unlikely(digits - 1 >= OFFSET_MAX))
		return false;
	tail = _mm_and_si128(_mm_xor_si128(load16(offset_end), four->tail), four->tail_mask);
	*wrong = _mm_or_si128(*wrong,
			      _mm_or_si128(tail, no_digits16(offset_end, (unsigned)digits)));
	if (!issue)
		return true;
	digits = (size_t)(end - offset_end) - four->tail_length;
	if (unlikely(digits - 1 >= ISSUE_MAX))
		return false;
	*wrong = _mm_or_si128(*wrong, no_digits32(end, (unsigned)digits));
	return true;
}

INLINE_AVX2 bool four_with_rest(const struct four *four, const char *base, const uint32_t *ends,
				bool issue, struct sample_columns *out, unsigned at)
{
	const char *begin = base + 1, *value_end[LANES];
	const char *const row[LANES] = {begin + ends[-1], begin + ends[0], begin + ends[1],
					begin + ends[2]};
	const void *masks[LANES];
	__m128i wrong = times_differ(four, row);

	UNROLL_LANES for (unsigned k = 0; k < LANES; k++)
	{
		unsigned digits = to_comma(row[k] + four->time_length);

		if (unlikely(digits - 1 >= VALUE_MAX))
			return false;
		value_end[k] = row[k] + four->time_length + digits;
		masks[k] = &lane_mask[digits];
		if (unlikely(!pass_rest(four, value_end[k] + four->middle_length,
					base + ends[k], issue, &wrong)))
			return false;
	}
	return take_four(four, value_end, load_lanes(masks[0], masks[1], masks[2], masks[3]),
			 wrong, out, at);
}

/* The templates of the row before, in registers. */
INLINE_AVX2 void prepare(struct four *four, const struct fiofast *fast)
{
	uint64_t middle = fast->middle.word[0] | (uint64_t)'0' << 8 * (fast->op_at % 8);

	*four = (struct four){
		.time = load16(fast->time.word),
		.time_mask = load16(fast->time.mask),
		.middle = _mm_set_epi64x((long long)fast->middle.word[1], (long long)middle),
		.middle_mask = load16(fast->middle.mask),
		.tail = load16(fast->tail.word),
		.tail_mask = load16(fast->tail.mask),
		.time_ns = all64(fast->sample[0].time_ns),
		.time_length = fast->time.length,
		.middle_length = fast->middle.length,
		.tail_length = fast->tail.length,
		.op_shift = 8 * fast->op_at,
		.scale = fast->shape->value_scale,
		.ready = fast->armed && fast->middle.length <= MIDDLE_MAX && fast->op_at < 8 &&
			 fast->tail.length <= 16 && fast->shape->value_scale <= SCALE_MAX &&
			 (fast->shape->offset || !fast->shape->issue),
	};
}

/* Up to `count` rows from the i-th on, one by one. */
static unsigned single_rows(struct fiofast *fast, const struct fiofast_rows *all, unsigned i,
			    unsigned count, struct sample_columns *columns)
{
	struct fiofast_rows rows = {.base = all->base,
				    .ends = all->ends + i,
				    .begin = i ? all->ends[i - 1] + 1u : all->begin,
				    .count = count};

	return fiofast_columns(fast, &rows, i, columns);
}

INLINE_AVX2 unsigned columns_body(struct fiofast *fast, const struct fiofast_rows *rows,
				  bool offset, bool issue, struct sample_columns *out)
{
	const unsigned count = (unsigned)min_u64(rows->count, COLUMNS_MAX);
	/* the first by itself: where it begins, no entry before ends[0] need tell */
	unsigned i = 0, step = 1, done;
	struct four four;

	while (i < count) {
		step = (unsigned)min_u64(step, count - i);
		done = single_rows(fast, rows, i, step, out);
		i += done;
		if (done < step)
			return i;
		step = LANES;
		prepare(&four, fast);
		if (!four.ready)
			step = count - i;
		while (four.ready && i + LANES <= count) {
			if (!(offset ? four_with_rest(&four, rows->base, rows->ends + i, issue,
						      out, i)
				     : four_fixed(&four, rows->base, rows->ends + i, out, i)))
				break;
			i += LANES;
		}
	}
	return i;
}

TARGET_AVX2 unsigned fiofour_columns(struct fiofast *fast, const struct fiofast_rows *rows,
				     struct sample_columns *ret_columns)
{
	if (!fast->shape->offset)
		return columns_body(fast, rows, false, false, ret_columns);
	if (!fast->shape->issue)
		return columns_body(fast, rows, true, false, ret_columns);
	return columns_body(fast, rows, true, true, ret_columns);
}

#endif
