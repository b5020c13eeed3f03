/* Policies of a plan: their checks take intervals apart, so that each run is judged when it is
 * done, by its rows, and the journal keeps what was said. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/lang.h"
#include "base/memory.h"
#include "plan/measure.h"
#include "plan/plan_priv.h"
#include "result/result_qos.h"

/* Where in the run the worst of it is: what fails somewhere is looked for there. */
static void add_when(const struct qos_run *run, const struct check_result *result,
		     struct plan_verdict *verdict)
{
	autostr text = {0};

	for (unsigned i = 0; i < result->ncomparisons; i++) {
		struct qos_span span;
		unsigned total;

		if (result->comparisons[i].outcome == OUTCOME_PASS ||
		    result->comparisons[i].left.value.state != CHECK_KNOWN ||
		    !qos_concerned(run, &result->comparisons[i], &span, 1, &total))
			continue;
		str_printf(&text, N_("%s; the worst at %.3f s to %.3f s of the run"),
			   verdict->measured, (double)span.begin_ns / 1e9,
			   (double)span.end_ns / 1e9);
		(void)snprintf(verdict->measured, sizeof(verdict->measured), "%s",
			       str_text(&text));
		return;
	}
}

static int judge_one(struct qos *qos, const char *rule, struct arena *arena,
		     struct plan_judged *ret_judged, struct err *err)
{
	const struct check_value *limit;
	struct plan_verdict verdict = {.value = (double)NAN, .threshold = (double)NAN};
	struct check_figures figures;
	struct check_result result;
	int rc;

	qos_figures(qos, &figures);
	rc = check_judge(rule, &figures, &result, err);
	if (rc)
		return rc;
	plan_verdict_describe(&result, rule, &verdict);
	limit = &result.comparisons[0].right.value;
	if (result.outcome == OUTCOME_FAIL || result.outcome == OUTCOME_CANNOT_TELL)
		add_when(qos->run, &result, &verdict);
	*ret_judged = (struct plan_judged){
		.rule = arena_strdup(arena, rule),
		.outcome = result.outcome,
		.value = verdict.value,
		.threshold = limit->state == CHECK_KNOWN ? verdict.threshold : (double)NAN,
		.measured = arena_strdup(arena, verdict.measured),
		.limit = arena_strdup(arena, verdict.limit)};
	return 0;
}

/* A policy that has nothing to say of a run does not pass it. */
static void tell_unasked(const struct plan_step *step, struct plan_entry *entry)
{
	unsigned first = 0, i = 0;

	for (unsigned c = 0; c < step->nchecks; c++) {
		const char *next = c + 1 < step->nchecks ? step->checks[c + 1].policy : NULL;
		bool applies = false;

		if (!step->checks[c].policy)
			continue;
		i++;
		if (next && str_equal(next, step->checks[c].policy))
			continue;
		for (unsigned j = first; j < i; j++)
			applies |= entry->judged[j].outcome != OUTCOME_NOT_APPLICABLE;
		for (unsigned j = first; j < i && !applies; j++) {
			entry->judged[j].outcome = OUTCOME_CANNOT_TELL;
			entry->judged[j].measured = N_("not applicable: nothing in the run is "
						       "what the policy is about");
		}
		first = i;
	}
}

int plan_entry_judge(const struct plan_step *step, const struct result *result,
		     struct arena *arena, struct plan_entry *entry, struct err *err)
{
	unsigned count = 0;
	struct arena scratch; /* of histograms: they would lie about until the cell is kept */
	struct qos_run run;
	struct qos qos;
	int rc;

	for (unsigned i = 0; i < step->nchecks; i++)
		count += step->checks[i].policy != NULL;
	if (!count)
		return 0;
	entry->judged = arena_array(arena, struct plan_judged, count);
	arena_init(&scratch);
	rc = result_qos_density(result, &scratch, &run, NULL, err);
	if (!rc)
		qos_init(&qos, &run, &scratch);
	for (unsigned i = 0; i < step->nchecks && !rc; i++) {
		if (!step->checks[i].policy)
			continue;
		rc = judge_one(&qos, step->checks[i].text, arena,
			       &entry->judged[entry->njudged], err);
		entry->njudged += !rc;
	}
	arena_done(&scratch);
	if (!rc)
		tell_unasked(step, entry);
	return rc;
}

/* --- what the journal says --- */

static const struct plan_judged *find_judged(const struct plan_entry *entry, const char *rule)
{
	for (unsigned i = 0; i < entry->njudged; i++) {
		if (str_equal(entry->judged[i].rule, rule))
			return &entry->judged[i];
	}
	return NULL;
}

static int badness(enum outcome outcome)
{
	static const int of[] = {[OUTCOME_NOT_APPLICABLE] = 0,
				 [OUTCOME_PASS] = 1,
				 [OUTCOME_CANNOT_TELL] = 2,
				 [OUTCOME_FAIL] = 3};

	return of[outcome];
}

static const struct plan_judged *worst_of(const struct plan_entry *const *entries,
					  unsigned count, const char *rule, unsigned *ret_at)
{
	static const struct plan_judged unasked = {
		.outcome = OUTCOME_CANNOT_TELL,
		.value = (double)NAN,
		.threshold = (double)NAN,
		.measured = N_("its run was kept before a policy could judge it"),
		.limit = ""};
	const struct plan_judged *worst = NULL;

	for (unsigned i = 0; i < count; i++) {
		const struct plan_judged *one = find_judged(entries[i], rule);

		one = one ? one : &unasked;
		if (worst && badness(one->outcome) <= badness(worst->outcome))
			continue;
		worst = one;
		*ret_at = i;
	}
	return worst;
}

bool plan_judged_verdict(const struct plan_lane *lane, const struct plan_check *check,
			 const struct plan_entry *entry, struct plan_verdict *verdict)
{
	unsigned room = lane->journal->count, count = 1, at = 0;
	const struct plan_entry **entries =
		memory_zeroed(room + 1UL, sizeof(const struct plan_entry *));
	const struct plan_judged *worst;
	bool asked = false;
	autostr measured = {0};

	entries[0] = entry;
	if (!entry)
		count = plan_cell_entries(lane, verdict->step, (unsigned)verdict->cell, entries,
					  room);
	for (unsigned i = 0; i < count; i++)
		asked |= entries[i]->njudged > 0;
	worst = worst_of(entries, count, check->text, &at);
	free((void *)entries);
	if (!worst) {
		str_add(&measured, "nothing was measured");
	} else {
		verdict->outcome = worst->outcome;
		verdict->value = worst->value;
		verdict->threshold = worst->threshold;
		if (count > 1)
			str_printf(&measured, N_("run %u of %u: %s"), at + 1, count,
				   worst->measured);
		else
			str_add(&measured, worst->measured);
		(void)snprintf(verdict->limit, sizeof(verdict->limit), "%s", worst->limit);
	}
	(void)snprintf(verdict->measured, sizeof(verdict->measured), "%s", str_text(&measured));
	(void)snprintf(verdict->text, sizeof(verdict->text), "%s: %s", check->text,
		       str_text(&measured));
	return asked;
}
