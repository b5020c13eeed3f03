#include "report/judge_page.h"

#include <math.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "report/judge_priv.h"

static void value_cell(struct document *doc, struct table *table,
		       const struct check_value *value)
{
	autostr text = {0};

	if (value->state != CHECK_KNOWN || isnan(value->value)) {
		table_cell(doc, table, "–");
		return;
	}
	/* A percentile whose upper bound is beyond the largest sample is no figure. */
	if (isinf(value->high))
		str_add(&text, "–");
	else
		check_format(value, &text);
	table_cell(doc, table, "%s", str_text(&text));
}

static void checks_table(struct document *doc, const struct verdict_rule *rule)
{
	static const char *const heads[] = {N_("check"), N_("measured"), N_("95 % bounds"),
					    N_("limit"), N_("outcome"),	 NULL};
	struct table table;

	table_init(&table, heads);
	for (unsigned c = 0; c < rule->rule->nchecks; c++) {
		const struct check_result *result = &rule->results[c];

		for (unsigned i = 0; i < result->ncomparisons; i++) {
			const struct check_comparison *one = &result->comparisons[i];
			autostr bounds = {0};

			judge_bounds(doc->style.lang, &one->left.value, &bounds);
			table_cell(doc, &table, "%s%s", i ? "… " : "", one->text);
			value_cell(doc, &table, &one->left.value);
			table_cell(doc, &table, "%s", str_text(&bounds));
			value_cell(doc, &table, &one->right.value);
			table_cell(doc, &table, "%s", outcome_name(one->outcome));
		}
	}
	document_table(doc, &table);
}

static void spans_table(struct document *doc, const struct judged *judged,
			const struct check_comparison *one)
{
	static const char *const heads[] = {N_("intervals concerned"), N_("how many"),
					    N_("slowest request"), NULL};
	struct qos_span spans[JUDGE_SPANS_MAX];
	unsigned total, count;
	struct table table;

	count = qos_concerned(judged->qos->run, one, spans, JUDGE_SPANS_MAX, &total);
	table_init(&table, heads);
	for (unsigned i = 0; i < count; i++) {
		autostr when = {0}, slowest = {0};

		judge_span(doc->style.lang, &spans[i], &when);
		if (spans[i].max_ns)
			quantity_time(spans[i].max_ns, &slowest);
		table_cell(doc, &table, "%s", str_text(&when));
		table_cell(doc, &table, "%llu", (unsigned long long)spans[i].count);
		table_cell(doc, &table, "%s",
			   spans[i].max_ns ? str_text(&slowest) : N_("none"));
	}
	document_table(doc, &table);
	if (total > count)
		document_prose(doc, TONE_PLAIN, "%u more; these are the worst.", total - count);
}

/* One sentence of what stands beside the checks, once for equal ones. */
static void besides(struct document *doc, const struct judged *judged,
		    const struct verdict_rule *rule)
{
	for (unsigned c = 0; c < rule->rule->nchecks; c++) {
		for (unsigned i = 0; i < rule->results[c].ncomparisons; i++) {
			const struct check_comparison *one = &rule->results[c].comparisons[i];
			autostr beside = {0}, why = {0};

			judge_beside(doc->style.lang, judged, one, &beside);
			judge_why(one, &why);
			if (beside.length)
				document_prose(doc, TONE_PLAIN, "%s: %s.",
					       one->left.figure.name, str_text(&beside));
			if (why.length)
				document_prose(doc, TONE_INFO, "%s: %s.", one->text,
					       str_text(&why));
		}
	}
}

/* The intervals of the first comparison that is about some; of the rule's failures first. */
static void concerned(struct document *doc, const struct judged *judged,
		      const struct verdict_rule *rule)
{
	for (unsigned c = 0; c < rule->rule->nchecks; c++) {
		for (unsigned i = 0; i < rule->results[c].ncomparisons; i++) {
			const struct check_comparison *one = &rule->results[c].comparisons[i];
			unsigned total;

			if (one->outcome == OUTCOME_NOT_APPLICABLE)
				continue;
			(void)qos_concerned(judged->qos->run, one, NULL, 0, &total);
			if (!total)
				continue;
			spans_table(doc, judged, one);
			return;
		}
	}
}

