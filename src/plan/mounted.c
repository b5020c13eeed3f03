/* Steps that work through a file system: it is made for the step and mounted for each cell. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device/counters.h"
#include "device/guard.h"
#include "plan/execute.h"

int plan_check_devices(const struct plan *plan, const struct plan_drive *drives,
		       unsigned ndrives, struct err *err)
{
	const struct plan_step *makes = plan_makes_filesystem(plan);

	for (unsigned i = 0; makes && i < ndrives; i++) {
		if (drives[i].kind == PLAN_SIMULATED)
			return err_input(
				err,
				"[%s] makes a file system (%s), which takes a block device, and "
				"\"%s\" is a simulated drive, of which the kernel knows "
				"nothing: serve it with `assay sim serve %s FOLDER`, make a "
				"device of it with `losetup -f --show --direct-io=on "
				"FOLDER/disk`, and name that",
				makes->name, makes->filesystem, drives[i].path,
				drives[i].path + strlen("sim:"));
		if (drives[i].kind == PLAN_FILE)
			return err_input(
				err,
				"[%s] makes a file system (%s), which takes a block device, and "
				"\"%s\" is a file: make a device of it with `losetup -f --show "
				"--direct-io=on %s`, and name that",
				makes->name, makes->filesystem, drives[i].path, drives[i].path);
	}
	return 0;
}

/* All that lies on the device goes: the guard is asked again, with the consent that was given. What
 * we wrote ourselves since needs none: a file system of this plan is known by its label, also where
 * the plan was cut off before its first cell was kept. */
static int ask_guard(const struct plan_target *target, const struct plan_drive *drive,
		     const char *label, struct arena *arena, struct err *err)
{
	struct guard_rules rules = {.face = GUARD_NATIVE};
	struct guard_facts *facts = arena_new(arena, struct guard_facts);
	struct guard_verdict verdict = {0};
	int rc;

	if (target->token)
		guard_tokens_parse(arena, target->token, &rules.tokens, &rules.ntokens);
	rc = guard_check(drive->path, &rules, &device_roots_real, facts, &verdict, err);
	if (!rc || verdict.decision != GUARD_NEEDS_CONSENT ||
	    !(drive->wrote || mkfs_is_ours(&drive->device, label)))
		return rc;
	*err = (struct err){0};
	guard_tokens_parse(arena, verdict.token, &rules.tokens, &rules.ntokens);
	return guard_check(drive->path, &rules, &device_roots_real, facts, &verdict, err);
}

static void label_of(const struct plan_execution *x, char label[static MKFS_LABEL_MAX + 1])
{
	(void)snprintf(label, MKFS_LABEL_MAX + 1, "assay-%.6s", x->record->uid);
}

bool plan_filesystem_is_ours(const struct plan_execution *x, const struct plan_drive *drive)
{
	char label[MKFS_LABEL_MAX + 1];

	label_of(x, label);
	return plan_makes_filesystem(x->plan) && drive->kind == PLAN_BLOCK &&
	       mkfs_is_ours(&drive->device, label);
}

/* mkfs asks nobody: it begins only where the most that it may write is left, and what it wrote is
 * counted by the device's own counters. */
static int make_within(struct plan_execution *x, const struct plan_drive *drive,
		       const struct mkfs_wish *wish, struct mkfs_hold *ret_hold,
		       struct str *note, struct err *err)
{
	struct device_counters before, after, grown = {0};
	uint64_t bound = mkfs_bound_bytes(wish, drive->device.size_bytes);
	int rc, before_rc;

	if (plan_budget_left(&x->budget) < bound)
		return err_set(err, ERR_REFUSED, -E2BIG,
			       "mkfs of %s may write %llu MiB, more than --max-write leaves",
			       wish->type, (unsigned long long)(bound / MiB));
	before_rc = counters_read(&before, &drive->device, &device_roots_real);
	rc = mkfs_mount(&drive->device, wish, &device_roots_real, ret_hold, note, err);
	if (before_rc || counters_read(&after, &drive->device, &device_roots_real))
		grown.write.bytes = bound; /* nothing tells it: the most */
	else
		counters_difference(&before, &after, &grown);
	plan_budget_count(&x->budget, grown.write.bytes);
	return rc;
}

int plan_mount(struct plan_execution *x, const struct plan_task *task, struct plan_drive *drive,
	       struct mkfs_hold *ret_hold, struct str *note, struct err *err)
{
	const struct plan_step *step = &x->plan->steps[task->step];
	const struct plan_lane lane = {.plan = x->plan,
				       .journal = x->journal,
				       .target = task->target,
				       .repetition = task->repetition};
	unsigned from = 0;
	char label[MKFS_LABEL_MAX + 1];
	const struct mkfs_wish wish = {.type = step->filesystem,
				       .mkfs_options = step->mkfs_options,
				       .mount_options = step->mount_options,
				       .label = label,
				       .make = !plan_entry_next(&lane, task->step, &from),
				       .state_folder = x->undo_folder};
	struct arena arena;
	int rc;

	label_of(x, label);
	arena_init(&arena);
	rc = wish.make ? ask_guard(&x->record->targets[task->target], drive, label, &arena, err)
		       : 0;
	arena_done(&arena);
	if (!rc && wish.make && x->budget.page)
		rc = make_within(x, drive, &wish, ret_hold, note, err);
	else if (!rc)
		rc = mkfs_mount(&drive->device, &wish, &device_roots_real, ret_hold, note, err);
	return rc;
}
