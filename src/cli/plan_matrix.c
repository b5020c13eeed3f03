/* A step's cells as tables: a column a value of its first option and a line a value of its second,
 * one table for each combination of the others; the same as curves. Where cells read and write,
 * both together come first, and then each. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/plan_page_priv.h"
#include "report/cells_page.h"
#include "report/figures.h"
#include "stat/hist.h"

#define COLUMNS_MAX  (TABLE_COLUMNS_MAX - 1)
#define HEAT_FROM    4 /* cells of a table from which on it is coloured */
#define FIVE_NINES   99.999
#define FIVE_NINES_M NCELL_METRIC /* beside the figures that are kept: out of the histograms */

static const enum cell_metric plain_metrics[] = {CELL_IOS_PER_S, CELL_BYTES_PER_S, CELL_MEAN_NS,
						 CELL_P99_NS, CELL_MAX_NS};

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
	double *five_nines;	      /* of each cell, all directions; NAN: too few requests */
	bool *known;
	bool *left; /* the steady state that rounds before had reached */
	bool has[NPLAN_DIRS];
	bool has_five_nines, curves;
	uint64_t least_ios, most_ios; /* of a cell */
};

static double five_nines_of(const struct matrix *m, unsigned cell, struct hist *hist)
{
	const struct plan_step *step = m->grid.step;

	/* Of repetitions the figures are medians or means, which a merged histogram is not. */
	if (!m->known[cell] || (step->kind != PLAN_ROUNDS && step->repeat > 1))
		return (double)NAN;
	*hist = (struct hist){0};
	plan_cell_hist(m->lane, m->number, cell, PLAN_ALL, hist);
	return hist_percentile_is_sound(hist_total(hist), FIVE_NINES)
		       ? fmin((double)hist_percentile_ns(hist, FIVE_NINES),
			      m->figures[cell].value[PLAN_ALL][CELL_MAX_NS])
		       : (double)NAN;
}

static void load_left(struct matrix *m)
{
	const struct plan_entry *entry;
	struct plan_departure gone;
	unsigned from = 0;

	while ((entry = plan_entry_next(m->lane, m->number, &from)))
		m->left[entry->task.cell] |= plan_departure(m->lane, entry, &gone) && gone.left;
}

/* Of figures that are not of the steady state that came before. */
static const char *mark(const struct matrix *m, unsigned cell)
{
	return m->left[cell] ? " *" : "";
}

static void load_matrix(struct matrix *m)
{
	struct hist *hist = arena_new(&m->doc->arena, struct hist);

	load_left(m);
	m->least_ios = UINT64_MAX;
	for (unsigned c = 0; c < m->grid.step->ncells; c++) {
		m->known[c] = plan_cell_figures(m->lane, m->number, c, &m->figures[c]);
		m->five_nines[c] = five_nines_of(m, c, hist);
		m->has_five_nines |= !isnan(m->five_nines[c]);
		for (unsigned d = 0; d < PLAN_ALL; d++)
			m->has[d] |=
				m->known[c] && !isnan(m->figures[c].value[d][CELL_IOS_PER_S]);
		if (!m->known[c])
			continue;
		m->least_ios = min_u64(m->least_ios, m->figures[c].ios[PLAN_ALL]);
		m->most_ios = max_u64(m->most_ios, m->figures[c].ios[PLAN_ALL]);
	}
}

static unsigned directions(const struct matrix *m)
{
	return (unsigned)m->has[PLAN_READ] + m->has[PLAN_WRITE] + m->has[PLAN_TRIM];
}

static double value_at(const struct matrix *m, int cell, unsigned d, enum cell_metric metric)
{
	if (cell < 0 || !m->known[cell])
		return (double)NAN;
	return metric == FIVE_NINES_M ? m->five_nines[cell] : m->figures[cell].value[d][metric];
}

static const struct cell_metric_facts *facts_of(enum cell_metric metric)
{
	static const struct cell_metric_facts five_nines = {"p99.999", "",   "us",
							    1e-3,      true, FIVE_NINES};

	return metric == FIVE_NINES_M ? &five_nines : &cell_metrics[metric];
}

static const char *value_text(struct document *doc, enum cell_metric metric, double value)
{
	return cells_value(doc, metric == FIVE_NINES_M ? CELL_MAX_NS : metric, value);
}

/* What the fields of a table hold. */
struct fields {
	const enum cell_metric *metrics;
	unsigned count;
	bool together;	  /* all directions as one, else a line each */
	double low, high; /* of all values; high 0: the table is not coloured */
};

/* "68 us 58.2 MB/s 14,500 IOPS" for several figures, else the plain number. */
static void add_field(const struct matrix *m, int cell, unsigned d, const struct fields *fields,
		      struct table *table)
{
	autostr text = {0};
	double value = (double)NAN;

