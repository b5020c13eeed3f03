#include "trace/bins_columns.h"

#include "base/bits.h"
#include "stat/hist.h"

#if defined(__x86_64__)
#include "trace/avx2.h"
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void add_one(struct columns_job *job, uint64_t value, unsigned op)
{
	struct column_sums *sums = &job->sums[op];

	sums->count++;
	sums->sum += value;
	if (unlikely(value < sums->min))
		sums->min = value;
	if (unlikely(value > sums->max))
		sums->max = value;
	if (unlikely(value > job->lowest_ns))
		for (unsigned i = 0; i < job->nthresholds; i++)
			job->over[op][i] += value > job->threshold_ns[i];
	sums->hist[hist_index(value)]++;
}

void columns_add_portable(struct columns_job *job)
{
	const struct sample_columns *columns = job->columns;

	for (unsigned i = job->from; i < job->to; i++)
		add_one(job, columns->value[i], (unsigned)columns->op[i]);
}

#if defined(__x86_64__)

/*
 * The bits of a double, exponent and mantissa, are the geometry of stat/hist.h: shifted until
 * seven bits of the mantissa are left they count 128 steps for each power of two. From 128 on the
 * difference to hist_index is a constant. Numbers below 2^52 become doubles by one addition.
 */
#define EXACT_MIN    HIST_SUB
#define MAGIC_BITS   0x4330000000000000ULL /* 2^52 */
#define MAGIC	     4503599627370496.0
#define INDEX_SHIFT  (52 - HIST_SUB_BITS)
#define INDEX_OF_ONE ((1023ULL + HIST_SUB_BITS - 1) << HIST_SUB_BITS)

/* What a sample has to lie within to change neither extremes nor counts of slow ones; else its
 * group goes one by one. Of reads, and in which bits that of writes is another. */
struct bounds {
	__m256i low, low_change, high, high_change;
};

INLINE_AVX2 void bounds_set(struct bounds *bounds, const struct columns_job *job)
{
	uint64_t low[2], high[2];

	for (unsigned op = 0; op < 2; op++) {
		/* comparisons are signed, and nothing is as large as that */
		low[op] = min_u64(max_u64(job->sums[op].min, EXACT_MIN), INT64_MAX);
		high[op] = min_u64(min_u64(job->sums[op].max, job->lowest_ns),
				   (1ULL << HIST_MAX_BITS) - 1);
	}
	bounds->low = all64((uint64_t)low[0]);
	bounds->low_change = all64((uint64_t)(low[0] ^ low[1]));
	bounds->high = all64((uint64_t)high[0]);
	bounds->high_change = all64((uint64_t)(high[0] ^ high[1]));
}

/* Sign bits of the lanes that lie outside; comparisons would all wait for one port. */
INLINE_AVX2 __m256i outside(const struct bounds *bounds, __m256i value, __m256i is_write)
{
	__m256i low =
		_mm256_xor_si256(bounds->low, _mm256_and_si256(bounds->low_change, is_write));
	__m256i high =
		_mm256_xor_si256(bounds->high, _mm256_and_si256(bounds->high_change, is_write));

	return _mm256_or_si256(_mm256_sub_epi64(value, low), _mm256_sub_epi64(high, value));
}

INLINE_AVX2 uint64_t sum_lanes(__m256i x)
{
	__m128i half = _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));

	return (uint64_t)_mm_cvtsi128_si64(half) + (uint64_t)_mm_extract_epi64(half, 1);
}

/* Offsets in bytes of the samples' buckets from the reads' first one. */
INLINE_AVX2 __m256i offsets_of(__m256i value, __m256i is_write, __m256i from_reads)
{
	__m256d number =
		_mm256_castsi256_pd(_mm256_or_si256(value, all64((uint64_t)MAGIC_BITS)));
	__m256i bits = _mm256_castpd_si256(_mm256_sub_pd(number, _mm256_set1_pd(MAGIC)));
	__m256i index = _mm256_sub_epi64(_mm256_srli_epi64(bits, INDEX_SHIFT),
					 all64((uint64_t)INDEX_OF_ONE));

	return _mm256_add_epi64(_mm256_slli_epi64(index, 3),
				_mm256_and_si256(is_write, from_reads));
}

INLINE_AVX2 void count_offsets(uint64_t *hist, __m256i offsets)
{
	__m128i low = _mm256_castsi256_si128(offsets);
	__m128i high = _mm256_extracti128_si256(offsets, 1);
	char *base = (char *)hist;

	++*(uint64_t *)(void *)(base + _mm_cvtsi128_si64(low));
	++*(uint64_t *)(void *)(base + _mm_extract_epi64(low, 1));
	++*(uint64_t *)(void *)(base + _mm_cvtsi128_si64(high));
	++*(uint64_t *)(void *)(base + _mm_extract_epi64(high, 1));
}

TARGET_AVX2 static void columns_add_avx2(struct columns_job *job)
{
	const struct sample_columns *columns = job->columns;
	__m256i sum = _mm256_setzero_si256(), sum_writes = sum, writes = sum;
	__m256i from_reads =
		all64((long long)((uintptr_t)job->sums[1].hist - (uintptr_t)job->sums[0].hist));
	uint64_t *hist = job->sums[0].hist;
	unsigned i = job->from, one_by_one = 0;
	struct bounds bounds;

	bounds_set(&bounds, job);
	for (; i + LANES <= job->to; i += LANES) {
		__m256i value = load32(&columns->value[i]), op = load32(&columns->op[i]);
		__m256i is_write = _mm256_sub_epi64(_mm256_setzero_si256(), op);
		__m256i rare = outside(&bounds, value, is_write);

		rare = _mm256_or_si256(rare, _mm256_sub_epi64(all64(1), op));
		if (unlikely(_mm256_movemask_pd(_mm256_castsi256_pd(rare)))) {
			for (unsigned k = 0; k < LANES; k++)
				add_one(job, columns->value[i + k],
					(unsigned)columns->op[i + k]);
			bounds_set(&bounds, job);
			one_by_one++;
			continue;
		}
		sum = _mm256_add_epi64(sum, value);
		sum_writes = _mm256_add_epi64(sum_writes, _mm256_and_si256(value, is_write));
		writes = _mm256_add_epi64(writes, op);
		count_offsets(hist, offsets_of(value, is_write, from_reads));
	}
	job->sums[1].count += sum_lanes(writes);
	job->sums[0].count +=
		(i - job->from) - (uint64_t)one_by_one * LANES - sum_lanes(writes);
	job->sums[1].sum += sum_lanes(sum_writes);
	job->sums[0].sum += sum_lanes(sum) - sum_lanes(sum_writes);
	job->from = i;
	columns_add_portable(job);
}

columns_add columns_add_best(void)
{
	return has_avx2() ? columns_add_avx2 : columns_add_portable;
}

#else

columns_add columns_add_best(void)
{
	return columns_add_portable;
}

#endif
