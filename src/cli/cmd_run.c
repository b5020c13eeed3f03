/* assay run: the strict face. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/emit.h"
#include "cli/keep.h"
#include "cli/native.h"
#include "cli/show.h"
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

static int store_is_elsewhere(const void *keep, const struct job_set *set, struct err *err)
{
	return keep_check(keep, set, err);
}

static int execute(const struct job_set *set, const struct keep *keep, struct result *result,
		   struct err *err)
{
	struct run_hooks hooks;
	struct show show;
	int rc = show_init(&show, set, err);

	if (rc)
		return rc;
	show_hooks(&show, &hooks);
	hooks.ready = store_is_elsewhere;
	hooks.ready_context = keep;
	rc = run_execute(set, &hooks, result, err);
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

static int run_set(const struct job_set *set, struct result *result, enum native_format format,
		   struct err *err)
{
	struct keep keep = {0};
	int rc = keep_open(&keep, set->options.store, set->options.no_store, err);

	if (!rc)
		rc = execute(set, &keep, result, err);
	if (!rc) {
		result_plausibility(result);
		rc = keep_and_show(&keep, set, result, format, err);
	}
	keep_close(&keep);
	return rc;
}

int cmd_run(int argc, char **argv)
{
	enum native_format format = NATIVE_TEXT;
	struct result result;
	struct job_set set;
	struct err err = {0};
	int rc, code;

	job_set_init(&set, FACE_NATIVE);
	rc = job_parse(&set, argc - 1, argv + 1, &err);
	if (!rc)
		rc = native_format_parse(set.options.format, &format, &err);
	if (!rc)
		rc = answer_instead(&set, &err);
	if (!rc)
		rc = emit_check(set.options.output, &err);
	if (rc) {
		job_set_done(&set);
		return rc > 0 ? 0 : emit_error(&err);
	}
	result_init(&result, &set);
	rc = run_set(&set, &result, format, &err);
	code = rc ? emit_error(&err) : run_exit_code(&result);
	if (rc == -EINTR)
		code = 128 + run_last_signal();
	result_done(&result);
	job_set_done(&set);
	return code;
}
