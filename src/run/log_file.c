/*
 * A log's file: its name, its form (fio's text, or our blocks), and what happens when it cannot
 * be written: the run goes on, and the rows that are missing are counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/outfile.h"
#include "run/logs_priv.h"
#include "trace/blocks.h"
#include "trace/blocks_write.h"
#include "trace/fiolog_write.h"
#include "trace/fz_write.h"
#include "trace/histlog_write.h"
#include "trace/logname.h"

#define LOG_TIME_UNIT_NS NS_PER_US /* of our blocks: a byte of time in most rows */

static bool is_binary(const struct run *run, const struct job_spec *spec)
{
	return run->set->face == FACE_NATIVE && spec->log_format == LOG_FORM_BINARY;
}

static const char *prefix_of(const struct job_spec *spec, enum trace_kind kind)
{
	const char *prefix = kind == TRACE_BW	  ? spec->write_bw_log
			     : kind == TRACE_IOPS ? spec->write_iops_log
			     : kind == TRACE_HIST ? spec->write_hist_log
						  : spec->write_lat_log;

	return *prefix ? prefix : spec->name;
}

/* fio packs histograms too, but into what nobody can read. */
static bool is_packed(const struct job_spec *spec, enum trace_kind kind)
{
	return spec->log_store_compressed && kind != TRACE_HIST;
}

static const char *name_of(struct run *run, const struct run_worker *rw, enum trace_kind kind)
{
	const struct job_spec *spec = rw->job->spec;
	const char *prefix = prefix_of(spec, kind);
	const char *word = kind == TRACE_HIST ? "clat_hist" : trace_kind_name(kind);
	const char *suffix = is_binary(run, spec)    ? "alog"
			     : is_packed(spec, kind) ? "log.fz"
						     : "log";

	if (!spec->per_job_logs)
		return arena_printf(&run->arena, "%s_%s.%s", prefix, word, suffix);
	return arena_printf(&run->arena, "%s_%s.%u.%s", prefix, word, rw->thread_number,
			    suffix);
}

/* A bin's half width: 1/128 of its value, twice that for each halving. */
static double hist_error(unsigned coarseness)
{
	return (double)(1u << coarseness) / 128;
}

static void describe(struct run *run, const struct run_worker *rw, enum trace_kind kind,
		     struct trace_info *info)
{
	const struct job_spec *spec = rw->job->spec;
	bool windowed = spec->log_avg && kind != TRACE_HIST, binary = is_binary(run, spec);

	*info = (struct trace_info){.format = binary		   ? TRACE_BLOCKS
					      : kind == TRACE_HIST ? TRACE_FIO_HIST
								   : TRACE_FIO_TEXT,
				    .kind = kind,
				    .unit = TRACE_UNIT_NS,
				    .windowed = windowed,
				    .epoch = spec->log_epoch,
				    .window_ns = windowed ? spec->log_avg : 0,
				    .job = spec->per_job_logs ? rw->thread_number : 0};
	(void)snprintf(info->job_name, sizeof(info->job_name), "%s", spec->name);
	if (kind == TRACE_HIST) {
		info->window_ns = spec->log_hist;
		info->coarseness = spec->log_hist_coarseness;
		info->value_error = hist_error(info->coarseness);
		return;
	}
	info->has_max = windowed && spec->log_value == LOG_BOTH;
	info->has_offset = spec->log_offset && !(binary && windowed);
	info->has_prio = !binary || spec->log_prio;
	info->prio_hex = spec->log_prio;
	info->has_issue = spec->log_issue_time;
}

static bool is_alike(const struct trace_info *a, const struct trace_info *b)
{
	return a->format == b->format && a->windowed == b->windowed && a->epoch == b->epoch &&
	       a->window_ns == b->window_ns && a->coarseness == b->coarseness &&
	       a->has_max == b->has_max && a->has_offset == b->has_offset &&
	       a->prio_hex == b->prio_hex && a->has_issue == b->has_issue;
}

/* No file that the run reads or writes, which is said first: removing that one is no remedy. */
static int check_unused(const struct run *run, const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return 0;
	for (const struct run_file *other = run->files; other; other = other->next) {
		if (other->existed && other->ino == st.st_ino && other->dev == st.st_dev)
			return err_input(err,
					 "%s: the job uses this file: the log needs another "
					 "name",
					 path);
	}
	return 0;
}

/* A FIFO whose reader is slow would hold the run up. */
static int check_regular(const struct log_file *file, struct err *err)
{
	struct stat st;

	if (fstat(file->fd, &st) < 0)
		return err_env(err, -errno, "%s: %s", file->path, err_name(errno));
	if (!S_ISREG(st.st_mode))
		return err_input(err, "%s: no regular file: a log needs another name",
				 file->path);
	return 0;
}

/* An earlier run's logs are measurements, which no store has. fio writes over them; what a plan
 * keeps has names of its own. */
static enum outfile_rule rule_of(const struct run *run)
{
	return run->set->face == FACE_FIO || run->set->options.worst_file ? OUTFILE_ANY
									  : OUTFILE_NEW;
}

