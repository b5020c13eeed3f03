/* Intervals of samples that come by columns are those of the same samples, one by one, with the
 * vectors and without. Seed 11. */
#include "trace/bins.h"

#include <stdlib.h>

#include "unit.h"

#include "base/bits.h"
#include "base/rng.h"

#define BATCHES 60

static const struct bins_options by_second = {.interval_ns = NS_PER_S,
					      .nthresholds = 2,
					      .threshold_ns = {5 * NS_PER_MS, 200 * NS_PER_MS}};

/* Latencies about some 100 us; one in `odd` is of any size, so that it is an extreme, below the
 * smallest that vectors count, beyond the last bucket, above a threshold. */
static uint64_t value_of(struct rng *rng, unsigned odd)
{
	if (rng_below(rng, 2 * odd) == 0)
		return rng_below(rng, 2);
	if (rng_below(rng, odd) == 0)
		return rng_next(rng) >> (17 + rng_below(rng, 47));
	return 20000 + rng_below(rng, 400000);
}

static void fill(struct rng *rng, unsigned odd, uint64_t *time_ns,
		 struct sample_columns *columns, struct sample *samples)
{
	for (unsigned op = 0; op < SAMPLE_OPS; op++)
		columns->length[op] = 512u << op;
	for (unsigned i = 0; i < COLUMNS_MAX; i++) {
		if (rng_below(rng, 3) == 0)
			*time_ns += rng_below(rng, 20 * NS_PER_MS);
		columns->time_ns[i] = *time_ns;
		columns->value[i] = value_of(rng, odd);
		columns->op[i] = rng_below(rng, 100) ? rng_below(rng, 2) : 2;
		samples[i] = (struct sample){.time_ns = *time_ns,
					     .value = columns->value[i],
					     .op = (uint8_t)columns->op[i],
					     .length = columns->length[columns->op[i]]};
	}
}

static void compare_rows(struct bins *one, struct bins *other)
{
	size_t bytes, other_bytes;
	char *rows, *other_rows;
	struct err err = {0};

	assert_int_equal(bins_end(one, &err), 0);
	assert_int_equal(bins_end(other, &err), 0);
	rows = bins_take_all(one, &bytes);
	other_rows = bins_take_all(other, &other_bytes);
	assert_true(bytes > 0);
	assert_int_equal(bytes, other_bytes);
	assert_memory_equal(rows, other_rows, bytes);
	assert_int_equal(bins_first_ns(one), bins_first_ns(other));
	assert_int_equal(bins_last_ns(one), bins_last_ns(other));
	free(rows);
	free(other_rows);
}

static void columns_count_as_samples_do(void **state)
{
	static struct sample_columns columns;
	static struct sample samples[COLUMNS_MAX];
	struct trace_info info = {.kind = TRACE_CLAT};
	struct rng rng;

	(void)state;
	rng_seed(&rng, 11, 0);
	for (unsigned turn = 0; turn < 24; turn++) {
		struct bins_options options = by_second;
		struct err err = {0};
		struct bins *by_samples, *by_columns;
		uint64_t time_ns = 0;

		options.by_direction = turn % 2;
		by_samples = bins_new(&options, &info, &err);
		options.portable = turn / 2 % 2;
		by_columns = bins_new(&options, &info, &err);
		for (unsigned i = 0; i < BATCHES; i++) {
			unsigned count = 1 + (unsigned)rng_below(&rng, COLUMNS_MAX);

			fill(&rng, turn < 12 ? 1000 : 10, &time_ns, &columns, samples);
			assert_int_equal(bins_add(by_samples,
						  &(struct trace_batch){.samples = samples,
									.count = count},
						  &err),
					 0);
			assert_int_equal(bins_add(by_columns,
						  &(struct trace_batch){.columns = &columns,
									.count = count},
						  &err),
					 0);
			time_ns = columns.time_ns[count - 1];
		}
		compare_rows(by_samples, by_columns);
		bins_free(by_samples);
		bins_free(by_columns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_count_as_samples_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
