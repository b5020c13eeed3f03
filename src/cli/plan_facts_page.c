/* What a plan was carried out on and how: the drive and the machine, how the drive was made ready,
 * the conditions of each load, the environment before and after, and the command that does it
 * all again. */
#include <inttypes.h>
#include <string.h>

#include "base/lang.h"
#include "base/quantity.h"
#include "cli/plan_page_priv.h"
#include "plan/cell.h"
#include "report/facts_page.h"
#include "report/figures.h"

static const char *targets_text(struct document *doc, const struct plan_record *record)
{
	autostr targets = {0};

	for (unsigned i = 0; i < record->ntargets; i++) {
		const struct plan_target *target = &record->targets[i];

		str_printf(&targets, "%s%s", i ? ", " : "", target->path);
		if (*target->model)
			str_printf(&targets, " (%s, %s, firmware %s)", target->model,
				   target->serial, target->firmware);
		if (target->size_bytes)
			str_printf(&targets, ", %s", figure_decimal(doc, target->size_bytes));
	}
	return document_text(doc, "%s", str_text(&targets));
}

static const char *joined_tags(struct document *doc, const struct plan_record *record)
{
	autostr text = {0};

	for (unsigned i = 0; i < record->ntags; i++)
		str_printf(&text, "%s%s", i ? ", " : "", record->tags[i]);
	return text.length ? document_text(doc, "%s", str_text(&text)) : NULL;
}

void plan_facts(struct document *doc, const struct plan_view *view)
{
	const struct plan_record *record = view->record;
	const struct plan_around *around = view->around;
	uint64_t written = 0;
	autostr settings = {0};

	for (const char *at = record->settings ? record->settings : ""; *at; at++)
		str_add_char(&settings, *at == '\n' ? ' ' : *at); /* one a line */
	for (unsigned i = 0; i < view->journal->count; i++)
		written += view->journal->entries[i].written_bytes;
	const struct fact facts[] = {
		{N_("plan"), document_text(doc, "%s", record->name)},
		{N_("what it does"), view->plan->about},
		{"target", targets_text(doc, record)},
		{N_("together"), record->parallel ? N_("all targets at once") : NULL},
		{N_("settings"),
		 settings.length ? document_text(doc, "%s", str_text(&settings)) : NULL},
		{N_("scale"),
		 record->scale > 1
			 ? document_text(doc, "1/%u of times and capacity", record->scale)
			 : NULL},
		{N_("limit of writing"),
		 record->max_write_bytes
			 ? document_text(doc, "%s in all (--max-write)",
					 figure_decimal(doc, record->max_write_bytes))
			 : NULL},
		{"started", figure_when(doc, record->started_unix_ns)},
		{N_("ended"), figure_when(doc, record->ended_unix_ns)},
		{N_("state"), record->state},
		{"written", figure_decimal(doc, written)},
		{N_("tags"), joined_tags(doc, record)},
		{"measured by", around && around->has ? around->first.program : NULL},
	};
	document_facts(doc, facts, ARRAY_SIZE(facts));
	for (unsigned i = 0; i < record->nremarks; i++)
		document_prose(doc, TONE_INFO, "%s: %s",
			       figure_when(doc, record->remarks[i].unix_ns) ?: "–",
			       record->remarks[i].text);
}

static const struct result *result_of(const struct record *record)
{
	return record->nparts ? record->parts[0].result : NULL;
}

void plan_machine(struct document *doc, const struct plan_view *view)
{
	if (view->around && view->around->has)
		facts_page(doc, result_of(&view->around->first), NULL, 0);
}

/* --- how the drive was made ready --- */

static bool makes_ready(const struct plan_step *step)
{
	return step->kind == PLAN_PURGE || step->kind == PLAN_FILL ||
	       step->kind == PLAN_PRECONDITION || step->kind == PLAN_ROUNDS;
}

