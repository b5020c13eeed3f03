/* assay plan estimate: what a plan would do, how long it would take, what it would write and
 * destroy. Only reads: rates come from earlier runs, the data sheet or a second of reading. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "cli/emit.h"
#include "cli/keep.h"
#include "cli/plan_estimate.h"
#include "device/purge.h"
#include "report/figures.h"
#include "result/plan_record.h"
#include "run/run.h"

#define SLOWEST_SHARE \
	20 /* an unknown write rate lies between the read rate and this part of it */
#define PROBE_TEXT "1s"

/* --- rates --- */

static void take_column(void *context, unsigned columns, const char *const *names,
			const char *const *values)
{
	double *found = context;

	(void)names;
	for (unsigned i = 0; values && i < columns; i++)
		found[i] = values[i] ? strtod(values[i], NULL) : 0;
}

static void add_quoted(const char *text, struct str *out)
{
	str_add_char(out, '\'');
	for (; *text; text++)
		str_printf(out, *text == '\'' ? "''" : "%c", *text);
	str_add_char(out, '\'');
}

/* Least and most of earlier runs of the same target, blocks of 64 KiB and more. */
static struct plan_speed kept_speed(struct store *store, const char *path,
				    const char *direction, const char *load)
{
	double found[2] = {0};
	autostr sql = {0};

	if (!store)
		return (struct plan_speed){0};
	str_add(&sql,
		"SELECT min(bytes_per_s), max(bytes_per_s) FROM cells JOIN runs ON runs.id "
		"= run_id WHERE bytes_per_s > 0 AND bs_bytes >= 65536 AND target = ");
	add_quoted(path, &sql);
	str_printf(&sql, " AND direction = '%s' AND load LIKE '%s'", direction, load);
	if (store_query(store, str_text(&sql), take_column, found, NULL))
		return (struct plan_speed){0}; /* a store that cannot be asked knows nothing */
	return (struct plan_speed){found[0], found[1]};
}

static struct plan_speed sheet_speed(const struct plan_spec *spec, const char *name)
{
	const struct check_value *value = plan_spec_find(spec, name);

	if (!value || value->unit != CHECK_BYTES_PER_S)
		return (struct plan_speed){0};
	return (struct plan_speed){value->value / 2, value->value};
}

/* Reads the target for a second. */
static double probe(const char *path, bool holds_devices)
{
	const struct run_hooks hooks = {.holds_devices = holds_devices};
	struct result result;
	struct job_set set;
	double rate = 0;
	struct job_spec *spec;
	int rc = 0;
	static const struct {
		const char *key, *value;
	} options[] = {{"rw", "read"},	{"bs", "128k"},		 {"iodepth", "32"},
		       {"direct", "1"}, {"runtime", PROBE_TEXT}, {"time_based", "1"}};

	job_set_init(&set, FACE_NATIVE);
	result_init(&result, &set);
	spec = job_new(&set, "probe");
	for (unsigned i = 0; i < ARRAY_SIZE(options) && !rc; i++)
		rc = job_set_option(&set, spec, options[i].key, options[i].value, NULL);
	if (!rc)
		rc = job_set_option(&set, spec, "filename", path, NULL);
	if (!rc && !str_starts(path, "sim:"))
		rc = job_set_option(&set, spec, "ioengine", "libaio", NULL);
	set.options.readonly = true;
	if (!rc)
		rc = job_add(&set, spec, NULL);
	if (!rc)
		rc = run_execute(&set, &hooks, &result, NULL);
	for (unsigned i = 0; !rc && i < result.njobs; i++)
		rate += result_rate(&result.jobs[i], DIR_READ).bytes_per_s;
	result_done(&result);
	job_set_done(&set);
	return rate;
}

static void fill_gaps(struct plan_speeds *speeds, double read_rate)
{
	struct plan_speed guess = {read_rate / SLOWEST_SHARE, read_rate};

	if (!(speeds->read.most > 0))
		speeds->read = (struct plan_speed){read_rate / 2, read_rate};
	if (!(speeds->write.most > 0))
		speeds->write = guess;
	if (!(speeds->random_write.most > 0))
		speeds->random_write = (struct plan_speed){
			fmin(guess.least, speeds->write.least / SLOWEST_SHARE * 4),
			speeds->write.most};
}

