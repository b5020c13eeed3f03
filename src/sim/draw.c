/* Exponential and normal draws in integers. */
#include "sim/draw.h"

#include "base/bits.h"

/* log2(1 + i / 64) * 2^32, i = 0 to 63, rounded; from tools/log2_table.py. */
/* clang-format off */
static const uint32_t log2_table[64] = {
	0u, 96069025u, 190671291u, 283850912u, 375650043u, 466108993u, 555266330u, 643158981u,
	729822324u, 815290272u, 899595355u, 982768792u, 1064840562u, 1145839467u, 1225793196u, 1304728379u,
	1382670639u, 1459644648u, 1535674166u, 1610782092u, 1684990500u, 1758320682u, 1830793181u, 1902427829u,
	1973243777u, 2043259528u, 2112492963u, 2180961373u, 2248681479u, 2315669461u, 2381940981u, 2447511201u,
	2512394810u, 2576606038u, 2640158677u, 2703066101u, 2765341278u, 2826996792u, 2888044853u, 2948497313u,
	3008365682u, 3067661140u, 3126394546u, 3184576458u, 3242217134u, 3299326552u, 3355914416u, 3411990165u,
	3467562987u, 3522641820u, 3577235372u, 3631352118u, 3685000315u, 3738188006u, 3790923031u, 3843213029u,
	3895065449u, 3946487554u, 3997486426u, 4048068976u, 4098241947u, 4148011918u, 4197385310u, 4246368396u,
};
/* clang-format on */

/* log2(x) * 2^32 for x >= 1: the table, and between two entries a parabola. */
static uint64_t log2_fixed(uint64_t x)
{
	unsigned whole = log2_u64(x);
	uint64_t mantissa = whole == 0 ? 0 : x << (64 - whole); /* the part after the one */
	uint64_t i = mantissa >> 58, rest = mantissa >> 26 & UINT32_MAX;
	int64_t low = log2_table[i];
	int64_t high = i == 63 ? 1LL << 32 : (int64_t)log2_table[i + 1];
	int64_t line = (high - low) * (int64_t)(rest >> 1) >> 31;
	/* log2'' = -1 / (ln 2 x^2): the sag of a chord of length h is f(1 - f) h^2 / (2 ln 2 x^2),
	 * and with h = 1/64, x = (64 + i + f) / 64 it is f(1 - f) / (2 ln 2 (64 + i + f)^2). */
	uint64_t f = rest >> 16, x64 = (64 + i) * 65536 + f;
	uint64_t bow = f * (65536 - f);					/* f(1 - f) * 2^32 */
	uint64_t sag = muldiv_u64(bow, 3098164009ULL << 32, x64 * x64); /* 2^32 / (2 ln 2) */

	return ((uint64_t)whole << 32) + (uint64_t)(low + line) + (sag >> 32);
}

uint64_t draw_exponential(struct rng *rng, uint64_t mean_ns)
{
	/* -ln(u) = ln 2 * (64 - log2(r)), u = r / 2^64. */
	uint64_t r = rng_next(rng) | 1;
	uint64_t bits = (64ULL << 32) - log2_fixed(r);
	uint64_t nats = muldiv_u64(bits, 2977044472ULL, 1ULL << 32); /* ln 2 * 2^32 */

	return muldiv_u64(mean_ns, nats, 1ULL << 32);
}

uint64_t draw_normal(struct rng *rng, uint64_t mean_ns, uint64_t deviation_ns)
{
	int64_t sum = -393210; /* six times 65535: the mean of what is added */
	__int128 value;

	for (int i = 0; i < 3; i++) {
		uint64_t r = rng_next(rng);

		sum += (int64_t)((r & 65535) + (r >> 16 & 65535) + (r >> 32 & 65535) +
				 (r >> 48));
	}
	value = (__int128)mean_ns + (__int128)deviation_ns * sum / 65536;
	return value < 0 ? 0 : (uint64_t)value;
}
