/*
 * A histogram against the values themselves, sorted: every percentile is the bucket of the value
 * at its rank, whether it was asked alone, with others or of the part that holds them all; what is
 * above a value, and merging, agree with counting. Nine bytes are an operation: eight of a value,
 * whose low bits scale it, and one that says into which of two histograms, and how often.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "fuzz/fuzz.h"
#include "stat/hist.h"

#define OPERATION_BYTES 9
#define VALUES_MAX	4096u

static const double percents[] = {0, 0.01, 1, 10, 50, 90, 99, 99.9, 99.99, 100};
#define NPERCENTS ARRAY_SIZE(percents)

struct model {
	uint64_t values[VALUES_MAX];
	unsigned count;
};

static int ascending(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void take(struct hist *both, struct model *model, const uint8_t *data, size_t bytes)
{
	for (size_t at = 0; at + OPERATION_BYTES <= bytes; at += OPERATION_BYTES) {
		unsigned times = 1 + (data[at + 8] >> 1) % 5;
		uint64_t value;

		memcpy(&value, data + at, sizeof(value));
		value >>= value & 63;
		if (model->count + times > VALUES_MAX)
			return;
		hist_add(&both[data[at + 8] & 1], value, times);
		for (unsigned i = 0; i < times; i++)
			model->values[model->count++] = value;
	}
}

static void check_percentiles(const struct hist *hist, const struct model *model)
{
	struct hist_part part = {.first = hist_index(model->values[0]),
				 .last = hist_index(model->values[model->count - 1]),
				 .total = model->count};
	uint64_t together[NPERCENTS], of_part[NPERCENTS];

	hist_percentiles_ns(hist, percents, NPERCENTS, together);
	hist_percentiles_of_part_ns(hist, part, percents, NPERCENTS, of_part);
	for (unsigned i = 0; i < NPERCENTS; i++) {
		double rank = ceil(percents[i] / 100 * model->count);
		unsigned at = rank < 1 ? 0 : (unsigned)rank - 1;
		uint64_t want = hist_mid_ns(hist_index(model->values[at]));

		assert(hist_percentile_ns(hist, percents[i]) == want);
		assert(together[i] == want);
		assert(of_part[i] == want);
	}
}

/* Of a value: whole buckets above it count wholly, its own by a share. */
static void check_above(const struct hist *hist, const struct model *model)
{
	for (unsigned i = 0; i < model->count; i += 1 + model->count / 16) {
		uint64_t value = model->values[i];
		unsigned above = 0, same = 0;
		double got = hist_count_above(hist, value);

		for (unsigned j = 0; j < model->count; j++) {
			above += hist_index(model->values[j]) > hist_index(value);
			same += hist_index(model->values[j]) == hist_index(value);
		}
		assert(got >= above);
		assert(got <= above + same);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct hist *both = calloc(2, sizeof(*both));
	struct model *model = calloc(1, sizeof(*model));

	assert(both && model);
	take(both, model, data, bytes);
	hist_merge(&both[0], &both[1]);
	assert(hist_total(&both[0]) == model->count);
	if (model->count) {
		qsort(model->values, model->count, sizeof(*model->values), ascending);
		check_percentiles(&both[0], model);
		check_above(&both[0], model);
	} else {
		assert(hist_percentile_ns(&both[0], 50) == 0);
	}
	free(model);
	free(both);
	return 0;
}
