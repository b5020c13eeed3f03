/*
 * fio's face: its grammar, its outputs, its exit codes (0, 1 for any failure, 128 and 129 of
 * a stopped run). stdout holds what fio would print, stderr errors alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "job/job.h"
#include "report/fio_eta.h"
#include "report/fio_output.h"
#include "report/fio_start.h"
#include "run/run.h"
#include "trace/input.h"

struct fio_face {
	const struct job_set *set;
	struct fio_formats formats;
	int out_fd; /* stdout, or --output */
	bool live;
	int live_fd;
	unsigned shown;
};

static int put(int fd, const struct str *text)
{
	return file_write_all(fd, str_text(text), text->length);
}

static void make_report(struct fio_face *face, struct result *result, uint64_t left_ns,
			struct str *out)
{
	const char *notes = getenv("ASSAY_NOTES");
	struct fio_report report;

	fio_report_init(&report, result);
	report.terse_version = face->set->options.terse_version;
	report.notes = !(notes && str_equal(notes, "0"));
	report.assay_version = ASSAY_VERSION;
	report.left_ns = left_ns;
	fio_output(&report, &face->formats, out);
}

/* --- hooks --- */

static void clear_live(struct fio_face *face, struct str *line)
{
	str_add_char(line, '\r');
	for (unsigned i = 0; i < face->shown; i++)
		str_add_char(line, ' ');
	str_add_char(line, '\r');
	face->shown = 0;
}

static void on_progress(void *context, const struct progress *progress)
{
	struct fio_face *face = context;
	autostr line = {0}, text = {0};

	fio_eta(progress, face->set, &text);
	if (face->shown)
		clear_live(face, &line);
	str_add(&line, str_text(&text));
	if (face->set->options.eta_newline)
		str_add_char(&line, '\n');
	else
		face->shown = str_columns(str_text(&text));
	(void)put(face->live_fd, &line); /* a reader that went away must not end the run */
}

static void on_say(void *context, const char *text)
{
	struct fio_face *face = context;
	autostr line = {0};

	str_printf(&line, "%s\n", text);
	(void)put(face->out_fd, &line); /* the report's own write tells of a full disk */
}

static void on_status(void *context, struct result *result)
{
	struct fio_face *face = context;
	autostr out = {0};

	make_report(face, result, PROGRESS_UNKNOWN, &out);
	(void)put(face->out_fd, &out);
}

/* --- what is asked instead of a run --- */

static void help_text(struct str *out)
{
	str_printf(out, "%s\nfio [options] [job options] <job file(s)>\n", FIO_VERSION);
	job_help_command_line(out);
	str_add(out, "\nThe options of jobs (--cmdhelp=NAME says more of one):\n");
	job_help_all(FACE_FIO, out);
}

/* --inflate-log: what is packed in a .log.fz, as text. */
static int inflate_log(const char *path, struct err *err)
{
	struct trace_input *input = input_open(path, err);
	char text[1 << 16];
	ssize_t n;
	int rc = 0;

	if (!input)
		return err->code;
	if (input_packing(input) == INPUT_PLAIN && input_size_bytes(input) > 0)
		rc = err_input(err, "%s: is no packed log", path);
	while (!rc && (n = input_read(input, text, sizeof(text), err)) != 0) {
		rc = n < 0 ? (int)n : file_write_all(STDOUT_FILENO, text, (size_t)n);
		if (rc && n > 0)
			(void)err_env(err, rc, "cannot write to stdout: %s", err_name(rc));
	}
	if (!rc && input_is_cut(input))
		rc = err_input(err, "%s: its end is missing", path);
	input_close(input);
	return rc;
}

/* 1 when something was answered, 0 when there is a run to do, else an error. */
static int answer_instead(const struct job_set *set, struct err *err)
{
	const struct run_options *options = &set->options;
	const char *near = NULL;
	autostr out = {0};

	if (options->version)
		str_printf(&out, "%s\n", FIO_VERSION);
	else if (options->help)
		help_text(&out);
	else if (options->cmdhelp && (!*options->cmdhelp || str_equal(options->cmdhelp, "all")))
		job_help_all(FACE_FIO, &out);
	else if (options->cmdhelp && !job_help_option(options->cmdhelp, FACE_FIO, &out, &near))
		return err_input(err, "No such command: %s%s%s", options->cmdhelp,
				 near ? "; showing closest match: " : "", near ? near : "");
	else if (options->enghelp && !job_help_engine(options->enghelp, &out))
		return err_input(err,
				 "--enghelp: \"%s\" is neither an engine nor ENGINE,OPTION",
				 options->enghelp);
	else if (options->inflate_log)
		return inflate_log(options->inflate_log, err) ? err->code : 1;
	else if (options->showcmd)
		job_showcmd(set, &out);
	else if (!options->cmdhelp && !options->enghelp && !options->parse_only)
		return 0;
	return emit_text(NULL, &out, err) ? err->code : 1;
}

/* --- the run --- */

