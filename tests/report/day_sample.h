/* A day of seconds, synthetic: for what a report of it takes. Seed: 86400. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "result/codec.h"
#include "result/record.h"
#include "result/sample.h"

#define DAY_SECONDS 86400

static inline double day_normal(struct rng *rng)
{
	double sum = 0;

	for (unsigned i = 0; i < 12; i++)
		sum += rng_unit(rng);
	return sum - 6;
}

/* As a row has it: the middle of a histogram's bucket. */
static inline uint64_t day_percentile(double ns)
{
	return hist_mid_ns(hist_index((uint64_t)ns));
}

/* Both directions, rates that scatter by 5 %, tails by a third and more: worse to pack than any
 * drive that we have seen. */
static inline struct row *day_rows(void)
{
	struct row *rows = calloc(DAY_SECONDS, sizeof(*rows));
	struct rng rng;

	rng_seed(&rng, 86400, 0);
	for (unsigned i = 0; i < DAY_SECONDS; i++) {
		rows[i].begin_ns = i * NS_PER_S;
		rows[i].end_ns = (i + 1) * NS_PER_S;
		for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++) {
			struct row_dir *row = &rows[i].dir[dir];

			row->ios = (uint64_t)(90000 * (1 + 0.05 * day_normal(&rng)));
			row->bytes = row->ios * 4096;
			row->mean_ns = 100e3 * (1 + 0.05 * day_normal(&rng));
			row->p50_ns = day_percentile(90e3 * exp(0.05 * day_normal(&rng)));
			row->p99_ns = day_percentile(400e3 * exp(0.2 * day_normal(&rng)));
			row->p999_ns = day_percentile(900e3 * exp(0.3 * day_normal(&rng)));
			row->max_ns = (uint64_t)(4e6 * exp(0.6 * day_normal(&rng)));
		}
	}
	memset(rows[54321].dir, 0, sizeof(rows[54321].dir));
	return rows;
}

#define DAY_SHAPES 64
#define DAY_IOS	   2000 /* of a shape; a column of the heat map joins 169 seconds */

/* A histogram for each second and direction, one of 64 shapes: they stand in the result's
 * arena once, where a real day holds 30 MB of them. */
static inline void day_histograms(struct sample *s)
{
	struct interval_hist shapes[DAY_SHAPES];
	struct rng rng;

	rng_seed(&rng, 86401, 0);
	s->result.hists = arena_calloc(&s->result.arena, DAY_SECONDS, sizeof(*s->result.hists),
				       _Alignof(struct interval_hist));
	s->result.hists_room = DAY_SECONDS;
	for (unsigned i = 0; i < DAY_SHAPES; i++) {
		struct hist *hist = arena_new(&s->result.arena, struct hist);
		autostr blob = {0};

		for (unsigned k = 0; k < DAY_IOS; k++)
			hist_add(hist, (uint64_t)(90e3 * exp(0.25 * day_normal(&rng))), 1);
		codec_hist_encode(hist, &blob);
		shapes[i] = (struct interval_hist){
			arena_strndup(&s->result.arena, blob.text, blob.length),
			(uint32_t)blob.length};
	}
	for (unsigned i = 0; i < DAY_SECONDS; i++) {
		for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++) {
			if (s->result.rows[i].dir[dir].ios)
				s->result.hists[i][dir] =
					shapes[(unsigned)(rng_unit(&rng) * DAY_SHAPES)];
		}
	}
}

/* What a machine with two drives and two packages is asked every second of it, as rounded by the
 * monitor. Seed: 86402. */
static inline void day_vitals(struct sample *s)
{
	static const struct vital_channel channels[] = {
		{VITAL_CPU, "all"},
		{VITAL_CPU, "busiest"},
		{VITAL_STEAL, "all"},
		{VITAL_INTERRUPTS, "all"},
		{VITAL_FREQUENCY, "mean"},
		{VITAL_FREQUENCY, "lowest"},
		{VITAL_POWER, "package-0"},
		{VITAL_POWER, "package-1"},
		{VITAL_TEMPERATURE, "nvme0n1"},
		{VITAL_TEMPERATURE, "nvme1n1"},
	};
	static const float means[] = {40, 90, 0, 180000, 3100, 2400, 95, 70, 50, 52};
	static const float spreads[] = {1, 2, 0, 9000, 30, 50, 2, 2, 0, 0};
	unsigned count = sizeof(channels) / sizeof(*channels);
	struct vitals *vitals = &s->result.vitals;
	struct rng rng;

	rng_seed(&rng, 86402, 0);
	*vitals =
		(struct vitals){.nchannels = count, .nrows = DAY_SECONDS, .step_ns = NS_PER_S};
	vitals->channels = arena_array(&s->result.arena, struct vital_channel, count);
	vitals->values = arena_array(&s->result.arena, float, (size_t)count *DAY_SECONDS);
	memcpy(vitals->channels, channels, sizeof(channels));
	for (unsigned c = 0; c < count; c++) {
		float grain = channels[c].kind == VITAL_POWER		       ? 0.01F
			      : means[c] < 1000 /* percent, degrees: tenths */ ? 0.1F
									       : 1;

		for (unsigned i = 0; i < DAY_SECONDS; i++) {
			double wander = channels[c].kind == VITAL_TEMPERATURE
						? 4 * sin((double)(i / 10) / 700)
						: (double)spreads[c] * day_normal(&rng);

			vitals->values[(size_t)c * DAY_SECONDS + i] =
				roundf((means[c] + (float)wander) / grain) * grain;
		}
	}
}

/* The record of that day; day_done() frees both. */
static inline void day_init(struct sample *s, struct job_set *set, struct record *record)
{
	sample_spoken(s, set);
	s->result.rows = day_rows();
	s->result.nrows = DAY_SECONDS;
	for (unsigned i = 0; i < SAMPLE_WORKERS; i++)
		s->jobs[i].end_ns = DAY_SECONDS * NS_PER_S;
	record_init(record, "run");
	record_add_live(record, NULL, NULL, 0, &s->result, set);
}

static inline void day_done(struct sample *s, struct job_set *set, struct record *record)
{
	free(s->result.rows);
	s->result.rows = NULL;
	s->result.nrows = 0;
	record_done(record);
	sample_done(s);
	job_set_done(set);
}
