/* assay log judge: the verdict on quality of service. Exit code 0 pass, 1 fail, 2 cannot tell. */
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "cli/emit.h"
#include "cli/log_gauge.h"
#include "cli/sides.h"
#include "report/judge_page.h"
#include "result/result_qos.h"

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
	const struct fact facts[] = {{N_("what it is"), gauge->info.about},
				     {N_("against its totals"), gauge->agrees}};
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

/* A log of samples begins with a digit, a sign of comment or a magic; a result with a brace. What
 * is no file is a run that was kept: r17, a tag, @last. */
static bool is_result(const struct log_options *log)
{
	autostream file = NULL;
	int first = EOF;

	if (log->npaths != 1 || str_equal(log->paths[0], "-"))
		return false;
	file = fopen(log->paths[0], "re");
	if (!file)
		return !side_is_file(log->paths[0]);
	while ((first = getc(file)) == ' ' || first == '\n' || first == '\t')
		;
	return first == '{';
}

/* --- a run whose rows are lost --- */

#define PATHS_MAX 1024

/* Logs of one kind, and of that the best: what a request took in all, else its completion. */
static unsigned logs_of(const struct result *result, const char **ret_paths)
{
	static const char *const kinds[] = {"lat", "clat", "iops", "bw"};
	unsigned count = 0;

	for (unsigned k = 0; k < ARRAY_SIZE(kinds) && !count; k++)
		for (unsigned i = 0; i < result->nlogs && count < PATHS_MAX; i++)
			if (str_equal(result->logs[i].kind, kinds[k]))
				ret_paths[count++] = result->logs[i].path;
	return count;
}

static int no_rows(const struct side *side, const struct record *record, struct err *err)
{
	if (record->incomplete)
		return err_input(
			err,
			"\"%s\" has no rows to judge, and wrote no logs that could be: "
			"%s",
			side->name, lang_here(record->incomplete));
	return err_input(err, "\"%s\" holds no rows of a run to judge", side->name);
}

/* Only its head was kept: what it had done stands in its logs, where it wrote some. */
static int judge_left_logs(struct gauge_options *options, const struct side *side,
			   const struct record *record, enum outcome *ret_outcome,
			   struct err *err)
{
	const char **paths = arena_array(&options->arena, const char *, PATHS_MAX);
	unsigned count = logs_of(record->parts[0].result, paths);
	struct gauge gauge = {0};
	int rc;

	if (!count)
		return no_rows(side, record, err);
	options->log.trace.lenient = true; /* the last row may be cut off */
	rc = gauge_read(options, paths, count, &gauge, err);
	if (rc)
		err_context(err, "\"%s\" was cut off before its rows were kept; of its logs",
			    side->name);
	gauge.subject = arena_printf(&options->arena, "%s, %s", side->name, gauge.subject);
	gauge.notes[gauge.nnotes++] =
		N_("the run was cut off before its rows were kept: judged are the logs that it "
		   "left");
	rc = rc ? rc : judge(options, &gauge, ret_outcome, err);
	gauge_free(&gauge);
	return rc;
}

/* --- a run --- */

/* The same policies on the rows of a run. */
static int judge_part(struct gauge_options *options, const struct side *side,
		      const struct record_part *part, enum outcome *ret_outcome,
		      struct err *err)
{
	struct gauge gauge = {.subject = side->name};

	if (part->name && *part->name)
		gauge.subject = arena_printf(&options->arena, "%s, %s", side->name, part->name);
	result_qos(part->result, &options->arena, &gauge.run);
	(void)snprintf(gauge.info.about, sizeof(gauge.info.about),
		       N_("the result of a run, by its rows"));
	gauge_settle(options, &gauge);
	return judge(options, &gauge, ret_outcome, err);
}

/* A run has one part, a campaign several: one page each, and the worst of the verdicts. */
static int judge_side(struct gauge_options *options, const struct side *side,
		      enum outcome *ret_outcome, struct err *err)
{
	unsigned count = 0;
	int rc = 0;

	for (unsigned i = 0; i < side->count; i++)
		count += side->records[i]->nparts;
	if (!count)
		return err_input(err, "\"%s\" holds no rows of a run to judge", side->name);
	if (count > 1 && (options->log.output || gauge_wants(options, "json") ||
			  gauge_wants(options, "junit")))
		return err_input(err,
				 "\"%s\" holds %u runs: one document holds one verdict; judge "
				 "them one by one, or write --format=text",
				 side->name, count);
	*ret_outcome = OUTCOME_NOT_APPLICABLE;
	for (unsigned i = 0; i < side->count; i++) {
		const struct record *record = side->records[i];

		for (unsigned k = 0; k < record->nparts && !rc; k++) {
			enum outcome outcome = OUTCOME_NOT_APPLICABLE;

			if (record->cut_off && !record->parts[k].result->nrows)
				rc = judge_left_logs(options, side, record, &outcome, err);
			else
				rc = judge_part(options, side, &record->parts[k], &outcome,
						err);
			*ret_outcome = outcome_worse(*ret_outcome, outcome);
		}
	}
	return rc;
}

static int judge_result(struct gauge_options *options, enum outcome *ret_outcome,
			struct err *err)
{
	struct side_source source;
	struct side side;
	int rc;

	side_source_init(&source, options->store, STORE_WHOLE);
	rc = side_load(&source, options->log.paths[0], &side, err);
	rc = rc ? rc : judge_side(options, &side, ret_outcome, err);
	side_done(&side);
	side_source_done(&source);
	return rc;
}

static int judge_logs(struct gauge_options *options, enum outcome *ret_outcome, struct err *err)
{
	struct gauge gauge = {0};
	int rc = gauge_read(options, options->log.paths, options->log.npaths, &gauge, err);

	if (!rc)
		rc = judge(options, &gauge, ret_outcome, err);
	gauge_free(&gauge);
	return rc ? rc : gauge.damaged;
}

int log_judge(int argc, char **argv, struct err *err)
{
	enum outcome outcome = OUTCOME_CANNOT_TELL;
	struct gauge_options options;
	int rc = gauge_parse(argc, argv, " policy spec format title store ", &options, err);

	if (!rc)
		rc = is_result(&options.log) ? judge_result(&options, &outcome, err)
					     : judge_logs(&options, &outcome, err);
	gauge_done(&options);
	return rc ? rc : verdict_exit_code(outcome);
}
