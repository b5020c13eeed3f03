/* assay report: a run, a log, or several of them as one page. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/plan_kept.h"
#include "cli/plan_side.h"
#include "cli/quick_view.h"
#include "cli/report_priv.h"
#include "report/lineup_page.h"
#include "report/report_page.h"

#define SUBJECTS_MAX 16

/* Our own options; what is left goes to gauge_parse(). */
static int take_options(struct report_options *options, int argc, char **argv, char **rest,
			struct err *err)
{
	int nrest = 0;
	bool any = false;

	options->lang = lang_of_environment();
	for (int i = 0; i < argc; i++) {
		if (i && str_starts(argv[i], "--store="))
			options->store = strchr(argv[i], '=') + 1;
		else if (i && str_starts(argv[i], "--figures="))
			options->figures = strchr(argv[i], '=') + 1;
		else if (i && str_starts(argv[i], "--lang=")) {
			options->has_lang = true;
			if (!lang_parse(strchr(argv[i], '=') + 1, &options->lang))
				return err_input(err, "\"%s\" is none of --lang=en, zh, ja",
						 argv[i]);
		} else if (i && str_equal(argv[i], "--policy=none"))
			options->unjudged = true;
		else
			rest[nrest++] = argv[i];
		any |= i && *argv[i] != '-' && !str_equal(argv[i - 1], "-o");
	}
	if (!any)
		return err_input(err, "report: of what? (a run, @last, a result's file, logs)");
	if (options->figures && !*options->figures)
		return err_input(err, "--figures= names a folder: --figures=DIR");
	return gauge_parse(nrest, rest, " policy spec format title ", &options->gauge, err);
}

/* No text, as packed logs are: what looks like a bracket in them is none. */
static bool is_binary(const unsigned char *head, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (head[i] < ' ' && (!head[i] || !strchr("\t\r\n", head[i])))
			return true;
	}
	return false;
}

/* A name of the store is a run. A file is one if it begins like JSON, or like fio's terse lines
 * ("3;fio-3.33;"); else it is a log. */
static bool is_log(const char *name)
{
	unsigned char head[64] = {0};
	size_t count = 0, at = 0;
	autofd fd = -1;
	ssize_t n;

	if (!side_is_file(name))
		return false;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, head + count, sizeof(head) - 1 - count)) > 0)
		count += (size_t)n;
	if (is_binary(head, count))
		return true;
	while (at < count && strchr(" \t\r\n", head[at]))
		at++;
	if (fd < 0 || head[at] == '{' || strstr((const char *)head, "fio") ||
	    strstr((const char *)head, "{"))
		return false; /* a file that is not there: the reader of records says so */
	return true;
}

/* --- logs --- */

struct log_pages {
	struct report_log logs[SUBJECTS_MAX];
	struct judged judged[SUBJECTS_MAX];
	struct verdict verdicts[SUBJECTS_MAX];
	struct fact facts[SUBJECTS_MAX][2];
	struct report_logs page;
};

static int logs_content(struct document *doc, void *context, struct err *err)
{
	const struct log_pages *pages = context;

	(void)err;
	report_logs_page(doc, &pages->page);
	return 0;
}

static int judge_log(struct report_options *options, struct log_pages *pages, unsigned i,
		     struct gauge *gauge, struct err *err)
{
	pages->facts[i][0] = (struct fact){N_("what it is"), gauge->info.about};
	pages->facts[i][1] = (struct fact){N_("against its totals"), gauge->agrees};
	pages->judged[i] = (struct judged){
		.subject = gauge->subject,
		.qos = &gauge->qos,
		.verdict = &pages->verdicts[i],
		.facts = pages->facts[i],
		.nfacts = ARRAY_SIZE(pages->facts[i]),
		.notes = gauge->notes,
		.nnotes = gauge->nnotes,
		.prefix = i ? arena_printf(&options->gauge.arena, "log%u-", i + 1) : ""};
	pages->logs[i] =
		(struct report_log){.name = gauge->subject,
				    .judged = &pages->judged[i],
				    .density = gauge->run.has_latency ? &gauge->density : NULL,
				    .slowest = &gauge->slowest,
				    .closeup = gauge->closeup.seconds ? &gauge->closeup : NULL};
	return policy_judge(&options->gauge.policy, &gauge->qos, &options->gauge.arena,
			    &pages->verdicts[i], err);
}

static int report_logs(struct report_options *options, struct err *err)
{
	struct log_pages *pages = arena_new(&options->gauge.arena, struct log_pages);
	struct report_job job = {.content = logs_content, .context = pages};
	struct log_groups groups;
	int rc;

	options->gauge.wants_density = options->gauge.wants_closeup = true;
	options->gauge.slowest = SLOWEST_MAX;
	rc = log_groups_read(&options->gauge, SUBJECTS_MAX, &groups, err);
	for (unsigned i = 0; i < groups.count && !rc; i++)
		rc = judge_log(options, pages, i, &groups.gauges[i], err);
	if (!rc) {
		job.title = options->gauge.title ? options->gauge.title
			    : groups.count == 1	 ? groups.gauges[0].subject
						 : N_("Logs side by side");
		pages->page = (struct report_logs){
			.title = job.title, .logs = pages->logs, .nlogs = groups.count};
		rc = report_write(options, &job, err);
		rc = rc ? rc : log_groups_damaged(&groups);
	}
	log_groups_free(&groups);
	return rc;
}