	for (unsigned i = 0; i < fields->count && cell >= 0 && m->known[cell]; i++) {
		value = value_at(m, cell, d, fields->metrics[i]);
		str_printf(&text, "%s%s", i ? " " : "",
			   value_text(m->doc, fields->metrics[i], value));
		if (fields->count > 1 && !isnan(value))
			str_printf(&text, " %s", facts_of(fields->metrics[i])->unit);
	}
	if (text.length)
		str_add(&text, mark(m, (unsigned)cell));
	table_cell(m->doc, table, "%s", text.length ? str_text(&text) : "–");
	if (fields->high > 0 && value > 0)
		table_heat(m->doc, table,
			   log(value / fields->low) / log(fields->high / fields->low));
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
		     const struct fields *fields)
{
	const struct plan_axis *down = m->grid.down;
	const char *dir = d == PLAN_ALL || directions(m) < 2 ? "" : plan_dir_names[d];

	table_cell(m->doc, table, "%s%s%s", down ? down->values[line] : "",
		   down && *dir ? " " : "", dir);
	for (unsigned column = 0; column + 1 < table->columns; column++)
		add_field(m, cell_at(&m->grid, column, line), d, fields, table);
}

/* From the least to the greatest value of the table, on a logarithmic scale. */
static void set_heat(const struct matrix *m, unsigned lines, struct fields *fields)
{
	unsigned columns = m->grid.across ? m->grid.across->count : 1, count = 0;
	double low = 0, high = 0;

	for (unsigned i = 0; i < columns * lines && fields->count == 1; i++) {
		int cell = cell_at(&m->grid, i % columns, i / columns);

		for (unsigned d = 0; d < NPLAN_DIRS; d++) {
			double value = value_at(m, cell, d, fields->metrics[0]);

			if (fields->together != (d == PLAN_ALL) || !(value > 0))
				continue;
			low = count ? fmin(low, value) : value;
			high = fmax(high, value);
			count++;
		}
	}
	fields->low = low;
	fields->high = count >= HEAT_FROM && high > low ? high : 0;
}

static void add_table(const struct matrix *m, struct fields *fields, const char *fixed)
{
	unsigned lines = m->grid.down ? m->grid.down->count : 1;
	struct table table;
	autostr title = {0};

	for (unsigned i = 0; i < fields->count; i++) {
		const struct cell_metric_facts *facts = facts_of(fields->metrics[i]);
		bool unit = *facts->unit && fields->count == 1;

		str_printf(&title, "%s%s%s%s%s", i ? ", " : "", facts->name, unit ? " (" : "",
			   unit ? facts->unit : "", unit ? ")" : "");
	}
	document_heading(m->doc, 3, "%s%s%s%s", str_text(&title),
			 fields->together && directions(m) > 1
				 ? document_text(m->doc, ", all directions together")
				 : "",
			 *fixed ? ", " : "", fixed);
	add_heads(m, &table);
	set_heat(m, lines, fields);
	for (unsigned line = 0; line < lines; line++) {
		if (fields->together)
			add_line(m, &table, line, PLAN_ALL, fields);
		for (unsigned d = 0; d < PLAN_ALL && !fields->together; d++)
			if (m->has[d])
				add_line(m, &table, line, d, fields);
	}
	document_table(m->doc, &table);
}

/* --- curves --- */

static void add_curves(const struct matrix *m, enum cell_metric metric, unsigned choice,
		       const char *fixed)
{
	const struct plan_axis *across = m->grid.across, *down = m->grid.down;
	const struct plan_axis *x = down ? down : across, *line = down ? across : NULL;
	unsigned lines = line ? line->count : 1;
	double *values = arena_array(&m->doc->arena, double, (size_t)lines * x->count);
	const struct plan_curves curves = {
		.id = document_text(m->doc, "%s-%s-%u",
				    plan_step_id(m->doc, m->lane, m->number),
				    cell_metrics[metric].column, choice),
		.title = document_text(m->doc, "%s: %s by %s%s%s", m->grid.step->name,
				       cell_metrics[metric].name, x->key, *fixed ? ", " : "",
				       fixed),
		.metric = metric,
		.x = x,
		.line = line,
		.name = m->grid.step->name,
		.values = values};

	for (unsigned l = 0; l < lines; l++)
		for (unsigned i = 0; i < x->count; i++)
			values[l * x->count + i] = value_at(
				m, down ? cell_at(&m->grid, l, i) : cell_at(&m->grid, i, 0),
				PLAN_ALL, metric);
	plan_curves_graph(m->doc, &curves);
}

/* --- all of one choice of the other axes' values --- */

