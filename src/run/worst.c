/*
 * --keep-worst: the requests of the run's worst intervals, by their greatest latency. Every
 * interval is written into memory as blocks, some four bytes a request; when it is over it takes
 * the place of the mildest that is kept, or goes. What is kept stands in one log at the end.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "run/logs_priv.h"
#include "trace/blocks.h"
#include "trace/blocks_write.h"

#define OPEN_MAX     4 /* intervals that fill at once: a worker may be ahead of the drain */
#define MEMORY_BYTES (64 * MiB)

/* An interval: `fd` is anonymous memory; -1: the slot is free. */
struct interval {
	int fd;
	uint64_t row, max_ns, count, bytes;
	struct blocks_writer *writer; /* NULL once it is over */
};

struct worst {
	struct log_file *file;
	struct interval open[OPEN_MAX], *kept;
	unsigned nkept, room;
	uint64_t interval_ns, bytes_max;
	uint64_t closed_to; /* rows before this one are over */
	uint64_t cut;	    /* requests that found no room in their interval, or came late */
	struct err err;	    /* why an interval could not be kept */
};

int worst_open(struct run *run, unsigned count, bool has_offset, struct worst **ret_worst,
	       struct err *err)
{
	struct worst *worst = arena_new(&run->arena, struct worst);
	struct trace_info info = {.format = TRACE_BLOCKS,
				  .kind = TRACE_LAT,
				  .unit = TRACE_UNIT_NS,
				  .has_offset = has_offset};
	const char *path = run->set->options.worst_file;

	if (!path)
		path = arena_printf(&run->arena, "%s_worst.alog", run->set->jobs[0]->name);

	worst->kept = arena_array(&run->arena, struct interval, count);
	worst->room = count;
	worst->interval_ns = run->result->interval_ns;
	worst->bytes_max = MEMORY_BYTES / (count + OPEN_MAX);
	for (unsigned i = 0; i < OPEN_MAX; i++)
		worst->open[i].fd = -1;
	worst->file = log_file_new(run, path, &info, err);
	if (!worst->file)
		return err->code;
	*ret_worst = worst;
	return 0;
}

static void interval_free(struct interval *interval)
{
	blocks_writer_free(interval->writer);
	file_close_fd(&interval->fd);
	*interval = (struct interval){.fd = -1};
}

/* Kept, if it is worse than the mildest of those that are. */
static void interval_end(struct worst *worst, struct interval *interval)
{
	struct interval *least = worst->kept;

	if (blocks_writer_flush(interval->writer, &worst->err)) {
		interval_free(interval);
		return;
	}
	blocks_writer_free(interval->writer);
	interval->writer = NULL;
	if (worst->nkept < worst->room) {
		worst->kept[worst->nkept++] = *interval;
		*interval = (struct interval){.fd = -1};
		return;
	}
	for (unsigned i = 1; i < worst->nkept; i++)
		least = worst->kept[i].max_ns < least->max_ns ? &worst->kept[i] : least;
	if (interval->max_ns > least->max_ns) {
		struct interval milder = *least;

		*least = *interval;
		*interval = milder;
	}
	interval_free(interval);
}

void worst_close_before(struct worst *worst, uint64_t time_ns)
{
	uint64_t row = time_ns / worst->interval_ns;

	worst->closed_to = max_u64(worst->closed_to, row);
	for (unsigned i = 0; i < OPEN_MAX; i++) {
		struct interval *interval = &worst->open[i];

		if (interval->fd >= 0 && interval->row < worst->closed_to)
			interval_end(worst, interval);
	}
}

static struct interval *open_interval(struct worst *worst, uint64_t row)
{
	struct interval *free_one = NULL;

	for (unsigned i = 0; i < OPEN_MAX; i++) {
		if (worst->open[i].fd >= 0 && worst->open[i].row == row)
			return &worst->open[i];
		if (worst->open[i].fd < 0)
			free_one = &worst->open[i];
	}
	if (!free_one || row < worst->closed_to || worst->err.code)
		return NULL;
	free_one->fd = memfd_create("assay-interval", MFD_CLOEXEC);
	if (free_one->fd < 0) {
		(void)err_env(&worst->err, -errno, "no memory for an interval: %s",
			      err_name(errno));
		return NULL;
	}
	free_one->row = row;
	free_one->writer =
		blocks_writer_new(free_one->fd, &worst->file->info, NS_PER_US, &worst->err);
	if (!free_one->writer)
		interval_free(free_one);
	return free_one->fd < 0 ? NULL : free_one;
}

