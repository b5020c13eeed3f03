#include "stat/policy.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/unit.h"
#include "stat/policy_texts_priv.h"

#define LINE_MAX_BYTES 200

struct read {
	const char *name;
	unsigned line;
	struct policy *policy;
	struct arena *arena;
	struct qos empty; /* a run without anything, and the specs */
	struct err *err;
};

#define refuse(read, ...)                                                                   \
	(err_input((read)->err, __VA_ARGS__),                                               \
	 err_context((read)->err, "policy \"%.60s\", line %u", (read)->name, (read)->line), \
	 -EINVAL)

const char *policy_name(unsigned i)
{
	return i < ARRAY_SIZE(policy_texts) ? policy_texts[i].name : NULL;
}

const char *policy_text(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(policy_texts); i++) {
		if (str_equal(policy_texts[i].name, name))
			return policy_texts[i].text;
	}
	return NULL;
}

/* Sees each figure go by, and keeps the latencies that are numbers. */
static int collect(void *ctx, const struct check_figure *figure, struct check_value *ret_value,
		   struct err *err)
{
	struct read *read = ctx;
	struct policy *policy = read->policy;
	struct check_figures figures;
	double ns = figure->argument;
	int rc;

	qos_figures(&read->empty, &figures);
	rc = figures.find(figures.ctx, figure, ret_value, err);
	if (rc || figure->argument_unit != CHECK_TIME || isnan(ns) || ns < 1 || ns > 1e18)
		return rc;
	for (unsigned i = 0; i < policy->nthresholds; i++) {
		if ((double)policy->thresholds_ns[i] == ns)
			return 0;
	}
	if (policy->nthresholds == SERIES_THRESHOLDS_MAX)
		return err_input(err, "more than %u latencies to count above in one policy",
				 SERIES_THRESHOLDS_MAX);
	policy->thresholds_ns[policy->nthresholds++] = (uint64_t)ns;
	return 0;
}

static int add_check(struct read *read, const char *line)
{
	const struct check_figures figures = {.ctx = read, .find = collect};
	struct policy_rule *rule;
	struct check_result result;
	struct err err = {0};

	if (!read->policy->nrules)
		return refuse(read,
			      "\"%.60s\" stands before the first rule: write \"[name] what "
			      "it says\" before it",
			      line);
	rule = &read->policy->rules[read->policy->nrules - 1];
	if (rule->nchecks == POLICY_CHECKS_MAX)
		return refuse(read, "more than %u checks in one rule", POLICY_CHECKS_MAX);
	if (check_judge(line, &figures, &result, &err))
		return refuse(read, "%s", err.text);
	rule->checks[rule->nchecks++] = arena_strdup(read->arena, line);
	return 0;
}

static int add_rule(struct read *read, const char *line)
{
	const char *end = strchr(line, ']'), *title;
	struct policy_rule *rule;

	if (!end || end == line + 1)
		return refuse(read, "\"%.60s\": a rule begins with \"[name] what it says\"",
			      line);
	if (read->policy->nrules == POLICY_RULES_MAX)
		return refuse(read, "more than %u rules", POLICY_RULES_MAX);
	rule = &read->policy->rules[read->policy->nrules++];
	rule->name = arena_strndup(read->arena, line + 1, (size_t)(end - line) - 1);
	title = end + 1 + strspn(end + 1, " \t");
	rule->title = *title ? arena_strdup(read->arena, title) : rule->name;
	return 0;
}

/* "interval = 1s", "about = ...": only before the first rule. True if the line was one. */
static bool take_setting(struct read *read, const char *line, const char *key,
			 const char **ret_value)
{
	size_t length = strlen(key);
	const char *at = line + length;

	if (read->policy->nrules || strncmp(line, key, length) != 0)
		return false;
	at += strspn(at, " \t");
	if (at[0] != '=' || at[1] == '=')
		return false;
	*ret_value = at + 1 + strspn(at + 1, " \t");
	return true;
}

static int read_line(struct read *read, const char *line)
{
	struct err err = {0};
	const char *value;

	if (*line == '[')
		return add_rule(read, line);
	if (take_setting(read, line, "about", &value)) {
		read->policy->about = arena_strdup(read->arena, value);
		return 0;
	}
	if (take_setting(read, line, "interval", &value)) {
		if (unit_parse_time(value, "s", &read->policy->interval_ns, &err))
			return refuse(read, "interval: %s", err.text);
		if (!read->policy->interval_ns)
			return refuse(read, "interval: \"%s\" must be above 0", value);
		return 0;
	}
	return add_check(read, line);
}

