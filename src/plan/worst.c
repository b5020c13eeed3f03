/*
 * The requests of each cell's worst intervals (--keep-worst), kept beside the store: one log a
 * cell, "plan-UID-NUMBER-worst.alog". Those of one plan take at most PLAN_WORST_BYTES, and a cell
 * that finds no room says so. Simulated drives keep none: the same seed shows the same requests.
 */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/execute.h"

/* Calls `each` with every file of the plan in the folder. */
static void for_each_file(const char *folder, const char *uid,
			  void (*each)(int dir_fd, const char *name, void *context),
			  void *context)
{
	DIR *dir = opendir(folder);
	autostr prefix = {0};

	str_printf(&prefix, "plan-%s", uid); /* a uid has one length */
	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir));)
		if (str_starts(entry->d_name, str_text(&prefix)))
			each(dirfd(dir), entry->d_name, context);
	(void)closedir(dir);
}

static void add_worst_bytes(int dir_fd, const char *name, void *context)
{
	uint64_t *sum_bytes = context;
	struct stat st;

	if (str_ends(name, PLAN_WORST_SUFFIX) && fstatat(dir_fd, name, &st, 0) == 0)
		*sum_bytes += (uint64_t)st.st_size;
}

bool plan_worst_begin(const struct plan_execution *x, unsigned number, struct arena *arena,
		      const char **ret_path)
{
	uint64_t sum_bytes = 0;
	const char *path = arena_printf(arena, "%s/plan-%s-%u" PLAN_WORST_SUFFIX,
					x->state_folder, x->record->uid, number);

	(void)unlink(path); /* of a run that was cut off */
	for_each_file(x->state_folder, x->record->uid, add_worst_bytes, &sum_bytes);
	if (sum_bytes >= PLAN_WORST_BYTES)
		return false;
	*ret_path = path;
	return true;
}

static void remove_file(int dir_fd, const char *name, void *context)
{
	(void)context;
	(void)unlinkat(dir_fd, name, 0); /* the plan is gone; a file that stays is only room */
}

void plan_remove_files(const char *folder, const char *uid)
{
	for_each_file(folder, uid, remove_file, NULL);
}
