/*
 * Drives side by side: differing environments first, then each cell with a column a side, the
 * ratio of the sides, sequential against random inside each, the ratio of those ratios, and
 * sentences that follow from the numbers by the rules of doc/compare.md.
 */
#pragma once

#include "report/document.h"
#include "result/lineup.h"

/* A warning for each side of which a run was cut off or stopped. */
void lineup_marks(struct document *doc, const struct lineup *lineup);
void lineup_page(struct document *doc, const struct lineup *lineup);
/* The same as a report: what follows from the numbers first, cells with their numbers, and
 * pictures. */
void lineup_report(struct document *doc, const struct lineup *lineup);
/* Ratios by cell, and each kind of load over requests in flight or block size. */
void lineup_graphs(struct document *doc, const struct lineup *lineup);
/* A line for each cell, side and figure. */
void lineup_csv(const struct lineup *lineup, struct str *out);
void lineup_json(const struct lineup *lineup, struct str *out);

/* "A", "B": what a side is called in tables and in a file of facts. */
const char *lineup_letter(struct document *doc, unsigned side);
