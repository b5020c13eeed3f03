/*
 * The table of `assay quick`: cells by reads, writes and a mix. Each cell was run `nruns` times
 * (--repeat); MB/s and IOPS are the median run's, with the range where there are several, and
 * latencies are those of all runs' requests together (percentiles are never averaged).
 */
#pragma once

#include "report/document.h"
#include "result/result.h"

enum quick_load { QUICK_READ, QUICK_WRITE, QUICK_MIX, NQUICK_LOADS };

struct quick_cell {
	const char *name;		    /* "RND4K Q32T4" */
	struct result **runs[NQUICK_LOADS]; /* nruns each; NULL: not run */
};

struct quick {
	const struct quick_cell *cells;
	unsigned ncells, nruns;
	unsigned mix_read_percent; /* 70 */
	uint64_t time_ns, ramp_ns; /* of a run: measured, and before it not counted */
	uint64_t written_bytes;	   /* in all, the test file included */
	const char
		*incomplete; /* why cells are missing ("stopped by SIGINT"); NULL: none are */
};

/* Results are written to only for what merging takes from their arenas. */
void quick_page(struct document *doc, const struct quick *quick);

/* The parts of it, for pages in another order: title and facts; tables and notes; the sentence. */
void quick_page_facts(struct document *doc, const struct quick *quick);
void quick_page_tables(struct document *doc, const struct quick *quick);
void quick_page_sentence(struct document *doc, const struct quick *quick);
