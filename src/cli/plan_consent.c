/* Consent of a plan: once, before it begins; and again where a plan that goes on finds what was not
 * there when it was given. */
#include <stdlib.h>
#include <string.h>

#include "cli/plan_estimate.h"
#include "cli/plan_session.h"

/* A line each. */
static const char *signature_text(struct arena *arena, const struct guard_signature *one)
{
	return arena_printf(arena, "%s \"%s\" on %s\n", one->type, one->label, one->device);
}

static const char *list_signatures(struct arena *arena, const struct guard_facts *facts)
{
	autostr list = {0};

	for (unsigned i = 0; i < facts->nsignatures; i++)
		str_add(&list, signature_text(arena, &facts->signature[i]));
	return arena_strdup(arena, str_text(&list));
}

bool plan_writes(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->nsteps; i++)
		if (plan_step_writes(&plan->steps[i]))
			return true;
	return false;
}

/* What the command line and the environment consent to; "" nothing. */
const char *plan_consented(struct plan_session *s)
{
	const char *environment = getenv("ASSAY_DESTROY"), *given = s->options->destroy;

	return arena_printf(&s->kept.record.arena, "%s%s%s", given ? given : "",
			    given && environment ? "," : "", environment ? environment : "");
}

/* Once for the whole plan; what was consented to is kept with it. */
static int ask_guard(struct plan_session *s, unsigned target, struct err *err)
{
	const char *given = plan_consented(s);
	struct arena *arena = &s->kept.record.arena;
	struct guard_rules rules = {.face = GUARD_NATIVE};
	struct guard_facts *facts = arena_new(arena, struct guard_facts);
	struct guard_verdict verdict = {0};
	const char *path = s->x.drives[target].path;
	char typed[sizeof(verdict.token)] = "";
	int rc;

	guard_tokens_parse(arena, given, &rules.tokens, &rules.ntokens);
	rc = guard_check(path, &rules, &device_roots_real, facts, &verdict, err);
	if (rc && verdict.decision == GUARD_NEEDS_CONSENT &&
	    !plan_live_ask(s, &verdict, typed, sizeof(typed))) {
		*err = (struct err){0};
		guard_tokens_parse(arena, arena_strdup(arena, typed), &rules.tokens,
				   &rules.ntokens);
		rc = guard_check(path, &rules, &device_roots_real, facts, &verdict, err);
	}
	if (!rc)
		s->kept.record.targets[target].found = list_signatures(arena, facts);
	/* A purge may erase more than the target: what was given for that is needed too. */
	if (!rc && verdict.by_consent)
		s->kept.record.targets[target].token =
			arena_printf(arena, "%s%s%s", verdict.token, *given ? "," : "", given);
	else if (!rc && *given)
		s->kept.record.targets[target].token = given;
	return rc;
}

int plan_ask_all(struct plan_session *s, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < s->x.ndrives && !rc && plan_writes(&s->kept.plan); i++) {
		if (s->x.drives[i].kind == PLAN_SIMULATED)
			continue;
		rc = ask_guard(s, i, err);
		if (!rc)
			rc = keep_check_path(&s->keep, s->x.drives[i].path, true, err);
	}
	return rc;
}

/* Is nothing left of what a drive carried when the plan began? */
static bool is_overwritten(const struct plan_session *s, unsigned target)
{
	for (unsigned i = 0; i < s->kept.journal.count; i++) {
		const struct plan_entry *entry = &s->kept.journal.entries[i];
		const struct plan_step *step = &s->kept.plan.steps[entry->task.step];
		bool whole = step->range_percent_x100 == 10000 && s->kept.record.scale == 1;

		if (entry->task.target != target || entry->state != PLAN_DONE)
			continue;
		if (step->kind == PLAN_PURGE || (step->kind == PLAN_FILL && whole))
			return true;
	}
	return false;
}

/* A name on the drive that was not there when consent was given, or that the plan wrote over:
 * somebody else put it there. Data without a name are taken for what the plan wrote. */
static bool has_strangers(struct plan_session *s, unsigned target,
			  const struct guard_facts *facts)
{
	const char *found = s->kept.record.targets[target].found;
	bool gone = is_overwritten(s, target);

	if (plan_filesystem_is_ours(&s->x, &s->x.drives[target]))
		return false;
	for (unsigned i = 0; i < facts->nsignatures; i++)
		if (gone || !found ||
		    !strstr(found, signature_text(&s->kept.record.arena, &facts->signature[i])))
			return true;
	return false;
}

int plan_ask_strangers(struct plan_session *s, struct err *err)
{
	struct arena *arena = &s->kept.record.arena;
	int rc = 0;

	s->x.plan = &s->kept.plan;
	s->x.record = &s->kept.record;
	for (unsigned i = 0; i < s->x.ndrives && !rc && plan_writes(&s->kept.plan); i++) {
		struct guard_facts *facts = arena_new(arena, struct guard_facts);

		if (s->x.drives[i].kind != PLAN_BLOCK)
			continue;
		rc = guard_gather(facts, s->x.drives[i].path, &device_roots_real, err);
		if (rc || !has_strangers(s, i, facts))
			continue;
		s->kept.record.targets[i].token = NULL;
		rc = ask_guard(s, i, err);
	}
	return rc;
}