/* `spec`: NULL for a log of the run. fio adds to what a log that all jobs share held before; a
 * native run begins anew. */
static int open_file(const struct run *run, const struct job_spec *spec, struct log_file *file,
		     struct err *err)
{
	bool adds = run->set->face == FACE_FIO && spec && !spec->per_job_logs;
	int rc = check_unused(run, file->path, err);

	if (rc)
		return rc;
	file->fd =
		outfile_open(file->path, rule_of(run), O_NONBLOCK | (adds ? O_APPEND : 0), err);
	if (file->fd < 0) {
		err_context(err, "the log");
		return file->fd;
	}
	rc = check_regular(file, err);
	if (!rc && !adds && ftruncate(file->fd, 0) < 0)
		rc = err_env(err, -errno, "the log \"%s\" cannot be emptied: %s", file->path,
			     err_name(errno));
	if (rc)
		return rc;
	file->begin = adds ? lseek(file->fd, 0, SEEK_END) : 0;
	if (file->info.format == TRACE_BLOCKS)
		file->blocks = blocks_writer_new(file->fd, &file->info, LOG_TIME_UNIT_NS, err);
	else if (file->info.format == TRACE_FIO_TEXT && spec && spec->log_store_compressed)
		file->packed = fz_writer_new(file->fd, spec->log_compression, err);
	else if (file->info.format == TRACE_FIO_TEXT)
		file->text = fiolog_writer_new(file->fd, &file->info, false, err);
	return err->code;
}

static struct log_file *file_new(struct run *run, const char *path,
				 const struct trace_info *info)
{
	struct log_file *file = arena_new(&run->arena, struct log_file);

	file->path = path;
	file->fd = -1;
	file->info = *info;
	file->flags = blocks_sample_flags(blocks_flags(info));
	file->has_issue = info->has_issue && info->format == TRACE_FIO_TEXT;
	return file;
}

struct log_file *log_file_new(struct run *run, const char *path, const struct trace_info *info,
			      struct err *err)
{
	struct log_file *file = file_new(run, path, info);

	if (!open_file(run, NULL, file, err))
		return file;
	log_file_close(run, file);
	return NULL;
}

int log_file_get(struct run *run, const struct run_worker *rw, enum trace_kind kind,
		 struct log_file **files, struct log_file **ret_file, struct err *err)
{
	const struct job_spec *spec = rw->job->spec;
	const char *path = name_of(run, rw, kind);
	struct log_file *file, **end = files;
	struct trace_info info;
	int rc;

	describe(run, rw, kind, &info);
	for (; *end; end = &(*end)->next) {
		if (!str_equal((*end)->path, path))
			continue;
		if (!is_alike(&(*end)->info, &info))
			return err_input(err,
					 "%s: %s: jobs that share a log need the same log "
					 "options: give one of them another prefix",
					 spec->name, path);
		*ret_file = *end;
		return 0;
	}
	*end = file = file_new(run, path, &info);
	rc = open_file(run, spec, file, err);
	*ret_file = file;
	return rc;
}

/* --- rows --- */

static int add_text(struct log_file *file, const struct sample *sample, uint64_t issue_ns)
{
	if (file->packed)
		return fz_writer_add(file->packed, sample, &file->err);
	if (file->has_issue)
		return fiolog_writer_add_issued(file->text, sample, issue_ns, &file->err);
	return fiolog_writer_add(file->text, sample, 1, &file->err);
}

void log_file_add(struct log_file *file, const struct sample *sample, uint64_t issue_ns,
		  unsigned times)
{
	file->given += times;
	if (!file->err.code && file->blocks)
		(void)blocks_writer_repeat(file->blocks, sample, times,
					   &file->err); /* kept there */
	else
		for (unsigned i = 0; i < times && !file->err.code; i++)
			(void)add_text(file, sample, issue_ns); /* its err too */
	if (file->err.code)
		return;
	file->rows += times;
	file->rows_bytes += (uint64_t)sample->length * times;
}

/* Middle of a bin that is 2^coarseness of fio's. */
static uint64_t bin_middle_ns(unsigned bin, unsigned width)
{
	return (hist_fio_mid_ns(bin) + hist_fio_mid_ns(bin + width - 1)) / 2;
}

static void add_bins(struct log_file *file, const struct sample *like, const uint64_t *count)
{
	unsigned width = 1u << file->info.coarseness;

	for (unsigned bin = 0; bin < FIO_HIST_BUCKETS; bin += width) {
		struct sample sample = *like;

		sample.flags = file->flags;
		for (unsigned i = 0; i < width; i++)
			sample.extra += count[bin + i];
		sample.value = bin_middle_ns(bin, width);
		if (sample.extra)
			log_file_add(file, &sample, 0, 1);
	}
}

void log_file_add_hist(struct log_file *file, const struct sample *like, const uint64_t *count)
{
	struct histlog_row row = {.time_ms = like->time_ns / NS_PER_MS,
				  .op = like->op,
				  .length = like->length,
				  .count = count};

	if (file->blocks)
		add_bins(file, like, count);
	else {
		file->given++;
		if (!file->err.code)
			(void)histlog_write(file->fd, &row, file->info.coarseness, &file->err);
		file->rows += !file->err.code;
	}
}

