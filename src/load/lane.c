#include "load/lane.h"

#include "base/assert.h"
#include "base/bits.h"

/* How often a size that does not fit is drawn again before the smallest is taken. */
#define FIT_TRIES 32

static uint64_t percent_of_32(uint64_t percent)
{
	return (percent << 32) / 100;
}

static void piece_take(const struct lane *lane, struct piece *piece, uint64_t at, uint32_t len)
{
	piece->offset = lane->start_bytes + at;
	piece->len = len;
}

/* --- sequential --- */

/*
 * Applies the hole. The first request has none before it, and starts the region; but with a
 * negative hole and an offset fio steps back from the start at once, and so do we. Before the
 * start the region's end follows. Behind the end of the file fio goes on as far into the region
 * as that lies in the file (its offset counts twice), and so do we.
 */
static uint64_t skip_hole(const struct lane_rule *rule, const struct lane *lane, uint64_t pos)
{
	int64_t next = (int64_t)pos + rule->skip_bytes;

	if (rule->skip_bytes == 0 ||
	    (pos == 0 && (rule->skip_bytes > 0 || lane->start_bytes == 0)))
		return pos;
	if (next < 0)
		next = (int64_t)lane->region_bytes + rule->skip_bytes;
	if (next < 0)
		return 0;
	return (uint64_t)next >= lane->wrap_bytes ? lane->start_bytes : (uint64_t)next;
}

static bool place_sequential(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	const struct length *length = &rule->length[piece->op];
	uint64_t pos = lane->pos[piece->op];
	uint32_t len = length->min;

	if (pos >= lane->region_bytes && rule->skip_bytes >= 0)
		return false;
	pos = skip_hole(rule, lane, pos);
	if (pos + len > lane->region_bytes)
		return false;
	if (!length->fixed) {
		unsigned tries = FIT_TRIES;

		do
			len = length_draw(length, rng_next(&rule->rng));
		while (pos + len > lane->region_bytes && --tries);
		if (pos + len > lane->region_bytes)
			len = length->min;
	}
	piece_take(lane, piece, pos, len);
	return true;
}

/* --- random --- */

/* Each unit once, one size. */
static bool scatter_map_fixed(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	if (lane->units_left == 0)
		return false;
	lane->units_left--;
	piece_take(lane, piece, lane->base_bytes + permute_next(&lane->order) * rule->unit,
		   rule->length[piece->op].min);
	return true;
}

/*
 * Mixed sizes, each unit once, without a bitmap: a pattern of PATTERN_PIECES pieces in a
 * row, drawn once from the job's sizes, repeats over the region, and the permutation runs
 * over all pieces of all repetitions. The shares of the sizes in the pattern are those of
 * the job to 1 in PATTERN_PIECES; the last repetition is cut off at the end of the region.
 */
static bool scatter_map_mixed(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	const struct pattern_piece *part;
	uint64_t number, at, end = lane->units * rule->unit;

	if (lane->units_left == 0)
		return false;
	lane->units_left--;
	number = permute_next(&lane->order);
	part = &rule->pattern[number & (PATTERN_PIECES - 1)];
	at = (number >> PATTERN_SHIFT) * rule->pattern_bytes + part->at;
	if (piece->op_is_free)
		piece->op = (enum op)part->op;
	piece_take(lane, piece, lane->base_bytes + at, (uint32_t)min_u64(part->len, end - at));
	return true;
}

/* Pieces that begin in the first `bytes`. */
static uint64_t pattern_count(const struct lane_rule *rule, uint64_t bytes)
{
	uint64_t whole = bytes / rule->pattern_bytes, rest = bytes % rule->pattern_bytes;
	unsigned low = 0, high = PATTERN_PIECES;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (rule->pattern[middle].at < rest)
			low = middle + 1;
		else
			high = middle;
	}
	return whole * PATTERN_PIECES + low;
}