/* The bytes are an upper bound of what a repeated sample takes. */
static bool add_to_interval(struct worst *worst, struct interval *interval,
			    const struct sample *sample, unsigned times)
{
	uint64_t bytes = (worst->file->flags & SAMPLE_OFFSET ? 10ULL : 5ULL) * times;

	interval->max_ns = max_u64(interval->max_ns, sample->value);
	if (interval->bytes + bytes > worst->bytes_max)
		return false;
	interval->bytes += bytes;
	interval->count += times;
	return !blocks_writer_repeat(interval->writer, sample, times, &worst->err);
}

void worst_add(struct worst *worst, uint64_t zero_ns, const struct log_row *rows,
	       unsigned count)
{
	struct interval *interval = NULL;

	for (unsigned i = 0; i < count; i++) {
		uint64_t time_ns = zero_ns + rows[i].since_ns;
		uint64_t row = time_ns / worst->interval_ns;
		struct sample sample = {.time_ns = time_ns - time_ns % NS_PER_US,
					.value = rows[i].total_ns,
					.length = rows[i].length,
					.op = rows[i].op,
					.flags = worst->file->flags};

		if (sample.flags & SAMPLE_OFFSET)
			sample.extra = rows[i].offset;
		if (!interval || interval->row != row)
			interval = open_interval(worst, row);
		if (!interval || !add_to_interval(worst, interval, &sample, rows[i].count))
			worst->cut += rows[i].count;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct interval *one = a, *other = b;

	return one->row < other->row ? -1 : one->row > other->row;
}

/* The interval's blocks, which are whole ones, behind those before it. */
static int append(struct log_file *file, const struct interval *interval, struct err *err)
{
	off_t at = BLOCKS_HEAD_BYTES;
	char *block = malloc(BLOCKS_BLOCK_BYTES);
	ssize_t n;
	int rc = block ? 0 : -ENOMEM;

	while (!rc && (n = pread(interval->fd, block, BLOCKS_BLOCK_BYTES, at)) != 0) {
		rc = n < 0 ? -errno : file_write_all(file->fd, block, (size_t)n);
		at += n;
	}
	free(block);
	return rc ? err_env(err, rc, "the log cannot be written: %s", err_name(rc)) : 0;
}

static void tell(struct run *run, const struct worst *worst, uint64_t count)
{
	autostr which = {0};

	for (unsigned i = 0; i < worst->nkept; i++)
		str_printf(&which, "%s%.9g s", i ? ", " : "",
			   (double)(worst->kept[i].row * worst->interval_ns) / 1e9);
	result_note(run->result, "worst-kept", SEVERITY_INFO, NULL,
		    PLURAL(count,
			   "\"%s\" holds the %llu request of the worst intervals by greatest "
			   "latency; "
			   "they begin at %s",
			   "\"%s\" holds the %llu requests of the worst intervals by greatest "
			   "latency; "
			   "they begin at %s"),
		    worst->file->path, (unsigned long long)count,
		    worst->nkept ? str_text(&which) : N_("no time: nothing was measured"));
	if (worst->cut)
		result_note(
			run->result, "worst-cut", SEVERITY_WARNING, NULL,
			PLURAL(worst->cut,
			       "%llu request of the run found no room among those of its "
			       "interval "
			       "(%llu MiB each): a shorter --interval, or a smaller "
			       "--keep-worst, leaves "
			       "more",
			       "%llu requests of the run found no room among those of their "
			       "interval (%llu MiB each): a shorter --interval, or a smaller "
			       "--keep-worst, leaves more"),
			(unsigned long long)worst->cut,
			(unsigned long long)(worst->bytes_max / MiB));
}

void worst_close(struct run *run, struct worst *worst)
{
	struct err *err = &worst->file->err;
	uint64_t count = 0;

	worst_close_before(worst, UINT64_MAX);
	qsort(worst->kept, worst->nkept, sizeof(*worst->kept), by_time);
	if (!err->code && worst->err.code)
		*err = worst->err;
	if (!err->code)
		(void)blocks_writer_flush(worst->file->blocks, err); /* the file's head */
	for (unsigned i = 0; i < worst->nkept; i++) {
		count += worst->kept[i].count;
		if (!err->code)
			(void)append(worst->file, &worst->kept[i], err);
	}
	tell(run, worst, count);
	for (unsigned i = 0; i < worst->nkept; i++)
		interval_free(&worst->kept[i]);
	log_file_close(run, worst->file);
}
