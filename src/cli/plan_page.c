/* The page of a plan. A step's cells are a table with a column a value of its first option and a
 * line a value of its second, one table for each combination of the others. */
#include "cli/plan_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/clock.h"
#include "cli/emit.h"
#include "cli/plan_cdm.h"
#include "cli/plan_targets.h"
#include "report/cells_page.h"
#include "report/figures.h"
#include "stat/bucket.h"
#include "stat/pts.h"

#define COLUMNS_MAX (TABLE_COLUMNS_MAX - 1)

static const enum cell_metric plain_metrics[] = {CELL_IOS_PER_S, CELL_BYTES_PER_S, CELL_MEAN_NS,
						 CELL_P99_NS, CELL_MAX_NS};

/* --- one field of a table --- */

/* "68 us 58.2 MB/s 14,500 IOPS" for several figures, else the plain number. */
static void add_field(struct document *doc, const struct plan_figures *figures,
		      enum plan_dir dir, const enum cell_metric *metrics, unsigned count,
		      struct str *out)
{
	for (unsigned i = 0; i < count; i++) {
		double value = figures->value[dir][metrics[i]];

		str_printf(out, "%s%s", i ? " " : "", cells_value(doc, metrics[i], value));
		if (count > 1 && !isnan(value))
			str_printf(out, " %s", cell_metrics[metrics[i]].unit);
	}
}

/* --- which cell stands where --- */

struct grid {
	const struct plan_step *step;
	const struct plan_axis *across, *down; /* NULL: there is none */
	unsigned fixed[PLAN_VALUES_MAX];       /* picks of the other axes */
};

static int cell_at(const struct grid *grid, unsigned column, unsigned line)
{
	for (unsigned c = 0; c < grid->step->ncells; c++) {
		const unsigned char *pick = grid->step->cells[c].pick;
		bool same = (!grid->across || pick[0] == column) &&
			    (!grid->down || pick[1] == line);

		for (unsigned a = 2; a < grid->step->sweep.count && same; a++)
			same = pick[a] == grid->fixed[a];
		if (same)
			return (int)c;
	}
	return -1;
}

/* --- a table --- */

struct matrix {
	struct document *doc;
	const struct plan_lane *lane;
	unsigned number; /* of the step */
	struct grid grid;
	struct plan_figures *figures; /* of each cell */
	bool *known;
	bool has[NPLAN_DIRS];
};

static void load_matrix(struct matrix *m)
{
	for (unsigned c = 0; c < m->grid.step->ncells; c++) {
		m->known[c] = plan_cell_figures(m->lane, m->number, c, &m->figures[c]);
		for (unsigned d = 0; d < PLAN_ALL; d++)
			m->has[d] |=
				m->known[c] && !isnan(m->figures[c].value[d][CELL_IOS_PER_S]);
	}
}

static unsigned directions(const struct matrix *m)
{
	return (unsigned)m->has[PLAN_READ] + m->has[PLAN_WRITE] + m->has[PLAN_TRIM];
}

static const char *dir_word(const struct matrix *m, unsigned d)
{
	return directions(m) > 1 ? plan_dir_names[d] : "";
}

static void add_heads(const struct matrix *m, struct table *table)
{
	const struct plan_axis *across = m->grid.across;

	*table = (struct table){0};
	table->head[table->columns++] =
		m->grid.down ? document_text(m->doc, "%s", m->grid.down->key) : "";
	if (!across)
		table->head[table->columns++] = "";
	for (unsigned i = 0; across && i < across->count; i++)
		table->head[table->columns++] =
			document_text(m->doc, "%s=%s", across->key, across->values[i]);
}

static void add_line(const struct matrix *m, struct table *table, unsigned line, unsigned d,
		     const enum cell_metric *metrics, unsigned count)
{
	const struct plan_axis *down = m->grid.down;

	table_cell(m->doc, table, "%s%s%s", down ? down->values[line] : "",
		   down && *dir_word(m, d) ? " " : "", dir_word(m, d));
	for (unsigned column = 0; column + 1 < table->columns; column++) {
		int c = cell_at(&m->grid, column, line);
		autostr field = {0};

		if (c >= 0 && m->known[c])
			add_field(m->doc, &m->figures[c], (enum plan_dir)d, metrics, count,
				  &field);
		table_cell(m->doc, table, "%s", field.length ? str_text(&field) : "–");
	}
}

