/* A check of a soak: asked of each slice, and of all of them together. */
#include <stdio.h>

#include "base/lang.h"
#include "plan/journal.h"
#include "plan/plan_priv.h"

void plan_slices_judge(const struct plan_lane *lane, const struct plan_check *check,
		       struct plan_verdict *verdict)
{
	unsigned count[OUTCOME_NOT_APPLICABLE + 1] = {0}, slices = 0, from = 0, number = 0;
	const struct plan_entry *entry;
	struct plan_verdict failed;
	autostr said = {0};

	while ((entry = plan_entry_next(lane, verdict->step, &from))) {
		struct plan_verdict one;

		if (entry->state == PLAN_SKIPPED)
			continue;
		slices++;
		(void)plan_slice_judge(lane, check, entry, &one); /* tried before */
		if (one.outcome == OUTCOME_FAIL && !count[OUTCOME_FAIL]) {
			failed = one;
			number = slices;
		}
		count[one.outcome]++;
	}
	if (number) {
		*verdict = failed;
		str_printf(&said,
			   PLURAL(slices, "%s in slice %u; %u of %u slice fails",
				  "%s in slice %u; %u of %u slices fail"),
			   failed.measured, number, count[OUTCOME_FAIL], slices);
	} else {
		str_printf(&said,
			   PLURAL(slices, "%s; %u of %u slice passes by itself",
				  "%s; %u of %u slices pass by themselves"),
			   verdict->measured, count[OUTCOME_PASS], slices);
	}
	(void)snprintf(verdict->measured, sizeof(verdict->measured), "%s", str_text(&said));
	(void)snprintf(verdict->text, sizeof(verdict->text), "%s: %s", check->text,
		       str_text(&said));
}
