/*
 * Fuzz: checks and policies. The first byte chooses: a check against figures of a small run, or
 * a policy. Whatever is refused must say why; whatever is accepted decides.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "fuzz/fuzz.h"
#include "stat/policy.h"

static void feed(struct series *series)
{
	for (unsigned i = 1; i < 2000; i++) {
		const struct series_sample sample = {.time_ns = i * 5000000ULL,
						     .latency_ns = 100000 + i * 40ULL,
						     .bytes = 4096,
						     .count = 1,
						     .dir = i % 2 ? SERIES_READ : SERIES_WRITE};

		(void)series_add(series, &sample, NULL);
	}
	series_finish(series);
}

static void one_check(const char *text, struct qos *qos)
{
	struct check_figures figures;
	struct check_result result;
	struct err err = {0};

	qos_figures(qos, &figures);
	if (check_judge(text, &figures, &result, &err)) {
		assert(err.kind == ERR_INPUT && err.text[0]);
		return;
	}
	assert(result.ncomparisons > 0);
	for (unsigned i = 0; i < result.ncomparisons; i++) {
		struct qos_span spans[4];
		unsigned total;
		autostr out = {0};

		check_format(&result.comparisons[i].left.value, &out);
		assert(qos_concerned(qos->run, &result.comparisons[i], spans, 4, &total) <= 4);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct series series;
	struct policy policy;
	struct arena arena;
	struct qos_run run;
	struct qos qos;
	struct err err = {0};
	char *text;

	if (bytes < 2 || bytes > 4096)
		return 0;
	text = malloc(bytes);
	assert(text);
	memcpy(text, data + 1, bytes - 1);
	text[bytes - 1] = '\0';
	arena_init(&arena);
	if (data[0] == 'p') {
		if (policy_parse("fuzz", text, NULL, &arena, &policy, &err))
			assert(err.kind == ERR_INPUT && err.text[0]);
	} else {
		series_init(&series, 1000000000);
		feed(&series);
		qos_from_series(&series, &run);
		qos_init(&qos, &run, &arena);
		one_check(text, &qos);
		series_done(&series);
	}
	arena_done(&arena);
	free(text);
	return 0;
}
