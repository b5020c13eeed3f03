/* How a plan came out, first on its page: a line for each check, with what was measured, the limit
 * and when, each leading to the step that it is about; then what a reviewer asks of any drive, as
 * far as the plan's figures can tell it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "cli/plan_page_priv.h"
#include "plan/cell.h"
#include "report/figures.h"
#include "stat/hist.h"

#define SLOW_NS	      (5 * NS_PER_MS)
#define STALL_NS      (200 * NS_PER_MS)
#define MOVED_PERCENT 20

static struct plan_lane lane_of(const struct plan_view *view, unsigned target,
				unsigned repetition)
{
	return (struct plan_lane){.plan = view->plan,
				  .journal = view->journal,
				  .spec = view->spec,
				  .target = target,
				  .repetition = repetition};
}

static bool has_lanes(const struct plan_view *view)
{
	return view->record->ntargets > 1 || view->record->repetitions > 1;
}

const char *plan_lane_words(struct document *doc, const struct plan_view *view,
			    const struct plan_task *task)
{
	if (!has_lanes(view))
		return "";
	return document_text(doc,
			     "%s, repetition %u: ", view->record->targets[task->target].path,
			     task->repetition + 1);
}

static void lead_to(struct document *doc, struct table *table, const struct plan_lane *lane,
		    unsigned step)
{
	table_link(doc, table, &(struct table_link){.graph = plan_step_id(doc, lane, step)});
}

/* --- checks --- */

/* Does the rule name a figure of this step: "rand_4k.iops" for [rand-4k]? */
static bool names_step(const char *rule, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = rule; *at; at++) {
		size_t i = 0;

		while (i < length && (at[i] == name[i] || (at[i] == '_' && name[i] == '-')))
			i++;
		if (i == length && at[i] == '.' && (at == rule || strchr(" (*/+-", at[-1])))
			return true;
	}
	return false;
}

/* The step whose figures the verdict is about. */
static unsigned step_of(const struct plan *plan, const struct plan_verdict_row *row)
{
	for (unsigned i = 0; i < plan->nsteps; i++)
		if (names_step(row->rule, plan->steps[i].name))
			return i;
	return row->task.step;
}

static const char *when_measured(struct document *doc, const struct plan_lane *lane,
				 unsigned step, const char *cell)
{
	const struct plan_step *s = &lane->plan->steps[step];
	const struct plan_entry *entry, *last = NULL;
	unsigned from = 0;

	while ((entry = plan_entry_next(lane, step, &from)))
		if (!*cell || str_equal(s->cells[entry->task.cell].name, cell))
			last = entry;
	return last ? figure_when(doc, last->began_unix_ns) : NULL;
}

/* Judged once more for the words of both sides: rows keep numbers without units. */
static void judge_again(const struct plan_lane *lane, const struct plan_verdict_row *row,
			struct plan_verdict *verdict)
{
	const struct plan_step *step = &lane->plan->steps[row->task.step];
	int cell = -1;

	for (unsigned c = 0; c < step->ncells && *row->cell_name; c++)
		if (str_equal(step->cells[c].name, row->cell_name))
			cell = (int)c;
	if (cell < 0 && step->kind != PLAN_CHECK)
		cell = 0;
	for (unsigned i = 0; i < step->nchecks; i++)
		if (str_equal(step->checks[i].text, row->rule) &&
		    (cell < 0 ||
		     plan_cell_is(step, &step->cells[cell], &step->checks[i].only))) {
			(void)plan_check_judge(lane, row->task.step, &step->checks[i], cell,
					       verdict, NULL); /* it was judged before */
			return;
		}
}

