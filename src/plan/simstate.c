/*
 * State files of simulated drives: one a journal entry, "plan-UID-TARGET-NUMBER.state" in the state
 * folder. An entry's file is written before the entry is in the store, and its forerunner's is
 * removed after: wherever the process ends, the file of the last entry is there.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/execute.h"

static const char *path_of(const struct plan_execution *x, unsigned target, unsigned number,
			   struct arena *arena)
{
	return arena_printf(arena, "%s/plan-%s-%u-%u.state", x->state_folder, x->record->uid,
			    target, number);
}

/* The newest entry that left the target's drive in another state; false: it is fresh. */
static bool newest(const struct plan_execution *x, unsigned target, unsigned *ret_number)
{
	for (unsigned n = x->journal->count; n--;) {
		const struct plan_entry *entry = &x->journal->entries[n];
		enum plan_kind kind = x->plan->steps[entry->task.step].kind;

		if (entry->task.target != target || entry->state == PLAN_SKIPPED ||
		    kind == PLAN_SNAPSHOT)
			continue;
		*ret_number = entry->number;
		return kind != PLAN_PURGE;
	}
	return false;
}

const char *plan_sim_state(const struct plan_execution *x, unsigned target, struct arena *arena)
{
	unsigned number;

	return newest(x, target, &number) ? path_of(x, target, number, arena) : NULL;
}

int plan_sim_begin(const struct plan_execution *x, unsigned target, unsigned number,
		   struct arena *arena, const char **ret_path, struct err *err)
{
	const char *before = plan_sim_state(x, target, arena);
	const char *path = path_of(x, target, number, arena);

	(void)unlink(path); /* of a run that was cut off */
	/* A second name is a copy: a state is saved under a new name and moved there. */
	if (before && link(before, path) < 0)
		return err_env(err, -errno,
			       "the state of \"%s\" in \"%s\" cannot be used: %s; start the "
			       "plan anew",
			       x->drives[target].path, before, err_name(errno));
	*ret_path = path;
	return 0;
}

static bool is_of(const struct plan_execution *x, unsigned target, const char *name)
{
	autostr prefix = {0};

	str_printf(&prefix, "plan-%s-%u-", x->record->uid, target);
	return str_starts(name, str_text(&prefix));
}

void plan_sim_tidy(const struct plan_execution *x, unsigned target, bool all)
{
	DIR *folder = opendir(x->state_folder);
	struct arena arena;
	const char *keep;

	if (!folder)
		return;
	arena_init(&arena);
	keep = all ? NULL : plan_sim_state(x, target, &arena);
	for (struct dirent *entry; (entry = readdir(folder));) {
		const char *path;

		if (!is_of(x, target, entry->d_name))
			continue;
		path = arena_printf(&arena, "%s/%s", x->state_folder, entry->d_name);
		if (!keep || !str_equal(path, keep))
			(void)unlink(path); /* what stays is found by the next call */
	}
	(void)closedir(folder);
	arena_done(&arena);
}
