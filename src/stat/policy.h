/*
 * A policy: rules of quality of service, as a small text file. A line "[name] what it says"
 * begins a rule; the lines after it are checks (check.h), all of which must pass. Before the
 * first rule "interval = 1s" sets the grain, and "about = ..." says where the rules come from.
 * "#" begins a comment. The policies of policies/ are part of the program.
 *
 * A verdict is pass, fail or cannot tell, for each rule and for all; of several the first in
 * the order fail, cannot tell, pass. A rule that does not apply (no writes in the log) says so
 * and counts for nothing; if none applies, the verdict is "cannot tell".
 */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "stat/check.h"
#include "stat/qos.h"

#define POLICY_RULES_MAX  16
#define POLICY_CHECKS_MAX 16 /* of one rule */

struct policy_rule {
	const char *name, *title;
	const char *checks[POLICY_CHECKS_MAX];
	unsigned nchecks;
};

struct policy {
	const char *name, *about;
	uint64_t interval_ns; /* 0: the policy does not care */
	struct policy_rule rules[POLICY_RULES_MAX];
	unsigned nrules;
	/* Latencies that the checks count above: to be series_threshold()s. */
	uint64_t thresholds_ns[SERIES_THRESHOLDS_MAX];
	unsigned nthresholds;
};

/* The built-in ones, by name; NULL: there is none. policy_name(i) lists them until NULL. */
const char *policy_text(const char *name);
const char *policy_name(unsigned i);

/* Every check is read once, so that a bad one is known before a log is. Errors say policy and
 * line. `specs` are the figures "spec.*"; texts are kept in the arena. */
int policy_parse(const char *name, const char *text, const struct qos *specs,
		 struct arena *arena, struct policy *ret_policy, struct err *err);

struct verdict_rule {
	const struct policy_rule *rule;
	enum outcome outcome;
	struct check_result *results; /* one a check */
};

struct verdict {
	const struct policy *policy;
	enum outcome outcome; /* never OUTCOME_NOT_APPLICABLE */
	struct verdict_rule rules[POLICY_RULES_MAX];
};

int policy_judge(const struct policy *policy, struct qos *qos, struct arena *arena,
		 struct verdict *ret_verdict, struct err *err);

/* Of both: fail, else cannot tell, else pass; what does not apply takes no part. */
enum outcome outcome_worse(enum outcome a, enum outcome b);
