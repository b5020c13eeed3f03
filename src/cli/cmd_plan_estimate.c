/* assay plan estimate: what a plan would do, how long it would take, what it would write and
 * destroy. Only reads. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/lang.h"
#include "cli/emit.h"
#include "cli/keep.h"
#include "cli/plan_estimate.h"
#include "cli/plan_limit.h"
#include "device/purge.h"
#include "report/figures.h"
#include "result/plan_record.h"
#include "run/run.h"

/* --- purges --- */

/* What each purge step will be; NULL: no purge, or none can be looked at. */
struct plan_purges {
	const struct purge_plan *of_step[PLAN_STEPS_MAX];
};

/* As it will be looked at when it is done: with the consent that is asked for, and what was given
 * for others that it would erase. */
static void look_at_purges(struct arena *arena, const struct plan_outlook *outlook,
			   const struct plan_drive *drive, struct plan_purges *ret_purges)
{
	struct guard_rules rules = {.face = GUARD_NATIVE};
	struct guard_facts *facts = arena_new(arena, struct guard_facts);
	struct guard_verdict verdict = {0};
	autostr folder = {0};

	*ret_purges = (struct plan_purges){0};
	if (drive->kind == PLAN_SIMULATED)
		return;
	(void)guard_check(drive->path, &rules, &device_roots_real, facts, &verdict, NULL);
	guard_tokens_parse(arena,
			   arena_printf(arena, "%s,%s", verdict.token,
					outlook->destroy ? outlook->destroy : ""),
			   &rules.tokens, &rules.ntokens);
	(void)store_state_folder(false, &folder, NULL);
	for (unsigned s = 0; s < outlook->plan->nsteps; s++) {
		const struct plan_step *step = &outlook->plan->steps[s];
		struct purge_plan *purge;
		struct purge_wish wish = {.rules = &rules,
					  .roots = &device_roots_real,
					  .state_folder = str_text(&folder)};

		if (step->kind != PLAN_PURGE)
			continue;
		wish.method = plan_purge_method(step->method);
		purge = arena_new(arena, struct purge_plan);
		if (!purge_look(drive->path, &wish, purge, NULL))
			ret_purges->of_step[s] = purge;
	}
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
	table.names = 1u << 0 | 1u << 1; /* of the step, and step= */
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

/* A purge step as it will be: how, and what goes with the target. */
static void add_purge(struct document *doc, const struct plan_step *step,
		      const struct purge_plan *purge)
{
	autostr others = {0};

	for (unsigned i = 1; i < purge->nerased; i++)
		str_printf(&others, "%s%s", others.length ? ", " : "", purge->erased[i]);
	if (others.length)
		document_prose(doc, TONE_WARNING, "[%s]: %s; it erases %s as well", step->name,
			       purge->rung[purge->method].text, str_text(&others));
	else
		document_prose(doc, TONE_PLAIN, "[%s]: %s.", step->name,
			       purge->rung[purge->method].text);
}

/* What goes: by the guard's own words. */
static void add_losses(struct document *doc, const struct plan_outlook *outlook,
		       const struct plan_drive *drive, const struct plan_purges *purges)
{
	const struct guard_rules rules = {.face = GUARD_NATIVE};
	struct guard_facts *facts = arena_new(&doc->arena, struct guard_facts);
	struct guard_verdict verdict = {0};
	const char *path = drive->path;

	if (drive->kind == PLAN_SIMULATED) {
		document_prose(doc, TONE_PLAIN, "A simulated drive: nothing can be lost.");
		return;
	}
	if (!plan_writes(outlook->plan)) {
		document_prose(doc, TONE_PLAIN, "It only reads \"%s\".", path);
		return;
	}
	(void)guard_check(path, &rules, &device_roots_real, facts, &verdict, NULL);
	if (facts->target == GUARD_NEW_FILE)
		document_prose(doc, TONE_PLAIN, "\"%s\" is not there yet: nothing is lost.",
			       path);
	else
		document_prose(doc, TONE_WARNING, "all data on \"%s\" are lost%s%s", path,
			       *verdict.found ? ": " : "", verdict.found);
	if (verdict.decision == GUARD_REFUSE)
		document_prose(doc, TONE_WARNING, "%s", verdict.message);
	else if (*verdict.token)
		document_prose(doc, TONE_PLAIN, "Consent is given by --destroy=%s.",
			       verdict.token);
	for (unsigned s = 0; s < outlook->plan->nsteps; s++)
		if (purges->of_step[s])
			add_purge(doc, &outlook->plan->steps[s], purges->of_step[s]);
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

static void find_subject(const struct plan_outlook *outlook, const struct plan_drive *drive,
			 const struct plan_purges *purges, struct plan_subject *ret_subject)
{
	*ret_subject = (struct plan_subject){.path = drive->path,
					     .size_bytes = drive->size_bytes,
					     .is_file = drive->kind == PLAN_FILE,
					     .scale = outlook->scale};
	for (unsigned s = 0; s < outlook->plan->nsteps; s++)
		ret_subject->purge_zeroes[s] =
			purges->of_step[s] && purges->of_step[s]->method == PURGE_ZERO;
	plan_rates_find(outlook, drive->path, &ret_subject->speeds);
}

static void guess_steps(const struct plan *plan, const struct plan_subject *subject,
			struct plan_guess *ret_guesses)
{
	for (unsigned s = 0; s < plan->nsteps; s++)
		plan_estimate_step(plan, s, subject, &ret_guesses[s]);
}

void plan_estimate_page(struct document *doc, const struct plan_outlook *outlook)
{
	const struct plan *plan = outlook->plan;
	struct plan_guess all = {0},
			  *guesses = arena_array(&doc->arena, struct plan_guess,
						 outlook->ndrives * plan->nsteps + 1);

	document_heading(
		doc, 1, "%s: what it will do%s", plan->title ? plan->title : plan->name,
		outlook->scale > 1 ? document_text(doc, ", scale 1/%u", outlook->scale) : "");
	for (unsigned i = 0; i < outlook->ndrives; i++) {
		const struct plan_drive *drive = &outlook->drives[i];
		struct plan_subject subject;
		struct plan_purges purges;
		struct plan_guess whole, of_drive;

		look_at_purges(&doc->arena, outlook, drive, &purges);
		find_subject(outlook, drive, &purges, &subject);
		if (outlook->speeds)
			outlook->speeds[i] = subject.speeds;
		document_heading(doc, 2, "%s, %s", drive->path,
				 figure_decimal(doc, drive->size_bytes));
		add_steps(doc, plan, &subject, &whole);
		guess_steps(plan, &subject, guesses + (size_t)i * plan->nsteps);
		document_prose(doc, TONE_PLAIN, "Rates: %s.", subject.speeds.source);
		add_life(doc, outlook->spec, &whole);
		add_losses(doc, outlook, drive, &purges);
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
				? PLURAL(outlook->repetitions,
					 "%u targets at once, %u repetition: %s, %s written.",
					 "%u targets at once, %u repetitions: %s, %s written.")
			: outlook->ndrives == 1
				? PLURAL(outlook->repetitions,
					 "%u target, %u repetition: %s, %s written.",
					 "%u target, %u repetitions: %s, %s written.")
				: PLURAL(outlook->repetitions,
					 "%u targets, %u repetition: %s, %s written.",
					 "%u targets, %u repetitions: %s, %s written."),
			outlook->ndrives, outlook->repetitions, time_range(doc, &all),
			bytes_range(doc, &all));
	plan_limit_page(doc, outlook, guesses);
}

/* --- for programs --- */

static void add_json_guess(struct json *json, const struct plan_guess *guess)
{
	json_add_u64(json, "least_ns", guess->least_ns);
	json_add_u64(json, "most_ns", guess->most_ns);
	json_add_u64(json, "least_written_bytes", guess->least_written);
	json_add_u64(json, "most_written_bytes", guess->most_written);
	json_add_u64(json, "least_runs", guess->least_cells);
	json_add_u64(json, "most_runs", guess->most_cells);
	json_add_bool(json, "most_is_known", !guess->open);
}

static void add_json_steps(struct json *json, const struct plan *plan,
			   const struct plan_purges *purges, const struct plan_subject *subject)
{
	json_open_array(json, "steps");
	for (unsigned s = 0; s < plan->nsteps; s++) {
		const struct purge_plan *purge = purges->of_step[s];
		struct plan_guess guess;

		plan_estimate_step(plan, s, subject, &guess);
		json_open_object(json, NULL);
		json_add_string(json, "step", plan->steps[s].name);
		json_add_string(json, "kind", plan_kind_name(plan->steps[s].kind));
		add_json_guess(json, &guess);
		if (purge) {
			json_add_string(json, "method", purge_method_name(purge->method));
			json_open_array(json, "erases");
			for (unsigned i = 0; i < purge->nerased; i++)
				json_add_string(json, NULL, purge->erased[i]);
			json_close_array(json);
		}
		json_close_object(json);
	}
	json_close_array(json);
}

void plan_estimate_json(const struct plan_outlook *outlook, struct str *out)
{
	struct plan_guess *guesses;
	struct arena arena;
	struct json json;

	arena_init(&arena);
	guesses = arena_array(&arena, struct plan_guess,
			      outlook->ndrives * outlook->plan->nsteps + 1);
	json_init(&json, out);
	json_open_object(&json, NULL);
	json_add_string(&json, "format", "assay estimate 1");
	json_add_string(&json, "plan", outlook->plan->name);
	json_add_u64(&json, "scale", outlook->scale);
	json_add_u64(&json, "repetitions", outlook->repetitions);
	json_open_array(&json, "targets");
	for (unsigned i = 0; i < outlook->ndrives; i++) {
		const struct plan_drive *drive = &outlook->drives[i];
		struct plan_subject subject;
		struct plan_purges purges;
		struct plan_guess once;

		look_at_purges(&arena, outlook, drive, &purges);
		find_subject(outlook, drive, &purges, &subject);
		json_open_object(&json, NULL);
		json_add_string(&json, "target", drive->path);
		json_add_u64(&json, "size_bytes", drive->size_bytes);
		json_add_string(&json, "rates", subject.speeds.source);
		add_json_steps(&json, outlook->plan, &purges, &subject);
		guess_steps(outlook->plan, &subject,
			    guesses + (size_t)i * outlook->plan->nsteps);
		plan_estimate(outlook->plan, &subject, &once);
		json_open_object(&json, "once");
		add_json_guess(&json, &once);
		json_close_object(&json);
		json_close_object(&json);
	}
	json_close_array(&json);
	plan_limit_json(&json, outlook, guesses);
	json_close_object(&json);
	str_add_char(out, '\n');
	arena_done(&arena);
}
