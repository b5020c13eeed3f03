/*
 * A verdict on quality of service, made visible: as a page, as JSON, as JUnit's XML for build
 * servers. Rule by rule: what was measured, with its bounds, against what limit, in which
 * intervals; then what is shown and judged only if the policy sets a limit.
 */
#pragma once

#include "report/document.h"
#include "stat/policy.h"

struct judged {
	const char *subject; /* the logs, or the run */
	const struct qos *qos;
	const struct verdict *verdict;
	const struct fact *facts; /* about the logs: what they are, how that was decided */
	unsigned nfacts;
	const char *const *notes; /* sentences that the reader must know */
	unsigned nnotes;
	const char *prefix; /* of the ids of its graphs (qos_graphs.h); NULL: none */
};

void judge_page(struct document *doc, const struct judged *judged);
/* The parts of it, for pages in another order: the sentence; one line for each comparison, which
 * leads to the graph that shows it; what was judged; every rule with all that stands beside. */
void judge_page_sentence(struct document *doc, const struct judged *judged);
void judge_page_verdict(struct document *doc, const struct judged *judged);
void judge_page_facts(struct document *doc, const struct judged *judged);
void judge_page_rules(struct document *doc, const struct judged *judged);

void judge_json(const struct judged *judged, const char *version, struct str *out);
void judge_junit(const struct judged *judged, struct str *out);

/* "3.000 s to 5.200 s". */
void judge_span(enum lang lang, const struct qos_span *span, struct str *out);
