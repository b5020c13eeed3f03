/* assay log judge: the verdict on quality of service. Exit code 0 pass, 1 fail, 2 cannot tell. */
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "cli/emit.h"
#include "cli/log_gauge.h"
#include "report/judge_page.h"
#include "result/native_json_read.h"
#include "result/result_qos.h"

#define RESULT_BYTES_MAX (256 * MiB)

static int render(const struct gauge_options *options, const struct judged *judged,
		  struct str *out, struct err *err)
{
	struct document doc;

	if (gauge_wants(options, "json")) {
		judge_json(judged, ASSAY_VERSION, out);
		return 0;
	}
	if (gauge_wants(options, "junit")) {
		judge_junit(judged, out);
		return 0;
	}
	if (gauge_begin_page(options, "text, json, junit, markdown", &doc, out, err))
		return err->code;
	judge_page(&doc, judged);
	document_done(&doc);
	return 0;
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

/* A log of samples begins with a digit, a sign of comment or a magic; a result with a brace. */
static bool is_result(const struct log_options *log)
{
	autostream file = NULL;
	int first = EOF;

	if (log->npaths != 1 || str_equal(log->paths[0], "-"))
		return false;
	file = fopen(log->paths[0], "re");
	while (file && ((first = getc(file)) == ' ' || first == '\n' || first == '\t'))
		;
	return first == '{';
}

/* The JSON of `assay run --format=json`: the same policies on the rows of the run. */
static int judge_result(struct gauge_options *options, enum outcome *ret_outcome,
			struct err *err)
{
	struct gauge gauge = {.subject = options->log.paths[0]};
	struct result result;
	struct job_set set;
	autostr text = {0};
	int rc = file_read(gauge.subject, RESULT_BYTES_MAX, &text);

	if (rc)
		return err_input(err, "\"%s\" cannot be read: %s", gauge.subject, err_name(rc));
	rc = native_json_read(str_text(&text), text.length, &set, &result, err);
	if (rc)
		err_context(err, "%s", gauge.subject);
	if (!rc) {
		result_qos(&result, &options->arena, &gauge.run);
		(void)snprintf(gauge.info.about, sizeof(gauge.info.about),
			       "the result of a run, by its rows");
		gauge_settle(options, &gauge);
		rc = judge(options, &gauge, ret_outcome, err);
	}
	result_done(&result);
	job_set_done(&set);
	return rc;
}

static int judge_logs(struct gauge_options *options, enum outcome *ret_outcome, struct err *err)
{
	struct gauge gauge = {0};
	int rc = gauge_read(options, options->log.paths, options->log.npaths, &gauge, err);

	if (!rc)
		rc = judge(options, &gauge, ret_outcome, err);
	gauge_free(&gauge);
	return rc;
}

int log_judge(int argc, char **argv, struct err *err)
{
	enum outcome outcome = OUTCOME_CANNOT_TELL;
	struct gauge_options options;
	int rc = gauge_parse(argc, argv, " policy spec format title ", &options, err);

	if (!rc)
		rc = is_result(&options.log) ? judge_result(&options, &outcome, err)
					     : judge_logs(&options, &outcome, err);
	gauge_done(&options);
	return rc ? rc : gauge_exit_code(outcome);
}
