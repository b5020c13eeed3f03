/* Logs of several runs: those of one run's jobs belong together. */
#include <stdlib.h>
#include <string.h>

#include "cli/log_gauge.h"
#include "trace/logname.h"

/* The same folder, name, kind and host, other numbers. */
static bool same_run(const char *a, const char *b)
{
	const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
	size_t folder_a = slash_a ? (size_t)(slash_a - a) : 0;
	size_t folder_b = slash_b ? (size_t)(slash_b - b) : 0;
	struct logname name_a, name_b;

	logname_parse(a, &name_a);
	logname_parse(b, &name_b);
	return folder_a == folder_b && !strncmp(a, b, folder_a) && name_a.job && name_b.job &&
	       name_a.job != name_b.job && name_a.kind == name_b.kind &&
	       str_equal(name_a.prefix, name_b.prefix) && str_equal(name_a.host, name_b.host);
}

int log_groups_read(struct gauge_options *options, unsigned most, struct log_groups *ret_groups,
		    struct err *err)
{
	const struct log_options *log = &options->log;
	const char **group = arena_array(&options->arena, const char *, log->npaths);
	bool *taken = arena_array(&options->arena, bool, log->npaths);
	int rc = 0;

	*ret_groups =
		(struct log_groups){.gauges = arena_array(&options->arena, struct gauge, most)};
	for (unsigned i = 0; i < log->npaths && !rc; i++) {
		unsigned n = 0;

		if (taken[i])
			continue;
		if (ret_groups->count == most)
			return err_input(err,
					 "more than %u runs side by side: take them in parts",
					 most);
		for (unsigned j = i; j < log->npaths; j++) {
			if (taken[j] || (j != i && !same_run(log->paths[i], log->paths[j])))
				continue;
			taken[j] = true;
			group[n++] = log->paths[j];
		}
		rc = gauge_read(options, group, n, &ret_groups->gauges[ret_groups->count++],
				err);
	}
	return rc;
}

int log_groups_damaged(const struct log_groups *groups)
{
	int damaged = 0;

	for (unsigned i = 0; i < groups->count; i++)
		damaged = groups->gauges[i].damaged ? groups->gauges[i].damaged : damaged;
	return damaged;
}

void log_groups_free(struct log_groups *groups)
{
	for (unsigned i = 0; i < groups->count; i++)
		gauge_free(&groups->gauges[i]);
	groups->count = 0;
}
