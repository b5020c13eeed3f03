/* What a journal comes to: how rounds ended, and verdicts. */
#include <math.h>
#include <string.h>

#include "plan/execute.h"

static void add_rounds(const struct plan_lane *lane, unsigned step, unsigned pass,
		       struct plan_record *record)
{
	const struct plan_step *s = &lane->plan->steps[step];
	struct plan_steady steady;

	plan_steady(lane, step, pass, &steady);
	if (!steady.rounds)
		return;
	for (unsigned v = 0; v < s->until.count; v++) {
		const struct plan_proof *proof = &steady.proof[v];

		record->rounds = arena_more(&record->arena, record->rounds, record->nrounds,
					    sizeof(*record->rounds));
		record->rounds[record->nrounds++] = (struct plan_round_row){
			.task = {.target = lane->target,
				 .repetition = lane->repetition,
				 .step = step,
				 .pass = pass},
			.variable = arena_strdup(&record->arena, s->until.variable[v].text),
			.attained = proof->attained && steady.nwindow == s->until.window,
			.first_round = steady.first_round,
			.rounds = steady.rounds,
			.mean = proof->mean,
			.slope = proof->slope,
			.range_percent = proof->range_percent,
			.slope_percent = proof->slope_percent,
		};
	}
}

/* A check whose step has not been done yet is not asked. */
static bool is_done(const struct plan_lane *lane, unsigned step)
{
	struct plan_task task;

	for (unsigned s = 0; s <= step; s++)
		if (plan_step_next(lane, s, &task))
			return false;
	return true;
}

static void add_verdicts(const struct plan_lane *lane, unsigned step,
			 struct plan_record *record)
{
	const struct plan_step *s = &lane->plan->steps[step];
	struct plan_verdict *verdicts;
	unsigned count;

	if (!s->nchecks || !is_done(lane, step))
		return;
	count = plan_step_verdicts(lane, step, &record->arena, &verdicts);
	for (unsigned i = 0; i < count; i++) {
		const struct plan_verdict *verdict = &verdicts[i];

		record->verdicts = arena_more(&record->arena, record->verdicts,
					      record->nverdicts, sizeof(*record->verdicts));
		record->verdicts[record->nverdicts++] = (struct plan_verdict_row){
			.task = {.target = lane->target,
				 .repetition = lane->repetition,
				 .step = step},
			.step_name = arena_strdup(&record->arena, s->name),
			.cell_name = arena_strdup(
				&record->arena,
				verdict->cell < 0 ? "" : s->cells[verdict->cell].name),
			.rule = arena_strdup(&record->arena, s->checks[verdict->check].text),
			.outcome = outcome_name(verdict->outcome),
			.text = arena_strdup(&record->arena, verdict->text),
			.value = verdict->value,
			.threshold = verdict->threshold,
		};
	}
}

static void judge_lane(const struct plan_lane *lane, struct plan_record *record)
{
	for (unsigned step = 0; step < lane->plan->nsteps; step++) {
		const struct plan_step *s = &lane->plan->steps[step];

		for (unsigned pass = 0; s->kind == PLAN_ROUNDS && pass < s->repeat; pass++)
			add_rounds(lane, step, pass, record);
		add_verdicts(lane, step, record);
	}
}

void plan_record_judge(const struct plan *plan, const struct plan_journal *journal,
		       const struct plan_spec *spec, struct plan_record *record)
{
	record->rounds = NULL; /* the old ones stay in the arena until its end */
	record->verdicts = NULL;
	record->nrounds = record->nverdicts = 0;
	for (unsigned r = 0; r < record->repetitions; r++)
		for (unsigned t = 0; t < record->ntargets; t++)
			judge_lane(&(struct plan_lane){.plan = plan,
						       .journal = journal,
						       .spec = spec,
						       .target = t,
						       .repetition = r},
				   record);
}

enum outcome plan_record_outcome(const struct plan_record *record)
{
	enum outcome worst = OUTCOME_NOT_APPLICABLE;

	for (unsigned i = 0; i < record->nverdicts; i++) {
		const char *outcome = record->verdicts[i].outcome;

		if (str_equal(outcome, outcome_name(OUTCOME_FAIL)))
			return OUTCOME_FAIL;
		if (str_equal(outcome, outcome_name(OUTCOME_CANNOT_TELL)))
			worst = OUTCOME_CANNOT_TELL;
		else if (str_equal(outcome, outcome_name(OUTCOME_PASS)) &&
			 worst == OUTCOME_NOT_APPLICABLE)
			worst = OUTCOME_PASS;
	}
	return worst;
}

void plan_journal_load(struct plan_journal *ret_journal, const struct plan_record *record)
{
	plan_journal_init(ret_journal);
	plan_journal_sizes(ret_journal, record);
	for (unsigned i = 0; i < record->nentries; i++)
		plan_journal_add(ret_journal, &record->entries[i]);
}
