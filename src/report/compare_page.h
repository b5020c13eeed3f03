/* Two runs side by side: rule by rule, figure by figure, and their scatter. */
#pragma once

#include "report/document.h"
#include "stat/compare.h"
#include "stat/policy.h"

struct compared {
	const char *name_a, *name_b;
	const struct qos *a, *b;
	const struct verdict *verdict_a, *verdict_b;
	const struct comparison *comparison;
	uint64_t seed;
	double margin;
};

void compare_page(struct document *doc, const struct compared *compared);
void compare_json(const struct compared *compared, const char *version, struct str *out);

/* With a margin: pass where everything is alike or better, fail where something is worse beyond
 * it with its whole interval, else cannot tell. */
enum outcome compare_gate(const struct compared *compared);
