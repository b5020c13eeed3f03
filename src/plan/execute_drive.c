/* Steps that are no run: a drive is purged, left alone, or asked how it is. */
#include <string.h>

#include "base/assert.h"
#include "base/lang.h"
#include "device/health.h"
#include "device/purge.h"
#include "plan/execute_priv.h"
#include "result/health_lines.h"
#include "sim/drive.h"

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

int doing_idle(struct doing *d)
{
	int rc;

	if (d->drive->kind == PLAN_SIMULATED)
		return doing_jobs(d);
	d->entry.span_ns = d->step->for_ns / d->x->record->scale;
	rc = look_at_health(d, false);
	if (!rc)
		rc = doing_sleep(d, d->entry.span_ns);
	if (!rc)
		rc = look_at_health(d, true);
	return rc ? rc : doing_save(d);
}

struct purging {
	struct plan_execution *x;
	bool writes, limited; /* zeros; --max-write allows no more of them */
};

static bool stop_purge(void *arg, uint64_t done_bytes, uint64_t of_bytes)
{
	struct purging *purging = arg;

	if (plan_was_stopped(purging->x))
		return true;
	if (purging->writes)
		purging->limited =
			!plan_budget_take(&purging->x->budget, min_u64(PURGE_ZERO_PIECE_BYTES,
								       of_bytes - done_bytes));
	return purging->limited;
}

enum purge_method plan_purge_method(enum plan_method method)
{
	static const enum purge_method methods[] = {
		[PLAN_AUTO] = PURGE_AUTO,	  [PLAN_FORMAT] = PURGE_FORMAT,
		[PLAN_SANITIZE] = PURGE_SANITIZE, [PLAN_SECURE_ERASE] = PURGE_SECURE_ERASE,
		[PLAN_TRIM_ALL] = PURGE_TRIM,	  [PLAN_ZERO] = PURGE_ZERO};

	assert((unsigned)method < ARRAY_SIZE(methods)); /* others are of fills */
	return methods[method];
}

static int purge_real(struct doing *d)
{
	struct purging purging = {.x = d->x};
	struct guard_rules rules = {.face = GUARD_NATIVE};
	const struct purge_wish wish = {.method = plan_purge_method(d->step->method),
					.rules = &rules,
					.roots = &device_roots_real,
					.state_folder = d->x->undo_folder,
					.stop = stop_purge,
					.stop_arg = &purging};
	struct purge_done done = {0};
	struct purge_plan *plan = arena_new(&d->arena, struct purge_plan);
	int rc;

	/* A drive that was empty at first carries what this plan wrote to it, and nothing else. */
	guard_tokens_parse(&d->arena,
			   arena_printf(&d->arena, "%s,%s",
					d->drive->wrote ? d->drive->device.token : "",
					d->target->token ? d->target->token : ""),
			   &rules.tokens, &rules.ntokens);
	rc = purge_look(d->drive->path, &wish, plan, d->err);
	purging.writes = !rc && plan->method == PURGE_ZERO;
	if (!rc)
		rc = purge_do(plan, &wish, &done, d->err);
	d->drive->wrote |= !rc || purging.limited;
	if (purging.limited)
		return doing_limited(d);
	if (rc)
		return rc;
	d->entry.span_ns = done.span_ns;
	d->entry.written_bytes = done.written_bytes;
	doing_note(d, "%s", done.text);
	return 0;
}

int doing_purge(struct doing *d)
{
	int rc = look_at_health(d, false);

	if (!rc && d->drive->kind == PLAN_SIMULATED)
		doing_note(d, N_("a fresh simulated drive"));
	else if (!rc)
		rc = purge_real(d);
	if (!rc)
		rc = look_at_health(d, true);
	return rc ? rc : doing_save(d);
}

int doing_snapshot(struct doing *d)
{
	const struct health *health;
	int rc = look_at_health(d, true);

	if (rc)
		return rc;
	if (!d->entry.nhealth) {
		struct health none;

		rc = read_health(d, true, &none);
		doing_note(d, "unknown: %s", none.why_not);
		return rc ? rc : doing_save(d);
	}
	health = &d->entry.health->after;
	for (unsigned f = 0; f < NHEALTH; f++) {
		char text[64];

		if (!health_knows(health, (enum health_field)f))
			continue;
		health_format((enum health_field)f, health->value[f], text, sizeof(text));
		doing_note(d, "%s %s", health_fields[f].title, text);
	}
	if (!d->note.length)
		doing_note(d, "unknown: %s", health->why_not);
	return doing_save(d);
}