static void add_table(const struct matrix *m, const enum cell_metric *metrics, unsigned count,
		      const char *fixed)
{
	unsigned lines = m->grid.down ? m->grid.down->count : 1;
	struct table table;
	autostr title = {0};

	for (unsigned i = 0; i < count; i++)
		str_printf(&title, "%s%s%s%s%s", i ? ", " : "", cell_metrics[metrics[i]].name,
			   *cell_metrics[metrics[i]].unit && count == 1 ? " (" : "",
			   count == 1 ? cell_metrics[metrics[i]].unit : "",
			   *cell_metrics[metrics[i]].unit && count == 1 ? ")" : "");
	document_heading(m->doc, 3, "%s%s%s", str_text(&title), *fixed ? ", " : "", fixed);
	add_heads(m, &table);
	for (unsigned line = 0; line < lines; line++)
		for (unsigned d = 0; d < PLAN_ALL; d++)
			if (m->has[d])
				add_line(m, &table, line, d, metrics, count);
	document_table(m->doc, &table);
}

/* All tables of one choice of the other axes' values. */
static void add_tables(const struct matrix *m)
{
	const struct plan_step *step = m->grid.step;
	autostr fixed = {0};

	for (unsigned a = 2; a < step->sweep.count; a++)
		str_printf(&fixed, "%s%s=%s", a > 2 ? " " : "", step->sweep.axis[a].key,
			   step->sweep.axis[a].values[m->grid.fixed[a]]);
	if (step->nmatrix) {
		add_table(m, step->matrix, step->nmatrix, str_text(&fixed));
		return;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(plain_metrics); i++)
		add_table(m, &plain_metrics[i], 1, str_text(&fixed));
}

static bool next_choice(struct grid *grid)
{
	for (unsigned a = grid->step->sweep.count; a-- > 2;) {
		if (++grid->fixed[a] < grid->step->sweep.axis[a].count)
			return true;
		grid->fixed[a] = 0;
	}
	return false;
}

/* A single cell: a line a direction. */
static void add_single(const struct matrix *m)
{
	static const char *const heads[] = {"",	      "IOPS",	  "MB/s",   "mean us", "p50 us",
					    "p99 us", "p99.9 us", "max us", NULL};
	static const enum cell_metric metrics[] = {
		CELL_IOS_PER_S, CELL_BYTES_PER_S, CELL_MEAN_NS, CELL_P50_NS,
		CELL_P99_NS,	CELL_P999_NS,	  CELL_MAX_NS};
	struct table table;

	table_init(&table, heads);
	for (unsigned d = 0; d < NPLAN_DIRS; d++) {
		if (d == PLAN_ALL ? directions(m) < 2 : !m->has[d])
			continue;
		table_cell(m->doc, &table, "%s", plan_dir_names[d]);
		for (unsigned i = 0; i < ARRAY_SIZE(metrics); i++)
			table_cell(m->doc, &table, "%s",
				   cells_value(m->doc, metrics[i],
					       m->figures[0].value[d][metrics[i]]));
	}
	document_table(m->doc, &table);
}

/* More values than a table has columns: a line a cell. */
static void add_list(const struct matrix *m)
{
	static const char *const heads[] = {"cell",    "",	 "IOPS",   "MB/s",
					    "mean us", "p99 us", "max us", NULL};
	struct table table;

	table_init(&table, heads);
	for (unsigned c = 0; c < m->grid.step->ncells; c++)
		for (unsigned d = 0; d < PLAN_ALL; d++) {
			if (!m->known[c] || isnan(m->figures[c].value[d][CELL_IOS_PER_S]))
				continue;
			table_cell(m->doc, &table, "%s", m->grid.step->cells[c].name);
			table_cell(m->doc, &table, "%s", plan_dir_names[d]);
			for (unsigned i = 0; i < ARRAY_SIZE(plain_metrics); i++)
				table_cell(
					m->doc, &table, "%s",
					cells_value(m->doc, plain_metrics[i],
						    m->figures[c].value[d][plain_metrics[i]]));
		}
	document_table(m->doc, &table);
}

