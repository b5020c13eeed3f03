/*
 * The fast reader of fio's text logs: rows that look like the row before them, apart from the
 * time, the value, the direction and an offset, are recognised by comparing whole words with a
 * template and converted eight digits at a time; any other row is left to fiorow.h, which also
 * makes the next template. doc/log-parser.md explains it and gives the numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/fiorow.h"
#include "trace/sample.h"

/* Readable bytes before the first row and after the last one's newline. */
#define FIOFAST_PAD 128

/* Text of fixed content, compared by words of eight bytes under a mask. */
struct fiofast_text {
	uint64_t word[3], mask[3];
	unsigned length;
};

struct fiofast {
	const struct fiorow_shape *shape; /* the caller's */
	bool armed;			  /* the templates are those of a row read before */
	struct fiofast_text time;	  /* "1234, " */
	struct fiofast_text middle;	  /* from behind the value: ", 0, 4096, 0" */
	struct fiofast_text tail;	  /* from behind the offset: ", 0" */
	unsigned op_at;			  /* of the direction's digit in `middle` */
	struct sample sample[4];	  /* by direction; the fourth is never stored */
};

/* Rows from base + begin on, ended by the newlines at ends[0] .. ends[count - 1]. */
struct fiofast_rows {
	const char *base;
	const uint32_t *ends;
	size_t begin;
	unsigned count;
};

/* One set of loops for each sort of processor. */
struct fiofast_ops {
	const char *name;
	/* Offsets, from `base`, of the newlines in base[from, to); reads up to the next 64 bytes.
	 * Writes at most to - from + 16 entries. Returns how many there are. */
	unsigned (*index)(const char *base, size_t from, size_t to, uint32_t *ret_ends);
	/* To samples. Returns how many were like the template; the next one is for
	 * fiofast_learn. */
	unsigned (*rows)(struct fiofast *fast, const struct fiofast_rows *rows,
			 struct sample *ret_samples);
	/* The same by columns: COLUMNS_MAX rows at most. */
	unsigned (*columns)(struct fiofast *fast, const struct fiofast_rows *rows,
			    struct sample_columns *ret_columns);
};

/* The set of that name as trace_options.fast_set has it; 0: this processor runs none such. */
unsigned fiofast_find(const char *name);
/* The fastest set that this processor runs. */
const struct fiofast_ops *fiofast_best(void);
/* All sets that this processor runs, the portable one first; NULL from `at` = their number. */
const struct fiofast_ops *fiofast_at(unsigned at);

/* Make the templates of a row that fiorow_parse has read. */
void fiofast_learn(struct fiofast *fast, const char *row, const char *end,
		   const struct fiorow_marks *marks, const struct sample *sample);
