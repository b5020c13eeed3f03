/*
 * A log as a stream of samples: fio's text logs in all variants, its histogram logs, and our
 * own block format, packed or not. Memory is one buffer, whatever the file's size. What a log
 * is, is decided when it is opened, from its name, its first rows and the hints; info.about
 * says how, and what cannot be decided is an error that names the option to say it with.
 *
 * One owner, no thread safety; readers of different files, or of different parts of one, may
 * run side by side.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/sample.h"

enum trace_format { TRACE_FIO_TEXT, TRACE_FIO_HIST, TRACE_BLOCKS };

enum trace_unit { TRACE_UNIT_UNKNOWN, TRACE_UNIT_NS, TRACE_UNIT_US };
enum trace_answer { TRACE_UNASKED, TRACE_YES, TRACE_NO };

/* What is known about a log from elsewhere: an option, or the JSON beside it. Zero: nothing. */
struct trace_hints {
	enum trace_kind kind;
	enum trace_unit unit; /* of latencies in the file */
	enum trace_answer windowed;
	uint64_t window_ns; /* log_avg_msec */
	uint64_t start_ns;  /* when this job began, on the clock that all logs share */
	double depth;	    /* mean requests in flight */
	const char *job_name;
};

struct trace_options {
	struct trace_hints hints;
	bool lenient;	   /* bad rows are counted instead of ending the reading */
	unsigned fast_set; /* 0: the best for this processor; else number + 1 of fiofast_at() */
};

/* No vectors of AVX2 are wanted: the first two sets have none. */
static inline bool trace_is_portable(const struct trace_options *options)
{
	return options->fast_set == 1 || options->fast_set == 2;
}

#define TRACE_NAME_MAX	80
#define TRACE_ABOUT_MAX 500

struct trace_info {
	enum trace_format format;
	enum trace_kind kind;
	enum trace_unit unit; /* of latencies in the file; samples are in ns */
	unsigned columns;     /* of text */
	unsigned bins;	      /* of a histogram row */
	unsigned coarseness;  /* how often they were halved */
	bool windowed, epoch; /* epoch: times are since 1970 */
	bool has_max, has_offset, has_prio, prio_hex, has_issue;
	uint64_t window_ns;  /* 0: not windowed, or not known */
	uint64_t start_ns;   /* added to each time */
	uint64_t size_bytes; /* of the file; 0: not known */
	double value_error;  /* relative half width of the widest bin; 0: exact */
	unsigned job;	     /* 0: no number */
	char job_name[TRACE_NAME_MAX], host[TRACE_NAME_MAX];
	const char *packing;
	char about[TRACE_ABOUT_MAX]; /* how kind, unit and windows were decided; sentences */
};

/* A stretch of a log that cannot be read, and what of the run is missing with it. */
struct trace_damage {
	uint64_t at, bytes; /* in the log, unpacked; 0 bytes: the log breaks off here */
	uint64_t rows;	    /* by what is left of it */
	bool rows_known;
	uint64_t from_ns,
		to_ns; /* the rows around it; to_ns is UINT64_MAX where none follows */
};

/* So many are told apart; the last one stands for all that follow. */
#define TRACE_DAMAGES_MAX 16

struct trace_counts {
	uint64_t rows; /* read and handed out; of a histogram log its rows */
	uint64_t bad_rows, first_bad_line;
	uint64_t zero_rows, remarks;
	uint64_t backward, first_backward_line; /* times before that of the row before */
	uint64_t blocks_lost;			/* of the block format: torn or damaged */
	struct trace_damage damage[TRACE_DAMAGES_MAX];
	unsigned ndamages;
	uint64_t stray_bytes, first_stray_at; /* bytes that belong to no block */
	uint64_t nul_bytes;		      /* after the last row */
	bool cut_row, cut_stream;	      /* the last line, the packed stream: broken off */
};

struct trace_reader;

/* "-" is standard input. NULL with the cause in err. */
struct trace_reader *trace_open(const char *path, const struct trace_options *options,
				struct err *err);
/* 1 with a batch of at least one sample, 0 at the end, or a negative errno with the cause. */
int trace_next(struct trace_reader *reader, struct trace_batch *ret_batch, struct err *err);
void trace_close(struct trace_reader *reader);
/* From now on batches may come by columns. Not of windowed logs and histograms. */
int trace_want_columns(struct trace_reader *reader, struct err *err);

const struct trace_info *trace_info(const struct trace_reader *reader);
const struct trace_counts *trace_counts(const struct trace_reader *reader);
/* The log is not as it was written; what could be read of it was handed out. */
static inline bool trace_is_damaged(const struct trace_counts *counts)
{
	return counts->ndamages || counts->stray_bytes || counts->cut_stream;
}
/* Rows may be missing that completed between the two times. */
bool trace_has_lost(const struct trace_damage *damage, unsigned count, uint64_t from_ns,
		    uint64_t to_ns);
const char *trace_path(const struct trace_reader *reader);

/* Parts of plain text files can be read by several readers: each takes the rows that begin in
 * its [from, to). Called before the first trace_next. */
bool trace_can_split(const struct trace_reader *reader);
void trace_set_range(struct trace_reader *reader, uint64_t from_bytes, uint64_t to_bytes);
/* A second reader of the same file, decided as the first. */
struct trace_reader *trace_open_like(const struct trace_reader *other, struct err *err);