static const char *ready_words(struct document *doc, const struct plan_step *step,
			       const struct plan_entry *entry, unsigned rounds)
{
	switch (step->kind) {
	case PLAN_PURGE:
		return entry->note ? document_text(doc, "%s", entry->note) : "done";
	case PLAN_FILL:
	case PLAN_PRECONDITION:
		if (entry->state == PLAN_SKIPPED)
			return N_("not done");
		if (step->kind == PLAN_FILL)
			return document_text(doc,
					     PLURAL(step->passes, "sequential, %u pass",
						    "sequential, %u passes"),
					     step->passes);
		return document_text(
			doc, PLURAL(step->passes, "random, %u pass", "random, %u passes"),
			step->passes);
	case PLAN_ROUNDS:
		return document_text(doc,
				     PLURAL(rounds, "by its own load: %u round",
					    "by its own load: %u rounds"),
				     rounds);
	case PLAN_RUN:
	case PLAN_SWEEP:
	case PLAN_FIND:
	case PLAN_IDLE:
	case PLAN_SOAK:
	case PLAN_SNAPSHOT:
	case PLAN_CHECK:
	case NPLAN_KINDS:
		break;
	}
	return "";
}

static void add_ready(struct document *doc, const struct plan_view *view,
		      const struct plan_lane *lane, unsigned number, struct table *table)
{
	const struct plan_step *step = &lane->plan->steps[number];
	double size = (double)view->record->targets[lane->target].size_bytes;
	const struct plan_entry *entry, *first = NULL;
	unsigned from = 0, rounds = 0;
	uint64_t bytes = 0, span_ns = 0;
	autostr took = {0};

	while ((entry = plan_entry_next(lane, number, &from))) {
		first = first ? first : entry;
		bytes += entry->written_bytes;
		span_ns += entry->span_ns;
		rounds = entry->task.round + 1;
	}
	if (!first)
		return;
	quantity_time(span_ns, &took);
	table_cell(doc, table, "%s", step->name);
	table_link(doc, table, &(struct table_link){.graph = plan_step_id(doc, lane, number)});
	table_cell(doc, table, "%s", ready_words(doc, step, first, rounds));
	table_cell(doc, table, "%s", figure_decimal(doc, bytes));
	if (size > 0)
		table_cell(doc, table, "%.2f", (double)bytes / size);
	else
		table_cell(doc, table, "–");
	table_cell(doc, table, "%s", str_text(&took));
	table_cell(doc, table, "%s", figure_when(doc, first->began_unix_ns));
}

void plan_preparation(struct document *doc, const struct plan_view *view)
{
	static const char *const heads[] = {N_("purge and preconditioning"),
					    N_("what was done"),
					    "written",
					    N_("x capacity"),
					    N_("took"),
					    N_("began"),
					    NULL};
	unsigned begun = plan_repetitions_begun(view->journal);
	struct table table;

	table_init(&table, heads);
	table.names = 1u << 0;
	for (unsigned r = 0; r < begun; r++)
		for (unsigned t = 0; t < view->record->ntargets; t++) {
			const struct plan_lane lane = {.plan = view->plan,
						       .journal = view->journal,
						       .target = t,
						       .repetition = r};

			for (unsigned s = 0; s < view->plan->nsteps; s++)
				if (makes_ready(&view->plan->steps[s]))
					add_ready(doc, view, &lane, s, &table);
		}
	document_table(doc, &table);
}

/* --- conditions --- */

/* "1024k to 512" where the step sweeps it, else what is set. */
static const char *swept(struct document *doc, const struct plan_step *step, const char *key,
			 const char *set)
{
	for (unsigned i = 0; i < step->sweep.count; i++) {
		const struct plan_axis *axis = &step->sweep.axis[i];

		if (str_equal(axis->key, key) && axis->count > 1)
			return document_text(doc, "%s to %s", axis->values[0],
					     axis->values[axis->count - 1]);
	}
	return set;
}

static const char *data_words(struct document *doc, const struct job_spec *spec)
{
	if (!spec->rw.does[DIR_WRITE])
		return "";
	if (spec->zero_buffers)
		return N_("zeros");
	if (spec->buffer_pattern.count)
		return N_("a pattern");
	if (spec->buffer_compress_percentage)
		return document_text(doc, "%u %% compressible",
				     spec->buffer_compress_percentage);
	return spec->refill_buffers ? N_("random, new for each write") : N_("random");
}

static const char *time_words(struct document *doc, const struct plan_view *view,
			      const struct plan_step *step, const struct job_spec *spec)
{
	uint64_t span_ns = step->kind == PLAN_SOAK ? step->for_ns : spec->runtime;

	return span_ns ? figure_time(doc, span_ns / view->record->scale) : N_("its size");
}