static bool is_same(const char *folder, const char *name, const struct stat *at)
{
	autostr path = {0};
	struct stat st;

	str_printf(&path, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
	return stat(str_text(&path), &st) == 0 && st.st_dev == at->st_dev &&
	       st.st_ino == at->st_ino;
}

/* Before --output is emptied: no file of a job, whatever a job file calls it. */
static int check_targets(const struct job_set *set, const char *output, struct err *err)
{
	struct stat at;

	if (stat(output, &at) < 0 || !S_ISREG(at.st_mode))
		return 0;
	for (unsigned j = 0; j < set->njobs; j++) {
		const struct job_spec *spec = set->jobs[j];
		bool same = false;

		for (unsigned i = 0; i < spec->filename.count; i++) {
			same |= is_same(NULL, spec->filename.items[i], &at);
			for (unsigned d = 0; d < spec->directory.count; d++)
				same |= is_same(spec->directory.items[d],
						spec->filename.items[i], &at);
		}
		if (same)
			return err_input(err,
					 "\"%s\" is used by a job: the output needs another "
					 "name",
					 output);
	}
	return 0;
}

static int open_output(struct fio_face *face, int argc, char **argv, struct err *err)
{
	const struct run_options *options = &face->set->options;
	const char *eta = options->eta ? options->eta : "auto";
	bool to_file = options->output && *options->output;
	int rc = fio_formats_parse(&face->formats, options, err);

	if (rc)
		return rc;
	face->out_fd = STDOUT_FILENO;
	if (to_file && check_targets(face->set, options->output, err))
		return err->code;
	if (to_file)
		face->out_fd = emit_open_fio(options->output, argc, argv, err);
	if (face->out_fd < 0)
		return face->out_fd;
	/* The live line never goes between the pieces of a report. */
	face->live_fd = !to_file && face->formats.normal ? STDOUT_FILENO : STDERR_FILENO;
	face->live = str_equal(eta, "always") ||
		     (str_equal(eta, "auto") && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO));
	return 0;
}

/* The first failed request of each job, where fio says it: a file has the report, or a pipe. */
static void say_request_errors(const struct result *result)
{
	autostr lines = {0};

	for (unsigned i = 0; i < result->njobs; i++)
		if (result->jobs[i].error && result->jobs[i].first_error.code)
			fio_request_error(&result->jobs[i], &lines);
	(void)fputs(str_text(&lines), stderr);
}

static int report_all(struct fio_face *face, struct result *result, struct err *err)
{
	autostr out = {0};
	int rc;

	if (face->shown)
		str_add_char(&out, '\n');
	for (unsigned i = 0; i < result->njobs && face->formats.normal; i++) {
		if (result->jobs[i].error)
			fio_start_error(&result->jobs[i], &out);
	}
	make_report(face, result, 0, &out);
	rc = put(face->out_fd, &out);
	return rc ? err_env(err, rc, "writing the report: %s", err_name(rc)) : 0;
}

static int run_and_report(struct fio_face *face, struct result *result, struct err *err)
{
	struct run_hooks hooks = {
		.context = face, .status = on_status, .output = face->set->options.output};
	autostr start = {0};
	int rc;

	if (face->live)
		hooks.progress = on_progress;
	if (face->formats.normal) {
		hooks.say = on_say;
		fio_start(face->set, &start);
		rc = put(face->out_fd, &start);
		if (rc)
			return err_env(err, rc, "writing the report: %s", err_name(rc));
	}
	rc = run_execute(face->set, &hooks, result, err);
	if (rc)
		return rc;
	result_plausibility(result);
	say_request_errors(result);
	return report_all(face, result, err);
}

static int emit_fio_error(const struct err *err)
{
	(void)fflush(stdout);
	(void)fprintf(stderr, "fio: %s\n", err->text);
	return 1;
}

/* fio's exit: 1 when a job failed; a stopped run is 129 by SIGHUP, 128 by the other signals. */
static int exit_code(const struct result *result)
{
	if (result->signal)
		return result->signal == SIGHUP ? 129 : 128;
	for (unsigned i = 0; i < result->njobs; i++) {
		if (result->jobs[i].error || result->jobs[i].killed_by)
			return 1;
	}
	return 0;
}

int cmd_fio(int argc, char **argv)
{
	struct fio_face face = {.out_fd = -1};
	struct result result;
	struct job_set set;
	struct err err = {0};
	int rc, code;

	job_set_init(&set, FACE_FIO);
	rc = job_parse(&set, argc - 1, argv + 1, &err);
	if (!rc)
		rc = answer_instead(&set, &err);
	face.set = &set;
	if (!rc)
		rc = command_check_limits(&err);
	if (!rc)
		rc = open_output(&face, argc, argv, &err);
	if (rc) {
		code = rc > 0 ? 0 : emit_fio_error(&err);
		job_set_done(&set);
		return code;
	}
	result_init(&result, &set);
	rc = run_and_report(&face, &result, &err);
	code = rc ? emit_fio_error(&err) : exit_code(&result);
	if (face.out_fd != STDOUT_FILENO && close(face.out_fd) < 0)
		code = 1;
	result_done(&result);
	job_set_done(&set);
	return code;
}
