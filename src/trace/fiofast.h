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
#define FIOFAST_PAD 64

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

/* One set of loops for each sort of processor. */
struct fiofast_ops {
	const char *name;
	/* Offsets, from `base`, of the newlines in base[from, to); reads up to the next 64 bytes.
	 * Writes at most to - from + 4 entries. Returns how many there are. */
	unsigned (*index)(const char *base, size_t from, size_t to, uint32_t *ret_ends);
	/* Rows from base + begin on, ended by ends[0] .. ends[count - 1], to samples (as many at
	 * most). Returns how many were like the template; the next one is for fiofast_learn. */
	unsigned (*rows)(struct fiofast *fast, const char *base, size_t begin,
			 const uint32_t *ends, unsigned count, struct sample *ret_samples);
};

/* The fastest set that this processor runs. */
const struct fiofast_ops *fiofast_best(void);
/* All sets that this processor runs, the portable one first; NULL from `at` = their number. */
const struct fiofast_ops *fiofast_at(unsigned at);

/* Make the templates of a row that fiorow_parse has read. */
void fiofast_learn(struct fiofast *fast, const char *row, const char *end,
		   const struct fiorow_marks *marks, const struct sample *sample);
