/* The parts of `assay quick`: options, the test file, one cell. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/keep.h"
#include "cli/native.h"
#include "cli/show.h"
#include "job/job.h"
#include "report/quick_page.h"
#include "result/result.h"

#define QUICK_CELLS 5

struct quick_options {
	const char *target; /* as given; NULL: this folder */
	uint64_t size_bytes, time_ns, max_write_bytes;
	bool size_given, write, no_write, clean, no_store, no_report;
	bool cell[QUICK_CELLS];
	unsigned repeat;
	const char *destroy, *format_text, *output, *progress, *store, *tag;
	enum native_format format;
	char *consent; /* what was typed at the first cell that needed it */
	size_t consent_bytes;
	bool wrote; /* a cell of this command: what it left is no data of others */
};

enum quick_target_kind { QUICK_OWN_FILE, QUICK_FILE, QUICK_DEVICE, QUICK_SIMULATED };

struct quick_target {
	enum quick_target_kind kind;
	char path[4096];
	uint64_t size_bytes; /* that is used */
	bool writes, direct;
};

/* quick_options.c */
int quick_options_parse(struct quick_options *options, int argc, char **argv, struct err *err);

/* quick_target.c: what is measured, and with which sizes. Makes nothing yet. */
int quick_target_settle(struct quick_target *target, const struct quick_options *options,
			struct err *err);
/* Files that a killed `assay quick` left in the folder of `target`: removed with --clean or
 * by a yes on the terminal, else named. */
void quick_left_over(const struct quick_target *target, const struct quick_options *options);

/* quick_cells.c */
extern const char *const quick_cell_names[QUICK_CELLS];
/* Makes the test file; of a target that will be written, asks the guard before the first cell is
 * measured, and remembers what was typed. */
int quick_prepare(const struct quick_target *target, const struct quick_options *options,
		  const struct keep *keep, struct err *err);
/* One run and the jobs that it was; the result points into the set. */
struct quick_record {
	struct job_set set;
	struct result result;
};
void quick_record_done(struct quick_record *record);

/* Which cell, under which load; `budget_bytes` is what --max-write leaves. */
struct quick_wish {
	unsigned cell, repeat;
	enum quick_load load;
	uint64_t budget_bytes, written_bytes; /* written: by the cells before it */
	struct keep *keep;
};
int quick_run_cell(const struct quick_target *target, const struct quick_options *options,
		   const struct quick_wish *wish, struct quick_record *ret_record,
		   struct err *err);