void log_file_flush(struct log_file *file)
{
	if (file->text && !file->err.code)
		(void)fiolog_writer_end(file->text, &file->err); /* kept in file->err */
	if (file->packed && !file->err.code)
		(void)fz_writer_end(file->packed, &file->err);
}

void log_file_show(struct log_file *file)
{
	if (file->blocks && !file->err.code && file->given != file->shown)
		(void)blocks_writer_show(file->blocks, &file->err); /* kept there */
	file->shown = file->given;
}

/* Whole lines from where ours begin. */
static uint64_t lines_of(const struct log_file *file)
{
	autofd fd = open(file->path, O_RDONLY | O_CLOEXEC);
	uint64_t lines = 0;
	char part[4096];
	ssize_t n;

	if (fd < 0 || lseek(fd, file->begin, SEEK_SET) < 0)
		return 0;
	while ((n = read(fd, part, sizeof(part))) > 0)
		for (ssize_t i = 0; i < n; i++)
			lines += part[i] == '\n';
	return lines;
}

/* Of a form that must be unpacked. */
static uint64_t samples_of(const struct log_file *file)
{
	const struct trace_options options = {.lenient = true};
	struct err err = {0}; /* a file cut off in its head: no sample */
	struct trace_reader *reader = trace_open(file->path, &options, &err);
	struct trace_batch batch;
	uint64_t samples = 0;

	while (reader && trace_next(reader, &batch, &err) > 0)
		samples += batch.count;
	if (reader)
		trace_close(reader);
	return samples;
}

/* What the writers held, and what was cut off within a write, is missing as well: the file itself
 * is counted, which is only done when one is broken. */
static void note_broken(struct run *run, const struct log_file *file, bool is_text)
{
	uint64_t kept;

	if (!file->err.code)
		return;
	kept = is_text ? lines_of(file) : samples_of(file);
	result_note(run->result, "log-broken", SEVERITY_WARNING, NULL,
		    PLURAL(file->given,
			   "\"%s\" is not complete (%llu of %llu row is missing): %s",
			   "\"%s\" is not complete (%llu of %llu rows are missing): %s"),
		    file->path, (unsigned long long)(file->given - min_u64(kept, file->given)),
		    (unsigned long long)file->given, file->err.text);
}

/* --- against the totals of the run --- */

static const char *absolute(struct run *run, const char *path)
{
	char folder[PATH_MAX];

	if (*path == '/' || !getcwd(folder, sizeof(folder)))
		return arena_strdup(&run->result->arena, path);
	return arena_printf(&run->result->arena, "%s/%s", folder,
			    str_starts(path, "./") ? path + 2 : path);
}

void log_files_tell(struct run *run, struct log_file *files)
{
	struct result *result = run->result;
	unsigned count = 0;

	for (const struct log_file *file = files; file; file = file->next)
		count++;
	result->logs = arena_array(&result->arena, struct log_result, count + 1UL);
	for (struct log_file *file = files; file; file = file->next) {
		file->told = &result->logs[result->nlogs++];
		file->told->path = absolute(run, file->path);
		file->told->kind = trace_kind_name(file->info.kind);
	}
}

void log_file_expect(struct log_file *file, const struct job_result *job)
{
	for (unsigned d = 0; d < NDATA && file->told; d++) {
		file->told->ios += job->dir[d].ios;
		file->told->ios_bytes += job->dir[d].bytes;
	}
}

/* A sync engine has no latency of a submission, and a log of it no rows. */
static enum log_state state_of(const struct log_file *file)
{
	const struct log_result *told = file->told;

	if (file->err.code)
		return LOG_DIFFERS;
	if (file->info.windowed || file->info.kind == TRACE_HIST ||
	    (file->info.kind == TRACE_SLAT && !file->rows))
		return LOG_UNCHECKED;
	return file->rows == told->ios && file->rows_bytes == told->ios_bytes ? LOG_AGREES
									      : LOG_DIFFERS;
}

static void settle(struct log_file *file)
{
	file->told->rows = file->rows;
	file->told->rows_bytes = file->rows_bytes;
	file->told->state = state_of(file);
}

void log_file_close(struct run *run, struct log_file *file)
{
	bool is_text = !file->blocks && !file->packed;

	if (file->blocks && !file->err.code)
		(void)blocks_writer_end(file->blocks, &file->err); /* kept in file->err */
	log_file_flush(file);
	blocks_writer_free(file->blocks);
	fiolog_writer_free(file->text);
	fz_writer_free(file->packed);
	if (file->fd >= 0 && close(file->fd) < 0 && !file->err.code)
		(void)err_env(&file->err, -errno, "the log cannot be written: %s",
			      err_name(errno));
	file->fd = -1;
	file->blocks = NULL;
	file->text = NULL;
	file->packed = NULL;
	note_broken(run, file, is_text);
	if (file->told)
		settle(file);
}