/* --- runs --- */

static int report_one(struct report_options *options, struct record *record, struct err *err)
{
	struct report_run run = {.record = record,
				 .policy = options->unjudged ? NULL : &options->gauge.policy};
	struct report_job job = {.content = report_record_content, .context = &run};
	struct quick_view quick;

	if (str_equal(record->kind, "quick")) {
		quick_view_init(&quick, record);
		run.quick = &quick.page;
	}
	if (options->gauge.title)
		record->title = options->gauge.title;
	job.title = record->title ? record->title : record->kind;
	return report_write(options, &job, err);
}

static int lineup_content(struct document *doc, void *context, struct err *err)
{
	(void)err;
	lineup_report(doc, context);
	return 0;
}

static int report_several(struct report_options *options, struct side *sides, unsigned count,
			  struct err *err)
{
	struct report_job job = {.title = options->gauge.title ? options->gauge.title
							       : N_("Runs side by side"),
				 .content = lineup_content};
	struct lineup lineup;

	lineup_init(&lineup, &options->gauge.arena, count);
	for (unsigned i = 0; i < count; i++)
		lineup_add(&lineup, i, sides[i].name, sides[i].records, sides[i].count);
	job.context = &lineup;
	return report_write(options, &job, err);
}

static int report_records(struct report_options *options, struct err *err)
{
	const struct log_options *log = &options->gauge.log;
	struct side sides[SUBJECTS_MAX] = {0};
	struct side_source source;
	unsigned count = 0;
	int rc = 0;

	if (log->npaths > SUBJECTS_MAX)
		return err_input(err, "report: more than %u subjects", SUBJECTS_MAX);
	side_source_init(&source, options->store,
			 log->npaths == 1 ? STORE_STREAMED : STORE_WHOLE);
	for (; count < log->npaths && !rc; count++)
		rc = side_load(&source, log->paths[count], &sides[count], err);
	if (!rc && count == 1 && sides[0].count == 1)
		rc = report_one(options, sides[0].records[0], err);
	else if (!rc && count == 1)
		rc = err_input(err,
			       "\"%s\" stands for %u runs: name one of them, or two sides to "
			       "compare",
			       sides[0].name, sides[0].count);
	else if (!rc)
		rc = report_several(options, sides, count, err);
	for (unsigned i = 0; i < count; i++)
		side_done(&sides[i]);
	side_source_done(&source);
	return rc;
}

/* --- plans --- */

static int report_kept_plan(struct report_options *options, struct store *store,
			    struct err *err)
{
	struct plan_kept *kept = arena_new(&options->gauge.arena, struct plan_kept);
	struct plan_vitals vitals = {0};
	struct plan_view view;
	struct report_job job = {
		.title = options->gauge.title, .content = plan_page_content, .context = &view};
	int rc = plan_kept_load(kept, store, options->gauge.log.paths[0], err);

	if (!rc) {
		view = plan_kept_view(kept);
		plan_vitals_load(&vitals, store, &kept->journal);
		view.vitals = &vitals;
		if (!job.title)
			job.title = kept->record.title ? kept->record.title : kept->record.name;
		rc = report_write(options, &job, err);
	}
	plan_vitals_done(&vitals);
	plan_kept_done(kept);
	return rc;
}

/* *ret_done: the one name was a plan's. */
static int report_plan(struct report_options *options, bool *ret_done, struct err *err)
{
	struct side_source source;
	const char *plan;
	int rc;

	side_source_init(&source, options->store, STORE_TOTALS);
	rc = side_plan(&source, options->gauge.log.paths[0], &plan, err);
	*ret_done = !rc && plan;
	if (*ret_done)
		rc = report_kept_plan(options, source.store, err);
	side_source_done(&source);
	return rc;
}

/* --- the command --- */

static int report(struct report_options *options, int argc, char **argv, struct err *err)
{
	const struct log_options *log = &options->gauge.log;
	enum report_format format;
	bool is_done = false;
	unsigned logs = 0;
	int rc = report_format_of(options, &format, err);

	if (!rc)
		rc = emit_check_place(log->output, argc, argv, err);
	for (unsigned i = 0; i < log->npaths && !rc; i++)
		logs += is_log(log->paths[i]);
	if (!rc && logs && logs < log->npaths)
		rc = err_input(err,
			       "report: logs and results together make no page: report them "
			       "apart");
	if (rc)
		return rc;
	if (log->npaths == 1 && !logs)
		rc = report_plan(options, &is_done, err);
	if (rc || is_done)
		return rc;
	return logs ? report_logs(options, err) : report_records(options, err);
}

int cmd_report(int argc, char **argv)
{
	struct report_options *options = calloc(1, sizeof(*options));
	char **rest = calloc((size_t)argc + 1, sizeof(*rest));
	struct err err = {0};
	int rc;

	if (!options || !rest) {
		rc = err_env(&err, -ENOMEM, "no memory");
	} else {
		rc = take_options(options, argc, argv, rest, &err);
		rc = rc ? rc : report(options, argc, argv, &err);
		gauge_done(&options->gauge);
	}
	free(rest);
	free(options);
	return rc < 0 ? emit_error(&err) : rc;
}