static void find_speeds(const struct plan_outlook *outlook, const char *path,
			struct plan_speeds *ret_speeds)
{
	struct store *store = outlook->store;
	const struct plan_spec *spec = outlook->spec;
	struct plan_speeds speeds = {
		.read = kept_speed(store, path, "read", "%read"),
		.write = kept_speed(store, path, "write", "write"),
		.random_write = kept_speed(store, path, "write", "randwrite"),
		.source = N_("earlier runs of this target"),
	};

	if (!(speeds.write.most > 0)) {
		speeds.source = N_("the data sheet, and half of it");
		speeds.read = sheet_speed(spec, "read.bw");
		speeds.write = sheet_speed(spec, "write.bw");
	}
	if (!(speeds.write.most > 0))
		speeds.source =
			N_("a second of reading; writing is taken for a twentieth of it to "
			   "all of it");
	if (!(speeds.read.most > 0) || !(speeds.write.most > 0))
		fill_gaps(&speeds, probe(path, outlook->holds_devices));
	else
		fill_gaps(&speeds, speeds.read.most);
	*ret_speeds = speeds;
}

/* --- the page --- */

static const char *range_of(struct document *doc, const char *least, const char *most,
			    bool is_open)
{
	if (is_open)
		return document_text(doc, "%s or more", least);
	if (str_equal(least, most))
		return least;
	return document_text(doc, "%s to %s", least, most);
}

static const char *time_range(struct document *doc, const struct plan_guess *guess)
{
	return range_of(doc, figure_time(doc, guess->least_ns),
			figure_time(doc, guess->most_ns), guess->open);
}

static const char *bytes_range(struct document *doc, const struct plan_guess *guess)
{
	if (!guess->most_written && !guess->open)
		return "–";
	return range_of(doc, figure_decimal(doc, guess->least_written),
			figure_decimal(doc, guess->most_written), guess->open);
}

static const char *cells_range(struct document *doc, const struct plan_guess *guess)
{
	return range_of(doc, document_text(doc, "%u", guess->least_cells),
			document_text(doc, "%u", guess->most_cells), false);
}

static void add_steps(struct document *doc, const struct plan *plan,
		      const struct plan_subject *subject, struct plan_guess *ret_whole)
{
	static const char *const heads[] = {N_("step"), N_("kind"), N_("runs"),
					    N_("time"), "written",  NULL};
	struct table table;

	table_init(&table, heads);
	table.names = true;
	*ret_whole = (struct plan_guess){0};
	for (unsigned s = 0; s <= plan->nsteps; s++) {
		struct plan_guess guess = *ret_whole;

		if (s < plan->nsteps) {
			plan_estimate_step(plan, s, subject, &guess);
			plan_guess_add(ret_whole, &guess);
		}
		table_cell(doc, &table, "%s",
			   s < plan->nsteps ? plan->steps[s].name
					    : document_say(doc, N_("all")));
		table_cell(doc, &table, "%s",
			   s < plan->nsteps ? plan_kind_name(plan->steps[s].kind) : "");
		table_cell(doc, &table, "%s", cells_range(doc, &guess));
		table_cell(doc, &table, "%s", time_range(doc, &guess));
		table_cell(doc, &table, "%s", bytes_range(doc, &guess));
	}
	document_table(doc, &table);
}

static void add_life(struct document *doc, const struct plan_spec *spec,
		     const struct plan_guess *guess)
{
	const struct check_value *tbw = plan_spec_find(spec, "tbw");

	if (tbw && tbw->unit == CHECK_BYTES && tbw->value > 0 && guess->most_written)
		document_prose(doc, TONE_PLAIN,
			       "Of the drive's rated life (%s written) this is up to %.3g %%.",
			       figure_decimal(doc, (uint64_t)tbw->value),
			       100 * (double)guess->most_written / tbw->value);
}