static bool rules_complete(struct read *read)
{
	const struct policy *policy = read->policy;

	for (unsigned i = 0; i < policy->nrules; i++) {
		if (policy->rules[i].nchecks)
			continue;
		(void)refuse(read, "rule \"%.40s\" has no check", policy->rules[i].name);
		return false;
	}
	if (!policy->nrules)
		(void)refuse(read, "%s",
			     N_("there is no rule: \"[name] what it says\" begins one"));
	return policy->nrules > 0;
}

int policy_parse(const char *name, const char *text, const struct qos *specs,
		 struct arena *arena, struct policy *ret_policy, struct err *err)
{
	static const struct qos_run nothing = {.interval_ns = NS_PER_S, .has_latency = true};
	struct read read = {.name = name, .policy = ret_policy, .arena = arena, .err = err};

	*ret_policy = (struct policy){.name = arena_strdup(arena, name), .about = ""};
	read.empty = (struct qos){.run = &nothing};
	if (specs) {
		read.empty.specs = specs->specs;
		read.empty.nspecs = specs->nspecs;
	}
	while (*text) {
		size_t length = strcspn(text, "\n"), used = strcspn(text, "#\n");
		char line[LINE_MAX_BYTES];
		int rc = 0;

		read.line++;
		while (used && isspace((unsigned char)text[used - 1]))
			used--;
		if (used >= sizeof(line))
			return refuse(&read, "more than %d characters", LINE_MAX_BYTES - 1);
		memcpy(line, text, used);
		line[used] = '\0';
		if (strspn(line, " \t") < used)
			rc = read_line(&read, line + strspn(line, " \t"));
		if (rc)
			return rc;
		text += length + (text[length] == '\n');
	}
	return rules_complete(&read) ? 0 : -EINVAL;
}

enum outcome outcome_worse(enum outcome a, enum outcome b)
{
	if (a == OUTCOME_NOT_APPLICABLE || b == OUTCOME_NOT_APPLICABLE)
		return a == OUTCOME_NOT_APPLICABLE ? b : a;
	if (a == OUTCOME_FAIL || b == OUTCOME_FAIL)
		return OUTCOME_FAIL;
	return a == OUTCOME_CANNOT_TELL ? a : b;
}

/* Samples are lost: that those which are left keep a limit says nothing of the others. */
static void doubt(struct check_result *result)
{
	if (result->outcome != OUTCOME_PASS)
		return;
	result->outcome = OUTCOME_CANNOT_TELL;
	for (unsigned i = 0; i < result->ncomparisons; i++) {
		struct check_comparison *one = &result->comparisons[i];

		if (one->outcome != OUTCOME_PASS)
			continue;
		one->outcome = OUTCOME_CANNOT_TELL;
		(void)snprintf(one->left.value.reason, sizeof(one->left.value.reason), "%s",
			       N_("rows of the log are lost by damage"));
	}
}

int policy_judge(const struct policy *policy, struct qos *qos, struct arena *arena,
		 struct verdict *ret_verdict, struct err *err)
{
	struct verdict verdict = {.policy = policy, .outcome = OUTCOME_NOT_APPLICABLE};
	struct check_figures figures;

	qos_figures(qos, &figures);
	for (unsigned i = 0; i < policy->nrules; i++) {
		const struct policy_rule *rule = &policy->rules[i];
		struct verdict_rule *one = &verdict.rules[i];

		*one = (struct verdict_rule){.rule = rule, .outcome = OUTCOME_NOT_APPLICABLE};
		one->results = arena_array(arena, struct check_result, rule->nchecks);
		for (unsigned c = 0; c < rule->nchecks; c++) {
			int rc = check_judge(rule->checks[c], &figures, &one->results[c], err);

			if (rc)
				return rc;
			if (qos->run->nlost)
				doubt(&one->results[c]);
			one->outcome = outcome_worse(one->outcome, one->results[c].outcome);
		}
		verdict.outcome = outcome_worse(verdict.outcome, one->outcome);
	}
	if (verdict.outcome == OUTCOME_NOT_APPLICABLE)
		verdict.outcome = OUTCOME_CANNOT_TELL;
	*ret_verdict = verdict;
	return 0;
}
