/*
 * A synthetic run for pages and plots: log-normal latencies around 120 us, 30 % reads, episodes
 * of collection, one stall of 2.2 s that leaves two empty seconds. Seed: 20.
 */
#pragma once

#include <math.h>

#include "base/bits.h"
#include "base/rng.h"
#include "stat/density.h"
#include "stat/policy.h"

struct qos_sample {
	struct arena arena;
	struct series series;
	struct density density;
	struct qos_run run;
	struct qos qos;
	struct policy policy;
	struct verdict verdict;
};

static inline double qos_sample_normal(struct rng *rng)
{
	double sum = 0;

	for (unsigned i = 0; i < 12; i++)
		sum += rng_unit(rng);
	return sum - 6;
}

static inline void qos_sample_add(struct qos_sample *sample, uint64_t time_ns, uint64_t ns,
				  enum series_dir dir)
{
	const struct series_sample one = {
		.time_ns = time_ns, .latency_ns = ns, .bytes = 4096, .count = 1, .dir = dir};

	(void)series_add(&sample->series, &one, NULL);
	density_add(&sample->density, time_ns, ns, 1);
}

/* `stall_s` 0: none. */
static inline void qos_sample_make(struct qos_sample *sample, unsigned seconds, unsigned rate,
				   unsigned stall_s)
{
	uint64_t step = NS_PER_S / rate, stall = stall_s * NS_PER_S;
	struct rng rng;

	rng_seed(&rng, 20, 0);
	arena_init(&sample->arena);
	(void)policy_parse("default", policy_text("default"), NULL, &sample->arena,
			   &sample->policy, NULL);
	series_init(&sample->series, NS_PER_S);
	density_init(&sample->density, 10 * NS_PER_MS);
	for (unsigned i = 0; i < sample->policy.nthresholds; i++)
		(void)series_threshold(&sample->series, sample->policy.thresholds_ns[i], NULL);
	for (uint64_t i = 1; i <= (uint64_t)seconds * rate; i++) {
		bool read = rng_unit(&rng) < 0.3, busy = i * step / NS_PER_S % 17 < 2;
		double ns = (read ? 120e3 : 35e3) * exp(0.3 * qos_sample_normal(&rng));
		uint64_t now = i * step - 1;

		if (busy)
			ns *= 1 + 9 * rng_unit(&rng);
		if (rng_unit(&rng) < 0.0005)
			ns = 1.5e6 + 4e6 * rng_unit(&rng);
		if (stall && now > stall && now < stall + 2200 * NS_PER_MS)
			continue;
		if (stall && now >= stall + 2200 * NS_PER_MS &&
		    now < stall + 2200 * NS_PER_MS + 32 * step)
			ns = 2.2e9;
		qos_sample_add(sample, now, (uint64_t)ns, read ? SERIES_READ : SERIES_WRITE);
	}
	series_finish(&sample->series);
	qos_from_series(&sample->series, &sample->run);
	qos_init(&sample->qos, &sample->run, &sample->arena);
	(void)policy_judge(&sample->policy, &sample->qos, &sample->arena, &sample->verdict,
			   NULL);
}

static inline void qos_sample_done(struct qos_sample *sample)
{
	series_done(&sample->series);
	density_done(&sample->density);
	arena_done(&sample->arena);
}