static void add_verdict(struct document *doc, const struct plan_view *view,
			const struct plan_verdict_row *row, struct table *table)
{
	struct plan_lane lane = lane_of(view, row->task.target, row->task.repetition);
	struct plan_verdict *verdict = arena_new(&doc->arena, struct plan_verdict);
	unsigned step = step_of(view->plan, row);
	const char *when = when_measured(doc, &lane, step, row->cell_name);

	judge_again(&lane, row, verdict);
	table_cell(doc, table, "%s%s%s%s: %s", plan_lane_words(doc, view, &row->task),
		   row->step_name, *row->cell_name ? " " : "", row->cell_name, row->rule);
	if (when)
		lead_to(doc, table, &lane, step);
	table_cell(doc, table, "%s", verdict->measured);
	table_cell(doc, table, "%s", verdict->limit);
	table_cell(doc, table, "%s", when ? when : "");
	table_cell(doc, table, "%s", row->outcome);
}

/* For terminals: a rule may be longer than a line. */
static void add_brief_verdicts(struct document *doc, const struct plan_view *view)
{
	const struct plan_record *record = view->record;
	struct fact *facts = arena_array(&doc->arena, struct fact, record->nverdicts + 1);

	for (unsigned i = 0; i < record->nverdicts; i++) {
		const struct plan_verdict_row *row = &record->verdicts[i];

		facts[i] = (struct fact){
			document_text(doc, "%s%s%s%s", plan_lane_words(doc, view, &row->task),
				      row->step_name, *row->cell_name ? " " : "",
				      row->cell_name),
			document_text(doc, "%s, %s", document_say(doc, row->outcome),
				      row->text)};
	}
	document_facts(doc, facts, record->nverdicts);
}

/* Steps whose rounds ended before they were steady, in all lanes; their names, once each. */
static unsigned steps_unsteady(const struct plan_view *view, struct str *names)
{
	struct plan_steady *steady = memory_take(sizeof(*steady));
	unsigned count = 0;

	for (unsigned s = 0; s < view->plan->nsteps; s++) {
		const struct plan_step *step = &view->plan->steps[s];
		bool reached = true;

		if (step->kind != PLAN_ROUNDS || !step->until.count)
			continue;
		for (unsigned t = 0; t < view->record->ntargets; t++)
			for (unsigned r = 0; r < view->record->repetitions; r++) {
				const struct plan_lane lane = lane_of(view, t, r);

				plan_steady(&lane, s, step->repeat - 1, steady);
				reached &= !steady->rounds || steady->attained;
			}
		if (!reached && names)
			str_printf(names, "%s[%s]", count ? ", " : "", step->name);
		count += !reached;
	}
	free(steady);
	return count;
}

/* Whether the checks pass or fail: what they were asked of is no steady drive. */
static void add_unsteady(struct document *doc, const struct plan_view *view)
{
	autostr names = {0};

	if (str_equal(view->record->state, "done") && steps_unsteady(view, &names))
		document_prose(doc, TONE_MARK,
			       "steady state not reached in %s: the figures are of the last "
			       "rounds, and not of a steady drive",
			       str_text(&names));
}

static void add_sentence(struct document *doc, const struct plan_view *view)
{
	const struct plan_record *record = view->record;
	unsigned counts[OUTCOME_NOT_APPLICABLE + 1] = {0};

	for (unsigned i = 0; i < record->nverdicts; i++)
		for (unsigned o = 0; o <= OUTCOME_NOT_APPLICABLE; o++)
			counts[o] += str_equal(record->verdicts[i].outcome,
					       outcome_name((enum outcome)o));
	if (!str_equal(record->state, "done"))
		document_prose(doc, TONE_VERDICT, "not complete: %s.",
			       document_say(doc, record->state));
	else if (!record->nverdicts)
		document_prose(doc, TONE_VERDICT,
			       "done: this plan measures, and sets no limits.");
	else if (counts[OUTCOME_FAIL])
		document_prose(doc, TONE_VERDICT,
			       PLURAL(record->nverdicts,
				      "fail: %u of %u check failed, %u cannot be told.",
				      "fail: %u of %u checks failed, %u cannot be told."),
			       counts[OUTCOME_FAIL], record->nverdicts,
			       counts[OUTCOME_CANNOT_TELL]);
	else if (counts[OUTCOME_CANNOT_TELL])
		document_prose(
			doc, TONE_VERDICT,
			PLURAL(record->nverdicts,
			       "cannot tell: %u of %u check passed, %u cannot be told.",
			       "cannot tell: %u of %u checks passed, %u cannot be told."),
			counts[OUTCOME_PASS], record->nverdicts, counts[OUTCOME_CANNOT_TELL]);
	else
		document_prose(doc, TONE_VERDICT,
			       steps_unsteady(view, NULL)
				       ? PLURAL(record->nverdicts,
						"pass, but steady state was not reached: %u of "
						"%u check passed.",
						"pass, but steady state was not reached: %u of "
						"%u checks passed.")
				       : PLURAL(record->nverdicts,
						"pass: %u of %u check passed.",
						"pass: %u of %u checks passed."),
			       counts[OUTCOME_PASS], record->nverdicts);
	add_unsteady(doc, view);
}