static void rule_part(struct document *doc, const struct judged *judged,
		      const struct verdict_rule *rule)
{
	document_heading(doc, 2, "%s: %s", rule->rule->name,
			 document_say(doc, outcome_name(rule->outcome)));
	document_prose(doc, TONE_PLAIN, "%s", rule->rule->title);
	if (rule->outcome == OUTCOME_NOT_APPLICABLE)
		return;
	checks_table(doc, rule);
	besides(doc, judged, rule);
	concerned(doc, judged, rule);
}

static void ratings_part(struct document *doc, const struct judged *judged)
{
	const char *heads[SERIES_DIRS + 3] = {N_("of the intervals")};
	enum series_dir dirs[SERIES_DIRS];
	unsigned count, ndirs = 0;
	const struct judge_rating *ratings = judge_ratings(&count);
	struct table table;

	for (unsigned d = 0; d < SERIES_DIRS; d++) {
		if (!judged->qos->run->part[d].cells)
			continue;
		dirs[ndirs] = (enum series_dir)d;
		heads[++ndirs] = qos_dir_name((enum series_dir)d);
	}
	heads[ndirs + 1] = N_("rating");
	heads[ndirs + 2] = NULL;
	if (!ndirs)
		return;
	table_init(&table, heads);
	for (unsigned i = 0; i < count; i++) {
		const char *rate = "-";

		table_cell(doc, &table, "%s", ratings[i].about);
		for (unsigned d = 0; d < ndirs; d++) {
			struct check_value value;

			rate = judge_rate(judged, &ratings[i], dirs[d], &value);
			value_cell(doc, &table, &value);
		}
		table_cell(doc, &table, "%s", rate);
	}
	document_heading(doc, 2, "Shown, and judged only where the policy sets a limit");
	document_table(doc, &table);
}

static void changes_part(struct document *doc, const struct judged *judged)
{
	const struct qos_facts *facts = &judged->qos->facts[SERIES_ALL];

	for (unsigned i = 0; i < facts->nchanges; i++)
		document_prose(doc, TONE_PLAIN,
			       "At %.3f s the level went from %.0f to %.0f %s.",
			       (double)facts->changes[i].at_ns / 1e9, facts->changes[i].before,
			       facts->changes[i].after, qos_level_unit(judged->qos->run));
}

static void intervals_fact(struct document *doc, const struct judged *judged, struct str *out)
{
	const struct qos_run *run = judged->qos->run;
	const struct series_range *range = &run->range;
	autostr width = {0};

	quantity_time(run->interval_ns, &width);
	document_add(doc, out, "%u of %s", range->end - range->first, str_text(&width));
	if (range->partial_first && range->partial_last)
		document_add(doc, out,
			     "; the first and the last, measured only in part, not among them");
	else if (range->partial_first)
		document_add(doc, out, "; the first, measured only in part, not among them");
	else if (range->partial_last)
		document_add(doc, out, "; the last, measured only in part, not among them");
}

static void facts_part(struct document *doc, const struct judged *judged)
{
	const struct qos_run *run = judged->qos->run;
	autostr span = {0}, requests = {0}, intervals = {0};
	struct fact facts[4];

	quantity_time(run->end_ns - run->begin_ns, &span);
	if (run->level == QOS_COMPLETIONS)
		quantity_count(run->part[SERIES_ALL].sums.total, &requests);
	else
		str_add(&requests, N_("not in this log"));
	intervals_fact(doc, judged, &intervals);
	facts[0] = (struct fact){N_("policy"), judged->verdict->policy->name};
	facts[1] = (struct fact){N_("span"), str_text(&span)};
	facts[2] = (struct fact){N_("requests"), str_text(&requests)};
	facts[3] = (struct fact){N_("intervals"), str_text(&intervals)};
	document_facts(doc, judged->facts, judged->nfacts);
	document_facts(doc, facts, ARRAY_SIZE(facts));
	for (unsigned i = 0; i < judged->nnotes; i++)
		document_prose(doc, TONE_WARNING, "%s", judged->notes[i]);
}