/* Stratified: one draw from each 1 / PATTERN_PIECES of the sizes, in random order. */
static void pattern_init(struct lane_rule *rule, struct rng *rng)
{
	struct pattern_piece *pattern = rule->pattern;
	uint64_t at = 0;

	for (uint64_t i = 0; i < PATTERN_PIECES; i++) {
		uint64_t j = rng_below(rng, i + 1);

		pattern[i].at = pattern[j].at;
		pattern[j].at = (i << (64 - PATTERN_SHIFT)) | (rng_next(rng) >> PATTERN_SHIFT);
	}
	for (unsigned i = 0; i < PATTERN_PIECES; i++) {
		struct pattern_piece *part = &pattern[i];
		uint64_t units;

		part->op = rng_next(rng) >> 32 < rule->read_upto ? OP_READ : OP_WRITE;
		part->len = length_draw(
			&rule->length[rule->mixed_ops ? part->op : (uint32_t)rule->first_op],
			(part->at & ~0xffffffffULL) | (uint32_t)rng_next(rng));
		units = part->len / rule->unit;
		if (rule->unaligned)
			units += part->len % rule->unit != 0;
		else
			part->len = (uint32_t)(units * rule->unit);
		part->at = at;
		at += units * rule->unit;
	}
	rule->pattern_bytes = at;
}

/* With repetition: any place on the grid where the size fits. */
static bool scatter_free(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	const struct length *length = &rule->length[piece->op];
	uint32_t len = length->min;
	uint64_t places = lane->units;

	if (!length->fixed)
		len = length_draw(length, rng_next(&rule->rng));
	if (len > lane->span_bytes)
		len = length->min;
	if (len > lane->span_bytes)
		return false;
	if (len != rule->unit)
		places = (lane->span_bytes - len) / rule->unit + 1;
	piece_take(lane, piece, lane->base_bytes + rng_below(&rule->rng, places) * rule->unit,
		   len);
	return true;
}

/* By an uneven distribution over the units; a size that would hang over the end moves down. */
static bool scatter_spread(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	const struct length *length = &rule->length[piece->op];
	uint32_t len = length->min;
	uint64_t at;

	if (!length->fixed)
		len = length_draw(length, rng_next(&rule->rng));
	if (len > lane->span_bytes)
		len = length->min;
	if (len > lane->span_bytes)
		return false;
	at = spread_next(lane->spread, &rule->rng, piece->op) * rule->unit;
	while (at + len > lane->span_bytes)
		at -= rule->unit;
	piece_take(lane, piece, lane->base_bytes + at, len);
	return true;
}

/* What leaves an empty SSD in its steady state (load/onepass.h). */
static bool scatter_onepass(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	uint64_t unit;

	if (!onepass_next(lane->onepass, &unit))
		return false;
	piece_take(lane, piece, unit * rule->unit, rule->length[piece->op].min);
	return true;
}

/* rw=randread:N: N requests at one place, or following each other, then a new place. A group
 * that runs into the end of the region takes a new place for the request at hand and goes on. */
static bool group_goes_on(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	if (rule->every_left == 0) {
		rule->every_left = rule->every - 1;
		return false;
	}
	rule->every_left--;
	if (!rule->identical)
		return place_sequential(rule, lane, piece);
	if (!rule->length[piece->op].fixed)
		piece->len = length_draw(&rule->length[piece->op], rng_next(&rule->rng));
	else
		piece->len = rule->length[piece->op].min;
	piece->offset = lane->start_bytes + lane->last[piece->op];
	return lane->last[piece->op] + piece->len <= lane->region_bytes;
}

static bool place_random(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	uint64_t upto = rule->random_upto[piece->op];

	if (rule->every > 1 && group_goes_on(rule, lane, piece))
		return true;
	if (upto >> 32 == 0 && (rng_next(&rule->rng) >> 32) >= upto) {
		if (place_sequential(rule, lane, piece))
			return true;
		if (upto == 0)
			return false;
	}
	return rule->scatter(rule, lane, piece);
}

