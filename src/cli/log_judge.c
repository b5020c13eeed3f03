/* assay log judge: the verdict on quality of service. Exit code 0 pass, 1 fail, 2 cannot tell. */
#include "base/bits.h"
#include "cli/emit.h"
#include "cli/log_gauge.h"
#include "report/judge_page.h"

static int render(const struct gauge_options *options, const struct judged *judged,
		  struct str *out, struct err *err)
{
	const char *format = options->format ? options->format : "text";
	struct page_style style;
	struct document doc;

	if (str_equal(format, "json")) {
		judge_json(judged, ASSAY_VERSION, out);
		return 0;
	}
	if (str_equal(format, "junit")) {
		judge_junit(judged, out);
		return 0;
	}
	if (str_equal(format, "markdown")) {
		document_init_markdown(&doc, out);
	} else if (str_equal(format, "text")) {
		emit_style(&style, options->log.output != NULL);
		document_init_text(&doc, out, &style);
	} else {
		return err_input(err, "--format: \"%s\" is none of text, json, junit, markdown",
				 format);
	}
	judge_page(&doc, judged);
	document_done(&doc);
	return 0;
}

static int exit_code(enum outcome outcome)
{
	switch (outcome) {
	case OUTCOME_PASS:
		return 0;
	case OUTCOME_FAIL:
		return 1;
	case OUTCOME_CANNOT_TELL:
	case OUTCOME_NOT_APPLICABLE:
		break;
	}
	return 2;
}

static int judge(struct gauge_options *options, struct gauge *gauge, enum outcome *ret_outcome,
		 struct err *err)
{
	struct verdict verdict;
	const struct fact facts[] = {{"what it is", gauge->info.about}};
	const struct judged judged = {.subject =
					      options->title ? options->title : gauge->subject,
				      .qos = &gauge->qos,
				      .verdict = &verdict,
				      .facts = facts,
				      .nfacts = ARRAY_SIZE(facts),
				      .notes = gauge->notes,
				      .nnotes = gauge->nnotes};
	autostr out = {0};
	int rc = policy_judge(&options->policy, &gauge->qos, &options->arena, &verdict, err);

	rc = rc ? rc : render(options, &judged, &out, err);
	rc = rc ? rc : emit_text(options->log.output, &out, err);
	if (!rc)
		*ret_outcome = verdict.outcome;
	return rc;
}

int log_judge(int argc, char **argv, struct err *err)
{
	enum outcome outcome = OUTCOME_CANNOT_TELL;
	struct gauge_options options;
	struct gauge gauge = {0};
	int rc = gauge_parse(argc, argv, " policy spec format title ", &options, err);

	if (!rc)
		rc = gauge_read(&options, options.log.paths, options.log.npaths, &gauge, err);
	if (!rc)
		rc = judge(&options, &gauge, &outcome, err);
	gauge_free(&gauge);
	gauge_done(&options);
	return rc ? rc : exit_code(outcome);
}
