#include "result/lineup.h"

#include <math.h>
#include <string.h>

void lineup_init(struct lineup *lineup, struct arena *arena, unsigned nsides)
{
	*lineup = (struct lineup){.arena = arena, .nsides = nsides};
	lineup->names = arena_array(arena, const char *, nsides);
	lineup->first = arena_array(arena, const struct record *, nsides);
	lineup->incomplete = arena_array(arena, const char *, nsides);
	lineup->nrecords = arena_array(arena, unsigned, nsides);
	lineup->pairs = arena_new(arena, struct lineup_pair *);
}

/* The same load, or the same name where no load is told. */
static struct lineup_cell *cell_of(struct lineup *lineup, const struct record_cell *cell)
{
	const char *key = record_cell_key(lineup->arena, cell);
	struct lineup_cell *found;

	for (unsigned i = 0; i < lineup->ncells; i++)
		if (str_equal(lineup->cells[i].key, key) &&
		    lineup->cells[i].like.dir == cell->dir)
			return &lineup->cells[i];
	if (lineup->ncells == lineup->room) {
		unsigned room = lineup->room ? 2 * lineup->room : 64;
		struct lineup_cell *cells =
			arena_array(lineup->arena, struct lineup_cell, room);

		if (lineup->ncells)
			memcpy(cells, lineup->cells, lineup->ncells * sizeof(*cells));
		lineup->cells = cells;
		lineup->room = room;
	}
	found = &lineup->cells[lineup->ncells++];
	*found = (struct lineup_cell){.key = key, .like = *cell};
	found->side = arena_array(lineup->arena, struct lineup_values,
				  (size_t)lineup->nsides * NCELL_METRIC);
	found->printed = arena_array(lineup->arena, const char *, lineup->nsides);
	found->repeats = arena_array(lineup->arena, unsigned, lineup->nsides);
	found->run = arena_array(lineup->arena, const struct result *, lineup->nsides);
	return found;
}

static void add_value(struct lineup *lineup, struct lineup_values *values, double value)
{
	if (values->count == values->room) {
		unsigned room = values->room ? 2 * values->room : 8;
		double *wider = arena_array(lineup->arena, double, room);

		if (values->count)
			memcpy(wider, values->value, values->count * sizeof(*wider));
		values->value = wider;
		values->room = room;
	}
	values->value[values->count++] = value;
}

/* The result whose series is this cell's: of a part with one group. */
static const struct result *whole_run(const struct record *record,
				      const struct record_cell *cell)
{
	for (unsigned i = 0; i < record->ncells; i++) {
		if (record->cells[i].part == cell->part &&
		    record->cells[i].group != cell->group)
			return NULL;
	}
	return cell->part < 0 ? NULL : record->parts[cell->part].result;
}

void lineup_add(struct lineup *lineup, unsigned side, const char *name,
		struct record *const *records, unsigned count)
{
	lineup->names[side] = name;
	lineup->nrecords[side] = count;
	lineup->first[side] = count ? records[0] : NULL;
	for (unsigned r = 0; r < count; r++) {
		if (records[r]->incomplete)
			lineup->incomplete[side] = records[r]->incomplete;
		for (unsigned i = 0; i < records[r]->ncells; i++) {
			const struct record_cell *from = &records[r]->cells[i];
			struct lineup_cell *cell = cell_of(lineup, from);

			cell->printed[side] = from->printed;
			cell->run[side] =
				cell->repeats[side]++ ? NULL : whole_run(records[r], from);
			for (unsigned m = 0; m < NCELL_METRIC; m++)
				if (!isnan(from->value[m]))
					add_value(lineup, &cell->side[side * NCELL_METRIC + m],
						  from->value[m]);
		}
	}
}

bool lineup_has(const struct lineup_cell *cell, unsigned side)
{
	for (unsigned m = 0; m < NCELL_METRIC; m++)
		if (cell->side[side * NCELL_METRIC + m].count)
			return true;
	return false;
}

const struct lineup_values *lineup_values(const struct lineup *lineup,
					  const struct lineup_cell *cell, unsigned side,
					  enum cell_metric metric)
{
	(void)lineup;
	return &cell->side[side * NCELL_METRIC + metric];
}

double lineup_value(const struct lineup *lineup, const struct lineup_cell *cell, unsigned side,
		    enum cell_metric metric)
{
	const struct lineup_values *values = lineup_values(lineup, cell, side, metric);
	double logs = 0;

	if (!values->count)
		return (double)NAN;
	if (values->count == 1)
		return values->value[0];
	for (unsigned i = 0; i < values->count; i++) {
		if (!(values->value[i] > 0))
			return 0;
		logs += log(values->value[i]) / values->count;
	}
	return exp(logs);
}

struct ratio lineup_ratio(const struct lineup *lineup, const struct lineup_cell *cell,
			  unsigned a, unsigned b, enum cell_metric metric)
{
	const struct lineup_values *one = lineup_values(lineup, cell, a, metric);
	const struct lineup_values *other = lineup_values(lineup, cell, b, metric);

	return ratio_of(one->value, one->count, other->value, other->count);
}

/* Does `other` belong to the same mixed load: the same cell in the other direction? */
static bool is_other_half(const struct lineup_cell *cell, const struct lineup_cell *other)
{
	const struct record_cell *a = &cell->like, *b = &other->like;

	return a->dir != b->dir && a->bs_bytes == b->bs_bytes && a->depth == b->depth &&
	       a->jobs == b->jobs && a->read_percent == b->read_percent &&
	       str_equal(a->load, b->load);
}

double lineup_little(const struct lineup *lineup, const struct lineup_cell *cell, unsigned side)
{
	double in_flight = lineup_value(lineup, cell, side, CELL_IOS_PER_S) *
			   lineup_value(lineup, cell, side, CELL_MEAN_NS) / 1e9;
	bool mixed = cell->like.read_percent > 0 && cell->like.read_percent < 100,
	     whole = !mixed;

	for (unsigned i = 0; i < lineup->ncells && mixed; i++) {
		const struct lineup_cell *other = &lineup->cells[i];

		if (!is_other_half(cell, other))
			continue;
		in_flight += lineup_value(lineup, other, side, CELL_IOS_PER_S) *
			     lineup_value(lineup, other, side, CELL_MEAN_NS) / 1e9;
		whole = true;
	}
	if (!whole || !cell->like.jobs || !cell->like.depth)
		return (double)NAN;
	return in_flight / ((double)cell->like.jobs * cell->like.depth);
}

double lineup_size_ratio(const struct lineup *lineup, const struct lineup_cell *cell,
			 unsigned side)
{
	double bytes = lineup_value(lineup, cell, side, CELL_BYTES_PER_S);

	if (!cell->like.bs_bytes || !(bytes > 0))
		return (double)NAN;
	return lineup_value(lineup, cell, side, CELL_IOS_PER_S) * (double)cell->like.bs_bytes /
	       bytes;
}
