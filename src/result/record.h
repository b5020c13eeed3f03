/*
 * struct record: what one command produced, as it is kept: in the store, in an export, in a file
 * of another program. It is one or several results (parts) with what identifies them, and the
 * cells that comparisons are made of: one for each group of jobs and direction, flat.
 *
 * A record owns what was made in its arena, and the parts that were read for it; those that
 * record_add_live() was given stay their caller's.
 */
#pragma once

#include <stdbool.h>

#include "result/result.h"

#define RECORD_UID_BYTES 33 /* 32 hex digits: the same run on every machine */

/* Figures of a cell; all rates are per second. NAN is unknown. */
enum cell_metric {
	CELL_IOS_PER_S,
	CELL_BYTES_PER_S,
	CELL_MEAN_NS,
	CELL_P50_NS,
	CELL_P99_NS,
	CELL_P999_NS,
	CELL_P9999_NS,
	CELL_MAX_NS,
	NCELL_METRIC,
};
struct cell_metric_facts {
	const char *name;   /* "iops", "bw", "mean", "p99.9": in options and tables */
	const char *column; /* in the store and in JSON: "ios_per_s" */
	const char *unit;   /* "", "MB/s", "us": of tables */
	double scale;	    /* a value times this is in `unit` */
	bool less_is_better;
	double percent; /* of a percentile, else 0 */
};
extern const struct cell_metric_facts cell_metrics[NCELL_METRIC];

struct record_cell {
	const char *name; /* of the group, or of the cell of `assay quick` */
	const char *load; /* "randread", "randrw" */
	uint64_t bs_bytes;
	unsigned depth, jobs, read_percent; /* 100 for reads alone */
	enum dir dir;
	unsigned repeat;
	int part; /* index into parts; -1: printed figures, no result behind them */
	unsigned group;
	uint64_t ios, bytes, errors;
	double value[NCELL_METRIC];
	const char *printed; /* as a document has it: "68us 58MB/s 14.5K"; NULL */
};

struct record_part {
	const char *name, *load; /* of `assay quick`: "RND4K Q1T1", "read"; else the job, "" */
	unsigned repeat;
	struct result *result;
	struct job_set *set;
	bool owned;
};

struct record_remark { /* what a person noted later */
	uint64_t unix_ns;
	const char *text;
};

struct record {
	struct arena arena;
	char uid[RECORD_UID_BYTES];
	const char *id;	     /* "r17": in the store it was saved to or came from; NULL */
	const char *kind;    /* "run", "quick", "fio json", "fio terse", "printed" */
	const char *title;   /* "randread on /dev/nvme0n1" */
	const char *program; /* "assay 0.1.0", "fio-3.33" */
	const char *job_text;
	const char *incomplete; /* why parts are missing; NULL: none are */
	/* It did not come to its end: these are the figures that had been written by then. */
	bool cut_off;
	uint64_t started_unix_ns, span_ns, written_bytes;
	double uncertain_percent; /* of printed figures: rounding, units in doubt */
	const char **tags;
	unsigned ntags;
	struct record_remark *remarks;
	unsigned nremarks;
	struct record_part *parts;
	unsigned nparts;
	struct record_cell *cells;
	unsigned ncells;
};

/* Empty, with a uid of its own (random). */
void record_init(struct record *record, const char *kind);
void record_done(struct record *record);
/* The uid of an import: a digest of its text, so that the same text is the same record. */
void record_uid_of_text(struct record *record, const char *text, size_t bytes);

struct record_part *record_add_part(struct record *record, const char *name, const char *load,
				    unsigned repeat);
/* A part of a run that just ended: result and set stay the caller's. */
void record_add_live(struct record *record, const char *name, const char *load, unsigned repeat,
		     struct result *result, const struct job_set *set);
void record_add_tag(struct record *record, const char *tag);
void record_add_remark(struct record *record, uint64_t unix_ns, const char *text);
void record_add_cell(struct record *record, const struct record_cell *cell);

/* On a model: title and store say so. */
bool record_is_simulated(const struct record *record);

/* Derives title, times, job text and cells from the parts. Call it when all parts are there. */
void record_settle(struct record *record);

/* "randread 4 KiB, depth 1, 8 jobs": what makes two cells of different runs the same one. */
const char *record_cell_key(struct arena *arena, const struct record_cell *cell);
