/* assay run: the strict face. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/keep_live.h"
#include "cli/native.h"
#include "cli/show.h"
#include "cli/verdict.h"
#include "job/job.h"
#include "run/run.h"

/* 0 run, 1 answered already, else an error. */
static int answer_instead(const struct job_set *set, struct err *err)
{
	const struct run_options *options = &set->options;
	autostr out = {0};

	if (options->version)
		str_printf(&out, "assay %s\n", ASSAY_VERSION);
	else if (options->help)
		str_add(&out, command_find("run")->help);
	else if (options->print)
		job_print(set, &out);
	else if (options->showcmd)
		job_showcmd(set, &out);
	else if (!options->parse_only)
		return 0;
	return emit_text(NULL, &out, err) ? err->code : 1;
}

static int execute(const struct job_set *set, struct keep *keep, struct result *result,
		   struct err *err)
{
	const struct keep_part part = {.kind = "run"};
	struct run_hooks hooks;
	struct show show;
	int rc = show_init(&show, set, err);

	if (rc)
		return rc;
	show_hooks(&show, &hooks);
	keep_hook(keep, &hooks);
	hooks.output = set->options.output;
	rc = keep_live_begin(keep, &part, set, &hooks, err);
	if (!rc)
		rc = run_execute(set, &hooks, result, err);
	keep_live_end(keep);
	if (rc)
		keep_live_forget(keep);
	show_done(&show);
	return rc;
}

/* Shown even where it could not be kept; the first error counts. */
static int keep_and_show(struct keep *keep, const struct job_set *set, struct result *result,
			 enum native_format format, struct err *err)
{
	struct record record;
	struct err other = {0};
	int rc;

	record_init(&record, "run");
	record_add_live(&record, NULL, NULL, 0, result, set);
	rc = keep_save(keep, &record, set->options.tag, err);
	if (native_emit_record(&record, format, set->options.output, rc ? &other : err) && !rc)
		rc = err->code;
	record_done(&record);
	return rc;
}

/* Behind the report; on stderr where stdout, or a file, holds one document of its own. */
static int show_verdict(const struct policy *policy, const struct result *result,
			struct arena *arena, bool to_stderr, int *ret_code, struct err *err)
{
	struct verdict_of_run *judgement = arena_new(arena, struct verdict_of_run);
	const struct judged judged = {.subject = N_("this run"),
				      .qos = &judgement->qos,
				      .verdict = &judgement->verdict};
	int rc = verdict_judge(policy, result, arena, judgement, err);
	struct document doc;
	autostr out = {0};

	if (rc)
		return rc;
	*ret_code = verdict_exit_code(judgement->verdict.outcome);
	native_begin_page(&doc, &out, NATIVE_TEXT, to_stderr ? "stderr" : NULL);
	judge_page(&doc, &judged);
	document_done(&doc);
	if (!to_stderr)
		return emit_text(NULL, &out, err);
	(void)fputs(str_text(&out), stderr);
	return 0;
}

/* What a run can come to besides an error: 0, or the policy's 1 and 2. */
struct ending {
	struct arena arena;
	struct policy policy;
	int code;
};

static int run_set(const struct job_set *set, struct result *result, enum native_format format,
		   struct ending *ending, struct err *err)
{
	const char *output = set->options.output;
	bool to_stderr = format != NATIVE_TEXT || (output && !str_equal(output, "-"));
	const struct qos no_specs = {0};
	struct keep keep = {0};
	int rc = 0;

	if (set->options.policy)
		rc = verdict_policy(set->options.policy, &no_specs, &ending->arena,
				    &ending->policy, err);
	rc = rc ? rc : keep_open(&keep, set->options.store, set->options.no_store, err);

	if (!rc)
		rc = execute(set, &keep, result, err);
	if (!rc) {
		result_plausibility(result);
		rc = keep_and_show(&keep, set, result, format, err);
	}
	if (!rc && set->options.policy)
		rc = show_verdict(&ending->policy, result, &ending->arena, to_stderr,
				  &ending->code, err);
	keep_close(&keep);
	return rc;
}

/* A log that was asked for and is not complete, as on a full disk: the figures stand all the same,
 * in a report that may have gone to a file. */
static int check_logs(const struct result *result)
{
	autostr said = {0};
	int code = 0;

	for (unsigned i = 0; i < result->nnotes; i++) {
		if (!str_equal(result->notes[i].id, "log-broken"))
			continue;
		str_clear(&said);
		str_add(&said, result->notes[i].text);
		str_make_safe(said.text);
		(void)fprintf(stderr, "assay: %s\n", said.text);
		code = ERR_ENVIRONMENT;
	}
	return code;
}

int cmd_run(int argc, char **argv)
{
	enum native_format format = NATIVE_TEXT;
	struct result result;
	struct job_set set;
	struct ending ending = {0};
	struct err err = {0};
	int rc, code;

	job_set_init(&set, FACE_NATIVE);
	rc = job_parse(&set, argc - 1, argv + 1, &err);
	if (!rc)
		rc = native_format_parse(set.options.format, &format, &err);
	if (!rc)
		rc = answer_instead(&set, &err);
	if (!rc)
		rc = emit_check(set.options.output, argc, argv, &err);
	if (rc) {
		job_set_done(&set);
		return rc > 0 ? 0 : emit_error(&err);
	}
	result_init(&result, &set);
	arena_init(&ending.arena);
	rc = run_set(&set, &result, format, &ending, &err);
	code = rc ? emit_error(&err) : run_exit_code(&result);
	if (!rc && check_logs(&result) && code <= ERR_IO)
		code = ERR_ENVIRONMENT; /* a signal's number stays */
	code = code ? code : ending.code;
	if (rc == -EINTR)
		code = 128 + run_last_signal();
	arena_done(&ending.arena);
	result_done(&result);
	job_set_done(&set);
	return code;
}
