#include "report/compare_page.h"

#include <math.h>

#include "base/bits.h"
#include "base/json.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "report/judge_priv.h"

static void figure_text(const struct compare_figure *figure, double value, struct str *out)
{
	if (figure->is_rate)
		quantity_plain(value, out);
	else
		quantity_time((uint64_t)value, out);
}

static void figures_table(struct document *doc, const struct compared *compared)
{
	static const char *const heads[] = {N_("figure"),	 "A",	     "B", "B / A",
					    N_("95 % interval"), N_("B is"), NULL};
	const struct comparison *comparison = compared->comparison;
	struct table table;

	table_init(&table, heads);
	for (unsigned i = 0; i < comparison->nfigures; i++) {
		const struct compare_figure *one = &comparison->figures[i];
		autostr a = {0}, b = {0};

		figure_text(one, one->a, &a);
		figure_text(one, one->b, &b);
		table_cell(doc, &table, "%s %s", qos_dir_name(one->dir), one->name);
		table_cell(doc, &table, "%s", str_text(&a));
		table_cell(doc, &table, "%s", str_text(&b));
		if (isnan(one->ratio))
			table_cell(doc, &table, "–");
		else
			table_cell(doc, &table, "%.3f", one->ratio);
		if (isnan(one->low))
			table_cell(doc, &table, "–");
		else
			table_cell(doc, &table, "%.3f to %.3f", one->low, one->high);
		table_cell(doc, &table, "%s", compare_outcome_name(one->outcome));
	}
	document_heading(doc, 2, "Figures");
	document_table(doc, &table);
	document_prose(
		doc, TONE_PLAIN,
		PLURAL(comparison->blocks_b,
		       "The intervals are of this pair of runs, not of the drives: %u and %u "
		       "block, "
		       "%u resamples, seed %llu.",
		       "The intervals are of this pair of runs, not of the drives: %u and %u "
		       "blocks, "
		       "%u resamples, seed %llu."),
		comparison->blocks_a, comparison->blocks_b, COMPARE_RESAMPLES,
		(unsigned long long)compared->seed);
	if (comparison->longer_a > 1 || comparison->longer_b > 1)
		document_prose(
			doc, TONE_INFO,
			"too few independent pieces for intervals: A should run %.1f times as "
			"long, B %.1f times.",
			comparison->longer_a, comparison->longer_b);
}

static void rules_table(struct document *doc, const struct compared *compared)
{
	static const char *const heads[] = {N_("rule"), "A", "B", NULL};
	const struct policy *policy = compared->verdict_a->policy;
	struct table table;

	table_init(&table, heads);
	for (unsigned i = 0; i < policy->nrules; i++) {
		table_cell(doc, &table, "%s", policy->rules[i].name);
		table_cell(doc, &table, "%s",
			   outcome_name(compared->verdict_a->rules[i].outcome));
		table_cell(doc, &table, "%s",
			   outcome_name(compared->verdict_b->rules[i].outcome));
	}
	document_heading(doc, 2, "Rules of the policy \"%s\"", policy->name);
	document_table(doc, &table);
}

/* A band a little wider than a rival's is not felt; a very wide one is a warning; neither is a
 * fault by itself. */
#define SCATTER_LITTLE 2.0
#define SCATTER_VERY   5.0

static void scatter_part(struct document *doc, const struct compared *compared)
{
	double a = compared->a->facts[SERIES_ALL].scatter;
	double b = compared->b->facts[SERIES_ALL].scatter;
	double ratio = fmax(a, b) / fmin(a, b);
	const char *wider = a > b ? "A" : "B";

	document_heading(doc, 2, "Scatter");
	if (isnan(ratio)) {
		document_prose(doc, TONE_PLAIN,
			       "Without latencies there is no scatter to compare.");
		return;
	}
	document_prose(doc, TONE_PLAIN,
		       "p99 / p50 of the intervals' maxima: %.2f in A, %.2f in B.", a, b);
	if (ratio < SCATTER_LITTLE)
		document_prose(doc, TONE_PLAIN,
			       "The bands are nearly alike: the difference is not felt.");
	else
		document_prose(
			doc, ratio < SCATTER_VERY ? TONE_PLAIN : TONE_WARNING,
			ratio < SCATTER_VERY
				? N_("The band of %s is clearly wider, by %.1f. Scatter alone "
				     "is "
				     "no fault while the worst stays acceptable.")
				: N_("The band of %s is very much wider, by %.1f. Scatter "
				     "alone "
				     "is no fault while the worst stays acceptable."),
			wider, ratio);
}