/* --- what a reviewer asks --- */

struct place { /* of the worst one */
	struct plan_lane lane;
	unsigned step, cell;
	double value;
};

struct findings {
	uint64_t intervals, zeros, zero_cells, requests, errors, error_cells;
	bool in_rounds; /* the figures of some cells are those of their last window */
	double slow, stalls, span_s;
	unsigned cells, moved_cells;
	struct place zero, slowest, moved, error;
	struct hist hist; /* of the cell at hand */
};

static void keep_worst(struct place *worst, const struct place *here, double value)
{
	if (!(value > worst->value))
		return;
	*worst = *here;
	worst->value = value;
}

static void look_at_cell(struct findings *f, const struct place *here)
{
	struct plan_figures figures;

	if (!plan_cell_figures(&here->lane, here->step, here->cell, &figures))
		return;
	f->cells++;
	f->intervals += figures.intervals;
	f->zeros += figures.zero_intervals;
	f->zero_cells += figures.zero_intervals > 0;
	keep_worst(&f->zero, here, (double)figures.zero_intervals);
	keep_worst(&f->slowest, here, figures.value[PLAN_ALL][CELL_MAX_NS]);
	f->hist = (struct hist){0};
	plan_cell_hist(&here->lane, here->step, here->cell, PLAN_ALL, &f->hist);
	f->requests += hist_total(&f->hist);
	if (figures.value[PLAN_ALL][CELL_IOS_PER_S] > 0)
		f->span_s +=
			(double)figures.ios[PLAN_ALL] / figures.value[PLAN_ALL][CELL_IOS_PER_S];
	f->slow += hist_count_above(&f->hist, SLOW_NS);
	f->stalls += hist_count_above(&f->hist, STALL_NS);
}

/* All of the journal, also what was not counted. */
static void look_at_entries(struct findings *f, const struct plan_lane *lane, unsigned step)
{
	const struct plan_entry *entry;
	unsigned from = 0;

	while ((entry = plan_entry_next(lane, step, &from))) {
		const struct place here = {
			.lane = *lane, .step = step, .cell = entry->task.cell};

		f->errors += entry->figures.errors;
		f->error_cells += entry->state == PLAN_ERRORS;
		keep_worst(&f->error, &here,
			   entry->state == PLAN_ERRORS ? fmax(1, (double)entry->figures.errors)
						       : (double)entry->figures.errors);
		f->moved_cells += entry->moved_percent > MOVED_PERCENT;
		if (!isnan(entry->moved_percent))
			keep_worst(&f->moved, &here, entry->moved_percent);
	}
}

/* Loads whose figures are results: not how the drive was made ready, and not the overload that a
 * search tries on purpose. */
static bool is_measured(const struct plan_step *step)
{
	return step->kind == PLAN_RUN || step->kind == PLAN_SWEEP ||
	       step->kind == PLAN_ROUNDS || step->kind == PLAN_SOAK;
}