/* What goes: by the guard's own words, and by the purge's ladder. */
static void add_losses(struct document *doc, const struct plan *plan,
		       const struct plan_drive *drive, const char *path)
{
	const struct guard_rules rules = {.face = GUARD_NATIVE};
	struct guard_facts *facts = arena_new(&doc->arena, struct guard_facts);
	struct guard_verdict verdict = {0};
	struct purge_plan *purge = arena_new(&doc->arena, struct purge_plan);

	if (drive->kind == PLAN_SIMULATED) {
		document_prose(doc, TONE_PLAIN, "A simulated drive: nothing can be lost.");
		return;
	}
	if (!plan_writes(plan)) {
		document_prose(doc, TONE_PLAIN, "It only reads \"%s\".", path);
		return;
	}
	(void)guard_check(path, &rules, &device_roots_real, facts, &verdict, NULL);
	document_prose(doc, TONE_WARNING, "all data on \"%s\" are lost%s%s", path,
		       *verdict.found ? ": " : "", verdict.found);
	if (verdict.decision == GUARD_REFUSE)
		document_prose(doc, TONE_WARNING, "%s", verdict.message);
	else if (*verdict.token)
		document_prose(doc, TONE_PLAIN, "Consent is given by --destroy=%s.",
			       verdict.token);
	for (unsigned s = 0; s < plan->nsteps; s++) {
		const struct purge_wish wish = {
			.method = PURGE_AUTO, .rules = &rules, .roots = &device_roots_real};

		if (plan->steps[s].kind == PLAN_PURGE && !purge_look(path, &wish, purge, NULL))
			document_prose(doc, TONE_PLAIN, "[%s]: %s.", plan->steps[s].name,
				       purge->rung[purge->method].text);
	}
}

/* At the same time: the slower one's, and the bytes of both. */
static void add_beside(struct plan_guess *all, const struct plan_guess *one)
{
	uint64_t least_ns = max_u64(all->least_ns, one->least_ns);
	uint64_t most_ns = max_u64(all->most_ns, one->most_ns);

	plan_guess_add(all, one);
	all->least_ns = least_ns;
	all->most_ns = most_ns;
}

void plan_estimate_page(struct document *doc, const struct plan_outlook *outlook)
{
	const struct plan *plan = outlook->plan;
	struct plan_guess all = {0};

	document_heading(
		doc, 1, "%s: what it will do%s", plan->title ? plan->title : plan->name,
		outlook->scale > 1 ? document_text(doc, ", scale 1/%u", outlook->scale) : "");
	for (unsigned i = 0; i < outlook->ndrives; i++) {
		const struct plan_drive *drive = &outlook->drives[i];
		struct plan_subject subject = {.path = drive->path,
					       .size_bytes = drive->size_bytes,
					       .scale = outlook->scale};
		struct plan_guess whole, of_drive;

		find_speeds(outlook, drive->path, &subject.speeds);
		if (outlook->speeds)
			outlook->speeds[i] = subject.speeds;
		document_heading(doc, 2, "%s, %s", drive->path,
				 figure_decimal(doc, drive->size_bytes));
		add_steps(doc, plan, &subject, &whole);
		document_prose(doc, TONE_PLAIN, "Rates: %s.", subject.speeds.source);
		add_life(doc, outlook->spec, &whole);
		add_losses(doc, plan, drive, drive->path);
		of_drive = whole;
		for (unsigned r = 1; r < outlook->repetitions; r++)
			plan_guess_add(&of_drive, &whole);
		if (outlook->parallel)
			add_beside(&all, &of_drive);
		else
			plan_guess_add(&all, &of_drive);
	}
	if (outlook->ndrives > 1 || outlook->repetitions > 1)
		document_prose(
			doc, TONE_PLAIN,
			outlook->parallel
				? N_("%u targets at once, %u repetitions: %s, %s written.")
				: N_("%u targets, %u repetitions: %s, %s written."),
			outlook->ndrives, outlook->repetitions, time_range(doc, &all),
			bytes_range(doc, &all));
}
