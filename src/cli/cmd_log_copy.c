/* assay log head, cut, merge, convert: logs in, one log out. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "cli/log_priv.h"
#include "trace/blocks_write.h"
#include "trace/fiolog_write.h"
#include "trace/merge.h"

/* One of the two writers. */
struct sink {
	int fd;
	struct blocks_writer *blocks;
	struct fiolog_writer *text;
};

static int sink_add(struct sink *sink, const struct sample *samples, unsigned count,
		    struct err *err)
{
	return sink->blocks ? blocks_writer_add(sink->blocks, samples, count, err)
			    : fiolog_writer_add(sink->text, samples, count, err);
}

static int sink_end(struct sink *sink, struct err *err)
{
	return sink->blocks ? blocks_writer_end(sink->blocks, err)
			    : fiolog_writer_end(sink->text, err);
}

/* What is there already is somebody's data. */
static int open_output(const char *path, struct err *err)
{
	struct stat st;
	int fd;

	if (!path)
		return STDOUT_FILENO;
	if (!stat(path, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		return err_refused(err, "\"%s\" is there already: remove it, or name another",
				   path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return fd < 0 ? err_env(err, -errno, "\"%s\" cannot be written: %s", path,
				err_name(errno))
		      : fd;
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
		    other->epoch != first->epoch || other->has_max != first->has_max)
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

static int sink_open(struct sink *sink, const struct log_options *options,
		     const struct log_files *files, struct err *err)
{
	struct trace_info info = common_info(files);
	bool fio2 = options->format == LOG_FIO2;
	const char *loss = fiolog_writer_loss(&info, fio2);

	if (options->format != LOG_BLOCKS && info.kind == TRACE_HIST)
		return err_input(err, "%s: %s: --format=blocks keeps it",
				 trace_path(files->readers[0]), loss);
	sink->fd = open_output(options->output, err);
	if (sink->fd < 0)
		return sink->fd;
	if (options->format == LOG_BLOCKS) {
		if (info.has_issue)
			log_note(options, "lost on the way: issue times");
		sink->blocks = blocks_writer_new(sink->fd, &info, time_unit_ns(files), err);
	} else {
		if (loss)
			log_note(options, "lost on the way: %s", loss);
		sink->text = fiolog_writer_new(sink->fd, &info, fio2, err);
	}
	return sink->blocks || sink->text ? 0 : -ENOMEM;
}

/* Samples of [from, to), at most `rows` of them. Merged logs end when all are past `to`. */
static int copy(struct sink *sink, const struct log_options *options,
		const struct log_files *files, uint64_t rows, struct err *err)
{
	struct trace_merge *merge = merge_new(files->readers, files->count, err);
	struct trace_batch batch;
	int rc = merge ? 1 : -ENOMEM;

	while (rc > 0 && rows) {
		unsigned begin = 0;

		rc = merge_next(merge, &batch, err);
		if (rc <= 0)
			break;
		for (unsigned i = 0; i <= batch.count; i++) {
			bool inside = i < batch.count &&
				      batch.samples[i].time_ns >= options->from_ns &&
				      batch.samples[i].time_ns < options->to_ns;
			unsigned count = (unsigned)min_u64(i - begin, rows);

			if (inside)
				continue;
			if (count && sink_add(sink, batch.samples + begin, count, err)) {
				rc = err->code;
				break;
			}
			rows -= count;
			begin = i + 1;
		}
	}
	merge_free(merge);
	return rc < 0 ? rc : sink_end(sink, err);
}

static int log_copy(int argc, char **argv, const char *allowed, enum log_format format,
		    bool limited, struct err *err)
{
	struct log_options options;
	struct log_files files = {0};
	struct sink sink = {.fd = -1};
	int rc = log_parse(argc, argv, allowed, &options, err);

	if (!rc && options.format == LOG_FORMAT_NONE)
		options.format = format;
	if (!rc && options.format != LOG_FIO && options.format != LOG_FIO2 &&
	    options.format != LOG_BLOCKS && options.format != LOG_FORMAT_NONE)
		rc = err_input(err, "--format: logs are written as fio, fio2 or blocks");
	if (!rc)
		rc = log_open(&options, &files, err);
	if (!rc)
		rc = check_same(&files, err);
	if (!rc && options.format == LOG_FORMAT_NONE) /* as it came */
		options.format =
			trace_info(files.readers[0])->format == TRACE_BLOCKS ||
					trace_info(files.readers[0])->kind == TRACE_HIST
				? LOG_BLOCKS
				: LOG_FIO;
	if (!rc) {
		log_say_kinds(&options, &files);
		rc = sink_open(&sink, &options, &files, err);
	}
	if (!rc)
		rc = copy(&sink, &options, &files, limited ? options.rows : UINT64_MAX, err);
	if (!rc)
		log_say_counts(&options, &files);
	if (sink.fd > STDOUT_FILENO && close(sink.fd) && !rc)
		rc = err_env(err, -errno, "the log cannot be written: %s", err_name(errno));
	blocks_writer_free(sink.blocks);
	fiolog_writer_free(sink.text);
	log_close(&files);
	free(options.paths);
	return rc;
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