static void add_matrix(struct document *doc, const struct plan_lane *lane, unsigned number)
{
	const struct plan_step *step = &lane->plan->steps[number];
	struct matrix *m = calloc(1, sizeof(*m));

	assert(m);
	m->doc = doc;
	m->lane = lane;
	m->number = number;
	m->grid.step = step;
	m->grid.across = step->sweep.count > 0 ? &step->sweep.axis[0] : NULL;
	m->grid.down = step->sweep.count > 1 ? &step->sweep.axis[1] : NULL;
	m->figures = arena_array(&doc->arena, struct plan_figures, step->ncells);
	m->known = arena_array(&doc->arena, bool, step->ncells);
	load_matrix(m);
	if (!directions(m)) {
		free(m);
		return;
	}
	if (step->ncells == 1 && !step->sweep.count) {
		add_single(m);
	} else if (m->grid.across->count > COLUMNS_MAX) {
		add_list(m);
	} else {
		do
			add_tables(m);
		while (next_choice(&m->grid));
	}
	free(m);
}

/* --- rounds and searches --- */

/* The window as SNIA's reports have it: what was measured beside what the rule allows, the fit over
 * the rounds (from 1), and the lines at 90 and 110 % of the average. */
static void add_windows(struct document *doc, const struct plan_lane *lane, unsigned number,
			const struct plan_steady *steady)
{
	static const char *const heads[] = {"steady window", "average", "max - min", "allowed",
					    "slope",	     "allowed", "90 %",	     "110 %",
					    "fit",	     NULL};
	const struct plan_step *step = &lane->plan->steps[number];
	struct table table;

	table_init(&table, heads);
	for (unsigned v = 0; v < step->until.count; v++) {
		enum cell_metric metric = step->until.variable[v].metric;
		const struct plan_proof *proof = &steady->proof[v];
		double share = proof->mean / 100;
		double middle = steady->first_round + 1 + (steady->nwindow - 1) / 2.0;
		double slope = proof->slope / step->until.stride; /* a round */
		const double columns[] = {proof->mean,
					  proof->range_percent * share,
					  step->until.range_percent * share,
					  proof->slope_percent * share,
					  step->until.slope_percent * share,
					  90 * share,
					  110 * share};

		table_cell(doc, &table, "%s", step->until.variable[v].text);
		for (unsigned i = 0; i < ARRAY_SIZE(columns); i++)
			table_cell(doc, &table, "%s", cells_value(doc, metric, columns[i]));
		table_cell(doc, &table, "%s%s R + %s", slope < 0 ? "-" : "",
			   cells_value(doc, metric, fabs(slope)),
			   cells_value(doc, metric, proof->mean - slope * middle));
	}
	document_table(doc, &table);
}

/* How the drive got from new to steady. */
static void add_saturation(struct document *doc, const struct plan_lane *lane, unsigned number,
			   unsigned rounds)
{
	const struct plan_step *step = &lane->plan->steps[number];
	double *values = arena_array(&doc->arena, double, rounds);
	double *bytes = arena_array(&doc->arena, double, rounds);
	const struct pts_samples samples = {
		.per_s = values, .bytes = bytes, .count = rounds, .stride = step->until.stride};
	enum cell_metric metric = step->until.variable[0].metric;
	const struct plan_entry *entry;
	struct pts_saturation found;
	unsigned from = 0;

	(void)plan_rounds_series(lane, number, step->repeat - 1, 0, values, rounds);
	while ((entry = plan_entry_next(lane, number, &from)))
		if (entry->task.pass == step->repeat - 1 && entry->task.round < rounds)
			bytes[entry->task.round] += (double)entry->written_bytes;
	pts_saturation(&samples, &found);
	if (found.has_plateau)
		document_prose(doc, TONE_PLAIN,
			       "As new: %s %s for %u rounds, until %s were written. Level: %s, "
			       "%.1f %% of that, from round %u on, after %s.",
			       cells_value(doc, metric, found.plateau),
			       cell_metrics[metric].name, found.plateau_end,
			       figure_decimal(doc, (uint64_t)found.plateau_bytes),
			       cells_value(doc, metric, found.level),
			       100 * found.level / found.plateau, found.window.first + 1,
			       figure_decimal(doc, (uint64_t)found.steady_bytes));
	else
		document_prose(doc, TONE_PLAIN,
			       "No level of a new drive was seen before its steady one.");
}

