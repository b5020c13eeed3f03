/* What the AVX2 loops of trace/ share: their target, and loads of four lanes. x86-64 alone. */
#pragma once

#include <immintrin.h>
#include <stdbool.h>

#define TARGET_AVX2  __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define INLINE_AVX2  TARGET_AVX2 static inline __attribute__((always_inline))
#define LANES	     4
#define UNROLL_LANES _Pragma("GCC unroll 4") /* which -O2 does not by itself */

static inline bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

INLINE_AVX2 __m128i load16(const void *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

INLINE_AVX2 __m256i load32(const void *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

INLINE_AVX2 void store32(void *p, __m256i x)
{
	_mm256_storeu_si256((__m256i *)p, x);
}

INLINE_AVX2 __m256i all64(unsigned long long x)
{
	return _mm256_set1_epi64x((long long)x);
}

/* Two lanes of eight bytes each, by one load and one load with a shuffle. */
INLINE_AVX2 __m128i load_pair(const void *low, const void *high)
{
	__m128i pair = _mm_loadl_epi64((const __m128i *)low);

	return _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(pair), (const __m64 *)high));
}

INLINE_AVX2 __m256i load_lanes(const void *p0, const void *p1, const void *p2, const void *p3)
{
	return _mm256_inserti128_si256(_mm256_castsi128_si256(load_pair(p0, p1)),
				       load_pair(p2, p3), 1);
}