static void look(struct findings *f, const struct plan_view *view)
{
	for (unsigned r = 0; r < view->record->repetitions; r++)
		for (unsigned t = 0; t < view->record->ntargets; t++)
			for (unsigned s = 0; s < view->plan->nsteps; s++) {
				const struct plan_step *step = &view->plan->steps[s];
				const struct plan_lane lane = lane_of(view, t, r);

				if (!is_measured(step))
					continue;
				f->in_rounds |= step->kind == PLAN_ROUNDS;
				look_at_entries(f, &lane, s);
				for (unsigned c = 0; c < step->ncells; c++)
					look_at_cell(f, &(struct place){.lane = lane,
									.step = s,
									.cell = c});
			}
}

static void add_item(struct document *doc, struct table *table, const char *item,
		     const char *found)
{
	table_cell(doc, table, "%s", item);
	table_cell(doc, table, "%s", found);
}

/* Where the worst one lies, as a link; nothing where all is well. */
static void add_where(struct document *doc, struct table *table, const struct place *place)
{
	const struct plan_step *step;

	if (!place->lane.plan || !(place->value > 0)) {
		table_cell(doc, table, "%s", "");
		return;
	}
	step = &place->lane.plan->steps[place->step];
	table_cell(doc, table, "%s%s%s", step->name, *step->cells[place->cell].name ? " " : "",
		   step->cells[place->cell].name);
	lead_to(doc, table, &place->lane, place->step);
}

static void add_rare(struct document *doc, struct table *table, const char *item, double count,
		     const struct findings *f)
{
	const char *all = figure_count(doc, f->requests);

	if (count < 0.5)
		add_item(doc, table, item,
			 document_text(
				 doc,
				 PLURAL(f->requests,
					"none in %s request: at most 3 in so many, with 95 %% "
					"confidence",
					"none in %s requests: at most 3 in so many, with 95 "
					"%% confidence"),
				 all));
	else
		add_item(doc, table, item,
			 document_text(
				 doc,
				 PLURAL(f->requests,
					"%s in %s request, %s per million, %s per hour of load",
					"%s in %s requests, %s per million, %s per hour of "
					"load"),
				 figure_count(doc, (uint64_t)(count + 0.5)), all,
				 figure_plain(doc, count * 1e6 / (double)f->requests),
				 figure_plain(doc, count * 3600 / f->span_s)));
}

static void add_items(struct document *doc, struct table *table, const struct findings *f)
{
	if (f->intervals) {
		add_item(doc, table, N_("intervals without any completion"),
			 document_text(doc,
				       PLURAL(f->cells, "%s of %s, in %s of %u cell",
					      "%s of %s, in %s of %u cells"),
				       figure_count(doc, f->zeros),
				       figure_count(doc, f->intervals),
				       figure_count(doc, f->zero_cells), f->cells));
		add_where(doc, table, &f->zero);
	}
	if (f->requests) {
		autostr most = {0};

		add_rare(doc, table, N_("requests above 5 ms"), f->slow, f);
		add_where(doc, table, &(struct place){0});
		add_rare(doc, table, N_("stalls: requests above 200 ms"), f->stalls, f);
		add_where(doc, table, &(struct place){0});
		quantity_time((uint64_t)f->slowest.value, &most);
		add_item(doc, table, "slowest request", document_text(doc, "%s", most.text));
		add_where(doc, table, &f->slowest);
	}
	if (f->moved.value > 0) {
		struct place worst = f->moved;

		worst.value = f->moved_cells;
		add_item(
			doc, table, N_("consistency"),
			document_text(doc,
				      PLURAL(f->moved_cells,
					     "%u run of a cell with five parts more than %d %% "
					     "apart: %.1f %%",
					     "%u runs of cells with five parts more than %d %% "
					     "apart; the widest %.1f %%"),
				      f->moved_cells, MOVED_PERCENT, f->moved.value));
		add_where(doc, table, &worst);
	}
	add_item(doc, table, "errors",
		 f->errors || f->error_cells
			 ? document_text(doc,
					 PLURAL(f->error_cells, "%s, in %s run of a cell",
						"%s, in %s runs of cells"),
					 figure_count(doc, f->errors),
					 figure_count(doc, f->error_cells))
			 : document_text(doc,
					 PLURAL(f->requests, "none in %s request",
						"none in %s requests"),
					 figure_count(doc, f->requests)));
	add_where(doc, table, &f->error);
}

