/* assay quick: the main job. Says what it will write, runs the cells, prints one table. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lang.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/keep_live.h"
#include "cli/quick_priv.h"
#include "cli/quick_view.h"
#include "cli/report_priv.h"
#include "run/run.h"

struct quick_run {
	struct quick_options options;
	struct quick_target target;
	struct quick_cell cells[QUICK_CELLS];
	struct keep keep;
	/* All results stay until the page is printed. */
	struct quick_record *records;
	unsigned nrecords, room;
	uint64_t written_bytes;
	char incomplete[200];
	char consent[300]; /* as typed */
	int signal;
	bool failed;
};

/* Between two runs a signal must still reach the end that removes the file. */
static volatile sig_atomic_t seen;

static void on_signal(int signal)
{
	seen = signal;
}

static void take_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	(void)sigaction(SIGINT, &action, NULL); /* valid signals: cannot fail */
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGHUP, &action, NULL);
}

static void announce(const struct quick_run *run)
{
	const char *path = run->target.path, *size, *most;
	autostr text = {0}, size_text = {0}, most_text = {0};

	quantity_size(run->target.size_bytes, &size_text);
	quantity_size(run->options.max_write_bytes, &most_text);
	size = str_text(&size_text);
	most = str_text(&most_text);
	if (!run->target.writes)
		lang_add(&text, "only reads \"%s\", %s", path, size);
	else if (run->target.kind == QUICK_OWN_FILE)
		lang_add(&text,
			 "measures \"%s\", a file of our own: %s are written to make it, then "
			 "write cells; in all at most %s (--max-write)",
			 path, size, most);
	else
		lang_add(&text,
			 "measures \"%s\", %s: read cells, then write cells; in all at most %s "
			 "(--max-write)",
			 path, size, most);
	str_make_safe(text.text);
	(void)fprintf(stderr, "assay: %s\n", str_text(&text));
}

static uint64_t written_by(const struct result *result)
{
	return result->facts.asked_bytes[DIR_WRITE]; /* with the ramp: it wears the drive too */
}

static bool one_cell(struct quick_run *run, unsigned cell, enum quick_load load,
		     unsigned repeat, struct err *err)
{
	struct quick_record *record = &run->records[run->nrecords];
	struct quick_wish wish = {.cell = cell,
				  .repeat = repeat,
				  .load = load,
				  .written_bytes = run->written_bytes,
				  .keep = &run->keep};
	struct result *result = &record->result;
	uint64_t limit = run->options.max_write_bytes;
	int rc;

	if (load != QUICK_READ && run->written_bytes >= limit) {
		(void)snprintf(run->incomplete, sizeof(run->incomplete),
			       N_("stopped writing at the limit of --max-write"));
		return true;
	}
	wish.budget_bytes = limit - run->written_bytes;
	rc = quick_run_cell(&run->target, &run->options, &wish, record, err);
	run->nrecords++;
	if (rc && run->nrecords == 1)
		keep_live_forget(&run->keep); /* what was measured before is kept, cut off */
	if (rc)
		return false;
	run->written_bytes += written_by(result);
	run->options.wrote |= load != QUICK_READ && run->target.kind == QUICK_DEVICE;
	run->cells[cell].runs[load][repeat] = result;
	run->failed |= run_exit_code(result) == ERR_IO;
	if (result->interrupted)
		run->signal = result->signal;
	return true;
}

static bool over(struct quick_run *run)
{
	if (!run->signal && seen)
		run->signal = seen;
	if (!run->signal)
		run->signal = run_last_signal(); /* too late for the run that took it */
	if (run->signal)
		(void)snprintf(run->incomplete, sizeof(run->incomplete), N_("stopped by %s"),
			       run->signal == SIGINT ? "SIGINT" : strsignal(run->signal));
	return run->signal != 0;
}

static int all_cells(struct quick_run *run, struct err *err)
{
	for (unsigned repeat = 0; repeat < run->options.repeat; repeat++) {
		for (unsigned cell = 0; cell < QUICK_CELLS; cell++) {
			for (unsigned load = 0; load < NQUICK_LOADS; load++) {
				bool wanted = run->options.cell[cell] &&
					      (load == QUICK_READ || run->target.writes);

				if (!wanted)
					continue;
				if (over(run))
					return 0;
				if (!one_cell(run, cell, load, repeat, err))
					return err->code;
			}
		}
	}
	(void)over(run);
	return 0;
}

static int make_room(struct quick_run *run, struct err *err)
{
	unsigned repeat = run->options.repeat;

	run->room = QUICK_CELLS * NQUICK_LOADS * repeat;
	run->records = calloc(run->room, sizeof(*run->records));
	if (!run->records)
		return err_env(err, -ENOMEM, "no memory for %u results", run->room);
	for (unsigned cell = 0; cell < QUICK_CELLS; cell++) {
		run->cells[cell].name = quick_cell_names[cell];
		for (unsigned load = 0; load < NQUICK_LOADS; load++) {
			bool wanted = run->options.cell[cell] &&
				      (load == QUICK_READ || run->target.writes);

			if (!wanted)
				continue;
			run->cells[cell].runs[load] = calloc(repeat, sizeof(struct result *));
			if (!run->cells[cell].runs[load])
				return err_env(err, -ENOMEM, "no memory for %u results",
					       run->room);
		}
	}
	return 0;
}

