/*
 * Four rows at once: the AVX2 loop of the fast reader (fiofast.h), for rows whose middle is 16
 * bytes long at most and whose value has eight digits at most; others go one by one.
 */
#pragma once

#include "trace/fiofast.h"

/* One by one, to columns from `at` on. Returns how many were like the template. */
unsigned fiofast_columns(struct fiofast *fast, const struct fiofast_rows *rows, unsigned at,
			 struct sample_columns *ret_columns);

/* fiofast_ops.columns for processors with AVX2. */
unsigned fiofour_columns(struct fiofast *fast, const struct fiofast_rows *rows,
			 struct sample_columns *ret_columns);
