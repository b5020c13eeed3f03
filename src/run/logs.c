/*
 * The logs of a run: one thread empties the rings of all workers while the run goes on,
 * turns what they hold into rows, and writes them. Nothing waits for it: what a full ring
 * dropped, and what a file did not take, is counted and said at the end. On a virtual clock
 * there is no thread; the control plane does the same between instants.
 */
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"
#include "base/lang.h"
#include "run/logs_priv.h"
#include "stat/hist.h"

#define TAKE_MAX     512 /* entries at once: half a first-level cache */
#define NAP_BUSY_NS  NS_PER_MS
#define NAP_QUIET_NS (10 * NS_PER_MS)
#define QUIET_SHARE  64	      /* below that part of a ring a longer nap is safe */
#define FLUSH_NAPS   64	      /* text goes to its files that often */
#define SHOW_NS	     NS_PER_S /* and blocks that are not full */

struct log_window {
	uint64_t count, bytes, sum, max;
};

/* One kind of one worker. */
struct log_stream {
	struct log_file *file; /* NULL: not wanted */
	struct log_window window[NDATA];
	uint64_t index; /* of the window that fills */
};

struct log_worker {
	struct run_worker *rw;
	struct capture *capture;
	struct log_stream stream[TRACE_KINDS];
	uint64_t (*hist)[FIO_HIST_BUCKETS]; /* NDATA of them; NULL: no histogram log */
	uint64_t epoch_ns;		    /* of its zero */
	uint64_t zero_ns;		    /* its zero after the run's */
	uint16_t prio;
	bool sync_engine, has_begun;
};

struct run_logs {
	struct log_file *files;
	struct worst *worst; /* NULL: not wanted */
	struct log_worker *workers;
	unsigned nworkers;
	struct thread thread;
	_Atomic bool stop;	   /* by the control plane; nothing is published through it */
	_Atomic uint64_t start_ns; /* the same: the run's, 0 before its first start */
	struct run *run;
	struct capture_entry entries[TAKE_MAX];
	struct log_row rows[TAKE_MAX];
};

/* --- what is wanted --- */

static bool is_wanted(const struct job_spec *spec, enum trace_kind kind)
{
	switch (kind) {
	case TRACE_LAT:
		return spec->write_lat_log && !spec->disable_lat;
	case TRACE_SLAT:
		return spec->write_lat_log && !spec->disable_slat;
	case TRACE_CLAT:
		return spec->write_lat_log && !spec->disable_clat;
	case TRACE_BW:
		return spec->write_bw_log;
	case TRACE_IOPS:
		return spec->write_iops_log;
	case TRACE_HIST:
		return spec->write_hist_log;
	case TRACE_UNKNOWN:
	case TRACE_KINDS:
		break;
	}
	return false;
}

static bool wants_logs(const struct job_spec *spec)
{
	return spec->write_lat_log || spec->write_bw_log || spec->write_iops_log ||
	       spec->write_hist_log;
}

/* Of --keep-worst: where one job has no offsets, the log has none. */
static bool all_have_offsets(const struct run *run)
{
	for (unsigned j = 0; j < run->njobs; j++) {
		if (!run->jobs[j].spec->log_offset)
			return false;
	}
	return true;
}

static int check_packing(const struct job_spec *spec, struct err *err)
{
	if (spec->log_issue_time || (spec->log_avg && spec->log_value == LOG_BOTH))
		return err_input(err,
				 "%s: log_store_compressed: a packed log has no column for "
				 "log_issue_time, nor for log_window_value=both: take one of "
				 "them out",
				 spec->name);
	return 0;
}

static int check_options(const struct run *run, const struct job_spec *spec, struct err *err)
{
	if (spec->log_store_compressed) {
		int rc = check_packing(spec, err);

		if (rc)
			return rc;
	}
	if (run->set->face == FACE_FIO)
		return 0;
	if (spec->log_store_compressed && spec->log_format == LOG_FORM_BINARY)
		return err_input(err,
				 "%s: log_store_compressed: a binary log is compact as it is: "
				 "take it out, or write log_format=fio",
				 spec->name);
	if (spec->log_compression && !spec->log_store_compressed)
		return err_input(err,
				 "%s: log_compression is how much of a packed log is packed at "
				 "once: write log_store_compressed=1 too, or take it out",
				 spec->name);
	if (spec->write_hist_log && !spec->log_hist)
		return err_input(err,
				 "%s: write_hist_log needs the length of its intervals: write "
				 "log_hist_msec=1s",
				 spec->name);
	if (spec->log_issue_time && spec->log_format == LOG_FORM_BINARY)
		return err_input(
			err,
			"%s: log_issue_time: a binary log has no such column (a time of "
			"issue is the time less the latency): write log_format=fio",
			spec->name);
	return 0;
}

