/*
 * How long the next request of one direction is: one size, a range, or a weighted split. Set up
 * once from the job; drawn from 64 random bits that the caller brings, so that the same bits
 * give the same length (lane.c needs that).
 *
 * fio's rules, found by its behaviour (3.33): a range draws uniformly from [min, min + max),
 * cuts to a multiple of min unless bs_unaligned, and limits to max; the sizes of a split are
 * cut to multiples of the direction's smallest.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "job/spec.h"

struct length_part {
	uint64_t upto;	/* of 2^32: this part is taken by draws below it */
	uint64_t ratio; /* (span / step) in 2^-32, the span that is drawn from */
	uint32_t min, step, max;
};

struct length {
	uint32_t min, max; /* over all parts */
	unsigned nparts;
	bool fixed; /* min == max */
	struct length_part part[SPLIT_MAX];
};

void length_init(struct length *length, const struct job_spec *spec, enum op op);

static inline uint32_t length_draw(const struct length *length, uint64_t random)
{
	const struct length_part *part = length->part;
	uint64_t high = random >> 32, size;

	while (high >= part->upto)
		part++;
	size = (uint64_t)(((unsigned __int128)part->ratio * (uint32_t)random) >> 64);
	size = part->min + size * part->step;
	return size < part->max ? (uint32_t)size : part->max;
}
