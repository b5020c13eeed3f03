/* assay watch: what a plan that another process carries out is doing, line by line. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/emit.h"
#include "cli/keep.h"
#include "cli/watch.h"
#include "store/store_plan.h"

struct running {
	int64_t id;
	unsigned count;
	struct str list;
};

static void add_running(void *context, const struct store_plan_entry *entry)
{
	struct running *running = context;

	if (!str_equal(entry->state, "running"))
		return;
	str_printf(&running->list, "%sp%" PRId64, running->count ? ", " : "", entry->id);
	running->id = entry->id;
	running->count++;
}

static int find(struct store *store, const char *name, int64_t *ret_id, struct err *err)
{
	struct running running = {0};
	int rc;

	if (name)
		return store_plan_find(store, name, ret_id, err);
	rc = store_plan_list(store, &(const struct store_plan_filter){.unfinished = true},
			     add_running, &running, err);
	if (!rc && running.count != 1)
		rc = running.count ? err_input(err, "which plan? running are: %s",
					       str_text(&running.list))
				   : err_input(err, "no plan is running");
	*ret_id = running.id;
	str_done(&running.list);
	return rc;
}

static int copy(int fd, struct err *err)
{
	char text[4096];
	ssize_t n;

	while ((n = read(fd, text, sizeof(text))) > 0)
		if (write(STDOUT_FILENO, text, (size_t)n) != n)
			return err_env(err, -EIO, "cannot write what is seen");
	return 0;
}

static int watch(struct store *store, const char *name, struct err *err)
{
	const char *path = store_path(store), *slash = strrchr(path, '/');
	struct plan_record record;
	autostr folder = {0};
	int64_t id;
	int rc = find(store, name, &id, err), fd;

	if (rc)
		return rc;
	str_add_bytes(&folder, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
	rc = store_plan_load(store, id, &record, err);
	if (rc) {
		plan_record_done(&record);
		return rc;
	}
	fd = watch_connect(str_text(&folder), record.uid);
	plan_record_done(&record);
	if (fd < 0)
		return err_input(err,
				 "p%" PRId64 " is not being carried out now (`assay plan "
				 "resume p%" PRId64 "` goes on with one that was cut off)",
				 id, id);
	rc = copy(fd, err);
	(void)close(fd);
	return rc;
}

int cmd_watch(int argc, char **argv)
{
	const char *name = NULL, *path = NULL;
	struct store *store = NULL;
	struct err err = {0};
	int rc = 0;

	for (int i = 1; i < argc && !rc; i++) {
		if (str_starts(argv[i], "--store="))
			path = argv[i] + strlen("--store=");
		else if (argv[i][0] == '-' || name)
			rc = err_input(&err, "watch: one plan (p4), and --store=FILE");
		else
			name = argv[i];
	}
	if (!rc)
		rc = keep_open_for(path, STORE_READ, &store, &err);
	if (!rc)
		rc = watch(store, name, &err);
	store_close(store);
	return rc ? emit_error(&err) : 0;
}
