/* What logs.c (which rows) and log_file.c (into which file, in which form) share. */
#pragma once

#include "run/run_priv.h"
#include "trace/reader.h"
#include "trace/sample.h"

/* One file; with per_job_logs=0 several workers'. The writer's own, once the run goes on. */
struct log_file {
	const char *path;
	int fd;
	struct trace_info info;
	uint8_t flags;	/* of each sample */
	bool has_issue; /* the column of log_issue_time */
	struct fiolog_writer *text;
	struct fz_writer *packed;
	struct blocks_writer *blocks; /* one of the three, or none: a histogram's text */
	struct err err;		      /* why nothing is written any more */
	uint64_t given;		      /* rows, written or not */
	uint64_t shown;		      /* of these when they were last all in the file */
	off_t begin;		      /* where ours begin */
	uint64_t rows, rows_bytes;    /* taken by the writer */
	struct log_result *told;      /* NULL: in no result */
	struct log_file *next;
};

/* What one entry says, in nanoseconds. */
struct log_row {
	uint64_t time_ns; /* since the job's zero, or since the epoch */
	uint64_t since_ns;
	uint64_t total_ns, slat_ns, clat_ns, offset;
	uint32_t length; /* of each of `count` requests */
	uint16_t count;
	uint8_t op;
};

/* --keep-worst. Opened before the start; then the writer's own; closed at the end. */
struct worst;
int worst_open(struct run *run, unsigned count, bool has_offset, struct worst **ret_worst,
	       struct err *err);
/* Rows of one worker whose zero is `zero_ns` after the run's. */
void worst_add(struct worst *worst, uint64_t zero_ns, const struct log_row *rows,
	       unsigned count);
/* All that completed before `time_ns` of the run was added. */
void worst_close_before(struct worst *worst, uint64_t time_ns);
void worst_close(struct run *run, struct worst *worst);

/* --bandwidth-log: all workers' bandwidth, a file a direction and a row an interval of the run.
 * Opened before the start, written at the end. */
int run_total_logs_open(struct run *run, struct err *err);
void run_total_logs_close(struct run *run);

/* The file of one kind of one worker: opened, or another worker's that it shares. */
int log_file_get(struct run *run, const struct run_worker *rw, enum trace_kind kind,
		 struct log_file **files, struct log_file **ret_file, struct err *err);
/* A sample that stands for `times` equal rows. `issue_ns` is used where the file has the column. */
void log_file_add(struct log_file *file, const struct sample *sample, uint64_t issue_ns,
		  unsigned times);
/* `count` of FIO_HIST_BUCKETS, in a row that ends at `time_ns`. */
void log_file_add_hist(struct log_file *file, const struct sample *like, const uint64_t *count);
/* Text that has gathered goes to the file. */
void log_file_flush(struct log_file *file);
/* Of a block that fills slowly too: less is lost with a process that is killed. */
void log_file_show(struct log_file *file);
/* The files of all workers, in the result from now on. */
void log_files_tell(struct run *run, struct log_file *files);
/* What one worker counted of the requests that are in it. */
void log_file_expect(struct log_file *file, const struct job_result *job);
/* What is missing in it becomes a note of the result. */
void log_file_close(struct run *run, struct log_file *file);
/* A file of the run's own, not of a worker's; NULL with the cause in err. */
struct log_file *log_file_new(struct run *run, const char *path, const struct trace_info *info,
			      struct err *err);
