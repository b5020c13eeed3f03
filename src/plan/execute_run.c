/* The run behind an entry of a plan's journal, and what is taken over of its result. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "device/host.h"
#include "device/same.h"
#include "plan/execute_priv.h"
#include "plan/measure.h"
#include "result/health_lines.h"

#define CPU_BUSY 0.8 /* from here on targets that are worked on at once wait for the CPU too */

/* What wore the drive: ramp and layout as well. */
static uint64_t written_by(const struct result *result)
{
	return result->facts.asked_bytes[DIR_WRITE] + result->layout_bytes;
}

/* A drive that went, or came back as another, ends a cell of hours when it happens. */
static int on_look(void *context, struct err *err)
{
	const struct doing *d = context;
	struct device now;

	return device_check_same(&d->drive->device, &device_roots_real, &now, err);
}

static int run_set(struct doing *d, struct job_set *set, struct result *result)
{
	struct run_hooks hooks = d->x->hooks->run ? *d->x->hooks->run : (struct run_hooks){0};
	int rc;

	hooks.holds_devices = true;
	if (d->drive->kind == PLAN_BLOCK)
		hooks.look = on_look;
	hooks.look_context = d;
	hooks.write_budget = plan_budget_counter(&d->x->budget);
	set->options.max_write = plan_budget_limit(&d->x->budget);
	if (d->target->token)
		set->options.destroy = d->target->token;
	if (!d->drive->file && plan_filesystem_is_ours(d->x, d->drive)) /* a repetition's */
		set->options.destroy = arena_printf(
			&set->arena, "%s%s%s", d->drive->device.token,
			d->target->token ? "," : "", d->target->token ? d->target->token : "");
	rc = run_execute(set, &hooks, result, d->err);
	if (rc == -EINTR)
		d->x->signal = run_last_signal();
	if (!rc && result->interrupted) {
		d->x->signal = result->signal;
		rc = doing_stopped(d);
	}
	d->drive->wrote |= written_by(result) > 0;
	if (!rc && hooks.look) /* before it is kept: else it would stand beside the others */
		rc = on_look(d, d->err);
	for (unsigned i = 0; i < result->njobs && !rc; i++)
		if (result->jobs[i].stopped_by_limit)
			rc = doing_limited(d);
	if (rc == -E2BIG) /* of a layout, too */
		rc = doing_limited(d);
	return rc;
}

/* Did a cell of this step before have the same warning? Then the page has its sentence. */
static bool is_said(struct doing *d, const char *id)
{
	const struct plan_lane lane = doing_lane(d);
	const char *head = arena_printf(&d->arena, "%s: ", id);
	const struct plan_entry *entry;
	unsigned from = 0;

	while ((entry = plan_entry_next(&lane, d->task->step, &from)))
		if (entry->note && strstr(entry->note, head))
			return true;
	return false;
}

/* Jobs of a plan are buffered unless they say otherwise: where nobody did, and of a device, that
 * is a warning here, though it is none of a run by itself. */
static bool is_warning(const struct doing *d, const struct note *note)
{
	bool chosen = false;

	if (note->severity == SEVERITY_WARNING || !str_equal(note->id, "buffered"))
		return note->severity == SEVERITY_WARNING;
	for (unsigned i = 0; i < d->step->noptions; i++) {
		const char *key = d->step->options[i].key;

		chosen |= str_equal(key, "direct") || str_equal(key, "buffered");
	}
	return !chosen || (d->drive->kind == PLAN_BLOCK && !d->drive->file);
}

/* What makes the cell's figures doubtful, beside them: as the run behind it says it. Of further
 * cells with the same the names. */
static void tell_warnings(struct doing *d, const struct result *result)
{
	autostr known = {0}, seen = {0};

	for (unsigned i = 0; i < result->nnotes && !result->simulated; i++) {
		const struct note *note = &result->notes[i];

		if (!is_warning(d, note) || strstr(str_text(&seen), note->id))
			continue;
		str_printf(&seen, "%s ", note->id);
		if (is_said(d, note->id))
			str_printf(&known, "%s%s", known.length ? ", " : "", note->id);
		else
			doing_note(d, "%s: %s", note->id, note->text);
	}
	if (known.length)
		doing_note(d, "warnings as above: %s", str_text(&known));
}

/* Two levels are a finding and no fault: of a volume that bursts this is what was bought. */
static void tell_levels(struct doing *d, const struct result *result)
{
	for (unsigned i = 0; i < result->nnotes; i++)
		if (str_equal(result->notes[i].id, "two-levels"))
			doing_note(d, "%s", result->notes[i].text);
}

static int take_result(struct doing *d, struct result *result, const struct job_set *set)
{
	struct plan_entry *entry = &d->entry;
	int rc;

	result_plausibility(result);
	tell_warnings(d, result);
	tell_levels(d, result);
	plan_entry_measure(result, &d->arena, entry);
	entry->span_ns = result->span_ns;
	rc = plan_entry_judge(d->step, result, &d->arena, entry, d->err);
	entry->written_bytes += written_by(result);
	entry->state = run_exit_code(result) ? PLAN_ERRORS : PLAN_DONE;
	d->record.title = arena_printf(
		&d->record.arena,
		result->simulated ? N_("simulated %s: %s%s%s on %s") : N_("%s: %s%s%s on %s"),
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
	return rc;
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
		doing_note(d, "went on after a break of %s", str_text(&away));
	}
	if (!d->step->refresh_ns)
		return 0;
	job_set_init(&set, FACE_NATIVE);
	result_init(&result, &set);
	rc = plan_refresh_jobs(x, d->task, span_ns, &set, d->err);
	if (!rc)
		rc = run_set(d, &set, &result);
	if (!rc)
		d->entry.written_bytes += written_by(&result); /* counted as written alone */
	result_done(&result);
	job_set_done(&set);
	quantity_time(span_ns, &span);
	if (!rc)
		doing_note(d, "its load ran for %s before, uncounted", str_text(&span));
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
		doing_note(d, "its worst requests are not kept: those of this plan take %u MiB",
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
		doing_note(d, "the CPUs were %.0f %% busy: %u targets may have waited for them",
			   100 * busy, d->x->ndrives);
}

int doing_jobs(struct doing *d)
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
	if (!rc)
		rc = take_result(d, &result, &set);
	if (!rc)
		rc = doing_save(d);
	if (rc && set.options.worst_file)
		(void)unlink(set.options.worst_file); /* of a cell that will be run again */
	record_done(&d->record);		      /* before what it points to */
	d->has_record = false;
	result_done(&result);
	job_set_done(&set);
	return rc;
}
