#include "plan/execute.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/lang.h"
#include "device/attached.h"
#include "device/health.h"
#include "device/same.h"
#include "device/write_cache.h"
#include "plan/execute_priv.h"
#include "result/health_lines.h"

#define NAP_NS (100 * NS_PER_MS)

void doing_note(struct doing *d, const char *fmt, ...)
{
	va_list args;

	if (d->note.length)
		str_add(&d->note, "; ");
	va_start(args, fmt);
	str_vprintf(&d->note, fmt, args);
	va_end(args);
}

struct plan_lane doing_lane(const struct doing *d)
{
	return (struct plan_lane){.plan = d->x->plan,
				  .journal = d->x->journal,
				  .spec = d->x->spec,
				  .target = d->task->target,
				  .repetition = d->task->repetition};
}

bool plan_was_stopped(struct plan_execution *x)
{
	if (!x->signal && x->hooks->stop)
		x->signal = x->hooks->stop(x->hooks->context);
	return x->signal != 0;
}

int doing_stopped(struct doing *d)
{
	return err_env(d->err, -EINTR, "stopped: `assay plan resume` goes on");
}

/* Who carries the plan out says how far it came. */
int doing_limited(struct doing *d)
{
	d->x->at_limit = true;
	return err_set(d->err, ERR_REFUSED, -E2BIG, "stopped at --max-write");
}

int doing_sleep(struct doing *d, uint64_t span_ns)
{
	uint64_t end_ns = clock_monotonic_ns() + span_ns;

	while (clock_monotonic_ns() < end_ns) {
		struct timespec nap = {.tv_nsec = (long)NAP_NS};

		if (plan_was_stopped(d->x))
			return doing_stopped(d);
		(void)nanosleep(&nap, NULL);
	}
	return 0;
}

/* --- what is kept of each --- */

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
		doing_note(d, "%s %s", health_fields[told[i]].title, text);
	}
	amplification = health_write_amplification(&grown);
	if (amplification > 0)
		doing_note(d, "write amplification %.2f", amplification);
}

int doing_save(struct doing *d)
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
	plan_budget_sync(&x->budget);
	if (d->drive->kind == PLAN_SIMULATED)
		plan_sim_tidy(x, d->task->target, false);
	if (x->hooks->after)
		x->hooks->after(x->hooks->context, &d->entry);
	return 0;
}

/* --- around each --- */

static bool needs_failed(struct doing *d)
{
	const struct plan_lane lane = doing_lane(d);

	for (unsigned i = 0; i < d->step->nneeds; i++) {
		unsigned need = d->step->needs[i];

		if (!plan_step_failed(&lane, need))
			continue;
		d->entry.state = PLAN_SKIPPED;
		doing_note(d, "not done: it needs %s, which failed",
			   lane.plan->steps[need].name);
		return true;
	}
	return false;
}

static int check_same_file(struct doing *d)
{
	const struct device *then = &d->drive->device;
	char now[sizeof(then->serial)];

	file_identity(d->drive->path, now, sizeof(now));
	if (!*then->serial || !*now || attached_same(then->serial, now))
		return 0;
	return err_env(
		d->err, -ESTALE,
		"\"%s\" is another file than the plan worked on: it was %s and is %s; "
		"what is measured on it now cannot stand beside what was measured before",
		d->drive->path, then->serial, now);
}

static int check_same(struct doing *d)
{
	struct device now;

	if (d->drive->kind == PLAN_FILE)
		return check_same_file(d);
	if (d->drive->kind != PLAN_BLOCK)
		return 0;
	return device_check_same(&d->drive->device, &device_roots_real, &now, d->err);
}

/* A step that writes may have made its file, or made it anew. */
static int check_same_after(struct doing *d)
{
	struct device *device = &d->drive->device;

	if (d->drive->kind == PLAN_FILE && (!*device->serial || plan_step_writes(d->step)))
		file_identity(d->drive->path, device->serial, sizeof(device->serial));
	return check_same(d);
}

static int do_kind(struct doing *d)
{
	switch (d->step->kind) {
	case PLAN_PURGE:
		return doing_purge(d);
	case PLAN_IDLE:
		return doing_idle(d);
	case PLAN_SNAPSHOT:
		return doing_snapshot(d);
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
	return doing_jobs(d);
}

static int pause_before(struct doing *d)
{
	bool again = d->step->ncells == 1 && d->task->pass; /* the same cell once more */

	if (!d->step->pause_ns || d->drive->kind == PLAN_SIMULATED || again)
		return 0;
	return doing_sleep(d, d->step->pause_ns / d->x->record->scale);
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
		doing_note(d, "write_cache=%s: %s", on ? "on" : "off",
			   d->drive->kind == PLAN_SIMULATED
				   ? N_("the model's is as its profile says")
				   : N_("of the drive below a file it is left as it is"));
		return do_kind(d);
	}
	rc = write_cache_hold(&hold, &d->drive->device, on, d->x->undo_folder,
			      &device_roots_real, &why);
	if (rc)
		doing_note(d, "write_cache=%s: left as it is: %s", on ? "on" : "off", why.text);
	else
		doing_note(d, on ? N_("write cache on") : N_("write cache off"));
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
	doing_note(d, "not done: %s", d->err->text);
	*d->err = (struct err){0};
	d->entry.state = PLAN_SKIPPED;
	return doing_save(d);
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
	if (rc == -E2BIG)
		return doing_limited(d);
	if (rc)
		return rc;
	d->drive->wrote = true;
	d->drive->file = arena_printf(&d->arena, "%s/assay.data", hold.point);
	doing_note(d, "%s", str_text(&done));
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
		doing_note(&d, "shares %s, which is used at the same time", d.drive->shares);
	if (needs_failed(&d)) {
		rc = doing_save(&d);
	} else {
		rc = pause_before(&d);
		if (!rc)
			rc = check_same(&d);
		if (!rc)
			rc = with_filesystem(&d);
		if (!rc)
			rc = check_same_after(&d);
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

	x->record->state = rc ? N_("stopped") : N_("done");
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
		if (plan_was_stopped(x)) {
			rc = err_env(err, -EINTR, "stopped: `assay plan resume` goes on");
			break;
		}
		if (x->hooks->before)
			x->hooks->before(x->hooks->context, &task, x->journal->count);
		rc = do_task(x, &task, err);
	}
	return x->only < 0 ? plan_finish(x, rc, err) : rc;
}