/* fio's column: the class and level, or only whether it is the real-time class. */
static uint16_t prio_of(const struct job_spec *spec)
{
	if (spec->log_prio)
		return (uint16_t)(spec->prioclass << 13 | (spec->prio & 0x1fff));
	return spec->prioclass == 1;
}

static int open_worker(struct run *run, struct run_worker *rw, unsigned entries,
		       struct err *err)
{
	const struct job_spec *spec = rw->job->spec;
	struct log_worker *lw = &run->logs->workers[run->logs->nworkers++];
	int rc = 0;

	lw->rw = rw;
	lw->sync_engine = engine_find(spec->ioengine)->caps & ENGINE_DEPTH_1;
	lw->prio = prio_of(spec);
	for (enum trace_kind kind = TRACE_LAT; kind < TRACE_KINDS && !rc; kind++) {
		if (is_wanted(spec, kind))
			rc = log_file_get(run, rw, kind, &run->logs->files,
					  &lw->stream[kind].file, err);
	}
	if (spec->write_hist_log && spec->log_hist)
		lw->hist =
			arena_alloc(&run->arena, NDATA * sizeof(*lw->hist), sizeof(uint64_t));
	rw->capture = lw->capture = capture_new(&run->shared, entries);
	return rc;
}

static bool is_captured(const struct run *run, const struct job_spec *spec)
{
	return run->set->options.keep_worst > 0 || wants_logs(spec);
}

static unsigned count_workers(const struct run *run)
{
	unsigned count = 0;

	for (unsigned j = 0; j < run->njobs; j++)
		count += is_captured(run, run->jobs[j].spec) ? run->jobs[j].nworkers : 0;
	return count;
}

int run_logs_open(struct run *run, struct err *err)
{
	unsigned count = count_workers(run);
	int rc = run_total_logs_open(run, err);

	if (rc || !count)
		return rc;
	run->logs = arena_new(&run->arena, struct run_logs);
	run->logs->run = run;
	run->logs->workers = arena_array(&run->arena, struct log_worker, count);
	if (run->set->options.keep_worst)
		rc = worst_open(run, run->set->options.keep_worst, all_have_offsets(run),
				&run->logs->worst, err);
	for (unsigned j = 0; j < run->njobs && !rc; j++) {
		struct run_job *job = &run->jobs[j];

		if (!is_captured(run, job->spec))
			continue;
		rc = check_options(run, job->spec, err);
		for (unsigned i = 0; i < job->nworkers && !rc; i++)
			rc = open_worker(run, &job->workers[i], capture_entries_for(count),
					 err);
	}
	if (!rc)
		log_files_tell(run, run->logs->files);
	return rc;
}

/* --- rows --- */

static uint64_t value_of(enum trace_kind kind, const struct log_row *row)
{
	switch (kind) {
	case TRACE_LAT:
		return row->total_ns;
	case TRACE_SLAT:
		return row->slat_ns;
	case TRACE_CLAT:
		return row->clat_ns;
	case TRACE_BW: /* fio's figure of one request: bytes by its latency, in thousands */
		return muldiv_u64(row->length, 1000000, max_u64(row->clat_ns, 1));
	case TRACE_IOPS:
		return 1;
	case TRACE_HIST:
	case TRACE_UNKNOWN:
	case TRACE_KINDS:
		break;
	}
	return 0;
}

/* Blocks count in microseconds: what lies between would cost 33 bytes a row. */
static uint64_t time_for(const struct log_file *file, uint64_t time_ns)
{
	return file->blocks ? time_ns - time_ns % NS_PER_US : time_ns;
}