static void add_rounds(struct document *doc, const struct plan_lane *lane, unsigned number)
{
	const struct plan_step *step = &lane->plan->steps[number];
	struct plan_steady *steady = calloc(1, sizeof(*steady));
	unsigned last_pass = step->repeat - 1;

	assert(steady);
	plan_steady(lane, number, last_pass, steady);
	if (steady->rounds && steady->attained)
		document_prose(doc, TONE_PLAIN,
			       "Steady in round %u: the figures are those of rounds %u to %u.",
			       steady->rounds, steady->first_round + 1, steady->rounds);
	else if (steady->rounds)
		document_prose(doc, TONE_WARNING,
			       "not steady after %u rounds: the figures are those of rounds %u "
			       "to %u",
			       steady->rounds, steady->first_round + 1, steady->rounds);
	if (steady->nwindow > 1)
		add_windows(doc, lane, number, steady);
	for (unsigned v = 0; steady->rounds && v < step->until.count; v++) {
		double *values = arena_array(&doc->arena, double, steady->rounds);
		const struct plan_rounds_view view = {
			.id = document_text(doc, "rounds-%u-%u-%u-%u", lane->target,
					    lane->repetition, number, v),
			.title = document_text(doc, "%s: %s by round", step->name,
					       step->until.variable[v].text),
			.name = step->until.variable[v].text,
			.steady = steady,
			.variable = v,
			.values = values};

		(void)plan_rounds_series(lane, number, last_pass, v, values, steady->rounds);
		plan_rounds_graph(doc, &view);
	}
	if (steady->rounds && step->until.stride > 1)
		add_saturation(doc, lane, number, steady->rounds);
	free(steady);
}

static void add_found(struct document *doc, const struct plan_lane *lane, unsigned number)
{
	static const char *const loads[] = {[PLAN_BY_RATE] = "load %",
					    [PLAN_BY_IODEPTH] = "iodepth",
					    [PLAN_BY_NUMJOBS] = "numjobs"};
	const struct plan_find *find = &lane->plan->steps[number].find;
	const char *heads[] = {loads[find->by], "IOPS", "mean us", "p99 us", "", NULL};
	struct plan_found *found = calloc(1, sizeof(*found));
	struct table table;

	assert(found);
	plan_found(lane, number, found);
	table_init(&table, heads);
	for (unsigned i = 0; i < found->count; i++) {
		const struct plan_point *point = &found->point[i];

		table_cell(doc, &table, "%s", figure_plain(doc, point->load));
		table_cell(doc, &table, "%s",
			   cells_value(doc, CELL_IOS_PER_S, point->ios_per_s));
		table_cell(doc, &table, "%s", cells_value(doc, CELL_MEAN_NS, point->mean_ns));
		table_cell(doc, &table, "%s", cells_value(doc, CELL_P99_NS, point->p99_ns));
		table_cell(doc, &table, "%s%s%s", point->holds ? "holds" : "",
			   (int)i == found->best ? ", best" : "",
			   (int)i == found->knee ? ", knee" : "");
	}
	document_table(doc, &table);
	if (found->count && found->best >= 0)
		document_prose(
			doc, TONE_PLAIN, "%s holds up to %s: %s IOPS.", find->check,
			document_text(doc, "%s %s", loads[find->by],
				      figure_plain(doc, found->point[found->best].load)),
			cells_value(doc, CELL_IOS_PER_S, found->point[found->best].ios_per_s));
	else if (found->count)
		document_prose(doc, TONE_WARNING, "%s holds at none of these loads",
			       find->check);
	free(found);
}