static void add_conditions(struct document *doc, const struct plan_view *view,
			   const struct plan_step *step, struct table *table)
{
	static const char *const caches[] = {[PLAN_CACHE_AS_IS] = N_("as it was"),
					     [PLAN_CACHE_ON] = N_("on"),
					     [PLAN_CACHE_OFF] = N_("off")};
	struct job_spec *spec;
	struct job_set set;

	job_set_init(&set, FACE_NATIVE);
	if (!plan_cell_spec(&set, step, &step->cells[0], "TARGET", &spec, NULL)) {
		enum dir dir = spec->rw.does[DIR_READ]	  ? DIR_READ
			       : spec->rw.does[DIR_WRITE] ? DIR_WRITE
							  : DIR_TRIM;

		table_cell(doc, table, "%s", step->name);
		table_cell(doc, table, "%s", spec->rw.text);
		table_cell(doc, table, "%s",
			   swept(doc, step, "bs", figure_size(doc, spec->bs[dir].max)));
		table_cell(doc, table, "%s",
			   swept(doc, step, "numjobs",
				 document_text(doc, "%u", (unsigned)spec->numjobs)));
		table_cell(doc, table, "%s",
			   swept(doc, step, "iodepth",
				 document_text(doc, "%u", (unsigned)spec->iodepth)));
		table_cell(doc, table, "%s", time_words(doc, view, step, spec));
		table_cell(doc, table, "%g %%", step->range_percent_x100 / 100.0);
		table_cell(doc, table, "%s", caches[step->write_cache]);
		table_cell(doc, table, "%s", data_words(doc, spec));
	}
	job_set_done(&set);
}

void plan_conditions(struct document *doc, const struct plan_view *view)
{
	static const char *const heads[] = {N_("conditions"), "load",
					    N_("block"),      N_("threads"),
					    N_("depth each"), N_("time a cell"),
					    N_("range"),      N_("write cache"),
					    N_("data"),	      NULL};
	struct table table;

	table_init(&table, heads);
	table.names = 1u << 0;
	for (unsigned s = 0; s < view->plan->nsteps; s++)
		if (plan_step_loads(&view->plan->steps[s]) &&
		    view->plan->steps[s].kind != PLAN_IDLE)
			add_conditions(doc, view, &view->plan->steps[s], &table);
	document_table(doc, &table);
}

/* --- the environment --- */

/* As it was before the first run and after the last one. */
void plan_environment(struct document *doc, const struct plan_view *view)
{
	const struct plan_around *around = view->around;
	const struct result *first, *last;
	struct environment whole;

	if (!around || !around->has)
		return;
	first = result_of(&around->first);
	last = result_of(&around->last);
	if (!first || !last)
		return;
	facts_environment_join(&doc->arena, &first->facts.environment, &last->facts.environment,
			       &whole);
	facts_page_environment(doc, &whole);
}

/* --- to run it again --- */

static void add_file(struct str *out, const char *name, const char *mark, const char *text)
{
	bool line = *text && text[strlen(text) - 1] == '\n';

	str_printf(out, "cat >%s <<'%s'\n%s%s%s\n", name, mark, text, line ? "" : "\n", mark);
}

void plan_again(struct document *doc, const struct plan_view *view)
{
	const struct plan_record *record = view->record;
	autostr text = {0};

	if (!record->text)
		return;
	add_file(&text, "again.plan", "END-OF-PLAN", record->text);
	if (record->spec)
		add_file(&text, "again.spec", "END-OF-SHEET", record->spec);
	str_add(&text, "assay plan run ./again.plan");
	for (unsigned i = 0; i < record->ntargets; i++) {
		str_add_char(&text, ' ');
		str_add_shell(&text, record->targets[i].path);
	}
	if (record->spec)
		str_add(&text, " --spec=again.spec");
	if (record->scale > 1)
		str_printf(&text, " --scale=%u", record->scale);
	if (record->parallel)
		str_add(&text, " --parallel");
	if (record->repetitions > 1)
		str_printf(&text, " --repeat=%u", record->repetitions);
	document_heading(doc, 2, "to run it again");
	document_prose(doc, TONE_CODE, "%s", str_text(&text));
}