static void release(struct quick_run *run)
{
	for (unsigned i = 0; i < run->nrecords; i++)
		quick_record_done(&run->records[i]);
	for (unsigned cell = 0; cell < QUICK_CELLS; cell++) {
		for (unsigned load = 0; load < NQUICK_LOADS; load++)
			free(run->cells[cell].runs[load]);
	}
	free(run->records);
}

/* All results in the table's order; of a command that was stopped also those of a repetition that
 * is not whole. */
static void collect(struct quick_run *run, struct record *record)
{
	for (unsigned cell = 0; cell < QUICK_CELLS; cell++) {
		for (unsigned load = 0; load < NQUICK_LOADS; load++) {
			struct result **results = run->cells[cell].runs[load];

			for (unsigned r = 0; results && r < run->options.repeat; r++)
				if (results[r])
					record_add_live(record, run->cells[cell].name,
							quick_load_names[load], r, results[r],
							results[r]->set);
		}
	}
}

/* The path is the last line: of the page on stdout, else on stderr, where it spoils no JSON. */
static int write_report(struct quick_run *run, struct record *record, struct err *err)
{
	bool text = run->options.format == NATIVE_TEXT && !run->options.output;
	autostr path = {0};
	int rc;

	if (!run->keep.store || run->options.no_report || !record->nparts)
		return 0;
	rc = report_keep(store_path(run->keep.store), record, &path, err);
	if (rc)
		return rc;
	(void)fprintf(text ? stdout : stderr, "%s%s\n",
		      text ? "" : lang_here("assay: report: "), str_text(&path));
	return 0;
}

static int print(struct quick_run *run, struct err *err)
{
	struct record record;
	struct err other = {0};
	int rc;

	record_init(&record, "quick");
	collect(run, &record);
	record.written_bytes = run->written_bytes;
	if (*run->incomplete)
		record.incomplete = run->incomplete;
	rc = record.nparts ? keep_save(&run->keep, &record, run->options.tag, err) : 0;
	if (native_emit_record(&record, run->options.format, run->options.output,
			       rc ? &other : err) &&
	    !rc)
		rc = err->code;
	if (!rc)
		rc = write_report(run, &record, err);
	record_done(&record);
	return rc;
}

static int measure(struct quick_run *run, struct err *err)
{
	struct memory_end end;
	int rc = make_room(run, err);

	if (rc)
		return rc;
	if (run->target.kind == QUICK_OWN_FILE &&
	    run->target.size_bytes > run->options.max_write_bytes)
		return err_input(err,
				 "making a file of %llu bytes to measure writes more than "
				 "--max-write=%llu: take a smaller --size",
				 (unsigned long long)run->target.size_bytes,
				 (unsigned long long)run->options.max_write_bytes);
	announce(run);
	if (run->target.kind == QUICK_OWN_FILE)
		memory_end_add(&end, memory_end_unlink, run->target.path);
	rc = quick_prepare(&run->target, &run->options, &run->keep, err);
	if (run->target.kind == QUICK_OWN_FILE)
		run->written_bytes = run->target.size_bytes;
	if (!rc)
		rc = all_cells(run, err);
	if (run->target.kind == QUICK_OWN_FILE) {
		(void)unlink(run->target.path); /* gone already is as good */
		memory_end_remove(&end);
	}
	if (rc)
		return rc;
	return print(run, err);
}

int cmd_quick(int argc, char **argv)
{
	struct quick_run run = {0};
	struct err err = {0};
	int rc = quick_options_parse(&run.options, argc, argv, &err), code;

	run.options.consent = run.consent;
	run.options.consent_bytes = sizeof(run.consent);
	if (!rc)
		rc = quick_target_settle(&run.target, &run.options, &err);
	if (!rc && run.options.clean) {
		quick_left_over(&run.target, &run.options);
		return 0;
	}
	if (!rc)
		rc = emit_check(run.options.output, argc, argv, &err);
	if (!rc)
		rc = keep_open(&run.keep, run.options.store, run.options.no_store, &err);
	if (!rc) {
		quick_left_over(&run.target, &run.options);
		take_signals();
		rc = measure(&run, &err);
	}
	keep_close(&run.keep);
	release(&run);
	if (rc == -EINTR || run.signal) {
		int signal = run.signal ? run.signal : run_last_signal();

		if (rc == -EINTR)
			(void)fprintf(
				stderr,
				lang_here("assay: stopped before anything was measured\n"));
		return 128 + (signal ? signal : SIGINT);
	}
	code = run.failed ? ERR_IO : 0;
	return rc ? emit_error(&err) : code;
}
