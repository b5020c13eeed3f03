/* The table of `assay quick` out of the record that is kept: live and later it is the same. */
#pragma once

#include "report/quick_page.h"
#include "result/record.h"

extern const char *const quick_load_names[NQUICK_LOADS]; /* "read", "write", "mix" */

struct quick_view {
	struct quick page;
	struct quick_cell *cells;
};

void quick_view_init(struct quick_view *quick, struct record *record);
void quick_view_done(struct quick_view *quick);
