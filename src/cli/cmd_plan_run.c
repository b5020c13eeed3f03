/* assay plan run and resume: what is to be done is said and consented to once, then it is done. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/emit.h"
#include "cli/keep.h"
#include "cli/plan_cdm.h"
#include "cli/plan_estimate.h"
#include "cli/plan_kept.h"
#include "cli/plan_limit.h"
#include "cli/plan_session.h"
#include "cli/report_priv.h"
#include "plan/execute.h"

#define HOLD_TRIES    20
#define HOLD_PAUSE_NS (50 * NS_PER_MS)

/* Between two runs a signal must still end the plan in order. SIGHUP does not end one: a
 * terminal that went away is no reason to lose hours. */
static volatile sig_atomic_t seen;

static void on_signal(int signal)
{
	seen = signal;
}

static void take_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	(void)sigaction(SIGINT, &action, NULL); /* valid signals: cannot fail */
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGHUP, &ignore, NULL);
	(void)sigaction(SIGPIPE, &ignore, NULL);
}

/* --- hooks --- */

static int on_stop(void *context)
{
	(void)context;
	return seen;
}

int plan_take_signal(void *context)
{
	int signal = seen;

	(void)context;
	seen = 0;
	return signal;
}

/* --- the store --- */

/* Nobody else carries this plan out: a file in the store's folder is held. */
static int hold_plan(struct plan_session *s, struct err *err)
{
	autostr path = {0};

	store_plan_lock_path(s->keep.store, s->kept.record.uid, &path);
	s->lock_fd = open(str_text(&path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (s->lock_fd < 0)
		return err_env(err, -errno, "cannot make \"%s\": %s", str_text(&path),
			       err_name(errno));
	/* Who was killed takes a moment to be gone, with those that worked for it. */
	for (unsigned tries = 0; tries < HOLD_TRIES; tries++) {
		struct timespec nap = {.tv_nsec = (long)HOLD_PAUSE_NS};

		if (flock(s->lock_fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		(void)nanosleep(&nap, NULL);
	}
	return err_set(err, ERR_REFUSED, -EBUSY,
		       "p%" PRId64 " is being carried out by another process",
		       s->kept.record.id);
}

static void release_plan(struct plan_session *s)
{
	autostr path = {0};

	if (s->lock_fd < 0)
		return;
	store_plan_lock_path(s->keep.store, s->kept.record.uid, &path);
	(void)unlink(str_text(&path)); /* only a mark: one that stays harms nobody */
	(void)close(s->lock_fd);
	s->lock_fd = -1;
}

static int lock_all(struct plan_session *s, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < s->x.ndrives && !rc; i++)
		if (s->x.drives[i].kind == PLAN_BLOCK)
			rc = device_lock(s->x.drives[i].path, HOLD_EXCLUSIVE,
					 &device_roots_real, &s->x.drives[i].lock, err);
	return rc;
}

/* --- targets --- */

static int look_at(struct plan_session *s, const char *path, struct plan_target *ret_target,
		   struct err *err)
{
	struct plan_execution *x = &s->x;

	for (unsigned i = 0; i < x->ndrives; i++)
		if (str_equal(s->kept.record.targets[i].path, path))
			return err_input(err, "\"%s\" is named twice", path);
	return plan_target_look(path, s->kept.record.scale, &s->kept.record.arena,
				&x->drives[x->ndrives++], ret_target, err);
}

/* One clock for the whole plan. */
static int check_mix(const struct plan_session *s, struct err *err)
{
	unsigned simulated = 0;

	for (unsigned i = 0; i < s->x.ndrives; i++)
		simulated += s->x.drives[i].kind == PLAN_SIMULATED;
	if (simulated && simulated < s->x.ndrives)
		return err_input(err, "simulated drives and real ones are no targets of one "
				      "plan: run it for each");
	return 0;
}

/* --- carrying it out --- */

static int begin(struct plan_session *s, struct err *err)
{
	struct run_options *options = &s->set.options;
	int rc;

	job_set_init(&s->set, FACE_NATIVE);
	options->progress = s->options->progress;
	options->progress_fd = s->options->progress_fd ? s->options->progress_fd : 1;
	options->eta = "auto";
	rc = show_init(&s->show, &s->set, err);
	s->show.consent = s->consent;
	s->show.consent_bytes = sizeof(s->consent);
	s->show.wrote = true; /* so that ask is there; it answers for our own data alone */
	show_hooks(&s->show, &s->shown);
	s->show.wrote = false;
	return rc;
}

static int exit_code(const struct plan_session *s)
{
	enum outcome outcome = plan_record_outcome(&s->kept.record);

	for (unsigned i = 0; i < s->x.journal->count; i++)
		if (s->x.journal->entries[i].state == PLAN_ERRORS)
			return ERR_IO;
	return outcome == OUTCOME_FAIL ? 1 : outcome == OUTCOME_CANNOT_TELL ? 2 : 0;
}

/* The path is the last line: of the page on stdout, else on stderr, where it spoils no JSON. A
 * report of a plan that was stopped tells what there is; the one after its resume replaces it. */
static int write_report(const struct plan_session *s, struct plan_view *view, struct err *err)
{
	bool text = s->options->format == NATIVE_TEXT && !s->options->output;
	const struct plan_record *record = view->record;
	const struct report_job job = {.title = record->title ? record->title : record->name,
				       .content = plan_page_content,
				       .context = view};
	struct report_place place = {.uid = record->uid};
	autostr path = {0}, name = {0};
	int rc;

	if (s->options->no_report)
		return 0;
	str_printf(&name, "p%" PRId64, record->id);
	place.store_path = store_path(s->keep.store);
	place.name = str_text(&name);
	rc = report_keep_page(&place, &job, &path, err);
	if (rc)
		return rc;
	(void)fprintf(text ? stdout : stderr, "%s%s\n",
		      text ? "" : lang_here("assay: report: "), str_text(&path));
	return 0;
}

/* All that was measured is in the store by now: neither can lose it. */
static int print(struct plan_session *s, struct err *err)
{
	struct plan_view view = {.plan = &s->kept.plan,
				 .record = &s->kept.record,
				 .journal = &s->kept.journal,
				 .spec = s->sheet,
				 .around = &s->kept.around};
	struct plan_vitals vitals = {0};
	struct err other = {0};
	int rc, written;

	plan_around_load(&s->kept.around, s->keep.store, &s->kept.journal);
	rc = plan_emit(&view, s->options->format, s->options->output, err);

	plan_vitals_load(&vitals, s->keep.store, &s->kept.journal);
	view.vitals = &vitals;
	written = write_report(s, &view, rc ? &other : err);
	plan_vitals_done(&vitals);
	return written && !rc ? err->code : rc;
}

/* --on-finish: the shell gets the plan's name and how it ended; what it says is its own. */
static void on_finish(const struct plan_session *s, int code)
{
	const char *command = s->options->on_finish;
	char text[32];
	int status;

	if (!command)
		return;
	(void)snprintf(text, sizeof(text), "p%" PRId64, s->kept.record.id);
	(void)setenv("ASSAY_PLAN", text, 1); /* out of memory: the command lacks it */
	(void)setenv("ASSAY_STATE", s->kept.record.state, 1);
	(void)snprintf(text, sizeof(text), "%d", code);
	(void)setenv("ASSAY_EXIT", text, 1);
	/* NOLINTNEXTLINE(cert-env33-c): the user's own command, for the user's own shell */
	status = system(command);
	if (status)
		(void)fprintf(stderr, lang_here("assay: --on-finish: \"%s\" ended with %d\n"),
			      command, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

/* It failed before anything was measured or written: there is nothing to go on with. */
static bool never_began(const struct plan_session *s, int rc)
{
	bool wrote = false;

	for (unsigned i = 0; i < s->x.ndrives; i++)
		wrote |= s->x.drives[i].wrote;
	return rc && rc != -EINTR && !s->x.at_limit && s->is_new && !wrote &&
	       !s->kept.record.parallel && !s->kept.journal.count;
}

/* The error says it all; no page, and no plan that waits to be resumed. */
static int forget(struct plan_session *s, int rc)
{
	struct err other = {0};

	if (store_plan_remove(s->keep.store, s->kept.record.id, &other))
		(void)emit_error(&other);
	plan_remove_files(s->folder, s->kept.record.uid);
	plan_limit_end(s, true);
	release_plan(s);
	show_done(&s->show);
	return rc;
}

static int do_plan(struct plan_session *s, struct err *err)
{
	struct plan_hooks hooks = {.stop = on_stop};
	struct err other = {0};
	autostr undo = {0}, at_limit = {0};
	int rc;

	if (store_state_folder(true, &undo, NULL) == 0)
		s->x.undo_folder = str_text(&undo);
	s->x.plan = &s->kept.plan;
	s->x.journal = &s->kept.journal;
	s->x.spec = s->sheet;
	s->x.record = &s->kept.record;
	s->x.store = s->keep.store;
	s->x.state_folder = s->folder;
	s->x.keep_worst = s->options->keep_worst;
	s->x.program = "assay " ASSAY_VERSION;
	plan_live_hooks(s, &hooks);
	s->x.hooks = &hooks;
	take_signals();
	watch_open(&s->watch, s->folder, s->kept.record.uid);
	rc = s->kept.record.parallel ? plan_all_at_once(s, err) : plan_execute(&s->x, err);
	watch_close(&s->watch);
	if (never_began(s, rc))
		return forget(s, rc);
	if (s->x.at_limit)
		plan_limit_text(s, &at_limit);
	release_plan(s); /* it is as done as it will be: what comes now only tells of it */
	show_done(&s->show);
	if (print(s, rc ? &other : err)) {
		if (rc)
			(void)emit_error(&other);
		else
			rc = err->code;
	}
	if (at_limit.length)
		(void)fprintf(stderr, "assay: %s\n", str_text(&at_limit));
	if (rc == -E2BIG && s->x.at_limit)
		return ERR_REFUSED; /* of more there was no consent */
	if (rc == -EINTR) {
		(void)fprintf(
			stderr,
			lang_here("assay: stopped: `assay plan resume p%" PRId64 "` goes on\n"),
			s->kept.record.id);
		return 128 + (s->x.signal ? s->x.signal : SIGINT);
	}
	return rc ? rc : exit_code(s);
}

static int carry_out(struct plan_session *s, struct err *err)
{
	int rc = do_plan(s, err);

	on_finish(s, rc < 0 ? (int)err->kind : rc);
	return rc;
}

static void finish(struct plan_session *s)
{
	plan_limit_end(s, str_equal(s->kept.record.state, "done"));
	for (unsigned i = 0; i < s->x.ndrives; i++)
		device_unlock(&s->x.drives[i].lock);
	release_plan(s);
	keep_close(&s->keep);
	plan_kept_done(&s->kept);
	plan_record_done(&s->reread);
	job_set_done(&s->set);
}

static int open_store(struct plan_session *s, struct err *err)
{
	int rc = keep_open(&s->keep, s->options->store, false, err);

	if (rc)
		return rc;
	keep_folder(s->keep.store, s->folder, sizeof(s->folder));
	return 0;
}

/* --- run --- */

static void describe(struct plan_session *s)
{
	const struct plan_options *options = s->options;
	struct plan_record *record = &s->kept.record;
	autostr text = {0}, settings = {0}, sheet = {0};
	struct record fresh;

	record_init(&fresh, "plan");
	memcpy(record->uid, fresh.uid, sizeof(record->uid));
	record_done(&fresh);
	plan_format(&s->kept.plan, &text);
	for (unsigned i = 0; i < options->nset; i++)
		str_printf(&settings, "%s%s", i ? "\n" : "", options->set[i]);
	record->name = s->kept.plan.name;
	record->title = s->kept.plan.title;
	record->text = arena_strdup(&record->arena, str_text(&text));
	record->settings = arena_strdup(&record->arena, str_text(&settings));
	record->started_unix_ns = clock_wall_ns();
	if (!s->sheet)
		return;
	plan_spec_format(s->sheet, &sheet);
	record->spec = arena_strdup(&record->arena, str_text(&sheet));
}

static int settle(struct plan_session *s, struct err *err)
{
	const struct plan_options *options = s->options;
	struct plan_record *record = &s->kept.record;
	int rc = plan_options_open(s->options, &s->kept.plan, err);

	if (!rc && options->format == NATIVE_CDM)
		rc = plan_cdm_check(&s->kept.plan, err);
	if (rc)
		return rc;
	s->sheet = options->wish.spec;
	record->scale = options->scale;
	record->max_write_bytes = options->max_write_bytes;
	record->repetitions = options->repeat;
	record->parallel = options->parallel && options->nwords > 2;
	if (record->parallel && options->progress)
		return err_input(err, "--progress is of one run, and --parallel has several at "
				      "once: `assay watch` shows them");
	record->targets = arena_array(&record->arena, struct plan_target, PLAN_TARGETS_MAX);
	for (unsigned i = 1; i < options->nwords && !rc; i++) {
		rc = look_at(s, options->words[i], &record->targets[record->ntargets], err);
		record->ntargets += !rc;
	}
	plan_journal_sizes(&s->kept.journal, record);
	if (!rc)
		rc = check_mix(s, err);
	return rc ? rc : plan_check_devices(&s->kept.plan, s->x.drives, s->x.ndrives, err);
}

static void init(struct plan_session *s, struct plan_options *options)
{
	*s = (struct plan_session){
		.options = options, .lock_fd = -1, .say_fd = -1, .watch = {.fd = -1}};
	s->x.only = -1;
	plan_record_init(&s->kept.record);
	plan_record_init(&s->reread);
	plan_journal_init(&s->kept.journal);
}

static void outlook(struct plan_session *s, bool to_file, struct str *out)
{
	const struct plan_outlook outlook = {.plan = &s->kept.plan,
					     .spec = s->sheet,
					     .drives = s->x.drives,
					     .ndrives = s->x.ndrives,
					     .scale = s->kept.record.scale,
					     .repetitions = s->kept.record.repetitions,
					     .parallel = s->kept.record.parallel,
					     .store = s->keep.store,
					     .destroy = plan_consented(s),
					     .max_write_bytes = s->kept.record.max_write_bytes,
					     .speeds = s->speeds,
					     .holds_devices = !to_file};
	struct document doc;

	if (to_file && s->options->format == NATIVE_JSON) {
		plan_estimate_json(&outlook, out);
		return;
	}
	native_begin_page(&doc, out, to_file ? s->options->format : NATIVE_TEXT,
			  to_file ? s->options->output : NULL);
	plan_estimate_page(&doc, &outlook);
	document_done(&doc);
}

/* Only reads; a store is asked where there is one. */
static int estimate(struct plan_session *s, struct err *err)
{
	autostr out = {0};
	int rc = settle(s, err);

	if (rc)
		return rc;
	(void)keep_open_for(s->options->store, STORE_READ, &s->keep.store, NULL);
	outlook(s, true, &out);
	return emit_text(s->options->output, &out, err);
}

int plan_estimate_word(struct plan_options *options, struct err *err)
{
	struct plan_session *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_env(err, -ENOMEM, "no memory for a plan");
	init(s, options);
	rc = estimate(s, err);
	finish(s);
	free(s);
	return rc;
}

/* Of targets that are worked on at once. */
static void say_shared(struct plan_session *s)
{
	struct plan_execution *x = &s->x;

	if (!s->kept.record.parallel)
		return;
	plan_targets_share(x->drives, x->ndrives, &s->kept.record.arena);
	for (unsigned i = 0; i < x->ndrives; i++)
		if (x->drives[i].shares)
			(void)fprintf(stderr, lang_here("assay: note: %s shares %s\n"),
				      x->drives[i].path, x->drives[i].shares);
}

/* On stderr: stdout is the result's. */
static int announce(struct plan_session *s, struct err *err)
{
	autostr out = {0};

	(void)err;
	outlook(s, false, &out);
	(void)fprintf(stderr, "%s\n", str_text(&out));
	say_shared(s);
	return 0;
}

int plan_run_word(struct plan_options *options, struct err *err)
{
	struct plan_session *s;
	int rc;

	if (options->dry_run)
		return plan_estimate_word(options, err);
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_env(err, -ENOMEM, "no memory for a plan");
	init(s, options);
	s->is_new = true;
	rc = settle(s, err);
	if (!rc)
		rc = open_store(s, err);
	if (!rc)
		rc = begin(s, err);
	if (!rc)
		rc = lock_all(s, err);
	if (!rc)
		rc = announce(s, err);
	if (!rc)
		rc = plan_ask_all(s, err);
	if (!rc) {
		describe(s);
		rc = hold_plan(s, err); /* first: what is not held was cut off */
	}
	if (!rc)
		rc = store_plan_begin(s->keep.store, &s->kept.record, err);
	if (!rc)
		rc = plan_limit_begin(s, err);
	if (!rc)
		rc = carry_out(s, err);
	finish(s);
	free(s);
	return rc;
}

/* --- resume --- */

struct open_plans {
	struct str list;
	unsigned count, running;
	int64_t id, running_id;
};

static void add_unfinished(void *context, const struct store_plan_entry *entry)
{
	struct open_plans *all = context;

	if (str_equal(entry->state, "running")) { /* another process is at it */
		all->running++;
		all->running_id = entry->id;
		return;
	}
	str_printf(&all->list, "%sp%" PRId64 " (%s on %s)", all->count ? ", " : "", entry->id,
		   entry->name, entry->targets);
	all->id = entry->id;
	all->count++;
}

static int find_plan(struct plan_session *s, struct str *ret_name, struct err *err)
{
	struct open_plans all = {0};
	int rc = 0;

	if (s->options->nwords) {
		str_add(ret_name, s->options->words[0]);
		return 0;
	}
	rc = store_plan_list(s->keep.store,
			     &(const struct store_plan_filter){.unfinished = true},
			     add_unfinished, &all, err);
	if (!all.count && all.running == 1) { /* its process may be on the way out */
		all.id = all.running_id;
		all.count = 1;
	}
	if (!rc && all.count != 1)
		rc = all.count ? err_input(err, "which plan? unfinished are: %s",
					   str_text(&all.list))
			       : err_input(err, "no plan is unfinished");
	str_printf(ret_name, "p%" PRId64, all.id);
	str_done(&all.list);
	return rc;
}

/* What was cut off is in no journal: the step that comes next may have begun. */
static bool was_cut_off_writing(const struct plan_session *s, unsigned target)
{
	const struct plan_lane lane = {.plan = &s->kept.plan,
				       .journal = &s->kept.journal,
				       .spec = s->sheet,
				       .target = target};
	struct plan_task task;

	return plan_target_next(&lane, s->kept.record.repetitions, &task) &&
	       plan_step_writes(&s->kept.plan.steps[task.step]);
}

/* Each is looked at again: consent was for what it was then. */
static int find_targets(struct plan_session *s, struct err *err)
{
	struct plan_record *record = &s->kept.record;
	int rc = 0;

	for (unsigned i = 0; i < record->ntargets && !rc; i++) {
		struct plan_target now;

		rc = plan_target_look(record->targets[i].path, record->scale, &record->arena,
				      &s->x.drives[s->x.ndrives++], &now, err);
		if (!rc)
			rc = plan_target_same(&record->targets[i], &now, err);
	}
	for (unsigned i = 0; i < s->kept.journal.count && !rc; i++) {
		const struct plan_entry *entry = &s->kept.journal.entries[i];

		s->x.drives[entry->task.target].wrote |= entry->written_bytes > 0;
		s->x.last_unix_ns = entry->began_unix_ns + entry->span_ns;
	}
	for (unsigned i = 0; i < record->ntargets && !rc; i++)
		s->x.drives[i].wrote |= was_cut_off_writing(s, i);
	s->x.resumed = s->kept.journal.count > 0;
	return rc;
}

static int load_kept(struct plan_session *s, struct err *err)
{
	autostr name = {0};
	int rc = find_plan(s, &name, err);

	if (rc)
		return rc;
	plan_kept_done(&s->kept);
	rc = plan_kept_load(&s->kept, s->keep.store, str_text(&name), err);
	s->sheet = s->kept.sheet;
	if (!rc && str_equal(s->kept.record.state, "done"))
		rc = err_input(err, "%s is done: `assay results show %s`", str_text(&name),
			       str_text(&name));
	if (!rc && str_equal(s->kept.record.state, "unfinished"))
		rc = err_input(err,
			       "%s came from another store, where it may go on: here it is a "
			       "result; `assay plan run %s` begins anew",
			       str_text(&name), s->kept.record.name);
	return rc;
}

int plan_resume_word(struct plan_options *options, struct err *err)
{
	struct plan_session *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_env(err, -ENOMEM, "no memory for a plan");
	init(s, options);
	rc = open_store(s, err);
	if (!rc)
		rc = load_kept(s, err);
	if (!rc)
		rc = hold_plan(s, err);
	if (!rc)
		rc = find_targets(s, err);
	if (!rc)
		rc = begin(s, err);
	if (!rc)
		rc = lock_all(s, err);
	if (!rc)
		rc = plan_limit_begin(s, err);
	if (!rc)
		rc = plan_ask_strangers(s, err);
	if (!rc) {
		say_shared(s);
		rc = carry_out(s, err);
	}
	finish(s);
	free(s);
	return rc;
}
