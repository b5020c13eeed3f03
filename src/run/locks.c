/*
 * Native runs share a lock on each device that they use, so that a plan, which has its device for
 * itself, and another run are told from it. fio's face takes none, as fio takes none.
 */
#include "run/run_priv.h"

#define LOOK_EVERY_NS NS_PER_S

int run_locks_take(struct run *run, struct err *err)
{
	if (run->set->face != FACE_NATIVE || run->hooks->holds_devices)
		return 0;
	for (struct run_file *file = run->files; file; file = file->next) {
		struct err why = {0};

		if (file->kind != TARGET_BLOCK)
			continue;
		if (device_lock(file->path, HOLD_SHARED, &device_roots_real, &file->lock,
				&why) == -EBUSY)
			return err_copy(err, &why);
		/* a node that cannot be opened is told by whoever opens it for I/O */
	}
	return 0;
}

/* Who was seen once, stays: the figures have it in them. */
static void look(struct run *run)
{
	for (struct run_file *file = run->files; file; file = file->next) {
		if (file->facts && !file->facts->other_run_pid)
			file->facts->other_run_pid =
				device_lock_other_run(&file->lock, &device_roots_real);
	}
}

void run_locks_look(struct run *run)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns < run->next_locks_ns)
		return;
	run->next_locks_ns = now_ns + LOOK_EVERY_NS;
	look(run);
}

void run_locks_drop(struct run *run)
{
	look(run);
	for (struct run_file *file = run->files; file; file = file->next)
		device_unlock(&file->lock);
}