static void write_rows(const struct run_logs *logs, const struct log_worker *lw,
		       const struct log_stream *stream, unsigned count)
{
	struct log_file *file = stream->file;
	enum trace_kind kind = file->info.kind;
	bool has_offset = file->flags & SAMPLE_OFFSET;

	for (unsigned i = 0; i < count; i++) {
		const struct log_row *row = &logs->rows[i];
		struct sample sample = {.time_ns = time_for(file, row->time_ns),
					.value = value_of(kind, row),
					.extra = has_offset ? row->offset : 0,
					.length = row->length,
					.op = row->op,
					.flags = file->flags,
					.prio = file->info.has_prio ? lw->prio : 0};
		uint64_t issued =
			kind == TRACE_SLAT || kind == TRACE_CLAT
				? row->since_ns - min_u64(row->since_ns, row->total_ns)
				: 0;

		log_file_add(file, &sample, issued, row->count);
	}
}

/* The window's figure; a rate is over the time that the row's stamp says. */
static uint64_t window_value(enum trace_kind kind, enum log_value what,
			     const struct log_window *window, uint64_t span_ns)
{
	if (kind == TRACE_IOPS)
		return muldiv_u64(window->count, NS_PER_S, span_ns);
	if (kind == TRACE_BW)
		return muldiv_u64(window->bytes, NS_PER_S, span_ns) / KiB;
	return what == LOG_MAX ? window->max : window->sum / window->count;
}

/* The windows of all directions that hold something, as rows of the time at which they end. */
static void end_windows(const struct log_worker *lw, struct log_stream *stream,
			uint64_t begin_ns, uint64_t end_ns)
{
	struct log_file *file = stream->file;
	enum trace_kind kind = file->info.kind;
	enum log_value what = lw->rw->job->spec->log_value;

	for (unsigned d = 0; d < NDATA; d++) {
		struct log_window *window = &stream->window[d];
		struct sample sample = {.time_ns = lw->epoch_ns + end_ns,
					.op = (uint8_t)d,
					.flags = file->flags,
					.prio = file->info.has_prio ? lw->prio : 0};

		if (!window->count)
			continue;
		sample.time_ns = time_for(file, sample.time_ns);
		sample.value = window_value(kind, what, window, end_ns - begin_ns);
		if (file->info.has_max)
			sample.extra = kind == TRACE_BW || kind == TRACE_IOPS ? sample.value
									      : window->max;
		log_file_add(file, &sample, 0, 1);
		*window = (struct log_window){0};
	}
}

static void add_to_windows(const struct run_logs *logs, const struct log_worker *lw,
			   struct log_stream *stream, unsigned count)
{
	uint64_t width = stream->file->info.window_ns;

	for (unsigned i = 0; i < count; i++) {
		const struct log_row *row = &logs->rows[i];
		struct log_window *window = &stream->window[row->op];
		uint64_t index = row->since_ns / width, value;

		if (index > stream->index) {
			end_windows(lw, stream, stream->index * width,
				    (stream->index + 1) * width);
			stream->index = index;
		}
		value = value_of(stream->file->info.kind, row);
		window->count += row->count;
		window->bytes += (uint64_t)row->length * row->count;
		window->sum += value * row->count;
		window->max = max_u64(window->max, value);
	}
}

static void end_histograms(const struct log_worker *lw, struct log_stream *stream,
			   uint64_t end_ns)
{
	for (unsigned d = 0; d < NDATA; d++) {
		struct sample like = {.time_ns = time_for(stream->file, lw->epoch_ns + end_ns),
				      .op = (uint8_t)d,
				      .length = (uint32_t)lw->rw->job->spec->bs[d].max};

		if (!stream->window[d].count)
			continue;
		log_file_add_hist(stream->file, &like, lw->hist[d]);
		memset(lw->hist[d], 0, sizeof(lw->hist[d]));
		stream->window[d] = (struct log_window){0};
	}
}

static void add_to_histograms(const struct run_logs *logs, const struct log_worker *lw,
			      struct log_stream *stream, unsigned count)
{
	uint64_t width = stream->file->info.window_ns;

	for (unsigned i = 0; i < count; i++) {
		const struct log_row *row = &logs->rows[i];
		uint64_t index = row->since_ns / width;

		if (index > stream->index) {
			end_histograms(lw, stream, (stream->index + 1) * width);
			stream->index = index;
		}
		lw->hist[row->op][hist_fio_index(row->clat_ns)] += row->count;
		stream->window[row->op].count += row->count;
	}
}

