/* Logs against the JSON of the run that wrote them. */
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "cli/log_priv.h"
#include "trace/logname.h"

static const char *const direction_names[SAMPLE_OPS] = {"read", "write", "trim"};

/* NAME.json beside NAME_clat.1.log; "" where there is none. */
static void find_json(const char *path, const struct logname *name, char *ret, size_t bytes)
{
	const char *slash = strrchr(path, '/');

	(void)snprintf(ret, bytes, "%.*s%s.json", slash ? (int)(slash + 1 - path) : 0, path,
		       name->prefix);
	if (!name->prefix[0] || access(ret, R_OK) != 0)
		ret[0] = '\0';
}

static void give_hints(const struct fio_sibling *job, struct trace_hints *hints)
{
	if (!hints->unit)
		hints->unit = job->nanoseconds ? TRACE_UNIT_NS : TRACE_UNIT_US;
	hints->start_ns = job->start_ns;
	if (hints->depth <= 0)
		hints->depth = job->depth;
	if (!hints->windowed && job->window_ns) {
		hints->windowed = TRACE_YES;
		hints->window_ns = job->window_ns;
	}
}

int log_find_totals(const struct log_options *options, const char *path,
		    struct trace_options *trace, struct log_totals *ret_totals, struct err *err)
{
	struct fio_siblings siblings;
	struct logname name;
	int rc;

	logname_parse(path, &name);
	ret_totals->path[0] = '\0';
	if (options->json)
		(void)snprintf(ret_totals->path, sizeof(ret_totals->path), "%s", options->json);
	else
		find_json(path, &name, ret_totals->path, sizeof(ret_totals->path));
	if (!ret_totals->path[0])
		return 0;
	rc = fio_siblings_read(ret_totals->path, &siblings, err);
	if (rc && options->json)
		return rc;
	if (rc) { /* of that name, but something else */
		*err = (struct err){0};
		ret_totals->path[0] = '\0';
		return 0;
	}
	/* the log's number counts the jobs from 1; a group's members are not told apart */
	if (name.aggregate_op < 0 && name.job >= 1 && name.job <= siblings.count)
		ret_totals->sibling = siblings.jobs[name.job - 1];
	else if (name.aggregate_op < 0 && siblings.count == 1 && !name.job)
		ret_totals->sibling = siblings.jobs[0];
	else
		ret_totals->path[0] = '\0';
	if (ret_totals->path[0])
		give_hints(&ret_totals->sibling, &trace->hints);
	fio_siblings_done(&siblings);
	return 0;
}

static uint64_t sum(const uint64_t *values)
{
	return values[SAMPLE_READ] + values[SAMPLE_WRITE] + values[SAMPLE_TRIM];
}

enum totals_check log_check_totals(const struct log_options *options,
				   const struct log_files *files, unsigned file,
				   const struct log_tally *tally)
{
	const struct log_totals *totals = &files->totals[file];
	const struct fio_sibling *job = &totals->sibling;
	const struct trace_info *info = trace_info(files->readers[file]);
	const char *path = trace_path(files->readers[file]);
	uint64_t rows = trace_counts(files->readers[file])->rows;
	bool agrees = true;

	if (!totals->path[0] || info->windowed || info->kind == TRACE_HIST ||
	    (info->kind == TRACE_SLAT && !rows))
		return TOTALS_UNKNOWN;
	if (!tally->by_direction &&
	    (rows != sum(job->total_ios) || tally->all_bytes != sum(job->io_bytes))) {
		agrees = false;
		log_note(options,
			 "%s: %llu rows with %llu bytes, where %s has %llu requests with %llu "
			 "bytes",
			 path, (unsigned long long)rows, (unsigned long long)tally->all_bytes,
			 totals->path, (unsigned long long)sum(job->total_ios),
			 (unsigned long long)sum(job->io_bytes));
	}
	for (unsigned op = 0; tally->by_direction && op < SAMPLE_OPS; op++) {
		if (tally->ios[op] == job->total_ios[op] &&
		    tally->bytes[op] == job->io_bytes[op])
			continue;
		agrees = false;
		log_note(options,
			 "%s: %llu rows of %s with %llu bytes, where %s has %llu requests with "
			 "%llu bytes",
			 path, (unsigned long long)tally->ios[op], direction_names[op],
			 (unsigned long long)tally->bytes[op], totals->path,
			 (unsigned long long)job->total_ios[op],
			 (unsigned long long)job->io_bytes[op]);
	}
	if (agrees)
		log_note(options, "%s: rows and bytes agree with %s", path, totals->path);
	return agrees ? TOTALS_AGREE : TOTALS_DIFFER;
}

uint64_t log_run_end_ns(const struct log_files *files)
{
	uint64_t end_ns = 0;

	for (unsigned i = 0; i < files->count; i++) {
		const struct log_totals *totals = &files->totals[i];

		if (totals->path[0] && totals->sibling.runtime_ns &&
		    !trace_info(files->readers[i])->epoch)
			end_ns = max_u64(end_ns, trace_info(files->readers[i])->start_ns +
							 totals->sibling.runtime_ns);
	}
	return end_ns;
}
