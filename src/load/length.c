#include "load/length.h"

#include "base/assert.h"
#include "base/bits.h"

/* `unit`: sizes are multiples of it; 1 where bs_unaligned. */
static void part_init(struct length_part *part, uint64_t min, uint64_t max, uint64_t unit)
{
	assert(min > 0);
	assert(min <= max);
	assert(max <= UINT32_MAX);
	part->min = (uint32_t)min;
	part->max = (uint32_t)max;
	part->step = (uint32_t)unit;
	part->ratio = min == max ? 0 : (max << 32) / unit;
}

static void init_split(struct length *length, const struct split *split, uint64_t unit)
{
	uint64_t percent = 0;

	for (unsigned i = 0; i < split->count; i++) {
		const struct split_entry *entry = &split->entry[i];
		uint64_t min = entry->min_bytes - entry->min_bytes % unit;
		uint64_t max = entry->max_bytes - entry->max_bytes % unit;

		if (entry->percent == 0)
			continue;
		percent += entry->percent;
		part_init(&length->part[length->nparts], min, max, unit);
		length->part[length->nparts].upto = (percent << 32) / 100;
		length->nparts++;
	}
}

void length_init(struct length *length, const struct job_spec *spec, enum op op)
{
	const struct split *split = &spec->bssplit[op];
	uint64_t min = spec->bs[op].min;

	*length = (struct length){0};
	for (unsigned i = 0; i < split->count; i++)
		min = i == 0 ? split->entry[i].min_bytes
			     : min_u64(min, split->entry[i].min_bytes);
	if (split->count)
		init_split(length, split, spec->bs_unaligned ? 1 : min);
	if (length->nparts == 0) {
		part_init(length->part, min, max_u64(min, spec->bs[op].max),
			  spec->bs_unaligned ? 1 : min);
		length->nparts = 1;
	}
	length->part[length->nparts - 1].upto = 1ULL << 32;
	length->min = UINT32_MAX;
	for (unsigned i = 0; i < length->nparts; i++) {
		length->min =
			length->part[i].min < length->min ? length->part[i].min : length->min;
		length->max =
			length->part[i].max > length->max ? length->part[i].max : length->max;
	}
	length->fixed = length->min == length->max;
}
