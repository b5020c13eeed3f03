/* assay log head, cut, merge, convert: logs in, one log out. */
#include <stdlib.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "cli/log_priv.h"
#include "trace/blocks_write.h"
#include "trace/fiolog_write.h"
#include "trace/fz_write.h"
#include "trace/histlog_write.h"
#include "trace/merge.h"

/* One of the writers. */
struct sink {
	int fd;
	struct blocks_writer *blocks;
	struct fiolog_writer *text;
	struct histlog_writer *hist;
	struct fz_writer *fz;
	struct sample last; /* of a histogram log, whose rows are of many samples */
	bool any;
};

static int sink_add(struct sink *sink, const struct sample *samples, unsigned count,
		    struct err *err)
{
	int rc = 0;

	if (sink->hist)
		return histlog_writer_add(sink->hist, samples, count, err);
	if (sink->blocks)
		return blocks_writer_add(sink->blocks, samples, count, err);
	if (sink->text)
		return fiolog_writer_add(sink->text, samples, count, err);
	for (unsigned i = 0; i < count && !rc; i++)
		rc = fz_writer_add(sink->fz, &samples[i], err);
	return rc;
}

static int sink_end(struct sink *sink, struct err *err)
{
	return sink->hist     ? histlog_writer_end(sink->hist, err)
	       : sink->blocks ? blocks_writer_end(sink->blocks, err)
	       : sink->text   ? fiolog_writer_end(sink->text, err)
			      : fz_writer_end(sink->fz, err);
}

static void sink_free(struct sink *sink)
{
	blocks_writer_free(sink->blocks);
	fiolog_writer_free(sink->text);
	histlog_writer_free(sink->hist);
	fz_writer_free(sink->fz);
}

/* The sources' common head: what differs between them is not said of the whole. */
static struct trace_info common_info(const struct log_files *files)
{
	struct trace_info info = *trace_info(files->readers[0]);

	for (unsigned i = 1; i < files->count; i++) {
		const struct trace_info *other = trace_info(files->readers[i]);

		info.job = 0;
		info.has_offset |= other->has_offset;
		info.has_prio |= other->has_prio;
		info.prio_hex |= other->prio_hex;
		if (!str_equal(info.job_name, other->job_name))
			info.job_name[0] = '\0';
		if (!str_equal(info.host, other->host))
			info.host[0] = '\0';
	}
	return info;
}

static int check_same(const struct log_files *files, struct err *err)
{
	const struct trace_info *first = trace_info(files->readers[0]);

	for (unsigned i = 1; i < files->count; i++) {
		const struct trace_info *other = trace_info(files->readers[i]);

		if (other->kind != first->kind || other->windowed != first->windowed ||
		    other->epoch != first->epoch || other->has_max != first->has_max ||
		    (first->kind == TRACE_HIST &&
		     (other->coarseness != first->coarseness || other->unit != first->unit)))
			return err_input(err,
					 "%s and %s are logs of different sorts: one log "
					 "holds one sort",
					 trace_path(files->readers[0]),
					 trace_path(files->readers[i]));
	}
	return 0;
}

/* Milliseconds where all times are. */
static uint64_t time_unit_ns(const struct log_files *files)
{
	for (unsigned i = 0; i < files->count; i++) {
		const struct trace_info *info = trace_info(files->readers[i]);

		if (info->format == TRACE_BLOCKS || info->start_ns % NS_PER_MS)
			return 1;
	}
	return NS_PER_MS;
}

/* What the target cannot hold; NULL: it holds all of it. */
static const char *loss_of(const struct trace_info *info, const struct log_options *options)
{
	switch (options->format) {
	case LOG_BLOCKS:
		return info->has_issue ? N_("issue times")
		       : info->has_max && info->has_offset
			       ? N_("offsets, which windows do not have")
			       : NULL;
	case LOG_FZ:
		return info->has_issue ? N_("issue times, and times below a millisecond")
		       : info->has_max ? N_("the maxima of windows")
				       : fiolog_writer_loss(info, false);
	case LOG_FORMAT_NONE:
	case LOG_CSV:
	case LOG_JSON:
	case LOG_TEXT:
	case LOG_FIO:
	case LOG_FIO2:
		break;
	}
	if (info->kind == TRACE_HIST)
		return info->format == TRACE_BLOCKS ? N_("times below a millisecond") : NULL;
	return fiolog_writer_loss(info, options->format == LOG_FIO2);
}

static int sink_open(struct sink *sink, const struct log_options *options,
		     const struct log_files *files, struct err *err)
{
	struct trace_info info = common_info(files);
	const char *loss = loss_of(&info, options);

	if (info.kind == TRACE_HIST &&
	    (options->format == LOG_FZ ||
	     (options->format == LOG_FIO2 && info.unit != TRACE_UNIT_US)))
		return err_input(err,
				 "%s: a histogram of fio 3 is no packed log and none of fio 2: "
				 "--format=fio and --format=blocks keep it",
				 trace_path(files->readers[0]));
	sink->fd = options->output ? outfile_open(options->output, OUTFILE_NEW, 0, err)
				   : STDOUT_FILENO;
	if (sink->fd < 0)
		return sink->fd;
	if (loss)
		log_note(options, "lost on the way: %s", loss);
	if (options->format == LOG_BLOCKS)
		sink->blocks = blocks_writer_new(sink->fd, &info, time_unit_ns(files), err);
	else if (info.kind == TRACE_HIST)
		sink->hist = histlog_writer_new(sink->fd, &info, err);
	else if (options->format == LOG_FZ)
		sink->fz = fz_writer_new(sink->fd, 0, err);
	else
		sink->text =
			fiolog_writer_new(sink->fd, &info, options->format == LOG_FIO2, err);
	return sink->blocks || sink->text || sink->hist || sink->fz ? 0 : -ENOMEM;
}