enum outcome compare_gate(const struct compared *compared)
{
	const struct comparison *comparison = compared->comparison;
	enum outcome outcome = comparison->nfigures ? OUTCOME_PASS : OUTCOME_CANNOT_TELL;
	double margin = 1 + compared->margin;

	for (unsigned i = 0; i < comparison->nfigures; i++) {
		const struct compare_figure *one = &comparison->figures[i];
		/* as a latency: more is worse */
		double low = one->is_rate ? 1 / one->high : one->low;
		double high = one->is_rate ? 1 / one->low : one->high;

		if (isnan(low) || (low <= margin && high > margin))
			outcome = outcome_worse(outcome, OUTCOME_CANNOT_TELL);
		else if (low > margin)
			outcome = OUTCOME_FAIL;
	}
	return outcome;
}

void compare_page(struct document *doc, const struct compared *compared)
{
	const struct fact facts[] = {{"A", compared->name_a}, {"B", compared->name_b}};

	document_heading(doc, 1, "Two runs side by side");
	document_facts(doc, facts, ARRAY_SIZE(facts));
	rules_table(doc, compared);
	figures_table(doc, compared);
	scatter_part(doc, compared);
	if (compared->margin > 0)
		document_prose(doc, TONE_VERDICT, "%s: B against A, within %.3g %%.",
			       outcome_name(compare_gate(compared)), compared->margin * 100);
}

static void number(struct json *json, const char *key, double value)
{
	autostr text = {0};

	if (!isfinite(value)) {
		json_add_null(json, key);
		return;
	}
	str_printf(&text, "%.17g", value);
	json_add_raw(json, key, str_text(&text));
}

static void figures_json(struct json *json, const struct comparison *comparison)
{
	json_open_array(json, "figures");
	for (unsigned i = 0; i < comparison->nfigures; i++) {
		const struct compare_figure *one = &comparison->figures[i];

		json_open_object(json, NULL);
		json_add_string(json, "figure", one->name);
		json_add_string(json, "direction", qos_dir_name(one->dir));
		json_add_string(json, "unit", one->is_rate ? "1/s" : "ns");
		number(json, "a", one->a);
		number(json, "b", one->b);
		number(json, "ratio", one->ratio);
		number(json, "low", one->low);
		number(json, "high", one->high);
		json_add_string(json, "outcome", compare_outcome_name(one->outcome));
		json_close_object(json);
	}
	json_close_array(json);
}

void compare_json(const struct compared *compared, const char *version, struct str *out)
{
	const struct policy *policy = compared->verdict_a->policy;
	struct json json;

	json_init(&json, out);
	json_open_object(&json, NULL);
	json_add_u64(&json, "schema_version", 1);
	json_add_string(&json, "assay_version", version);
	json_add_string(&json, "a", compared->name_a);
	json_add_string(&json, "b", compared->name_b);
	json_add_u64(&json, "seed", compared->seed);
	json_add_u64(&json, "blocks_a", compared->comparison->blocks_a);
	json_add_u64(&json, "blocks_b", compared->comparison->blocks_b);
	figures_json(&json, compared->comparison);
	json_add_string(&json, "policy", policy->name);
	json_open_array(&json, "rules");
	for (unsigned i = 0; i < policy->nrules; i++) {
		json_open_object(&json, NULL);
		json_add_string(&json, "rule", policy->rules[i].name);
		json_add_string(&json, "a",
				outcome_name(compared->verdict_a->rules[i].outcome));
		json_add_string(&json, "b",
				outcome_name(compared->verdict_b->rules[i].outcome));
		json_close_object(&json);
	}
	json_close_array(&json);
	number(&json, "scatter_a", compared->a->facts[SERIES_ALL].scatter);
	number(&json, "scatter_b", compared->b->facts[SERIES_ALL].scatter);
	if (compared->margin > 0) {
		number(&json, "margin", compared->margin);
		json_add_string(&json, "outcome", outcome_name(compare_gate(compared)));
	}
	json_close_object(&json);
	str_add_char(out, '\n');
}
