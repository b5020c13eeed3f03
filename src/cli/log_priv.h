/* What the commands below `assay log` share: their options, the logs they open, what they say. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "result/fio_siblings.h"
#include "trace/gather.h"
#include "trace/reader.h"

enum log_format {
	LOG_FORMAT_NONE,
	LOG_CSV,
	LOG_JSON,
	LOG_TEXT,
	LOG_FIO,
	LOG_FIO2,
	LOG_FZ,
	LOG_BLOCKS
};

struct log_options {
	struct trace_options trace;
	struct gather_options gather;
	enum log_format format;
	const char *output; /* NULL: stdout */
	char decimal, separator;
	uint64_t from_ns, to_ns, rows;
	const char *json; /* fio's, beside the logs; NULL: PREFIX.json, where it is there */
	bool quiet;
	const char **paths;
	unsigned npaths;
};

/* The options of all of them; what one command has no use for it refuses by `allowed`, a list of
 * their names between spaces. */
int log_parse(int argc, char **argv, const char *allowed, struct log_options *ret_options,
	      struct err *err);

/* What the run's JSON says of a log; zero: there is none. */
struct log_totals {
	char path[256];
	struct fio_sibling sibling;
};

struct log_files {
	struct trace_reader **readers;
	struct log_totals *totals; /* one for each reader */
	unsigned count;
};

int log_open(const struct log_options *options, struct log_files *ret_files, struct err *err);
void log_close(struct log_files *files);
/* "randread.1", with "@host" where one is named. */
void log_job_name(const struct trace_info *info, struct str *out);

/* The JSON that belongs to a log, and the hints that it gives. */
int log_find_totals(const struct log_options *options, const char *path,
		    struct trace_options *trace, struct log_totals *ret_totals,
		    struct err *err);
/* What a log's rows add up to: of each direction, or of all. */
struct log_tally {
	bool by_direction;
	uint64_t ios[SAMPLE_OPS], bytes[SAMPLE_OPS];
	uint64_t all_bytes; /* the rows of all are the reader's to count */
};
/* The rows against the JSON, where there is one; says what differs, or that all agrees. */
enum totals_check { TOTALS_UNKNOWN, TOTALS_AGREE, TOTALS_DIFFER };
enum totals_check log_check_totals(const struct log_options *options,
				   const struct log_files *files, unsigned file,
				   const struct log_tally *tally);
/* When the run ended by the JSON, on the clock of the logs; 0: not known. */
uint64_t log_run_end_ns(const struct log_files *files);

/* On stderr: what each log was taken for; and after reading, what was odd about it. */
void log_say_kinds(const struct log_options *options, const struct log_files *files);
void log_say_counts(const struct log_options *options, const struct log_files *files);
/* 4 where a log is damaged, though the rest was read; else 0. */
int log_damage_exit(const struct log_files *files);
/* Each stretch that was lost, as a sentence; calls `say` for each. */
void log_each_damage(const struct trace_reader *reader,
		     void (*say)(void *context, const char *text), void *context);
void log_note(const struct log_options *options, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* 0 or a positive exit code; negative: the err says why. */
int log_judge(int argc, char **argv, struct err *err);
int log_compare(int argc, char **argv, struct err *err);
int log_plot(int argc, char **argv, struct err *err);

int log_bin(int argc, char **argv, struct err *err);
int log_info(int argc, char **argv, struct err *err);
int log_head(int argc, char **argv, struct err *err);
int log_cut(int argc, char **argv, struct err *err);
int log_merge(int argc, char **argv, struct err *err);
int log_convert(int argc, char **argv, struct err *err);
