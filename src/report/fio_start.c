#include "report/fio_start.h"

#include <inttypes.h>
#include <string.h>

#include "report/fio_figures.h"
#include "report/fio_number.h"

static void add_size_range(struct str *out, const struct job_spec *spec, struct range range)
{
	struct fio_scale scale = {.digits = spec->significant_figures,
				  .base = spec->kb_base == 1000 ? 1000 : 1024,
				  .unit = FIO_BYTES};

	fio_number(out, (double)range.min, scale);
	str_add_char(out, '-');
	fio_number(out, (double)range.max, scale);
}

static void add_job(struct str *out, const struct job_spec *spec)
{
	static const char *const names[NDATA] = {"R", "W", "T"};

	str_printf(out, "%s: (g=%u): rw=%s, bs=", spec->name, spec->group, spec->rw.text);
	for (unsigned dir = 0; dir < NDATA; dir++) {
		str_printf(out, "(%s) ", names[dir]);
		add_size_range(out, spec, spec->bs[dir]);
		str_add(out, ", ");
	}
	str_printf(out, "ioengine=%s, iodepth=%u\n", spec->ioengine, spec->iodepth);
	if (spec->numjobs > 1)
		str_add(out, "...\n");
}

static void add_count(struct str *out, unsigned count, const char *one, const char *many)
{
	str_printf(out, "%u %s", count, count == 1 ? one : many);
}

/* Threads, unless thread=0 was written: what fio forks, we start as a thread. */
static void add_starting(struct str *out, const struct job_set *set)
{
	unsigned threads = 0, processes = 0;

	for (unsigned i = 0; i < set->njobs; i++) {
		const struct job_spec *spec = set->jobs[i];

		if (spec->thread_given && !spec->thread)
			processes += spec->numjobs;
		else
			threads += spec->numjobs;
	}
	if (!threads && !processes)
		return;
	str_add(out, "Starting ");
	if (threads)
		add_count(out, threads, "thread", "threads");
	if (threads && processes)
		str_add(out, " and ");
	if (processes)
		add_count(out, processes, "process", "processes");
	str_add_char(out, '\n');
}

void fio_start(const struct job_set *set, struct str *out)
{
	for (unsigned i = 0; i < set->njobs; i++)
		add_job(out, set->jobs[i]);
	str_add(out, FIO_VERSION "\n");
	add_starting(out, set);
	str_make_safe(out->text); /* names of jobs and files */
}

static const char *fio_reason(int code)
{
	const char *text = strerrordesc_np(code);

	return text ? text : "Unknown error";
}

static const char *const op_words[] = {
	[OP_READ] = "read",   [OP_WRITE] = "write",	    [OP_TRIM] = "trim",
	[OP_FSYNC] = "fsync", [OP_FDATASYNC] = "fdatasync",
};

void fio_start_error(const struct job_result *job, struct str *out)
{
	str_printf(out, "fio: pid=%d, err=%d/file:%s, func=%s, error=%s\n", job->pid,
		   job->error, job->first_error.path ? job->first_error.path : "-",
		   op_words[job->first_error.op], fio_reason(job->error));
	str_make_safe(out->text);
}

void fio_request_error(const struct job_result *job, struct str *out)
{
	const struct first_error *first = &job->first_error;

	str_printf(out, "fio: io_u error on file %s: %s: %s offset=%" PRIu64 ", buflen=%u\n",
		   first->path ? first->path : "-", fio_reason(first->code),
		   op_words[first->op], first->offset, first->bytes);
	str_make_safe(out->text);
}
