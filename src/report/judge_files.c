/* The verdict for programs: JSON, and JUnit's XML. */
#include <math.h>

#include "base/json.h"
#include "report/judge_priv.h"

static const char *unit_name(enum check_unit unit)
{
	static const char *const names[] = {
		[CHECK_NUMBER] = "",	  [CHECK_TIME] = "ns",
		[CHECK_BYTES] = "bytes",  [CHECK_BYTES_PER_S] = "bytes/s",
		[CHECK_PER_HOUR] = "1/h",
	};

	return names[unit];
}

/* NaN and infinities become null. */
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

static void value_json(struct json *json, const char *key, const struct check_value *value)
{
	json_open_object(json, key);
	if (value->state == CHECK_KNOWN) {
		number(json, "value", value->value);
		number(json, "low", value->low);
		number(json, "high", value->high);
	} else {
		json_add_null(json, "value");
	}
	json_add_string(json, "unit", unit_name(value->unit));
	if (value->samples > 0)
		number(json, "samples", value->samples);
	if (*value->reason)
		json_add_string(json, "reason", value->reason);
	json_close_object(json);
}

static void comparison_json(struct json *json, const struct judged *judged,
			    const struct check_comparison *one)
{
	struct qos_span spans[JUDGE_SPANS_MAX];
	unsigned total, count;
	autostr beside = {0};

	json_open_object(json, NULL);
	json_add_string(json, "check", one->text);
	json_add_string(json, "outcome", outcome_name(one->outcome));
	value_json(json, "measured", &one->left.value);
	value_json(json, "limit", &one->right.value);
	if (one->needs && one->needs != UINT64_MAX)
		json_add_u64(json, "samples_needed", one->needs);
	judge_beside(LANG_EN, judged, one, &beside);
	if (beside.length)
		json_add_string(json, "beside", str_text(&beside));
	count = qos_concerned(judged->qos->run, one, spans, JUDGE_SPANS_MAX, &total);
	json_add_u64(json, "spans", total);
	json_open_array(json, "worst_spans");
	for (unsigned i = 0; i < count; i++) {
		json_open_object(json, NULL);
		number(json, "begin_s", (double)spans[i].begin_ns / 1e9);
		number(json, "end_s", (double)spans[i].end_ns / 1e9);
		json_add_u64(json, "intervals", spans[i].count);
		json_add_u64(json, "max_ns", spans[i].max_ns);
		json_close_object(json);
	}
	json_close_array(json);
	json_close_object(json);
}

static void rule_json(struct json *json, const struct judged *judged,
		      const struct verdict_rule *rule)
{
	json_open_object(json, NULL);
	json_add_string(json, "rule", rule->rule->name);
	json_add_string(json, "title", rule->rule->title);
	json_add_string(json, "outcome", outcome_name(rule->outcome));
	json_open_array(json, "comparisons");
	for (unsigned c = 0; c < rule->rule->nchecks; c++) {
		for (unsigned i = 0; i < rule->results[c].ncomparisons; i++)
			comparison_json(json, judged, &rule->results[c].comparisons[i]);
	}
	json_close_array(json);
	json_close_object(json);
}

static void ratings_json(struct json *json, const struct judged *judged)
{
	unsigned count;
	const struct judge_rating *ratings = judge_ratings(&count);

	json_open_object(json, "ratings");
	for (unsigned i = 0; i < count; i++) {
		json_open_object(json, ratings[i].figure);
		for (unsigned d = 0; d < SERIES_DIRS; d++) {
			struct check_value value;
			const char *rate;

			if (!judged->qos->run->part[d].cells)
				continue;
			rate = judge_rate(judged, &ratings[i], (enum series_dir)d, &value);
			json_open_object(json, qos_dir_name((enum series_dir)d));
			number(json, "value",
			       value.state == CHECK_KNOWN ? value.value : (double)NAN);
			json_add_string(json, "rating", rate);
			json_close_object(json);
		}
		json_close_object(json);
	}
	json_close_object(json);
}

