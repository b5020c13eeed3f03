/*
 * Any text as a plan: one error that names the file, with an empty plan; or a plan whose own text
 * reads back to the same. Nothing is included: the files beside it are not the fuzzer's.
 */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "fuzz/fuzz.h"

#define INPUT_MAX 8192

static void must_read_back(const struct plan *plan)
{
	autostr text = {0}, again = {0};
	struct err err = {0};
	struct plan other;

	plan_format(plan, &text);
	assert(plan_read_text(&other, "again.plan", str_text(&text), NULL, &err) == 0);
	assert(other.nsteps == plan->nsteps);
	for (unsigned i = 0; i < plan->nsteps; i++) {
		assert(other.steps[i].kind == plan->steps[i].kind);
		assert(other.steps[i].ncells == plan->steps[i].ncells);
		assert(other.steps[i].nchecks == plan->steps[i].nchecks);
	}
	plan_format(&other, &again);
	assert(strcmp(str_text(&text), str_text(&again)) == 0);
	plan_done(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct err err = {0};
	struct plan plan;
	char *text;

	if (bytes > INPUT_MAX)
		return 0;
	text = malloc(bytes + 1);
	assert(text);
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	if (strstr(text, "include")) {
		free(text);
		return 0;
	}
	if (plan_read_text(&plan, "x.plan", text, NULL, &err)) {
		assert(err.kind == ERR_INPUT && err.text[0]);
		assert(!plan.arena.blocks && !plan.nsteps);
	} else {
		assert(plan.nsteps > 0);
		must_read_back(&plan);
		plan_done(&plan);
	}
	free(text);
	return 0;
}