void judge_page_sentence(struct document *doc, const struct judged *judged)
{
	const struct verdict *verdict = judged->verdict;
	unsigned counts[4] = {0};

	for (unsigned i = 0; i < verdict->policy->nrules; i++)
		counts[verdict->rules[i].outcome]++;
	document_prose(
		doc, TONE_VERDICT,
		PLURAL(verdict->policy->nrules,
		       "%s: %u of %u rule passed, %u failed, %u cannot be told, %u do not "
		       "apply.",
		       "%s: %u of %u rules passed, %u failed, %u cannot be told, %u do not "
		       "apply."),
		lang_text(doc->style.lang, outcome_name(verdict->outcome)),
		counts[OUTCOME_PASS], verdict->policy->nrules, counts[OUTCOME_FAIL],
		counts[OUTCOME_CANNOT_TELL], counts[OUTCOME_NOT_APPLICABLE]);
}

void judge_page_facts(struct document *doc, const struct judged *judged)
{
	if (*judged->verdict->policy->about)
		document_prose(doc, TONE_PLAIN, "%s", judged->verdict->policy->about);
	facts_part(doc, judged);
}

void judge_page_rules(struct document *doc, const struct judged *judged)
{
	for (unsigned i = 0; i < judged->verdict->policy->nrules; i++)
		rule_part(doc, judged, &judged->verdict->rules[i]);
	ratings_part(doc, judged);
	changes_part(doc, judged);
}

void judge_page(struct document *doc, const struct judged *judged)
{
	document_heading(doc, 1, "Quality of service of %s", judged->subject);
	judge_page_facts(doc, judged);
	judge_page_rules(doc, judged);
	judge_page_sentence(doc, judged);
}

/* The graph that shows what a comparison is about. */
static const char *graph_of(const struct check_comparison *one)
{
	switch (qos_subject(&one->left.figure).kind) {
	case QOS_PERCENTILE:
		return "percentiles";
	case QOS_EXTREME:
	case QOS_WITHIN:
	case QOS_OVER:
		return "exceedance";
	case QOS_ZEROS:
	case QOS_OTHER:
		break;
	}
	return "iops";
}

static void verdict_row(struct document *doc, const struct judged *judged, struct table *table,
			const struct verdict_rule *rule, const struct check_comparison *one)
{
	struct table_link link = {.graph = arena_printf(&doc->arena, "%s%s",
							judged->prefix ? judged->prefix : "",
							graph_of(one))};
	struct qos_span span;
	autostr when = {0};
	unsigned total;

	if (qos_concerned(judged->qos->run, one, &span, 1, &total)) {
		judge_span(doc->style.lang, &span, &when);
		if (total > 1)
			document_add(doc, &when, ", and %u more", total - 1);
		link.graph = arena_printf(&doc->arena, "%siops",
					  judged->prefix ? judged->prefix : "");
		link.from = fmax((double)span.begin_ns / 1e9 - 10, 0);
		link.to = (double)span.end_ns / 1e9 + 10;
	}
	table_cell(doc, table, "%s: %s", rule->rule->name, one->text);
	table_link(doc, table, &link);
	value_cell(doc, table, &one->left.value);
	value_cell(doc, table, &one->right.value);
	table_cell(doc, table, "%s", when.length ? str_text(&when) : "");
	table_cell(doc, table, "%s", outcome_name(one->outcome));
}

void judge_page_verdict(struct document *doc, const struct judged *judged)
{
	static const char *const heads[] = {N_("verdict"), N_("measured"), N_("limit"),
					    N_("when"),	   N_("outcome"),  NULL};
	struct table table;

	table_init(&table, heads);
	for (unsigned i = 0; i < judged->verdict->policy->nrules; i++) {
		const struct verdict_rule *rule = &judged->verdict->rules[i];

		for (unsigned c = 0; c < rule->rule->nchecks; c++) {
			const struct check_result *result = &rule->results[c];

			for (unsigned k = 0; k < result->ncomparisons; k++) {
				if (result->comparisons[k].outcome != OUTCOME_NOT_APPLICABLE)
					verdict_row(doc, judged, &table, rule,
						    &result->comparisons[k]);
			}
		}
	}
	document_table(doc, &table);
}
