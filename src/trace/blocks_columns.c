#include "trace/blocks_columns.h"

#include "base/bits.h"
#include "trace/blocks.h"

#if defined(__x86_64__)
#include "trace/avx2.h"
#endif

/* Bits of value and time by a control byte's fields; a value of eight bytes is not for us. */
static const uint8_t value_bits[4] = {16, 24, 32, 64}, time_bits[4] = {0, 8, 16, 32};

/* Bits of control bytes, in any number of them, that say more than time and value: a length, an
 * extra, or a direction or value of all ones. */
#define EACH(byte) ((byte)*0x01010101u)
static inline uint32_t rare_bits(uint32_t controls)
{
	return (controls & EACH(CONTROL_LENGTH | CONTROL_EXTRA)) |
	       (controls & controls >> 1 & EACH(1 | 1 << CONTROL_VALUE_SHIFT));
}

static unsigned one_by_one(struct blocks_cursor *cursor, unsigned count,
			   struct sample_columns *columns, unsigned at)
{
	const uint8_t *control = cursor->control, *p = cursor->data;
	uint64_t time_ns = cursor->time_ns;
	unsigned i;

	for (i = at; i < count && !rare_bits(control[i]); i++) {
		unsigned value = value_bits[control[i] >> CONTROL_VALUE_SHIFT & 3];
		unsigned time = time_bits[control[i] >> CONTROL_TIME_SHIFT & 3];
		uint64_t word = le_get(p, 8);

		time_ns += (word & ((1ULL << time) - 1)) * cursor->unit_ns;
		columns->time_ns[i] = time_ns;
		columns->value[i] = word >> time & ((1ULL << value) - 1);
		columns->op[i] = control[i] & CONTROL_OP;
		p += (value + time) / 8;
	}
	cursor->data = p;
	cursor->time_ns = time_ns;
	return i;
}

#if defined(__x86_64__)

/* Bytes of a sample's data by its control byte's bits for value and time. */
static const uint8_t data_bytes[16] = {2, 3, 4, 8, 3, 4, 5, 9, 4, 5, 6, 10, 6, 7, 8, 12};

/* A field of four entries, looked up in each lane by the two bits at `shift` of it. */
INLINE_AVX2 __m256i look_up(__m128i table, __m256i controls, int shift)
{
	__m256i at = _mm256_and_si256(_mm256_srli_epi64(controls, shift), all64(3));
	__m256i both = _mm256_castps_si256(_mm256_permutevar_ps(
		_mm256_castsi256_ps(_mm256_broadcastsi128_si256(table)), at));

	return _mm256_and_si256(both, all64(UINT32_MAX));
}

/* The times of four samples, from those between them: sums from the left. */
INLINE_AVX2 __m256i add_up(__m256i before, __m256i gap)
{
	__m256i sum = _mm256_add_epi64(gap, _mm256_slli_si256(gap, 8));
	__m256i carry = _mm256_permute4x64_epi64(sum, _MM_SHUFFLE(1, 1, 0, 0));

	carry = _mm256_blend_epi32(_mm256_setzero_si256(), carry, 0xf0);
	return _mm256_add_epi64(before, _mm256_add_epi64(sum, carry));
}

TARGET_AVX2 static unsigned columns_avx2(struct blocks_cursor *cursor, unsigned count,
					 struct sample_columns *columns)
{
	const __m128i time_table = _mm_set_epi32(32, 16, 8, 0);
	const __m128i shift_table = _mm_set_epi32(0, 32, 40, 48); /* 64 - value_bits */
	const __m256i unit_ns = all64(cursor->unit_ns);
	__m256i time_ns = all64(cursor->time_ns);
	const uint8_t *p0 = cursor->data;
	unsigned i;

	for (i = 0; i + LANES <= count; i += LANES) {
		const uint8_t *control = cursor->control + i;
		uint32_t four = (uint32_t)le_get(control, LANES);
		__m256i c, word, time_bits4, shift, gap;
		const uint8_t *p1, *p2, *p3;

		if (unlikely(rare_bits(four)))
			break;
		p1 = p0 + data_bytes[control[0] >> CONTROL_VALUE_SHIFT];
		p2 = p1 + data_bytes[control[1] >> CONTROL_VALUE_SHIFT];
		p3 = p2 + data_bytes[control[2] >> CONTROL_VALUE_SHIFT];
		c = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128((int)four));
		word = load_lanes(p0, p1, p2, p3);
		time_bits4 = look_up(time_table, c, CONTROL_TIME_SHIFT);
		shift = look_up(shift_table, c, CONTROL_VALUE_SHIFT);
		gap = _mm256_andnot_si256(_mm256_sllv_epi64(all64(UINT64_MAX), time_bits4),
					  word);
		time_ns = add_up(time_ns, _mm256_mul_epu32(gap, unit_ns));
		word = _mm256_srlv_epi64(word, time_bits4);
		word = _mm256_srlv_epi64(_mm256_sllv_epi64(word, shift), shift);
		store32(&columns->value[i], word);
		store32(&columns->op[i], _mm256_and_si256(c, all64(CONTROL_OP)));
		store32(&columns->time_ns[i], time_ns);
		time_ns = _mm256_permute4x64_epi64(time_ns, _MM_SHUFFLE(3, 3, 3, 3));
		p0 = p3 + data_bytes[control[3] >> CONTROL_VALUE_SHIFT];
	}
	cursor->data = p0;
	cursor->time_ns = (uint64_t)_mm256_extract_epi64(time_ns, 0);
	_mm256_zeroupper(); /* gcc 12 leaves it out before a jump: 500 cycles each time */
	return one_by_one(cursor, count, columns, i);
}

#endif

unsigned blocks_columns(struct blocks_cursor *cursor, unsigned count, bool portable,
			struct sample_columns *columns)
{
#if defined(__x86_64__)
	/* units are multiplied as 32 bits */
	if (!portable && has_avx2() && cursor->unit_ns <= UINT32_MAX)
		return columns_avx2(cursor, count, columns);
#endif
	(void)portable;
	return one_by_one(cursor, count, columns, 0);
}