/* --- whole lanes --- */

static void note_position(struct lane *lane, const struct piece *piece)
{
	lane->last[piece->op] = piece->offset - lane->start_bytes;
	lane->pos[piece->op] = lane->last[piece->op] + piece->len;
}

static bool place_sequential_noted(struct lane_rule *rule, struct lane *lane,
				   struct piece *piece)
{
	if (!place_sequential(rule, lane, piece))
		return false;
	note_position(lane, piece);
	return true;
}

static bool place_random_noted(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	if (!place_random(rule, lane, piece))
		return false;
	note_position(lane, piece);
	return true;
}

static void new_order(struct lane *lane, const struct lane_rule *rule)
{
	lane->units = rule->unit ? lane->span_bytes / rule->unit : 0;
	lane->units_left =
		rule->pattern ? pattern_count(rule, lane->units * rule->unit) : lane->units;
	if (rule->mapped && lane->units)
		permute_init(&lane->order, lane->units_left,
			     rule->seed ^ (lane->passes * 0x9e3779b97f4a7c15ULL) ^
				     ((uint64_t)lane->target << 56));
	lane->passes++;
}

/* A zone ends once zonesize bytes were moved in it; behind the region the first one follows. */
static void next_zone(struct lane *lane, const struct lane_rule *rule)
{
	lane->base_bytes += rule->zone_step_bytes;
	if (lane->base_bytes >= lane->region_bytes)
		lane->base_bytes = 0;
	lane->zone_done_bytes = 0;
	for (int op = 0; op < NDATA; op++)
		lane->pos[op] = lane->last[op] = lane->base_bytes;
	new_order(lane, rule);
}

static bool place_zoned(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	if (lane->zone_done_bytes >= rule->zone_bytes)
		next_zone(lane, rule);
	if (!(rule->scatter ? place_random : place_sequential)(rule, lane, piece))
		return false;
	if (piece->offset + piece->len > lane->start_bytes + lane->region_bytes)
		return false;
	note_position(lane, piece);
	lane->zone_done_bytes += piece->len;
	return true;
}

void lane_reset(struct lane *lane, const struct lane_rule *rule)
{
	lane->base_bytes = 0;
	lane->zone_done_bytes = 0;
	for (int op = 0; op < NDATA; op++)
		lane->pos[op] = lane->last[op] = 0;
	lane->done = false;
	new_order(lane, rule);
}

void lane_init(struct lane *lane, const struct lane_rule *rule, const struct job_spec *spec,
	       const struct target *target, struct arena *arena)
{
	lane->start_bytes = target->start_bytes;
	lane->region_bytes = target->region_bytes;
	lane->wrap_bytes = target->size_bytes ? target->size_bytes
					      : target->start_bytes + target->region_bytes;
	lane->span_bytes = rule->zone_bytes ? rule->zone_range_bytes : lane->region_bytes;
	lane_reset(lane, rule);
	if (rule->scatter == scatter_spread && lane->units) {
		lane->spread = arena_new(arena, struct spread);
		spread_init(lane->spread, &spec->random_distribution, lane->units, rule->unit,
			    rule->seed ^ lane->target);
	}
	if (rule->scatter == scatter_onepass && lane->units) {
		lane->onepass = arena_new(arena, struct onepass);
		onepass_init(lane->onepass, lane->units, rule->spare,
			     rule->seed ^ lane->target);
	}
}

/* Random requests that sequential ones interrupt visit blocks more than once. */
static bool is_interrupted(const struct lane_rule *rule)
{
	if (rule->every > 1)
		return true;
	for (int op = 0; op < NDATA; op++)
		if (rule->length[op].min && rule->random_upto[op] >> 32 == 0)
			return true;
	return false;
}