/* Where a sweep of block sizes met a limit of requests and one of bytes: a throttle, or a link. */
static void add_corner(struct document *doc, const struct plan_lane *lane, unsigned number)
{
	const struct plan_step *step = &lane->plan->steps[number];
	struct corner_point *points =
		arena_array(&doc->arena, struct corner_point, step->ncells);
	struct corner corner;
	unsigned count = 0;

	if (step->sweep.count != 1 || !str_equal(step->sweep.axis[0].key, "bs"))
		return;
	for (unsigned c = 0; c < step->ncells; c++) {
		struct plan_figures figures;
		const double *value = figures.value[PLAN_ALL];

		if (!plan_cell_figures(lane, number, c, &figures) ||
		    !(value[CELL_IOS_PER_S] > 0))
			continue;
		points[count++] = (struct corner_point){.block_bytes = value[CELL_BYTES_PER_S] /
								       value[CELL_IOS_PER_S],
							.ios_per_s = value[CELL_IOS_PER_S]};
	}
	corner_of(points, count, &corner);
	if (corner.has_both)
		document_prose(doc, TONE_PLAIN,
			       "Two limits: %s IOPS for small blocks, %s MB/s for large ones; "
			       "they meet at %.1f KiB.",
			       cells_value(doc, CELL_IOS_PER_S, corner.ios_per_s),
			       cells_value(doc, CELL_BYTES_PER_S, corner.bytes_per_s),
			       corner.block_bytes / KiB);
}

/* --- a step --- */

static void add_notes(struct document *doc, const struct plan_lane *lane, unsigned number)
{
	const struct plan_step *step = &lane->plan->steps[number];
	const struct plan_entry *entry;
	const char *said = "";
	unsigned from = 0, moved = 0;

	while ((entry = plan_entry_next(lane, number, &from))) {
		const char *name = step->cells[entry->task.cell].name;

		/* What holds for all cells is said of the first. */
		if (entry->note && !str_equal(entry->note, said)) {
			said = entry->note;
			document_prose(doc, TONE_INFO, "%s%s%s", name, *name ? ": " : "", said);
		}
		if (entry->state == PLAN_ERRORS)
			document_prose(
				doc, TONE_WARNING,
				"%s ended with errors: its figures are those of the rest "
				"(assay results show r%" PRId64 ")",
				*name ? name : step->name, entry->run);
		moved += entry->moved_percent > 20;
	}
	if (moved && step->kind != PLAN_FILL && step->kind != PLAN_PRECONDITION)
		document_prose(doc, TONE_WARNING,
			       "%u cell%s did not stand still: the IOPS of five parts of the "
			       "time lie more than 20 %% of their mean apart, so the drive was "
			       "not in a steady state",
			       moved, moved > 1 ? "s" : "");
}

static void add_step(struct document *doc, const struct plan_lane *lane, unsigned number)
{
	const struct plan_step *step = &lane->plan->steps[number];
	unsigned from = 0;

	if (!plan_entry_next(lane, number, &from))
		return;
	document_heading(doc, 2, "%s", step->name);
	if (step->about)
		document_prose(doc, TONE_PLAIN, "%s", step->about);
	if (step->repeat > 1 && step->kind != PLAN_ROUNDS)
		document_prose(doc, TONE_PLAIN, "Of %u repetitions%s: the %s.",
			       step->repeat - step->discard,
			       step->discard ? document_text(doc, " (%u more were not counted)",
							     step->discard)
					     : "",
			       plan_aggregate_names[step->aggregate]);
	if (step->kind == PLAN_ROUNDS)
		add_rounds(doc, lane, number);
	if (step->kind == PLAN_FIND)
		add_found(doc, lane, number);
	else if (plan_step_loads(step))
		add_matrix(doc, lane, number);
	add_corner(doc, lane, number);
	add_notes(doc, lane, number);
}

/* --- the whole --- */