/* --- steady state --- */

/* Bytes written since the plan's start, until this entry was done. */
static uint64_t written_until(const struct plan_lane *lane, const struct plan_entry *last)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < lane->journal->count; i++) {
		const struct plan_entry *entry = &lane->journal->entries[i];

		if (entry->task.target == lane->target &&
		    entry->task.repetition == lane->repetition)
			bytes += entry->written_bytes;
		if (entry == last)
			break;
	}
	return bytes;
}

static void add_steady(struct document *doc, const struct plan_view *view,
		       const struct plan_lane *lane, unsigned number, struct table *table)
{
	const struct plan_step *step = &lane->plan->steps[number];
	const struct plan_task task = {.target = lane->target, .repetition = lane->repetition};
	struct plan_steady *steady = arena_new(&doc->arena, struct plan_steady);
	double size = (double)view->record->targets[lane->target].size_bytes;
	const struct plan_entry *entry, *last = NULL;
	unsigned from = 0;
	uint64_t bytes;

	plan_steady(lane, number, step->repeat - 1, steady);
	while ((entry = plan_entry_next(lane, number, &from)))
		last = entry;
	if (!steady->rounds || !step->until.count)
		return;
	bytes = written_until(lane, last);
	add_item(doc, table,
		 document_text(doc, "steady state, %s%s", plan_lane_words(doc, view, &task),
			       step->name),
		 steady->attained
			 ? document_text(doc, "reached: rounds %u to %u, after %s written (%s)",
					 steady->first_round + 1, steady->rounds,
					 figure_decimal(doc, bytes),
					 size > 0 ? document_text(doc, "%.2f x the capacity",
								  (double)bytes / size)
						  : N_("capacity unknown"))
			 : document_text(
				   doc,
				   PLURAL(steady->rounds,
					  "not reached after %u round: figures of this step "
					  "are not steady",
					  "not reached after %u rounds: figures of this step "
					  "are not steady"),
				   steady->rounds));
	lead_to(doc, table, lane, number);
	table_cell(doc, table, "%s", "");
}

/* --- with TRIM and without --- */

static bool same_load(const struct plan_step *a, const struct plan_step *b)
{
	struct job_spec *one, *other;
	struct job_set set;
	bool same;

	if (a->ncells != 1 || b->ncells != 1)
		return false;
	job_set_init(&set, FACE_NATIVE);
	same = !plan_cell_spec(&set, a, &a->cells[0], "TARGET", &one, NULL) &&
	       !plan_cell_spec(&set, b, &b->cells[0], "TARGET", &other, NULL) &&
	       str_equal(one->rw.text, other->rw.text) &&
	       one->bs[DIR_WRITE].max == other->bs[DIR_WRITE].max && one->rw.does[DIR_WRITE] &&
	       !one->rw.does[DIR_TRIM];
	job_set_done(&set);
	return same;
}

static bool is_trim(const struct plan_step *step)
{
	struct job_spec *spec;
	struct job_set set;
	bool trims;

	if (step->kind != PLAN_RUN || step->ncells != 1)
		return false;
	job_set_init(&set, FACE_NATIVE);
	trims = !plan_cell_spec(&set, step, &step->cells[0], "TARGET", &spec, NULL) &&
		spec->rw.does[DIR_TRIM] && !spec->rw.does[DIR_WRITE];
	job_set_done(&set);
	return trims;
}