/* --- from the rings --- */

/* Where the clock of log_alternate_epoch stood at the job's zero. */
static uint64_t epoch_at(const struct run *run, const struct log_worker *lw)
{
	const struct job_spec *spec = lw->rw->job->spec;
	struct timespec now = {0};
	uint64_t since_ns = run_now_ns(run) - clock_at_ns(&run->clock, lw->capture->zero_ticks);

	if (!spec->log_epoch)
		return 0;
	(void)clock_gettime((clockid_t)spec->log_epoch_clock, &now); /* no such clock: 0 */
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec - since_ns;
}

static void read_entries(struct run_logs *logs, struct log_worker *lw, unsigned count)
{
	const struct clock *clock = &logs->run->clock;
	uint64_t zero = lw->capture->zero_ticks;

	if (!lw->has_begun) {
		lw->epoch_ns = epoch_at(logs->run, lw);
		lw->zero_ns = clock_span_ns(
			clock, zero - min_u64(zero, logs->run->worker_shared->grid_ticks));
	}
	lw->has_begun = true;
	for (unsigned i = 0; i < count; i++) {
		const struct capture_entry *entry = &logs->entries[i];
		uint64_t total = capture_total_ticks(entry);
		struct log_row *row = &logs->rows[i];

		row->since_ns = clock_span_ns(clock, entry->done_ticks - zero);
		row->time_ns = lw->epoch_ns + row->since_ns;
		row->total_ns = clock_span_ns(clock, total);
		row->slat_ns = clock_span_ns(clock, entry->slat_ticks);
		row->clat_ns = clock_span_ns(clock, total - min_u64(total, entry->slat_ticks));
		row->offset = entry->offset;
		row->length = entry->length;
		row->count = (uint16_t)capture_count(entry);
		row->op = capture_op(entry);
	}
}

static void add_rows(struct run_logs *logs, struct log_worker *lw, unsigned count)
{
	for (enum trace_kind kind = TRACE_LAT; kind < TRACE_KINDS; kind++) {
		struct log_stream *stream = &lw->stream[kind];

		if (!stream->file || (kind == TRACE_SLAT && lw->sync_engine))
			continue; /* where submission is the service there is no slat */
		if (kind == TRACE_HIST && lw->hist)
			add_to_histograms(logs, lw, stream, count);
		else if (kind != TRACE_HIST && stream->file->info.windowed)
			add_to_windows(logs, lw, stream, count);
		else if (kind != TRACE_HIST)
			write_rows(logs, lw, stream, count);
	}
}

/* A worker that the kernel puts aside between its look at the clock and its entry is late by
 * that; two intervals at most, as few are open. */
static uint64_t lag_ns(const struct run_logs *logs)
{
	return run_is_virtual(logs->run)
		       ? 0
		       : min_u64(50 * NS_PER_MS, 2 * logs->run->result->interval_ns);
}

/* Returns what it found in the fullest ring, as one part in QUIET_SHARE or more: true. */
static bool drain(struct run_logs *logs)
{
	uint64_t start_ns = atomic_load_explicit(&logs->start_ns, memory_order_relaxed);
	uint64_t now_ns = run_now_ns(logs->run);
	uint64_t begun_ns = start_ns && now_ns > start_ns ? now_ns - start_ns : 0;
	bool is_busy = false;

	for (unsigned w = 0; w < logs->nworkers; w++) {
		struct log_worker *lw = &logs->workers[w];
		uint64_t waiting = capture_waiting(lw->capture);
		unsigned count;

		is_busy |= waiting > lw->capture->mask / QUIET_SHARE;
		for (uint64_t taken = 0; taken < waiting; taken += count) {
			count = capture_take(lw->capture, logs->entries, TAKE_MAX);
			read_entries(logs, lw, count);
			add_rows(logs, lw, count);
			if (logs->worst)
				worst_add(logs->worst, lw->zero_ns, logs->rows, count);
		}
	}
	if (logs->worst)
		worst_close_before(logs->worst, begun_ns - min_u64(begun_ns, lag_ns(logs)));
	return is_busy;
}

static void flush_files(struct run_logs *logs)
{
	for (struct log_file *file = logs->files; file; file = file->next)
		log_file_flush(file);
}