void judge_json(const struct judged *judged, const char *version, struct str *out)
{
	const struct qos_run *run = judged->qos->run;
	const struct verdict *verdict = judged->verdict;
	struct json json;

	json_init(&json, out);
	json_open_object(&json, NULL);
	json_add_u64(&json, "schema_version", 1);
	json_add_string(&json, "assay_version", version);
	json_add_string(&json, "subject", judged->subject);
	json_add_string(&json, "policy", verdict->policy->name);
	json_add_string(&json, "outcome", outcome_name(verdict->outcome));
	json_add_u64(&json, "interval_ns", run->interval_ns);
	json_add_u64(&json, "intervals", run->range.end - run->range.first);
	json_add_bool(&json, "partial_first", run->range.partial_first);
	json_add_bool(&json, "partial_last", run->range.partial_last);
	number(&json, "begin_s", (double)run->begin_ns / 1e9);
	number(&json, "end_s", (double)run->end_ns / 1e9);
	if (run->level == QOS_COMPLETIONS)
		json_add_u64(&json, "requests", run->part[SERIES_ALL].sums.total);
	else
		json_add_null(&json, "requests");
	json_open_array(&json, "rules");
	for (unsigned i = 0; i < verdict->policy->nrules; i++)
		rule_json(&json, judged, &verdict->rules[i]);
	json_close_array(&json);
	ratings_json(&json, judged);
	json_open_array(&json, "notes");
	for (unsigned i = 0; i < judged->nnotes; i++)
		json_add_string(&json, NULL, judged->notes[i]);
	json_close_array(&json);
	json_close_object(&json);
	str_add_char(out, '\n');
}

static void xml_text(const char *text, struct str *out)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			str_add(out, "&amp;");
			break;
		case '<':
			str_add(out, "&lt;");
			break;
		case '>':
			str_add(out, "&gt;");
			break;
		case '"':
			str_add(out, "&quot;");
			break;
		default: /* control characters have no place in XML */
			str_add_char(out,
				     (unsigned char)*text < ' ' && *text != '\n' ? ' ' : *text);
		}
	}
}

static void comparison_line(const struct judged *judged, const struct check_comparison *one,
			    struct str *out)
{
	autostr beside = {0}, why = {0};

	str_printf(out, "%s: %s", one->text, outcome_name(one->outcome));
	if (one->left.value.state == CHECK_KNOWN) {
		str_add(out, ", measured ");
		check_format(&one->left.value, out);
	}
	judge_beside(LANG_EN, judged, one, &beside);
	judge_why(one, &why);
	if (beside.length)
		str_printf(out, "; %s", beside.text);
	if (why.length)
		str_printf(out, "; %s", why.text);
	str_add_char(out, '\n');
}

static void junit_case(const struct judged *judged, const struct verdict_rule *rule,
		       struct str *out)
{
	const char *element = rule->outcome == OUTCOME_FAIL	     ? "failure"
			      : rule->outcome == OUTCOME_CANNOT_TELL ? "error"
								     : "skipped";
	autostr body = {0};

	str_add(out, "    <testcase classname=\"");
	xml_text(judged->verdict->policy->name, out);
	str_add(out, "\" name=\"");
	xml_text(rule->rule->name, out);
	str_add(out, "\">");
	if (rule->outcome == OUTCOME_PASS) {
		str_add(out, "</testcase>\n");
		return;
	}
	for (unsigned c = 0; c < rule->rule->nchecks; c++) {
		for (unsigned i = 0; i < rule->results[c].ncomparisons; i++) {
			const struct check_comparison *one = &rule->results[c].comparisons[i];

			comparison_line(judged, one, &body);
		}
	}
	str_printf(out, "\n      <%s message=\"%s: ", element, outcome_name(rule->outcome));
	xml_text(rule->rule->title, out);
	str_add(out, "\">");
	xml_text(str_text(&body), out);
	str_printf(out, "</%s>\n    </testcase>\n", element);
}

void judge_junit(const struct judged *judged, struct str *out)
{
	const struct verdict *verdict = judged->verdict;
	unsigned counts[4] = {0};

	for (unsigned i = 0; i < verdict->policy->nrules; i++)
		counts[verdict->rules[i].outcome]++;
	str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	str_add(out, "  <testsuite name=\"");
	xml_text(judged->subject, out);
	str_printf(out, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\">\n",
		   verdict->policy->nrules, counts[OUTCOME_FAIL], counts[OUTCOME_CANNOT_TELL],
		   counts[OUTCOME_NOT_APPLICABLE]);
	for (unsigned i = 0; i < verdict->policy->nrules; i++)
		junit_case(judged, &verdict->rules[i], out);
	str_add(out, "  </testsuite>\n</testsuites>\n");
}