/* The same steady writes before a discard and after it: how far the drive leans on TRIM. */
static void add_trim(struct document *doc, const struct plan_view *view,
		     const struct plan_lane *lane, struct table *table)
{
	const struct plan_task task = {.target = lane->target, .repetition = lane->repetition};
	const struct plan *plan = lane->plan;
	struct plan_figures before, after;
	int first = -1, trimmed = -1;

	for (unsigned s = 0; s < plan->nsteps; s++) {
		const struct plan_step *step = &plan->steps[s];

		if (trimmed < 0 && step->kind == PLAN_ROUNDS)
			first = (int)s;
		else if (is_trim(step) && first >= 0 && trimmed < 0)
			trimmed = (int)s;
		else if (trimmed >= 0 && step->kind == PLAN_ROUNDS &&
			 same_load(&plan->steps[first], step) &&
			 plan_cell_figures(lane, (unsigned)first, 0, &before) &&
			 plan_cell_figures(lane, s, 0, &after)) {
			add_item(doc, table,
				 document_text(doc, "%swith TRIM against without",
					       plan_lane_words(doc, view, &task)),
				 document_text(doc,
					       "%.2f times the IOPS (one measurement each: no "
					       "interval)",
					       after.value[PLAN_ALL][CELL_IOS_PER_S] /
						       before.value[PLAN_ALL][CELL_IOS_PER_S]));
			table_cell(doc, table, "%s", step->name);
			lead_to(doc, table, lane, s);
			return;
		}
	}
}

static void add_lanes(struct document *doc, const struct plan_view *view, struct table *table)
{
	unsigned begun = plan_repetitions_begun(view->journal);

	for (unsigned r = 0; r < begun; r++)
		for (unsigned t = 0; t < view->record->ntargets; t++) {
			const struct plan_lane lane = lane_of(view, t, r);

			for (unsigned s = 0; s < view->plan->nsteps; s++)
				if (view->plan->steps[s].kind == PLAN_ROUNDS)
					add_steady(doc, view, &lane, s, table);
			add_trim(doc, view, &lane, table);
			plan_amplification(doc, view, &lane, table);
			plan_complaints(doc, view, &lane, table);
		}
}

/* For terminals, where sentences in columns are no table. */
static void add_as_facts(struct document *doc, const struct table *table)
{
	unsigned rows = table->count / table->columns;
	struct fact *facts = arena_array(&doc->arena, struct fact, rows + 1);

	for (unsigned i = 0; i < rows; i++) {
		const char *const *row = &table->cells[(size_t)i * table->columns];

		facts[i] = (struct fact){row[0],
					 *row[2] ? document_text(doc, "%s (%s)", row[1], row[2])
						 : row[1]};
	}
	document_facts(doc, facts, rows);
}

void plan_verdict_page(struct document *doc, const struct plan_view *view)
{
	static const char *const heads[] = {"verdict", "measured", "limit",
					    "when",    "outcome",  NULL};
	static const char *const asked[] = {N_("what a reviewer asks"), N_("found"),
					    N_("where"), NULL};
	struct findings *f = memory_zeroed(1, sizeof(*f));
	struct table table;

	add_sentence(doc, view);
	table_init(&table, heads);
	for (unsigned i = 0; i < view->record->nverdicts && !view->brief; i++)
		add_verdict(doc, view, &view->record->verdicts[i], &table);
	document_table(doc, &table);
	if (view->brief)
		add_brief_verdicts(doc, view);
	look(f, view);
	table_init(&table, asked);
	if (f->cells) {
		add_items(doc, &table, f);
		add_lanes(doc, view, &table);
	}
	if (view->brief)
		add_as_facts(doc, &table);
	else
		document_table(doc, &table);
	if (f->cells && f->in_rounds)
		document_prose(
			doc, TONE_PLAIN,
			"Of a step that goes in rounds, requests, intervals and the slowest "
			"request are those of its last window; earlier rounds may hold "
			"slower ones. Errors and consistency are of all rounds.");
	free(f);
}