uint64_t lane_pass_bytes(const struct lane *lane, const struct lane_rule *rule)
{
	if (rule->zone_bytes || rule->skip_bytes)
		return 0;
	if (lane->onepass)
		return onepass_total(lane->units, rule->spare) * rule->unit;
	if (rule->scatter && (!rule->mapped || is_interrupted(rule)))
		return 0;
	return lane->region_bytes / rule->unit * rule->unit;
}

/* --- the rule --- */

/* The directions that occur, and whether they have one size each, and the same. */
static bool lengths_init(struct lane_rule *rule, const struct job_spec *spec)
{
	bool one_size = true, same = true;
	uint32_t min = UINT32_MAX;
	int first = -1;

	for (int op = 0; op < NDATA; op++) {
		const struct length *length = &rule->length[op];

		if (!spec->rw.does[op])
			continue;
		length_init(&rule->length[op], spec, (enum op)op);
		first = first < 0 ? op : first;
		one_size &= length->fixed;
		same &= length->min == rule->length[first].min &&
			length->max == rule->length[first].max;
		min = length->min < min ? length->min : min;
	}
	rule->unit = min;
	rule->mixed_ops = !same && spec->rw.does[OP_READ];
	rule->first_op = first;
	return one_size && same;
}

static bool is_rated(const struct job_spec *spec)
{
	for (int op = 0; op < NDATA; op++)
		if (spec->rate[op] || spec->rate_iops[op])
			return true;
	return false;
}

/*
 * An alignment of its own and a distribution have no map, as in fio. Nor has a mix with
 * sizes by direction and rates: the map would choose the direction, and the rates must.
 */
static void scatter_init(struct lane_rule *rule, const struct job_spec *spec, bool one_size)
{
	bool aligned = false;

	for (int op = 0; op < NDATA; op++)
		if (spec->rw.does[op] && spec->ba[op] && spec->ba[op] != rule->length[op].min) {
			rule->unit = aligned ? min_u64(rule->unit, spec->ba[op]) : spec->ba[op];
			aligned = true;
		}
	rule->spare = spec->spr_op;
	if (spec->sprandom)
		rule->scatter = scatter_onepass;
	else if (spec->random_distribution.kind != DIST_RANDOM)
		rule->scatter = scatter_spread;
	else if (spec->norandommap || aligned || (rule->mixed_ops && is_rated(spec)))
		rule->scatter = scatter_free;
	else
		rule->scatter = one_size ? scatter_map_fixed : scatter_map_mixed;
	rule->mapped = rule->scatter == scatter_map_fixed || rule->scatter == scatter_map_mixed;
}

void lane_rule_init(struct lane_rule *rule, const struct job_spec *spec, uint64_t seed,
		    struct arena *arena)
{
	bool one_size = lengths_init(rule, spec);

	rule->seed = seed;
	rng_seed(&rule->rng, seed, 1);
	if (spec->rw.random) {
		scatter_init(rule, spec, one_size);
		rule->every = spec->rw.every;
		rule->identical = spec->rw_sequencer == RW_SEQUENCER_IDENTICAL;
	} else {
		rule->skip_bytes = spec->rw.skip_bytes;
	}
	rule->unaligned = spec->bs_unaligned;
	rule->read_upto = percent_of_32(spec->rwmixread);
	if (rule->scatter == scatter_map_mixed) {
		rule->pattern = arena_array(arena, struct pattern_piece, PATTERN_PIECES);
		pattern_init(rule, &rule->rng);
	}
	for (int op = 0; op < NDATA; op++)
		rule->random_upto[op] = percent_of_32(spec->percentage_random[op]);
	rule->place = spec->rw.random ? place_random_noted : place_sequential_noted;
	if (spec->zonemode == ZONEMODE_STRIDED && spec->zonesize) {
		rule->zone_bytes = spec->zonesize;
		rule->zone_range_bytes = spec->zonerange ? spec->zonerange : spec->zonesize;
		rule->zone_step_bytes = rule->zone_range_bytes + spec->zoneskip;
		rule->place = place_zoned;
	}
}