static void show_files(struct run_logs *logs)
{
	for (struct log_file *file = logs->files; file; file = file->next)
		log_file_show(file);
}

static void writer(void *arg)
{
	struct run_logs *logs = arg;
	uint64_t show_ns = clock_monotonic_ns() + SHOW_NS;

	for (unsigned naps = 1; !atomic_load_explicit(&logs->stop, memory_order_relaxed);
	     naps++) {
		bool is_busy = drain(logs);
		struct timespec nap = {.tv_nsec = is_busy ? NAP_BUSY_NS : NAP_QUIET_NS};

		if (naps % FLUSH_NAPS == 0)
			flush_files(logs);
		if (clock_monotonic_ns() >= show_ns) {
			show_files(logs);
			show_ns = clock_monotonic_ns() + SHOW_NS;
		}
		(void)nanosleep(&nap, NULL); /* cut short: the next look comes sooner */
	}
}

void run_logs_begin(struct run *run)
{
	if (run->logs)
		atomic_store_explicit(&run->logs->start_ns, run->start_ns,
				      memory_order_relaxed);
}

int run_logs_start(struct run *run, struct err *err)
{
	int rc;

	if (!run->logs || run_is_virtual(run))
		return 0;
	rc = thread_start(&run->logs->thread, writer, run->logs, false);
	return rc ? err_env(err, rc, "cannot start the thread that writes the logs: %s; %s",
			    err_name(rc), thread_remedy())
		  : 0;
}

void run_logs_drain(struct run *run)
{
	(void)drain(run->logs); /* nobody naps here */
}

/* --- the end --- */

/* Windows that the job's end cut, with the end for their time; in whole milliseconds, as the
 * text has them, so that a rate is that of the time which the row says. */
static void end_worker(struct log_worker *lw)
{
	uint64_t end_ns = round_up_u64(lw->rw->result->runtime_ns, NS_PER_MS);

	for (enum trace_kind kind = TRACE_LAT; kind < TRACE_KINDS; kind++) {
		struct log_stream *stream = &lw->stream[kind];
		uint64_t width, begin_ns, at_ns;

		if (!stream->file || !stream->file->info.window_ns)
			continue;
		width = stream->file->info.window_ns;
		begin_ns = stream->index * width;
		at_ns = min_u64(max_u64(end_ns, begin_ns + NS_PER_MS), begin_ns + width);
		if (kind == TRACE_HIST)
			end_histograms(lw, stream, at_ns);
		else if (stream->file->info.windowed)
			end_windows(lw, stream, begin_ns, at_ns);
	}
}

static void note_lost(struct run *run, const struct log_worker *lw)
{
	uint64_t lost = capture_lost(lw->capture);

	if (lost)
		result_note(
			run->result, "log-lost", SEVERITY_WARNING, lw->rw->job->spec->name,
			PLURAL(lost,
			       "%llu request of worker %u is missing in its logs: it came "
			       "faster than it "
			       "could be written. The run's own figures hold it",
			       "%llu requests of worker %u are missing in its logs: they came "
			       "faster than they could be written. The run's own figures "
			       "hold them"),
			(unsigned long long)lost, lw->rw->thread_number);
}

void run_logs_close(struct run *run)
{
	struct run_logs *logs = run->logs;
	int ignored;

	run_total_logs_close(run);
	if (!logs)
		return;
	run->logs = NULL;
	atomic_store_explicit(&logs->stop, true, memory_order_relaxed);
	if (logs->thread.started)
		(void)thread_join(&logs->thread, &ignored); /* a thread dies of no signal */
	(void)drain(logs);				    /* what came after its last look */
	for (unsigned w = 0; w < logs->nworkers; w++) {
		end_worker(&logs->workers[w]);
		for (enum trace_kind kind = TRACE_LAT; kind < TRACE_KINDS; kind++)
			if (logs->workers[w].stream[kind].file)
				log_file_expect(logs->workers[w].stream[kind].file,
						logs->workers[w].rw->result);
		note_lost(run, &logs->workers[w]);
	}
	for (struct log_file *file = logs->files; file; file = file->next)
		log_file_close(run, file);
	if (logs->worst)
		worst_close(run, logs->worst);
}
