/* Close-ups: the bins of what is shown are those of all samples, the rest is forgotten. */
#include "stat/closeup.h"

#include <stdlib.h>

#include "base/rng.h"
#include "unit.h"

#define SEED	 10
#define STALL_NS (70 * NS_PER_MS)

static void add(struct closeup *closeup, uint64_t time_ns, uint64_t latency_ns)
{
	const struct series_sample sample = {.time_ns = time_ns,
					     .latency_ns = latency_ns,
					     .bytes = 4096,
					     .count = 1,
					     .dir = SERIES_WRITE};

	closeup_add(closeup, &sample);
}

/* A request each millisecond from `from_s` to `end_s`; none in (stall, stall + 70 ms), and the
 * first one after it took as long. */
static void add_seconds(struct closeup *closeup, unsigned from_s, unsigned end_s,
			uint64_t stall_ns)
{
	for (uint64_t at = from_s * NS_PER_S; at < end_s * NS_PER_S; at += NS_PER_MS) {
		if (at > stall_ns && at < stall_ns + STALL_NS)
			continue;
		add(closeup, at, at == stall_ns + STALL_NS ? STALL_NS : 100000);
	}
}

static const struct closeup_bin *bin_at(const struct closeup *closeup, uint64_t time_ns)
{
	const struct closeup_second *one = closeup_find(closeup, time_ns / NS_PER_S);

	assert_non_null(one);
	return &one->bin[time_ns % NS_PER_S / CLOSEUP_BIN_NS][SERIES_WRITE];
}

static void check_stall(uint64_t stall_ns)
{
	struct closeup closeup;

	closeup_init(&closeup);
	add_seconds(&closeup, 0, 200, stall_ns);
	closeup_finish(&closeup);
	assert_int_equal(closeup.worst[0].second, (stall_ns + STALL_NS) / NS_PER_S);
	assert_int_equal(closeup.worst[0].value_ns, STALL_NS);
	assert_int_equal(closeup.gaps[0].second, (stall_ns + STALL_NS) / NS_PER_S);
	assert_int_equal(closeup.gaps[0].value_ns, STALL_NS);
	assert_int_equal(bin_at(&closeup, stall_ns)->count, 1);
	for (uint64_t at = CLOSEUP_BIN_NS; at < STALL_NS; at += CLOSEUP_BIN_NS)
		assert_int_equal(bin_at(&closeup, stall_ns + at)->count, 0);
	assert_int_equal(bin_at(&closeup, stall_ns + STALL_NS)->count, 10);
	assert_int_equal(bin_at(&closeup, stall_ns + STALL_NS)->max_ns, STALL_NS);
	assert_int_equal(bin_at(&closeup, stall_ns + STALL_NS)->min_ns, 100000);
	assert_int_equal(bin_at(&closeup, stall_ns + STALL_NS)->bytes, 40960);
	closeup_done(&closeup);
}

static void a_stall_of_70_ms_is_seen_wherever_it_lies(void **state)
{
	(void)state;
	check_stall(123 * NS_PER_S + 400 * NS_PER_MS);
	check_stall(123 * NS_PER_S + 960 * NS_PER_MS); /* over the end of a second */
	check_stall(0);
	check_stall(200 * NS_PER_S - STALL_NS - 10 * NS_PER_MS);
}

/* The slow way: the counts of all bins of a day of samples, which are a little out of order. */
#define SLOW_SECONDS 3000
#define SLOW_SAMPLES 300000

static void what_is_shown_is_whole_and_memory_has_a_bound(void **state)
{
	uint32_t *counts = calloc((size_t)SLOW_SECONDS * CLOSEUP_BINS, sizeof(*counts));
	uint64_t seconds[CLOSEUP_SHOWN], time_ns = 0;
	struct closeup closeup;
	unsigned count;
	struct rng rng;

	(void)state;
	assert_non_null(counts);
	rng_seed(&rng, SEED, 0);
	closeup_init(&closeup);
	for (unsigned i = 0; i < SLOW_SAMPLES; i++) {
		uint64_t late_ns = (uint64_t)(rng_unit(&rng) * 2e6);
		uint64_t at_ns;

		time_ns += (uint64_t)(rng_unit(&rng) < 0.0005 ? 3e9 * rng_unit(&rng)
							      : 8e6 * rng_unit(&rng));
		at_ns = time_ns > late_ns ? time_ns - late_ns : time_ns;
		assert_true(at_ns / CLOSEUP_BIN_NS < (uint64_t)SLOW_SECONDS * CLOSEUP_BINS);
		counts[at_ns / CLOSEUP_BIN_NS]++;
		add(&closeup, at_ns, (uint64_t)(1e9 * rng_unit(&rng) * rng_unit(&rng)));
		assert_true(closeup.count <= CLOSEUP_SECONDS);
	}
	closeup_finish(&closeup);
	count = closeup_shown(&closeup, seconds);
	assert_in_range(count, CLOSEUP_WORST, CLOSEUP_SHOWN);
	for (unsigned i = 0; i < count; i++) {
		const struct closeup_second *one = closeup_find(&closeup, seconds[i]);

		assert_true(closeup_shows(&closeup, seconds[i]));
		assert_true(i == 0 || seconds[i] > seconds[i - 1]);
		for (unsigned b = 0; b < CLOSEUP_BINS && seconds[i] < SLOW_SECONDS; b++)
			assert_int_equal(one ? one->bin[b][SERIES_WRITE].count : 0,
					 counts[seconds[i] * CLOSEUP_BINS + b]);
	}
	assert_false(closeup_shows(&closeup, UINT64_C(10) * SLOW_SECONDS));
	closeup_done(&closeup);
	free(counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stall_of_70_ms_is_seen_wherever_it_lies),
		cmocka_unit_test(what_is_shown_is_whole_and_memory_has_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