static void add_verdicts(struct document *doc, const struct plan_view *view)
{
	static const char *const heads[] = {"step", "cell", "verdict", "check", NULL};
	const struct plan_record *record = view->record;
	struct table table;

	if (!record->nverdicts)
		return;
	document_heading(doc, 2, "verdicts");
	table_init(&table, heads);
	for (unsigned i = 0; i < record->nverdicts; i++) {
		const struct plan_verdict_row *row = &record->verdicts[i];

		table_cell(doc, &table, "%s", row->step_name);
		table_cell(doc, &table, "%s", row->cell_name);
		table_cell(doc, &table, "%s", row->outcome);
		table_cell(doc, &table, "%s", row->text);
	}
	document_table(doc, &table);
}

static bool is_simulated(const struct plan_record *record)
{
	return record->ntargets && str_starts(record->targets[0].path, "sim:");
}

static void add_facts(struct document *doc, const struct plan_view *view)
{
	const struct plan_record *record = view->record;
	uint64_t written = 0;
	autostr targets = {0}, settings = {0};

	for (const char *at = record->settings ? record->settings : ""; *at; at++)
		str_add_char(&settings, *at == '\n' ? ' ' : *at); /* one a line */

	for (unsigned i = 0; i < view->journal->count; i++)
		written += view->journal->entries[i].written_bytes;
	for (unsigned i = 0; i < record->ntargets; i++) {
		const struct plan_target *target = &record->targets[i];

		str_printf(&targets, "%s%s", i ? ", " : "", target->path);
		if (*target->model)
			str_printf(&targets, " (%s, %s, firmware %s)", target->model,
				   target->serial, target->firmware);
	}
	document_facts(
		doc,
		(const struct fact[]){
			{"plan", document_text(doc, "%s", record->name)},
			{"target", document_text(doc, "%s", str_text(&targets))},
			{"together", record->parallel ? "all targets at once" : NULL},
			{"settings", settings.length
					     ? document_text(doc, "%s", str_text(&settings))
					     : NULL},
			{"scale", record->scale > 1
					  ? document_text(doc, "1/%u of times and capacity",
							  record->scale)
					  : NULL},
			{"started", figure_when(doc, record->started_unix_ns)},
			{"state", document_text(doc, "%s", record->state)},
			{"written", figure_decimal(doc, written)},
		},
		8);
}

void plan_page(struct document *doc, const struct plan_view *view)
{
	const struct plan_record *record = view->record;

	document_heading(doc, 1, "%s%s%s", is_simulated(record) ? "simulated: " : "",
			 record->title ? record->title : record->name,
			 record->scale > 1 ? document_text(doc, ", scale 1/%u", record->scale)
					   : "");
	add_facts(doc, view);
	for (unsigned r = 0; r < record->repetitions; r++)
		for (unsigned t = 0; t < record->ntargets; t++) {
			const struct plan_lane lane = {.plan = view->plan,
						       .journal = view->journal,
						       .spec = view->spec,
						       .target = t,
						       .repetition = r};

			if (record->ntargets > 1 || record->repetitions > 1)
				document_heading(doc, 1, "%s, repetition %u",
						 record->targets[t].path, r + 1);
			for (unsigned s = 0; s < view->plan->nsteps; s++)
				add_step(doc, &lane, s);
		}
	plan_targets_tables(doc, view);
	add_verdicts(doc, view);
	if (record->id)
		document_prose(doc, TONE_PLAIN,
			       "kept as p%" PRId64 ": `assay results show p%" PRId64
			       "` shows it again",
			       record->id, record->id);
}

int plan_emit(const struct plan_view *view, enum native_format format, const char *path,
	      struct err *err)
{
	struct document doc;
	autostr out = {0};
	int rc;

	if (format == NATIVE_CDM) {
		rc = plan_cdm(view, &out, err);
		if (rc)
			return rc;
	} else if (format == NATIVE_JSON) {
		plan_page_json(view, &out);
	} else if (format == NATIVE_CSV) {
		plan_page_csv(view, &out);
	} else {
		native_begin_page(&doc, &out, format, path);
		plan_page(&doc, view);
		document_done(&doc);
	}
	return emit_text(path, &out, err);
}