static void add_choice(const struct matrix *m, unsigned choice)
{
	static const enum cell_metric drawn[] = {CELL_IOS_PER_S, CELL_BYTES_PER_S, CELL_MEAN_NS,
						 CELL_MAX_NS};
	static const enum cell_metric five_nines = FIVE_NINES_M;
	const struct plan_step *step = m->grid.step;
	struct fields fields = {.metrics = step->matrix, .count = step->nmatrix};
	autostr fixed = {0};

	for (unsigned a = 2; a < step->sweep.count; a++)
		str_printf(&fixed, "%s%s=%s", a > 2 ? " " : "", step->sweep.axis[a].key,
			   step->sweep.axis[a].values[m->grid.fixed[a]]);
	if (step->nmatrix)
		add_table(m, &fields, str_text(&fixed));
	for (unsigned i = 0; i < ARRAY_SIZE(plain_metrics) && !step->nmatrix; i++) {
		fields = (struct fields){
			.metrics = &plain_metrics[i], .count = 1, .together = true};
		add_table(m, &fields, str_text(&fixed));
		fields.together = false;
		if (directions(m) > 1)
			add_table(m, &fields, str_text(&fixed));
	}
	fields = (struct fields){.metrics = &five_nines, .count = 1, .together = true};
	if (m->has_five_nines && !step->nmatrix)
		add_table(m, &fields, str_text(&fixed));
	for (unsigned i = 0; i < ARRAY_SIZE(drawn) && m->grid.across && m->curves; i++)
		add_curves(m, drawn[i], choice, str_text(&fixed));
}

/* What the percentiles rest on. */
static void add_requests(const struct matrix *m)
{
	if (!m->most_ios)
		return;
	document_prose(m->doc, TONE_PLAIN,
		       "Percentiles rest on %s to %s requests a cell; one is told from ten "
		       "requests beyond it on (p99: 1,000, p99.999: 1,000,000).",
		       figure_count(m->doc, m->least_ios), figure_count(m->doc, m->most_ios));
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
	static const char *const heads[] = {"",		"IOPS",	  "MB/s",     "mean us",
					    "p50 us",	"p99 us", "p99.9 us", "max us",
					    "requests", NULL};
	static const enum cell_metric metrics[] = {
		CELL_IOS_PER_S, CELL_BYTES_PER_S, CELL_MEAN_NS, CELL_P50_NS,
		CELL_P99_NS,	CELL_P999_NS,	  CELL_MAX_NS};
	struct table table;

	table_init(&table, heads);
	for (unsigned d = 0; d < NPLAN_DIRS; d++) {
		if (d == PLAN_ALL ? directions(m) < 2 : !m->has[d])
			continue;
		table_cell(m->doc, &table, "%s%s", plan_dir_names[d], mark(m, 0));
		for (unsigned i = 0; i < ARRAY_SIZE(metrics); i++)
			table_cell(m->doc, &table, "%s",
				   cells_value(m->doc, metrics[i],
					       m->figures[0].value[d][metrics[i]]));
		table_cell(m->doc, &table, "%s", figure_count(m->doc, m->figures[0].ios[d]));
	}
	document_table(m->doc, &table);
}

/* More values than a table has columns: a line a cell. */
static void add_list(const struct matrix *m)
{
	static const char *const heads[] = {"cell",   "",	"IOPS",	    "MB/s", "mean us",
					    "p99 us", "max us", "requests", NULL};
	struct table table;

	table_init(&table, heads);
	for (unsigned c = 0; c < m->grid.step->ncells; c++)
		for (unsigned d = 0; d < PLAN_ALL; d++) {
			if (!m->known[c] || isnan(m->figures[c].value[d][CELL_IOS_PER_S]))
				continue;
			table_cell(m->doc, &table, "%s%s", m->grid.step->cells[c].name,
				   mark(m, c));
			table_cell(m->doc, &table, "%s", plan_dir_names[d]);
			for (unsigned i = 0; i < ARRAY_SIZE(plain_metrics); i++)
				table_cell(
					m->doc, &table, "%s",
					cells_value(m->doc, plain_metrics[i],
						    m->figures[c].value[d][plain_metrics[i]]));
			table_cell(m->doc, &table, "%s",
				   figure_count(m->doc, m->figures[c].ios[d]));
		}
	document_table(m->doc, &table);
}

void plan_matrix(struct document *doc, const struct plan_view *view,
		 const struct plan_lane *lane, unsigned number)
{
	const struct plan_step *step = &lane->plan->steps[number];
	struct matrix *m = memory_zeroed(1, sizeof(*m));
	unsigned choice = 0;

	m->doc = doc;
	m->curves = !view->brief;
	m->lane = lane;
	m->number = number;
	m->grid.step = step;
	m->grid.across = step->sweep.count > 0 ? &step->sweep.axis[0] : NULL;
	m->grid.down = step->sweep.count > 1 ? &step->sweep.axis[1] : NULL;
	m->figures = arena_array(&doc->arena, struct plan_figures, step->ncells);
	m->five_nines = arena_array(&doc->arena, double, step->ncells);
	m->known = arena_array(&doc->arena, bool, step->ncells);
	m->left = arena_array(&doc->arena, bool, step->ncells);
	load_matrix(m);
	if (!directions(m)) {
		free(m);
		return;
	}
	if (!m->grid.across) {
		add_single(m);
	} else if (m->grid.across->count > COLUMNS_MAX) {
		add_list(m);
	} else {
		do
			add_choice(m, choice++);
		while (next_choice(&m->grid));
		add_requests(m);
	}
	free(m);
}
