#include "load/lane.h"

#include "base/assert.h"
#include "base/bits.h"

/* How often a size that does not fit is drawn again before the smallest is taken. */
#define FIT_TRIES 32

/* A cell of the map of mixed sizes holds this many of the largest size, and so many units. */
#define CELL_LARGEST   8
#define CELL_MIN_UNITS 64

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

/* Applies the hole. A position of 0 has none before it, so the first request is at 0; behind
 * the end of the file it begins again. */
static uint64_t skip_hole(const struct lane_rule *rule, const struct lane *lane, uint64_t pos)
{
	if (pos == 0 || rule->skip_bytes == 0)
		return pos;
	pos += (uint64_t)rule->skip_bytes;
	if ((int64_t)pos < 0)
		pos = lane->wrap_bytes + (uint64_t)rule->skip_bytes;
	return (int64_t)pos < 0 || pos >= lane->wrap_bytes ? 0 : pos;
}

static bool place_sequential(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	const struct length *length = &rule->length[piece->op];
	uint64_t pos = lane->pos[piece->op];
	uint32_t len = length->min;

	if (pos >= lane->region_bytes)
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

/* Whole units in `bytes`; rounded up where requests need not be whole units (bs_unaligned). The
 * reciprocal is below 2^64 / unit, so an exact multiple may come out one short. */
static uint64_t units_of(const struct lane_rule *rule, uint64_t bytes)
{
	uint64_t units = (uint64_t)(((unsigned __int128)bytes * rule->unit_recip) >> 64);

	units += (units + 1) * rule->unit <= bytes;
	return units + (rule->unaligned && units * rule->unit < bytes);
}

/*
 * Mixed sizes, each unit once, without a bitmap: the region is divided into cells, each cell
 * into pieces by a sequence of draws that its number seeds. A unit drawn from the order
 * either begins a piece of its cell, which is then the request, or lies inside of one and is
 * passed over. So the order of requests is random over the whole region, and what a unit
 * leads to never depends on what came before. The cost is the walk through the cell: some
 * CELL_LARGEST / 2 pieces of the mean size a draw, and (mean size / unit) draws a request.
 */
static bool piece_begins(const struct lane_rule *rule, const struct lane *lane, uint64_t unit,
			 struct piece *piece)
{
	uint64_t cell = unit >> rule->cell_shift, at = cell << rule->cell_shift;
	uint64_t end = min_u64(at + (1ULL << rule->cell_shift), lane->units);
	uint64_t state = rule->seed ^ ((cell + 1) * 0xd1342543de82ef95ULL) ^
			 (lane->passes << 48) ^ lane->target;
	enum op op = piece->op;
	uint64_t bytes;

	for (;;) {
		if (rule->mixed_ops)
			op = (rng_splitmix(&state) >> 32) < rule->read_upto ? OP_READ
									    : OP_WRITE;
		bytes = length_draw(&rule->length[op], rng_splitmix(&state));
		if (at == unit)
			break;
		at += units_of(rule, bytes);
		if (at > unit)
			return false;
	}
	if (!rule->unaligned)
		bytes = units_of(rule, bytes) * rule->unit;
	bytes = min_u64(bytes, (end - at) * rule->unit);
	if (piece->op_is_free)
		piece->op = op;
	piece_take(lane, piece, lane->base_bytes + unit * rule->unit, (uint32_t)bytes);
	return true;
}

static bool scatter_map_mixed(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	while (lane->units_left) {
		lane->units_left--;
		if (piece_begins(rule, lane, permute_next(&lane->order), piece))
			return true;
	}
	return false;
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
	lane->units_left = lane->units;
	if (rule->mapped && lane->units)
		permute_init(&lane->order, lane->units,
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
}

uint64_t lane_pass_bytes(const struct lane *lane, const struct lane_rule *rule)
{
	if (rule->zone_bytes || (rule->scatter && !rule->mapped) || rule->skip_bytes)
		return 0;
	return lane->region_bytes / rule->unit * rule->unit;
}

/* --- the rule --- */

/* The directions that occur, and whether they have one size each, and the same. */
static bool lengths_init(struct lane_rule *rule, const struct job_spec *spec, uint32_t *ret_max)
{
	bool one_size = true, same = true;
	uint32_t min = UINT32_MAX, max = 0;
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
		max = length->max > max ? length->max : max;
	}
	rule->unit = min;
	rule->mixed_ops = !same && !spec->rw.trim_then_write;
	*ret_max = max;
	return one_size && same;
}

/* An alignment of its own, a distribution or mixed alignments have no map, as in fio. */
static void scatter_init(struct lane_rule *rule, const struct job_spec *spec, bool one_size)
{
	bool aligned = false;

	for (int op = 0; op < NDATA; op++)
		if (spec->rw.does[op] && spec->ba[op] && spec->ba[op] != rule->length[op].min) {
			rule->unit = aligned ? min_u64(rule->unit, spec->ba[op]) : spec->ba[op];
			aligned = true;
		}
	if (spec->random_distribution.kind != DIST_RANDOM)
		rule->scatter = scatter_spread;
	else if (spec->norandommap || aligned)
		rule->scatter = scatter_free;
	else
		rule->scatter = one_size ? scatter_map_fixed : scatter_map_mixed;
	rule->mapped = rule->scatter == scatter_map_fixed || rule->scatter == scatter_map_mixed;
}

void lane_rule_init(struct lane_rule *rule, const struct job_spec *spec, uint64_t seed)
{
	uint32_t max;
	bool one_size = lengths_init(rule, spec, &max);

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
	rule->unit_recip = UINT64_MAX / rule->unit;
	rule->cell_shift =
		1 + log2_u64(max_u64(CELL_MIN_UNITS, CELL_LARGEST * (max / rule->unit)));
	rule->read_upto = percent_of_32(spec->rwmixread);
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
