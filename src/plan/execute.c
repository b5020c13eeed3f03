#include "plan/execute.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "device/health.h"
#include "device/host.h"
#include "device/purge.h"
#include "device/same.h"
#include "device/write_cache.h"
#include "plan/measure.h"
#include "result/health_lines.h"
#include "sim/drive.h"

#define NAP_NS	 (100 * NS_PER_MS)
#define CPU_BUSY 0.8 /* from here on targets that are worked on at once wait for the CPU too */

/* One thing that is being done. */
struct doing {
	struct plan_execution *x;
	const struct plan_task *task;
	const struct plan_step *step;
	struct plan_drive *drive;
	struct plan_target *target;
	struct plan_entry entry;
	struct record record; /* of the run behind it */
	bool has_record;
	struct arena arena;
	struct str note;
	struct err *err;
};

static void add_note(struct doing *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add_note(struct doing *d, const char *fmt, ...)
{
	va_list args;

	if (d->note.length)
		str_add(&d->note, "; ");
	va_start(args, fmt);
	str_vprintf(&d->note, fmt, args);
	va_end(args);
}

static bool was_stopped(struct plan_execution *x)
{
	if (!x->signal && x->hooks->stop)
		x->signal = x->hooks->stop(x->hooks->context);
	return x->signal != 0;
}

static int stopped(struct doing *d)
{
	return err_env(d->err, -EINTR, "stopped: `assay plan resume` goes on");
}

/* --- runs --- */

static int run_set(struct doing *d, struct job_set *set, struct result *result)
{
	struct run_hooks hooks = d->x->hooks->run ? *d->x->hooks->run : (struct run_hooks){0};
	int rc;

	hooks.holds_devices = true;
	if (d->target->token)
		set->options.destroy = d->target->token;
	else if (!d->drive->file && plan_filesystem_is_ours(d->x, d->drive))
		set->options.destroy = d->drive->device.token; /* of a repetition before */
	rc = run_execute(set, &hooks, result, d->err);
	if (rc == -EINTR)
		d->x->signal = run_last_signal();
	if (!rc && result->interrupted) {
		d->x->signal = result->signal;
		rc = stopped(d);
	}
	d->drive->wrote |= !rc && result->facts.asked_bytes[DIR_WRITE] > 0;
	return rc;
}

static struct plan_lane lane_of(const struct doing *d)
{
	return (struct plan_lane){.plan = d->x->plan,
				  .journal = d->x->journal,
				  .spec = d->x->spec,
				  .target = d->task->target,
				  .repetition = d->task->repetition};
}

/* Did a cell of this step before have the same warning? Then the page has its sentence. */
static bool is_said(struct doing *d, const char *id)
{
	const struct plan_lane lane = lane_of(d);
	const char *head = arena_printf(&d->arena, "%s: ", id);
	const struct plan_entry *entry;
	unsigned from = 0;

	while ((entry = plan_entry_next(&lane, d->task->step, &from)))
		if (entry->note && strstr(entry->note, head))
			return true;
	return false;
}

/* What makes the cell's figures doubtful, beside them: as the run behind it says it. Of further
 * cells with the same the names. */
static void tell_warnings(struct doing *d, const struct result *result)
{
	autostr known = {0}, seen = {0};

	for (unsigned i = 0; i < result->nnotes && !result->simulated; i++) {
		const struct note *note = &result->notes[i];

		if (note->severity != SEVERITY_WARNING || strstr(str_text(&seen), note->id))
			continue;
		str_printf(&seen, "%s ", note->id);
		if (is_said(d, note->id))
			str_printf(&known, "%s%s", known.length ? ", " : "", note->id);
		else
			add_note(d, "%s: %s", note->id, note->text);
	}
	if (known.length)
		add_note(d, "warnings as above: %s", str_text(&known));
}

/* Two levels are a finding and no fault: of a volume that bursts this is what was bought. */
static void tell_levels(struct doing *d, const struct result *result)
{
	for (unsigned i = 0; i < result->nnotes; i++)
		if (str_equal(result->notes[i].id, "two-levels"))
			add_note(d, "%s", result->notes[i].text);
}

static void take_result(struct doing *d, struct result *result, const struct job_set *set)
{
	struct plan_entry *entry = &d->entry;

	result_plausibility(result);
	tell_warnings(d, result);
	tell_levels(d, result);
	plan_entry_measure(result, &d->arena, entry);
	entry->span_ns = result->span_ns;
	entry->written_bytes = result->facts.asked_bytes[DIR_WRITE];
	entry->state = run_exit_code(result) ? PLAN_ERRORS : PLAN_DONE;
	d->record.title = arena_printf(
		&d->record.arena, "%s%s: %s%s%s on %s", result->simulated ? "simulated " : "",
		d->x->record->name, d->step->name, *entry->cell_name ? " " : "",
		entry->cell_name, d->target->path);
	d->record.program = d->x->program;
	record_add_live(&d->record, NULL, NULL, d->task->pass, result, set);
	record_settle(&d->record);
	d->record.written_bytes = entry->written_bytes;
	entry->health =
		health_facts_copy(&d->arena, result->facts.health, result->facts.nhealth);
	entry->nhealth = result->facts.nhealth;
	d->has_record = true;
}

/* What a step did to a drive that can tell: growth of its counters, and how it is now. A model's
 * log is in the table of the step, and no news. */
static void note_health(struct doing *d)
{
	static const enum health_field told[] = {
		HEALTH_HOST_WRITTEN_BYTES, HEALTH_NAND_WRITTEN_BYTES, HEALTH_TEMPERATURE_MC,
		HEALTH_USED_PPM,	   HEALTH_HOT_MINUTES,	      HEALTH_MEDIA_ERRORS,
		HEALTH_REALLOCATED,	   HEALTH_LINK_ERRORS};
	const struct health_facts *health = d->entry.health;
	struct health grown;
	double amplification;

	if (d->drive->kind == PLAN_SIMULATED || d->step->kind == PLAN_SNAPSHOT ||
	    !d->entry.nhealth || *health->before.why_not || *health->after.why_not)
		return;
	health_difference(&health->before, &health->after, &grown);
	for (unsigned i = 0; i < ARRAY_SIZE(told); i++) {
		int64_t value = grown.value[told[i]];
		char text[64];

		if (value == HEALTH_UNKNOWN || (health_fields[told[i]].counts && !value))
			continue;
		health_format(told[i], value, text, sizeof(text));
		add_note(d, "%s %s", health_fields[told[i]].title, text);
	}
	amplification = health_write_amplification(&grown);
	if (amplification > 0)
		add_note(d, "write amplification %.2f", amplification);
}

static int save(struct doing *d)
{
	struct plan_execution *x = d->x;
	int rc = 0;

	note_health(d);
	d->entry.note = d->note.length ? str_text(&d->note) : NULL;
	if (x->store)
		rc = store_plan_cell(x->store, x->record, d->has_record ? &d->record : NULL,
				     &d->entry, d->err);
	if (rc)
		return rc;
	plan_journal_add(x->journal, &d->entry);
	if (d->drive->kind == PLAN_SIMULATED)
		plan_sim_tidy(x, d->task->target, false);
	if (x->hooks->after)
		x->hooks->after(x->hooks->context, &d->entry);
	return 0;
}

/* A drive that rested is not in the state that it was measured in: its load comes first. */
static int refresh(struct doing *d)
{
	struct plan_execution *x = d->x;
	uint64_t now_ns = clock_wall_ns(), away_ns = now_ns - x->last_unix_ns;
	bool real = d->drive->kind != PLAN_SIMULATED;
	uint64_t span_ns = d->step->refresh_ns / x->record->scale;
	autostr away = {0}, span = {0};
	struct result result;
	struct job_set set;
	int rc;

	if (!x->resumed || !real)
		return 0;
	if (x->last_unix_ns && now_ns > x->last_unix_ns) {
		quantity_time(away_ns, &away);
		add_note(d, "went on after a break of %s", str_text(&away));
	}
	if (!d->step->refresh_ns)
		return 0;
	job_set_init(&set, FACE_NATIVE);
	result_init(&result, &set);
	rc = plan_refresh_jobs(x, d->task, span_ns, &set, d->err);
	if (!rc)
		rc = run_set(d, &set, &result);
	result_done(&result);
	job_set_done(&set);
	quantity_time(span_ns, &span);
	if (!rc)
		add_note(d, "its load ran for %s before, uncounted", str_text(&span));
	return rc;
}

/* A drive that can be asked again, with the same answer, keeps none. */
static void keep_worst(struct doing *d, struct run_options *options)
{
	const struct plan_execution *x = d->x;

	if (d->drive->kind == PLAN_SIMULATED || !x->store || !x->keep_worst)
		return;
	if (plan_worst_begin(x, d->entry.number, &d->arena, &options->worst_file))
		options->keep_worst = x->keep_worst;
	else
		add_note(d, "its worst requests are not kept: those of this plan take %u MiB",
			 (unsigned)(PLAN_WORST_BYTES / MiB));
}

/* Of targets that are worked on at once: what one of them may have cost another. */
static void note_cpu(struct doing *d, const struct host_cpu *before)
{
	struct host_cpu after, used;
	double busy;

	if (!d->x->record->parallel || d->drive->kind == PLAN_SIMULATED)
		return;
	if (!before->total_ns || host_cpu_read(&after, HOST_CPU_ALL, &device_roots_real))
		return;
	host_cpu_difference(before, &after, &used);
	busy = host_cpu_busy_share(&used);
	if (busy > CPU_BUSY)
		add_note(d, "the CPUs were %.0f %% busy: %u targets may have waited for them",
			 100 * busy, d->x->ndrives);
}

static int do_jobs(struct doing *d)
{
	struct host_cpu cpu = {0};
	struct plan_execution *x = d->x;
	struct result result;
	struct job_set set;
	int rc = refresh(d);

	if (rc)
		return rc;
	x->resumed = false;
	job_set_init(&set, FACE_NATIVE);
	result_init(&result, &set);
	rc = plan_task_jobs(x, d->task, &set, d->err);
	if (!rc && d->drive->kind == PLAN_SIMULATED)
		rc = plan_sim_begin(x, d->task->target, d->entry.number, &d->arena,
				    &set.options.state, d->err);
	keep_worst(d, &set.options);
	(void)host_cpu_read(&cpu, HOST_CPU_ALL, &device_roots_real); /* unknown: no note */
	if (!rc)
		rc = run_set(d, &set, &result);
	note_cpu(d, &cpu);
	if (!rc) {
		take_result(d, &result, &set);
		rc = save(d);
	}
	if (rc && set.options.worst_file)
		(void)unlink(set.options.worst_file); /* of a cell that will be run again */
	record_done(&d->record);		      /* before what it points to */
	d->has_record = false;
	result_done(&result);
	job_set_done(&set);
	return rc;
}

/* --- what is no run --- */

/* From the model's own counters. */
static int simulated_health(struct doing *d, bool fresh, struct health *health)
{
	const char *state = fresh ? NULL : plan_sim_state(d->x, d->task->target, &d->arena);
	struct drive_health model;
	struct drive *drive;
	int rc = drive_open(d->drive->path + 4, &drive, d->err);

	if (rc)
		return rc;
	if (state)
		rc = drive_load(drive, state, d->err);
	drive_get_health(drive, 0, &model);
	health_of_sim(health, drive_profile(drive), &model);
	drive_close(drive);
	return rc;
}

static int read_health(struct doing *d, bool after, struct health *ret_health)
{
	switch (d->drive->kind) {
	case PLAN_SIMULATED:
		return simulated_health(d, after && d->step->kind == PLAN_PURGE, ret_health);
	case PLAN_BLOCK:
		health_read(ret_health, &d->drive->device, &device_roots_real);
		return 0;
	case PLAN_FILE:
		break;
	}
	health_init(ret_health, N_("a file has no health of its own"));
	return 0;
}

/* Around a step that is no run; a run has read it by itself. */
static int look_at_health(struct doing *d, bool after)
{
	bool simulated = d->drive->kind == PLAN_SIMULATED;
	struct health health;
	int rc = read_health(d, after, &health);

	if (rc || !health.at_unix_ns)
		return rc;
	if (!d->entry.health) {
		d->entry.health = arena_new(&d->arena, struct health_facts);
		d->entry.health->device =
			simulated ? d->drive->path : device_drive_name(&d->drive->device);
		health_init(&d->entry.health->before, "");
		health_init(&d->entry.health->after, "");
		d->entry.nhealth = 1;
	}
	*(after ? &d->entry.health->after : &d->entry.health->before) = health;
	return 0;
}

static int sleep_for(struct doing *d, uint64_t span_ns)
{
	uint64_t end_ns = clock_monotonic_ns() + span_ns;

	while (clock_monotonic_ns() < end_ns) {
		struct timespec nap = {.tv_nsec = (long)NAP_NS};

		if (was_stopped(d->x))
			return stopped(d);
		(void)nanosleep(&nap, NULL);
	}
	return 0;
}

static int do_idle(struct doing *d)
{
	int rc;

	if (d->drive->kind == PLAN_SIMULATED)
		return do_jobs(d);
	d->entry.span_ns = d->step->for_ns / d->x->record->scale;
	rc = look_at_health(d, false);
	if (!rc)
		rc = sleep_for(d, d->entry.span_ns);
	if (!rc)
		rc = look_at_health(d, true);
	return rc ? rc : save(d);
}

static bool stop_purge(void *arg, uint64_t done_bytes, uint64_t of_bytes)
{
	(void)done_bytes, (void)of_bytes;
	return was_stopped(arg);
}

static int purge_real(struct doing *d)
{
	static const enum purge_method methods[] = {
		[PLAN_AUTO] = PURGE_AUTO,	  [PLAN_FORMAT] = PURGE_FORMAT,
		[PLAN_SANITIZE] = PURGE_SANITIZE, [PLAN_SECURE_ERASE] = PURGE_SECURE_ERASE,
		[PLAN_TRIM_ALL] = PURGE_TRIM,	  [PLAN_ZERO] = PURGE_ZERO};
	struct guard_rules rules = {.face = GUARD_NATIVE};
	const struct purge_wish wish = {.method = methods[d->step->method],
					.rules = &rules,
					.roots = &device_roots_real,
					.state_folder = d->x->undo_folder,
					.stop = stop_purge,
					.stop_arg = d->x};
	struct purge_done done = {0};
	struct purge_plan *plan = arena_new(&d->arena, struct purge_plan);
	int rc;

	/* A drive that was empty at first carries what this plan wrote to it, and nothing else. */
	if (d->target->token || d->drive->wrote)
		guard_tokens_parse(&d->arena,
				   d->target->token ? d->target->token : d->drive->device.token,
				   &rules.tokens, &rules.ntokens);
	rc = purge_look(d->drive->path, &wish, plan, d->err);
	if (!rc)
		rc = purge_do(plan, &wish, &done, d->err);
	if (rc)
		return rc;
	d->drive->wrote = true;
	d->entry.span_ns = done.span_ns;
	d->entry.written_bytes = done.written_bytes;
	add_note(d, "%s", done.text);
	return 0;
}

static int do_purge(struct doing *d)
{
	int rc = look_at_health(d, false);

	if (!rc && d->drive->kind == PLAN_SIMULATED)
		add_note(d, "a fresh simulated drive");
	else if (!rc)
		rc = purge_real(d);
	if (!rc)
		rc = look_at_health(d, true);
	return rc ? rc : save(d);
}

static int do_snapshot(struct doing *d)
{
	const struct health *health;
	int rc = look_at_health(d, true);

	if (rc)
		return rc;
	if (!d->entry.nhealth) {
		struct health none;

		rc = read_health(d, true, &none);
		add_note(d, "unknown: %s", none.why_not);
		return rc ? rc : save(d);
	}
	health = &d->entry.health->after;
	for (unsigned f = 0; f < NHEALTH; f++) {
		char text[64];

		if (!health_knows(health, (enum health_field)f))
			continue;
		health_format((enum health_field)f, health->value[f], text, sizeof(text));
		add_note(d, "%s %s", health_fields[f].title, text);
	}
	if (!d->note.length)
		add_note(d, "unknown: %s", health->why_not);
	return save(d);
}

/* --- around each --- */

static bool needs_failed(struct doing *d)
{
	const struct plan_lane lane = lane_of(d);

	for (unsigned i = 0; i < d->step->nneeds; i++) {
		unsigned need = d->step->needs[i];

		if (!plan_step_failed(&lane, need))
			continue;
		d->entry.state = PLAN_SKIPPED;
		add_note(d, "not done: it needs %s, which failed", lane.plan->steps[need].name);
		return true;
	}
	return false;
}

static int check_same(struct doing *d)
{
	struct device now;

	if (d->drive->kind != PLAN_BLOCK)
		return 0;
	return device_check_same(&d->drive->device, &device_roots_real, &now, d->err);
}

static int do_kind(struct doing *d)
{
	switch (d->step->kind) {
	case PLAN_PURGE:
		return do_purge(d);
	case PLAN_IDLE:
		return do_idle(d);
	case PLAN_SNAPSHOT:
		return do_snapshot(d);
	case PLAN_RUN:
	case PLAN_SWEEP:
	case PLAN_ROUNDS:
	case PLAN_FIND:
	case PLAN_FILL:
	case PLAN_PRECONDITION:
	case PLAN_SOAK:
	case PLAN_CHECK:
	case NPLAN_KINDS:
		break;
	}
	return do_jobs(d);
}

static int pause_before(struct doing *d)
{
	bool again = d->step->ncells == 1 && d->task->pass; /* the same cell once more */

	if (!d->step->pause_ns || d->drive->kind == PLAN_SIMULATED || again)
		return 0;
	return sleep_for(d, d->step->pause_ns / d->x->record->scale);
}

/* The drive's write cache as the step wants it, put back after. */
static int with_cache(struct doing *d)
{
	bool on = d->step->write_cache == PLAN_CACHE_ON;
	struct write_cache_hold hold = {0};
	struct err why = {0};
	int rc;

	if (d->step->write_cache == PLAN_CACHE_AS_IS)
		return do_kind(d);
	if (d->drive->kind != PLAN_BLOCK) {
		add_note(d, "write_cache=%s: %s", on ? "on" : "off",
			 d->drive->kind == PLAN_SIMULATED
				 ? N_("the model's is as its profile says")
				 : N_("of the drive below a file it is left as it is"));
		return do_kind(d);
	}
	rc = write_cache_hold(&hold, &d->drive->device, on, d->x->undo_folder,
			      &device_roots_real, &why);
	if (rc)
		add_note(d, "write_cache=%s: left as it is: %s", on ? "on" : "off", why.text);
	else
		add_note(d, "write cache %s", on ? "on" : "off");
	rc = do_kind(d);
	if (hold.changed && write_cache_release(&hold, &device_roots_real, &why) &&
	    d->x->hooks->say)
		d->x->hooks->say(d->x->hooks->context, why.text);
	return rc;
}

/* Processes that work side by side take turns in the order of the journal, whoever is faster. */
static unsigned next_number(const struct plan_execution *x, unsigned target)
{
	if (!x->record->parallel)
		return x->journal->count;
	return plan_journal_of(x->journal, target) * x->ndrives + target;
}

/* It is left out, and says why. */
static int leave_out(struct doing *d)
{
	add_note(d, "not done: %s", d->err->text);
	*d->err = (struct err){0};
	d->entry.state = PLAN_SKIPPED;
	return save(d);
}

/* The step's file system, if it has one, around the cell: unmounted whatever came. */
static int with_filesystem(struct doing *d)
{
	struct mkfs_hold hold = {0};
	struct err other = {0};
	autostr done = {0};
	int rc, after;

	if (!d->step->filesystem)
		return with_cache(d);
	rc = plan_mount(d->x, d->task, d->drive, &hold, &done, d->err);
	if (rc == -ENOENT || rc == -EPROTO)
		return leave_out(d);
	if (rc)
		return rc;
	d->drive->wrote = true;
	d->drive->file = arena_printf(&d->arena, "%s/assay.data", hold.point);
	add_note(d, "%s", str_text(&done));
	rc = with_cache(d);
	d->drive->file = NULL;
	after = mkfs_unmount(&hold, rc ? &other : d->err);
	return rc ? rc : after;
}

static int do_task(struct plan_execution *x, const struct plan_task *task, struct err *err)
{
	const struct plan_step *step = &x->plan->steps[task->step];
	struct doing d = {.x = x,
			  .task = task,
			  .step = step,
			  .drive = &x->drives[task->target],
			  .target = &x->record->targets[task->target],
			  .entry = {.task = *task,
				    .number = next_number(x, task->target),
				    .step_name = step->name,
				    .cell_name = step->cells[task->cell].name,
				    .began_unix_ns = clock_wall_ns(),
				    .moved_percent = (double)NAN},
			  .err = err};
	int rc;

	arena_init(&d.arena);
	record_init(&d.record, "plan");
	plan_figures_init(&d.entry.figures);
	if (x->record->parallel && d.entry.number < x->ndrives && d.drive->shares)
		add_note(&d, "shares %s, which is used at the same time", d.drive->shares);
	if (needs_failed(&d)) {
		rc = save(&d);
	} else {
		rc = pause_before(&d);
		if (!rc)
			rc = check_same(&d);
		if (!rc)
			rc = with_filesystem(&d);
		if (!rc)
			rc = check_same(&d);
	}
	record_done(&d.record);
	str_done(&d.note);
	arena_done(&d.arena);
	return rc;
}

int plan_finish(struct plan_execution *x, int rc, struct err *err)
{
	struct err other = {0};
	int kept = 0;

	x->record->state = rc ? "stopped" : "done";
	x->record->ended_unix_ns = clock_wall_ns();
	plan_record_judge(x->plan, x->journal, x->spec, x->record);
	for (unsigned i = 0; i < x->ndrives; i++)
		if (x->drives[i].kind == PLAN_SIMULATED)
			plan_sim_tidy(x, i, !rc);
	if (x->store)
		kept = store_plan_update(x->store, x->record, rc ? &other : err);
	return rc ? rc : kept;
}

static bool next_task(const struct plan_execution *x, struct plan_task *ret_task)
{
	const struct plan_size size = {x->ndrives, x->record->repetitions};
	const struct plan_lane lane = {.plan = x->plan,
				       .journal = x->journal,
				       .spec = x->spec,
				       .target = (unsigned)x->only};

	return x->only < 0 ? plan_next(x->plan, x->journal, x->spec, &size, ret_task)
			   : plan_target_next(&lane, size.repetitions, ret_task);
}

int plan_execute(struct plan_execution *x, struct err *err)
{
	struct plan_task task;
	int rc = 0;

	while (!rc && next_task(x, &task)) {
		if (was_stopped(x)) {
			rc = err_env(err, -EINTR, "stopped: `assay plan resume` goes on");
			break;
		}
		if (x->hooks->before)
			x->hooks->before(x->hooks->context, &task, x->journal->count);
		rc = do_task(x, &task, err);
	}
	return x->only < 0 ? plan_finish(x, rc, err) : rc;
}
