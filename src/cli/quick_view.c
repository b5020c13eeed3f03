#include "cli/quick_view.h"

const char *const quick_load_names[NQUICK_LOADS] = {"read", "write", "mix"};

static struct quick_cell *cell_of(struct quick_view *quick, const char *name)
{
	struct quick_cell *cell;

	for (unsigned i = 0; i < quick->page.ncells; i++)
		if (str_equal(quick->cells[i].name, name))
			return &quick->cells[i];
	cell = &quick->cells[quick->page.ncells++];
	cell->name = name;
	return cell;
}

static int load_of(const char *name)
{
	for (int load = 0; load < NQUICK_LOADS; load++)
		if (str_equal(quick_load_names[load], name))
			return load;
	return -1;
}

/* Of a command that was stopped some cells may have run once more than others: what all have is
 * shown. */
static unsigned whole_repetitions(struct quick_view *quick, unsigned most)
{
	for (unsigned i = 0; i < quick->page.ncells; i++) {
		for (unsigned load = 0; load < NQUICK_LOADS; load++) {
			struct result **runs = quick->cells[i].runs[load];
			unsigned done = 0;

			if (runs && !runs[0])
				runs = NULL; /* an import without its first one */
			quick->cells[i].runs[load] = runs;
			while (runs && done < most && runs[done])
				done++;
			most = runs ? done : most;
		}
	}
	return most;
}

void quick_view_init(struct quick_view *quick, struct record *record)
{
	struct arena *arena = &record->arena;
	unsigned room = 0;

	*quick = (struct quick_view){
		.cells = arena_array(arena, struct quick_cell, record->nparts + 1)};
	quick->page = (struct quick){.cells = quick->cells,
				     .mix_read_percent = 70,
				     .written_bytes = record->written_bytes,
				     .incomplete = record->incomplete};
	for (unsigned i = 0; i < record->nparts; i++)
		room = record->parts[i].repeat >= room ? record->parts[i].repeat + 1 : room;
	for (unsigned i = 0; i < record->nparts; i++) {
		const struct record_part *part = &record->parts[i];
		int load = load_of(part->load);
		struct quick_cell *cell = cell_of(quick, part->name);

		if (load < 0)
			continue;
		if (!cell->runs[load])
			cell->runs[load] = arena_array(arena, struct result *, room);
		cell->runs[load][part->repeat] = part->result;
		if (!part->set->njobs)
			continue;
		quick->page.time_ns = part->set->jobs[0]->runtime;
		quick->page.ramp_ns = part->set->jobs[0]->ramp_time;
		if (load == QUICK_MIX)
			quick->page.mix_read_percent = part->set->jobs[0]->rwmixread;
	}
	quick->page.nruns = whole_repetitions(quick, room);
}

void quick_view_done(struct quick_view *quick)
{
	*quick = (struct quick_view){0}; /* the memory is the record's */
}