/* How many of the samples are within the first *rows rows; a histogram's row is many samples. */
static unsigned within_rows(struct sink *sink, const struct sample *samples, unsigned count,
			    uint64_t *rows)
{
	if (!(samples[0].flags & SAMPLE_COUNT)) {
		count = (unsigned)min_u64(count, *rows);
		*rows -= count;
		return count;
	}
	for (unsigned i = 0; i < count; i++) {
		bool begins = !sink->any || histlog_is_new_row(&sink->last, &samples[i]);

		if (begins && !*rows)
			return i;
		*rows -= begins;
		sink->any = true;
		sink->last = samples[i];
	}
	return count;
}

/* Samples of [from, to), at most `rows` of them. Merged logs end when all are past `to`. */
static int copy(struct sink *sink, const struct log_options *options,
		const struct log_files *files, uint64_t rows, struct err *err)
{
	struct trace_merge *merge = merge_new(files->readers, files->count, err);
	struct trace_batch batch;
	int rc = merge ? 1 : -ENOMEM;
	bool full = false;

	while (rc > 0 && !full) {
		unsigned begin = 0;

		rc = merge_next(merge, &batch, err);
		if (rc <= 0)
			break;
		for (unsigned i = 0; i <= batch.count; i++) {
			bool inside = i < batch.count &&
				      batch.samples[i].time_ns >= options->from_ns &&
				      batch.samples[i].time_ns < options->to_ns;
			unsigned count = i - begin;

			if (inside || full)
				continue;
			if (count)
				count = within_rows(sink, batch.samples + begin, count, &rows);
			full = count < i - begin ||
			       (!rows && !(batch.samples[0].flags & SAMPLE_COUNT));
			if (count && sink_add(sink, batch.samples + begin, count, err)) {
				rc = err->code;
				break;
			}
			begin = i + 1;
		}
	}
	merge_free(merge);
	return rc < 0 ? rc : sink_end(sink, err);
}

static int copy_or_undo(struct sink *sink, const struct log_options *options,
			const struct log_files *files, uint64_t rows, struct err *err)
{
	const char *path = options->output;
	struct memory_end end;
	int rc;

	if (!path)
		return copy(sink, options, files, rows, err);
	memory_end_add(&end, outfile_undo, &path);
	rc = copy(sink, options, files, rows, err);
	memory_end_remove(&end);
	return rc;
}

static int log_copy(int argc, char **argv, const char *allowed, enum log_format format,
		    bool limited, struct err *err)
{
	struct log_options options;
	struct log_files files = {0};
	struct sink sink = {.fd = -1};
	int damaged = 0;
	int rc = log_parse(argc, argv, allowed, &options, err);

	if (!rc && options.format == LOG_FORMAT_NONE)
		options.format = format;
	if (!rc && options.format != LOG_FIO && options.format != LOG_FIO2 &&
	    options.format != LOG_BLOCKS && options.format != LOG_FZ &&
	    options.format != LOG_FORMAT_NONE)
		rc = err_input(err, "--format: logs are written as fio, fio2, fz or blocks");
	if (!rc)
		rc = log_open(&options, &files, err);
	if (!rc)
		rc = check_same(&files, err);
	if (!rc && options.format == LOG_FORMAT_NONE) /* as it came */
		options.format = trace_info(files.readers[0])->format == TRACE_BLOCKS
					 ? LOG_BLOCKS
					 : LOG_FIO;
	if (!rc) {
		log_say_kinds(&options, &files);
		rc = sink_open(&sink, &options, &files, err);
	}
	if (!rc)
		rc = copy_or_undo(&sink, &options, &files, limited ? options.rows : UINT64_MAX,
				  err);
	if (!rc) {
		log_say_counts(&options, &files);
		damaged = log_damage_exit(&files);
	}
	if (rc < 0 && sink.fd > STDOUT_FILENO)
		outfile_remove(options.output); /* half a log is none */
	if (sink.fd > STDOUT_FILENO && close(sink.fd) && !rc)
		rc = err_env(err, -errno, "the log cannot be written: %s", err_name(errno));
	sink_free(&sink);
	log_close(&files);
	free(options.paths);
	return rc ? rc : damaged;
}

int log_head(int argc, char **argv, struct err *err)
{
	return log_copy(argc, argv, " rows ", LOG_FIO, true, err);
}

int log_cut(int argc, char **argv, struct err *err)
{
	return log_copy(argc, argv, " from to ", LOG_FORMAT_NONE, false, err);
}

int log_merge(int argc, char **argv, struct err *err)
{
	return log_copy(argc, argv, " from to ", LOG_FORMAT_NONE, false, err);
}

int log_convert(int argc, char **argv, struct err *err)
{
	return log_copy(argc, argv, " from to ", LOG_BLOCKS, false, err);
}
